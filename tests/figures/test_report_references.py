"""Test the report's page about references, and that a report without references says nothing about people."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from data.study import Study
from figures.report import html as report_html
from figures.report.html import Section
from figures.report.pages import PAGES
from figures.report.references import references
from figures.report.request import Request
from figures.style.numbers import num
from metrics.analysis.numbers import Numbers, of_results
from metrics.analysis.references import DRAWS, stability, subset_totals, subsets
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.progress import Hooks
from metrics.registry import resolve
from tests.report_text import whole
from tests.studies import study as random_study

CHOSEN = resolve(("rouge_l", "bleu_1"))


def asked(study: Study) -> Request:
    cache = Cache(None)
    numbers = of_results(scoring.score(study, CHOSEN), {}) if study.runs else Numbers({})
    return Request(
        study,
        numbers,
        CHOSEN,
        ("references",),
        "2026-01-31",
        cache=cache,
        make=lambda work, _: work.compute(cache, Hooks()),
    )


def test_the_section_has_the_numbers_of_the_draws() -> None:
    study = random_study(items=8, references=4, candidates=1, runs=3)
    page = whole(references(asked(study)))
    made = subsets.design(study)
    assert made is not None
    found = subset_totals.measure(study, made, CHOSEN)
    for metric in CHOSEN:
        one = stability.stability(found, metric.name, DRAWS)
        for value in (*one.swapped, *one.mean.mean(axis=1)):
            assert re.search(rf"<td[^>]*>{re.escape(num(float(value)))}</td>", page)
    assert f"--draws {DRAWS}" in page
    assert "trilens consensus" in page


def test_a_study_without_runs_or_with_one_reference_is_left_out() -> None:
    study = random_study(items=6, references=4, candidates=1, runs=2)
    one = replace(study, items=tuple(replace(item, references=item.references[:1]) for item in study.items))
    assert "has two captions by people" in references(asked(one)).why  # type: ignore[union-attr]
    assert "needs a run" in references(asked(replace(study, runs=()))).why  # type: ignore[union-attr]


@pytest.mark.parametrize("referenced", [True, False])
def test_without_references_nothing_is_said_of_people(referenced: bool) -> None:
    """Marks, titles and verdicts name people only if there are references; if so, the same words do appear."""
    study = random_study(items=8, runs=2)
    if not referenced:
        study = replace(study, items=tuple(replace(item, references=()) for item in study.items))
    chosen = resolve(("distinct_2", "self_bleu_4"))
    numbers = of_results(scoring.score(study, chosen), {})
    wanted = Request(
        study, numbers, chosen, ("leaderboard", "cloud"), "2026-01-01", make=lambda work, doing: work.run(Hooks())
    )
    text = {}
    for page in wanted.pages:
        found = PAGES[page][1](wanted)
        assert isinstance(found, Section)
        text[page] = report_html.section_html(found).replace("has captions by people, so there is nothing", "")
    assert ("people" in text["leaderboard"].lower()) is referenced
    assert ("line: people" in text["leaderboard"]) is referenced
    assert ("by people" in text["cloud"]) is referenced
    assert ("people&#x27;s captions than another person&#x27;s" in text["cloud"]) is referenced
