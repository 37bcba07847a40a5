"""Test the chart, the sentences and the marked captions that compare a run's words with people's."""

from __future__ import annotations

import math

import pytest

from figures.style.drawing import ROWS
from figures.style.palette import ModelStyle
from figures.words import words
from figures.words.chart import Row, chart, how_often, rate, times
from figures.words.html import captions_html
from metrics.analysis.words.usage import Design, Usage, Use
from tests.studies import study as random_study


def use(term: str, statistic: float, adjusted: float = 0.01, log: float | None = None) -> Use:
    of = statistic / 4 if log is None else log
    times = [math.exp(end) for end in (of, of - 0.5, of + 0.5)]
    return Use(term, 4.0, 2.0, 9, 7, of / 2, of / 2 - 2, of / 2 + 2, *times, statistic, adjusted / 2, adjusted)


def never(term: str, statistic: float) -> Use:
    """Make a word that the run never uses; its true rate is at most a quarter of people's."""
    return use(term, statistic)._replace(run=0.0, times=0.0, times_low=0.0, times_high=0.25)


def usage(*rows: Use, unit: str = "words") -> Usage:
    ordered = tuple(sorted(rows, key=lambda row: -row.statistic))
    return Usage(Design("r", unit), ordered, 40, (900, 1_800))  # type: ignore[arg-type]


def test_how_many_times_reads_both_ways() -> None:
    said = [times(math.log(ratio)) for ratio in (3.2, 1 / 3.2, 17, 1 / 17, 1, 0.99)]
    assert said == ["3.2 ×", "0.31 ×", "17 ×", "0.06 ×", "1.0 ×", "0.99 ×"]


def test_words_that_one_side_never_says_are_last_by_certainty() -> None:
    found = usage(never("often", -8), never("rarely", -3), use("red", -5))
    _, under = words.shown(found)
    assert [row.term for row in under] == ["red", "rarely", "often"]
    assert [how_often(row) for row in under] == [times(-1.25), "0 ×", "0 ×"]
    assert how_often(words.as_row(use("only", 5)._replace(people=0.0, times=math.inf))) == "∞ ×"
    of = random_study(items=3)
    assert sum(fact.startswith("triangle: ") for fact in words.facts(of, found, 3)) == 1
    assert not any(fact.startswith("triangle: ") for fact in words.facts(of, usage(use("red", -5)), 1))
    drawn = chart([], under, "R", ModelStyle(0), None, "light")
    low, _ = drawn.layout.xaxis.range
    traces = [trace for trace in drawn.data if trace.type == "scatter"]
    marks = {trace.customdata[0]: trace for trace in traces if trace.mode == "markers"}
    edge = low + 0.01 * (drawn.layout.xaxis.range[1] - low)
    assert [marks[term].x[0] for term in ("often", "rarely")] == [edge, edge], "no finite ratio is that small"
    assert {marks[term].marker.symbol for term in ("often", "rarely")} == {"triangle-left"}
    bars = [trace.x for trace in traces if trace.mode == "lines"]
    assert bars[1] == pytest.approx((low, math.log(0.25))), "the bar ends where the test does"
    assert marks["often"].hovertemplate.startswith("0 ×, 95 % 0 to 0.25 ×, p 0.010")


def test_what_is_never_said_is_counted_as_none() -> None:
    assert [rate(value) for value in (0.0, 0.04, 4.71, 9.96, 112.6)] == ["0", "0.0", "4.7", "10", "113"]


def test_the_verdict_names_what_the_test_found_and_nothing_else() -> None:
    found = usage(use("a", 6), use("man", 5), use("two", 2, 0.3), use("red", -5), use("old", -2, 0.2))
    assert "".join(words.verdict(found, "R")) == (
        "Only 5 words can be compared. R says “man” more often than people and “red” less often."
    )
    under = usage(use("red", -5), use("old", 2, 0.2))
    assert "".join(words.verdict(under, "R")) == ("Only 2 words can be compared. R says “red” less often than people.")
    some = [use(f"word{k}", 2, 0.3) for k in range(words.FEW)]
    none = "No phrase is used significantly more or less often by R than by people"
    assert "".join(words.verdict(usage(*some[1:], unit="phrases"), "R")) == f"Only 9 phrases can be compared. {none}."
    enough = usage(*some, unit="phrases")
    assert "".join(words.verdict(enough, "R")) == f"{none} after correction for 10 phrases."
    many = usage(*(use(f"word{k}", 9 - k) for k in range(5)), *(use(f"other{k}", k - 9) for k in range(5)))
    said = "".join(words.verdict(many, "A long name · 0.5"))
    assert "“word0”, “word1” and “word2” more often than people and “other0”, “other1” and “other2” less often" in said
    assert said.endswith("10 of 10 words differ.")
    assert len(said.split()) <= 35


def test_the_word_whose_captions_open_is_one_that_the_verdict_names() -> None:
    assert words.first(usage(use("two", 2, 0.3), use("red", -3, 0.2))).term == "two", "no word stands out"
    assert words.first(usage(use("of", 2, 0.3), use("a", 4, 0.01))).term == "a", "small words only"
    assert words.first(usage()) is None
    assert words.first(usage(use("is", -9), use("red", 3))).term == "red", "content words first"
    many = usage(use("is", -9), *(use(f"w{k}", 8 - k) for k in range(3)), *(use(f"u{k}", k - 7) for k in range(3)))
    assert "“is”" not in "".join(words.verdict(many, "R"))
    assert words.first(many).term == "w0"
    assert words.first(usage(use("two", -9), use("red", 3))).term == "red", "not the surest, which is named last"


