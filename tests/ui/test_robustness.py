"""Test the Robustness page: what it needs, its grid and verdict, and a chosen cell."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import replace
from typing import Any

import pytest

from data.study import Item
from metrics.analysis import artifacts
from metrics.analysis.robustness import measure
from metrics.analysis.robustness.design import Design, held_out
from metrics.progress import Hooks
from metrics.registry import METRICS, resolve
from metrics.transformations import TRANSFORMATIONS
from tests.studies import study as random_study
from tests.ui.shown import markup, page
from ui.jobs import jobs
from ui.views import robustness

STUDY = random_study(items=10, references=4, candidates=1, runs=1, seed=12)
NAMES, FAULTS = ("bleu_1", "rouge_l"), ("word_permutation", "dropped_words", "negation")


def test_one_reference_is_too_few() -> None:
    at = page("robustness", random_study(items=3, references=1, candidates=1))
    assert not at.exception
    assert "No item has two captions by people" in markup(at)


def test_a_cell_a_fault_and_metric() -> None:
    design = Design(tuple(TRANSFORMATIONS[name] for name in FAULTS))
    cache = jobs.jobs().cache
    artifacts.damaged_captions(STUDY, design, tuple(METRICS[n] for n in NAMES), cache).compute(cache, Hooks())
    chosen = {"faults": list(FAULTS), "scores": list(NAMES)}
    at = page("robustness", STUDY, **chosen)
    assert not at.exception
    assert "<b>BLEU-1 hardly notices shuffled words</b>" in markup(at)
    assert markup(at).count('<a href="?') == 6
    assert "One caption: shuffled words, 60 %" in markup(at)
    other = page("robustness", STUDY, **chosen, cell="negation.rouge_l", strength="0.2")
    assert not other.exception
    assert "One caption: a negation" in markup(other)


def test_sets_are_a_switch_and_a_set_is_shown_before_and_after() -> None:
    study = random_study(items=10, references=6, candidates=1, runs=1, seed=12)
    metrics = (METRICS["trm_rouge_l"], METRICS["distinct_2"], METRICS["vocabulary"])
    design = Design(tuple(TRANSFORMATIONS[name] for name in FAULTS[:2]), sets=True)
    artifacts.damaged_captions(study, design, metrics, jobs.jobs().cache).compute(jobs.jobs().cache, Hooks())
    chosen = {"faults": list(FAULTS[:2]), "set_scores": [metric.name for metric in metrics]}
    at = page("robustness", study, of="sets", **chosen)
    assert not at.exception
    assert "How much of its score a damaged set of captions keeps" in markup(at)
    assert "One set of captions: shuffled words, 60 % of the captions" in markup(at)
    assert markup(at).count('<a href="?') == 4
    assert f"no column for {METRICS['trm_rouge_l'].label}: " in markup(at)
    assert ">share</span>" in markup(at)
    before, after = re.findall(r"(?:people's captions|After)</small>(.*?)</div></div>", markup(at))
    changed = after.count('<div dir="auto">')
    assert before.count('<div dir="auto">') == 3
    assert 0 < changed == sum("<u>" in line for line in after.split("</div>")) < 3
    assert f"the other {'caption' if changed == 2 else '2 captions'} as before" in after
    assert "<span>Vocabulary, run</span>" in markup(at)


def test_cells_fill_in_while_the_job_runs_and_the_verdict_comes_last(monkeypatch: pytest.MonkeyPatch) -> None:
    study = random_study(items=8, references=4, candidates=1, runs=1, seed=31)
    cache, go = jobs.jobs().cache, [False]
    design = Design((TRANSFORMATIONS["word_permutation"], TRANSFORMATIONS["dropped_words"]))
    first = Design(design.transformations[:1])
    artifacts.damaged_captions(study, first, (METRICS["bleu_1"],), cache).compute(cache, Hooks())
    real = measure.damaged

    def slow(*given: Any) -> Any:
        while not go[0]:
            given[-1].check()
            time.sleep(0.01)
        return real(*given)

    monkeypatch.setattr(measure, "damaged", slow)
    asked = {"faults": [one.name for one in design.transformations], "scores": list(NAMES)}
    at = page("robustness", study, **asked)
    assert not at.exception
    assert markup(at).count('<a href="?') == 1
    assert markup(at).count('<span class="w"') == 3
    assert 'class="tl-verdict' not in markup(at)
    next(button for button in at.button if button.label == "Cancel").click().run()
    assert any("Damaging and scoring captions" in box.value for box in at.info)
    assert '<span class="w"' not in markup(at)
    go[0] = True
    next(button for button in at.button if button.label == "Resume").click().run()
    end = time.monotonic() + 60
    while 'class="tl-verdict' not in markup(at) and time.monotonic() < end:
        time.sleep(0.2)
        at.run()
    assert not at.exception
    assert "hardly notices shuffled words" in markup(at)
    assert '<span class="w"' not in markup(at)


def test_a_large_study_has_a_verdict_from_some_images_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the rest is computed, the page says how many images the verdict is from; afterwards, it is from all."""
    monkeypatch.setattr(robustness, "FIRST", 6)
    study, cache = random_study(items=20, references=4, candidates=1, runs=1, seed=32), jobs.jobs().cache
    asked = {"faults": ["word_permutation"], "scores": list(NAMES)}
    metrics, faults = tuple(METRICS[name] for name in NAMES), (TRANSFORMATIONS["word_permutation"],)
    artifacts.damaged_captions(study, Design(faults, most=6), metrics, cache).compute(cache, Hooks())
    real, go = measure.damaged, threading.Event()
    monkeypatch.setattr(measure, "damaged", lambda *given: go.wait(30) and real(*given))
    at = page("robustness", study, **asked)
    assert not at.exception
    assert 'class="tl-verdict' in markup(at)
    n = len(held_out(study, Design(())))
    assert f"From 6 of {n} items, drawn at random, while the others are computed." in markup(at)
    assert "n = 6 items" in markup(at)
    go.set()
    end = time.monotonic() + 60
    while f"n = {n} items" not in markup(at) and time.monotonic() < end:
        time.sleep(0.2)
        at.run()
    assert not at.exception
    assert "while the others are computed" not in markup(at)


def test_captions_without_blanks_are_said() -> None:
    chinese = tuple(Item(f"zh{k}", ("一只狗在跑", f"狗在草地上跑{k}", "有一只狗")) for k in range(3))
    at = page("robustness", replace(STUDY, items=chinese, runs=()))
    assert not at.exception
    assert "No caption has two words" in markup(at)
    assert "3 images have captions without any" in markup(at) or "3 items have captions without any" in markup(at)


def test_critiques_with_and_without_augmentation_stand_side_by_side() -> None:
    study = random_study(items=24, references=3, candidates=1, runs=1, seed=12)
    metrics = resolve(["critique", "critique(augmented=false)"])
    design, cache = Design((TRANSFORMATIONS["random_words"],)), jobs.jobs().cache
    artifacts.damaged_captions(study, design, metrics, cache).compute(cache, Hooks())
    at = page("robustness", study, faults=["random_words"], scores=[metric.name for metric in metrics])
    assert not at.exception
    assert markup(at).count('<a href="?') == 2
    assert "Critique (not augmented)" in markup(at)
