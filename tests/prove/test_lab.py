"""Measure coverage for the number of items needed and for areas under curves, and how often equal runs have such a
number.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from metrics.analysis.robustness import curves, measure
from metrics.analysis.robustness.design import Design
from metrics.analysis.sensitivity import power
from metrics.bootstrap import FEW
from metrics.cache.disk import Cache
from metrics.mathematics.arrays import Floats
from metrics.progress import Hooks
from metrics.registry import METRICS
from metrics.transformations import TRANSFORMATIONS
from tests.prove.conftest import Proof
from tests.prove.worlds import world
from tools.demo.models import TRUTH

REPEATS, NULLS = 400, 200
POOL = 4_000
CHOSEN = (METRICS["bleu_1"], METRICS["bleu_4"], METRICS["rouge_l"])


def room(share: float, repeats: int = REPEATS) -> float:
    return 4 * float(np.sqrt(share * (1 - share) / repeats))


def items_needed(effect: float) -> float:
    """Return the fewest items with which a paired t-test finds this mean difference, in standard deviations, with 80
    % power.
    """
    sizes = np.arange(4, 2_000)
    found = stats.nct.sf(stats.t.ppf(0.975, sizes - 1), sizes - 1, effect * np.sqrt(sizes))
    return float(sizes[np.argmax(found >= power.ENOUGH)])


def differences(items: int, effect: float, spread: str, rng: np.random.Generator) -> Floats:
    """Draw differences (items, 1) with this mean, in standard deviations: normal, skewed, or due to few items."""
    shape = (items, 1)
    if spread == "skewed":
        return 1 - rng.exponential(1, shape) + effect
    if spread == "sparse":
        return (rng.random(shape) < 0.2) * rng.normal(0, np.sqrt(5), shape) + effect
    return rng.normal(effect, 1, shape)


BEFORE = {
    (20, 0.3, "skewed"): 0.72,
    (20, 0.3, "sparse"): 0.582,
    (20, 0.3, "normal"): 0.844,
    (100, 0.3, "normal"): 0.835,
    (150, 0.3, "normal"): 0.75,
    (300, 0.2, "normal"): 0.782,
    (300, 0.5, "normal"): 0.772,
    (500, 0.2, "normal"): 0.815,
}
"""Coverage with percentiles of resampled studies; with 3 items, it is .6, .49 and .21 (normal, skewed, sparse)."""


@pytest.mark.prove
@pytest.mark.parametrize(("items", "effect", "spread"), sorted(BEFORE))
def test_coverage_of_the_number_of_items(proof: Proof, items: int, effect: float, spread: str) -> None:
    rng, true = np.random.default_rng(items), items_needed(effect)
    every = [differences(items, effect, spread, rng) for _ in range(REPEATS)]
    needs = [power.needed(one) for one in every]
    held = np.array([need.low <= true <= need.high for need in needs])
    found = np.array([power.paired_p(one[:, 0]) <= power.ALPHA for one in every])
    proof.row(
        "Sensitivity: coverage of the 80 % interval of the number of items needed",
        items=items,
        difference_in_standard_deviations=effect,
        differences=spread,
        needed=true,
        median_estimate=float(np.median([need.items for need in needs])),
        nominal=power.LIKELY,
        before=BEFORE[items, effect, spread],
        measured=float(held.mean()),
        where_significant=float(held[found].mean()),
        repeats=REPEATS,
    )
    least = 0.72 if spread == "sparse" else power.LIKELY
    assert held.mean() >= least - room(least)


@pytest.mark.prove
@pytest.mark.parametrize(
    ("items", "before"), [(2, 0.53), (20, 0.232), (40, 0.222)], ids=["2 items", "20 items", "40 items"]
)
def test_equal_runs_have_a_number_of_items_that_tells_them_apart(proof: Proof, items: int, before: float) -> None:
    """The two runs repeat people; they are scored and drawn as on the page.

    `before` is the rate for normal differences.
    """
    metric, stated = METRICS["rouge_l"], []
    for seed in range(NULLS):
        made = world(items, {"one": (TRUTH, 1), "other": (TRUTH, 1)}, seed, references=2)
        design = power.design(made, ("one", "other"), metric, (), 2)
        assert design is not None
        found = power.measure(made, replace(design, references=replace(design.references, sizes=(2,))), metric)
        stated.append(bool(np.isfinite(found.needed(2, 1).items)))
    proof.row(
        'Sensitivity: equal runs for which a number of items is stated without "if real"',
        items=items,
        nominal=power.ALPHA if items >= FEW else 0.0,
        before=before,
        measured=float(np.mean(stated)),
        repeats=NULLS,
    )
    assert np.mean(stated) <= power.ALPHA + room(power.ALPHA, NULLS) if items >= FEW else not any(stated)


@pytest.fixture(scope="module")
def pool() -> measure.Measured:
    """Measure damaged captions for so many items that their areas are close to the true ones."""
    made = world(POOL, {"one": (TRUTH, 1)}, seed=11)
    design = Design((TRANSFORMATIONS["random_words"], TRANSFORMATIONS["word_permutation"]), (0.5, 1.0), most=POOL)
    return measure.from_arrays(design, CHOSEN, measure.measure(made, design, CHOSEN, Cache(None), Hooks()))


@pytest.mark.prove
@pytest.mark.parametrize("items", [30, 100, 300])
def test_coverage_of_areas(proof: Proof, pool: measure.Measured, items: int) -> None:
    rng = np.random.default_rng(items)
    for metric in CHOSEN:
        for one in pool.design.transformations:
            true, areas = curves.curve(pool, one, metric, resamples=50).area.value, []
            for _ in range(REPEATS):
                places = rng.integers(0, POOL, items)
                drawn = replace(pool, places=tuple(places), totals={metric.name: pool.totals[metric.name][places]})
                areas.append(curves.curve(drawn, one, metric, resamples=1_000).area)
            stated = [area for area in areas if np.isfinite(area.low)]
            held = float(np.mean([area.low <= true <= area.high for area in stated])) if stated else None
            proof.row(
                "Robustness: coverage of the 95 % interval of an area",
                metric=metric.name,
                transformation=one.name,
                items=items,
                area=true,
                with_interval=len(stated) / REPEATS,
                nominal=0.95,
                measured=held,
                repeats=REPEATS,
            )
            if len(stated) > REPEATS // 5:
                assert held == pytest.approx(0.95, abs=room(0.95, len(stated)) + (0.03 if items < 100 else 0.015))
