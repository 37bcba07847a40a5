"""Test metrics of log-probabilities on pages: they are offered if files have the numbers, and shown with a warning."""

from __future__ import annotations

import pytest

from data.study import Study
from metrics.laws.studies import with_logprobs
from tests.studies import study as random_study
from tests.ui.shown import markup, page, score

NAMES = ("nll", "entropy", "oracle_nll", "bhattacharyya")
CHOSEN = {
    "distribution": ["bhattacharyya", "nll"],
    "quality": ["oracle_nll"],
    "diversity": ["entropy"],
    "rank": "bhattacharyya",
}


@pytest.fixture
def study() -> Study:
    return random_study(items=7, references=3, candidates=3, runs=3)


def test_the_leaderboard_shows_them_and_says_how_few_texts_carry_one(study: Study) -> None:
    stated = with_logprobs(study)
    score(stated, NAMES)
    at = page("leaderboard", stated, **CHOSEN)
    assert not at.exception
    assert all(label in markup(at) for label in ("Bhattacharyya", "NLL", "Oracle-NLL", "Entropy"))
    assert "an effective sample of" in markup(at)
    assert "logprobs" not in markup(at).partition("and what they need")[2]


def test_the_picker_says_what_is_not_offered_and_why(study: Study) -> None:
    score(study, ["trm_bow"])
    at = page("leaderboard", study, distribution=["trm_bow"], quality=[], diversity=[])
    assert not at.exception
    said = markup(at).partition("and what they need")[2]
    assert "NLL" in said
    assert "reference_logprobs" in said


def test_the_frontier_offers_the_pair_of_the_paper_where_both_are_stated(study: Study) -> None:
    stated = with_logprobs(study)
    score(stated, NAMES)
    at = page("frontier", stated, **{"quality-metric": "oracle_nll", "diversity-metric": "entropy", "single": ["nll"]})
    assert not at.exception
    assert "Oracle-NLL against Entropy" in markup(at)
    assert "Montahaei fig. 1d" in str(at.get("button_group")) or "fig. 1d" in markup(at)
