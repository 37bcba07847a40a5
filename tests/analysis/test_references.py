"""How many references are enough: against every draw scored separately, by loops, and against known variances."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from data.study import Item, Study
from metrics.analysis.references import budget, stability, subsets, tables, totals
from metrics.analysis.references.subsets import Design
from metrics.analysis.references.totals import SubsetTotals
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
    return totals.measure(study, design, CHOSEN)


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
    rng = np.random.default_rng([7, 2])
    picks = rng.integers(0, 6, (4, len(study.items)))
    metric = given_to(METRICS[name], count_frequencies(study))
    for value, pick in zip(values, picks):
        items = tuple(
            Item(item.id, tuple(item.references[row] for row in design.drawn(study, k, 2)[choice]))
            for k, (item, choice) in enumerate(zip(study.items, pick))
        )
        scored = scoring.score(replace(study, items=items), [metric])
        assert value == pytest.approx([scored[run.name, metric.name].corpus for run in study.runs], abs=1e-12)


@pytest.mark.parametrize("name", ["bleu_1", "bleu_4", "rouge_l", "cider_d", "meteor", "bertscore"])
@pytest.mark.parametrize("references", [4, 13])
def test_scores_of_pairs_give_what_the_engine_gives_for_every_subset(name: str, references: int) -> None:
    """Thirteen references have more subsets than are scored; one item lacks captions of a run."""
    whole = random_study(items=3, references=references, candidates=3, runs=2, seed=references)
    first = replace(
        whole.runs[0], candidates={of: texts for of, texts in whole.runs[0].candidates.items() if "1" not in of}
    )
    made, given = subsets.design(whole), replace(whole, runs=(first, whole.runs[1]))
    assert made is not None
    metric = given_to(METRICS[name], count_frequencies(given))
    pairs = totals._of_pairs(given, made, metric, Hooks(), Cache(None))
    engine = totals._of_subsets(given, made, metric, Hooks(), Cache(None))
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
    moved = stability.stability(found, name, draws=30, seed=1)
    for place, size in enumerate(moved.sizes):
        values = stability.drawn_values(found, name, size, 30, 1)
        swaps, orders, winners = [], [], []
        for drawn in values:
            pairs = [
                0.5 if drawn[i] == drawn[j] else float((drawn[i] > drawn[j]) != (moved.full[i] > moved.full[j]))
                for i, j in combinations(range(3), 2)
            ]
            swaps.append(np.mean(pairs))
            orders.append(any(pairs))
            winners.append(int(np.argmax(drawn)) != int(np.argmax(moved.full)))
        assert moved.swapped[place] == pytest.approx(np.mean(swaps))
        assert moved.order_differs[place] == pytest.approx(np.mean(orders))
        assert moved.winner_differs[place] == pytest.approx(np.mean(winners))
        assert moved.mean[place] == pytest.approx(values.mean(axis=0))
        assert moved.sd[place] == pytest.approx(values.std(axis=0, ddof=1))


def test_steady_is_the_size_from_which_on_all_are() -> None:
    shares = np.array([0.2, 0.04, 0.06, 0.01]), np.array([0.0, 0.0, 0.0, 0.05])
    sizes, none = (1, 2, 3, 4), np.zeros((4, 2))
    moved = stability.Stability("m", sizes, 20, 9, none, none, none[0], shares[0], none[:, 0], shares[1])
    assert moved.steady == 4
    assert replace(moved, swapped=np.zeros(4)).steady == 1
    assert replace(moved, winner_differs=np.ones(4)).steady is None


def known_totals(items: int, between: float, within: float, rng: np.random.Generator) -> SubsetTotals:
    """Means over subsets of five references, each the item's own level plus noise of that reference; two runs."""
    level = rng.normal(0, between, (2, items, 1))
    noise = rng.normal(0, within, (2, items, 5))
    design = Design(5, tuple(range(items)), (1, 2, 3, 4, 5))
    by_size = {}
    for size in design.sizes:
        rows = np.array(list(combinations(range(5), size)))
        values = level + noise[:, :, rows].mean(axis=3)
        by_size["rouge_l", size] = np.stack([values, np.ones_like(values)], axis=3)
    return SubsetTotals(design, (METRICS["rouge_l"],), by_size)


