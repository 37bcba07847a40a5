"""Panels of the caption cloud: a group each in one plane, with words, rings and what they say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from figures.cloud import chart as cloud_chart
from figures.cloud import panel as cloud_panel
from figures.cloud import words as cloud_words
from figures.cloud.labels import labels
from figures.style.label_placement import Label
from figures.style.palette import model_styles
from metrics.analysis.cloud.captions import Projection
from metrics.analysis.cloud.places import Place
from tests import studies
from tests.figures.test_cloud import view_of


def test_a_panel_has_one_group_and_people_as_outlines_in_the_same_plane() -> None:
    study = studies.study(items=6)
    view = view_of(study, stars=True)
    texts = cloud_chart.hover_texts(view.points, {k: item.id for k, item in enumerate(study.items)})
    styles = model_styles([run.model for run in study.runs])
    place = Place(np.array([0]), *view.layout.xy[0], words=("dog", "<b>"))
    alone = cloud_panel.of_group(view, view.groups[1])
    figure = cloud_panel.panel(alone, texts, styles, "light", beside=3)
    rows = [row for t in figure.data if t.customdata is not None and len(t.customdata) for row, _ in t.customdata]
    assert sorted(rows) == view.groups[1].rows.tolist()
    assert any(t.type == "contour" and t.line.dash == "dot" for t in figure.data), "people"
    people = cloud_panel.panel(cloud_panel.of_group(view, None), texts, styles, "light", named=(place,), beside=3)
    rows = [row for t in people.data if t.customdata is not None for row, _ in t.customdata]
    assert sorted(rows) == view.people.rows.tolist()
    assert [a.text for a in people.layout.annotations] == ["dog, &lt;b&gt;"]
    assert people.layout.xaxis.range == figure.layout.xaxis.range
    assert people.layout.height == figure.layout.height == cloud_panel.HEIGHT[3]


def test_words_of_a_place_leave_its_points_free() -> None:
    study = studies.study(items=60)
    view = view_of(study)
    low, high = cloud_chart.ends(view.layout.xy)
    side = max(high[0] - low[0], high[1] - low[1])
    places = [Place(np.array([k]), *view.layout.xy[k], words=("dog", "runs")) for k in view.shown[:9].tolist()]
    figure = go.Figure()
    labels(figure, view.layout.xy, places, 250, "light", view.layout.xy[view.shown])
    for one in figure.layout.annotations:
        dx, dy = (one.ax, -one.ay) if one.showarrow else (one.xshift, one.yshift)
        x, y = ((view.layout.xy[view.shown] - (one.x, one.y)) / side * 250 - (dx, dy)).T
        wide = Label(0, 0, "dog, runs", size=11.5).width
        assert ((abs(x) < wide / 2 - 2) & (abs(y) < 5.5)).sum() <= 1


def test_rings_and_runs_that_are_not_drawn_are_said() -> None:
    view = view_of(studies.study(items=6))
    assert cloud_words.rings(view, True) == " Ring: the chosen caption."
    found = replace(view, found=view.shown[:2])
    assert cloud_words.rings(found, True) == " Small rings: captions found. Large ring: the chosen caption."
    assert cloud_words.rings(view, False) == ""
    assert [cloud_words.others(n, 5) for n in (5, 4, 3)] == [
        "",
        " 1 more run: press Runs.",
        " 2 more runs: press Runs.",
    ]


def test_a_panel_says_how_many_of_its_captions_differ_and_why_equal_ones_lie_apart() -> None:
    study = studies.study(items=6)
    view = view_of(study)
    group, n = view.groups[0], len(view.groups[0].rows)
    texts = [f"text {k}" for k in range(len(view.points.texts))]
    read = []
    for same in (1, 2, n):
        for row in group.rows[:same]:
            texts[row] = "one text"
        made = replace(view, points=replace(view.points, texts=tuple(texts)))
        read.append(cloud_words.panel_reading(made, group))
    assert read == [f"{n} captions", f"{n} captions, {n - 1} different", f"{n} captions, all the same"]
    moved = cloud_words.footer(study, view, Projection(centred=True))
    assert "equal captions of one item share a point, and lie apart on others." in moved
    assert "equal captions share a point." in cloud_words.footer(study, view, Projection(centred=False))


@pytest.mark.parametrize(("panels", "beside"), [(1, 1), (2, 2), (3, 3), (4, 4), (6, 3), (8, 4)])
def test_panels_leave_no_half_of_the_page_empty(panels: int, beside: int) -> None:
    assert cloud_panel.columns(panels) == beside
    assert panels % beside == 0
