"""Test distances to the centre, and the words that the centre lacks, against loops, laws and known answers."""

from __future__ import annotations

from dataclasses import replace
from functools import cache as once

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import distributions

from data import demo
from data.demo import CACHE_LAYER
from data.study import Item, Run, Settings, Study
from metrics.analysis.central import study as central_study
from metrics.analysis.central.item import centre_view
from metrics.analysis.central.medoid import left_out_centres, to_centre
from metrics.bootstrap import LEAST, RESAMPLES, percentiles
from metrics.cache.disk import Cache
from metrics.distances.base import item_distances
from metrics.distances.embeddings import BertDistance
from metrics.distances.words import BleuDistance, BowDistance, RougeLDistance
from metrics.progress import Cancelled, Hooks
from metrics.text.content_words import content_words, lost_words
from tests.studies import study as random_study

BOW = BowDistance().of_references


def slow_to_centre(distance: np.ndarray, labels: np.ndarray) -> list[float]:
    """Return each text's distance to the centre by the definitions, in loops; with integer distances, ties are
    exact.
    """
    references = [int(i) for i in np.flatnonzero(~labels)]

    def centres(of: list[int]) -> list[int]:
        sums = {i: sum(distance[i, j] for j in of if j != i) for i in of}
        return [i for i in of if sums[i] == min(sums.values())]

    def to(text: int, left_out: int) -> float:
        goals = centres([r for r in references if r != left_out])
        return sum(float(distance[text, goal]) for goal in goals) / len(goals)

    return [
        sum(to(text, r) for r in references) / len(references) if labels[text] else to(text, text)
        for text in range(len(labels))
    ]


def test_as_reference_the_others_are_scored_against_a_caption() -> None:
    """BLEU of a short caption against a long one is not BLEU of the long caption against the short one."""
    study, space, cache = random_study(items=6, references=4, candidates=2, runs=2), BleuDistance(n=1), Cache(None)
    labels = np.arange(6) < 2
    expected = {True: [], False: []}
    for item in study.items:
        matrix = item_distances(study, "run 0", study.items.index(item), space.of_references, cache).matrix
        for as_reference in expected:
            rows = matrix.T if as_reference else matrix
            expected[as_reference].append(slow_to_centre(rows, labels))
    for as_reference, far in expected.items():
        found = central_study.measure(study, space, cache, as_reference=as_reference)
        assert found["near"][0] == pytest.approx([np.mean(one[:2]) for one in far])
        assert found["own"][0] == pytest.approx([np.mean(one[2:]) for one in far])
        view = centre_view(study, ["run 0"], 1, space, cache, as_reference)
        assert view.runs["run 0"].to_centre == pytest.approx(far[1][:2])
        assert centre_view(study, [], 1, space, cache, as_reference).references.to_centre == pytest.approx(far[1][2:])
    assert not np.allclose(expected[True], expected[False])
    assert central_study.key(study, space, True) != central_study.key(study, space)
    assert central_study.key(study, BOW, True) == central_study.key(study, BOW), "a symmetric distance has no direction"
    matrix = item_distances(study, "run 0", 0, BOW, cache).matrix
    assert np.allclose(matrix, matrix.T)


def test_bags_of_words_are_as_far_apart_whoever_wrote_them() -> None:
    """Words that occur in no reference count like any other, so exchanging the sides leaves distances unchanged."""
    people, model = ("a dog runs", "the dog sits down"), ("a small dog runs home", "some cat")
    one, other = (
        Study("s", (Item("1", written),), (Run("m", "m", Settings(), {"1": said}),))
        for written, said in ((people, model), (model, people))
    )
    first, swapped = (item_distances(study, "m", 0, BOW, Cache(None)).matrix for study in (one, other))
    back = [2, 3, 0, 1]
    assert first == pytest.approx(swapped[np.ix_(back, back)])
    assert first[0, 2] == pytest.approx(1 - 3 / np.sqrt(3 * 5))


@given(st.integers(2, 6), st.integers(0, 4), st.integers(0, 10_000))
def test_distances_to_the_centre_by_the_slow_route(references: int, candidates: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(references + candidates) < candidates)
    distance = rng.integers(0, 4, (len(labels), len(labels))).astype(float)
    expected = np.array(slow_to_centre(distance, labels))
    assert to_centre(distance, labels) == pytest.approx(expected)
    assert to_centre(1e-6 * distance, labels) == pytest.approx(1e-6 * expected, rel=1e-6, abs=0), (
        "small ones do not tie"
    )