def test_variances_are_those_that_the_data_were_made_with() -> None:
    """4,000 items: the standard error of a variance is 2.2 %; the shares of five references leave the same."""
    made = known_totals(4000, between=1.0, within=2.0, rng=np.random.default_rng(11))
    got = budget.budget(made, "rouge_l")
    for place, size in enumerate(got.sizes):
        assert got.run[place] == pytest.approx([1 + 4 / size] * 2, rel=0.08)
        assert got.difference[place, 0, 1] == pytest.approx(2 * (1 + 4 / size), rel=0.08)
    assert got.between == pytest.approx([1 / 5] * 2, abs=0.04)
    assert got.error(100, 1, 0) == pytest.approx(np.sqrt(got.run[0, 0] / 100))
    assert (got.beyond(4000), got.beyond(4001)) == (False, True)


def test_errors_of_pooled_scores_are_those_of_the_bootstrap(study) -> None:
    large = random_study(items=60, references=4, candidates=2, runs=2, seed=2)
    made = subsets.design(large)
    assert made is not None
    got = budget.budget(totals.measure(large, made, [METRICS["bleu_4"]]), "bleu_4")
    result = scoring.score(large, [METRICS["bleu_4"]])["run 0", "bleu_4"]
    assert got.error(60, 4, 0) == pytest.approx((result.high - result.low) / 3.92, rel=0.25)


def test_what_is_stored_is_read_again(study, design, found) -> None:
    again = totals.from_arrays(design, CHOSEN, found.arrays())
    assert again.by_size.keys() == found.by_size.keys()
    assert np.array_equal(again.by_size["bleu_4", 2], found.by_size["bleu_4", 2])
    key = totals.key(study, design, CHOSEN)
    assert key != totals.key(study, replace(design, seed=1), CHOSEN)
    assert key != totals.key(study, design, CHOSEN[:2])
    other = replace(study, runs=(replace(study.runs[0], candidates=study.runs[1].candidates), *study.runs[1:]))
    assert key != totals.key(other, design, CHOSEN)


def test_each_text_is_embedded_once_a_run_at_a_time(study, design, tmp_path, monkeypatch) -> None:
    asked: list[list[str]] = []
    encode = Encoder.encode

    def counted(self: Encoder, texts: list[str], **more: object) -> object:
        if texts:
            asked.append(list(texts))
        return encode(self, texts, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Encoder, "encode", counted)
    cache = Cache(tmp_path)
    first = totals.measure(study, design, (METRICS["bert"],), cache=cache)
    said = {text for item in study.items for text in item.references}
    said |= {text for run in study.runs for texts in run.candidates.values() for text in texts}
    assert sorted(text for texts in asked for text in texts) == sorted(said)
    assert len(asked) <= len(study.runs)
    asked.clear()
    again = totals.measure(study, design, (METRICS["bert"],), cache=cache)
    assert asked == [], "the cache has every vector"
    assert all(np.array_equal(again.by_size[key], first.by_size[key]) for key in first.by_size)


def test_it_stops_when_asked(study, design) -> None:
    with pytest.raises(Cancelled):
        totals.measure(study, design, CHOSEN, Hooks(should_stop=lambda: True))


def test_tables_have_a_row_each(study, found) -> None:
    moved = [stability.stability(found, name) for name in NAMES]
    table = tables.stability_table(study, moved)
    assert len(table) == 3 * 3 * 3
    row = table[(table.metric == "cider_d") & (table.references == 2) & (table.run == "run 1")].iloc[0]
    assert row["mean"] == moved[2].mean[1, 1]
    costs = tables.budget_table(study, [budget.budget(found, "rouge_l")])
    assert costs.extrapolated.sum() == (costs["items"] > 6).sum()
    own = tables.consensus_metrics(CHOSEN)
    assert [metric.name for metric in own][:2] == ["consensus_bleu", "consensus_bleu_4"]
    scored = scoring.score(study, own)
    listed = tables.consensus_table(list(scored.values()))
    assert listed.n.tolist() == [6] * 4


def test_a_tie_of_the_draw_is_half_a_change_of_places() -> None:
    full = np.array([3.0, 2.0, 1.0])
    swapped, order, winner = stability._against(np.array([[2.0, 2.0, 1.0], [3.0, 2.5, 0.5]]), full)
    assert swapped == pytest.approx(0.5 / 6)
    assert (order, winner) == (0.5, 0.0)
    swapped, order, winner = stability._against(np.array([[1.0, 2.0, 3.0]]), full)
    assert (swapped, order, winner) == (1.0, 1.0, 1.0)
