"""Test the figure and the sentences about how varied the captions of all runs are, and how near to people's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from figures.cloud import spread_and_nearness as figure_module
from figures.cloud import spread_and_nearness_words as words
from figures.cloud import words as cloud_words
from figures.style.escaping import Strong
from figures.style.html import split_verdict
from figures.style.palette import Mode, styles_of, tone
from metrics.analysis.cloud.captions import Layout, Points
from metrics.analysis.cloud.spread_and_nearness import Standings, most_different, standings
from tests import studies
from tests.figures.test_cloud import made

NAN = float("nan")
THAN = "people's captions than another person's would be"


def stood(study: Study, chance: float = 0.5, **facts: list[float]) -> tuple[Points, Layout, Standings]:
    own = {name: [NAN, *values] for name, values in facts.items() if name != "within"}
    of, lay = made(study, chance=[NAN, *[chance] * len(study.runs)], **own, within=[0.4, *facts["within"]])
    return of, lay, standings(of, lay)


@pytest.mark.parametrize(
    ("reach", "p", "floor", "within", "said"),
    [
        (
            [0.1, 0.5, 0.4],
            [0.001, 0.9, 0.3],
            0.001,
            [0.1, 0.4, 0.41],
            f"run 0 is farther from {THAN}, and repeats itself. For run 1 and run 2, no difference was found. Captions "
            "by run 0 are nearest to 10 % of people's captions, where another person's would be nearest to 50 % "
            "(p = 0.003). ",
        ),
        (
            [0.2, 0.95, 0.1],
            [0.01, 0.001, 0.02],
            0.001,
            [0.4, 0.2, 0.8],
            f"run 0 and run 2 are farther from {THAN}; run 1 is nearer. Captions by run 1 ",
        ),
        (
            [0.2, 0.5, 0.1],
            [0.001, 0.9, 0.001],
            0.001,
            [0.4, 0.4, 0.1],
            f"run 0 and run 2 are farther from {THAN} (run 2 repeats itself). For run 1, no difference was found. ",
        ),
        (
            [0.2, 0.3, 0.1],
            [0.001, 0.001, 0.001],
            0.001,
            [0.4, 0.4, 0.5],
            f"All 3 runs are farther from {THAN}. Captions by run ",
        ),
        (
            [0.5, 0.5, 0.4],
            [0.9, 0.9, 0.3],
            0.001,
            [0.4, 0.1, 0.7],
            f"None of 3 runs is clearly nearer to {THAN}, or farther. ",
        ),
        (
            [0.1, 0.5, 0.9],
            [0.1, 0.5, 0.9],
            0.1,
            [0.4] * 3,
            "There are too few captions by run 0, run 1 and run 2",
        ),
    ],
)
def test_the_verdict_claims_only_what_is_tested_over_all_runs(reach, p, floor, within, said) -> None:
    """In most studies, one of three equal runs is 10 points away from the expected value by chance."""
    study = studies.study(runs=3)
    of, lay, found = stood(study, reach=reach, p=p, floor=[floor] * 3, within=within)
    told = words.verdict(study, found)
    assert "".join(told).replace("\u00a0", " ").startswith(said)
    assert len("".join(split_verdict(told)[0]).split()) <= 35
    table = cloud_words.runs_table(study, lay, of, found)
    assert table["Corrected p"].tolist()[1:] == pytest.approx(list(found.found.p))
    assert table["Spread, people's = 1"].tolist() == pytest.approx([1, *np.array(within) / 0.4])


def test_without_sets_the_table_and_its_reading_leave_out_the_distance_within() -> None:
    for candidates, within in ((1, [NAN] * 2), (2, [0.4] * 2)):
        study = studies.study(runs=2, candidates=candidates)
        of, lay, found = stood(study, reach=[0.9] * 2, p=[0.001] * 2, floor=[0.001] * 2, within=within)
        assert ("Spread, people's = 1" in cloud_words.runs_table(study, lay, of, found)) == (candidates > 1)
        assert ("Distance within" in cloud_words.runs_table(study, lay, of, found)) == (candidates > 1)
        assert ("Up:" in figure_module.reading(study, found)) == (candidates > 1)
        said = "".join(words.verdict(study, found))
        assert said.startswith(f"Both runs are nearer to {THAN}. ")
    assert "Distance within" not in cloud_words.sets_reading(study, False)


def test_of_seeds_the_verdict_names_and_counts_settings() -> None:
    study = studies.study(runs=6)
    seeds = [replace(run, setting=f"s{k // 2}") for k, run in enumerate(study.runs)]
    study = replace(study, runs=tuple(seeds))
    few = [0.001] * 6
    p = [0.9, 0.9, 0.9, 0.001, 0.001, 0.001]
    _, _, found = stood(study, reach=[0.5, 0.5, 0.5, 0.1, 0.1, 0.1], p=p, floor=few, within=[0.4] * 6)
    said = "".join(words.verdict(study, found)).replace("\u00a0", " ")
    assert said.startswith(f"s2 is farther from {THAN}; s1 is farther, with some seeds only. For s0, no ")
    assert "Captions by one seed of s" in said
    mixed = replace(found, manner=(*found.manner[:4], "farther", "repeats"))
    assert f"s2 is farther from {THAN}; s1" in "".join(words.verdict(study, mixed)), "each seed is farther"
    _, _, found = stood(study, reach=[0.1] * 6, p=few, floor=few, within=[0.4] * 6)
    assert "".join(words.verdict(study, found)).startswith(f"All 3 settings are farther from {THAN}. ")
    one = replace(study, runs=tuple(replace(run, model="m" if k < 3 else "n") for k, run in enumerate(study.runs)))
    one = replace(one, runs=tuple(replace(run, setting=f"t{k}") for k, run in enumerate(one.runs)))
    _, _, found = stood(one, reach=[0.1] * 3 + [0.5] * 3, p=[0.001] * 3 + [0.9] * 3, floor=few, within=[0.4] * 6)
    assert "".join(words.verdict(one, found)).startswith(
        f"The 3 settings of m are farther from {THAN}. For the other 3, "
    )
    _, _, found = stood(study, reach=[0.5] * 6, p=[0.9] * 6, floor=few, within=[0.4] * 6)
    assert "".join(words.verdict(study, found)) == f"None of 3 settings is clearly nearer to {THAN}, or farther. "


def test_many_runs_that_differ_are_counted_and_the_verdict_stays_short() -> None:
    study, few = studies.study(runs=12), [0.0001] * 12
    reach = [0.1] * 6 + [0.9] * 3 + [0.5] * 3
    _, _, found = stood(study, reach=reach, p=[0.0001] * 9 + [0.9] * 3, floor=few, within=[0.4] * 5 + [0.1] + [0.4] * 6)
    said = "".join(split_verdict(words.verdict(study, found))[0])
    assert said == (
        f"6 of 12 runs are farther from {THAN} (1 of them repeats itself); 3 are nearer. For the other 3, no "
        "difference was found. "
    )
    assert len(said.split()) <= 35


def test_a_caption_given_for_most_images_is_told_and_one_for_few_is_not() -> None:
    items = tuple(Item(str(k), (f"a {k}", f"b {k}")) for k in range(10))

    def run(name: str, same: int) -> Run:
        return Run(name, name, Settings(), {str(k): ("all the same" if k < same else f"own {k}",) for k in range(10)})

    def told(*runs: Run) -> str:
        study = Study("s", items, runs)
        _, _, found = stood(
            study, reach=[0.5] * len(runs), p=[0.9] * len(runs), floor=[0.001] * len(runs), within=[NAN] * len(runs)
        )
        return "".join(words.verdict(study, found))

    assert Strong("c") in words.verdict(
        Study("s", items, (run("c", 10),)),
        replace(stood(studies.study(runs=1), reach=[0.5], p=[0.9], floor=[0.01], within=[0.4])[2]),
    )
    assert "c gives one caption for all 10 items. " in told(run("b", 6), run("c", 10))
    assert "b gives one caption for 6 of 10 items. " in told(run("a", 4), run("b", 6))
    assert "gives one caption" not in told(run("a", 4))


def test_without_captions_by_people_the_most_and_the_least_varied_run_are_named() -> None:
    study = studies.study(runs=3)
    study = replace(study, items=tuple(replace(item, references=()) for item in study.items))
    _, lay, found = stood(study, reach=[NAN] * 3, p=[NAN] * 3, floor=[NAN] * 3, within=[0.2, NAN, 0.5])
    assert "".join(words.verdict(study, found, lay.within)) == (
        "Captions of one item vary most in run 2, 0.500 apart on average, and least in run 0, 0.200 apart. "
    )


def test_without_numbers_the_verdict_says_so() -> None:
    study = studies.study(runs=3)
    _, _, found = stood(study, reach=[NAN] * 3, p=[NAN] * 3, floor=[NAN] * 3, within=[0.4] * 3)
    assert "there is nothing to compare" in "".join(words.verdict(study, found))
    alone = replace(study, runs=())
    of, lay = made(alone)
    assert "only people's captions" in "".join(words.verdict(alone, standings(of, lay)))


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_runs_are_drawn_where_they_stand_and_temperatures_of_a_model_are_joined_in_order(mode: Mode) -> None:
    plain = studies.study(items=6)
    said = plain.runs[0].candidates
    runs = [Run(f"m T={t}", "m", Settings(t, decoder="sampling"), said) for t in (1.0, 0.3, 1.6)]
    runs += [Run("m greedy", "m", Settings(decoder="greedy"), said), Run("<b>", "<b>", Settings(), said)]
    study = replace(plain, runs=tuple(runs))
    reach, within = [0.5, 0.4, 0.2, 0.1, 0.45], [0.4, 0.2, 0.6, 0.0, 0.3]
    _, _, found = stood(study, reach=reach, p=[0.5] * 5, floor=[0.001] * 5, within=within)
    figure = figure_module.standing_figure(study, found, mode, (0, 3))
    marks = [t for t in figure.data if t.mode == "markers" and t.customdata is not None]
    drawn = {name: (x, y) for t in marks for (name,), x, y in zip(t.customdata, t.x, t.y)}
    for run, near, spread in zip(runs, reach, within):
        assert drawn[run.name] == pytest.approx((spread / 0.4, 100 * near))
    [line] = [t for t in figure.data if t.mode == "lines"]
    assert list(line.x) == pytest.approx([0.5, 1.0, 1.5])
    colour = styles_of(study)["m"].mark(mode)
    own = next(t for t in marks if t.name == "m")
    faces = dict(zip([name for (name,) in own.customdata], own.marker.color))
    assert [faces[run.name] == colour for run in runs[:4]] == [True, True, True, False], "other decoders are hollow"
    people = next(t for t in figure.data if t.name == "people")
    assert (people.x[0], people.y[0]) == pytest.approx((1.0, 50.0))
    texts = [a.text for a in figure.layout.annotations]
    assert {"People", "m", "greedy", "&lt;b&gt;", "people: 50 %"} <= set(texts)
    assert not any("<b>" in text for text in texts)


def test_seeds_of_a_setting_are_one_mark_on_the_line_with_one_label() -> None:
    plain = studies.study(items=6)
    heats, seeds = [k / 10 for k in range(1, 14)], (0, 1)
    runs = [
        Run(f"m t{t} s{s}", "m", Settings(t, decoder="sampling", seed=s), plain.runs[0].candidates)
        for t in heats
        for s in seeds
    ]
    study = replace(plain, runs=tuple(runs))
    spread, reach = np.linspace(0.3, 0.5, len(runs)), np.linspace(0.5, 0.1, len(runs))
    _, _, found = stood(study, reach=reach, p=[0.5] * len(runs), floor=[0.001] * len(runs), within=spread)  # type: ignore[arg-type]
    figure = figure_module.standing_figure(study, found, "light")
    [line] = [t for t in figure.data if t.mode == "lines"]
    assert "Lines: temperature." in figure_module.reading(study, found), "no mark is hollow"
    assert list(line.x) == pytest.approx((spread[::2] + spread[1::2]) / 0.8)
    assert list(line.y) == pytest.approx(100 * (reach[::2] + reach[1::2]) / 2)
    [marks] = [t for t in figure.data if t.name == "m"]
    assert (list(marks.x), list(marks.y)) == (list(line.x), list(line.y))
    assert "no difference found: 2 of 2 seeds" in marks.hovertext[0]
    numbers = [a.text for a in figure.layout.annotations if a.text[0].isdigit()]
    assert {"0.1", "1.3"} <= set(numbers), "the ends of the line come first"
    assert len(set(numbers)) == len(numbers) > 2, "others have a label where there is room, each one"


def test_lines_of_one_model_are_named_by_decoder_and_seeds_without_a_line_are_one_mark() -> None:
    plain = studies.study(items=6)
    said = plain.runs[0].candidates
    runs = [Run(f"m {d} t{t}", "m", Settings(t, decoder=d), said) for d in ("sampling", "nucleus") for t in (0.3, 1.0)]
    runs += [Run(f"m greedy s{s}", "m", Settings(decoder="greedy", seed=s), said) for s in (0, 1, 2)]
    study = replace(plain, runs=tuple(runs))
    reach, within = [0.5, 0.4, 0.3, 0.1, 0.2, 0.25, 0.3], [0.4, 0.3, 0.2, 0.1, 0.5, 0.55, 0.6]
    _, _, found = stood(study, reach=reach, p=[0.5] * 7, floor=[0.001] * 7, within=within)
    figure = figure_module.standing_figure(study, found, "light")
    texts = [a.text for a in figure.layout.annotations]
    assert {"m, sampling", "m, nucleus", "m · greedy"} <= set(texts)
    assert "m" not in texts
    [marks] = [t for t in figure.data if t.name == "m"]
    assert (len(marks.x), marks.x[-1], marks.y[-1]) == (5, pytest.approx(0.55 / 0.4), pytest.approx(25.0))
    assert not figure_module.paths(study, [4, 5, 6]), "seeds alone are no line"
    assert "Lines: temperature; hollow: other decoders." in figure_module.reading(study, found)


def test_runs_with_other_levels_are_drawn_relative_to_their_own() -> None:
    study = studies.study(runs=2)
    of, lay = made(study, reach=[NAN, 0.4, 0.1], chance=[NAN, 0.8, 0.2], within=[0.4, 0.4, 0.4])
    found = standings(of, lay)
    assert words.common_level(found) is None
    figure = figure_module.standing_figure(study, found, "light")
    heights = [y for t in figure.data if t.customdata is not None for y in t.y]
    assert heights == pytest.approx([0.5, 0.5])
    people = next(t for t in figure.data if t.name == "people")
    assert people.y[0] == 1.0


def test_a_run_that_is_not_drawn_changes_no_axis_and_runs_near_people_fill_the_figure() -> None:
    study = studies.study(runs=3)
    of, lay = made(study, reach=[NAN, 0.4, 0.5, 0.1], chance=[NAN, 0.5, 0.5, 0.2], within=[0.4, 0.4, 0.36, NAN])
    found = standings(of, lay)
    assert words.common_level(found) == pytest.approx(0.5)
    layout = figure_module.standing_figure(study, found, "light").layout
    assert 0.75 < layout.xaxis.range[0] < 0.775, "as far below people's spread as above it"
    middling = standings(of, replace(lay, within=np.array([0.4, 0.4, 0.3, NAN])))
    assert 0.45 < figure_module.standing_figure(study, middling, "light").layout.xaxis.range[0] < 0.5
    near = standings(of, replace(lay, within=np.array([0.4, 0.4, 0.32, NAN])))
    assert 0.67 < figure_module.standing_figure(study, near, "light").layout.xaxis.range[0] < 0.7
    assert 33 < layout.yaxis.range[0] < 35, "the lowest run has 80 % of people's share"
    far = standings(of, replace(lay, within=np.array([0.4, 0.4, 0.0, NAN])))
    assert figure_module.standing_figure(study, far, "light").layout.xaxis.range[0] < 0
    assert most_different(of, found, 3) == (1, 0), "a run without a place is not on a map"


def test_of_many_models_only_those_on_the_maps_and_the_ends_have_a_name_and_a_colour() -> None:
    study = studies.study(runs=20)
    study = replace(study, runs=tuple(replace(run, model=run.name, settings=Settings()) for run in study.runs))
    spread = np.linspace(0.1, 0.8, 20).tolist()
    _, _, found = stood(study, reach=spread, p=[0.5] * 20, floor=[0.001] * 20, within=spread)
    figure = figure_module.standing_figure(study, found, "light", (3, 7))
    told = {"run 0", "run 3", "run 7", "run 18", "run 19"}  # the last, those on the maps, the second and the first
    assert {a.text for a in figure.layout.annotations} & {run.name for run in study.runs} == told
    coloured = [
        t.name
        for t in figure.data
        if t.customdata is not None and t.marker.color[0] == styles_of(study)[t.name].mark("light")
    ]
    assert set(coloured) == told


def test_of_many_lines_those_that_matter_are_named_and_no_label_covers_another() -> None:
    plain, heats = studies.study(items=6), (0.3, 0.7, 1.0)
    runs = [
        Run(f"model {k} t{t}", f"model {k}", Settings(t, decoder="sampling"), plain.runs[0].candidates)
        for k in range(16)
        for t in heats
    ]
    study, n = replace(plain, runs=tuple(runs)), len(runs)
    reach = [0.1 + 0.02 * (k // 3) + 0.001 * (k % 3) for k in range(n)]
    _, _, found = stood(
        study, reach=reach, p=[0.5] * n, floor=[0.001] * n, within=[0.2 + 0.05 * (k % 3) for k in range(n)]
    )
    figure = figure_module.standing_figure(study, found, "light", (21,), width=600)
    lines = {t.name.removeprefix("line of "): t.line.color for t in figure.data if t.name.startswith("line of ")}
    lit = {name for name, colour in lines.items() if colour == styles_of(study)[name].mark("light")}
    assert lit == {"model 0", "model 7", "model 15"}, "the last, that on a map, the first and second with the ends"
    assert {a.text for a in figure.layout.annotations} & set(lines) <= lit
    boxes = [label_box(a, figure, 600) for a in figure.layout.annotations if a.text in lines or a.text[0].isdigit()]
    assert len(boxes) > len(lit)
    for k, (x, y, wide) in enumerate(boxes):
        for u, v, other in boxes[:k]:
            assert abs(x - u) >= (wide + other) / 2 - 2 or abs(y - v) >= 13


def label_box(a: Any, figure: Any, width: float) -> tuple[float, float, float]:
    """Return the middle (x, y) of an annotation, and its width, in px."""
    margin, (left, right), (low, high) = figure.layout.margin, figure.layout.xaxis.range, figure.layout.yaxis.range
    x = (a.x - left) / (right - left) * (width - margin.l - margin.r)
    y = (a.y - low) / (high - low) * (figure.layout.height - margin.t - margin.b)
    shift = (a.ax, -a.ay) if a.showarrow else (a.xshift, a.yshift)
    return x + shift[0], y + shift[1], 0.58 * a.font.size * len(a.text) + 4


def test_runs_that_are_all_as_varied_as_people_are_rows_by_nearness() -> None:
    study = studies.study(runs=3, candidates=1)
    _, _, found = stood(study, reach=[0.3, 0.6, 0.5], p=[0.5] * 3, floor=[0.001] * 3, within=[NAN] * 3)
    assert words.equally_varied(found)
    assert words.title(found) == "How near to people's captions?"
    drawn = figure_module.standing_figure(study, found, "light")
    assert [(trace.customdata[0][0], trace.x[0]) for trace in drawn.data] == [
        ("run 1", pytest.approx(60)),
        ("run 2", pytest.approx(50)),
        ("run 0", pytest.approx(30)),
    ]
    varied = replace(found, spread=np.where(np.arange(len(found.spread)) == 0, 0.5, found.spread))
    assert not words.equally_varied(varied)
    assert words.equally_varied(replace(found, spread=np.array([0.89, 1.0, 1.0]))), "marks in a tenth of the width"
    many = studies.study(runs=30, candidates=1)
    _, _, every = stood(many, reach=[0.3] * 30, p=[0.5] * 30, floor=[0.001] * 30, within=[NAN] * 30)
    long = figure_module.standing_figure(many, every, "light")
    assert long.layout.height < 450
    assert len(long.data) == 15
    assert "⋮ 15 more" in {one.text for one in long.layout.annotations}


def test_seeds_without_sets_are_one_row_filled_if_each_seed_differs() -> None:
    study = studies.study(runs=4, candidates=1)
    study = replace(study, runs=tuple(replace(run, setting=f"s{k // 2}") for k, run in enumerate(study.runs)))
    p = [0.001, 0.9, 0.001, 0.001]
    _, _, found = stood(study, reach=[0.1, 0.4, 0.2, 0.2], p=p, floor=[0.001] * 4, within=[NAN] * 4)
    drawn = figure_module.standing_figure(study, found, "light")
    rows = [(list(t.x), [face != tone("paper", "light") for face in t.marker.color]) for t in drawn.data]
    assert [(pytest.approx(x), filled) for x, filled in rows] == [
        ([10, 40], [True, False]),
        ([25], [False]),
        ([20, 20], [True, True]),
        ([20], [True]),
    ]
    assert "small marks: seeds" in figure_module.reading(study, found)


def test_the_page_leaves_out_what_all_runs_share_and_begins_with_the_nearest() -> None:
    study = studies.study(runs=3)
    of, lay, found = stood(study, reach=[0.2, 0.4, 0.3], p=[0.5] * 3, floor=[0.001] * 3, within=[0.4, 0.4, 0.5])
    whole = cloud_words.runs_table(study, lay, of, found)
    brief, said = cloud_words.in_brief(whole)
    assert brief["Set"].tolist() == ["People", "run 1", "run 2", "run 0"]
    assert {*whole} - {*brief} == {"People's own", "Distance within"}, "people have other numbers of captions"
    assert said == " The same for all: people's own 0.500."
    alone, none = cloud_words.in_brief(whole.iloc[:2])
    assert (set(whole) - set(alone), none) == ({"Distance within"}, "")


def test_a_run_without_a_place_is_said() -> None:
    study = studies.study(runs=3)
    of, _, found = stood(study, reach=[0.5] * 3, p=[0.5] * 3, floor=[0.001] * 3, within=[0.4, 0.4, NAN])
    facts, how = words.facts(study, of, found)
    assert "Not drawn: run 2 (no two captions of an item)" in facts
    assert "against 999 random choices of which captions of an item are the run's" in how[0]
    assert words.drawn(found) == (0, 1)
    assert words.alt(found).startswith("2 runs by spread")


def test_the_words_of_a_map_are_what_is_tested() -> None:
    study = studies.study(runs=5)
    reach, p, within = [0.5, 0.5, 0.9, 0.1, 0.1], [0.9, 0.9, 0.001, 0.001, 0.001], [0.4, 0.1, 0.8, 0.1, 0.8]
    _, _, found = stood(study, reach=reach, p=p, floor=[0.001] * 5, within=within)
    told = ["no difference found"] * 2 + ["nearer than people", "repeats itself", "farther than people"]
    assert [words.doing(found, k) for k in range(5)] == told
