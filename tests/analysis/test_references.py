"""Test how many references are enough, against draws that are scored separately, loops, and known variances."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from data.study import Item, Study
from metrics.analysis.references import budget, stability, subset_totals, subsets, tables
from metrics.analysis.references.subset_totals import SubsetTotals
from metrics.analysis.references.subsets import Design
from metrics.analysis.references.summary import summary
from metrics.cache.disk import Cache
from metrics.distances.document_frequencies import count_frequencies
from metrics.engine import scoring
from metrics.progress import Cancelled, Hooks
from metrics.registry import METRICS, given_to
from metrics.text.encoder import Encoder
from tests.studies import study as random_study

NAMES = ("bleu_4", "rouge_l", "cider_d")
CHOSEN = tuple(METRICS[name] for name in NAMES)


@pytest.fixture(scope="module")
def study() -> Study:
    return random_study(items=6, references=4, candidates=2, runs=3, seed=5)


@pytest.fixture(scope="module")
def design(study: Study) -> Design:
    found = subsets.design(study)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def found(study: Study, design: Design) -> SubsetTotals:
    return subset_totals.measure(study, design, CHOSEN)


def test_all_subsets_of_few_references_are_scored_and_distinct_random_ones_of_many(
    study: Study, design: Design
) -> None:
    assert (design.count, design.sizes) == (4, (1, 2, 3, 4))
    assert design.drawn(study, 0, 2).tolist() == [list(pair) for pair in combinations(range(4), 2)]
    many = random_study(items=2, references=30, candidates=1)
    made = subsets.design(many, seed=3)
    assert made is not None
    drawn = made.drawn(many, 1, 10)
    assert drawn.shape == (20, 10)
    assert len({tuple(row) for row in drawn.tolist()}) == 20
    assert all(len(set(row)) == 10 for row in drawn.tolist())
    assert np.array_equal(drawn, made.drawn(many, 1, 10))
    assert not np.array_equal(drawn, replace(made, seed=4).drawn(many, 1, 10))


@pytest.mark.parametrize(("references", "size"), [(2, 1), (5, 2), (6, 3), (7, 2), (21, 1), (48, 24)])
def test_disjoint_subsets_share_no_reference(references: int, size: int) -> None:
    many = random_study(items=2, references=references, candidates=1)
    made = subsets.design(many)
    assert made is not None
    drawn, pairs = made.drawn(many, 1, size), made.disjoint(size)
    assert len(pairs) >= 1
    for i, j in pairs:
        assert not set(drawn[i]) & set(drawn[j])
        assert len(set(drawn[i])) == size
    every = sum(not set(a) & set(b) for a, b in combinations(map(tuple, drawn.tolist()), 2))
    assert len(pairs) == every if references < 7 else len(pairs) == 10


def test_items_with_too_few_references_are_left_out_and_of_more_some_are_drawn() -> None:
    whole = random_study(items=40, references=5, candidates=1)
    items = [replace(item, references=item.references[: 1 if k == 0 else 5]) for k, item in enumerate(whole.items)]
    items[1] = Item(items[1].id, (*items[1].references, "one more", "and another"))
    made = subsets.design(replace(whole, items=tuple(items)))
    assert made is not None
    assert made.count == 5
    assert made.items == tuple(range(1, 40))
    assert len(made.drawn(replace(whole, items=tuple(items)), 1, 5)[0]) == 5
    alone = replace(whole, items=tuple(replace(item, references=item.references[:1]) for item in whole.items))
    assert subsets.design(alone) is None


@pytest.mark.parametrize("name", NAMES)
def test_a_draw_is_the_score_of_the_study_with_these_references(study, design, found, name) -> None:
    values = stability.drawn_values(found, name, 2, draws=4, seed=7)
    rng, pairs = np.random.default_rng([7, 2]), design.disjoint(2)
    picks = rng.permuted(pairs[rng.integers(0, 3, (4, len(study.items)))], axis=2)
    metric = given_to(METRICS[name], count_frequencies(study))
    for draw, pick in enumerate(picks):
        for side in (0, 1):
            items = tuple(
                Item(item.id, tuple(item.references[row] for row in design.drawn(study, k, 2)[choice]))
                for k, (item, choice) in enumerate(zip(study.items, pick[:, side]))
            )
            scored = scoring.score(replace(study, items=items), [metric])
            expected = [scored[run.name, metric.name].corpus for run in study.runs]
            assert values[side, draw] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", ["bleu_1", "bleu_4", "rouge_l", "cider_d", "meteor", "bertscore"])
@pytest.mark.parametrize("references", [4, 13])
def test_scores_of_pairs_give_what_the_engine_gives_for_every_subset(name: str, references: int) -> None:
    """Thirteen references have more subsets than are scored, and one item has no captions by one of the runs."""
    whole = random_study(items=3, references=references, candidates=3, runs=2, seed=references)
    first = replace(
        whole.runs[0], candidates={of: texts for of, texts in whole.runs[0].candidates.items() if "1" not in of}
    )
    made, given = subsets.design(whole), replace(whole, runs=(first, whole.runs[1]))
    assert made is not None
    metric = given_to(METRICS[name], count_frequencies(given))
    pairs = subset_totals._of_pairs(given, made, metric, Hooks(), Cache(None))
    engine = subset_totals._of_subsets(given, made, metric, Hooks(), Cache(None))
    assert not pairs[0][0, 1].any()
    for got, expected in zip(pairs, engine, strict=True):
        assert got == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_with_all_references_it_is_the_score_of_the_study(study, found, name) -> None:
    scored = scoring.score(study, [METRICS[name]])
    moved = stability.stability(found, name)
    assert moved.full == pytest.approx([scored[run.name, name].corpus for run in study.runs], abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_the_order_is_compared_pair_by_pair(study, found, name) -> None:
    """No pair differs significantly, so all pairs count."""
    moved = stability.stability(found, name, draws=30, seed=1)
    assert moved.pairs == 0
    assert moved.sizes == (1, 2)
    for place, size in enumerate(moved.sizes):
        values = stability.drawn_values(found, name, size, 30, 1)
        swaps, orders, winners = [], [], []
        for one, other in zip(*values):
            pairs = [
                0.5 if one[i] == one[j] or other[i] == other[j] else float((one[i] > one[j]) != (other[i] > other[j]))
                for i, j in combinations(range(3), 2)
            ]
            swaps.append(np.mean(pairs))
            orders.append(any(pairs))
            winners.append(int(np.argmax(one)) != int(np.argmax(other)))
        assert moved.swapped[place] == pytest.approx(np.mean(swaps))
        assert moved.order_differs[place] == pytest.approx(np.mean(orders))
        assert moved.winner_differs[place] == pytest.approx(np.mean(winners))
        assert moved.mean[place] == pytest.approx(values.mean(axis=(0, 1)))
        assert moved.sd[place] == pytest.approx(np.sqrt(np.mean((values[0] - values[1]) ** 2, axis=0) / 2))


def test_steady_is_the_size_from_which_on_all_are() -> None:
    shares = np.array([0.2, 0.04, 0.06, 0.01]), np.array([0.0, 0.0, 0.0, 0.05])
    sizes, none, judged = (1, 2, 3, 4), np.zeros((4, 2)), ~np.eye(2, dtype=bool)
    moved = stability.Stability("m", sizes, 20, 9, none, none, none[0], 1, judged, shares[0], none[:, 0], shares[1])
    assert moved.steady == 4
    assert replace(moved, swapped=np.zeros(4)).steady == 1
    assert replace(moved, winner_differs=np.ones(4)).steady is None
    assert replace(moved, pairs=0).steady is None


def test_pairs_that_do_not_differ_do_not_count_where_others_do() -> None:
    """Two equal runs swap places with any choice of references; only more images could settle their order."""
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 1, (3, 60, 5)) + np.array([0.0, 0.0, 9.0])[:, None, None]
    moved = stability.stability(totals_of(noise), "rouge_l", 200)
    assert moved.pairs == 2
    assert (moved.swapped == 0).all()
    assert (moved.winner_differs == 0).all()
    assert moved.steady == 1
    equal = stability.stability(totals_of(noise[:2]), "rouge_l", 200)
    assert equal.pairs == 0
    assert equal.steady is None
    assert equal.swapped[-1] > 0.1


def totals_of(values: np.ndarray) -> SubsetTotals:
    design, by_size = Design(5, tuple(range(values.shape[1])), (1, 2, 3, 4, 5)), {}
    for size in design.sizes:
        rows = np.array(list(combinations(range(5), size)))
        of = values[:, :, rows].mean(axis=3)
        by_size["rouge_l", size] = np.stack([of, np.ones_like(of)], axis=3)
    return SubsetTotals(design, (METRICS["rouge_l"],), by_size)


@pytest.mark.parametrize("size", [1, 2])
def test_choices_differ_as_choices_of_fresh_references_do(size: int) -> None:
    """Compared with all five, choices of two swap runs half as often, because they share two of five captions."""
    rng = np.random.default_rng(size)
    noise = rng.normal(0, 1, (2, 40, 400))
    fresh = np.array([noise[:, :, k : k + size].mean(axis=(1, 2)) for k in range(0, 400, size)])
    true_sd = fresh.std(axis=0, ddof=1).mean()
    found = [stability.stability(totals_of(noise[:, :, k : k + 5]), "rouge_l", 40) for k in range(0, 400, 10)]
    sd = np.sqrt(np.mean([one.sd[size - 1] ** 2 for one in found]))
    assert sd == pytest.approx(true_sd, rel=0.1)
    ahead = (fresh[:, 0] > fresh[:, 1]).mean()
    swapped = np.mean([one.swapped[size - 1] for one in found])
    assert swapped == pytest.approx(2 * ahead * (1 - ahead), abs=0.06)


def known_totals(items: int, between: float, within: float, rng: np.random.Generator) -> SubsetTotals:
    return totals_of(rng.normal(0, between, (2, items, 1)) + rng.normal(0, within, (2, items, 5)))


def redrawn(values: np.ndarray, size: int, images: int, rng: np.random.Generator) -> float:
    """Return the relative error of a difference, from resampled studies of values (runs, items, subsets)."""
    gaps = []
    for _ in range(1_500):
        places = rng.integers(0, values.shape[1], images)
        gaps.append(np.diff([np.mean([of[k, rng.integers(of.shape[1])] for k in places]) for of in values])[0])
    return float(np.std(gaps) / abs(np.mean(gaps)))


def test_the_budget_says_what_studies_drawn_again_say() -> None:
    """The best of five references scores about 1.43 times the score of one; the difference between runs is unchanged.

    The same number of captions gives one image with five references or five with one, so the error with one reference
    is 1 / sqrt(5) = .447 of that with five. Relative to the mean score, the ratio would be .64.
    """
    rng = np.random.default_rng(4)
    own = rng.normal(1, 1, (2, 300, 1)) + np.array([0.0, 1.0])[:, None, None]
    design, by_size = Design(5, tuple(range(300)), (1, 2, 5)), {}
    for size, level in ((1, 2.0), (2, 2.5), (5, 3.5)):
        of = np.repeat(own + level, len(list(combinations(range(5), size))), axis=2)
        by_size["rouge_l", size] = np.stack([of, np.ones_like(of)], axis=3)
    made = SubsetTotals(design, (METRICS["rouge_l"],), by_size)
    found = summary(made, "rouge_l", (0, 1), 10)
    slow = {size: redrawn(by_size["rouge_l", size][..., 0], size, images, rng) for size, images in ((1, 50), (5, 10))}
    assert found.error(50, 1) == pytest.approx(slow[1], rel=0.08)
    assert found.error(10, 5) == pytest.approx(slow[5], rel=0.08)
    assert np.exp(found.compared.value) == pytest.approx(1 / np.sqrt(5), rel=1e-6)
    assert found.compared.high < 0


def test_variances_are_those_that_the_data_were_made_with() -> None:
    """With 4,000 items, the standard error of a variance is 2.2 %; using subsets of five references adds none."""
    made = known_totals(4000, between=1.0, within=2.0, rng=np.random.default_rng(11))
    got = budget.budget(made, "rouge_l")
    for place, size in enumerate(got.sizes):
        assert got.run[place] == pytest.approx([1 + 4 / size] * 2, rel=0.08)
        assert got.difference[place, 0, 1] == pytest.approx(2 * (1 + 4 / size), rel=0.08)
    assert got.error(100, 1, 0) == pytest.approx(np.sqrt(got.run[0, 0] / 100))
    assert (got.beyond(4000), got.beyond(4001)) == (False, True)


def test_items_of_one_cluster_count_as_one() -> None:
    """If all items occur twice, in clusters of two, 200 images have the error of 100, and the order is as certain."""
    once = known_totals(60, between=1.0, within=2.0, rng=np.random.default_rng(12))
    by_size = {of: found + np.array([0.0, 0.5])[:, None, None, None] for of, found in once.by_size.items()}
    once = replace(once, by_size=by_size)
    places = np.repeat(np.arange(60), 2)
    design = replace(once.design, items=tuple(range(120)))
    blind = replace(once, design=design, by_size={of: found[:, places] for of, found in once.by_size.items()})
    twice = replace(blind, unit=places)
    one, two, none = (summary(found, "rouge_l", (0, 1), 10) for found in (once, twice, blind))
    assert two.error(200, 5) == pytest.approx(one.error(100, 5), rel=1e-6)
    assert none.error(200, 5) == pytest.approx(one.error(100, 5) / np.sqrt(2), rel=0.02), "taken as independent"
    assert none.error(200, 1) < two.error(200, 1) < one.error(100, 1), "each draws its own references"
    assert (two.chosen.judged == one.chosen.judged).all()
    assert two.chosen.pairs == one.chosen.pairs
    widths = [found.compared.high - found.compared.low for found in (none, two, one)]
    assert widths == sorted(widths)


def test_errors_of_pooled_scores_are_those_of_the_bootstrap(study) -> None:
    large = random_study(items=60, references=4, candidates=2, runs=2, seed=2)
    made = subsets.design(large)
    assert made is not None
    got = budget.budget(subset_totals.measure(large, made, [METRICS["bleu_4"]]), "bleu_4")
    result = scoring.score(large, [METRICS["bleu_4"]])["run 0", "bleu_4"]
    assert got.error(60, 4, 0) == pytest.approx((result.high - result.low) / 3.92, rel=0.25)


def test_what_is_stored_is_read_again(study, design, found) -> None:
    again = subset_totals.from_arrays(study, design, CHOSEN, found.arrays())
    assert again.by_size.keys() == found.by_size.keys()
    assert np.array_equal(again.by_size["bleu_4", 2], found.by_size["bleu_4", 2])
    key = subset_totals.key(study, design, CHOSEN)
    assert key != subset_totals.key(study, replace(design, seed=1), CHOSEN)
    assert key != subset_totals.key(study, design, CHOSEN[:2])
    other = replace(study, runs=(replace(study.runs[0], candidates=study.runs[1].candidates), *study.runs[1:]))
    assert key != subset_totals.key(other, design, CHOSEN)


def test_each_text_is_embedded_once_a_run_at_a_time(study, design, tmp_path, monkeypatch) -> None:
    asked: list[list[str]] = []
    encode = Encoder.encode

    def counted(self: Encoder, texts: list[str], **more: object) -> object:
        if texts:
            asked.append(list(texts))
        return encode(self, texts, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Encoder, "encode", counted)
    cache = Cache(tmp_path)
    first = subset_totals.measure(study, design, (METRICS["bert"],), cache=cache)
    said = {text for item in study.items for text in item.references}
    said |= {text for run in study.runs for texts in run.candidates.values() for text in texts}
    assert sorted(text for texts in asked for text in texts) == sorted(said)
    assert len(asked) <= len(study.runs)
    asked.clear()
    again = subset_totals.measure(study, design, (METRICS["bert"],), cache=cache)
    assert asked == [], "the cache has every vector"
    assert all(np.array_equal(again.by_size[key], first.by_size[key]) for key in first.by_size)


def test_it_stops_when_asked(study, design) -> None:
    with pytest.raises(Cancelled):
        subset_totals.measure(study, design, CHOSEN, Hooks(should_stop=lambda: True))


def test_tables_have_a_row_each(study, found) -> None:
    moved = [stability.stability(found, name) for name in NAMES]
    table = tables.stability_table(study, moved)
    assert len(table) == 3 * 2 * 3
    row = table[(table.metric == "cider_d") & (table.references == 2) & (table.run == "run 1")].iloc[0]
    assert row["mean"] == moved[2].mean[1, 1]
    costs = tables.budget_table(study, [budget.budget(found, "rouge_l")])
    assert costs.extrapolated.sum() == (costs["items"] > 6).sum()
    own = tables.consensus_metrics(CHOSEN)
    assert [metric.name for metric in own][:2] == ["consensus_bleu", "consensus_bleu_4"]
    scored = scoring.score(study, own)
    listed = tables.consensus_table(list(scored.values()))
    assert listed.n.tolist() == [6] * 4


def test_a_tie_in_one_order_is_half_a_change_of_places() -> None:
    full, every = np.array([[3.0, 2.0, 1.0]]), ~np.eye(3, dtype=bool)
    swapped, order, winner = stability._against(np.array([[2.0, 2.0, 1.0], [3.0, 2.5, 0.5]]), full, every)
    assert swapped == pytest.approx(0.5 / 6)
    assert (order, winner) == (0.5, 0.0)
    assert stability._against(np.array([[1.0, 2.0, 3.0]]), full, every) == (1.0, 1.0, 1.0)
    last = np.zeros((3, 3), dtype=bool)
    last[0, 2] = last[2, 0] = True
    assert stability._against(np.array([[2.0, 3.0, 1.0]]), full, last) == (0.0, 0.0, 0.0)
