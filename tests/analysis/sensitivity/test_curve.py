"""Test p of nested sets of captions: it equals the engine's on separate studies, and is uniform under the null
hypothesis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from scipy.stats import kstest

from data.study import Item, Run, Settings, Study, digest
from metrics.analysis.sensitivity import curve, sets
from metrics.analysis.sensitivity.curve import Curve
from metrics.analysis.sensitivity.relative_sensitivity import gain
from metrics.analysis.sensitivity.sets import Case
from metrics.analysis.sensitivity.uniformity import simulated, uniformity
from metrics.base import Undefined
from metrics.cache.disk import Cache
from metrics.chunk import Chunk, StudyDigests
from metrics.engine import scoring
from metrics.engine.tasks import Options, item_seeds
from metrics.mathematics.mauve import mauve, of_labellings, quantise
from metrics.mathematics.triangle import triangle_rank
from metrics.permutation.item_test import BUDGET, permutation_test
from metrics.permutation.within_items import pool_of
from metrics.progress import Cancelled, Hooks
from metrics.registry import METRICS, resolve
from metrics.text.encoder import Encoder
from tests.studies import study as random_study

CHOSEN = resolve(["trm_rouge_l", "rouge_l"])


@pytest.fixture(scope="module")
def study() -> Study:
    return random_study(items=40, references=7, candidates=4, runs=2, seed=11)


@pytest.fixture(scope="module")
def found(study: Study) -> Curve:
    return curve.measure(study, sets.design(study, study.runs[1], references=3), CHOSEN)


def test_the_cases_are_those_that_a_study_has_captions_for(study: Study) -> None:
    made = sets.design(study, study.runs[0], (1, 2, 4, 9), references=3)
    assert made.cases == (
        *(Case("run", n, 3) for n in (1, 2, 4)),
        *(Case("people", n, 3) for n in (1, 2, 4)),
        Case("one left out", 1, 6),
        Case("halves", 3, 4),
    )
    few = random_study(items=3, references=1, candidates=1)
    assert sets.design(few, few.runs[0]).cases == (Case("run", 1, 1),)
    bare = Study("bare", (Item("a", ()),), (Run("r", "r", Settings(), {"a": ("x",)}),))
    assert sets.design(bare, bare.runs[0]).cases == ()


def test_mauve_has_one_p_of_all_captions_of_a_case() -> None:
    study = random_study(items=26, references=5, candidates=2, runs=2, seed=11)
    run, metrics = study.runs[1], resolve(["trm_rouge_l", "mauve_bert"])
    made = sets.design(study, run, (1, 2), references=3, seed=2)
    found = curve.measure(study, made, metrics)
    alone = curve.measure(study, made, metrics[:1])
    assert np.array_equal(found.p[:, 0], alone.p[:, 0], equal_nan=True)
    assert np.array_equal(found.corpus[:, 0], alone.corpus[:, 0], equal_nan=True)
    assert np.isnan(found.p[:, 1]).all()
    for case in (Case("run", 2, 3), Case("people", 2, 3)):
        one = found.summary(case, "mauve_bert")
        assert (one.n, one.corpus_floor) == (0, 1e-4)
    assert one.corpus == slow_mauve_p(study, made, case)
    few = found.summary(Case("run", 1, 3), "mauve_bert")
    assert np.isnan([few.corpus, few.corpus_floor]).all(), "26 captions are too few"
    assert curve.fits(found.arrays(), study, made, metrics)


def slow_mauve_p(study: Study, made: sets.Design, case: Case) -> float:
    """Return the p of MAUVE for all captions, from the observed labelling and 9,999 relabellings within items."""
    drawn = [sets.drawn(study, study.run(made.run), made, place, case) for place in range(len(study.items))]
    sides = [(sorted(one[0]), sorted(one[1])) for one in drawn if one is not None]
    texts = [[text for item in sides for text in item[side]] for side in (0, 1)]
    known = sorted({*texts[0], *texts[1]})
    rows = dict(zip(known, Encoder("all-MiniLM-L6-v2").encode(known)))
    points = np.array([rows[text] for side in texts for text in side], dtype=float)
    keys = [int(digest([*item])[:16], 16) for item in sides]
    pool = pool_of([(len(one), len(other)) for one, other in sides], keys)
    clusters = quantise(points, round(min(map(len, texts)) / 10))
    observed = mauve(points[: len(texts[0])], points[len(texts[0]) :]).value
    null = np.concatenate([of_labellings(clusters, labels) for labels in pool.blocks(seed=made.seed)])
    return (int((null <= observed + 1e-9).sum()) + 1) / 10_000


def test_smaller_sets_lie_within_larger_ones_and_the_seed_decides(study: Study) -> None:
    run = study.runs[1]
    made = sets.design(study, run, references=3)
    for place, item in enumerate(study.items):
        for row in ("run", "people"):
            drawn = [sets.drawn(study, run, made, place, case) for case in made.of(row)]
            assert all(one is not None for one in drawn)
            said = [list(one[0]) for one in drawn if one]
            assert all(larger[: len(smaller)] == smaller for smaller, larger in pairwise(said))
            assert len({one[1] for one in drawn if one}) == 1
        halves = sets.drawn(study, run, made, place, Case("halves", 3, 4))
        assert halves is not None
        assert sorted(halves[0] + halves[1]) == sorted(item.references)
    other = sets.design(study, run, references=3, seed=1)
    case = Case("run", 2, 3)
    both = [[sets.drawn(study, run, one, k, case) for k in range(40)] for one in (made, made, other)]
    assert both[0] == both[1]
    assert sum(a != b for a, b in zip(both[0], both[2])) > 20


def test_a_sample_of_items_is_seeded_and_a_case_without_captions_is_left_out() -> None:
    study = random_study(items=30, references=4, candidates=2)
    few = sets.design(study, study.runs[0], items=10, seed=4)
    places = sets.chosen_items(study, few)
    assert len(set(places.tolist())) == 10
    assert np.array_equal(places, sets.chosen_items(study, few))
    assert sets.drawn(study, study.runs[0], few, 0, Case("run", 3, 4)) is None


def test_the_p_of_every_set_is_that_of_a_study_of_these_sets_alone(study: Study, found: Curve) -> None:
    run = study.runs[1]
    for case in found.design.cases:
        drawn = [sets.drawn(study, run, found.design, k, case) for k in range(len(study.items))]
        items = tuple(Item(str(k), one[1]) for k, one in enumerate(drawn) if one)
        own = Run("own", "own", Settings(), {str(k): one[0] for k, one in enumerate(drawn) if one})
        results = scoring.score(Study("sets", items, (own,)), CHOSEN, Options(p_values=True))
        for metric in CHOSEN:
            expected = results["own", metric.name]
            at = found.place(case, metric.name)
            if expected.item_p is None or np.isnan(expected.item_p).all():
                assert np.isnan(found.p[at]).all()
                continue
            assert np.allclose(found.p[at], expected.item_p, equal_nan=True)
            one = found.summary(case, metric.name)
            assert one.averages.harmonic.calibrated == pytest.approx(expected.p_hmp)
            assert one.median == pytest.approx(np.median(expected.item_p))
            assert one.corpus == pytest.approx(expected.p_value, abs=4 * np.sqrt(0.25 / 9_999) + 1e-4)


def test_an_item_p_is_that_of_all_relabellings_by_hand(study: Study, found: Curve) -> None:
    case, run = Case("run", 2, 3), study.runs[1]
    drawn = sets.drawn(study, run, found.design, 5, case)
    assert drawn is not None
    own = Study("one", (Item("a", drawn[1]),), (Run("r", "r", Settings(), {"a": drawn[0]}),))
    metric = METRICS["trm_rouge_l"]
    chunk = Chunk.of(own.items, own.runs[0], Cache(None))
    matrix = metric.matrix(None, chunk, 0)  # type: ignore[attr-defined]
    values = []
    for pick in combinations(range(5), 2):
        labels = np.isin(np.arange(5), pick)
        values.append(triangle_rank(matrix, labels))
    p = np.mean(np.array(values) >= values[0] - 1e-9)
    assert found.p[(*found.place(case, "trm_rouge_l"), 5)] == pytest.approx(p)


def test_the_same_seed_gives_the_same_numbers_and_stopping_stops(study: Study, found: Curve) -> None:
    again = curve.measure(study, found.design, CHOSEN)
    for name, array in found.arrays().items():
        assert np.array_equal(array, again.arrays()[name], equal_nan=True), name
    kept = curve.from_arrays(found.design, CHOSEN, found.arrays())
    assert kept.summary(Case("halves", 3, 4), "rouge_l") == found.summary(Case("halves", 3, 4), "rouge_l")
    assert curve.fits(found.arrays(), study, found.design, CHOSEN)
    assert not curve.fits({**found.arrays(), "p": found.p + 1}, study, found.design, CHOSEN)
    with pytest.raises(Cancelled):
        curve.measure(study, found.design, CHOSEN, hooks=Hooks(should_stop=lambda: True))


def test_p_is_uniform_where_run_and_people_are_alike_and_not_where_they_differ() -> None:
    study = random_study(items=250, references=6, candidates=3, seed=8)
    made = sets.design(study, study.runs[0], (3,), references=3, seed=2)
    found = curve.measure(study, made, CHOSEN)
    for case in made.cases[1:]:
        for metric in CHOSEN:
            even = found.uniformity(case, metric.name)
            assert np.isnan(even.p_value) or even.p_value > 0.01, (case, metric.name)
    small = found.p[found.place(Case("people", 3, 3), "trm_rouge_l")] / 3
    drawn = np.random.default_rng(0).choice(found.p[1, 0], (250, 199))
    assert uniformity(small, drawn).p_value <= 1 / 200 + 1e-12


def test_the_test_of_uniformity_rejects_as_often_as_it_says() -> None:
    """The items' p-values are discrete in different ways: a test that assumed continuity would reject far too often."""
    rng = np.random.default_rng(5)
    sizes = rng.choice([5, 10, 21, 56], 60)

    def drawn(*shape: int) -> np.ndarray:
        return np.ceil(rng.random((60, *shape)) * sizes.reshape(-1, *(1 for _ in shape))) / sizes.reshape(
            -1, *(1 for _ in shape)
        )

    p = np.array([uniformity(drawn(), drawn(99)).p_value for _ in range(400)])
    assert (p <= 0.05).mean() == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / 400))
    assert (p <= 0.5).mean() == pytest.approx(0.5, abs=4 * 0.5 / 20)
    assert np.mean([kstest(drawn(), "uniform").pvalue <= 0.05 for _ in range(100)]) > 0.15


