"""Test permutation tests of a run against scores of every relabelling, their floors, and items that are not tested."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from itertools import combinations

import numpy as np
import pytest

from data.study import Item, Study
from metrics.cache.disk import Cache
from metrics.chunk import Chunk
from metrics.engine import scoring
from metrics.engine.tasks import LONE, Options, lone_pairs
from metrics.engine.workers import Workers
from metrics.permutation.item_test import BUDGET, OTHER
from metrics.permutation.pvalues import corpus_p, harmonic_mean_p, null_draws
from metrics.registry import resolve
from tests.studies import study as random_study

DRAWS = 4_999
SIGN = {"rouge_l": -1, "trm_rouge_l": 1}  # the tail that is evidence against a run: low scores, large divergences


def score(study: Study, name: str, **options: object):
    (metric,) = resolve([name], "whitespace")
    return scoring.score(study, [metric], Options(**options), workers=Workers(jobs=1))["run 0", name]


def relabelled(study: Study, item: Item, name: str) -> np.ndarray:
    """Return the values (partitions,) of the item under every relabelling; the observed one is first."""
    texts = (*study.runs[0].candidates[item.id], *item.references)
    n, values = len(study.runs[0].candidates[item.id]), []
    for chosen in combinations(range(len(texts)), n):
        said = {item.id: tuple(texts[k] for k in chosen)}
        rest = tuple(text for k, text in enumerate(texts) if k not in chosen)
        one = Study("one", (replace(item, references=rest),), (replace(study.runs[0], candidates=said),))
        values.append(score(one, name).items[0])
    return np.array(values)


@pytest.mark.parametrize("name", SIGN)
@pytest.mark.parametrize("items", [1, 2, 3])
def test_everything_said_of_a_run_is_that_of_its_relabellings(name, items):
    study = random_study(items=items, references=4, candidates=3, runs=1, seed=8)
    found = score(study, name, p_values=True, draws=DRAWS)
    nulls = [relabelled(study, item, name) for item in study.items]
    for k, null in enumerate(nulls):
        assert found.items[k] == pytest.approx(null[0])
        expected = tails(null, SIGN[name])
        assert found.item_p[k] == pytest.approx(expected[0])
        assert found.item_floor[k] == pytest.approx(np.mean(SIGN[name] * null >= (SIGN[name] * null).max() - 1e-9))
        assert found.null_mean[k] == pytest.approx(null.mean())
        if name == "rouge_l":
            assert found.item_two_sided[k] == pytest.approx(min(1, 2 * min(expected)))
    assert found.p_hmp == pytest.approx(harmonic_mean_p(found.item_p).calibrated)
    assert found.p_hmp_raw == pytest.approx(items / sum(1 / found.item_p))
    assert found.sd == (pytest.approx(np.std(found.items, ddof=1)) if items > 1 else pytest.approx(np.nan, nan_ok=True))
    expected = tails(reduce(np.add.outer, nulls).ravel(), SIGN[name])
    assert found.drawn == 0
    assert found.p_value == pytest.approx(expected[0], rel=1e-12)
    assert found.p_two_sided == pytest.approx(
        min(1, 2 * min(expected)) if name == "rouge_l" else expected[0], rel=1e-12
    )
    drawn = corpus_draws(study, name)
    for given, exact in zip(drawn, expected):
        assert given == pytest.approx(exact, abs=5 * np.sqrt(exact * (1 - exact) / DRAWS) + 1 / DRAWS)


def tails(null: np.ndarray, sign: int) -> tuple[float, float]:
    return np.mean(sign * null >= sign * null[0] - 1e-9), np.mean(sign * null <= sign * null[0] + 1e-9)


def corpus_draws(study: Study, name: str) -> tuple[float, float]:
    """Return p of a run in the metric's tail and in the other tail, from random relabellings.

    They are drawn as if there were too many to list.
    """
    (metric,) = resolve([name], "whitespace")
    chunk = Chunk.of(study.items, study.runs[0], Cache(None))
    tests = [metric.test(metric.prepare(study), chunk, k, BUDGET, 0) for k in range(len(chunk))]
    draws = sum(null_draws(test.null, DRAWS, k) for k, test in enumerate(tests))
    observed = sum(test.statistic for test in tests)
    return tuple(corpus_p(observed, draws, tail) for tail in (metric.alternative, OTHER[metric.alternative]))


@pytest.mark.parametrize("items", [8, 12])
def test_the_p_of_more_items_is_drawn_in_both_tails(items):
    study = random_study(items=items, references=4, candidates=3, runs=1, seed=8)
    found = score(study, "rouge_l", p_values=True, draws=DRAWS)
    expected = corpus_draws(study, "rouge_l")
    assert found.drawn == DRAWS
    assert found.p_value == pytest.approx(expected[0], abs=0.05)
    assert found.p_two_sided == pytest.approx(min(1, 2 * min(expected)), abs=0.1)


def test_one_item_that_relabelling_changes_is_the_whole_test():
    """Items whose captions are all alike only add a constant, so neither p nor its floor may depend on them."""
    study = random_study(items=4, references=4, candidates=3, runs=1, seed=8)
    first, *same = study.items
    alike = (first, *(replace(item, references=("a cat",) * 4) for item in same))
    said = {item.id: ("a cat",) * 3 for item in same} | {first.id: study.runs[0].candidates[first.id]}
    runs = (replace(study.runs[0], candidates=said),)
    for budget in (BUDGET, 10):
        options = {"p_values": True, "draws": DRAWS, "budget": budget}
        one = score(replace(study, items=(first,)), "rouge_l", **options)
        found = score(replace(study, items=alike, runs=runs), "rouge_l", **options)
        assert found.item_floor.tolist() == [one.p_floor, 1, 1, 1]
        for name in ("p_value", "p_two_sided", "p_floor", "drawn"):
            assert getattr(found, name) == getattr(one, name) is not None
        assert (one.p_value, one.p_two_sided) == (one.item_p[0], one.item_two_sided[0])
        assert one.drawn == (0 if budget == BUDGET else 9_999)
    none = score(replace(study, items=alike[1:], runs=runs), "rouge_l", **options)
    assert (none.p_value, none.p_two_sided, none.p_floor) == (1, 1, 1)


@pytest.mark.parametrize(
    ("items", "floor"), [(1, 2 / 20), (2, (2 / 20) ** 2), (5, (2 / 20) ** 5), (40, 1 / (DRAWS + 1))]
)
def test_the_floor_of_a_run_is_what_its_items_allow(items, floor):
    """The rarest outcome is that all items have one of their one or two most extreme partitions."""
    study = random_study(items=items, references=3, candidates=3, runs=1)
    words = [" ".join(f"w{k}{j}{i}" for i in range(6)) for k in range(items) for j in range(2)]
    said = {item.id: (words[2 * k],) * 3 for k, item in enumerate(study.items)}
    heard = tuple(replace(item, references=(words[2 * k + 1],) * 3) for k, item in enumerate(study.items))
    found = score(
        replace(study, items=heard, runs=(replace(study.runs[0], candidates=said),)),
        "mmd_bow",
        p_values=True,
        draws=DRAWS,
    )
    assert found.p_floor == pytest.approx(floor)
    assert found.p_value == found.p_two_sided == pytest.approx(floor)


def test_one_caption_against_one_by_people_is_not_tested() -> None:
    """Swapping the two gives the same pair, so CIDEr-D would never differ from people, whatever the captions."""
    single = random_study(items=8, references=1, candidates=1, runs=1, seed=3)
    for name in ("rouge_l", "cider_d"):
        found = score(single, name, p_values=True)
        assert np.isnan(found.p_value)
        assert found.p_n == 0
        assert found.why_no_p() == LONE
    paired = random_study(items=8, references=2, candidates=1, runs=1, seed=3)
    assert score(paired, "rouge_l", p_values=True).p_n == 8
    items = tuple(replace(item, references=item.references[: 1 + k % 2]) for k, item in enumerate(paired.items))
    mixed = score(replace(paired, items=items), "rouge_l", p_values=True)
    assert set(mixed.untested) == {0, 2, 4, 6}
    assert mixed.p_n == 4


def test_tests_of_single_pairs_kept_from_before_are_not_read() -> None:
    """The p of a test of single pairs came from a swap that tests nothing.

    Only the keys of scores with such a p have changed.
    """
    single = random_study(items=4, references=1, candidates=1, runs=1, seed=3)
    several = random_study(items=4, references=3, candidates=1, runs=1, seed=3)
    metric, divergence = resolve(["rouge_l", "trm_rouge_l"], "whitespace")
    sizes = [[(len(s.runs[0].candidates[i.id]), len(i.references)) for i in s.items] for s in (single, several)]
    assert [lone_pairs(metric, of) for of in sizes] == [("lone",), ()]
    assert [lone_pairs(divergence, of) for of in sizes] == [(), ()]
