"""Test chance values on Leaderboard, Sweeps and Images, which are those of `score --chance` and shown on request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from data.study import Settings
from metrics.analysis import artifacts, chance
from metrics.progress import Hooks
from metrics.registry import METRICS
from tests.studies import study as random_study
from tests.ui.shown import markup, page, score
from ui.jobs import jobs

ROUGE = METRICS["rouge_l"]
ASKED: dict[str, Any] = {"quality": ["rouge_l"], "distribution": "none", "diversity": "none"}
MADE = random_study(items=10, references=3, runs=3)
RUNS = [replace(run, model="m", settings=Settings(0.5 + 0.5 * k)) for k, run in enumerate(MADE.runs)]
OWN = {item.id: (item.references[0],) * 2 for item in MADE.items}
STUDY = replace(MADE, runs=(*RUNS[:2], replace(RUNS[2], candidates=OWN)))


@pytest.fixture
def floors() -> dict[str, chance.Chance]:
    score(STUDY, ["rouge_l", "consensus_rouge_l"])
    cache = jobs.jobs().cache
    work = artifacts.chance(STUDY, ROUGE, chance.Design(), cache)
    arrays = work.run(Hooks())
    cache.put(work.key, arrays)
    return chance.of_arrays(STUDY, arrays)


def test_the_leaderboard_names_the_runs_that_are_not_above_chance(floors: dict[str, chance.Chance]) -> None:
    plain = markup(page("leaderboard", STUDY, rank="rouge_l", **ASKED))
    assert "not above the range of chance" not in plain
    at = page("leaderboard", STUDY, rank="rouge_l", **ASKED, chance="yes")
    assert not at.exception
    found = score(STUDY, ["rouge_l"])
    behind = [run.name for run in STUDY.runs if not floors[run.name].above(found[run.name, "rouge_l"].corpus, True)]
    assert behind == ["run 0", "run 1"], "two say what is of no item, the third a reference"
    assert markup(at).count("not above the range of chance") == len(behind)


def test_sweeps_mark_the_floor(floors: dict[str, chance.Chance]) -> None:
    key = "Chance (other references)"
    assert key not in markup(page("sweeps", STUDY, **ASKED))
    at = page("sweeps", STUDY, **ASKED, chance="yes")
    assert not at.exception
    assert key in markup(at)


def test_an_image_has_the_floor_of_its_own_captions(floors: dict[str, chance.Chance]) -> None:
    at = page("images", STUDY, image=STUDY.items[3].id, part="numbers", **ASKED, chance="yes")
    assert not at.exception
    assert markup(at).count("<small>chance ") == len(floors)
    at.button(key="image_swap").click().run()
    table = next(frame.value for frame in at.dataframe if "ROUGE-L by chance" in frame.value)
    for row in table.to_dict("records"):
        ends = [row[f"ROUGE-L by chance{end}"] for end in ("", " from", " to")]
        assert ends == pytest.approx(floors[row["Run"]].items[3], abs=1e-9)
