"""Test that a run's faults, which the page *Data* finds, are shown beside its name everywhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from data.study import Study
from figures.notes import flags
from figures.overview.html import caption_set
from figures.report.html import Section
from figures.report.images import images
from figures.report.request import Request
from figures.style.escaping import esc
from figures.style.html import captions
from metrics.analysis.numbers import Numbers
from metrics.analysis.overview import overview
from metrics.analysis.overview_image import CaptionSet
from metrics.registry import METRICS
from tests.studies import study as random_study


def odd_study() -> Study:
    """Return a study whose second run gives one caption to every item, and whose third run lacks captions that
    others have.
    """
    study = random_study(items=30, references=3, candidates=1, runs=3)
    one = replace(study.runs[1], candidates={item.id: ("a dog",) for item in study.items})
    return replace(study, runs=(study.runs[0], one, study.runs[2]), lacking={"run 2": 4})


def test_a_run_with_faults_is_marked_and_named_below_figures() -> None:
    study = odd_study()
    said = [flags.flag(study, run) for run in study.runs]
    assert said == ["", "gives one caption to all 30 items", "lacks captions of 4 items that other runs describe"]
    assert flags.mark(said[0]) == ""
    assert 'title="check: it gives one caption to all 30 items"' in flags.mark(said[1])
    assert flags.facts(study, study.runs) == [f"check: run 1 {said[1]}; run 2 {said[2]}"]
    assert flags.facts(study, study.runs[:1]) == []
    astray = replace(study, astray=dict.fromkeys(("run 0", "run 1"), "does not fit its own {one}s better"))
    assert flags.flag(astray, astray.runs[0]) == "does not fit its own items better"
    assert flags.flag(astray, astray.runs[1]) == said[1], "one caption for all explains it"
    twins = replace(study, runs=(study.runs[0], replace(study.runs[0], name="twin")))
    assert flags.facts(twins, twins.runs) == ["check: run 0 has the same captions as twin"]
    many = {f"run {k}": (f"is odd in {k} ways",) for k in range(5)}
    assert flags.facts_of(many) == [
        "check: run 0 is odd in 0 ways; run 1 is odd in 1 ways; run 2 is odd in 2 ways; 2 other faults"
    ]


@pytest.mark.parametrize(
    ("runs", "rest"),
    [(1, ""), (2, ", and run 0 has a{}"), (3, ", and run 1 and run 0 have{}s"), (4, ", and 3 others have{}s")],
)
def test_runs_with_one_habit_share_a_clause_and_the_worst_has_it(runs: int, rest: str) -> None:
    study = random_study(items=30, references=3, candidates=2, runs=runs)
    looping = tuple(
        replace(
            run,
            candidates={
                id: tuple(f"{text} so so so so" if n < 10 * (k + 1) else text for text in texts)
                for n, (id, texts) in enumerate(run.candidates.items())
            },
        )
        for k, run in enumerate(study.runs[:3])
    )
    study = replace(study, runs=(*looping, *(replace(looping[0], name="run 3") for _ in study.runs[3:])))
    share = {1: "33 %", 2: "67 %"}.get(runs, "100 %")
    said = f"run {min(runs, 3) - 1} says the same words again and again in {share} of its captions"
    assert flags.facts(study, study.runs) == [f"check: {said}{rest.format(' similar fault')}"]


def test_the_mark_follows_the_name_over_captions_and_is_escaped() -> None:
    study = odd_study()
    mark = flags.mark(flags.flag(study, study.runs[1]))
    assert f'<b dir="auto">run 1</b>{mark}' in captions("run 1", [], mark=mark)
    assert '<b dir="auto"><span class="tl-unbroken">qwen2-vl</span> T 1</b>' in captions("qwen2-vl T 1", [])
    seen = overview(study, Numbers({}), METRICS["cider_d"], METRICS["trm_bow"])
    shown = [caption_set(seen, CaptionSet(run, (), 0), "light") for run in (0, 1)]
    assert [mark in one for one in shown] == [False, True]
    page = images(Request(study, Numbers({}), (), ("images",), "2026-01-31", images=(0,)))
    assert isinstance(page, Section)
    assert mark in "".join(page.blocks)
    assert esc("<img>") in flags.mark("<img>")
    assert "<img" not in flags.mark("<img>")
