"""Test that the report has parts about settings and seeds only if the study has replicates."""

from __future__ import annotations

import re

from data.study import Study
from figures.report import compare
from figures.report.html import LeftOut, Section
from figures.report.pages import PAGES
from figures.report.request import Request
from metrics.analysis.numbers import of_results
from metrics.analysis.replicates.grouping import replicates
from metrics.analysis.replicates.setting_differences import standing
from metrics.engine import scoring
from metrics.registry import resolve
from tests.analysis.replicates.studies import split
from tests.report_text import whole
from tests.studies import study as random_study

CHOSEN = resolve(("rouge_l", "distinct_1"))


def text(section: Section | LeftOut) -> str:
    assert isinstance(section, Section)
    return whole(section)


def request(study: Study) -> Request:
    return Request(study, of_results(scoring.score(study, CHOSEN), {}), CHOSEN, ("leaderboard",), "2026-01-31")


def test_settings_come_before_runs() -> None:
    asked = request(split(random_study(items=10, candidates=6, runs=3), 3))
    board = text(compare.leaderboard(asked))
    found = standing(asked.study, asked.numbers, CHOSEN[0], replicates(asked.study.runs))
    assert "(3 seeds) has the highest ROUGE-L" in re.sub("<[^>]*>", "", board)
    assert board.count('<i class="sd"') >= 9
    assert f"{found.values.max():.3f}" in board
    assert "trilens replicates study.jsonl" in board
    pair = text(compare.all_against_best(asked))
    assert "Two settings over their seeds" in pair
    assert "--compare" in pair
    assert "One mark for each setting" in text(PAGES["frontier"][1](asked))


def test_without_seeds_nothing_is_added() -> None:
    asked = request(random_study(items=10, candidates=4, runs=3))
    for section in (compare.leaderboard(asked), compare.all_against_best(asked), PAGES["frontier"][1](asked)):
        assert "seeds" not in text(section)
        assert "replicates" not in text(section)
