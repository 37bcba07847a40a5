"""A single set of captions in the plane of the cloud, as a small panel beside those of other sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

from figures.cloud.chart import Texts, cloud
from figures.cloud.labels import labels
from figures.style.palette import Mode, ModelStyle
from metrics.analysis.cloud.lasso import Area
from metrics.analysis.cloud.places import Place
from metrics.analysis.cloud.view import CloudView, Group

HEIGHT = {1: 430, 2: 400, 3: 300, 4: 254}
"""Height in px by the number of panels beside one another."""
_NOBODY = np.empty(0, dtype=np.int64)


def columns(panels: int) -> int:
    """Return how many panels to place side by side, so that half of the page does not stay empty."""
    return {1: 1, 2: 2, 3: 3, 5: 3, 6: 3}.get(panels, 4)


def of_group(view: CloudView, group: Group | None) -> CloudView:
    """Return the view of one group with the regions of people; that of people alone for None."""
    if group is None:
        alone = replace(view, groups=(), value=None, metric=None)
    else:
        alone = replace(view, groups=(group,), people=replace(view.people, rows=_NOBODY))
    shown = alone.shown
    stars, found = (None if rows is None else np.intersect1d(rows, shown) for rows in (view.stars, view.found))
    return replace(alone, stars=stars, found=found)


def panel(
    view: CloudView,
    texts: Texts,
    styles: Mapping[str, ModelStyle],
    mode: Mode,
    picked: int | None = None,
    around: Sequence[Area] = (),
    width: float | None = None,
    named: Sequence[Place] = (),
    beside: int = 2,
) -> go.Figure:
    """Return the view of one group as `cloud` draws it, without legend; `beside` counts the panels side by side."""
    figure, height = cloud(view, texts, styles, mode, picked, around, width, small=True), HEIGHT[beside]
    margin = {"l": 2, "r": 2, "t": 4, "b": 4}
    figure.update_layout(height=height, showlegend=False, margin=margin, dragmode=False)
    figure.update_xaxes(title_text="")
    figure.update_yaxes(title_text="")
    labels(figure, view.layout.xy, named, height - 8, mode, view.layout.xy[view.shown])
    return figure
