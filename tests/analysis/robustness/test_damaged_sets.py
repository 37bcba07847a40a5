"""Test damaged sets: how many captions are damaged, which shares are kept, and laws of metrics that detect no
damage.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from metrics.analysis import artifacts
from metrics.analysis.robustness import curves, measure, tables
from metrics.analysis.robustness.damaged_sets import BETWEEN, damaged_sets, held_out_sets
from metrics.analysis.robustness.design import Design, held_out, suited_sets, without_marks, without_words
from metrics.analysis.robustness.measure import Measured
from metrics.base import Metric, Undefined
from metrics.cache.disk import Cache
from metrics.distances.document_frequencies import count_frequencies
from metrics.engine import scoring
from metrics.progress import Hooks
from metrics.registry import METRICS, given_to
from metrics.transformations import TRANSFORMATIONS
from tests.studies import study as random_study

NAMES = ("trm_rouge_l", "mmd_bow", "ms_jaccard_2", "distinct_1", "self_cider")
CHOSEN = tuple(METRICS[name] for name in NAMES)
DESIGN = Design(
    tuple(TRANSFORMATIONS[name] for name in ("word_permutation", "random_words", "photo_prefix")),
    (0.3, 1.0), seed=3, sets=True,
)  # fmt: skip


def with_topics(items: int, seed: int) -> Study:
    """Make a study whose items each have eight words of their own; each of the seven references has five of these."""
    rng = np.random.default_rng(seed)
    made = []
    for k in range(items):
        own = [f"{noun}{chr(97 + k)}" for noun in ("dog", "hill", "tree", "road", "boat", "cup", "hat", "sun")]
        said = [" ".join(rng.choice(own, 5, replace=False)) for _ in range(7)]
        made.append(Item(f"item {k}", tuple(f"a {text}" for text in said)))
    return Study("topics", tuple(made), ())


STUDY = with_topics(14, seed=5)


def damaged(study: Study, design: Design, metrics: tuple[Metric, ...]) -> Measured:
    return measure.from_arrays(design, metrics, measure.measure(study, design, metrics, Cache(None), Hooks()))


@pytest.fixture(scope="module")
def found() -> Measured:
    return damaged(STUDY, DESIGN, CHOSEN)


def test_half_of_the_references_are_the_set_and_the_rest_is_compared_with() -> None:
    for one in held_out_sets(STUDY, DESIGN):
        own = Counter(" ".join(map(without_marks, text.split())) for text in STUDY.items[one.place].references)
        others = Counter(" ".join(map(without_marks, text.split())) for text in one.item.references)
        assert Counter(one.texts) + others == own
        assert (len(one.captions), len(one.item.references)) == (3, 4)
    thin = random_study(items=4, references=3, candidates=1)
    assert held_out_sets(thin, DESIGN) == ()
    with pytest.raises(Undefined, match="it needs four captions by people"):
        measure.measure(thin, DESIGN, CHOSEN, Cache(None), Hooks())


def test_a_share_of_each_set_is_damaged_and_the_same_captions_stay_damaged() -> None:
    study = random_study(items=400, references=7, candidates=1, seed=2)
    design = Design((TRANSFORMATIONS["photo_prefix"],), (0.1, 0.5, 0.7, 1.0), sets=True)
    chosen = held_out_sets(study, design)
    texts = damaged_sets(study, design, chosen, Cache(None), Hooks()).texts
    counts = np.array(
        [[sum(text.startswith("a photo of") for text in cell.split(BETWEEN)) for cell in row] for row in texts]
    )
    assert (counts[:, 0] == 0).all()
    assert (np.diff(counts[:, 2:], axis=1) >= 0).all()
    assert (counts[:, -1] == 3).all()
    for k, share in enumerate((0.1, 0.5, 0.7)):
        column = counts[:, 2 + k]
        assert set(column) <= {int(np.floor(3 * share)), int(np.floor(3 * share)) + 1}
        assert column.mean() == pytest.approx(3 * share, abs=4 * np.sqrt(0.25 / 400))
    lenders = [row[1] for row in texts]
    assert sorted(lenders) == sorted(row[0] for row in texts)
    assert not any(row[0] == row[1] for row in texts)


def scored(found: Measured, column: int, metric: Metric) -> float:
    chosen = held_out_sets(STUDY, DESIGN)
    items = tuple(Item(str(k), one.item.references) for k, one in enumerate(chosen))
    said = {str(k): tuple(row[column].split(BETWEEN)) for k, row in enumerate(found.texts)}
    used = given_to(metric, count_frequencies(STUDY))
    results = scoring.score(Study("sets", items, (Run("r", "r", Settings(), said),)), [used])
    return results["r", used.name].corpus


@pytest.mark.parametrize("name", ["trm_rouge_l", "ms_jaccard_2", "mmd_bow"])
def test_of_a_distribution_metric_zero_is_another_items_captions(found: Measured, name: str) -> None:
    metric, one = METRICS[name], TRANSFORMATIONS["random_words"]
    curve = curves.curve(found, one, metric)
    start = DESIGN.columns(one).start
    untouched, stranger, some, every = (scored(found, k, metric) for k in (0, 1, start, start + 1))
    expected = [1, (some - stranger) / (untouched - stranger), (every - stranger) / (untouched - stranger)]
    assert curve.kept == pytest.approx(expected)
    assert curve.area.value == pytest.approx(np.trapezoid(expected, [0, 0.3, 1]))
    assert curve.area.low < curve.area.value < curve.area.high
    assert curve.sets
    rows = tables.as_table([curve])
    assert set(rows["of"]) == {"sets"}


@pytest.mark.parametrize("name", ["distinct_1", "self_cider"])
def test_of_a_metric_of_variety_gain_and_loss_both_count(found: Measured, name: str) -> None:
    metric, one = METRICS[name], TRANSFORMATIONS["photo_prefix"]
    curve = curves.curve(found, one, metric)
    start = DESIGN.columns(one).start
    untouched, some, every = (scored(found, k, metric) for k in (0, start, start + 1))
    assert curve.kept == pytest.approx([1, *(1 - abs(value - untouched) / untouched for value in (some, every))])
    assert curve.kept[2] < 1
    assert curve.graded


def test_both_signs_of_a_change_are_a_loss_by_hand() -> None:
    values = np.array([[2.0, 1], [9.0, 1], [1.5, 1], [2.5, 1]])
    distinct, jaccard, trm = (METRICS[name] for name in ("distinct_1", "ms_jaccard_2", "trm_bow"))
    assert curves.relative_of_sets(distinct, values).tolist() == [1, 0.75, 0.75]
    falling = np.array([[0.5, 1], [0.1, 1], [0.3, 1]])
    assert curves.relative_of_sets(jaccard, falling) == pytest.approx([1, 0.5])
    assert np.isnan(curves.relative_of_sets(trm, falling)).all()
    assert curves.relative_of_sets(trm, np.array([[0.1, 1], [0.5, 1], [0.5, 1]])) == pytest.approx([1, 0])


def test_a_share_lies_in_its_interval(found: Measured) -> None:
    """One of the metrics measures variety, whose changes can have either sign."""
    length = METRICS["caption_length"]
    stated = 0
    for of, metrics in ((found, CHOSEN), (damaged(STUDY, DESIGN, (length,)), (length,))):
        for one in curves.curves(of, metrics, resamples=500).values():
            for value, low, high in (one.area, one.grid_area, one.last):
                if np.isfinite(low):
                    assert low <= value <= high, (one.metric.name, one.transformation.name)
                    assert high <= 1 or curves.anchored(one.metric)
                    stated += 1
    assert stated > 20


@pytest.mark.parametrize("change", [0.0, 0.06])
def test_a_change_of_either_sign_is_held_by_its_interval(change: float) -> None:
    """Caption lengths vary at random, and a known share of each is lost."""
    design = Design((TRANSFORMATIONS["random_words"],), (0.5, 1.0), sets=True)
    length, held = METRICS["caption_length"], 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        words = rng.normal(9, 1, (40, 1)) + rng.normal(0, 2, (40, 4))
        words[:, 2:] -= change * 9 * np.array([0.5, 1.0])
        totals = np.stack([words, np.ones_like(words)], axis=-1)
        made = Measured(design, tuple(range(40)), ((),) * 40, ("",), {length.name: totals}, {})
        area = curves.curve(made, design.transformations[0], length, resamples=400).area
        assert area.low <= area.value <= area.high
        held += area.low <= 1 - change / 2 <= area.high
    assert held >= 89, "95 %, less what chance adds to a hundred"


def test_word_order_is_not_seen_by_who_counts_words(found: Measured) -> None:
    for name in ("mmd_bow", "distinct_1"):
        curve = curves.curve(found, TRANSFORMATIONS["word_permutation"], METRICS[name])
        assert curve.kept == pytest.approx([1, 1, 1], abs=1e-12)
        assert curve.area.value == pytest.approx(1)
    assert curves.curve(found, TRANSFORMATIONS["random_words"], METRICS["mmd_bow"]).area.value < 0.9


@pytest.mark.parametrize("sets", [True, False])
def test_cells_are_stored_one_by_one_and_give_the_same_numbers(sets: bool) -> None:
    cache, finished = Cache(None), [0]
    metrics = CHOSEN[:2] if sets else (METRICS["bleu_1"], METRICS["cider_d"])
    design = replace(DESIGN, sets=sets)

    def count() -> None:
        finished[0] += 1

    whole = artifacts.damaged_captions(STUDY, design, metrics, cache)
    arrays = whole.compute(cache, Hooks(finished=count))
    assert finished == [6]
    joint = curves.curves(measure.from_arrays(design, metrics, arrays), metrics)
    for one in design.transformations:
        alone = replace(design, transformations=(one,))
        for metric in metrics:
            cell = artifacts.damaged_captions(STUDY, alone, (metric,), cache).stored(cache)
            assert cell is not None
            curve = curves.curve(measure.from_arrays(alone, (metric,), cell), one, metric)
            assert curve.kept == pytest.approx(joint[one.name, metric.name].kept, abs=1e-12)
            assert curve.area == pytest.approx(joint[one.name, metric.name].area, abs=1e-12, nan_ok=True)
    fewer = artifacts.damaged_captions(
        STUDY, replace(design, transformations=design.transformations[1:]), metrics, cache
    )
    fewer.compute(cache, Hooks(finished=count))
    assert finished == [6]
    assert measure.fits(STUDY, design, metrics, arrays)
    assert not measure.fits(STUDY, replace(design, sets=not sets), metrics, arrays)


def test_numbers_that_wait_for_the_encoder_come_last() -> None:
    words, meteor, bert = METRICS["bleu_1"], METRICS["meteor"], METRICS["bert"]
    nearest, dropped = TRANSFORMATIONS["random_caption"], TRANSFORMATIONS["dropped_words"]
    found = measure.in_order(Design((nearest, dropped)), (bert, meteor, words))
    quick, slow = found[:2], [(nearest, words), (nearest, meteor), (nearest, bert), (dropped, bert)]
    assert quick == [(dropped, [words]), (dropped, [meteor])]
    assert found[2:] == [(one, [metric]) for one, metric in slow]


def test_captions_without_blanks_are_counted() -> None:
    chinese = Item("zh", ("一只狗在跑", "狗在草地上跑", "有一只狗", "一只棕色的狗"))
    study = replace(STUDY, items=(*STUDY.items, chinese, Item("one", ("a dog",))))
    assert without_words(study, Design(())) == 1
    assert [one.place for one in held_out(study, Design(()))] == list(range(14))
    assert without_words(STUDY, Design(())) == 0


def test_metrics_of_sets_suit() -> None:
    assert all(suited_sets(METRICS[name]) for name in (*NAMES, "trm_bert", "mauve_bert", "vocabulary"))
    assert not any(suited_sets(METRICS[name]) for name in ("bleu_1", "consensus_bleu", "entropy", "nll"))
