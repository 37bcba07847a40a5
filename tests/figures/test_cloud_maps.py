"""Test the maps of the caption cloud: each shows one run in a plane that all share, with words, rings and a title."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from figures.cloud import chart as cloud_chart
from figures.cloud import maps as cloud_maps
from figures.cloud import words as cloud_words
from figures.cloud.labels import labels, limited
from figures.style.label_placement import Label
from figures.style.palette import model_styles
from metrics.analysis.cloud.captions import has_centres
from metrics.analysis.cloud.places import Place
from metrics.analysis.cloud.view import RUN
from tests import studies
from tests.figures.test_cloud import view_of


@pytest.mark.parametrize(("width", "columns"), [(None, 2), (400.0, 2), (700.0, 4)])
def test_each_run_has_a_map_of_one_plane_before_people_in_grey(width: float | None, columns: int) -> None:
    study = studies.study(items=6, runs=4)
    view = view_of(study, RUN)
    texts = cloud_chart.hover_texts(view.points, {k: item.id for k, item in enumerate(study.items)})
    styles = model_styles([run.model for run in study.runs])
    row = int(view.groups[1].rows[0])
    figure = cloud_maps.maps(
        view, texts, styles, "light", ["farther than people", "<b>", "", "no difference found"], row, width
    )
    layout = figure.layout
    axes = [layout[f"xaxis{k}"] for k in ("", 2, 3, 4)]
    assert len({axis.domain[0] for axis in axes}) == columns
    assert len({tuple(axis.range) for axis in axes}) == 1
    for k, group in enumerate(view.groups):
        own = [t for t in figure.data if t.xaxis == f"x{k + 1 if k else ''}"]
        people, mine = (next(t for t in own if t.name == name) for name in ("People", group.name))
        assert {view.points.texts[row] for row, _ in people.customdata} == {
            view.points.texts[row] for row in view.people.rows
        }
        assert {view.points.texts[row] for row, _ in mine.customdata} == {view.points.texts[row] for row in group.rows}
        assert mine.marker.color == styles[group.model].mark("light")
        rings = [t for t in own if t.marker.size == 15 and len(t.x)]
        assert [(t.x[0], t.y[0]) for t in rings] == ([tuple(view.layout.xy[row])] if k == 1 else [])
    titles = [a.text for a in layout.annotations]
    assert titles == ["run 0", "farther than people", "run 1", "&lt;b&gt;", "run 2", "", "run 3", "no difference found"]


def test_points_far_from_most_leave_the_map_to_the_others() -> None:
    spread = np.random.default_rng(0).uniform(size=(400, 2))
    far = np.array([[9.0, 0.5], [0.5, -9.0]])
    kept = limited(np.vstack([spread, far]))
    assert np.array_equal(kept[:-2], spread), "ordinary points stay where they are"
    assert np.ptp(kept, axis=0).max() < 1.3
    assert kept[-2, 0] == kept[:, 0].max()
    assert kept[-2, 1] == 0.5
    assert np.array_equal(limited(far), far), "few points are never moved"


def test_search_results_are_ringed_on_the_maps_that_have_them() -> None:
    study = studies.study(items=6)
    view = view_of(study, RUN)
    found = view.groups[0].rows[:2]
    texts = cloud_chart.hover_texts(view.points, {k: item.id for k, item in enumerate(study.items)})
    styles = model_styles([run.model for run in study.runs])
    figure = cloud_maps.maps(replace(view, found=found), texts, styles, "dark", ["", ""])
    rings = {t.xaxis: len(t.x) for t in figure.data if t.marker.size == 9}
    assert rings == {"x": 2, "x2": 0}


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


def test_few_captions_are_drawn_larger_and_captions_alone_have_no_centre() -> None:
    assert [cloud_maps._dot(n) for n in (12, 100, 2_000)] == [8.0, 4.5, 3.2]
    twice = studies.study(items=4, references=2)
    assert has_centres(twice)
    assert not has_centres(studies.study(items=4, references=1)), "a caption less itself is zero for every image"
    assert not has_centres(replace(twice, items=tuple(replace(item, references=()) for item in twice.items)))
