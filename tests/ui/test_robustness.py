"""The Robustness page: what it needs, the grid with its verdict, and a chosen cell."""

from __future__ import annotations

from metrics.analysis import artifacts
from metrics.analysis.robustness.design import Design
from metrics.progress import Hooks
from metrics.registry import METRICS
from metrics.transformations import TRANSFORMATIONS
from tests.studies import study as random_study
from tests.ui.shown import markup, page
from ui.jobs import jobs

STUDY = random_study(items=10, references=4, candidates=1, runs=1, seed=12)
NAMES, FAULTS = ("bleu_1", "rouge_l"), ("word_permutation", "dropped_words", "negation")


def test_one_reference_is_too_few() -> None:
    at = page("robustness", random_study(items=3, references=1, candidates=1))
    assert not at.exception
    assert "No image has two references" in markup(at)


def test_a_cell_a_fault_and_metric() -> None:
    design = Design(tuple(TRANSFORMATIONS[name] for name in FAULTS))
    cache = jobs.jobs().cache
    artifacts.damaged_captions(STUDY, design, tuple(METRICS[n] for n in NAMES), cache).compute(cache, Hooks())
    chosen = {"faults": list(FAULTS), "scores": list(NAMES)}
    at = page("robustness", STUDY, **chosen)
    assert not at.exception
    assert "<b>BLEU-1 hardly sees word order</b>" in markup(at)
    assert markup(at).count('<a href="?') == 6
    assert "One caption: word order, 60 %" in markup(at)
    other = page("robustness", STUDY, **chosen, cell="negation.rouge_l", strength="0.2")
    assert not other.exception
    assert "One caption: a negation" in markup(other)
