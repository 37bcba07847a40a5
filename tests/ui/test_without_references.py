"""Test that every page works for a study without references, or says in a sentence what it lacks."""

from __future__ import annotations

import re

import pytest

from data.load import Loaded, load_study
from tests.ui.shown import markup, page, score, worked
from ui.jobs import jobs

ROWS = [
    b'{"id": "%d", "candidates": {"a": ["A dog %d.", "A cat.", "So."], "b": ["No %d.", "Yes.", "Hm."]}}' % (k, k, k)
    for k in range(6)
]
NONE = "This study has no captions by people"


def alone() -> Loaded:
    return load_study([("said.jsonl", b"\n".join(ROWS))])


@pytest.mark.parametrize(
    "name",
    ["overview", "triangles", "central", "unique_correct", "robustness", "sensitivity", "references", "critique"],
)
def test_pages_about_people_say_what_to_add(name: str) -> None:
    at = page(name, alone())
    assert not at.exception
    assert NONE in markup(at)


@pytest.mark.parametrize("name", ["leaderboard", "sweeps", "paired", "images", "judgments", "methods", "dataset"])
def test_other_pages_work(name: str) -> None:
    at = page(name, alone())
    assert not at.exception
    assert NONE not in markup(at)


def test_the_overview_shows_what_the_runs_say_and_numbers_only_if_there_are_some() -> None:
    first = page("overview", alone())
    shown = ("2 runs", "Given most often", "One item of 6", "A dog 3.", "No 3.")
    assert [part for part in shown if part not in markup(first)] == []
    assert not jobs.jobs()._jobs, "nothing was asked for"
    labels = [link.proto.label for link in first.get("page_link")]
    assert "Measure how varied the runs are: Leaderboard →" in labels
    assert "Self-BLEU-4" not in markup(first)
    study = alone().study
    assert study is not None
    score(study, ["self_bleu_4"])
    scored = markup(page("overview", alone()))
    assert [part for part in (*shown, "Self-BLEU-4") if part not in scored] == []


def test_scores_from_a_file_rank_runs_without_references() -> None:
    rows = [f"{k},{run},{k + bonus}\n" for k in range(6) for run, bonus in (("a", 0), ("b", 3))]
    scores = ("clip.csv", "".join(["id,run,clipscore\n", *rows]).encode())
    loaded = load_study([("said.jsonl", b"\n".join(ROWS)), scores])
    first = page("overview", loaded)
    assert "quality by clipscore (imported). Distance to people needs what people wrote." in markup(first)
    page("leaderboard", loaded)
    worked()
    board = page("leaderboard", loaded)
    said = re.search(r'<div class="tl-verdict"><p>(.*?)</p>', markup(board))
    assert said is not None
    assert "<b>b</b> has the highest clipscore (imported)" in said[1]


def test_ratings_rank_the_overview_and_the_frontier_and_nothing_leads_to_triangles() -> None:
    rows = [f"{k},{run},{k % 3 + bonus}\n" for k in range(6) for run, bonus in (("a", 0), ("b", 2))]
    ratings = ("ratings.csv", "".join(["id,run,rating\n", *rows]).encode())
    loaded = load_study([("said.jsonl", b"\n".join(ROWS)), ratings])
    for name in ("overview", "frontier"):
        page(name, loaded)
    worked()
    headline = markup(page("overview", loaded)).partition('tl-ov-head">')[2].partition("</h1>")[0]
    assert "b is rated best by people" in headline
    asked = page("frontier", loaded, **{"quality-metric": "cider_d"})
    why = "<b>cider_d</b> cannot be computed: needs captions by people, and this study has none; another is shown."
    assert why in markup(asked)
    at = page("frontier", loaded)
    assert at.selectbox(key="quality-metric_select").value == "rated rating"
    labels = [link.proto.label for link in at.get("page_link")]
    assert "Its captions" in labels
    assert "Its triangles" not in labels


def test_the_leaderboard_has_no_row_of_people() -> None:
    at = page("leaderboard", alone())
    assert "2 runs" in markup(at)
    assert not any(said in markup(at) for said in ("People", "against people", "line: people"))


def test_frontier_says_which_side_it_lacks() -> None:
    at = page("frontier", alone())
    assert not at.exception
    assert "Quality needs captions by people, and this study has none" in markup(at)
    assert [link.proto.label for link in at.get("page_link")] == ["Open Data"], "where they are added"
