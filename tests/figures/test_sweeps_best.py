"""Which temperatures the sweeps call a line's best, and how surely, by the numbers behind them."""

from __future__ import annotations

from dataclasses import replace

from figures.style.lines import marks_of
from figures.sweeps import words as sweeps_words
from metrics.analysis.human import Human
from metrics.analysis.sweeps import Curve, Point, SweepView
from tests.figures.test_sweeps import ROUGE, TRM, runs_of, view_of


def test_a_temperature_without_a_value_is_not_found_worse() -> None:
    runs = runs_of("A", "B")
    marks, quality = marks_of(runs), view_of(runs, {m: [1.0, 2.0, 3.0] for m in "AB"}, ROUGE)
    first, second = view_of(runs, {m: [2.0, 1.0, 1.2] for m in "AB"}).curves

    def without(curve: Curve) -> Curve:
        unknown = Point(curve.points[0].setting, reason="needs 2 candidates, has 1")
        return replace(curve, points=(unknown, *curve.points[1:]))

    for curves, said in (
        ((first, second), f"would choose the coldest, which {TRM.label} finds worse. "),
        ((without(first), second), f"would choose the coldest, which {TRM.label} finds worse for B. "),
        ((without(first), without(second)), "would choose the coldest temperature. "),
    ):
        view = SweepView(TRM, "lowest", curves, (), Human())
        assert said in "".join(sweeps_words.verdict([view, quality], marks))
