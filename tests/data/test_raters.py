"""Test that raters who contradict the others are detected on any scale, and that no other rater is named."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from data.load import load_study
from data.ratings.human_ratings import ratings_of
from data.ratings.raters import DEVIATIONS, spearman, with_others
from data.study import Item, Run, Settings, Study
from tests.data.finding_cases import item, js


def study(ratings: np.ndarray) -> Study:
    """Make a study of one run whose captions have these ratings (captions, raters); NaN means that there is none."""
    said = [{f"r{k}": float(v) for k, v in enumerate(row) if np.isfinite(v)} for row in ratings]
    items = tuple(Item(str(k), ("One.",)) for k in range(len(said)))
    human = {str(k): {"rating": one} for k, one in enumerate(said)}
    captions = {str(k): (f"Caption {k}.",) for k in range(len(said))}
    return Study("some", items, (Run("m", "m", Settings(), captions, human),))


def accused(ratings: np.ndarray) -> list[str]:
    rows = [f"{k},m,r{r},{v}" for k, row in enumerate(ratings) for r, v in enumerate(row) if np.isfinite(v)]
    table = "ratings.csv", "\n".join(["item,run,rater,rating", *rows]).encode()
    captions = "a.json", js([item(str(k), {"m": [f"Caption {k}."]}) for k in range(len(ratings))])
    found = load_study([captions, table]).findings
    return [one.problem.split()[1] for one in found if one.code == "rater_contradicts"]


def drawn(rng: np.random.Generator, n: int = 60, raters: int = 4, noise: float = 1.0) -> np.ndarray:
    """Draw ratings (n, raters) of captions on a scale from 1 to 5."""
    return np.clip(np.rint(3 + rng.normal(size=(n, 1)) + noise * rng.normal(size=(n, raters))), 1, 5)


def test_each_rating_is_compared_with_the_mean_of_the_caption_s_others() -> None:
    rng = np.random.default_rng(3)
    given = drawn(rng, 30)
    given[rng.random(given.shape) < 0.3] = np.nan
    (ratings,) = ratings_of(study(given))
    own, others = with_others(ratings)
    for k, rater, value, mean in zip(ratings.item, ratings.rater, own, others, strict=True):
        column = int(ratings.raters[rater][1:])
        assert value == given[k, column]
        rest = np.delete(given[k], column)
        rest = rest[np.isfinite(rest)]
        assert mean == pytest.approx(rest.mean()) if len(rest) else np.isnan(mean)


def test_the_rank_correlation_is_spearman_s() -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        x, y = rng.integers(0, 5, size=(2, 40)).astype(float)
        assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert np.isnan(spearman(np.ones(5), np.arange(5.0)))


def test_a_scale_that_is_upside_down_is_found_and_its_rater_alone() -> None:
    rng = np.random.default_rng(5)
    for reversed_one in range(4):
        given = drawn(rng, noise=0.6)
        given[:, reversed_one] = 6 - given[:, reversed_one]
        assert accused(given) == [f"r{reversed_one}"]


def test_nobody_is_accused_for_noise() -> None:
    """By chance, a rater exceeds the threshold of 4 standard deviations in one of 30,000 cases."""
    rng = np.random.default_rng(6)
    assert DEVIATIONS == 4
    for noise in (0.5, 1.0, 3.0):
        assert accused(drawn(rng, noise=noise)) == []
    assert accused(rng.integers(1, 6, size=(60, 4)).astype(float)) == []


def test_two_raters_or_few_captions_accuse_nobody() -> None:
    rng = np.random.default_rng(7)
    given = drawn(rng, raters=2)
    given[:, 1] = 6 - given[:, 0]
    assert accused(given) == []
    given = drawn(rng, noise=0)
    given[1:, :3] = given[:-1, 3:] = np.nan  # only the last rater rated most captions
    assert accused(given) == []
    given = drawn(rng, 19, noise=0)
    given[:, 0] = 6 - given[:, 0]
    assert accused(given) == []
