"""Measure how often sentences of the pages claim a difference, an order or a gain if all runs are truly equal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count

import numpy as np
import pytest
from scipy.stats import binomtest

from metrics.analysis import claims, run_differences
from metrics.analysis.coherence.label_scores import differences
from metrics.bootstrap import bootstrap_weights
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.mathematics.arrays import Floats
from metrics.permutation.pvalues import ALPHA
from metrics.registry import METRICS
from tests.analysis.test_label_scores import sums_of
from tests.equal_runs import pool, studies
from tests.figures import test_judgments_claims as judgments
from tests.figures import test_references_words as references
from tests.prove.conftest import Proof
from tests.prove.worlds import world
from tools.demo.models import TRUTH

TABLE = "Sentences where all is equal in truth: how often they claim something"
ORDERS = ("rouge_l", "bleu_4")
"""Two metrics by which the same captions are ordered."""


def claimed(proof: Proof, claim: str, design: str, is_claimed: Callable[[], bool], repeats: int) -> None:
    """Count how many of `repeats` studies make a claim; check that these are no more than the level allows."""
    found = sum(is_claimed() for _ in range(repeats))
    low, high = binomtest(found, repeats).proportion_ci(0.95)
    at = {"measured": found / repeats, "low": float(low), "high": float(high), "repeats": repeats}
    proof.row(TABLE, claim=claim, design=design, nominal=ALPHA, **at)
    assert found / repeats <= ALPHA + 3 * float(np.sqrt(ALPHA * (1 - ALPHA) / repeats))


def of_judgments(proof: Proof, claim: str, metrics: int, images: int, drawn: Callable[[], Floats]) -> None:
    """Count how often the page makes a claim about metrics whose agreements are the means of `drawn` (metrics,
    images).
    """
    weights = np.concatenate(list(bootstrap_weights(images, 1_000, 0))) / images

    def says() -> bool:
        x = drawn()
        return claim in judgments.said_of(judgments.agreement(x.mean(axis=1), x @ weights.T, images), metrics)

    claimed(proof, f"Judgments: {claim}", f"{images} images, {metrics} metrics", says, 1_000)


@pytest.mark.prove
@pytest.mark.parametrize("images", [6, 12, 48, 200])
@pytest.mark.parametrize("metrics", [2, 5])
def test_a_metric_leads_others_that_agree_as_well(proof: Proof, metrics: int, images: int) -> None:
    rng, size = np.random.default_rng(images), (metrics, images)
    of_judgments(
        proof,
        "significantly better",
        metrics,
        images,
        lambda: 3 + rng.normal(size=size) + rng.normal(size=images) / 10,
    )


@pytest.mark.prove
@pytest.mark.parametrize("images", [6, 12, 48, 200])
@pytest.mark.parametrize("metrics", [1, 5])
def test_a_metric_agrees_where_none_does(proof: Proof, metrics: int, images: int) -> None:
    rng = np.random.default_rng(images)
    of_judgments(proof, "agrees best", metrics, images, lambda: rng.normal(size=(metrics, images)))


@pytest.mark.prove
@pytest.mark.parametrize("images", [6, 12, 48, 200])
def test_images_or_references_are_bought_first(proof: Proof, images: int) -> None:
    rng = np.random.default_rng(images)

    def advised() -> bool:
        said = references.said(references.made(images, 0.0, 1.0, rng), images)
        return "No difference in error is detected" not in said and "too few" not in said

    claimed(proof, "References: buy images, or references, first", f"{images} images, 2 runs", advised, 1_000)


@pytest.mark.prove
@pytest.mark.parametrize("images", [12, 48, 200])
@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.7, 0.1, 0.1, 0.1)], ids=str)
def test_labels_are_scored_differently(proof: Proof, shares: tuple[float, ...], images: int) -> None:
    rng = np.random.default_rng(images)

    def differ() -> bool:
        said = rng.choice(len(shares), p=shares, size=(images, 5))
        values = rng.normal(size=(images, 1)) + rng.normal(size=said.shape)
        found = {k: of for k, of in sums_of(said, values).items() if (of[:, 1] > 0).sum() >= 6}
        return bool(differences(found))

    design = f"{images} images, 5 captions, labels {' '.join(f'{share:.0%}' for share in shares)}"
    claimed(proof, "Coherence: labels differ", design, differ, 1_000)


@pytest.mark.prove
@pytest.mark.parametrize("images", [6, 12, 48, 200])
def test_an_order_of_equal_runs_is_kept_or_turned(proof: Proof, images: int) -> None:
    repeats = 300
    both = zip(*(studies([pool(metric)] * 4, images, repeats, seed=images) for metric in ORDERS))

    def ordered() -> bool:
        ahead = []
        for results in next(both):
            values, boot = run_differences.corpus_values(results), run_differences.resampled(results)
            ahead.append(run_differences.ahead_of(run_differences.all_pairs(values, boot, images), True))
        return any(run_differences.kept_and_swapped(*ahead))

    claimed(proof, "Overview, Leaderboard: the order is kept, or turns", f"{images} images, 4 runs", ordered, repeats)


@pytest.mark.prove
@pytest.mark.parametrize("images", [12, 48, 200])
@pytest.mark.parametrize("captions", [1, 10])
@pytest.mark.parametrize("metric", ["cider_d", "rouge_l"])
def test_a_run_that_writes_as_people_do_scores_differently(
    proof: Proof, metric: str, captions: int, images: int
) -> None:
    """In the comparison with people's own score, document frequencies are counted only in the references."""
    wanted, seeds = (METRICS[metric], METRICS[f"consensus_{metric}"]), count(captions)

    def apart() -> bool:
        found = scoring.score(world(images, {"run": (TRUTH, captions)}, next(seeds)), wanted, cache=Cache(None))
        result, people = found["run", metric], found["references", f"consensus_{metric}"]
        undetected = replace(result, p_two_sided=0.5, p_value=0.25, p_floor=1e-4)
        return bool(claims.compare_with_people([undetected], people).other_score)

    design = f"{images} images, {captions} v 5 captions"
    claimed(
        proof,
        f"Leaderboard: scores differently from people's own captions, {METRICS[metric].label}",
        design,
        apart,
        300,
    )