def test_each_row_is_the_centre_of_the_others():
    points = np.array([0.0, 1.0, 2.0, 4.0])
    weights = left_out_centres(np.abs(points[:, None] - points[None]))
    assert weights.tolist() == [[0, 0, 1, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 1, 0, 0]]
    assert left_out_centres(np.array([[0.0, 3.0], [9.0, 0.0]])).tolist() == [[0, 1], [1, 0]]
    tied = left_out_centres(1.0 - np.eye(4))
    assert tied == pytest.approx((1 - np.eye(4)) / 3)


def test_one_reference_has_no_centre():
    assert np.isnan(to_centre(np.ones((3, 3)), np.array([True, True, False]))).all()
    with pytest.raises(ValueError, match="needs two texts, got 1"):
        left_out_centres(np.zeros((1, 1)))


def test_a_candidate_drawn_like_a_reference_stands_as_far_as_a_reference():
    """By exchangeability, mean distances agree over many draws; with the centre of all references, they would not."""
    rng = np.random.default_rng(3)
    near, own, naive = [], [], []
    for _ in range(3000):
        points = rng.normal(size=(6, 3))
        distance = np.linalg.norm(points[:, None] - points[None], axis=2)
        labels = np.arange(6) < 1
        far = to_centre(distance, labels)
        near.append(far[0])
        own.append(far[1:].mean())
        middle = 1 + distance[1:, 1:].sum(axis=1).argmin()
        naive.append(distance[0, middle] - distance[1:, middle].sum() / 4)
    error = np.std(np.array(near) - own) / np.sqrt(len(near))
    assert abs(np.mean(near) - np.mean(own)) < 3 * error
    assert np.mean(naive) > 0.1, "the centre of all references is nearer to these than to anybody else"


def test_content_words_leave_out_what_holds_a_sentence_together():
    assert content_words(("a", "Dog", "is", "on", "the", "two", "red", "benches", "'s", "--")) == {
        "dog",
        "two",
        "red",
        "benches",
    }
    said = lost_words([("a", "dog", "sits")], [("a", "red", "dog", "red"), ("the", "big", "red", "cat")])
    assert said == (("red", 2), ("big", 1), ("cat", 1))


def test_a_view_of_one_item():
    study = random_study(items=2, references=5)
    view = centre_view(study, ["run 0", "run 1"], 1, BOW, Cache(None))
    found = item_distances(study, "run 0", 1, BOW, Cache(None))
    within = found.matrix[5:, 5:]
    assert view.references.expected == pytest.approx((within.sum(1) - np.diag(within)) / 4)
    assert view.references.central.tolist() == (view.references.expected <= view.references.expected.min()).tolist()
    assert view.runs["run 0"].to_references == pytest.approx(found.matrix[:5, 5:].mean(axis=1))
    assert view.references.to_references == pytest.approx(view.references.expected)
    lengths = np.array([len(text.removesuffix(".").split()) for text in study.items[1].references])
    assert view.references.words.tolist() == lengths.tolist()
    assert view.references.lengths[0] == lengths[view.references.central].mean()
    middle = " ".join(view.references.centres).lower()
    assert view.lost_words
    assert all(word not in middle.split() for word, _ in view.lost_words)


def test_a_view_without_runs_is_that_of_the_references():
    study = random_study(items=2)
    alone = centre_view(replace(study, runs=()), [], 0, RougeLDistance(), Cache(None))
    beside = centre_view(study, ["run 1"], 0, RougeLDistance(), Cache(None))
    assert alone.references.expected == pytest.approx(beside.references.expected)
    assert alone.lost_words == beside.lost_words


def test_ties_and_lonely_texts():
    items = (Item("a", ("one two three four", "five six seven eight", "nine ten eleven twelve")), Item("b", ("x y",)))
    run = Run("r", "m", Settings(), {"a": ("a b c",), "b": ("x y", "x z", "x y")})
    study = Study("s", items, (run,))
    view = centre_view(study, ["r"], 0, BleuDistance(n=4), Cache(None))
    assert view.references.central.all()
    assert not view.references.has_medoids
    assert view.lost_words == ()
    assert view.runs["r"].centres == ("a b c",)
    assert np.isnan(view.runs["r"].expected).all()
    assert view.runs["r"].to_references == pytest.approx([1.0])
    alone = centre_view(study, ["r"], 1, BleuDistance(n=1), Cache(None))
    assert np.isnan(alone.references.expected).all()
    assert np.isnan(alone.own)
    assert alone.runs["r"].central.tolist() == [True, False, True], "said twice"
    assert alone.runs["r"].centres == ("x y",)


