"""The report's page about slices: its verdict and command, and why it is left out."""

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
from tests.ui.test_slices import worded

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


def test_the_page_has_verdict_table_and_command() -> None:
    made = slices(asked(worded()))
    assert not isinstance(made, LeftOut)
    page = whole(made)
    assert "on items where people say “cat”" in page or "on items whose people say “dog”" in page
    assert "--metric rouge_l --runs B A" in page or "--metric rouge_l --runs A B" in page
    assert 'download="slices.csv"' in page


def test_one_run_without_references_stands_against_its_own_mean() -> None:
    study = random_study(items=20, runs=1)
    tones = [replace(item, references=(), metadata={"tone": "ab"[k % 2]}) for k, item in enumerate(study.items)]
    made = slices(asked(replace(study, items=tuple(tones))))
    assert not isinstance(made, LeftOut)
    page = whole(made)
    assert "run 0, slice by slice" in page
    assert "--metric distinct_2 --run &#x27;run 0&#x27;" in page
    assert "tone: a" in page


def test_why_it_is_left_out() -> None:
    few, none = slices(asked(random_study(items=6))), slices(replace(asked(worded()), metrics=()))
    assert isinstance(few, LeftOut)
    assert "need 5 each" in few.why
    assert isinstance(none, LeftOut)
    assert "a metric with a value for each" in none.why
