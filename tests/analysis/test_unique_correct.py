"""Test sets of correct and unique captions: laws of the draw, values by registered metrics, and shares of variance."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data import demo
from data.study import Item, Run, Settings, Study
from metrics.analysis.unique_correct import experiment
from metrics.analysis.unique_correct.experiment import Design
from metrics.analysis.unique_correct.variance_shares import effect_tests, shares_explained, surface, variance_shares
from metrics.base import Undefined
from metrics.cache.disk import Cache
from metrics.chunk import Chunk, StudyDigests
from metrics.mathematics.triangle import set_trms, triangle_rank
from metrics.permutation.pvalues import holm
from metrics.progress import Cancelled, Hooks
from metrics.registry import TRMS
from tests.studies import study as random_study

DESIGN = Design(3, 3, 2, seed=4)


def written_out(drawn: experiment.CaptionSets, cell: int) -> tuple[str, ...]:
    return tuple(text for text, copies in zip(drawn.candidates, drawn.copies[cell]) for _ in range(copies))


@pytest.mark.parametrize("size", [2, 3, 5, 10])
def test_every_cell_has_its_correct_and_its_unique_captions(size: int) -> None:
    """The only pairs without a cell are those in which a single text would have to be both correct and foreign."""
    cells = experiment.cells(size)
    assert len(cells) == size * (size + 1) - (size - 1)
    low, high, chance = experiment._copies(size)
    for copies in (low, high):
        assert (copies.sum(axis=1) == size).all()
        assert (copies[:, :size].sum(axis=1) == cells[:, 0]).all()
        assert ((copies > 0).sum(axis=1) == cells[:, 1]).all()
        for row in copies:
            for kind in (row[:size], row[size:]):
                assert not kind.any() or np.ptp(kind[kind > 0]) <= 1
    assert ((chance >= 0) & (chance < 1)).all()


@pytest.mark.parametrize("size", [4, 5, 10])
def test_unique_captions_are_shared_out_in_proportion(size: int) -> None:
    """If both kinds can have any of the k unique captions, k m / N of them are correct on average."""
    low, high, chance = experiment._copies(size)
    owns = [(copies[:, :size] > 0).sum(axis=1) for copies in (low, high)]
    mean = owns[0] * (1 - chance) + owns[1] * chance
    for (correct, unique), own in zip(experiment.cells(size).tolist(), mean):
        wanted = unique * correct / size
        if 0 < correct < size:
            wanted = min(max(wanted, 1), unique - 1)
        assert own == pytest.approx(wanted)


def test_draws_have_that_share_on_average() -> None:
    pools = experiment.distinct_references(random_study(references=12, seed=2))
    drawn = [experiment.draw(pools, Design(5, 3, 1, seed), 0, 0).copies[:, :5] > 0 for seed in range(800)]
    own = np.mean([found.sum(axis=1) for found in drawn], axis=0)
    for (correct, unique), mean in zip(experiment.cells(5).tolist(), own):
        if 1 <= unique * correct / 5 <= unique - 1:
            # Two integers with equal probability have a standard error of 0.018.
            assert mean == pytest.approx(unique * correct / 5, abs=0.08)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000), st.integers(0, 5), st.integers(0, 9))
def test_a_draw_keeps_its_texts_apart(seed: int, item: int, repeat: int) -> None:
    pools = experiment.distinct_references(random_study(references=12, seed=2))
    design = Design(4, 3, 10, seed)
    drawn = experiment.draw(pools, design, item, repeat)
    assert (len(drawn.held_out), len(drawn.own), len(drawn.foreign)) == (3, 4, 4)
    assert len({experiment.key(text) for text in (*drawn.held_out, *drawn.candidates)}) == 11
    assert set(drawn.held_out + drawn.own) <= set(pools[item])
    own = {experiment.key(text) for text in pools[item]}
    assert not own & {experiment.key(text) for text in drawn.foreign}
    again = experiment.draw(pools, replace(design, repeats=99), item, repeat)
    assert again.candidates == drawn.candidates
    assert (again.copies == drawn.copies).all()


def test_seed_item_and_repeat_all_change_the_draw() -> None:
    pools = experiment.distinct_references(random_study(references=12, seed=2))
    design = Design(4, 3, 5)
    draws = [
        experiment.draw(pools, replace(design, seed=seed), item, repeat).held_out
        for seed, item, repeat in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
    ]
    assert len(set(draws)) == 4


def test_foreign_captions_come_from_different_items_where_there_are_enough() -> None:
    study = demo.load()
    pools = experiment.distinct_references(study)
    said_of = {text: item.id for item in study.items for text in item.references}
    drawn = experiment.draw(pools, Design(5, 5, 1), 3, 0)
    assert max(Counter(said_of[text] for text in drawn.foreign).values()) == 1


def test_case_and_punctuation_make_no_new_text() -> None:
    item = Item("a", ("A dog.", "a dog", "A  DOG!", "Two dogs.", "!?", "…"))
    assert experiment.distinct_references(Study("s", (item,), ())) == (("A dog.", "Two dogs.", "!?", "…"),)


def test_too_few_captions_are_undefined_with_the_number_there_is() -> None:
    pools = (("one dog", "two dogs", "three dogs", "four dogs"), ("a cat",))
    with pytest.raises(Undefined, match="needs 5 distinct references, has 4"):
        experiment.draw(pools, Design(3, 2, 1), 0, 0)
    with pytest.raises(Undefined, match="needs 2 captions of other items, there are 1"):
        experiment.draw(pools, Design(2, 2, 1), 0, 0)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(2, 5), st.integers(2, 5), st.integers(0, 10_000), st.booleans(), st.sampled_from(["shared", "paper"])
)
def test_triangle_ranks_of_copies_are_those_of_the_sets_written_out(
    size: int, references: int, seed: int, tied: bool, ties: Any
) -> None:
    """Distances are asymmetric and may tie; copies are at distance 0."""
    rng = np.random.default_rng(seed)
    texts = 2 * size + references
    distance = rng.integers(1, 4, (texts, texts)).astype(float) if tied else rng.random((texts, texts))
    np.fill_diagonal(distance, 0.0)
    copies = experiment._copies(size)[seed % 2]
    found = set_trms(distance, copies, ties)
    for row, value in zip(copies, found):
        order = np.concatenate([np.repeat(np.arange(2 * size), row), np.arange(2 * size, texts)])
        labels = np.arange(len(order)) < size
        assert value == pytest.approx(triangle_rank(distance[np.ix_(order, order)], labels, ties), abs=1e-12)


@pytest.mark.parametrize("label", list(TRMS))
def test_every_value_is_that_of_the_registered_metrics(label: str) -> None:
    """The sets are written out as candidates of a run and scored by the metrics, which learn from the study."""
    study = random_study(items=4, references=8, seed=5)
    trm = TRMS[label]
    base = experiment.base_metric(trm)
    found = experiment.experiment(study, DESIGN, trm, Cache(None))
    pools = experiment.distinct_references(study)
    assert found.items.tolist() == experiment.usable(pools, 6).tolist() != []
    items, candidates, wanted = [], {}, []
    for place, item in enumerate(found.items.tolist()):
        for repeat in range(2):
            drawn = experiment.draw(pools, DESIGN, item, repeat)
            for cell in range(len(found.cells)):
                name = f"{item} {repeat} {cell}"
                items.append(Item(name, drawn.held_out))
                candidates[name] = written_out(drawn, cell)
                wanted.append((found.base[place, repeat, cell], found.trm[place, repeat, cell]))
    chunk = Chunk.of(
        items, Run("r", "r", Settings(), candidates), Cache(None), whole=StudyDigests.of(study.only(runs=()))
    )
    for metric, values in zip((base, trm), np.transpose(wanted)):
        assert values == pytest.approx(metric.items(metric.stats(metric.prepare(study.only(runs=())), chunk)), abs=1e-6)
        assert np.ptp(values) > 0


def test_the_score_of_captions_does_not_know_copies_and_the_mean_is_theirs() -> None:
    study = random_study(items=4, references=8, seed=5)
    found = experiment.experiment(study, DESIGN, TRMS["bag of words"], Cache(None))
    pools = experiment.distinct_references(study)
    drawn = experiment.draw(pools, DESIGN, int(found.items[1]), 1)
    assert found.base[1, 1] == pytest.approx(drawn.copies @ found.scores[1, 1] / 3)


def test_the_same_experiment_twice_and_through_the_cache(tmp_path: Path) -> None:
    study, trm = random_study(items=5, references=8, seed=5), TRMS["ROUGE-L"]
    cache = Cache(tmp_path)
    found = experiment.experiment(study, DESIGN, trm, cache)
    key = experiment.experiment_key(study, DESIGN, trm)
    cache.put(key, found.arrays())
    stored = cache.get(key)
    assert stored is not None
    back = experiment.experiment_from(DESIGN, stored)
    again = experiment.experiment(study, DESIGN, trm, Cache(None))
    for one in (back, again):
        assert (one.base == found.base).all()
        assert (one.trm == found.trm).all()
        assert one.items.tolist() == found.items.tolist()
    assert key != experiment.experiment_key(study, replace(DESIGN, seed=5), trm)
    assert key != experiment.experiment_key(study, DESIGN, TRMS["CIDEr-D"])


def test_no_value_depends_on_how_many_items_are_scored_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    study, trm = random_study(items=5, references=8, seed=5), TRMS["bag of words"]
    whole = experiment.experiment(study, DESIGN, trm, Cache(None))
    monkeypatch.setitem(experiment.TEXTS_AT_ONCE, "words", 1)
    assert (experiment.experiment(study, DESIGN, trm, Cache(None)).trm == whole.trm).all()


def test_progress_is_said_and_cancelling_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(experiment.TEXTS_AT_ONCE, "words", 1)
    study, trm = random_study(items=4, references=9, seed=5), TRMS["bag of words"]
    said: list[float] = []
    experiment.experiment(study, DESIGN, trm, Cache(None), Hooks(share=said.append))
    assert said == [k / len(said) for k in range(len(said))]
    assert len(said) == len(experiment.usable(experiment.distinct_references(study), DESIGN.needed))
    said.clear()
    with pytest.raises(Cancelled):
        experiment.experiment(
            study, DESIGN, trm, Cache(None), Hooks(share=said.append, should_stop=lambda: len(said) > 1)
        )
    assert len(said) == 2


def test_an_item_that_a_metric_refuses_is_left_out_with_the_reason() -> None:
    """METEOR does not score captions of more than 1,000 words."""
    study = random_study(items=3, references=9, seed=5)
    long = replace(study.items[1], references=tuple(f"{text} {'very ' * 1_001}" for text in study.items[1].references))
    study = replace(study, items=(study.items[0], long, study.items[2]))
    few = Design(2, 2, 1, seed=1)
    found = experiment.experiment(study, few, TRMS["METEOR"], Cache(None))
    assert 1 not in found.items.tolist()
    assert len(found.failed) == 3 - len(found.items)
    assert "METEOR" in found.failed[0]
    alone = replace(study, items=study.items[:1])
    none = experiment.experiment(alone, few, TRMS["bag of words"], Cache(None))
    assert none.base.shape == (0, 1, 5)
    assert none.failed == ("needs 2 captions of other items, there are 0",)
    with pytest.raises(ValueError, match="No item has values"):
        variance_shares(none, TRMS["bag of words"], study)


def test_the_first_design_takes_halves_and_leaves_few_items_out() -> None:
    def first(counts: list[int], label: str = "CIDEr-D") -> Design:
        pools = [tuple(f"caption {k}" for k in range(count)) for count in counts]
        return experiment.default_design(pools, TRMS[label])

    assert first([10] * 47 + [9]) == Design(5, 5, 5)
    assert first([5] * 500) == Design(3, 2, 2)
    assert first([48] * 200) == Design(10, 10, 5)
    assert first([48] * 200, "METEOR") == Design(10, 10, 2)
    assert first([48] * 5000, "METEOR") == Design(10, 10, 1)
    assert first([1, 1, 0]) == Design(2, 2, 5)
    assert first([]) == Design(2, 2, 5)


# --- what explains the variance ---


def fitted(means: np.ndarray, cells: np.ndarray) -> tuple[float, float]:
    """Return the shares of variance of the two effects, by least squares on a constant and all levels but the first."""
    columns, axes = [np.ones(len(cells))], [-1]
    for axis in (0, 1):
        for level in np.unique(cells[:, axis])[1:]:
            columns.append((cells[:, axis] == level).astype(float))
            axes.append(axis)
    x = np.column_stack(columns)
    terms = x * np.linalg.lstsq(x, means, rcond=None)[0]
    effects = [terms[:, np.array(axes) == axis].sum(axis=1) for axis in (0, 1)]
    return float(effects[0].var() / means.var()), float(effects[1].var() / means.var())


@pytest.mark.parametrize("size", [2, 3, 5, 10])
def test_shares_are_those_of_least_squares(size: int) -> None:
    rng = np.random.default_rng(size)
    cells = experiment.cells(size)
    means = rng.normal(size=(7, len(cells))) + cells[:, 0] * rng.normal() + 1 / cells[:, 1]
    found = shares_explained(means, cells)
    for row, shares in zip(means, found):
        assert shares[:2] == pytest.approx(fitted(row, cells), abs=1e-10)
    assert found.sum(axis=1) == pytest.approx(1)
    assert shares_explained(1e6 + 3 * means, cells) == pytest.approx(found, abs=1e-6)


def test_shares_of_one_axis_are_its_own() -> None:
    """The two axes are separated, although sets of a single text can only be entirely correct or entirely foreign."""
    cells = experiment.cells(4)
    correct, unique = cells.T.astype(float)
    assert shares_explained(correct**2, cells) == pytest.approx([1, 0, 0], abs=1e-12)
    assert shares_explained(1 / unique, cells) == pytest.approx([0, 1, 0], abs=1e-12)
    assert np.isnan(shares_explained(np.full(len(cells), 0.3), cells)).all()


def test_shares_of_a_full_table_are_eta_squared() -> None:
    cells = experiment.cells(4)
    cells = cells[cells[:, 1] > 1]
    correct, unique = cells.T.astype(float)
    assert shares_explained((correct - 2) * (unique - 3), cells) == pytest.approx([0, 0, 1], abs=1e-12)
    table = np.random.default_rng(1).normal(size=(5, 3))
    means = table.ravel()
    rows, columns = table.mean(axis=1).var(), table.mean(axis=0).var()
    assert shares_explained(means, cells)[:2] == pytest.approx([rows / means.var(), columns / means.var()])


def test_a_surface_has_the_means_and_errors_of_its_items_and_the_range_of_resampled_shares() -> None:
    rng = np.random.default_rng(3)
    cells = experiment.cells(3)
    values = cells[:, 0] + rng.normal(size=(40, 2, len(cells))) * 0.3
    found = surface(values, cells)
    by_item = values.mean(axis=1)
    assert found.mean == pytest.approx(by_item.mean(axis=0))
    assert found.error == pytest.approx(by_item.std(axis=0, ddof=1) / np.sqrt(40))
    rng = np.random.default_rng(0)
    drawn = [by_item[rng.integers(40, size=40)].mean(axis=0) for _ in range(2_000)]
    low, high = np.quantile(shares_explained(np.array(drawn), cells), (0.025, 0.975), axis=0)
    shares = found.correct, found.unique, found.remainder
    assert [share.low for share in shares] == pytest.approx(low)
    assert [share.high for share in shares] == pytest.approx(high)
    assert found.correct.low > 0.98
    assert found.unique.high < 0.02
    alone = surface(values[:1], cells)
    assert np.isnan(alone.error).all()
    assert np.isnan(alone.correct.low)
    assert alone.correct.value > 0.9


def test_resampled_shares_leave_out_a_share_near_one() -> None:
    """Resampled means are noisier than the means, so all resamples of the largest share lie below its value."""
    cells = experiment.cells(6)
    found = surface(cells[:, 0] + np.random.default_rng(5).normal(size=(40, 1, len(cells))), cells)
    assert found.correct.low < found.correct.high < found.correct.value
    assert found.remainder.value < found.remainder.low


def test_p_is_corrected_over_both_axes_of_both_metrics() -> None:
    rng, cells = np.random.default_rng(2), experiment.cells(3)
    values = rng.normal(size=(2, 9, 1, len(cells))) + 0.8 * cells[:, 0]
    found = variance_shares(
        experiment.Experiment(Design(3, 3, 1), cells, np.arange(9), *values, np.zeros((9, 1, 6))),
        TRMS["METEOR"],
        random_study(),
    )
    shares = [share for _, s in found.both for share in (s.correct, s.unique)]
    assert [share.p_holm for share in shares] == pytest.approx(holm([share.p for share in shares]))
    assert [share.p for share in shares[:2]] == pytest.approx(effect_tests(values[0].mean(axis=1), cells))
    assert found.tests == 4
    assert np.isnan(found.of_trm.remainder.p_holm)


def test_an_axis_without_effect_is_found_as_often_as_the_level_says() -> None:
    """Items and the other axis have effects; the rate in 300 studies is within three standard errors of 5 %."""
    rng, cells = np.random.default_rng(8), experiment.cells(3)
    levels, power = [], []
    for seed in range(300):
        own = rng.normal(size=(20, 1)) + rng.normal(1, 1, size=(20, 1)) * cells[:, 0]
        correct, unique = effect_tests(own + rng.normal(size=(20, len(cells))), cells, seed)
        levels.append(unique <= 0.05)
        power.append(correct <= 0.05)
    assert 0.012 <= np.mean(levels) <= 0.088
    assert np.mean(power) > 0.9


def test_the_demo_shows_what_the_paper_shows() -> None:
    """The base metric depends only on the number of correct captions; TRM also depends on the number of unique ones."""
    study, trm = demo.load(), TRMS["CIDEr-D"]
    design = experiment.default_design(experiment.distinct_references(study), trm)
    found = variance_shares(experiment.experiment(study, design, trm, Cache(None)), trm, study)
    assert found.of_base.correct.low > 0.99
    assert found.of_base.unique.high < 0.01
    assert found.of_trm.correct.low > 0.2
    assert found.of_trm.unique.low > 0.3
    assert found.of_trm.mean[found.cell(5, 5)] == found.of_trm.mean.min()
    assert found.of_trm.mean[found.cell(0, 1)] == found.of_trm.mean.max()
