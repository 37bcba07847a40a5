"""Measure the level of the paired test, and its power if runs have different numbers of captions."""

from __future__ import annotations

import numpy as np
import pytest

from data.study import Study
from metrics.cache.disk import Cache
from metrics.chunk import Chunk
from metrics.mathematics.arrays import Floats
from metrics.permutation.sign_flips import Sides, sign_flips
from metrics.registry import METRICS
from tests.prove.conftest import Proof
from tests.prove.worlds import world
from tools.demo.models import distribution

TABLE = "Power and level of the paired test"
BLEU = METRICS["bleu_4"]
SAID = 20


@pytest.fixture(scope="module")
def counts() -> tuple[Floats, Floats]:
    """Draw BLEU statistics (items, SAID, 10) of two samplers: one is good on every second item, the other on all
    items.
    """
    easy, hard = distribution("Peaked", 0.5), distribution("Loose", 1.3)
    study = world(400, {"easy": (easy, SAID), "hard": (hard, SAID)}, 4)
    simple, plain = (statistics(study, name) for name in ("easy", "hard"))
    sure = (np.arange(400) % 2 == 0)[:, None, None]
    return np.where(sure, simple, plain), simple


def statistics(study: Study, run: str) -> Floats:
    chunk = Chunk.of(study.items, study.run(run), Cache(None))
    return BLEU.stats(None, chunk).values.reshape(len(study.items), SAID, -1)


def says(rng: np.random.Generator, counts: tuple[Floats, Floats], items: Floats, n: int, better: float) -> Floats:
    """Draw sums (items, 10) over n captions of each item; a share `better` of the captions is from the better
    sampler.
    """
    plain, good = counts
    picks = np.array([rng.permutation(SAID)[:n] for _ in items])
    rows = np.where(rng.random((len(items), n, 1)) < better, good[items[:, None], picks], plain[items[:, None], picks])
    return rows.sum(axis=1)


def rejected(counts: tuple[Floats, Floats], first: int, second: int, better: float, repeats: int) -> dict[str, float]:
    """Return the shares of samples of 150 items with p <= 0.05, for raw and for weighted sums, and the mean
    difference.
    """
    rng, found = np.random.default_rng(5), np.zeros(3)
    for _ in range(repeats):
        items = rng.integers(len(counts[0]), size=150)
        a, b = (says(rng, counts, items, n, gain) for n, gain in ((first, better), (second, 0.0)))
        weights = np.tile([float(first), float(second)], (150, 1))
        tests = [sign_flips([Sides(a, b, BLEU.finish, given)], 399, 2)[0] for given in (None, weights)]
        found += [*(test.p_value <= 0.05 for test in tests), float(BLEU.finish(a.sum(0)) - BLEU.finish(b.sum(0)))]
    return dict(zip(("before", "measured", "effect"), found / repeats))


@pytest.mark.prove
@pytest.mark.parametrize(("first", "second"), [(10, 1), (1, 10), (5, 5)])
@pytest.mark.parametrize("better", [0.0, 0.2])
def test_pooled_bleu(proof: Proof, counts: tuple[Floats, Floats], first: int, second: int, better: float) -> None:
    share = rejected(counts, first, second, better, 400)
    proof.row(TABLE, metric="bleu_4", design=f"150 items, {first} v {second} captions", repeats=400, **share)
    if better:
        assert share["measured"] >= 0.6
    else:
        assert share["measured"] <= 0.05 + 3.1 * np.sqrt(0.05 * 0.95 / 400)


@pytest.mark.prove
@pytest.mark.parametrize("items", [10, 20, 50])
@pytest.mark.parametrize(("kind", "most"), [("normal", 0.05), ("exponential", 0.12), ("log-normal", 0.17)])
def test_differences_of_mean_zero(proof: Proof, kind: str, most: float, items: int) -> None:
    """With symmetric differences, the test keeps its level; with skewed ones, it may exceed it, as the page says."""
    rng = np.random.default_rng(6)
    draw = {
        "normal": lambda: rng.normal(size=items),
        "exponential": lambda: rng.exponential(size=items) - 1,
        "log-normal": lambda: rng.lognormal(size=items) - np.exp(0.5),
    }[kind]
    mean, repeats = METRICS["rouge_l"].finish, 1_000
    sides = [
        Sides(np.column_stack([draw(), np.ones(items)]), np.tile([0.0, 1.0], (items, 1)), mean) for _ in range(repeats)
    ]
    share = float(np.mean([test.p_value <= 0.05 for test in sign_flips(sides, 399, 2_000)]))
    proof.row(
        TABLE,
        metric=f"a mean, {kind} differences of mean 0",
        design=f"{items} items",
        repeats=repeats,
        before=share,
        measured=share,
        effect=0.0,
    )
    assert share <= most + 3.1 * np.sqrt(most * (1 - most) / repeats)


def test_studentising_changes_no_p_of_a_mean() -> None:
    """The sum of squares is the same for all signs, so t increases with the mean."""
    from scipy.stats import permutation_test

    gap = np.random.default_rng(7).lognormal(size=10) - 1.2
    sides = Sides(np.column_stack([gap, np.ones(10)]), np.tile([0.0, 1.0], (10, 1)), METRICS["rouge_l"].finish)
    (plain,) = sign_flips([sides])
    studentised = permutation_test(
        (gap,),
        lambda x, axis: np.abs(x.mean(axis)) / x.std(axis, ddof=1),
        permutation_type="samples",
        n_resamples=np.inf,
        alternative="greater",
        vectorized=True,
    )
    assert plain.p_value == pytest.approx(studentised.pvalue, abs=1e-12)
