"""Test the figures of paired comparisons by their data, and the sentences about them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from data.study import Item, Run, Settings, Study
from figures.images.titles import title
from figures.paired import effects
from figures.paired import forest as paired_forest
from figures.paired import items as paired_items
from figures.paired import words as paired_words
from figures.style.palette import ModelStyle, grey, tone
from metrics.analysis.letters import letters
from metrics.analysis.paired import Comparison, Effect, Family, compare_all, opposed
from metrics.base import Metric
from metrics.engine.result import Result
from metrics.permutation.pvalues import holm
from metrics.permutation.sign_flips import SignFlip
from metrics.registry import METRICS
from metrics.suite.novelty import NovelCaptions

TRM, CIDER, DISTINCT = METRICS["trm_bow"], METRICS["cider_d"], METRICS["distinct_1"]
LENGTH = METRICS["caption_length"]
SIDES = np.array([[0.2, 0.5, 0.9, np.nan, 0.4], [0.6, 0.8, 0.8, 0.3, 0.4]])
STYLES = (ModelStyle(0), ModelStyle(1))
HEADS = ("by", "corrected p", "wins", "loses")


def comparison(
    metric=TRM, p: float = 0.001, gap: float = -0.15, sides=SIDES, first="A<b>", second="B $x$"
) -> Comparison:
    ends = sorted((gap * 0.5, gap * 1.5)) if p < 0.1 else [-0.4, 0.4]
    return Comparison(
        metric,
        first,
        second,
        (0.5, 0.5 - gap),
        gap,
        *ends,
        SignFlip(p, 0.001, False, 999),
        Effect(2 * gap, 2 * ends[0], 2 * ends[1]),
        sides,
        4,
        1,
    )


def family(*comparisons: Comparison) -> Family:
    return Family(comparisons, holm([c.test.p_value for c in comparisons]))


RUNS = ("C", "D", "E", "F", "G", "good", "bad")


def study() -> Study:
    items = tuple(Item(f"item {k}", (f"a reference, {k}",)) for k in range(5))
    runs = tuple(Run(n, n, Settings(), {i.id: ("x",) for i in items}) for n in ("A<b>", "B $x$", *RUNS))
    return Study("s", items, runs)


def text(parts: tuple[str, ...]) -> str:
    return "".join(parts)


def test_rows_say_who_is_ahead_and_how_sure_it_is() -> None:
    found = family(comparison(), comparison(CIDER, gap=-0.3), comparison(DISTINCT, gap=0.2), comparison(CIDER, p=0.5))
    lines = paired_forest.metric_lines(found)
    assert [line.key for line in lines] == ["trm_bow", "cider_d", "cider_d", "distinct_1"]
    assert [line.significant for line in lines] == [True, False, True, True]
    assert [line.has_better_side for line in lines] == [True, True, True, False]
    assert lines[0].value == pytest.approx(0.3), "of TRM less is better: the axis is in favour of A"
    assert (lines[0].low, lines[0].high) == pytest.approx((0.15, 0.45))
    assert lines[0].counts == (2, 1, 1)
    assert (lines[0].difference, lines[0].p) == ("\u22120.150", "≤ 0.004")
    assert "0.003" not in lines[1].p


def test_a_corrected_p_is_at_most_what_the_floor_allows_and_one_is_one() -> None:
    assert paired_forest.adjusted_text(comparison(p=0.001), 0.004) == "≤ 0.004"
    assert paired_forest.adjusted_text(comparison(p=0.001), 0.004, over_all_pairs=True) == "0.004", "Student's t"
    assert paired_forest.adjusted_text(comparison(p=0.002), 0.008) == "0.008"
    alone = replace(comparison(), test=SignFlip(1.0, 1.0, True, 2))
    assert paired_forest.adjusted_text(alone, 1.0) == "1.00"


def test_the_forest_draws_every_row_its_shares_and_its_counts() -> None:
    found = family(comparison(), comparison(DISTINCT, gap=0.2), Comparison(CIDER, "A", "B", reason="no <java>"))
    lines = paired_forest.metric_lines(found)
    figure = paired_forest.forest(lines, "light", "axis", HEADS)
    points = [t for t in figure.data if t.type == "scatter" and t.mode == "markers"]
    assert [p.customdata[0] for p in points] == ["trm_bow", "distinct_1"]
    assert points[0].marker.line.color == points[0].marker.color == tone("ink", "light")
    bars = [t for t in figure.data if t.type == "bar"]
    assert [list(bar.x) for bar in bars] == [[0.5, 0.25], [0.25, 0.25], [0.25, 0.5]]
    said = [note.text for note in figure.layout.annotations]
    assert "\u2013 no &lt;java&gt;" in said
    assert [note.text for note in figure.layout.annotations if note.y == 0][-2:] == ["<b>2</b>", "1"]
    assert [note.text for note in figure.layout.annotations if note.y == 0.72] == list(HEADS)
    assert points[0].hovertemplate.startswith("A ")
    assert points[0].hovertemplate.count("<br>") == 1, "two lines: a taller box would hide the rows beside it"
    low, high = figure.layout.xaxis.range
    assert low < 0 < high


def test_a_row_that_the_correction_takes_back_is_hollow() -> None:
    found = Family((comparison(p=0.04),), np.array([0.2]))
    (line,) = paired_forest.metric_lines(found)
    assert not line.significant
    marker = paired_forest.forest([line], "light", "", HEADS).data[1].marker
    assert marker.color == tone("paper", "light")
    assert marker.line.color == tone("ink", "light")


def test_runs_stand_in_order_with_the_best_first_to_the_right_in_their_own_colour() -> None:
    found = family(comparison(gap=0.3, first="bad"), comparison(gap=-0.3, first="good"))
    style = ModelStyle(2)
    lines = paired_forest.run_lines(study(), found, {"good": style})
    assert [line.key for line in lines] == ["good", "bad"]
    assert [line.value for line in lines] == [0.3, -0.3], "of TRM less is better, so less is to the right"
    assert lines[0].low == pytest.approx(0.15)
    assert [line.favour for line in lines] == ["+0.300", "\u22120.300"]
    figure = paired_forest.forest(lines, "dark", "", HEADS)
    marker = figure.data[1].marker
    assert (marker.symbol, marker.line.color) == ("diamond", style.mark("dark"))
    won = next(trace for trace in figure.data if trace.name == "won")
    assert list(won.marker.color) == [style.mark("dark"), tone("ink", "dark")]


def test_bars_are_the_items_in_order_up_for_the_first_run() -> None:
    one = comparison()
    figure = paired_items.waterfall(one, paired_words.sides(one, study()), "light", 3, here=1)
    (bars,) = figure.data
    assert list(bars.customdata) == [0, 1, 4, 2]
    assert list(bars.y) == pytest.approx([-0.4, -0.3, 0.0, 0.1])
    assert list(bars.marker.line.width) == [0, 2, 0, 0]
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1], "of TRM less is better, so less is up"
    said = [note.text for note in figure.layout.annotations]
    assert said[:2] == ["A&lt;b&gt; better on 2", "B $x$ better on 1"]
    colours = list(bars.marker.color)
    assert colours[0] == colours[1] == tone("muted", "light")
    assert colours[3] == grey(0.4), "behind is paler, and neither has a hue: those are for models"


def test_many_items_are_thinned_with_the_extremes_kept() -> None:
    random = np.random.default_rng(0)
    sides = np.vstack([random.normal(size=5_000), np.zeros(5_000)])
    one, other = comparison(CIDER, sides=sides), comparison(CIDER, sides=sides[::-1])
    ids = paired_words.sides(one, study())
    ids = replace(ids, items=[str(k) for k in range(5_000)])
    bars = paired_items.waterfall(one, ids, "light", 3).data[0]
    assert len(bars.x) == paired_items.BARS
    assert (bars.y[0], bars.y[-1]) == (sides[0].max(), sides[0].min())
    assert (bars.x[0], bars.x[-1]) == (1, 5_000)
    places = paired_items.drawn_items(one, other)
    assert len(places) == paired_items.DOTS
    assert int(np.nanargmax(np.abs(opposed(one, other)))) in places


def test_points_that_disagree_are_diamonds_and_counted() -> None:
    one, other = comparison(), comparison(CIDER)
    figure = paired_items.scatter(one, other, paired_words.sides(one, study()), ("x", "y"), "light", here=2)
    agree, apart, here = figure.data
    assert list(apart.customdata) == [0, 1, 2]
    assert list(agree.customdata) == [4]
    assert here.x == (pytest.approx(0.1),)
    said = sorted(note.text for note in figure.layout.annotations)
    assert said == ["<b>1</b> disagree", "<b>2</b> disagree"]
    assert text(paired_words.disagreement_words(one, other, study())).endswith(
        "different winners on 3 of 4 items (75 %)."
    )


@pytest.mark.parametrize(
    ("comparisons", "said"),
    [
        (
            [comparison(), comparison(CIDER, gap=0.3)],
            "better than B $x$ by every metric of quality or distance to people.",
        ),
        (
            [
                comparison(),
                comparison(CIDER, gap=0.3),
                Comparison(METRICS["rouge_l"], "A<b>", "B $x$", reason="no Java"),
            ],
            "better than B $x$ by all 2 metrics of quality or distance to people that have a value; 1 has none.",
        ),
        ([comparison(), comparison(CIDER, gap=-0.3)], "A<b> is better by TRM bag of words, B $x$ by CIDEr-D."),
        (
            [comparison(), comparison(CIDER, p=0.9)],
            "A<b> is better than B $x$ by TRM bag of words. Not significant: CIDEr-D.",
        ),
        (
            [comparison(p=0.9)],
            "No metric shows a significant difference between A<b> and B $x$. TRM bag of words differs by",
        ),
        (
            [comparison(DISTINCT, gap=0.3)],
            "more diversity is not better in itself. A<b> is more diverse by distinct-1.",
        ),
        ([comparison(DISTINCT, gap=0.3), comparison(LENGTH, gap=0.3)], "by distinct-1. A<b> is longer by Caption"),
        ([comparison(DISTINCT, gap=-0.3), comparison(LENGTH, gap=0.3)], "by Caption length. B $x$ is more diverse"),
        ([Comparison(TRM, "A", "B", reason="not computed yet")], "There is nothing to compare yet: not computed yet."),
    ],
)
def test_the_verdict_of_two_runs_follows_the_numbers(comparisons: list[Comparison], said: str) -> None:
    found = family(*comparisons)
    assert said in text(paired_words.verdict_two(study(), found, comparisons[0]))


@pytest.mark.parametrize(("gap", "whom"), [(-0.15, "A<b>"), (0.15, "B $x$")])
def test_the_lead_by_a_distance_has_the_sign_of_the_figure(gap: float, whom: str) -> None:
    """The figure shows a distance in favour of A as positive, but the sentence once gave the same lead as −0.150."""
    found = comparison(gap=gap)
    said = text(paired_words.verdict_two(study(), family(found), found))
    assert f"TRM bag of words differs by 0.150 (0.075 to 0.225) in favour of {whom}; A<b> is better on" in said


def test_a_phone_has_p_and_the_names_of_both_runs() -> None:
    lines = paired_forest.metric_lines(family(comparison(), comparison(CIDER, p=0.5)))
    figure = effects.effects(lines, effects.Sides(("run 1", "run 2"), STYLES), "light", True)
    said = [one.text for one in figure.layout.annotations]
    assert {"<b>run 1 better →</b>", "<b>← run 2 better</b>"} <= set(said)
    assert any(one.startswith("p ≤ 0.002 · ") for one in said), said
    won = next(re.sub(r"<[^>]+>", "", one) for one in said if "images won" in one)
    assert won == "p ≤ 0.002 · 2 : 1 images won", "the first run first, as on a wide screen"
    assert any(one.startswith("p = 0.50 · ") for one in said), said


def test_the_verdict_of_all_names_the_family() -> None:
    found = family(comparison(first="C"), comparison(gap=0.3), comparison(p=0.9, first="D"))
    said = text(paired_words.verdict_all(study(), found))
    assert said.startswith(
        "By TRM bag of words, C is better than B $x$; A<b> is worse; 1 other is not significantly "
        "different. A difference is significant where p"
    )
    assert said.endswith("corrected for 3 comparisons of runs with B $x$ by TRM bag of words (Holm).")
    assert text(paired_words.verdict_all(study(), family(comparison(p=0.9)))).startswith(
        "By TRM bag of words, no difference from B $x$ is significant. A difference"
    )
    few = replace(comparison(p=1.0), test=SignFlip(1.0, 0.5, True, 2), n=2)
    assert "no difference from B $x$ can be significant: 2 " in text(paired_words.verdict_all(study(), family(few)))
    equal = replace(few, test=SignFlip(1.0, 1.0, True, 1), n=40)
    assert "no difference from B $x$ is significant." in text(paired_words.verdict_all(study(), family(equal)))
    unjudged = text(paired_words.verdict_all(study(), family(comparison(DISTINCT, p=0.9))))
    assert unjudged.startswith("By distinct-1, no difference from B $x$ is significant.")


@pytest.mark.parametrize(
    ("metric", "fewer"),
    [
        (DISTINCT, "less diverse"),
        (METRICS["caption_length"], "shorter"),
        (NovelCaptions(), "less novel"),
        (METRICS["zipf"], "less even"),
    ],
)
def test_the_lesser_side_of_a_metric_without_a_better_one_is_named(metric: Metric, fewer: str) -> None:
    gap = -0.3 if metric.higher_is_better else 0.3
    said = text(paired_words.verdict_all(study(), family(comparison(metric, gap=gap, first="C"))))
    assert said.startswith(f"By {metric.label}, C is {fewer} than B $x$.")


def test_a_run_without_numbers_is_not_spoken_of() -> None:
    found = [comparison(first=name) for name in "CDEF"]
    assert ", all 4 other runs are better" in text(paired_words.verdict_all(study(), family(*found)))
    several = [comparison(first=name, gap=gap) for name, gap in (("C", -0.4), ("D", -0.1), ("E", -0.3), ("F", -0.2))]
    named = text(paired_words.verdict_all(study(), family(*several, comparison(p=0.9, first="G"))))
    assert "D, F, E and C are better" in named, "the nearest first"
    untold = Comparison(TRM, "G", "B $x$", reason="not computed yet")
    assert "all 4 other runs" not in text(paired_words.verdict_all(study(), family(*found, untold)))


def test_the_footer_says_n_the_test_and_what_is_pooled() -> None:
    said = paired_words.footer(study(), family(comparison(), comparison(METRICS["bleu_4"], gap=0.3)))
    assert said.startswith("n = 4 items, 1 caption by each run and 1 by people. Left out: up to 1 item for")
    assert "999 draws, p ≥ 0.001" in said
    assert "(log-normal) in 15 % of cases with 10 to 20 items and in 10 % with 100, not in 5 %" in said, (
        "tests/prove/test_paired.py"
    )
    assert "BLEU-4: difference, p and d_z refer to the pooled score" in said
    assert "different numbers of captions" not in said
    uneven = paired_words.footer(study(), family(replace(comparison(METRICS["bleu_4"]), unequal_weights=True)))
    assert "BLEU-4: the two runs give different numbers of captions from item to item" in uneven
    nothing = Comparison(TRM, "G", "B $x$", left_out=4, reason="needs 2 captions of the run, has 1")
    assert "Left out: up to 1 item for" in paired_words.footer(study(), family(comparison(), nothing)), (
        "a reason, not items"
    )


def test_a_difference_without_an_interval_says_why() -> None:
    def compared(first: list[float], second: list[float]) -> Comparison:
        totals = [np.column_stack([values, np.ones(len(values))]) for values in map(np.array, (first, second))]
        a, b = (Result(CIDER, len(of), float(of[:, 0].mean()), items=of[:, 0], totals=of) for of in totals)
        return compare_all([(a, b)])[0]

    few, flat = compared([1.0, 2, 3, 4, 6], [1.0, 2, 3, 4, 5]), compared([2.0] * 40, [1.0] * 40)
    assert paired_words.note(few) == "no interval: n = 5 is too few: intervals begin at 6"
    assert paired_words.note(flat) == "no interval: it is the same in every resample"
    assert paired_words.note(comparison()) == ""
    assert paired_words.table(family(flat))["Note"].tolist() == [paired_words.note(flat)]


def test_tables_have_every_number() -> None:
    table = paired_words.table(family(comparison(), Comparison(CIDER, "A<b>", "B $x$", reason="why")))
    assert list(table["Metric"]) == ["TRM bag of words", "CIDEr-D"]
    assert list(table.columns[1:4]) == ["A<b> (A)", "B $x$ (B)", "Difference"]
    first = table.iloc[0]
    assert (first["Difference"], first["p"], first["Corrected p"], first["d_z"]) == (-0.15, 0.001, 0.001, -0.3)
    assert (first["Ahead"], first["Ties"], first["Behind"], first["n"]) == (2, 1, 1, 4)
    assert table["Ahead"].isna().tolist() == [False, True]
    items = paired_words.items_table(study(), comparison(), comparison(CIDER))
    assert list(items["Id"]) == ["item 0", "item 1", "item 4", "item 2"]
    assert list(items["Item"]) == [title(study(), study().items[k]) for k in (0, 1, 4, 2)], (
        "named by a caption, not by an id"
    )
    assert not set(items["Item"]) & set(items["Id"])
    assert list(items["Ahead"]) == ["A", "A", "tie", "B"]
    assert items["Disagreement"].isna().tolist() == [False, False, True, False]


@pytest.mark.parametrize("two_lines", [False, True])
def test_the_sides_of_diversity_alone_are_more_varied_and_not_better(two_lines: bool) -> None:
    sides = effects.Sides(("one", "two"), STYLES)

    def heads(*found: Comparison) -> list[str]:
        figure = effects.effects(paired_forest.metric_lines(family(*found)), sides, "light", two_lines)
        return [text for note in figure.layout.annotations if "→" in (text := note.text) or "←" in text]

    assert heads(comparison(DISTINCT, gap=0.2)) == ["<b>one more varied →</b>", "<b>← two more varied</b>"]
    both = heads(comparison(DISTINCT, gap=0.2), comparison())
    assert both == ["<b>one better →</b>", "<b>← two better</b>"]


def test_the_effects_draw_every_row_by_family_and_say_what_is_pending() -> None:
    pending = Comparison(CIDER, "A", "B", reason="not computed yet")
    found = family(comparison(), comparison(DISTINCT, gap=0.2), comparison(CIDER, gap=-0.3), pending)
    lines = paired_forest.metric_lines(found)
    sides = effects.Sides(("A<b>", "B"), STYLES)
    for two_lines in (False, True):
        figure = effects.effects(lines, sides, "light", two_lines)
        words = [note.text for note in figure.layout.annotations]
        assert "<i>computing</i>" in words
        assert "<b>A&lt;b&gt; better →</b>" in words
        marks = [trace for trace in figure.data if trace.type == "scatter" and trace.mode == "markers"]
        assert len(marks) == 3
        # A is round and right of zero, B is square and left of it.
        assert {(mark.marker.symbol, mark.x[0] > 0) for mark in marks} == {("circle", True), ("square", False)}
        low, high = figure.layout.xaxis.range
        assert -low / (high - low) > 0.15
    bars = [bar for bar in effects.effects(lines, sides, "light").data if bar.type == "bar" and bar.xaxis == "x2"]
    totals = [bar.base[0] if isinstance(bar.base, tuple) else bar.base for bar in bars]
    assert len(bars) == 9
    assert min(totals) == 0
    same = effects.effects(lines, effects.Sides(("A", "B"), (ModelStyle(1), ModelStyle(1))), "light")
    painted = {bar.marker.color for bar in same.data if bar.type == "bar"}
    assert {ModelStyle(1).mark("light"), tone("ink", "light")} <= painted, "B is ink beside a run of its own model"


@pytest.mark.parametrize("two_lines", [False, True])
def test_the_name_of_a_metric_is_whole_where_it_has_room(two_lines: bool) -> None:
    lines = paired_forest.metric_lines(family(comparison()))
    sides = effects.Sides(("A", "B"), STYLES)

    def drawn(name: str) -> go.Figure:
        return effects.effects([replace(line, name=name) for line in lines], sides, "light", two_lines)

    for name in ("clipscore (imported)", "METEOR"):
        assert name in [note.text for note in drawn(name).layout.annotations]
    if not two_lines:
        longest = drawn("a metric whose name would take half of the figure").layout.margin.l
        assert drawn("METEOR").layout.margin.l < drawn("clipscore (imported)").layout.margin.l <= longest <= 220


@pytest.mark.parametrize("seed", range(20))
def test_letters_are_shared_exactly_by_the_pairs_that_nobody_can_tell_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    apart = np.triu(rng.random((n, n)) < rng.random(), 1)
    apart |= apart.T
    found = letters(apart)
    assert all(found)
    for i in range(n):
        for j in range(n):
            if i != j:
                assert bool(set(found[i]) & set(found[j])) == (not apart[i, j])


def test_letters_of_a_textbook_and_of_nobody() -> None:
    apart = np.zeros((3, 3), dtype=bool)
    apart[0, 2] = apart[2, 0] = True
    assert letters(apart) == ["a", "ab", "b"]
    assert letters(np.zeros((2, 2), dtype=bool)) == ["a", "a"]
    assert letters(np.zeros((0, 0), dtype=bool)) == []