def test_simulated_p_values_have_the_probabilities_of_the_relabellings() -> None:
    matrix = np.random.default_rng(1).random((6, 6))
    matrix = (matrix + matrix.T) * (1 - np.eye(6))
    test = permutation_test("trm", matrix, np.arange(6) < 2)
    drawn = simulated(test, 40_000, np.random.default_rng(2))
    for p in np.unique(drawn):
        assert (drawn <= p + 1e-9).mean() == pytest.approx(p, abs=0.012)
    assert np.unique(drawn).min() == pytest.approx(test.floor)


def test_a_gain_is_the_ratio_of_mean_log_p() -> None:
    study = random_study(items=3, references=3, candidates=2)
    made = sets.Design(study.runs[0].name, (Case("run", 2, 3), Case("halves", 1, 2)))
    p = np.full((2, 2, 3), np.nan)
    p[0] = [[0.01, 0.04, np.nan], [0.1, 0.2, 0.001]]
    p[1] = 1e-9
    empty = np.full((2, 2, 2), np.nan)
    one = gain(Curve(made, CHOSEN, p, p, empty, empty), CHOSEN[0].name, CHOSEN[1].name)
    assert one.percent == pytest.approx(100 * (np.log(0.0004) / np.log(0.02) - 1)) == pytest.approx(100)
    assert one.n == 2
    assert (one.low <= one.percent <= one.high) or np.isnan(one.low)


