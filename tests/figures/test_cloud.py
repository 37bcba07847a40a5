"""Test the figure and the sentences of the caption cloud."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from figures.cloud import chart as cloud_chart
from figures.cloud import difference as cloud_difference
from figures.cloud import item as cloud_item
from figures.cloud import words as cloud_words
from figures.cloud.labels import HEIGHT, LEAST
from figures.style.html import split_verdict
from figures.style.palette import PALETTE, Mode, model_styles
from metrics.analysis.cloud.captions import FACTS, Layout, Points, Projection, points
from metrics.analysis.cloud.density import Grid
from metrics.analysis.cloud.difference import Spot, density_difference, spots
from metrics.analysis.cloud.places import Place
from metrics.analysis.cloud.selection import Area
from metrics.analysis.cloud.spread_and_nearness import standings
from metrics.analysis.cloud.view import MODEL, RUN, TEMPERATURE, CloudView, cloud_view, item_view
from metrics.cache.disk import Cache
from metrics.distances.words import BowDistance
from metrics.registry import METRICS
from tests import studies

HOSTILE = "<script>x</script> $5 :red[x] %{y} " + "long " * 400


def made(study: Study, **facts: list[float]) -> tuple[Points, Layout]:
    of = points(study)
    rng = np.random.default_rng(0)
    sets = 1 + len(study.runs)
    own = {name: np.array(facts.get(name, [0.5] * sets)) for name in FACTS}
    central = np.arange(len(of)) % 4 == 0
    return of, Layout(rng.normal(size=(len(of), 2)), 0.9, 100, 200, np.full(2, np.nan), central=central, **own)


def view_of(study: Study, by: str = MODEL, **more: object) -> CloudView:
    of, lay = made(study)
    return cloud_view(study, of, lay, study.runs, by, **more)  # type: ignore[arg-type]


def figure_of(study: Study, view: CloudView, mode: Mode = "light", picked: int | None = None):  # type: ignore[no-untyped-def]
    names = {k: item.id for k, item in enumerate(study.items)}
    return cloud_chart.cloud(
        view, cloud_chart.hover_texts(view.points, names), model_styles([r.model for r in study.runs]), mode, picked
    )


def test_equal_captions_of_a_run_are_one_mark_with_their_number() -> None:
    items = (Item("a", ("p", "q")), Item("b", ("r", "s")))
    study = Study("s", items, (Run("r", "m", Settings(), {"a": ("x", "x", "y"), "b": ("x",)}),))
    of = points(study)
    same = np.array([[0.0, 0.0], [1, 0], [0, 1], [1, 1], [2, 2], [2, 2], [3, 0], [2, 2]])
    view = cloud_view(study, of, replace(made(study)[1], xy=same), study.runs, MODEL)
    trace = next(t for t in figure_of(study, view).data if t.name == "m")
    drawn = dict(zip(trace.text, zip(trace.customdata.tolist(), trace.marker.size)))
    assert set(drawn) == {"x<br><i>a</i><br>given 3 times", "y<br><i>a</i>"}
    assert drawn["x<br><i>a</i><br>given 3 times"][0] == [4, 0]
    many, one = (size for _, size in drawn.values())
    assert many**2 == pytest.approx(3 * one**2), "areas are as the numbers"
    of_b = next(t for t in figure_of(study, replace(view, focus=1)).data if t.name == "m")
    assert [7, 1] in of_b.customdata.tolist(), "the item that stands out is not lost among the others"


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_every_point_is_drawn_once_references_hollow(mode: Mode) -> None:
    study = studies.study(items=6)
    view = view_of(study)
    figure = figure_of(study, view, mode)
    drawn = [t for t in figure.data if t.type.startswith("scatter") and t.showlegend is not False]
    assert [t.name for t in drawn] == ["People", "model 0", "model 1"]
    assert drawn[0].marker.symbol == "circle-open"
    assert [t.marker.color for t in drawn[1:]] == PALETTE[mode]["mark"][:2]
    rows = [row for t in drawn for row, _ in t.customdata]
    assert sorted(rows) == list(range(len(view.points)))
    for t in drawn:
        for (row, item), x, y in zip(t.customdata, t.x, t.y):
            assert (x, y) == pytest.approx(tuple(view.layout.xy[row]), abs=1e-5)
            assert item == view.points.item[row]


def test_the_pointer_shows_the_caption_in_lines_and_the_name_of_its_item() -> None:
    study = Study("s", (Item("a", ("one two " * 20, "x < y")), Item("b", ())), ())
    of = points(study)
    texts = cloud_chart.hover_texts(of, {0: "the <b> of a", 1: "unseen"})
    assert texts.shape == (2,)
    first, _, name = texts[0].partition("<br><i>")
    assert max(len(line) for line in first.split("<br>")) <= 52
    assert first.replace("<br>", " ") == ("one two " * 20).strip()
    assert name == "the &lt;b&gt; of a</i>"
    assert texts[1] == "x &lt; y<br><i>the &lt;b&gt; of a</i>"
    assert cloud_chart.hover_texts(of, {0: "n"}).dtype == object
    view = cloud_view(study, of, made(study)[1], (), MODEL)
    [trace] = cloud_chart.cloud(view, texts, {}, "light").data
    assert trace.text.tolist() == texts.tolist()
    assert trace.text.dtype == trace.customdata.dtype == object, "lists take ten times as long"


def test_bands_of_a_region_are_between_its_two_heights() -> None:
    study = studies.study(items=8)
    figure = figure_of(study, view_of(study))
    regions = [t for t in figure.data if t.type == "contour"]
    assert len(regions) == 3
    assert all(t.contours.start < t.contours.end for t in regions)
    assert all("0.0)" in t.colorscale[0][1] for t in regions)


def test_an_item_that_stands_out_is_larger_and_the_rest_steps_back() -> None:
    study = studies.study(items=6)
    figure = figure_of(study, view_of(study, focus=2), picked=3)
    trace = next(t for t in figure.data if t.name == "model 0")
    own = np.array([item == 2 for _, item in trace.customdata])
    assert set(np.array(trace.marker.opacity)[own]) == {1.0}
    assert max(np.array(trace.marker.opacity)[~own]) < 0.2
    assert min(np.array(trace.marker.size)[own]) > max(np.array(trace.marker.size)[~own])
    assert any(t.marker.symbol == "star" for t in figure.data if t.type == "scatter")
    assert figure.data[-1].marker.size == 19


def test_what_is_drawn_round_stands_out_with_its_outline() -> None:
    study = studies.study(items=6)
    view = view_of(study)
    texts = cloud_chart.hover_texts(view.points, {k: item.id for k, item in enumerate(study.items)})
    styles = model_styles([r.model for r in study.runs])
    low, high = view.layout.xy.min(axis=0), view.layout.xy.max(axis=0)
    left = Area("box", ((-10, -10), (500, 1010)))
    figure = cloud_chart.cloud(view, texts, styles, "light", None, [left])
    half = [k for k in view.shown.tolist() if view.layout.xy[k, 0] < (low[0] + high[0]) / 2]
    assert 10 < len(half) < len(view.shown) - 10
    assert cloud_chart.inside(view, [left]).tolist() == half
    drawn = [t for t in figure.data if t.type.startswith("scatter") and t.showlegend is not False]
    assert sorted(t.customdata[k][0] for t in drawn for k in t.selectedpoints) == half
    [shape] = figure.layout.shapes
    corners = [tuple(map(float, corner.split(","))) for corner in shape.path.strip("M Z").split(" L ")]
    assert np.allclose(max(corners), [(low[0] + high[0]) / 2, high[1] + (high[1] - low[1]) / 100])
    right = Area("box", ((500, -10), (1010, 1010)))
    assert cloud_chart.inside(view, [left, right]).tolist() == view.shown.tolist()
    plain = cloud_chart.cloud(view, texts, styles, "light")
    assert [axis.constrain for axis in (plain.layout.xaxis, plain.layout.yaxis)] == ["domain", "domain"]
    assert not plain.layout.shapes
    assert all(t.selectedpoints is None for t in plain.data if t.type.startswith("scatter"))


def test_on_paper_the_figure_is_a_square_at_most_and_says_how_to_read_it() -> None:
    study = studies.study(items=6)
    view = view_of(study)
    texts = cloud_chart.hover_texts(view.points, dict.fromkeys(range(6), ""))
    styles = model_styles([run.model for run in study.runs])
    heights = [
        cloud_chart.cloud(view, texts, styles, "light", width=width).layout.height for width in (372.7, 779.3, None)
    ]
    assert heights[:2] == [372, 640]
    assert LEAST <= heights[2] <= HEIGHT, "on screen it follows the shape of the plane"
    assert cloud_words.print_footer(study, view) == (
        f"n = all {len(view.points)} captions; {len(view.shown)} shown. {cloud_words.reading(view)} "
        f"Trustworthiness 0.900."
    )
    unknown = replace(view, layout=replace(view.layout, trust=float("nan")))
    assert cloud_words.print_footer(study, unknown).endswith(cloud_words.reading(view))


def test_many_points_go_to_the_graphics_card() -> None:
    study = studies.study(items=400, references=4, candidates=2)
    types = {t.type for t in figure_of(study, view_of(study)).data}
    assert "scattergl" in types


def test_values_colour_points_and_leave_out_what_has_none() -> None:
    study = studies.study(items=6)
    view = view_of(study, metric=METRICS["cider_d"])
    value = np.where(np.arange(len(view.points)) % 2, np.arange(len(view.points)) / 10, np.nan)
    figure = figure_of(study, replace(view, value=value))
    coloured = [t for t in figure.data if t.type == "scatter" and t.marker.coloraxis == "coloraxis"]
    assert sum(len(t.x) for t in coloured) == int(np.isfinite(value[view.points.group > 0]).sum())
    low, high = cloud_chart.value_range(replace(view, value=value))
    assert low < high
    assert cloud_chart.value_range(replace(view, value=np.full(len(value), np.nan))) == (0.0, 1.0)
    assert "left out" in cloud_words.reading(replace(view, value=value))


def test_runs_of_a_model_share_its_hue_and_the_last_has_it_whole() -> None:
    study = studies.study(items=6, runs=4)
    view = view_of(study, RUN)
    styles = model_styles([r.model for r in study.runs])
    looks = [cloud_chart.group_style(g, RUN, styles, "light").colour for g in view.groups]
    assert looks[2:] == PALETTE["light"]["mark"][:2]
    assert len(set(looks)) == 4
    heat = [cloud_chart.group_style(g, TEMPERATURE, styles, "light").colour for g in view_of(study, TEMPERATURE).groups]
    assert heat[0] == cloud_chart.shade(0, "light")
    assert heat[-1] == cloud_chart.shade(1, "light")


def test_captions_stay_captions() -> None:
    items = (Item("a", (HOSTILE, "x y")), Item("b", ("z", "مرحبا 🙂")))
    study = Study("s", items, (Run(HOSTILE[:40], HOSTILE[:40], Settings(), {"a": (HOSTILE,), "b": ("",)}),))
    for trace in figure_of(study, view_of(study)).data:
        for text in trace.text if trace.type == "scatter" and trace.text is not None else ():
            assert "<script>" not in text
    view = item_view(study, study.runs, 0, BowDistance("whitespace"), Cache(None))
    plane = cloud_item.plane(view, model_styles([study.runs[0].model]), "light")
    # Else plotly widens the ranges again at every new width.
    assert [axis.constrain for axis in (plane.layout.xaxis, plane.layout.yaxis)] == ["domain", "domain"]
    said = [t for trace in plane.data for t in trace.text] + [a.text for a in plane.layout.annotations]
    assert not any("<script>" in text for text in said)


def test_the_footer_says_the_sample_and_the_trust() -> None:
    study = studies.study(items=400, references=3, candidates=2)
    of = points(study, limit=1_000)
    lay = made(study)[1]
    view = CloudView(of, lay, view_of(study).people, (), MODEL)
    said = cloud_words.footer(study, view, Projection())
    sample = f"{len(of):,} of 2,800 captions of 333 items drawn at random, large sets thinned at random, the same items"
    assert sample in said
    assert "Trustworthiness 0.900 (k = 15, 100 of 200 points" in said
    assert "15 neighbours" in said
    assert "Equal captions share a point; those of one run are one mark" in said
    assert "all 2,800 captions" in cloud_words.footer(study, replace(view, points=points(study)), Projection("pca"))
    assert "Too few captions" in cloud_words.trust(replace(lay, trust=float("nan")))


def test_the_table_has_every_caption_once_with_its_number() -> None:
    study = Study("s", (Item("a", ("x", "x", "y")),), (Run("r", "m", Settings(), {"a": ("x", "z", "z")}),))
    view = view_of(study)
    table = cloud_words.captions_table(study, view, view.shown)
    assert set(table["Item"]) == {"x"}
    assert set(table["Id"]) == {"a"}
    assert table[["Caption", "Set", "Times"]].to_numpy().tolist() == [
        ["x", "People", 2],
        ["y", "People", 1],
        ["x", "r", 1],
        ["z", "r", 2],
    ]
    assert [view.points.texts[row] for row in table["row"]] == table["Caption"].tolist()


def test_the_plane_of_an_image_says_its_distances_and_its_stress() -> None:
    study = studies.study(items=2, candidates=4, runs=2)
    view = item_view(study, study.runs, 0, BowDistance("whitespace"), Cache(None))
    said = "".join(cloud_item.verdict(study, view, "bag of words"))
    assert not split_verdict(cloud_item.verdict(study, view, "bag of words"))[1], (
        "two sentences of 35 words at most, all in sight"
    )
    block, across = view.distances.matrix[:4, :4], view.distances.matrix[:4, 8:]
    assert cloud_item.more(study, view).startswith(
        f"Mean distance from a caption of a run to one by a person: run 0 {across.mean():.2f}"
    )
    assert f"Two captions by run 0 are {block[~np.eye(4, dtype=bool)].mean():.2f} apart" in said
    for stress, how in (
        (0.05, "well."),
        (0.06, "fairly well."),
        (0.11, "roughly."),
        (0.2, "roughly."),
        (0.21, "poorly:"),
    ):
        stressed = replace(view, scaling=replace(view.scaling, stress=stress))
        assert f"distances {how}" in "".join(cloud_item.verdict(study, stressed, "bag of words"))
    assert f"stress-1 (Kruskal) {view.scaling.stress:.3f}" in cloud_item.footer(view, "bag of words")
    table = cloud_item.table(view)
    assert table["Times"].sum() == 12
    figure = cloud_item.plane(view, model_styles([r.model for r in study.runs]), "dark")
    assert sum(len(t.x) for t in figure.data) == len(table)
    references = next(t for t in figure.data if t.name == "People")
    assert references.marker.color == "#141413"


def test_models_are_called_as_on_every_page() -> None:
    plain = studies.study(items=3)
    captions = plain.runs[0].candidates
    runs = (Run("k", "top_k", Settings(1.0, top_k=10), captions), Run("g", "greedy", Settings(), captions))
    study = replace(plain, runs=runs)
    called = {by: cloud_words.with_short_names(study, view_of(study, by)) for by in (MODEL, RUN, TEMPERATURE)}
    assert [group.name for group in called[MODEL].groups] == ["top-k 10", "greedy"]
    assert [group.model for group in called[MODEL].groups] == ["top_k", "greedy"], "colours belong to the model"
    assert [group.name for group in called[RUN].groups] == ["k", "g"]
    scored = cloud_words.with_short_names(study, view_of(study, "cider_d", metric=METRICS["cider_d"]))
    assert [group.name for group in scored.groups] == ["top-k 10", "greedy"]
    of, lay = made(study)
    assert cloud_words.runs_table(study, lay, of, standings(of, lay))["Model"].tolist() == ["", "top-k 10", "greedy"]
    alone = replace(study, runs=tuple(replace(run, model=run.name, settings=Settings()) for run in study.runs))
    heats = replace(study, runs=tuple(replace(run, model="m", name=f"m T={k}") for k, run in enumerate(study.runs)))
    for named in (alone, heats):
        assert "Model" not in cloud_words.runs_table(named, lay, of, standings(of, lay))
    figure_of(study, called[MODEL])


def test_who_zooms_stays_in_a_plane_whatever_is_chosen_in_it_and_not_in_another() -> None:
    study = studies.study(items=6)
    view = view_of(study)

    def planes(view: CloudView, picked: int | None = None) -> set[str]:
        layout = figure_of(study, view, picked=picked).layout
        return {layout.xaxis.uirevision, layout.yaxis.uirevision}

    (plane,) = planes(view)
    assert planes(view, 3) == planes(view_of(study, RUN, stars=True)) == {plane}
    assert planes(replace(view, layout=replace(view.layout, xy=2 * view.layout.xy))) != {plane}


def test_the_words_say_by_which_distance_captions_are_central_and_know_no_pictures_in_a_study_of_items() -> None:
    study = studies.study(items=6)
    assert "Stars" not in cloud_words.reading(view_of(study))
    assert "Stars: central captions, by distance of embeddings." in cloud_words.reading(view_of(study, stars=True))
    footer = cloud_words.footer(study, view_of(study), Projection("pca"))
    assert footer.endswith("Central: the caption nearest to the rest of its set, by MiniLM distance.")
    assert "picture" not in footer
    view = item_view(study, study.runs, 0, BowDistance("whitespace"), Cache(None))
    said = cloud_item.footer(view, "bag of words")
    assert "scaling of bag of words distances" in said
    assert "Stars: central captions, by this distance." in said


def test_the_difference_draws_both_sides_and_says_whose_words_they_are() -> None:
    study = studies.study(items=30)
    view = view_of(study, RUN)
    first, second = (group.rows for group in view.groups)
    xy = view.layout.xy
    xy[first] += 6.0
    found = density_difference(xy, first, second, view.points.item, Grid.over(xy), draws=39)
    assert found is not None
    where = spots(found, view.points.texts, xy, first, second)
    texts = cloud_chart.hover_texts(view.points, {k: item.id for k, item in enumerate(study.items)})
    styles = model_styles([run.model for run in study.runs])
    one, other = (styles[run.model] for run in study.runs)
    figure = cloud_difference.difference(view, found, where, texts, (one, other), "light")
    assert [t.line.dash for t in figure.data if t.type == "contour"] == ["solid", "dash"]
    assert [t.name for t in figure.data if t.type.startswith("scatter")] == ["run 0", "run 1"]
    same = cloud_difference.looks(one, one, "dark")
    assert same[0].colour != same[1].colour
    told = "".join(cloud_difference.verdict(found, where, ("run 0", "run 1")))
    assert told.startswith("run 0 and run 1 put ")
    assert "by chance, p ≤ 0.025)" in told
    table = cloud_difference.table(where, ("run 0", "run 1"), view.points.texts, xy)
    assert set(table["More of"]) == {"run 0", "run 1"}
    assert all(row["run 0"] > row["run 1"] for row in table.to_dict("records") if row["More of"] == "run 0")
    said = (Spot(Place(first, 0, 0, ("dog", "cat")), 0.5, 0.1),), (Spot(Place(second, 0, 0, ("kite",)), 0.1, 0.5),)
    words = cloud_difference.verdict(found, said, ("Oracle\u00a0·\u00a01.0", "Peaked\u00a0·\u00a01.0"))
    shown, _ = split_verdict(words)
    assert "".join(shown).endswith("The first uses “dog, cat” more, the second “kite”.")
    alike = replace(found, p_value=0.4)
    assert "No significant difference" in "".join(cloud_difference.verdict(alike, where, ("run 0", "run 1")))
