"""Test the evidence behind one TRM: its numbers are those of SCORES, and it is read correctly for clouds with known
faults.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import permutations
from math import comb

import numpy as np
import pytest

from data.study import Item, Study
from metrics.analysis.triangles import WorstTriangle, read, strongest_departure, triangle_view, worst_triangles
from metrics.base import Undefined
from metrics.cache.disk import Cache
from metrics.distances.base import ItemDistances
from metrics.distances.words import BowDistance, RougeLDistance
from metrics.engine import scores_table, scoring
from metrics.engine.tasks import Options
from metrics.mathematics.triangle import rank_shares
from metrics.permutation.triangles import null_shares
from metrics.suite.distribution import Trm
from tests.studies import study as random_study

BOW = Trm(BowDistance(tokenizer="whitespace"))
ROUGE = Trm(RougeLDistance(tokenizer="whitespace"))
LABELS = np.arange(20) < 10


@pytest.mark.parametrize("metric", [BOW, ROUGE], ids=lambda m: m.name)
@pytest.mark.parametrize("budget", [200_000, 10], ids=["exact", "sampled"])
@pytest.mark.parametrize("stored", [True, False], ids=["from the cache", "made alone"])
def test_the_numbers_are_those_of_scores(metric, budget, stored, tmp_path):
    study, options = random_study(items=3), Options(p_values=True, budget=budget)
    cache = Cache(tmp_path)
    found = scores_table.scores(study, scoring.score(study, [metric], options, cache), ["item"])
    assert len(found) == 6
    for row in found.itertuples():
        position = [item.id for item in study.items].index(row.item)
        view = triangle_view(study, row.run, position, metric, cache if stored else Cache(None), options)
        assert (view.value, view.test.p_value, view.test.floor) == (row.value, row.p_value, row.p_floor)
        assert view.test.exact == (budget > 10)
        assert view.value == pytest.approx(np.abs(view.shares - 1 / 3).sum())


def test_the_order_of_the_captions_changes_nothing_but_their_places():
    study = random_study(items=1, runs=1)
    run, item = study.runs[0], study.items[0]
    turned = replace(
        study,
        items=(replace(item, references=item.references[::-1]),),
        runs=(replace(run, candidates={item.id: run.candidates[item.id][::-1]}),),
    )
    options = Options(budget=10)
    one, other = (triangle_view(s, "run 0", 0, BOW, Cache(None), options) for s in (study, turned))
    assert other.distances.texts == (*run.candidates[item.id][::-1], *item.references[::-1])
    assert other.test.p_value == one.test.p_value
    assert np.array_equal(other.shares, one.shares)
    assert np.array_equal(other.cloud, one.cloud)
    assert np.array_equal(other.shares, rank_shares(other.distances.matrix, other.distances.is_candidate))


def test_the_counts():
    view = triangle_view(random_study(items=1), "run 0", 0, BOW, Cache(None))
    assert view.sizes == (5, 4)
    assert view.partitions == comb(9, 5) == len(view.test.null) == len(view.cloud)
    assert view.triangles == 5 * 6 + 4 * 10
    assert (view.low <= view.high).all()
    inside = ((view.cloud >= view.low) & (view.cloud <= view.high)).mean(axis=0)
    assert (inside >= 0.95).all()


@pytest.mark.parametrize(
    ("references", "candidates", "why"),
    [
        (("a b", "c d"), ("a b",), "needs 2 captions of the run, has 1"),
        (("a b",), ("a b", "c"), "needs 2 captions by people, has 1"),
    ],
)
def test_too_few_texts_are_a_reason(references, candidates, why):
    study = random_study(items=1, runs=1)
    run = replace(study.runs[0], candidates={"x": candidates})
    with pytest.raises(Undefined, match=why):
        triangle_view(Study("s", (Item("x", references),), (run,)), "run 0", 0, BOW, Cache(None))


def codes(make, dimensions, items=24):
    rng, found = np.random.default_rng(0), Counter()
    for _ in range(items):
        candidates, references = make(lambda: rng.normal(size=(10, dimensions)), dimensions)
        points = np.concatenate([candidates, references])
        distance = np.linalg.norm(points[:, None] - points[None], axis=2)
        low, high = np.quantile(null_shares(distance, LABELS, 2000), (0.025, 0.975), axis=0)
        found[read(rank_shares(distance, LABELS), low, high).code] += 1 / items
    return found


CLOUDS = {
    "none": (lambda n, d: (n(), n()), 0.8),
    "apart": (lambda n, d: (n() + 6 / np.sqrt(d), n()), 0.99),
    "middle": (lambda n, d: (0.3 * n(), n()), 0.75),
    "wide": (lambda n, d: (2.5 * n(), n()), 0.65),
    "alike": (lambda n, d: (n()[:1] + 0.01 * n(), n()), 0.5),
    "off": (lambda n, d: (n(), n()[:1] + 0.01 * n()), 0.5),
}


@pytest.mark.parametrize("dimensions", [2, 10])
@pytest.mark.parametrize("code", CLOUDS)
def test_the_reading_is_true_of_clouds_with_a_known_fault(code, dimensions):
    """A shifted cloud is "apart", one shrunk to the centre is "middle", a spread one "wide", and equal texts are
    "alike".
    """
    make, at_least = CLOUDS[code]
    found = codes(make, dimensions)
    assert found[code] == max(found.values())
    assert found[code] >= at_least, found


def test_a_shift_alone_is_not_read_as_too_alike():
    """Shifted candidates are as varied as the references, even though pairs within each side are the shortest edges."""
    found = codes(lambda n, d: (n() + 6 / np.sqrt(d), n()), 10)
    assert found["alike"] == 0


def test_nothing_is_read_inside_the_range():
    shares = np.array([[0.5, 0.3, 0.2], [0.3, 0.3, 0.4]])
    assert read(shares, np.zeros((2, 3)), shares).code == "none"
    assert read(shares, np.zeros((2, 3)), shares).evidence == ()
    lower = shares - [[0.01, 0, 0], [0, 0, 0.2]]
    reading = read(shares, np.zeros((2, 3)), lower)
    assert reading.code == "wide"
    assert [(e.direction, e.rank, e.share) for e in reading.evidence] == [(0, 0, 0.5), (1, 2, 0.4)]
    only_middle = shares.copy()
    only_middle[:, 1] -= 0.1
    assert read(shares, np.zeros((2, 3)), only_middle).code == "none"


def test_loudest():
    assert strongest_departure(np.array([[0.5, 0.3, 0.2], [0.3, 0.1, 0.6]])) == (1, 2)
    assert strongest_departure(np.array([[0.3, 0.7, 0.0], [0.2, 0.7, 0.1]])) == (0, 0)


def made(texts, n, seed=0):
    rng = np.random.default_rng(seed)
    words = sorted(set(texts))
    between = rng.integers(1, 30, (len(words), len(words))) / 10
    np.fill_diagonal(between, 0)
    index = [words.index(text) for text in texts]
    return ItemDistances(tuple(texts[:n]), tuple(texts[n:]), between[np.ix_(index, index)])


@pytest.mark.parametrize("direction", [0, 1])
@pytest.mark.parametrize("rank", [0, 2])
@pytest.mark.parametrize("seed", range(4))
def test_worst_triangles_by_brute_force(direction, rank, seed):
    item = made(["a", "b", "a", "c", "d", "e", "a", "f", "g", "g"], 5, seed)
    d, n = item.matrix, 5
    side = range(n) if direction else range(n, len(d))
    margins = {}
    for y1, y2 in permutations(side, 2):
        for x in set(range(len(d))) - set(side):
            margin = min(d[x, y1], d[x, y2]) - d[y1, y2] if rank == 0 else d[y1, y2] - max(d[x, y1], d[x, y2])
            if item.texts[y1] != item.texts[y2] and margin > 0:
                texts = frozenset((item.texts[y1], item.texts[y2])), item.texts[x]
                margins[texts] = max(margins.get(texts, 0), margin)
    found = worst_triangles(item, direction, rank)
    for w in found:
        pair, point = frozenset(item.texts[k] for k in w.pair), item.texts[w.point]
        assert w.margin == pytest.approx(max(margins.values())), "the widest of those that are left"
        assert margins[pair, point] == pytest.approx(w.margin)
        margins = {of: margin for of, margin in margins.items() if of[0] != pair and of[1] != point}
    assert len(found) == 3 or not margins
    for w in found:
        assert (w.inside, *w.edges) == (d[w.pair], d[w.point, w.pair[0]], d[w.point, w.pair[1]])
        assert w.pair[0] != w.pair[1]
        assert {k in side for k in w.pair} == {True}
        assert w.point not in side


def test_a_third_caption_and_a_pair_are_shown_once():
    matrix = np.array([[0, 1, 5, 6], [1, 0, 7, 8], [5, 7, 0, 1], [6, 8, 1, 0]], dtype=float)
    found = worst_triangles(ItemDistances(("a", "b"), ("c", "d"), matrix), 1, 0)
    assert [(set(w.pair), w.point, w.margin) for w in found] == [({0, 1}, 3, 5.0)]
    tied = ItemDistances(("a", "b"), ("c", "d"), np.ones((4, 4)) - np.eye(4))
    assert worst_triangles(tied, 1, 0) == ()
    assert isinstance(found[0], WorstTriangle)


def test_equal_captions_are_a_pair_only_where_a_side_says_nothing_else():
    matrix = 1.0 - np.eye(5)
    matrix[:2, :2] = 0
    matrix[0, 2] = matrix[2, 0] = matrix[1, 2] = matrix[2, 1] = 0.5
    varied = worst_triangles(ItemDistances(("a", "a", "b"), ("c", "d"), matrix), 1, 0)
    assert {frozenset(w.pair) for w in varied} == {frozenset((0, 2))}
    one = worst_triangles(ItemDistances(("a", "a"), ("c", "d"), matrix[np.ix_([0, 1, 3, 4], [0, 1, 3, 4])]), 1, 0)
    assert [(set(w.pair), w.inside) for w in one] == [({0, 1}, 0.0)]