def test_parts_of_all_distances_give_what_each_set_gives_by_itself() -> None:
    """The independent computation reads, embeds and compares the texts of every set separately."""
    study = random_study(items=3, references=6, candidates=4, seed=3)
    study = study.only(runs=[study.runs[0].name])
    run, chosen = study.runs[0], resolve(["trm_cider_d", "cider_d", "trm_bert", "mmd_bert", "frechet_bert", "mmd_bow"])
    made = sets.design(study, run, (1, 3, 4), references=3, seed=5)
    found = curve.measure(study, made, chosen)
    for number, case in enumerate(made.cases):
        drawn = [sets.drawn(study, run, made, k, case) for k in range(len(study.items))]
        items = tuple(Item(str(k), one[1]) for k, one in enumerate(drawn) if one)
        own = Run("own", "own", Settings(), {str(k): one[0] for k, one in enumerate(drawn) if one})
        chunk = Chunk.of(items, own, Cache(None), whole=StudyDigests.of(study))
        for m, metric in enumerate(chosen):
            facts = metric.tested_as.prepare(study)
            for k in range(len(items)):
                seed = item_seeds(Options(), chunk, k)[0]
                try:
                    expected = metric.tested_as.test(facts, chunk, k, BUDGET, seed)
                except Undefined:
                    assert np.isnan(found.p[number, m, k])
                    continue
                assert found.p[number, m, k] == pytest.approx(expected.p_value, abs=1e-12), (case, metric.name)
                assert found.floors[number, m, k] == pytest.approx(expected.floor, abs=1e-12)


