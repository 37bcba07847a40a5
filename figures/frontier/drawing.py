"""Parts shared by the frontier's marks and labels: axes, names of runs and paths, corners of the step line."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import plotly.graph_objects as go

from figures.style import drawing
from figures.style.escaping import short
from figures.style.line_styles import Mark, labels_of_runs
from figures.style.numbers import defined
from figures.style.palette import Mode, ModelStyle, tone
from metrics.analysis.frontier import Axis, Frontier

_LONGEST = 26
_WHOLE = 44
"""Maximum length of a name in characters, and that of a single run's name if there are too many models for colours."""
READABLE = 8
"""Maximum number of runs whose crosses can be told apart."""
HUES = 12
"""Maximum number of models that colours can distinguish."""
_REACH = 0.6
"""A human value may extend an axis by this share of the runs' own range; a more distant one is only mentioned."""


@dataclass(frozen=True)
class Scale:
    """One axis as drawn: its ends in the metric's units, the worse or less diverse end first."""

    start: float
    end: float

    def at(self, values: Any) -> Any:
        """Return positions on the axis as shares in 0..1."""
        return (values - self.start) / (self.end - self.start)


@dataclass(frozen=True)
class Drawing:
    """Data shared by every part of the chart."""

    view: Frontier
    marks: Mapping[str, Mark]
    mode: Mode
    x: Scale
    y: Scale
    intervals: bool = True
    chosen: int | None = None
    figure: go.Figure = field(default_factory=drawing.Drawing)

    def style(self, run: int) -> ModelStyle:
        """The style of the run's model."""
        return self.mark(run).style

    @cached_property
    def lit(self) -> frozenset[int]:
        """The positions of the runs in their models' colours (see the function `lit`)."""
        return lit(self.view, self.chosen)

    @cached_property
    def crosses(self) -> frozenset[int]:
        """The positions of the runs with a cross."""
        return crossed(self.view, self.chosen) if self.intervals else frozenset()

    def crossed(self, run: int) -> bool:
        """Return whether the run has a cross: a cross for each of many models would hide the marks."""
        return run in self.crosses

    def colour(self, run: int) -> str:
        """The colour of the run's mark."""
        return self.style(run).mark(self.mode) if run in self.lit else tone("muted", self.mode)

    def ink(self, run: int) -> str:
        """The colour of the run's label."""
        return self.style(run).text(self.mode) if run in self.lit else tone("muted", self.mode)

    def mark(self, run: int) -> Mark:
        """The mark of the run at this position."""
        return self.marks[self.view.runs[run].name]

    def path_name(self, path: Sequence[int]) -> str:
        """The name of a path or of a single run, written beside its marks."""
        if len(path) == 1:
            # Colours say whose setting a name such as "sampling" is only if every model has one.
            few = few_models(self.view)
            lines = {self.view.runs[path[0]].model for path in self.view.paths if len(path) > 1 and few}
            names = labels_of_runs(self.view.runs, lines)
            return short(names[path[0]], _LONGEST if few else _WHOLE, names)
        return self.mark(path[0]).cut(_LONGEST)


def few_models(view: Frontier) -> bool:
    """Return whether colours can distinguish the models of the runs."""
    return len({run.model for run in view.runs}) <= HUES


def lit(view: Frontier, chosen: int | None) -> frozenset[int]:
    """Return the positions of the runs in their models' colours.

    These are all runs or, with too many models, the ends of the front and the chosen run.
    """
    if few_models(view):
        return frozenset(range(len(view.runs)))
    ends = [*view.order[:1], *view.order[-1:]]
    return frozenset(int(k) for k in (*ends, chosen) if k is not None)


def crossed(view: Frontier, chosen: int | None) -> frozenset[int]:
    """Return the positions of the runs with crosses: those in colour or, if that would hide marks, the chosen run."""
    return lit(view, chosen) if chosen is None or not alone_crossed(view, chosen) else frozenset({chosen})


def alone_crossed(view: Frontier, chosen: int | None) -> bool:
    """Return whether only the chosen run has a cross: among more than READABLE runs, crosses cannot be told apart."""
    return chosen is not None and len(view.runs) > READABLE


def scale(axis: Axis, intervals: Collection[int] | bool, human: bool) -> Scale:
    """Return an axis that spans the values, some intervals and, if `human`, the human value with its interval.

    `intervals` are the positions of runs whose intervals it spans: those of all runs if True, of none if False.
    """
    of = slice(None) if intervals is True else sorted(intervals or ())
    parts = [axis.value, axis.low[of], axis.high[of]]
    if human:
        parts.append(np.array([axis.human.value, axis.human.low, axis.human.high]))
    known = np.concatenate(parts)
    known = known[np.isfinite(known)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    pad = 0.07 * (high - low) or 0.05 * (abs(high) or 1.0)
    return Scale(low - pad, high + pad) if axis.sign > 0 else Scale(high + pad, low - pad)


def shared_scales(views: Sequence[Frontier], intervals: bool) -> tuple[Scale, Scale]:
    """Return x and y axes that fit several frontiers by the same two metrics."""
    x, y = (
        [scale(axis, intervals, human_shown(axis)) for view, axis in zip(views, axes)]
        for axes in ([view.diversity for view in views], [view.quality for view in views])
    )
    return _spanned(x), _spanned(y)


def _spanned(scales: Sequence[Scale]) -> Scale:
    low, high = min, max
    if scales[0].start > scales[0].end:
        low, high = max, min
    return Scale(low(one.start for one in scales), high(one.end for one in scales))


def human_shown(axis: Axis) -> bool:
    """Return whether there is a human value that is not far beyond all runs."""
    value = axis.human.value
    known = axis.value[np.isfinite(axis.value)]
    if not defined(value) or not len(known):
        return False
    low, high = float(known.min()), float(known.max())
    reach = _REACH * ((high - low) or abs(high) or 1.0)
    return low - reach <= value <= high + reach


def steps(view: Frontier, x: Scale, y: Scale) -> list[tuple[float, float]]:
    """Return the corners of the border of the dominated region, from the left edge of the plot to the lower one.

    [] without runs on the front.
    """
    corners: list[tuple[float, float]] = []
    for k in view.order:
        here = float(view.diversity.value[k]), float(view.quality.value[k])
        corners += [(corners[-1][0] if corners else x.start, here[1]), here]
    return [*corners, (corners[-1][0], y.start)] if corners else []


def pale(colour: str, mode: Mode, share: float = 0.55) -> str:
    """Return a `share` (0 to 1) of a colour mixed with the background: opaque, so that lines do not show through."""
    ground = tone("paper", mode)
    parts = [(int(colour[i : i + 2], 16), int(ground[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(share * own + (1 - share) * paper):02X}" for own, paper in parts)
