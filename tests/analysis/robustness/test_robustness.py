"""Test robustness to single damaged captions: areas worked out in the test, and laws of metrics that cannot detect a
fault.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from data.study import Item, Run, Settings, Study
from metrics.analysis.robustness import curves, damaged_captions, measure, tables
from metrics.analysis.robustness.design import Design, HeldOut, held_out, strengths, suited, without_marks
from metrics.analysis.robustness.measure import Measured
from metrics.base import Undefined
from metrics.cache.disk import Cache
from metrics.cache.entry import Arrays
from metrics.chunk import Chunk
from metrics.distances.document_frequencies import count_frequencies
from metrics.engine import scoring
from metrics.progress import Cancelled, Hooks
from metrics.registry import DISTANCES, METRICS, given_to
from metrics.suite.quality import Bert
from metrics.text.encoder import DEFAULT, Encoder
from metrics.transformations import TRANSFORMATIONS, Transformation
from tests.studies import study as random_study

NAMES = ("bleu_1", "bleu_4", "rouge_l", "cider_d")
CHOSEN = tuple(METRICS[name] for name in NAMES)
WORDS = ("word_permutation", "random_words", "dropped_words", "repeated_clause", "photo_prefix", "negation")
DESIGN = Design(tuple(TRANSFORMATIONS[name] for name in WORDS), (0.5, 1.0), seed=3)
STUDY = random_study(items=12, references=4, candidates=1, runs=1, seed=5)


def damaged(study: Study, design: Design, metrics: tuple[object, ...]) -> Measured:
    return measure.from_arrays(design, metrics, measure.measure(study, design, metrics, Cache(None), Hooks()))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def found() -> Measured:
    return damaged(STUDY, DESIGN, CHOSEN)


def scored_alone(place: int, text: str, others: tuple[str, ...], name: str) -> float:
    """Return the score of one caption in a study of a single item, with the document frequencies of the whole study."""
    run = Run("one", "one", Settings(), {"it": (text,)})
    metric = given_to(METRICS[name], count_frequencies(STUDY))
    return scoring.score(Study("one", (Item("it", others),), (run,)), [metric])["one", name].corpus


@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_caption_has_the_score_that_it_has_alone(found: Measured, name: str) -> None:
    held = held_out(STUDY, DESIGN)
    assert [one.place for one in held] == list(range(12))
    for row in (0, 5, 11):
        values = curves.item_values(found, METRICS[name], row)
        for k in (0, 1, 4, 6, 9, DESIGN.variants - 1):
            alone = scored_alone(row, found.texts[row][k], held[row].item.references, name)
            assert values[k] == pytest.approx(alone, abs=1e-12)


@pytest.mark.parametrize("name", ["bleu_1", "bleu_4", "cider_d"])
def test_what_is_kept_is_the_ratio_of_corpus_values(found: Measured, name: str) -> None:
    one = TRANSFORMATIONS["random_words"]
    curve = curves.curve(found, one, METRICS[name])
    held = held_out(STUDY, DESIGN)
    study = replace(STUDY, items=tuple(replace(h.item, id=str(k)) for k, h in enumerate(held)))
    metric, values = given_to(METRICS[name], count_frequencies(STUDY)), []
    for k in (0, *range(DESIGN.columns(one).start, DESIGN.columns(one).stop)):
        run = Run("x", "x", Settings(), {str(j): (row[k],) for j, row in enumerate(found.texts)})
        values.append(scoring.score(replace(study, runs=(run,)), [metric])["x", name].corpus)
    assert curve.kept == pytest.approx(np.array(values) / values[0])
    assert curve.strengths == (0.0, 0.5, 1.0)
    assert curve.area.value == pytest.approx((1 + 2 * curve.kept[1] + curve.kept[2]) / 4)
    assert np.isnan(curve.area.low) if name == "bleu_4" else curve.area.low < curve.area.value < curve.area.high
    assert curve.n == 12


def test_bleu_has_an_interval_where_its_longest_n_grams_match_in_nearly_every_resample(found: Measured) -> None:
    one, totals = TRANSFORMATIONS["random_words"], found.totals["bleu_4"].copy()
    totals[..., 3], totals[:, 1:, 3] = 4.0, 0.0
    totals[:11, 1:, 3] = 1.0
    often = curves.curve(replace(found, totals={"bleu_4": totals}), one, METRICS["bleu_4"])
    assert np.isfinite(often.area.low)
    assert not often.scarce
    totals[2:11, 1:, 3] = 0.0
    rare = curves.curve(replace(found, totals={"bleu_4": totals}), one, METRICS["bleu_4"])
    assert rare.area.value > 0
    assert rare.scarce
    assert (often.drawn_to, rare.drawn_to) == (3, 0)
    begin = DESIGN.columns(one).start
    totals[:, begin] = totals[:, 0]
    totals[:6, begin, 3] = 3.0
    partly = curves.curve(replace(found, totals={"bleu_4": totals}), one, METRICS["bleu_4"])
    assert (partly.told, partly.drawn_to) == (False, 2), "the first damage has an interval"
    assert np.isnan([rare.area.low, rare.last.low]).all()


def test_areas_by_hand() -> None:
    """A line from 1 to 0 has area 0.5, or 0.525 as the mean over the grid 0, 0.05, .., 0.95.

    A line that falls from 1 to 0 at 0.2 has area 0.1.
    """
    line, drop = np.array([1.0, 0.0]), np.array([1.0, 0.0, 0.0])
    assert curves.integral((0, 1), line) == pytest.approx(0.5)
    assert curves.grid_mean((0, 1), line) == pytest.approx(0.525)
    assert curves.integral((0, 0.2, 1), drop) == pytest.approx(0.1)
    assert curves.grid_mean((0, 0.2, 1), drop) == pytest.approx((1 + 0.75 + 0.5 + 0.25) / 20)
    fine = np.arange(21) / 20
    assert curves.grid_mean(tuple(fine), fine**2) == pytest.approx((fine[:20] ** 2).mean())


def test_nobody_sees_word_order_who_counts_words() -> None:
    chosen = (METRICS["bleu_1"], METRICS["distinct_1"], METRICS["bleu_2"])
    design = Design((TRANSFORMATIONS["word_permutation"],), (0.2, 0.6, 1.0))
    got = damaged(STUDY, design, chosen)
    for name in ("bleu_1", "distinct_1"):
        curve = curves.curve(got, design.transformations[0], METRICS[name])
        assert curve.kept.tolist() == [1.0] * 4
        assert (curve.area.value, curve.grid_area.value) == (1.0, pytest.approx(1.0))
    assert curves.curve(got, design.transformations[0], METRICS["bleu_2"]).area.value < 0.9
    for row in got.texts:
        assert len({tuple(sorted(text.split())) for text in row}) == 1


def test_a_bag_of_words_is_the_same_in_any_order() -> None:
    design, space = Design((TRANSFORMATIONS["word_permutation"],)), DISTANCES["bag of words"]
    held = held_out(STUDY, design)
    texts = damaged_captions.damaged(STUDY, design, held, Cache(None), Hooks()).texts
    for one, row in zip(held, texts):
        run = Run("x", "x", Settings(), {one.item.id: row})
        chunk = Chunk.of([one.item], run, Cache(None))
        distances = space.distance(space.prepare(STUDY), chunk, 0)[: len(row), len(row) :]
        assert np.array_equal(distances, np.tile(distances[0], (len(distances), 1)))


def test_without_degrees_there_is_a_share_and_no_area(found: Measured) -> None:
    curve = curves.curve(found, TRANSFORMATIONS["photo_prefix"], METRICS["rouge_l"])
    assert curve.strengths == (0.0, 1.0)
    assert np.isnan([curve.area.value, curve.grid_area.value]).all()
    assert curve.summary == curve.last
    assert curve.last.low < curve.last.value == curve.kept[1] < curve.last.high
    rows = tables.as_table([curve])
    assert tuple(rows.columns) == tables.COLUMNS
    assert rows.gamma.tolist() == [0.0, 1.0]
    assert np.isnan(rows[["area", "ci_low", "ci_high", "grid_ci_low"]]).all(axis=None)
    assert rows[["value_ci_low", "value_ci_high"]].iloc[1].tolist() == [curve.last.low, curve.last.high]
    assert np.isnan(rows.value_ci_low[0])
    (row,) = tables.areas([curve]).itertuples()
    assert np.isnan([row.area, row.ci_low]).all()
    assert (row.kept_low, row.kept_at_1, row.kept_high) == (curve.last.low, curve.last.value, curve.last.high)


def test_the_interval_is_that_of_resampled_items(found: Measured) -> None:
    metric, one = METRICS["rouge_l"], TRANSFORMATIONS["dropped_words"]
    curve = curves.curve(found, one, metric, resamples=4000)
    totals = found.totals["rouge_l"]
    part = np.concatenate([totals[:, :1], totals[:, DESIGN.columns(one)]], axis=1)
    rng, drawn = np.random.default_rng(99), []
    for _ in range(4000):
        values = metric.finish(part[rng.integers(0, 12, 12)].sum(axis=0))
        drawn.append(np.trapezoid(values / values[0], [0, 0.5, 1]))
    assert curve.area.high - curve.area.low == pytest.approx(2 * 2.2 * np.std(drawn) * np.sqrt(12 / 11), rel=0.1)


def test_a_seed_gives_the_same_captions_whatever_else_is_asked(found: Measured) -> None:
    again = damaged(STUDY, DESIGN, CHOSEN)
    assert again.texts == found.texts
    one = TRANSFORMATIONS["random_words"]
    alone = Design((one,), (0.1, 0.5, 0.7, 1.0), seed=3)
    texts = damaged_captions.damaged(STUDY, alone, held_out(STUDY, alone), Cache(None), Hooks()).texts
    place = DESIGN.columns(one).start
    assert [row[2] for row in texts] == [row[place] for row in found.texts]
    other = damaged(STUDY, replace(DESIGN, seed=4), CHOSEN)
    assert other.texts != found.texts
    keys = {measure.key(STUDY, design, CHOSEN) for design in (DESIGN, alone, replace(DESIGN, seed=4))}
    assert len(keys | {measure.key(STUDY, DESIGN, CHOSEN[:1])}) == 4


def test_who_is_held_out() -> None:
    many = random_study(items=30, references=3, candidates=1)
    items = list(many.items)
    items[3] = replace(items[3], references=("only one",))
    items[4] = replace(items[4], references=("dog", "cat"))
    study = replace(many, items=tuple(items))
    every = held_out(study, DESIGN)
    assert [one.place for one in every] == [k for k in range(30) if k not in (3, 4)]
    for one in every:
        own = study.items[one.place].references
        left = Counter(own) - Counter(one.item.references)
        assert [" ".join(map(without_marks, text.split())) for text in left] == [" ".join(one.words)]
    some = held_out(study, replace(DESIGN, most=10))
    assert len(some) == 10
    assert all(one in every for one in some)
    assert some == held_out(study, replace(DESIGN, most=10))


def test_marks_around_words_are_left_out() -> None:
    assert [without_marks(word) for word in ("Dog,", '"It\'s', "--", "U.S.", "(a)", "I\u0307s!")] == [
        "Dog", "It's", "", "U.S", "a", "I\u0307s",
    ]  # fmt: skip


def test_strengths_end_with_one() -> None:
    assert strengths([0, 0.5]) == (0.5, 1.0)
    assert strengths([0.1 + 0.2, 1, 0.3]) == (0.3, 1.0)
    with pytest.raises(ValueError, match=r"not 1\.5"):
        strengths([1.5])


def test_another_caption_comes_from_the_nearest_items(monkeypatch: pytest.MonkeyPatch) -> None:
    """With items on a half circle, the caption at strength 0.1 is from an item at most four places away."""
    study = random_study(items=40, references=3, candidates=1, seed=9)
    angle = np.linspace(0, np.pi, 40)
    vectors = np.column_stack([np.cos(angle), np.sin(angle)])
    monkeypatch.setattr(damaged_captions, "item_vectors", lambda *given: vectors)
    design = Design((TRANSFORMATIONS["random_caption"],), (0.1, 1.0))
    held = held_out(study, design)
    whose = {" ".join(one.words): {k.place for k in held if k.words == one.words} for one in held}
    far = []
    for one, row in zip(held, damaged_captions.damaged(study, design, held, Cache(None), Hooks()).texts):
        assert row[0] == " ".join(one.words)
        assert min(abs(place - one.place) for place in whose[row[1]]) <= 4
        far.append(min(abs(place - one.place) for place in whose[row[2]]))
    assert max(far) > 15


def test_items_are_near_by_all_references() -> None:
    study = random_study(items=5, references=3, candidates=1, seed=1)
    vectors = damaged_captions.item_vectors(study, Cache(None), Hooks())
    for item, vector in zip(study.items, vectors):
        mean = Encoder(DEFAULT).encode(list(item.references)).mean(axis=0)
        assert vector == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)


@dataclass(frozen=True)
class Broken(Transformation):
    """A transformation that replaces every caption with an empty one."""

    name: ClassVar[str] = "broken"
    label: ClassVar[str] = "Broken"
    summary: ClassVar[str] = "-"
    plugin: ClassVar[str] = "file"

    def transform(self, words: list[str], strength: float, rng: np.random.Generator) -> list[str]:
        return [""]


def test_a_faulty_transformation_and_a_metric_without_value_say_why() -> None:
    chosen = (METRICS["rouge_l"], METRICS["self_bleu_2"])
    design = Design((Broken(), TRANSFORMATIONS["word_permutation"]))
    got = curves.curves(damaged(STUDY, design, chosen), chosen)
    assert "empty or holds a blank" in got["broken", "rouge_l"].reason
    assert "needs 2 captions of the run" in got["word_permutation", "self_bleu_2"].reason
    assert got["word_permutation", "rouge_l"].reason == ""
    assert tables.areas(got.values()).error.astype(bool).tolist() == [True, True, False, True]


def test_nothing_to_damage_and_a_stop() -> None:
    thin = random_study(items=3, references=1, candidates=1)
    with pytest.raises(Undefined, match="it needs two captions by people"):
        measure.measure(thin, DESIGN, CHOSEN, Cache(None), Hooks())
    with pytest.raises(Cancelled):
        measure.measure(STUDY, DESIGN, CHOSEN, Cache(None), Hooks(should_stop=lambda: True))


def test_what_is_stored_fits_and_nothing_else() -> None:
    arrays = measure.measure(STUDY, DESIGN, CHOSEN, Cache(None), Hooks())
    assert measure.fits(STUDY, DESIGN, CHOSEN, arrays)
    assert not measure.fits(STUDY, replace(DESIGN, seed=8, most=4), CHOSEN, arrays)
    assert not measure.fits(STUDY, replace(DESIGN, strengths=(1.0,)), CHOSEN, arrays)
    for name in arrays:
        assert not measure.fits(STUDY, DESIGN, CHOSEN, {k: v for k, v in arrays.items() if k != name})
        assert not measure.fits(STUDY, DESIGN, CHOSEN, {**arrays, name: np.zeros((2, 3, 5, 7))})


def test_metrics_of_a_caption_suit() -> None:
    assert [suited(METRICS[name]) for name in ("bleu_1", "meteor", "bert", "distinct_1")] == [True] * 4
    assert not any(suited(METRICS[name]) for name in ("trm_bert", "mauve_bert", "vocabulary", "consensus_bleu"))
    assert isinstance(METRICS["bert"], Bert)


def test_the_table_has_a_row_each(found: Measured) -> None:
    rows = tables.as_table(curves.curves(found, CHOSEN).values())
    assert len(rows) == 4 * (4 * 3 + 2 * 2)
    assert not rows.duplicated(["transformation", "metric", "gamma"]).any()
    assert (rows[rows.gamma == 0].value == 1).all()
    assert isinstance(rows, pd.DataFrame)
    assert isinstance(held_out(STUDY, DESIGN)[0], HeldOut)


def test_a_text_is_embedded_once_for_all_transformations(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    encode = Encoder.encode

    def counted(self: Encoder, texts: list[str], **more: object) -> object:
        asked.extend(texts)
        return encode(self, texts, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Encoder, "encode", counted)
    measure._vectors().clear()
    names = ("random_caption", "word_permutation", "photo_prefix")
    design = Design(tuple(TRANSFORMATIONS[name] for name in names), (0.5, 1.0), seed=3)
    found = damaged(STUDY, design, (METRICS["bert"],))
    said = {text for row in found.texts for text in row} | {text for item in STUDY.items for text in item.references}
    assert sorted(asked) == sorted(said)
    place, text = found.places[4], found.texts[4][2]
    (held,) = (one for one in held_out(STUDY, design) if one.place == place)
    own, others = (encode(Encoder(), list(texts)).astype(float) for texts in ([text], held.item.references))
    assert found.totals["bert"][4, 2, 0] == pytest.approx(float((own @ others.T).max()), abs=1e-6)


def test_interrupted_work_goes_on_from_what_it_has() -> None:
    """Stored cells count as done, the embeddings of a cancelled cell stay in memory, and the share done never falls."""
    stored: dict[tuple[str, str], Arrays] = {}
    cells = measure.Cells(
        lambda one, metric: stored.get((one.name, metric.name)),
        lambda one, metric, arrays: stored.update({(one.name, metric.name): arrays}),
    )
    design = Design(tuple(TRANSFORMATIONS[name] for name in ("word_permutation", "photo_prefix")), (0.5, 1.0), seed=8)
    chosen = (METRICS["bleu_1"], METRICS["bert"])
    measure._vectors().clear()
    shares: list[list[float]] = []

    def run(stop: float) -> Arrays:
        shares.append([])
        hooks = Hooks(share=shares[-1].append, should_stop=lambda: bool(shares[-1]) and shares[-1][-1] > stop)
        return measure.measure(STUDY, design, chosen, Cache(None), hooks, cells)

    with pytest.raises(Cancelled):
        run(0.2)
    assert set(stored) == {("word_permutation", "bleu_1"), ("photo_prefix", "bleu_1")}
    kept = len(measure._vectors())
    assert kept > 0
    run(1.0)
    assert shares[1][0] == 0.0
    assert shares[1][1] >= 0.05, "the stored cells"
    assert all(of == sorted(of) for of in shares)
    assert shares[1][-1] == pytest.approx(1.0)


def test_a_small_part_of_a_study_has_the_vectors_that_it_has_in_the_whole() -> None:
    few = [1, 5, 5, 3]
    whole = damaged_captions.item_vectors(STUDY, Cache(None), Hooks())
    np.testing.assert_allclose(damaged_captions._vectors_of(STUDY, few, Cache(None), Hooks()), whole[few], atol=1e-6)


def test_what_is_kept_is_relative_to_the_untouched_captions_even_above_them() -> None:
    totals = np.array([[2.0, 10.0], [3.0, 10.0], [1.0, 10.0]])
    assert curves.relative(METRICS["rouge_l"], totals) == pytest.approx([1, 1.5, 0.5])
    totals[0, 0] = 0
    assert np.isnan(curves.relative(METRICS["rouge_l"], totals)).all()


def test_a_score_that_smoothing_alone_keeps_above_0_has_no_shares() -> None:
    chosen, one = (METRICS["rouge_l"],), TRANSFORMATIONS["word_permutation"]
    found = damaged(STUDY, Design((one, TRANSFORMATIONS["photo_prefix"])), chosen)
    totals = found.totals["rouge_l"].copy()
    totals[:, 0, 0] *= 0.02  # damage then gains, but a real score
    assert not curves.curve(replace(found, totals={"rouge_l": totals}), one, chosen[0]).reason
    totals[:, 0, 0] *= 1e-6
    made = curves.curves(replace(found, totals={"rouge_l": totals}), chosen)
    assert all("next to nothing" in curve.reason and np.isnan(curve.area.value) for curve in made.values())