def measured(study: Study, **options: int) -> central_study.CentralitySummary:
    return central_study.across(study, central_study.measure(study, BOW, Cache(None), **options))


def test_across_the_study_by_the_views_of_its_items():
    study = random_study(items=7, references=4, runs=2)
    found = measured(study)
    views = [centre_view(study, ["run 0", "run 1"], k, BOW, Cache(None)) for k in range(7)]
    assert [c.tolist() for c in found.central] == [v.references.central.tolist() for v in views]
    assert np.concatenate(found.expected) == pytest.approx(np.concatenate([v.references.expected for v in views]))
    lengths = [v.references.lengths for v in views]
    assert found.words.difference == pytest.approx([c - o for c, o in lengths], nan_ok=True)
    known = [c - o for c, o in lengths if np.isfinite(c - o)]
    assert found.words.mean == pytest.approx(np.mean(known))
    assert found.words.n == len(known)
    near = [v.runs["run 1"].to_centre.mean() for v in views]
    own = [v.own for v in views]
    assert found.run("run 1").ratio == pytest.approx(sum(near) / sum(own))
    assert found.run("run 1").items == pytest.approx(np.array(near) / own)
    low, high = found.run("run 1").interval
    assert low < found.run("run 1").ratio < high
    rng = np.random.default_rng(0)
    drawn = [rng.integers(7, size=7) for _ in range(RESAMPLES)]
    slow = [np.sum(np.array(near)[d]) / np.sum(np.array(own)[d]) for d in drawn]
    assert (low, high) == pytest.approx(np.quantile(slow, percentiles(7)))


def test_p_of_a_run_is_that_of_the_paired_t():
    study = random_study(items=9, references=4, runs=3)
    found = measured(study)
    arrays = central_study.measure(study, BOW, Cache(None))
    for run, near, own in zip(found.runs, arrays["near"], arrays["own"]):
        off = np.asarray(near) - np.asarray(own)
        student = off.mean() / (off.std(ddof=1) / 3)
        assert run.p == pytest.approx(2 * distributions.t.sf(abs(student), 8))
    alone = sorted(run.p for run in found.runs)
    assert min(found.p_holm) == pytest.approx(min(1, 3 * alone[0]))
    assert np.isnan([run.p for run in measured(random_study(items=LEAST - 1)).runs]).all()


def test_p_where_all_items_differ_by_the_same():
    study = random_study(items=8, references=4, runs=2)
    arrays = dict(central_study.measure(study, BOW, Cache(None)))
    own = np.full((2, 8), 0.5)
    found = central_study.across(study, {**arrays, "own": own, "near": own - [[0.0], [0.1]]})
    assert [run.p for run in found.runs] == [1.0, 2.0**-7]


def test_neither_chunks_nor_the_order_of_references_have_a_say():
    study = random_study(items=9, references=5)
    turned = replace(study, items=tuple(replace(i, references=i.references[::-1]) for i in study.items))
    found, other = measured(study), measured(turned, size=2)
    assert [r.ratio for r in found.runs] == pytest.approx([r.ratio for r in other.runs])
    assert [c.tolist() for c in found.central] == [c[::-1].tolist() for c in other.central]
    assert found.words.difference == pytest.approx(other.words.difference, nan_ok=True)
    assert central_study.key(study, BOW) != central_study.key(turned, BOW)
    assert central_study.key(study, BOW) != central_study.key(study, RougeLDistance())
    renamed = replace(study, runs=tuple(replace(r, name=f"{r.name}!") for r in study.runs))
    assert central_study.key(study, BOW) == central_study.key(renamed, BOW), "labels are no content"


def test_items_without_a_centre_are_left_out_and_counted():
    study = random_study(items=9)
    items = (replace(study.items[0], references=study.items[0].references[:1]), *study.items[1:])
    few, rest = replace(study, items=items), study.only(items=[i.id for i in study.items[1:]])
    found, alone = measured(few), measured(replace(rest, runs=study.runs))
    assert found.run("run 0").n == 8
    assert np.isnan(found.run("run 0").items[0])
    assert found.words.n <= 8
    assert np.isfinite(found.run("run 0").interval).all()
    assert alone.run("run 0").n == 8


