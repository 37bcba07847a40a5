"""Test which temperatures the sweeps call the best of a line, and how certain they say that is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from figures.style.html import split_verdict
from figures.style.line_styles import marks_of
from figures.sweeps import chart as sweeps_chart
from figures.sweeps import tables as sweeps_tables
from figures.sweeps import words as sweeps_words
from metrics.analysis.human_line import Human
from metrics.analysis.sweeps import Curve, Optimum, Point, SweepView
from metrics.engine.result import PENDING
from tests.figures.test_sweeps import ROUGE, TRM, runs_of, trace, view_of


def test_a_temperature_without_a_value_is_not_found_worse() -> None:
    runs = runs_of("A", "B")
    marks, quality = marks_of(runs), view_of(runs, {m: [1.0, 2.0, 3.0] for m in "AB"}, ROUGE)
    first, second = view_of(runs, {m: [2.0, 1.0, 1.2] for m in "AB"}).curves

    def without(curve: Curve) -> Curve:
        unknown = Point(curve.points[0].setting, reason="needs 2 candidates, has 1")
        return replace(curve, points=(unknown, *curve.points[1:]))

    for curves, said in (
        ((first, second), "By ROUGE-L, both lines are significantly better at the coldest temperature. "),
        ((without(first), second), "By ROUGE-L, B is significantly better at the coldest temperature. "),
        ((without(first), without(second)), "no temperature is significantly best on either line. A at T 1.0"),
    ):
        view = SweepView(TRM, "lowest", curves, (), Human())
        assert said in "".join(sweeps_words.verdict([view, quality], marks))


def with_optima(view: SweepView, *optima: Optimum) -> SweepView:
    return replace(view, curves=tuple(replace(c, optimum=best) for c, best in zip(view.curves, optima)))


def test_a_best_value_that_is_not_judged_is_said_to_be_no_more() -> None:
    runs = runs_of("A", "B")
    marks, view = marks_of(runs), view_of(runs, {m: [2.0, 1.0, 1.2] for m in "AB"})

    def said(*optima: Optimum) -> str:
        return "".join(sweeps_words.verdict([with_optima(view, *optima)], marks))

    by = f"By {TRM.label},"
    unsure, sure = Optimum(1), Optimum(1, (1, 2))
    assert said(unsure, unsure).startswith(f"{by} both lines have their lowest values at T 1.0.")
    assert said(sure, unsure).startswith(f"{by} A is best within T 1.0 to 1.5, B has its lowest value at T 1.0.")
    assert said(unsure, sure).startswith(f"{by} B is best within T 1.0 to 1.5, A has its lowest value at T 1.0.")
    assert "best at" not in said(Optimum(2), Optimum(2)), "nor at the hottest temperature"


def test_a_point_that_is_beaten_is_not_named_or_drawn_between_two_that_may_be_best() -> None:
    runs = runs_of("A", temperatures=(0.5, 1.0, 1.5, 2.0, 2.5))
    marks, view = marks_of(runs), view_of(runs, {"A": [1.0, 3.0, 1.1, 1.2, 4.0]})
    for may_be, span in (
        ((0, 2), "T 0.5 or 1.5"),
        ((0, 2, 3), "any T but 1.0 and 2.5"),
        ((0, 2, 3, 4), "any T but 1.0"),
        ((0, 2, 4), "any T but 1.0 and 2.0"),
    ):
        shown = with_optima(view, Optimum(0, may_be))
        said = "".join(sweeps_words.verdict([shown], marks))
        verb = "may be" if "but" in span else "is"
        assert said.startswith(f"By {TRM.label}, A {verb} best at {span}.")
        assert said.endswith(f"; {span} may be its best.")
        thick = trace(sweeps_chart.temperature_panel(shown, marks, "light"), "A, what may be best")
        assert [x for x in thick.x if x is not None] == [0.5 + k / 2 for k in may_be]
        assert (thick.x[1], thick.y[1]) == (None, None), "the line breaks"
        assert thick.marker.size[0] > thick.line.width, "a point without such a neighbour is a large dot"
        assert (
            thick.marker.color
            == thick.line.color
            != trace(sweeps_chart.temperature_panel(shown, marks, "light"), "A").line.color
        ), "paler than the line, which keeps its own style"
        listed = sweeps_tables.optima([shown], marks)["May be best at T"].iloc[0]
        assert listed == ", ".join(f"{0.5 + k / 2:.1f}" for k in may_be)
    lacking = view_of(runs, {"A": [1.0, float("nan"), 1.1, 1.2, 4.0]})
    said = "".join(sweeps_words.verdict([with_optima(lacking, Optimum(0, (0, 2, 3)))], marks))
    assert "A is best at T 0.5 or 1.5 to 2." in said, "what has no value is not ruled out"
    none = "".join(sweeps_words.verdict([with_optima(view, Optimum(0, (0, 1, 2, 3, 4)))], marks))
    assert none.startswith(f"By {TRM.label}, A has no temperature that is significantly best.")
    two = view_of(runs_of("A", "B"), {m: [1.0, 3.0, 1.1] for m in "AB"})
    both = "".join(sweeps_words.verdict([with_optima(two, *[Optimum(0, (0, 1, 2))] * 2)], marks_of(runs_of("A", "B"))))
    assert both.startswith(f"By {TRM.label}, no temperature is significantly best on either line.")
    alone = "".join(sweeps_words.verdict([with_optima(view, Optimum(0, (0,)))], marks))
    assert alone.endswith("every other temperature tried is worse.")


def test_of_many_lines_the_verdict_has_the_best_its_rivals_and_where_the_others_are() -> None:
    models = [f"m{k}" for k in range(6)]
    runs = runs_of(*models)
    view = view_of(runs, {m: [2.0, 1.0 + k, 1.2 + k] for k, m in enumerate(models)})
    shown, _ = split_verdict(sweeps_words.verdict([view], marks_of(runs)))
    assert "".join(shown).strip() == (
        f"By {TRM.label}, m0 at T 1.0 is lowest of 6 lines, significantly ahead of all others. "
        "The lowest values are at T 0.5 (5 lines) to 1.0 (m0)."
    )
    three = {m: [2.0, 1.5, 3.0] for m in models[1:4]} | {"m0": [1.0, 2.0, 3.0], "m4": [4.0, 3.0, 2.0], "m5": [3, 2, 9]}
    shown, _ = split_verdict(sweeps_words.verdict([view_of(runs, three)], marks_of(runs)))
    said = "".join(shown)
    assert "The lowest values are at T 0.5 (m0) to 1.5 (m4), most often 1.0 (4 lines)." in said
    assert len(said.split()) <= 35
    alike = view_of(runs, {m: [2.0, 1.0 + k * 1e-6, 1.2] for k, m in enumerate(models)})
    rng = np.random.default_rng(0)
    noisy = [tuple(replace(p, boot=p.value + rng.normal(size=2000)) for p in curve.points) for curve in alike.curves]
    alike = replace(alike, curves=tuple(replace(c, points=points) for c, points in zip(alike.curves, noisy)))
    said = "".join(sweeps_words.verdict([alike], marks_of(runs)))
    assert said.startswith(
        f"By {TRM.label}, m0 at T 1.0 is lowest of 6 lines; 5 others may be as good. Every line has its"
    )
    unjudged = replace(
        alike,
        curves=tuple(
            replace(c, points=tuple(Point(**{**vars(p), "boot": p.boot * np.nan}) for p in c.points))
            for c in alike.curves
        ),
    )
    said = "".join(sweeps_words.verdict([unjudged], marks_of(runs)))
    assert said.startswith(f"By {TRM.label}, m0 at T 1.0 is lowest of 6 lines. ")


def test_a_best_point_is_the_best_so_far_while_others_are_computed() -> None:
    runs = runs_of("A")
    marks, whole = marks_of(runs), view_of(runs, {"A": [3.0, 2.0, 2.5]})
    (curve,) = whole.curves
    cut = replace(curve, points=(*curve.points[:2], Point(curve.points[2].setting, reason=PENDING)))
    part = replace(whole, curves=(cut,))
    assert sweeps_words.panel_sub(whole, marks).startswith("Lowest: T 1.0")
    assert sweeps_words.panel_sub(part, marks).startswith("Lowest so far: T 1.0")
    none = replace(curve, points=tuple(Point(p.setting, reason=PENDING) for p in curve.points), optimum=None)
    assert sweeps_words.panel_sub(replace(whole, curves=(none,)), marks) == "Being computed."
    said = ["".join(getattr(p, "text", str(p)) for p in sweeps_words.verdict([of], marks)) for of in (whole, part)]
    assert ["so far" in text for text in said] == [False, True]
    assert ["may be its best" in text for text in said] == [True, False]
    cold = view_of(runs, {"A": [1.0, 2.0, 2.5]}, ROUGE)
    for views, sure in (([whole, cold], True), ([whole, replace(part, metric=ROUGE)], False)):
        assert ("coldest" in "".join(map(str, sweeps_words.verdict(views, marks)))) == sure, (
            "an unfinished line has no end"
        )
