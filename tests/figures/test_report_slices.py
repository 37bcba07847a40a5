"""Test the report's page about slices of a study with a single run; `tests/ui/test_views.py` tests all views."""

from __future__ import annotations

from dataclasses import replace

from data.study import Study
from figures.report.html import LeftOut
from figures.report.render import section_of
from figures.report.request import Request
from metrics.analysis.numbers import of_results
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.progress import Hooks
from metrics.registry import resolve
from tests.report_text import whole
from tests.studies import study as random_study

CHOSEN = resolve(("rouge_l", "distinct_2"))

slices = section_of("slices")


def asked(study: Study) -> Request:
    numbers = of_results(scoring.score(study, CHOSEN), {})
    return Request(
        study,
        numbers,
        CHOSEN,
        ("slices",),
        "2026-01-31",
        cache=Cache(None),
        make=lambda work, _: work.compute(Cache(None), Hooks()),
    )


def test_one_run_without_references_stands_against_its_own_mean() -> None:
    study = random_study(items=20, runs=1)
    tones = [replace(item, references=(), metadata={"tone": "ab"[k % 2]}) for k, item in enumerate(study.items)]
    made = slices(asked(replace(study, items=tuple(tones))))
    assert not isinstance(made, LeftOut)
    page = whole(made)
    assert "None of 2 slices stands out" in page
    assert "<svg" not in page, "nothing stands out, so nothing is drawn"
    assert "--metric distinct_2 --run &#x27;run 0&#x27;" in page
    assert "tone: a" in page
