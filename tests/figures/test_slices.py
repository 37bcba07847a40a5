"""Test the sentences and figures about slices: directions, counts, and that text of a study is only data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from figures.slices import words
from figures.slices.chart import Heads, Row, chart, lengths
from figures.style.drawing import ROWS
from figures.style.palette import ModelStyle, model_styles, tone
from figures.views.slices import VIEW, Sliced
from figures.views.view import Known
from metrics.analysis.slices import differences as analysis
from metrics.analysis.slices.groups import Slice
from metrics.analysis.slices.lengths import LengthCurve
from metrics.registry import METRICS
from tests.studies import study as random_study


def values(metric: str = "cider_d", runs: int = 2) -> analysis.Values:
    sides = np.vstack([np.linspace(0, 1, 20), np.zeros(20)])[:runs]
    return analysis.Values(METRICS[metric], analysis.Design("A", "B" if runs > 1 else None), sides, np.full(20, np.nan))


def found(*rows: tuple[Slice, float, float]) -> analysis.SliceDifferences:
    made = tuple(
        analysis.SliceDifference(one, 10, value, value - 0.1, value + 0.1, 0.5, value - 0.5, 0, 0, p, p)
        for one, value, p in rows
    )
    return analysis.SliceDifferences(made, "holm", 0.5, 0.4, 0.6, 20)


DOG, CAT = Slice("word", "", "dog", (0, 1)), Slice("word", "", "cat", (2, 3))
LENGTH = Slice("length", "", "1", (4,), 7.25, 9.6)


def said(of: analysis.Values, *rows: tuple[Slice, float, float], names: tuple[str, ...] = ("A", "B")) -> str:
    return "".join(words.verdict(of, found(*rows), names, "image"))


@pytest.mark.parametrize(
    ("field", "words_of_it"),
    [
        ("split", "split"),
        ("facts.also there", "facts, also there"),
        ("image_source", "image source"),
        ("_", "_"),
        ("a.", "a, "),
    ],
)
def test_a_field_is_named_in_words_and_keeps_its_key(field: str, words_of_it: str) -> None:
    one = Slice("field", field, "x_y.z", (0, 1))
    assert words.name(one) == f"{words_of_it}: x_y.z"
    assert words.phrase(one, "image") == f"images with {words_of_it} x_y.z"
    assert one.key == f"field:{field}:x_y.z"


@pytest.mark.parametrize(
    ("field", "title"),
    [
        ("coherence.references", "People's coherence"),
        ("reference_coherence", "People's coherence"),
        ("coherence.big_true", "Coherence of big_true"),
    ],
)
def test_a_field_that_the_app_named_begins_its_row_with_a_capital(field: str, title: str) -> None:
    one = Slice("field", field, "x_y.z", (0, 1))
    assert words.name(one) == f"{title}: x_y.z"
    assert words.phrase(one, "image") == f"images with {title[0].lower()}{title[1:]} x_y.z"


def test_agreement_is_named_in_its_row_and_its_metric_below() -> None:
    agree = Slice("consensus", "", "1", (5,), 0.42, 0.47)
    assert words.name(agree) == "People's agreement: 0.42–0.47"
    study = random_study(items=6)
    below = "people's agreement: ROUGE-L of each caption with the others"
    assert below in words.facts(study, values(), found((agree, 0.1, 0.2)), 1)
    assert below not in words.facts(study, values(), found((DOG, 0.1, 0.2), (agree, 0.1, 0.2)), 1)


def test_it_is_said_what_p_tests_and_what_the_numbers_are() -> None:
    study = random_study(items=6)
    some, tested = found((DOG, 0.1, 0.2)), "p: a slice against the other items"
    assert f"{tested}, not against 0" in words.facts(study, values(), some, 1)
    assert tested in words.facts(study, values(runs=1), some, 1), "a run alone is not drawn beside 0"
    runs = study.runs[:2]
    for metric, value in (("cider_d", "advantage"), ("distinct_2", "difference")):
        heads = words.heads(study, METRICS[metric], runs, ["A", "B"])
        assert heads.value == value
        assert heads.gain == ("better" if value == "advantage" else "more varied"), "more diverse is no gain"
        drawn = chart([words.row(values(), found((DOG, 0.9, 0.01)).rows[0])], heads, None, "light")
        assert value in [text.text for text in drawn.layout.annotations]
        assert drawn.layout.meta == ROWS, "a row can be clicked anywhere"
    assert words.heads(study, METRICS["cider_d"], runs[:1], ["A"]).value == "mean"


def test_none_is_said_with_how_many() -> None:
    text = said(values(), (DOG, 0.9, 0.2), (CAT, 0.1, 0.3))
    assert text == "None of 2 slices stands out in the CIDEr-D difference between A and B."
    assert words.more(values(), found((DOG, 0.9, 0.2), (CAT, 0.1, 0.3)), "image") == (
        "Nearest: images where people say “dog” (+0.90, elsewhere +0.50; corrected p 0.20).",
    )


def test_slices_are_shown_by_evidence_and_only_those_that_stand_out() -> None:
    hot, cold = (Slice("field", "temperature", str(k), (k,), k, k + 1.0) for k in (1, 0))
    rows = found((CAT, 0.1, 0.01), (hot, 0.9, 0.02), (DOG, 0.9, 0.03), (LENGTH, 0.4, 0.2), (cold, 0.3, 0.4))
    assert [row.slice for row in words.rows(rows)] == [CAT, cold, hot, DOG], "quarters stand together, in their order"
    none = found((CAT, 0.1, 0.2), (DOG, 0.9, 0.3))
    assert [row.slice for row in words.rows(none)] == [CAT, DOG]
    days = [Slice("field", "day", str(k), (k,)) for k in range(20)]
    crowded = found((days[0], 0.1, 0.01), (DOG, 0.9, 0.02), *((day, 0.5, 0.9) for day in days[1:]))
    shown = [row.slice for row in words.rows(crowded)]
    assert shown == [*days[: words.SHOWN - 1], DOG], "others of a field leave room for what stands out"


def test_the_gap_that_would_have_been_found_is_folded_below_the_verdict() -> None:
    """With Bonferroni for two slices, 80 % power takes (2.2414 + 0.8416) / 1.96 half-widths of a 95 % interval."""
    rows = found((DOG, 0.9, 0.2), (CAT, 0.1, 0.3)).rows
    wide = [row._replace(gap_low=row.gap - half, gap_high=row.gap + half) for row, half in zip(rows, (0.1, 0.2))]
    some = replace(found(), rows=tuple(wide))
    assert analysis.detectable(some) == pytest.approx([0.1573, 0.3146], abs=1e-4)
    assert words.more(values(), some, "image")[1:] == (
        "Depending on the slice, a gap of 0.16 to 0.31 from the rest would stand out in about 4 of 5 cases.",
    )
    assert words.more(values(), found((DOG, 0.9, 0.01), (CAT, 0.1, 0.3)), "image") == ()


def test_where_none_stands_out_the_line_below_says_what_was_tried() -> None:
    agree, split = Slice("consensus", "", "1", (5,), 0.25, 0.5), Slice("field", "split", "x", (0, 1))
    study, none = random_study(items=6), found(*((one, 0.1, 0.2) for one in (split, LENGTH, DOG, CAT, agree)))
    assert "tried: people's words (2), length (1), agreement (1), fields (1)" in words.facts(study, values(), none, 5)
    assert not any("tried" in fact for fact in words.facts(study, values(), found((DOG, 0.9, 0.01)), 1))


def test_both_ends_are_named_and_only_what_is_told_apart() -> None:
    text = said(values(), (DOG, 0.9, 0.01), (CAT, 0.1, 0.02), (LENGTH, 3.0, 0.06))
    assert text == (
        "A leads B by more on images where people say “dog” (+0.90, elsewhere +0.50) and by less on “cat” (+0.10, "
        "elsewhere +0.50). "
        "2 of 3 slices differ from the rest."
    )
    only = said(values(), (LENGTH, 0.1, 0.01))
    assert only.startswith(
        "A leads B by less on images with 7.25 to 9.6 words per caption by people (+0.10, elsewhere +0.50)."
    )


def test_the_slice_that_opens_is_the_one_that_the_verdict_names_first() -> None:
    surest_is_not_largest = found((CAT, 0.6, 0.01), (DOG, 0.9, 0.02), (LENGTH, 0.1, 0.03))
    for rows, opened in ((surest_is_not_largest, DOG), (found((CAT, 0.1, 0.01), (DOG, 0.2, 0.02)), CAT)):
        first = words.first(values(), rows)
        assert first is not None
        assert first.slice == opened
    assert words.first(values(), found((CAT, 0.6, 0.2), (DOG, 0.9, 0.3))) is None, "none stands out"


def test_less_is_better_of_a_distance() -> None:
    text = said(values("trm_bow"), (DOG, 0.9, 0.01), (CAT, 0.1, 0.02))
    assert text.startswith(
        "A trails B by less on images where people say “cat” (−0.10, elsewhere −0.50) and by more on"
    )
    alone = said(values("trm_bow", 1), (DOG, 0.9, 0.01), (CAT, 0.1, 0.02), names=("A",))
    assert (
        "A does better on images where people say “cat” (TRM bag of words 0.10, elsewhere 0.50), worse on “dog” (0.90, "
        in alone
    )


def test_diversity_has_no_better_side() -> None:
    two = said(values("distinct_2"), (DOG, 0.9, 0.01), (CAT, 0.1, 0.02))
    assert two.startswith("A is more varied than B, more so on images where people say “dog” (+0.90, elsewhere +0.50)")
    assert " and less so on “cat” (+0.10, " in two
    repeated = said(values("self_bleu_2"), (DOG, 0.9, 0.01))
    assert repeated.startswith("A is less varied than B, more so on"), "more Self-BLEU is less varied"
    alone = said(values("self_bleu_2", 1), (DOG, 0.9, 0.01), (CAT, 0.1, 0.02), names=("A",))
    assert (
        "A is more varied on images where people say “cat” (Self-BLEU-2 0.10, elsewhere 0.50), less varied on “dog”"
        in alone
    )


@pytest.mark.parametrize(
    ("here", "elsewhere", "said"),
    [
        (0.4, 0.1, "leads B by more"),
        (0.1, 0.4, "leads B by less"),
        (0.1, -0.4, "leads B"),
        (-0.4, -0.1, "trails B by more"),
        (-0.1, -0.4, "trails B by less"),
        (-0.1, 0.4, "trails B"),
        (0.0, -0.4, "trails B by less"),
    ],
)
def test_who_leads_on_a_slice_is_said_as_it_is(here: float, elsewhere: float, said: str) -> None:
    """A slice is compared with the other items, but a run that leads by less on the slice is still ahead on it."""
    row = analysis.SliceDifference(DOG, 10, here, here, here, elsewhere, here - elsewhere, 0, 0, 0.01, 0.01)
    text = "".join(words.verdict(values(), replace(found(), rows=(row,)), ["A", "B"], "image"))
    numbers = f"({words.signed(here, 2)}, elsewhere {words.signed(elsewhere, 2)})"
    assert text.startswith(f"A {said} on images where people say “dog” {numbers}. ")


def test_the_verdict_of_two_long_slices_has_35_words() -> None:
    agree = Slice("consensus", "", "1", (5,), 0.25, 0.5)
    text = said(values(), (LENGTH, 0.9, 0.01), (agree, 0.1, 0.02))
    assert text.endswith(" and by less on images where people's agreement is 0.25 to 0.50 (+0.10, elsewhere +0.50).")
    assert len(text.split()) <= 35
    assert said(values(), (LENGTH, 0.9, 0.01), (CAT, 0.1, 0.02)).endswith("2 of 2 slices differ from the rest.")
    assert len(said(values(), (DOG, 0.9, 0.01), (CAT, -0.1, 0.02)).split()) <= 35


def test_captions_are_shown_of_what_stands_out_or_is_asked_for() -> None:
    few = Sliced(values(), found((DOG, 0.9, 0.2), (CAT, 0.1, 0.3)))
    known = Known(random_study(items=2))
    assert VIEW.picked(known, few, "") == ""
    assert VIEW.picked(known, few, CAT.key) == CAT.key
    assert VIEW.picked(known, replace(few, found=found((DOG, 0.9, 0.01))), "") == DOG.key


def test_a_single_slice_is_no_none() -> None:
    only = said(values(), (DOG, 0.9, 0.2))
    assert only == "The only slice does not stand out in the CIDEr-D difference between A and B."
    alone = said(values(runs=1), (DOG, 0.9, 0.2), names=("A",))
    assert alone == "The only slice does not stand out by CIDEr-D."


@pytest.mark.parametrize("narrow", [False, True])
def test_a_mark_a_slice_and_the_mean_of_all(narrow: bool) -> None:
    rows = [Row("word:<b>x", "“<b>x”", 12, 0.4, 0.1, 0.03, True), Row("k", "k", 5, -0.1, 0.2, 0.4, False)]
    styles = model_styles(["a", "b"])
    drawn = chart(
        rows, Heads("A: advantage", "advantage", ("A", "B"), (styles["a"], styles["b"])), "k", "light", narrow
    )
    lines = [trace for trace in drawn.data if trace.type == "scatter" and trace.mode == "lines"]
    assert [trace.x for trace in lines] == [(0.1, 0.4), (0.2, -0.1)], "from the others' mean, and no interval"
    marks = [trace for trace in drawn.data if trace.type == "scatter" and trace.mode == "markers"]
    targets = [trace for trace in drawn.data if trace.type == "bar"]
    assert [trace.customdata[0] for trace in marks] == ["word:<b>x", "k"]
    assert [trace.customdata[0] for trace in targets] == ["word:<b>x", "k"], "the whole row is a target"
    assert {trace.base[0] for trace in targets} == {drawn.layout.xaxis.range[0]}
    assert [trace.base[0] + trace.x[0] for trace in targets] == pytest.approx([drawn.layout.xaxis.range[1]] * 2)
    assert marks[0].marker.color != marks[1].marker.color
    assert any(shape.x0 == 0.2 == shape.x1 for shape in drawn.layout.shapes), "a tick at the mean of the others"
    assert "<b>x" not in "".join(str(trace.hovertemplate) for trace in marks)
    crossed = [(k, shape) for k in range(2) for shape in drawn.layout.shapes if shape.y1 < 0.4 - k < shape.y0]
    assert bool([one for one in crossed if one[1].type == "line"]) is not narrow


def test_the_table_has_every_slice_turned() -> None:
    of, rows = values("trm_bow"), found((DOG, 0.9, 0.01), (LENGTH, 0.1, 0.02))
    table = words.table(of, rows)
    seen, whole = table.readable(), table.frame()
    assert seen["Advantage in TRM bag of words"].tolist() == [-0.9, -0.1] == whole.value.tolist()
    assert whole.gap.tolist() == pytest.approx([-0.4, 0.4])
    assert set(whole.measure) == {"advantage"}
    assert tuple(whole.columns) == words.COLUMNS
    assert ((whole.ci_low < whole.value) & (whole.value < whole.ci_high)).all()
    assert seen.Slice.tolist() == ["“dog”", "Words per caption: 7.25–9.6"]
    one = words.table(values(runs=1), found((DOG, 0.9, 0.01)))
    assert "CIDEr-D" in one.readable()
    assert set(one.frame().measure) == {"score"}
    assert set(words.table(values("distinct_2"), rows).frame().measure) == {"difference"}


def test_lengths_have_a_line_a_run() -> None:
    one = LengthCurve("a", *(np.arange(3.0) + k for k in range(4)), np.array([5, 5, 5]), 0.3)
    drawn = lengths(
        [one, replace(one, run="b")], ["a", "b"], list(model_styles(["a", "b"]).values()), "CIDEr-D", "dark"
    )
    assert [trace.name for trace in drawn.data] == ["a", "b"]
    assert len(words.length_table([one, one]).readable()) == 6


def test_a_small_slice_that_varies_more_is_said_to_be_told_apart_too_often() -> None:
    of, study, note = values(), random_study(items=6), "significant by chance in up to 11 % of cases, not 5 %"
    wild = replace(of, sides=of.sides + np.where(np.arange(20) < 5, (-5.0, 9.0, -3.0, 0.0, 4.0) * 4, 0.0) * [[1], [0]])
    here, calm = Slice("word", "", "dog", tuple(range(5))), Slice("word", "", "cat", tuple(range(10, 15)))
    below = words.facts(study, wild, found((here, 2.0, 0.01), (calm, 1.0, 0.01)), 2)
    assert (
        f"“dog” varies more than twice as much as the other items: with few, skewed values, such a slice is {note}"
        in below
    )
    for other, p in ((of, 0.01), (wild, 0.2)):
        assert not any(note in line for line in words.facts(study, other, found((here, 2.0, p)), 1))


@pytest.mark.parametrize(("label", "cut"), [("“dog”", False), ("x" * 30, False), ("x" * 31, True)])
def test_a_hover_box_has_two_lines_and_names_a_row_only_where_its_label_is_cut(label: str, cut: bool) -> None:
    drawn = chart([Row("key", label, 12, 0.5, 0.4, 0.01, True)], Heads("CIDEr-D", "mean"), None, "light")
    boxes = [trace.hovertemplate.removesuffix("<extra></extra>") for trace in drawn.data if trace.hovertemplate]
    assert boxes
    for box in boxes:
        assert box.split("<br>")[-2:] == ["0.50, elsewhere 0.40", "p 0.010, n = 12"]
        assert box.startswith(label) is cut
        assert box.count("<br>") == 1 + cut


def test_long_names_of_runs_stand_whole_on_two_lines_of_a_phone() -> None:
    rows = [Row("key", "white", 12, 0.5, 0.4, 0.01, True)]
    names = ("transformer · greedy", "attention · greedy 2")
    for sides, narrow, apart in ((names, True, 17), (names, False, 0), (("A", "B"), True, 0)):
        of = Heads("A: advantage", "advantage", sides, (ModelStyle(0), ModelStyle(6)))
        drawn = chart(rows, of, None, "light", narrow)
        first, second = (
            next(note for note in drawn.layout.annotations if note.text == text)
            for text in (f"<b>{sides[0]} better →</b>", f"<b>← {sides[1]} better</b>")
        )
        assert first.yshift - second.yshift == apart
        assert second.font.color == tone("ink", "light"), "not in a second blue"