def test_nothing_to_measure_is_no_number():
    study = random_study(items=2, references=1)
    found = measured(study)
    assert found.words.n == 0
    assert np.isnan([found.words.mean, *found.words.interval, found.runs[0].ratio, *found.runs[0].interval]).all()
    assert measured(replace(study, runs=())).runs == ()


def test_its_share_is_that_of_the_texts():
    """The share of the first run includes the references, with six texts per item in all.

    The second run has one text per item.
    """
    study, told = random_study(items=8, references=4, candidates=2, runs=2), []
    lone = replace(study.runs[1], candidates={i: texts[:1] for i, texts in study.runs[1].candidates.items()})
    central_study.measure(
        replace(study, runs=(study.runs[0], lone)), BOW, Cache(None), Hooks(share=told.append), size=4
    )
    assert told == pytest.approx([0, 3 / 7, 6 / 7, 13 / 14])


def test_it_says_of_which_run_it_works():
    told: list[str] = []
    central_study.measure(random_study(items=2, runs=2), BertDistance(), Cache(None), Hooks(told.append))
    said = [text.partition(", ")[0] for text in told if "embedding" in text]
    assert list(dict.fromkeys(said)) == ["run 1 of 2", "run 2 of 2"]


def test_it_stops_when_asked():
    with pytest.raises(Cancelled):
        central_study.measure(random_study(), BOW, Cache(None), Hooks(should_stop=lambda: True))


@once
def of_demo() -> central_study.CentralitySummary:
    study = demo.load()
    return central_study.across(study, central_study.measure(study, BertDistance(), Cache(None, (CACHE_LAYER,))))


def test_in_the_demo_the_truth_stands_where_people_stand():
    """Oracle at T = 1 is the process that wrote the references; Peaked is nearer to the centre, and Loose is farther
    away.
    """
    low, high = of_demo().run("Oracle T=1.0").interval
    assert low < 1 < high
    assert of_demo().run("Peaked T=1.0").interval.high < 1 < of_demo().run("Loose T=1.0").interval.low
    rising = [of_demo().run(f"Oracle T={t}").ratio for t in (0.3, 0.5, 0.7, 1.0, 1.3, 1.6)]
    assert rising == sorted(rising)


def test_only_items_with_both_sides_count_and_equal_is_not_less():
    study = random_study(items=8, references=2, runs=1)
    near, own = np.tile([[1.0, 2.0, np.nan, 1.0]], 2), np.tile([[2.0, 2.0, 7.0, 1.0]], 2)
    words = np.tile([3, 4, 5, 5, 6, 4, 2, 2], 2)
    central = np.tile([True, False], 8)
    arrays = {"central": central, "expected": np.zeros(16), "words": words, "content": words, "near": near, "own": own}
    found = central_study.across(study, arrays)
    assert (found.words.less, found.words.equal, found.words.n) == (0.25, 0.5, 8)
    run = found.runs[0]
    assert (run.ratio, run.near, run.n) == (pytest.approx(0.8), pytest.approx(4 / 3), 6)
    rng = np.random.default_rng(0)
    drawn = [rng.integers(8, size=8) for _ in range(RESAMPLES)]
    kept = [d[d % 4 != 2] for d in drawn if (d % 4 != 2).any()]
    slow = [near[0, d].sum() / own[0, d].sum() for d in kept]
    assert run.interval == pytest.approx(np.quantile(slow, percentiles(6)))


@pytest.mark.parametrize("items", [1, 5])
def test_few_items_have_no_interval(items: int):
    """Any resample of a single item is that item again, so its interval would have zero width."""
    found = measured(random_study(items=items, seed=4))
    assert (found.words.n, found.runs[0].n) == (items, items)
    assert np.isfinite([found.words.mean, found.runs[0].ratio]).all()
    assert np.isnan([*found.words.interval, *found.runs[0].interval]).all()


@pytest.mark.parametrize("said", [LEAST - 1, LEAST])
def test_few_items_with_a_value_among_many_have_no_interval(said: int):
    study = random_study(items=12, references=4, candidates=3, runs=1)
    some = {item: texts for k, (item, texts) in enumerate(study.runs[0].candidates.items()) if k < said}
    study = replace(study, runs=(replace(study.runs[0], candidates=some),))
    found = central_study.across(study, central_study.measure(study, BowDistance(), Cache(None)))
    assert found.runs[0].n == said
    assert np.isfinite(found.runs[0].interval).all() == (said >= LEAST)
    assert np.isfinite(found.words.interval).all(), "the references have it"