def test_a_text_is_embedded_once_and_kept_distances_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    study = random_study(items=5, references=4, candidates=3, seed=9)
    embedded: list[str] = []
    encode = Encoder.encode

    def counted(self: Encoder, texts: Sequence[str], *more: Any, **named: Any) -> Any:
        embedded.extend(texts)
        return encode(self, texts, *more, **named)

    monkeypatch.setattr(Encoder, "encode", counted)
    chosen, cache = resolve(["trm_bert", "mmd_bert"]), Cache(None)
    made = sets.design(study, study.runs[0])
    first = curve.measure(study, made, chosen, cache)
    assert len(embedded) == 5 * (4 + 3)
    again = curve.measure(study, made, chosen, cache)
    assert len(embedded) == 5 * (4 + 3)
    assert np.array_equal(first.p, again.p, equal_nan=True)
    other = Cache(None)
    scoring.score(study, chosen, Options(p_values=True), other)
    embedded.clear()
    curve.measure(study, made, chosen, other)
    assert not embedded


def test_the_p_of_a_corpus_in_clusters_is_that_of_one_relabelling_for_each() -> None:
    """If every item occurs twice, corpus p with clusters is that of the items once; without clusters it differs."""
    once = random_study(items=6, references=3, candidates=2, runs=1, seed=4)
    again = [replace(i, id=f"{i.id} b", references=tuple(f"{text} " for text in i.references)) for i in once.items]
    said = once.runs[0].candidates
    run = replace(once.runs[0], candidates=said | {f"{k} b": tuple(f"{t} " for t in of) for k, of in said.items()})
    twice = replace(once, items=(*once.items, *again), runs=(run,))
    of = replace(twice, items=tuple(replace(item, cluster=item.id.removesuffix(" b")) for item in twice.items))
    p, designs = {}, {}
    for name, one in (("once", once), ("twice", twice), ("clusters", of)):
        designs[name] = sets.design(one, one.runs[0], (2,), references=3)
        p[name] = curve.measure(one, designs[name], CHOSEN[:1]).corpus[0, 0, 0]
    assert p["clusters"] == pytest.approx(p["once"], abs=4 * np.sqrt(0.25 / 9_999))
    assert abs(p["twice"] - p["once"]) > 0.03
    assert curve.key(of, designs["clusters"], CHOSEN) != curve.key(twice, designs["twice"], CHOSEN)


def test_the_interval_of_a_gain_draws_whole_clusters() -> None:
    rng, made = np.random.default_rng(0), sets.Design("run", (Case("run", 2, 3),))
    p = np.repeat(rng.random((1, 2, 30)), 4, axis=2)
    empty = np.full((1, 2, 2), np.nan)
    alone = gain(Curve(made, CHOSEN, p, p, empty, empty), CHOSEN[0].name, CHOSEN[1].name)
    whole = replace(made, unit=tuple(np.repeat(np.arange(30), 4).tolist()))
    of = gain(Curve(whole, CHOSEN, p, p, empty, empty), CHOSEN[0].name, CHOSEN[1].name)
    assert of.percent == alone.percent
    assert of.high - of.low > 1.6 * (alone.high - alone.low)
