"""The report's page about words: its verdict, tables and command, and why it is left out."""

from __future__ import annotations

from dataclasses import replace

from data.study import Study
from figures.report.html import LeftOut
from figures.report.render import section_of
from figures.report.request import Request
from metrics.analysis.numbers import of_results
from metrics.cache.disk import Cache
from metrics.progress import Hooks
from tests.analysis.words.test_words import planted
from tests.report_text import whole
from tests.studies import study as random_study

words = section_of("words")


def asked(study: Study) -> Request:
    return Request(
        study,
        of_results({}, {}),
        (),
        ("words",),
        "2026-01-31",
        cache=Cache(None),
        make=lambda work, _: work.compute(Cache(None), Hooks()),
    )


def test_the_page_has_verdict_tables_and_command() -> None:
    study = planted()
    both = replace(study, runs=(*study.runs, replace(study.runs[0], name="other")))
    made = words(asked(both))
    assert not isinstance(made, LeftOut)
    page = whole(made)
    assert "says “photo” more often than people and “red” less often" in page
    assert 'download="words.csv"' in page
    assert 'download="words-by-run.csv"' in page
    assert "trilens words study.jsonl --out words.csv" in page
    alone = words(asked(study))
    assert not isinstance(alone, LeftOut)
    assert "words-by-run" not in whole(alone)


def test_why_it_is_left_out() -> None:
    few, none = words(asked(random_study(items=4))), words(asked(random_study(items=20, runs=0)))
    pending = words(replace(asked(planted()), make=lambda work, _: None))
    assert isinstance(few, LeftOut)
    assert "in at least 5 items" in few.why
    assert isinstance(none, LeftOut)
    assert none.why == "these files have captions of no run"
    assert isinstance(pending, LeftOut)
    assert "open the page first" in pending.why
