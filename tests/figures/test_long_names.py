"""Test that figures distinguish runs whose long names begin alike, and show names in full if there is room."""

from __future__ import annotations

from dataclasses import replace

import pytest

from figures.arena.chart import matrix
from figures.central import standings as central_standings
from figures.cloud import maps as cloud_maps
from figures.cloud.chart import hover_texts
from figures.style.palette import ModelStyle, styles_of
from figures.style.text_width import text_width
from metrics.analysis.cloud.view import RUN
from tests import studies
from tests.figures.test_cloud import view_of

HEATS = ("0.2", "1.0")
LONG = [f"Qwen2.5-VL-72B-Instruct-AWQ-quantised-by-somebody · T {heat}" for heat in HEATS]


@pytest.mark.parametrize("beside", [2, 4])
def test_titles_of_maps_side_by_side_do_not_meet(beside: int) -> None:
    study = studies.study(items=6, runs=4)
    view = view_of(study, RUN)
    view = replace(view, groups=tuple(replace(group, name=LONG[k % 2]) for k, group in enumerate(view.groups)))
    texts = hover_texts(view.points, {k: item.id for k, item in enumerate(study.items)})
    doing = [""] * len(view.groups)
    figure = cloud_maps.maps(view, texts, styles_of(study), "light", doing, beside=beside)
    titles = [a for a in figure.layout.annotations if a.text.startswith("Qwen")]
    assert len(titles) == len(view.groups)
    lines = [(line, a.font.size) for a in titles for line in a.text.split("<br>")]
    assert len(lines) == 2 * len(titles)
    assert all(text_width(line, size) <= {2: 170, 4: 145}[beside] for line, size in lines)


@pytest.mark.parametrize("narrow", [False, True])
def test_rows_of_central_captions_end_with_what_tells_them_apart(narrow: bool) -> None:
    rows = [central_standings.Standing(name, name, ModelStyle(0), 0.8, 0.7, 0.9, 48) for name in LONG]
    said = [a.text for a in central_standings.standings(rows, "light", narrow=narrow).layout.annotations]
    assert [sum(text.endswith(f"· T {heat}") for text in said) for heat in HEATS] == [1, 1]


def test_names_beside_the_matrix_of_arena_are_whole_where_there_is_room() -> None:
    names = ["claude-captioner", "gpt-caption-mini", "blip2-flan-t5-xl"]
    said = [a.text for a in matrix(names, [], "light").layout.annotations]
    assert {f"{k} {name}" for k, name in enumerate(names, 1)} <= set(said)
    layout = matrix([*LONG, *names], [], "light").layout
    said = [a.text for a in layout.annotations]
    assert [sum(text.endswith(f"· T {heat}") for text in said) for heat in HEATS] == [1, 1]
    assert layout.margin.l <= 180, "a phone has room for the cells"
