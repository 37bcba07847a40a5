"""Measure how often sentences name a best, a last or a different run, with and without true differences between
runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from data.study import Settings, Study
from figures.cloud import spread_and_nearness_words
from figures.frontier import words as frontier_words
from figures.leaderboard import verdict as leaderboard_words
from figures.robustness import words as robustness_words
from figures.style.line_styles import marks_of
from figures.sweeps import words as sweeps_words
from metrics.analysis.cloud.captions import Projection, facts, layout, points
from metrics.analysis.cloud.spread_and_nearness import standings
from metrics.analysis.frontier import frontier
from metrics.analysis.leaderboard import LeaderboardChoice, of_runs
from metrics.analysis.numbers import Numbers, score_with_people
from metrics.analysis.robustness.curves import curves
from metrics.analysis.robustness.design import Design
from metrics.analysis.robustness.measure import Measured
from metrics.analysis.sweeps import settings_of, sweep_view
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS
from metrics.transformations import TRANSFORMATIONS
from tests.prove.conftest import Proof
from tests.prove.test_sentences import claimed
from tests.prove.worlds import world
from tests.studies import study as random_study
from tools.demo.grammar import Distribution
from tools.demo.models import TRUTH, distribution

POWER = "Sentences where runs differ in truth: how often they are said"
HEAT = (0.3, 0.5, 0.7, 1.0, 1.3, 1.6)
SCORED = tuple(METRICS[name] for name in ("trm_bow", "cider_d", "distinct_2"))
TRM, CIDER, DISTINCT = SCORED
SAID = {
    "Leaderboard: the leader has a place by another metric": r"\b(last|first, too|\d+(st|nd|rd|th))\b",
    "Sweeps: quality would choose the coldest": r"coldest",
    "Frontier: models are less diverse than people": r"never that diverse|as diverse as|significantly less diverse",
    "Frontier: one model trades best": r"keeps the best|greatest area",
    "Robustness: one metric notices a fault best": r" best: ",
    "Cloud: captions lie otherwise than people's": r"(is|are) (farther|nearer)|repeat",
}


def speaks(claim: str, parts: Sequence[str]) -> bool:
    return re.search(SAID[claim], "".join(map(str, parts))) is not None


def scored(images: int, how: Sequence[Distribution], seed: int) -> tuple[Study, Numbers]:
    study = world(images, {f"run {k}": (one, 5) for k, one in enumerate(how)}, seed)
    return study, score_with_people(study, SCORED, lambda of, wanted: scoring.score(of, wanted, Options(), Cache(None)))


def placed(study: Study, models: int) -> Study:
    each = len(study.runs) // models
    runs = [replace(run, model=f"m{k // each}", settings=Settings(HEAT[k % each])) for k, run in enumerate(study.runs)]
    return replace(study, runs=tuple(runs))


def of_board(study: Study, numbers: Numbers) -> tuple[str, ...]:
    choice = LeaderboardChoice((TRM, CIDER), TRM, study.runs, None)
    return leaderboard_words.verdict(of_runs(study, numbers, choice))[0]


def of_sweeps(study: Study, numbers: Numbers) -> tuple[str, ...]:
    line = placed(study, 1)
    views = [sweep_view(line, numbers, metric, settings_of(line.runs)) for metric in (TRM, CIDER)]
    return sweeps_words.verdict(views, marks_of(line.runs))


def of_frontier(study: Study, numbers: Numbers) -> tuple[str, ...]:
    several = placed(study, 3)
    return frontier_words.verdict(several, frontier(several, numbers, CIDER, DISTINCT, several.runs))[0]


PAGES: list[tuple[str, Callable[[Study, Numbers], tuple[str, ...]]]] = list(
    zip(SAID, (of_board, of_sweeps, of_frontier, of_frontier))
)


def power(proof: Proof, claim: str, design: str, said: Sequence[bool], least: float) -> None:
    """Record how often a true claim is made, and check that this is at least the share `least`."""
    share = float(np.mean(said))
    low, high = binomtest(sum(said), len(said)).proportion_ci(0.95)
    proof.row(POWER, claim=claim, design=design, measured=share, low=float(low), high=float(high), repeats=len(said))
    assert share >= least


@pytest.mark.prove
@pytest.mark.parametrize("images", [12])
def test_pages_of_runs_that_write_as_people_do(proof: Proof, images: int) -> None:
    made = [scored(images, [TRUTH] * 6, seed) for seed in range(60)]
    for claim, page in PAGES:
        said = iter([speaks(claim, page(*one)) for one in made])
        claimed(proof, claim, f"{images} images, 6 runs", lambda said=said: next(said), len(made))  # type: ignore[misc]


@pytest.mark.prove
def test_pages_of_one_model_from_cold_to_hot(proof: Proof) -> None:
    how = [distribution("Oracle", heat) for heat in HEAT]
    made = [scored(40, how, seed) for seed in range(15)]
    for claim, page in PAGES[:3]:
        power(proof, claim, "40 images, temperatures 0.3 to 1.6", [speaks(claim, page(*one)) for one in made], 0.8)


def kept(images: int, shares: Sequence[float], rng: np.random.Generator) -> tuple[str, ...]:
    """Return the verdict on metrics by which damaged captions keep shares of their score that vary around these
    means.
    """
    metrics, fault = (METRICS["rouge_l"], CIDER), TRANSFORMATIONS["letter_case"]
    design, totals = Design((fault,)), {}
    before = rng.uniform(0.3, 0.8, images)
    for metric, share in zip(metrics, shares):
        after = before * (share + 0.2 * rng.normal(size=(design.variants - 1, images)))
        values = np.vstack([before, after]).T
        totals[metric.name] = np.stack([values, np.ones_like(values)], axis=2)
    found = Measured(design, tuple(range(images)), (), ("",), totals, {})
    return tuple(robustness_words.verdict([fault], metrics, curves(found, metrics)))


@pytest.mark.prove
@pytest.mark.parametrize("images", [12, 48])
def test_metrics_that_notice_a_fault(proof: Proof, images: int) -> None:
    rng, claim = np.random.default_rng(images), "Robustness: one metric notices a fault best"
    claimed(
        proof, claim, f"{images} images, 2 equal metrics", lambda: speaks(claim, kept(images, (0.6, 0.6), rng)), 300
    )
    said = [speaks(claim, kept(images, (0.5, 0.7), rng)) for _ in range(20)]
    power(proof, claim, f"{images} images, 0.5 and 0.7 of the score kept", said, 0.5)


def of_cloud(images: int, shifts: Sequence[float], rng: np.random.Generator) -> tuple[str, ...]:
    """Return the verdict on runs whose captions are placed as people's are, except for a shift."""
    study = random_study(items=images, references=5, candidates=5, runs=len(shifts))
    of = points(study)
    middle, shift = 2 * rng.normal(size=(images, 8)), np.array([0.0, *shifts])
    vectors = middle[of.item] + rng.normal(size=(len(of), 8))
    vectors[:, 0] += shift[of.group]
    projection = Projection("pca")
    first, _ = of.nodes(False)
    arrays = {"xy": vectors[first, :2], "trust": np.array([1.0, 1.0]), "variance": np.full(2, np.nan)}
    found = standings(of, layout(of, projection, arrays | facts(vectors, of, 1 + len(shifts))))
    return spread_and_nearness_words.verdict(study, found)


@pytest.mark.prove
@pytest.mark.parametrize("images", [3, 12, 40])
def test_runs_whose_captions_lie_among_people_s(proof: Proof, images: int) -> None:
    rng, claim = np.random.default_rng(images), "Cloud: captions lie otherwise than people's"
    claimed(proof, claim, f"{images} images, 3 runs", lambda: speaks(claim, of_cloud(images, (0, 0, 0), rng)), 100)
    if images >= 12:
        said = [speaks(claim, of_cloud(images, (0, 0, 2.5), rng)) for _ in range(20)]
        power(proof, claim, f"{images} images, one of 3 runs shifted", said, 0.5)
