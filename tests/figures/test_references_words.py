"""Test that sentences on references claim nothing about tied runs, and advise nothing that chance may explain."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest

from data.study import Study
from figures.references import words
from figures.references.curves import PLOT, Line, Panel, curves
from metrics.analysis.references import subset_totals, subsets
from metrics.analysis.references.subset_totals import SubsetTotals
from metrics.analysis.references.subsets import Design
from metrics.analysis.references.summary import Summary, summary
from metrics.registry import METRICS
from tests.studies import study as random_study


def made(items: int, between: float, within: float, rng: np.random.Generator, apart: float = 30.0) -> Summary:
    """Make two runs in which items differ by `between` and references by `within`, as standard deviations.

    Without differences between items, five references of one item carry as much information as one of each of five
    items. The difference `apart` makes the order of the runs significant.
    """
    level = 10 + rng.normal(0, between, (2, items, 1)) + np.array([0.0, apart])[:, None, None]
    noise = rng.normal(0, within, (2, items, 5))
    design = Design(5, tuple(range(items)), (1, 5))
    by_size = {}
    for size in design.sizes:
        rows = np.array(list(combinations(range(5), size)))
        values = level + noise[:, :, rows].mean(axis=3)
        by_size["rouge_l", size] = np.stack([values, np.ones_like(values)], axis=3)
    return summary(SubsetTotals(design, (METRICS["rouge_l"],), by_size), "rouge_l", (0, 1), 4)


def of_study(study: Study, name: str = "rouge_l") -> Summary:
    design = subsets.design(study)
    assert design is not None
    found = subset_totals.measure(study, design, [METRICS[name]])
    return summary(found, name, range(len(study.runs)), 20)


def said(found: Summary, items: int) -> str:
    return "".join(words.verdict(found, "item", items, "ROUGE-L"))


@pytest.mark.parametrize(("runs", "who"), [(2, "both runs"), (3, "all 3 runs")])
def test_runs_that_are_the_same_have_no_order_and_no_error_to_halve(runs: int, who: str) -> None:
    study = random_study(items=12, references=5, candidates=1, runs=1)
    same = tuple(replace(study.runs[0], name=f"run {k}") for k in range(runs))
    assert (
        said(of_study(replace(study, runs=same)), 12) == f"By ROUGE-L, {who} score the same with all five references."
    )


def test_shares_of_pairs_and_of_draws_have_names_of_their_own() -> None:
    found = made(12, 1.0, 1.0, np.random.default_rng(0))
    found = replace(found, moved=tuple(replace(one, order_differs=one.order_differs + 0.1) for one in found.moved))
    panel = words.panels(found, [METRICS["rouge_l"]])[0]
    assert [name for name, _ in panel.rows] == ["order differs", "winner differs"]
    several = replace(found, moved=tuple(replace(moved, sizes=(1, 2)) for moved in found.moved))
    facts = words.curves_facts(random_study(items=12), several)
    assert facts[-1] == "differs: in this share of draws"
    assert "winner" not in " ".join(words.curves_facts(random_study(items=12), found)), "dots have no such rows"
    assert "winner" not in " ".join(words.curves_facts(random_study(items=12), of_study(random_study(12, 5, 1, 1))))


def test_where_images_say_more_they_come_first() -> None:
    text = said(made(42, 1.0, 1.0, np.random.default_rng(0)), 42)
    assert text.endswith("Buy items first: 40 items with one reference beat 8 with five.")
    one = said(made(8, 3.0, 0.5, np.random.default_rng(0)), 8)
    assert one.endswith("Buy items first: 5 items with one reference beat 1 with five.")


def test_one_image_beats_and_two_beat() -> None:
    found = made(12, 0.0, 1.0, np.random.default_rng(0))
    squares = np.stack([found.costs.squares[0], found.costs.squares[0] / 50])
    difference = np.stack([found.costs.difference[0], found.costs.difference[0] / 50])
    cheap = replace(found, costs=replace(found.costs, squares=squares, difference=difference))
    assert said(cheap, 12).endswith("Buy references first: 2 with five beat 10 items with one reference.")
    assert said(cheap, 8).endswith("Buy references first: 1 with five beats 5 items with one reference.")


def test_an_order_that_is_sure_needs_no_more_captions() -> None:
    """The advice to buy images first once stood beside an order in which all pairs differ significantly."""
    study = random_study(items=60, references=5, candidates=1, runs=3)
    shares = zip(study.runs, (1.0, 0.6, 0.2))
    runs = [
        replace(
            run, candidates={i.id: (i.references[0] if k < 60 * s else "x y z",) for k, i in enumerate(study.items)}
        )
        for run, s in shares
    ]
    found = of_study(replace(study, runs=tuple(runs)))
    text = said(found, 60)
    assert found.chosen.pairs == 3
    assert text.endswith("All 3 pairs differ significantly: this order needs no more captions.") == (
        found.chosen.steady == found.chosen.sizes[0]
    )
    assert "Buy" not in text


def test_lines_that_are_the_same_have_one_name() -> None:
    zeros = np.zeros(2)
    lines = tuple(Line(key, key, zeros) for key in ("a", "b", "c"))
    texts = [one.text for one in curves((Panel("Pairs", lines),), (1, 2), "b", "light").layout.annotations]
    assert "<b>all 3 metrics</b>" in texts
    assert not {"a", "b", "c"} & set(texts)
    other = (*lines, Line("d", "d", np.array([0.02, 0.0])))
    drawn = curves((Panel("Pairs", other),), (1, 2), "b", "light")
    texts = [one.text for one in drawn.layout.annotations]
    assert {"<b>b</b>", "a", "c", "d"} <= set(texts), "each line is named where it ends"
    names = [one for one in drawn.layout.annotations if one.text in ("<b>b</b>", "a", "c", "d")]
    assert min(b.y - a.y for a, b in pairwise(sorted(names, key=lambda one: one.y))) * PLOT > 15
    assert min(one.y for one in names) * PLOT > -21, "none is as low as the words below the axis"


def test_too_few_images_test_no_order_and_no_advice() -> None:
    found = made(5, 1.0, 1.0, np.random.default_rng(0))
    assert said(found, 5) == "By ROUGE-L, 5 items are too few to test the order of the runs."
    alone = said(of_study(random_study(items=5, references=5, candidates=1, runs=1)), 5)
    assert alone.endswith("5 items are too few to test what to buy first.")


@pytest.mark.parametrize("items", [12, 40])
def test_of_equal_runs_no_number_of_references_is_said_to_be_enough(items: int) -> None:
    """Four of five references rank equal runs almost as all five do, because they have four captions in common."""
    rng = np.random.default_rng(items)
    every = [said(made(items, 1.0, 1.0, rng, 0.0), items) for _ in range(60)]
    order = "By ROUGE-L, the order is not significant; more items would settle it sooner than more references."
    assert sum(text == order for text in every) >= 54


@pytest.mark.parametrize("items", [8, 30])
def test_equal_errors_get_advice_in_no_more_studies_than_the_level_says(items: int) -> None:
    """Every study with equal errors was once advised, in one direction or the other."""
    rng, studies = np.random.default_rng(3), 150
    none = sum("No difference in error is detected" in said(made(items, 0.0, 1.0, rng), items) for _ in range(studies))
    assert 1 - none / studies <= 0.05 + 2.33 * np.sqrt(0.05 * 0.95 / studies)


@pytest.mark.parametrize("label", ["CIDEr-D", "MiniLM similarity", "TRM of a metric with a long name"])
def test_the_verdict_has_at_most_two_lines(label: str) -> None:
    rng = np.random.default_rng(0)
    for items, by_item, by_reference in ((5, 1.0, 1.0), (600, 0.0, 1.0), (600, 1.0, 0.2), (600, 0.1, 3.0)):
        found = made(items, by_item, by_reference, rng)
        text = "".join(words.verdict(found, "image", items, label))
        assert text.startswith(f"By {label}, ")
        assert text.endswith(".")
        assert len(text) <= words.LONGEST
        assert len(text.split()) <= 35


@pytest.mark.parametrize(
    ("items", "shown"), [(42, (5, 8, 20, 40, 42, 100, 200, 500)), (200, (20, 40, 100, 200, 500, 1000, 2000))]
)
def test_the_map_has_the_numbers_of_items_that_the_verdict_compares(items: int, shown: tuple[int, ...]) -> None:
    """The sentence "40 items with one reference beat 8 with five" could not be checked in a map of 10, 20 and 42
    items.
    """
    found = made(items, 1.0, 1.0, np.random.default_rng(0))
    of = words.budget_map_of(found, "item")
    assert of.images == shown
    assert of.images[of.own] == items


def test_the_share_that_the_verdict_speaks_of_is_written_in_the_chart() -> None:
    found = made(42, 1.0, 1.0, np.random.default_rng(0))
    sizes = (1, 2, 3, 4, 5, 6, 8)
    values = np.array([0.18, 0.012, 0.01, 0.008, 0.005, 0.005, 0.004])
    lines = (Line("rouge_l", "ROUGE-L", values), Line("bleu_4", "BLEU-4", values[::-1]))
    drawn = curves((Panel("Pairs", lines, (), 3),), sizes, "rouge_l", "light")
    written = [one.text for one in drawn.layout.annotations if "%" in str(one.text)]
    assert "<b>0.8 %</b>" in written
    winners = np.array([1, 1, 1, 0, 0, 0, 0.0])
    one = replace(found.chosen, sizes=sizes, swapped=values, winner_differs=winners, pairs=6)
    assert one.steady == 4
    assert words.panels(replace(found, moved=(one,)), [METRICS["rouge_l"]])[0].claimed == 3
    buy = words._spending(found, "item", 42)
    for pairs in (1, 5, 6):
        order = words._order(replace(one, pairs=pairs), 10, 4, "item")
        assert len("".join(["By CIDEr-D, ", *order, " ", *buy]).split()) <= 35
    steady = "four references rank the runs almost as four others do: of all pairs, 0.8 % change places."
    assert "".join(words._order(one, 10, 4, "item")) == steady
    some = "".join(words._order(replace(one, pairs=5), 10, 4, "item"))
    assert some.endswith("of 5 significant pairs, 0.8 % change places.")
    still = replace(one, swapped=np.zeros(7), order_differs=np.zeros(7), winner_differs=np.zeros(7), pairs=5)
    assert "".join(words._order(still, 10, 4, "item")) == (
        "one reference ranks the 5 significant pairs as another does: no significant pair changes places in any draw."
    )
    nothing = replace(found, moved=(still,))
    assert words.panels(nothing, [METRICS["rouge_l"]])[0].rows == (), "rows of zeros say no more than the curve"
    assert "winner" not in " ".join(words.curves_facts(random_study(items=12), nothing))
    for pairs, few in ((1, "1 of 6 pairs of runs differs"), (4, "4 of 6 pairs of runs differ")):
        said = "".join(words._order(replace(still, pairs=pairs), 10, 4, "item"))
        assert said == f"only {few} significantly, too few to tell whether other references change the order."
    both = "".join(words._order(replace(one, pairs=1), 10, 2, "item"))
    assert both.endswith("in 0.8 % of draws, the two change places.")
    lower = "".join(words._order(replace(one, swapped=np.full(7, 0.2)), 10, 4, "item"))
    assert (
        lower == "four references agree with four others on the winner in 100 % of draws, but lower places still move."
    )
    few = "".join(words._order(replace(one, sizes=(1,), winner_differs=np.array([0.3])), 3, 4, "item"))
    assert few == "one reference may be too few: another gives another winner in 30 % of draws."


def test_no_line_crosses_a_number_where_there_is_room() -> None:
    own, other = np.array([0.5, 0.4, 0.3]), np.array([0.58, 0.48, 0.38])
    drawn = curves((Panel("Pairs", (Line("a", "A", own), Line("b", "B", other))),), (1, 2, 3), "a", "light")
    shifts = {one.yshift for one in drawn.layout.annotations if "%" in str(one.text)}
    assert shifts <= {-14, -25}, "the other line runs above"


def test_a_single_number_of_references_is_a_row_of_dots_and_no_curve() -> None:
    lines = (Line("a", "A", np.array([0.25])), Line("b", "B", np.array([0.0])))
    drawn = curves((Panel("Pairs", lines),), (1,), "a", "light")
    assert [(trace.mode, list(trace.x), list(trace.y)) for trace in drawn.data] == [
        ("markers", [0.25], [0]),
        ("markers", [0.0], [1]),
    ]
    assert list(drawn.layout.yaxis.ticktext) == ["<b>A</b>", "B"]
    texts = [one.text for one in drawn.layout.annotations]
    assert texts == ["Pairs, with 1 reference", "25.0 %", "0 %"]
