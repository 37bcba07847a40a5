"""The verdict on sweeps of many lines: the best line of all, where it is best, and where the others are best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from figures.style.escaping import Strong
from figures.style.line_styles import Line, Mark
from figures.style.numbers import temperature
from figures.style.wording import names_in_a_row, sharing
from figures.sweeps.panel_parts import with_value_of
from metrics.analysis.sweeps import Curve, Point, SweepView, tied_with

NAMED = 2
"""Maximum number of lines that are named at an end of the range, or as rivals of the best line."""


def resampled(point: Point) -> bool:
    """Return whether a point shares resamples with others; values for whole runs or few items have none."""
    return bool(np.isfinite(point.boot).any())


def news(view: SweepView, first: Curve, marks: Mapping[Line, Mark], end: str) -> tuple[str, ...]:
    """Return the best of all lines with its rivals, and where lines have their `end` ("lowest" or "highest") values."""
    lines = [curve for curve in view.curves if curve.best is not None]
    names = {curve: marks[curve.sweep.model, curve.sweep.decoder].name for curve in lines}
    assert first.best is not None
    shared = [curve for curve in lines if curve.best in with_value_of(first.best, [c.best for c in lines if c.best])]
    if len(shared) > 1:
        who, have = sharing([names[curve] for curve in shared], len(lines), view.metric, "line")
        return (Strong(who), f"{have} at their best. ", _ends(names, end))
    at = Strong(f"{names[first]} at T {temperature(first.best.setting.temperature)}")
    rivals = _rivals(view, first, names) if resampled(first.best) else ""
    return (f"By {view.metric.label}, ", at, f" is {end} of {len(lines)} lines{rivals}. ", _ends(names, end))


def _rivals(view: SweepView, first: Curve, names: Mapping[Curve, str]) -> str:
    others = {curve.best: name for curve, name in names.items() if curve is not first and curve.best is not None}
    assert first.best is not None
    tied = [others[point] for point in tied_with(view, first.best, list(others))]
    if not tied:
        return ", significantly ahead of all others"
    return f"; {names_in_a_row(tied) if len(tied) <= NAMED else f'{len(tied)} others'} may be as good"


def _ends(names: Mapping[Curve, str], end: str) -> str:
    flat = [curve for curve in names if curve.best and with_value_of(curve.best, curve.points) == list(curve.points)]
    found = {one: float(one.best.setting.temperature) for one in names if one.best and one not in flat}  # type: ignore[arg-type]
    if not found:
        return ""
    times, (low, high) = Counter(found.values()), (min(found.values()), max(found.values()))
    if low == high:
        every = "Every line" if not flat else "Every other line"
        return f"{every} has its {end} value at T {temperature(low)}."
    who = {t: _who([names[curve] for curve, own in found.items() if own == t]) for t in (low, high)}
    span = " to ".join(f"{temperature(t)} ({lines})" for t, lines in who.items())
    often, many = times.most_common(1)[0]
    most = f", most often {temperature(often)} ({many} lines)" if often not in (low, high) and many > 1 else ""
    return f"The {end} values are at T {span}{most}."


def _who(names: Sequence[str]) -> str:
    return names_in_a_row(names) if len(names) <= NAMED else f"{len(names)} lines"
