"""The lab: coverage of the interval of the number of items that is needed, and of areas under damaged captions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from data.demo.models import TRUTH
from metrics.analysis.robustness import curves, measure
from metrics.analysis.robustness.design import Design
from metrics.analysis.sensitivity import power
from metrics.cache.disk import Cache
from metrics.progress import Hooks
from metrics.registry import METRICS
from metrics.transformations import TRANSFORMATIONS
from tests.prove.conftest import Proof
from tests.prove.worlds import world

REPEATS = 400
POOL = 4_000
CHOSEN = (METRICS["bleu_1"], METRICS["bleu_4"], METRICS["rouge_l"])


def room(share: float, repeats: int = REPEATS) -> float:
    """What chance adds to a share in so many repeats."""
    return 4 * float(np.sqrt(share * (1 - share) / repeats))


def items_needed(effect: float) -> float:
    """Items at which the paired t test finds this mean difference, in standard deviations, in 80 % of samples."""
    sizes = np.arange(4, 2_000)
    found = stats.nct.sf(stats.t.ppf(0.975, sizes - 1), sizes - 1, effect * np.sqrt(sizes))
    return float(sizes[np.argmax(found >= power.ENOUGH)])


@pytest.mark.prove
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize(("items", "effect"), [(100, 0.3), (150, 0.3), (300, 0.2), (500, 0.2), (300, 0.5)])
def test_coverage_of_the_number_of_items(proof: Proof, items: int, effect: float) -> None:
    rng, true = np.random.default_rng(items), items_needed(effect)
    needs = [power.needed(rng.normal(effect, 1, (items, 1)), rng, 300) for _ in range(REPEATS)]
    held = float(np.mean([need.low <= true <= need.high for need in needs]))
    proof.row(
        "Sensitivity: coverage of the 80 % interval of the number of items needed",
        items=items,
        difference_in_standard_deviations=effect,
        needed=true,
        median_estimate=float(np.median([need.items for need in needs])),
        nominal=power.ENOUGH,
        measured=held,
        repeats=REPEATS,
    )
    assert held == pytest.approx(power.LIKELY[1] - power.LIKELY[0], abs=room(power.ENOUGH))


@pytest.fixture(scope="module")
def pool() -> measure.Measured:
    """Damaged captions of so many items that their areas are those of the world."""
    made = world(POOL, {"one": (TRUTH, 1)}, seed=11)
    design = Design((TRANSFORMATIONS["random_words"], TRANSFORMATIONS["word_permutation"]), (0.5, 1.0), most=POOL)
    return measure.from_arrays(design, CHOSEN, measure.measure(made, design, CHOSEN, Cache(None), Hooks()))


@pytest.mark.prove
@pytest.mark.timeout(1_800)
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
