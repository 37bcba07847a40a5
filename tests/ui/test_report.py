"""Test the report panel of the Data page: the metrics of the report, its progress, and the file that is saved."""

from __future__ import annotations

from typing import Any

import pytest

from tests.studies import study as random_study
from tests.ui.shown import AppTest, chosen, page, score
from ui.views import report
from ui.widgets.metric_picker import FAMILIES

STUDY = random_study(items=12, runs=2, candidates=3, references=3)


def asked_for(at: AppTest, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the metrics of the report that the Data page would make at this point of a visit."""
    seen: list[Any] = []

    def make(*asked: Any, begin: report.Begin) -> bytes:
        seen.append(asked)
        begin("Overview, 1 of 2", 0.0, 0.5)
        return b"<html>"

    monkeypatch.setattr(report, "make", make)
    at = at.switch_page("pages/dataset.py").run()
    at.button(key="report_make").click().run()
    assert not at.exception
    assert [one.label for one in at.get("download_button") if one.label.startswith("Save it")] == ["Save it (0.0 MB)"]
    return [metric.name for metric in seen[0][2]]


def on_the_board(at: AppTest) -> list[str]:
    found = [chosen(at).get(family, []) for family in FAMILIES]
    return [name for of in found for name in ([of] if isinstance(of, str) else of)]


def test_the_report_takes_the_metrics_of_the_leaderboard(monkeypatch: pytest.MonkeyPatch) -> None:
    at = page("leaderboard", STUDY)
    rank = at.selectbox(key="rank_select").value
    board = [rank, *(name for name in on_the_board(at) if name != rank)]
    assert 3 <= len(board) <= 6
    assert asked_for(page("dataset", STUDY), monkeypatch) == board, "before the Leaderboard was opened"
    assert asked_for(page("leaderboard", STUDY), monkeypatch) == board
    assert asked_for(page("judgments", STUDY), monkeypatch) == board, "what a page takes by default stays there"


def test_the_report_takes_what_the_reader_chose_and_ranks_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    at = page("leaderboard", STUDY, quality=["bleu_1", "rouge_l"], rank="rouge_l")
    board = on_the_board(at)
    assert {"bleu_1", "rouge_l"} < set(board)
    asked = asked_for(at, monkeypatch)
    assert asked[0] == "rouge_l"
    assert sorted(asked) == sorted(board)


def test_without_a_choice_the_report_ranks_by_the_metric_of_the_leaderboard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Since pickers list METEOR first, the report once ranked runs by METEOR, while the page ranks them by CIDEr-D."""
    study = random_study(items=12, runs=2, candidates=1, references=3)
    at = page("leaderboard", study)
    assert at.selectbox(key="rank_select").value == "cider_d"
    asked = asked_for(at, monkeypatch)
    assert {"meteor", "cider_d"} < set(asked)
    assert asked[0] == "cider_d"
    assert asked_for(page("dataset", study), monkeypatch)[0] == "cider_d", "before the Leaderboard was opened"


def test_a_report_that_is_not_what_the_panel_says_is_not_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    at = page("dataset", STUDY)
    asked_for(at, monkeypatch)
    at.toggle(key="report_anonymous").set_value(True).run()
    assert not [one for one in at.get("download_button") if one.label.startswith("Save it")]


def test_every_page_is_begun_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    score(STUDY, ["cider_d", "trm_bow"])
    at = page("dataset", STUDY)
    said: list[tuple[str, float]] = []
    bar = report.st.progress

    def progress(share: float, text: str) -> Any:
        shown = bar(share, text)
        monkeypatch.setattr(shown, "progress", lambda at, text: said.append((text, at)))
        return shown

    monkeypatch.setattr(report.st, "progress", progress)
    at.pills(key="report_pages").set_value(["leaderboard", "methods"]).run()
    at.button(key="report_make").click().run()
    assert not at.exception
    assert said == [("Leaderboard, 1 of 2", 0.0), ("Methods, 2 of 2", 0.5)]