def test_function_words_are_said_to_be_small_and_drawn_only_if_they_differ() -> None:
    found = usage(
        use("a", 9), use("of", 5), use("food", 3, 0.09), use("the", -2, 0.3), *(use(f"w{k}", 1, 1) for k in range(9))
    )
    said = "".join(words.verdict(found, "R"))
    assert said == "Only small words clearly differ: R says “a” and “of” more often than people."
    assert words.first(found).term == "food", "captions with “a” show nothing"
    over, under = words.shown(found)
    assert ([row.term for row in over], under) == (["a", "of", "food"], []), "“the” does not differ, nor the others"
    many = usage(use("red", 2), *(use(term, 9) for term in ("the", "of", "in", "on", "at", "by", "for")))
    assert len(words.shown(many)[0]) == words.LEAST
    assert len(words.shown(usage(use("the", 1, 1)))[0]) == 1, "there is nothing else"


def test_of_phrases_that_hold_each_other_the_surest_is_shown() -> None:
    found = usage(use("top of", 6), use("on top of", 5), use("a man", 4), use("top of a", 3), unit="phrases")
    over, under = words.shown(found)
    assert {row.term for row in over} == {"top of", "a man"}
    assert under == []
    assert len(words.table(found).frame()) == 4


@pytest.mark.parametrize("narrow", [False, True])
def test_what_is_said_more_often_lies_right_and_is_filled_if_it_is_told_apart(narrow: bool) -> None:
    rows = [use("<b>x</b>", 5), use("two", 2, 0.09), use("red", -5), use("never", -4, log=-9.0)]
    over, under = words.shown(usage(*rows))
    drawn = chart(over, under, "R", ModelStyle(0), "red", "light", narrow)
    marks = {trace.customdata[0]: trace for trace in drawn.data if trace.customdata is not None}
    assert marks["<b>x</b>"].x[0] > 0 > marks["red"].x[0]
    assert marks["two"].marker.color != marks["<b>x</b>"].marker.color == marks["two"].marker.line.color
    text = " ".join(note.text for note in drawn.layout.annotations)
    assert "<b>x</b>" not in text
    assert "<b>red</b>" in text
    low, _ = drawn.layout.xaxis.range
    assert low < -9.0, "a value is never cut off"
    wide = chart([Row("x", 1.0, -20, 20, 1, 1, 1, False)], [], "R", ModelStyle(0), None, "light")
    assert max(map(abs, wide.layout.xaxis.range)) < 2.7, "a bar without an end does not stretch the axis"
    far = chart([Row("x", 4.1, -20, 20, 1, 1, 1, False)], [], "R", ModelStyle(0), None, "light")
    assert list(far.layout.xaxis.ticktext) == ["0.25 ×", "1 ×", "4 ×", "16 ×", "64 ×", "256 ×"], (
        "few enough to stand upright"
    )


@pytest.mark.parametrize(
    ("narrow", "heads"), [(False, ["times", "run", "people", "p"]), (True, ["times, run v people"])]
)
def test_the_numbers_have_headings_at_every_width(narrow: bool, heads: list[str]) -> None:
    row = words.as_row(use("dog", 1.2, 0.01))
    drawn = chart([row], [row], "A", ModelStyle(0), None, "light", narrow)
    said = [one.text for one in drawn.layout.annotations]
    assert [text for text in said if text in ("times", "run", "people", "p", "times, run v people")] == heads


def test_captions_are_marked_and_escaped() -> None:
    made = captions_html("<R>", ["no such", "<i>A Man</i> runs", "<i>A Man</i> runs"], "a man", "#000", "#111")
    assert "&lt;R&gt;" in made
    assert '<span class="wo">A Man</span>&lt;/i&gt; runs<em>× 2</em>' in made
    assert made.index("A Man") < made.index("no such")
    assert "2 of 3 captions" in made


def test_the_figure_in_words() -> None:
    over, under = words.shown(usage(use("man", 4), use("red", -4)))
    assert words.alt("R", over, under) == (
        "Words of R against people's. Said more often: man 2.7 × (p 0.010). Less often: red 0.37 × (p 0.010)"
    )


def test_content_words_come_before_function_words_and_a_row_can_be_clicked_anywhere() -> None:
    found = usage(
        use("the", 9.0), use("of", 8.0), use("couple", 4.0), use("train", 3.0), use("red", 2.5), use("some", -3.0)
    )
    said = "".join(words.verdict(found, "m"))
    assert "“couple”, “train” and “red” more often" in said
    over, under = words.shown(found)
    figure = chart(over, under, "m", ModelStyle(0), None, "light")
    assert figure.layout.meta == ROWS
    ends = figure.layout.xaxis.range
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert [bar.customdata[0] for bar in bars] == [row.term for row in (*over, *under)]
    assert all(bar.base[0] == ends[0] and bar.base[0] + bar.x[0] == pytest.approx(ends[1]) for bar in bars)
