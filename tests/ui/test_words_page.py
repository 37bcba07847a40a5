"""Test the Words page: what it needs, its verdict, a chosen word and its captions, and broken links."""

from __future__ import annotations

import pytest

from metrics.analysis import artifacts
from metrics.analysis.words import usage as analysis
from metrics.progress import Hooks
from tests.analysis.words.test_words import planted
from tests.studies import study as random_study
from tests.ui.shown import markup, page
from ui.jobs import jobs

STUDY = planted()


@pytest.fixture(autouse=True)
def computed() -> None:
    for unit in ("words", "phrases"):
        artifacts.words(STUDY, analysis.Design("r", unit, 5)).compute(jobs.jobs().cache, Hooks())


def test_what_is_missing_is_said() -> None:
    assert "A word counts if it occurs in at least 5 items; this study has 4." in markup(
        page("words", random_study(items=4))
    )
    assert "no runs" in markup(page("words", random_study(items=8, runs=0)))


def test_the_verdict_and_the_captions_of_the_surest_word() -> None:
    at = page("words", STUDY)
    assert not at.exception
    said = markup(at)
    assert "<b>r</b> says “photo” more often than people and “red” less often" in said
    assert "where r says it most and people least" in said or "where people say it most and r least" in said
    assert '<span class="wo">photo</span>' in said or '<span class="wo">red</span>' in said


def test_a_word_of_the_address_opens_its_captions() -> None:
    at = page("words", STUDY, word="red")
    assert not at.exception
    said = markup(at)
    assert '<span class="wo">red</span>' in said
    assert "where people say it most and r least" in said
    unshown = page("words", STUDY, word="zzz")
    assert "There is no word named <b>zzz</b>" in markup(unshown)


def test_a_word_is_dropped_without_a_message_when_phrases_are_shown() -> None:
    at = page("words", STUDY, word="red", unit="phrases")
    assert not at.exception
    said = markup(at)
    assert "There is no word" not in said
    assert "phrases differ" in said
