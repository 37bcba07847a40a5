"""Test the figures of sweeps by their data, and the sentences by their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go
import pytest

from data.study import Run, Settings
from figures.style.html import split_verdict
from figures.style.line_styles import line_of, marks_of, model_names
from figures.style.palette import BAND, Mode, model_styles, tone
from figures.sweeps import chart as sweeps_chart
from figures.sweeps import decoder_words
from figures.sweeps import tables as sweeps_tables
from figures.sweeps import words as sweeps_words
from metrics.analysis.defaults import ranking_first
from metrics.analysis.human_line import Human
from metrics.analysis.sweeps import (
    Curve,
    Decoder,
    Optimum,
    Point,
    Setting,
    SweepView,
    settings_of,
    sweeps_of,
)
from metrics.engine.result import PENDING
from metrics.registry import METRICS
from tests.studies import study as random_study

TRM, ROUGE, DISTINCT = METRICS["trm_bow"], METRICS["rouge_l"], METRICS["distinct_2"]
METEOR = METRICS["trm_meteor"]
MODES: tuple[Mode, ...] = ("light", "dark")
SAMPLING = Decoder("sampling")


def runs_of(*models: str, temperatures: Sequence[float] = (0.5, 1.0, 1.5)) -> list[Run]:
    return [Run(f"{m}@{t:g}", m, Settings(t), {}) for m in models for t in temperatures]


def point(setting: Setting, value: float, half: float = 0.1) -> Point:
    boot = value + half / 2 * np.random.default_rng(0).normal(size=2000)
    return Point(setting, value, value - half, value + half, 40, (value,), item_set=0, boot=boot, n_units=40)


def view_of(
    runs: Sequence[Run], values: dict[str, Sequence[float]], metric=TRM, human: Human | None = None
) -> SweepView:
    """Make a view with these values by model; a line's optimum may be its smallest value or the next one."""
    curves = []
    for line in sweeps_of(settings_of(runs)):
        points = tuple(point(stop, v) for stop, v in zip(line.settings, values[line.model]))
        at = int(np.argmin(values[line.model]))
        last = min(at + 1, len(points) - 1)
        curves.append(Curve(line, points, Optimum(at, tuple(range(at, last + 1))) if len(points) > 1 else None))
    return SweepView(metric, "lowest", tuple(curves), (), human or Human(reason="sizes differ"))


def trace(figure: go.Figure, name: str) -> go.Scatter:
    (found,) = [t for t in figure.data if t.name == name]
    return found


@pytest.mark.parametrize("mode", MODES)
def test_a_line_its_band_its_ring_and_its_interval(mode: Mode) -> None:
    runs = runs_of("A", "B")
    view = view_of(runs, {"A": [2.0, 1.0, 1.2], "B": [0.7, 0.9, 1.4]})
    figure = sweeps_chart.temperature_panel(view, marks_of(runs), mode)
    line, band = trace(figure, "A"), trace(figure, "A, band")
    assert list(line.x) == [0.5, 1.0, 1.5]
    assert list(line.y) == [2.0, 1.0, 1.2]
    assert [c[0] for c in line.customdata] == ["A@0.5", "A@1", "A@1.5"]
    assert sorted(band.y) == pytest.approx([0.9, 1.1, 1.1, 1.3, 1.9, 2.1])
    assert band.fillcolor.endswith(f",{BAND[mode]})")
    many = runs_of(*"ABCD")
    view = view_of(many, {name: [2.0, 1.0, 1.2] for name in "ABCD"})
    paler = trace(sweeps_chart.temperature_panel(view, marks_of(many), mode), "A, band")
    assert paler.fillcolor.endswith(f",{BAND[mode] * 0.75})"), "bands of many lines overlap"
    ring = trace(figure, "A, optimum")
    assert (ring.x[0], ring.y[0]) == (1.0, 1.0)
    assert ring.marker.color == tone("paper", mode), "it is open"
    assert ring.marker.line.color == line.line.color
    thick = trace(figure, "A, what may be best")
    assert (list(thick.x), list(thick.y)) == ([1.0, 1.5], [1.0, 1.2])
    assert thick.line.width > line.line.width
    assert "yaxis2" not in figure.layout, "no strip below the lines"
    said = [a.text for a in figure.layout.annotations]
    assert said == ["A", "B"]
    assert line.line.color == model_styles(["A", "B"])["A"].mark(mode)


def test_labels_keep_their_distance_and_their_order() -> None:
    runs = runs_of("A", "B", "C")
    view = view_of(runs, {"A": [2, 1, 1.01], "B": [2, 1, 1.02], "C": [2, 1, 1.0]}, human=Human(1.0, 0.9, 1.1))
    figure = sweeps_chart.temperature_panel(view, marks_of(runs), "light")
    at = {a.text: a.y for a in figure.layout.annotations}
    assert at["C"] < at["A"] < at["B"]
    low, high = figure.layout.yaxis.range
    px = (figure.layout.height - figure.layout.margin.t - figure.layout.margin.b) / (high - low)
    assert min(np.diff(sorted(at.values()))) * px >= 13.99


@pytest.mark.parametrize("models", [[f"m{k}" for k in range(10)], ["a long name", "another one"]])
def test_many_lines_or_long_names_are_not_labelled(models: list[str]) -> None:
    runs = runs_of(*models)
    view = view_of(runs, {m: [1 + k, 2 + k, 3 + k] for k, m in enumerate(models)})
    assert not sweeps_chart.named_at_ends(view.curves, marks_of(runs))
    figure = sweeps_chart.temperature_panel(view, marks_of(runs), "light")
    assert not figure.layout.annotations
    assert figure.layout.height == sweeps_chart.HEIGHT
    assert len({(t.line.color, t.line.dash) for t in figure.data if t.name in models}) == len(models)


@pytest.mark.parametrize("models", [["Oracle", "Peaked", "Loose"], ["a long name", "another one"]])
def test_labels_and_margins_take_little_of_a_panel(models: list[str]) -> None:
    runs = runs_of(*models)
    view = view_of(runs, {m: [0.025 + k, 0.021, 1.75] for k, m in enumerate(models)}, human=Human(1.0, 0.9, 1.1))
    margin = sweeps_chart.temperature_panel(view, marks_of(runs), "light").layout.margin
    assert 316 - margin.l - margin.r >= 207


def test_people_and_no_difference_have_a_line_each() -> None:
    runs = runs_of("A")
    dashes = {
        sweeps_chart.temperature_panel(view_of(runs, {"A": [1, 2, 3]}, metric, Human(1.5)), marks_of(runs), "light")
        .layout.shapes[0]
        .line.dash
        for metric in (TRM, ROUGE)
    }
    assert len(dashes) == 2


def test_a_logarithmic_axis_has_the_same_ticks() -> None:
    runs = runs_of("A", temperatures=(0.1, 0.9, 1.0, 1.1, 2.0))
    view = view_of(runs, {"A": [1, 2, 3, 4, 5]})
    linear, log = (
        sweeps_chart.temperature_panel(view, marks_of(runs), "light", log=on).layout.xaxis for on in (False, True)
    )
    assert (linear.type, log.type) == ("linear", "log")
    assert list(linear.tickvals) == list(log.tickvals) == [0.1, 0.9, 1.0, 1.1, 2.0]
    assert list(linear.ticktext) == ["0.1", "", "1.0", "", "2.0"]
    assert log.range[0] < -1
    assert 0.3 < log.range[1] < 0.4


def test_longer_labels_of_many_temperatures_stand_further_apart() -> None:
    at = tuple(0.5 * k for k in range(1, 28))
    runs = runs_of("A", temperatures=at)
    axis = sweeps_chart.temperature_panel(view_of(runs, {"A": list(at)}), marks_of(runs), "light").layout.xaxis
    labelled = [(value, name) for value, name in zip(axis.tickvals, axis.ticktext) if name]
    assert (labelled[0], labelled[-1]) == ((0.5, "0.5"), (13.5, "13.5"))
    width = {name: sum(3.2 if letter == "." else 6.4 for letter in name) for _, name in labelled}  # px, of 230 for all
    for (one, first), (two, second) in pairwise(labelled):
        assert (two - one) / 13 * 230 > (width[first] + width[second]) / 2 + 4


def test_one_temperature_is_a_point_with_whiskers_and_no_label() -> None:
    runs = runs_of("A", temperatures=(1.0,))
    figure = sweeps_chart.temperature_panel(view_of(runs, {"A": [2.0]}), marks_of(runs), "light", selected="A@1")
    assert list(trace(figure, "A").error_y.array) == pytest.approx([0.1])
    assert not figure.layout.annotations
    assert "yaxis2" not in figure.layout
    assert trace(figure, "looked into").y[0] == 2.0


def test_the_decoders_of_a_model_keep_its_colour() -> None:
    runs = [*runs_of("A"), Run("n1", "A", Settings(1.0, 0.9), {}), Run("n2", "A", Settings(1.5, 0.9), {})]
    marks = marks_of(runs)
    sampling, nucleus = marks["A", SAMPLING], marks["A", Decoder("nucleus", 0.9)]
    assert sampling.style == nucleus.style
    assert (sampling.dash, sampling.symbol) != (nucleus.dash, nucleus.symbol)
    assert (sampling.name, nucleus.name) == ("A, sampling", "A, top-p 0.9")
    alone = marks_of([*runs_of("A"), runs[3]])
    assert [mark.name for mark in alone.values()] == ["A", "A, top-p 0.9"]
    called = [replace(run, name=f"A nucleus {k}") if run.settings.top_p else run for k, run in enumerate(runs)]
    assert marks_of(called)["A", Decoder("nucleus", 0.9)].name == "A, nucleus 0.9"


def test_a_model_named_after_its_decoder_has_the_decoder_s_name_everywhere() -> None:
    runs = [Run(f"k{t}", "top_k", Settings(t, top_k=10), {}) for t in (0.5, 1.0)]
    (line,) = sweeps_of(settings_of(runs))
    assert decoder_words.setting_name(point(line.settings[0], 1.0)) == "top-k 10\xa0·\xa0T 0.5"
    assert [mark.name for mark in marks_of(runs).values()] == ["top-k 10"]
    assert model_names(map(line_of, runs)) == {"top_k": "top-k 10"}
    other = Run("k5", "top_k", Settings(0.5, top_k=5), {})
    assert model_names(map(line_of, [*runs, other])) == {"top_k": "top_k"}, "two decoders, so neither is its name"


def test_a_long_name_is_cut_at_the_model() -> None:
    mark = marks_of([Run("a", "a model of many words", Settings(1.0, 0.9), {}), *runs_of("a model of many words")])[
        "a model of many words", Decoder("nucleus", 0.9)
    ]
    assert mark.cut(15) == "a m…, top-p 0.9"
    assert mark.cut(8) == "a model…"
    assert mark.cut(99) == "a model of many words, top-p 0.9"


@pytest.mark.parametrize("lines", [1, 9])
def test_on_paper_lines_without_a_name_at_their_end_have_a_key(lines: int) -> None:
    models = [f"m{k}" for k in range(lines)]
    runs = [*runs_of(*models), *runs_of("lone", temperatures=(1.0,))]
    view = view_of(runs, {m: [1 + k, 2 + k, 3 + k] for k, m in enumerate(models)} | {"lone": [2.0]})
    screen, paper = (sweeps_chart.temperature_panel(view, marks_of(runs), "light", width=w) for w in (None, 372.0))
    assert [t.name for t in paper.data if t.showlegend is not False] == (models if lines > 1 else []) + ["lone"]
    assert not screen.layout.showlegend
    assert paper.layout.height > screen.layout.height
    keyed = sweeps_chart.temperature_panel(replace(view, human=Human(1.5)), marks_of(runs), "light", width=372.0)
    assert [t.mode for t in keyed.data if t.name == "No difference"] == ["lines"]


def test_undefined_points_are_gaps_and_a_view_without_values_still_draws() -> None:
    runs = runs_of("A")
    view = view_of(runs, {"A": [1.0, 2.0, 3.0]})
    empty = tuple(Point(p.setting, reason="no") for p in view.curves[0].points)
    nothing = SweepView(TRM, "lowest", (Curve(view.curves[0].sweep, empty, None),), (), Human(reason="no"))
    figure = sweeps_chart.temperature_panel(nothing, marks_of(runs), "light")
    assert np.isnan(np.array(trace(figure, "A").y, float)).all()
    assert sweeps_words.alt(nothing, marks_of(runs)).startswith(f"{TRM.label} by temperature. No values yet")


def test_the_verdict_names_the_best_line_and_how_sure() -> None:
    runs = runs_of("A", "B", "C")
    view = view_of(runs, {"A": [2.0, 1.0, 1.2], "B": [3.0, 2.0, 1.9], "C": [1.05, 1.4, 1.4]})
    quality = view_of(runs, {m: [1.0, 2.0, 3.0] for m in "ABC"}, ROUGE)
    said = "".join(sweeps_words.verdict([view, quality], marks_of(runs)))
    assert said.startswith(
        f"By {TRM.label}, A is best within T 1.0 to 1.5, B at 1.5, C within 0.5 to 1.0. "
        "By ROUGE-L, A and B are significantly better at the coldest temperature."
    )
    assert f"A at T 1.0 has the lowest {TRM.label} of all lines, 1.000 (0.900 to 1.100)" in said
    assert "any temperature tried from 1.0 to 1.5 may be its best" in said
    assert said.endswith(" B has its lowest value at the hottest temperature tried: a hotter one may do better.")
    shown, _ = split_verdict(sweeps_words.verdict([replace(view, metric=METEOR), quality], marks_of(runs)))
    assert "".join(shown).rstrip().endswith("better at the coldest temperature."), (
        "both sentences are seen before it is opened"
    )
    for never in ([3.0, 2.0, 1.0], [2.0, 2.0, 2.0]):
        other = view_of(runs, dict.fromkeys("ABC", never), ROUGE)
        assert "coldest" not in "".join(sweeps_words.verdict([view, other], marks_of(runs)))
    cold = view_of(runs, {m: [1.0, 2.0, 3.0] for m in "ABC"})
    alike = "".join(sweeps_words.verdict([cold, quality], marks_of(runs)))
    assert alike.startswith(f"By {TRM.label}, all 3 lines are best within T 0.5 to 1.0. ")
    assert "coldest" not in alike, "both choose it"
    mixed = view_of(runs, {"A": [1, 2, 3], "B": [2, 1, 1], "C": [1, 2, 3]}, ROUGE)
    assert "By ROUGE-L, A is significantly better at the coldest temperature." in "".join(
        sweeps_words.verdict([view, mixed], marks_of(runs))
    )


def test_a_choice_that_no_interval_supports_is_not_said() -> None:
    """If a metric is truly equal at three temperatures, the coldest has the smallest value in a third of studies."""
    runs, rng = runs_of("A"), np.random.default_rng(3)
    (line,) = view_of(runs, {"A": [1.0, 1.1, 1.2]}, ROUGE).curves
    noisy = tuple(replace(p, boot=p.value + rng.normal(size=2000)) for p in line.points)
    quality = SweepView(ROUGE, "lowest", (replace(line, points=noisy),), (), Human())
    main = view_of(runs, {"A": [2.0, 1.0, 1.2]})
    assert "coldest" not in "".join(sweeps_words.verdict([main, quality], marks_of(runs)))
    every = replace(line, points=noisy, optimum=Optimum(2, (0, 1, 2)))
    said = "".join(sweeps_words.verdict([replace(quality, curves=(every,))], marks_of(runs)))
    assert "hottest" not in said


def test_of_many_lines_no_bands_are_drawn() -> None:
    models = [f"m{k}" for k in range(7)]
    runs = runs_of(*models)
    whole = view_of(runs, {m: [1.0, 2.0, 3.0] for m in models})
    few = replace(whole, curves=whole.curves[:6])
    for view, bands in ((whole, 0), (few, 6)):
        figure = sweeps_chart.temperature_panel(view, marks_of(runs), "light")
        assert sum((t.name or "").endswith(", band") for t in figure.data) == bands
        said = sweeps_words.print_footer(random_study(items=3), [], view)
        assert ("Bands" in said) == bool(bands)


def test_who_is_not_told_apart_is_named() -> None:
    runs = runs_of("A", "B")
    view = view_of(runs, {"A": [2.0, 1.0, 1.2], "B": [3.0, 2.0, 1.9]})
    marks = marks_of(runs)
    assert "better than every other line at its best" in "".join(sweeps_words.verdict([view], marks))
    wide = view.curves[1]
    noise = np.random.default_rng(1).normal(scale=3, size=2000)
    moved = tuple(Point(**{**vars(p), "boot": p.boot + noise}) for p in wide.points)
    close = SweepView(TRM, "lowest", (view.curves[0], Curve(wide.sweep, moved, wide.optimum)), (), Human())
    assert "though B may be as good at its best" in "".join(sweeps_words.verdict([close], marks))


def test_diversity_is_never_best() -> None:
    runs = runs_of("A")
    marks = marks_of(runs)
    view = view_of(runs, {"A": [3.0, 2.0, 1.0]}, DISTINCT)
    assert sweeps_words.goal_words(view) == "lowest value"
    assert "more is not better in itself" in "".join(sweeps_words.verdict([view], marks))
    assert "best" not in sweeps_words.panel_sub(view, marks)
    near = SweepView(DISTINCT, "nearest", view.curves, (), Human(2.1))
    assert sweeps_words.panel_sub(near, marks).startswith("Nearest to people: T 1.5")


def test_the_foremost_metric_is_the_one_that_ranks() -> None:
    runs = runs_of("A")
    names = ("corpus_ms_jaccard_4", "cider_d", "trm_meteor")
    whole, quality, trm = (view_of(runs, {"A": [3.0, 2.0, 2.5]}, METRICS[name]) for name in names)
    metrics = [METRICS[name] for name in names]
    study = random_study(items=30, references=3, candidates=3, runs=1)
    assert ranking_first(study, metrics) == (metrics[2], metrics[0], metrics[1])
    assert sweeps_words.foremost([trm, whole, quality]) is trm
    assert sweeps_words.foremost([whole, quality]) is quality
    assert sweeps_words.foremost([whole]) is whole


def test_tables_and_reasons() -> None:
    runs = runs_of("A")
    off = (Point(Setting("A", Decoder("greedy"), None, ("g",)), reason="needs 2 candidates, has 1"),)
    line = view_of(runs, {"A": [1.0, 2.0, 3.0]})
    view = SweepView(TRM, "lowest", line.curves, off, Human(reason="x"))
    frame = sweeps_tables.table([view])
    assert list(frame["T"])[:3] == [0.5, 1.0, 1.5]
    assert frame["Value"].tolist()[:3] == [1.0, 2.0, 3.0]
    assert np.isnan(frame["T"].iloc[3])
    assert frame["Decoder"].iloc[3] == "greedy"
    assert sweeps_words.reasons([(TRM, Point(Setting("A", SAMPLING, 1.0, ("w",)), reason=PENDING))]) == ""
    rest = sweeps_tables.off_axis([view])
    assert rest["Run"].tolist() == ["g"]
    assert sweeps_words.reasons([(TRM, off[0]), (ROUGE, off[0])]) == (
        f"{TRM.label} and ROUGE-L: needs 2 candidates, has 1 (g)."
    )
    best = sweeps_tables.optima([view], marks_of(runs)).iloc[0]
    assert (best["T"], best["May be best at T"]) == (0.5, "0.5, 1.0")


def test_without_resamples_in_common_no_order_is_claimed_or_denied() -> None:
    unknown = np.full(2000, np.nan)

    def whole(given: Point) -> Point:
        return Point(**{**vars(given), "boot": unknown})

    runs = [Run(name, name, Settings(), {}) for name in ("Dai", "Liu", "Vinyals")]
    points = [whole(point(s, v)) for s, v in zip(settings_of(runs), (0.18, 0.17, 0.01))]
    view = SweepView(ROUGE, "highest", (), tuple(points), Human())
    said = "".join(decoder_words.decoder_verdict(view, points))
    assert said.startswith("Dai has the highest ROUGE-L")
    assert said.endswith(", but its differences from the 2 others have no interval, so their order is uncertain.")
    assert "its difference from the other has no interval" in "".join(decoder_words.decoder_verdict(view, points[:2]))
    lines = runs_of("A", "B")
    drawn = view_of(lines, {"A": [2.0, 1.0, 1.2], "B": [3.0, 2.0, 1.9]})
    curves = tuple(
        Curve(c.sweep, tuple(map(whole, c.points)), Optimum(c.optimum.at)) for c in drawn.curves if c.optimum
    )
    said = "".join(sweeps_words.verdict([SweepView(TRM, "lowest", curves, (), Human())], marks_of(lines)))
    assert "but its difference from the other has no interval, so their order is uncertain; whether" in said
    assert "another temperature is better cannot be tested (no resamples)" in said
    assert "may be" not in said
    why = "one value of a whole run, not a sum over its parts, so runs cannot be resampled together"
    mauve = METRICS["mauve_bert"]
    assert f"whether another temperature is better cannot be tested ({why})" in "".join(
        sweeps_words.verdict([SweepView(mauve, "highest", curves, (), Human())], marks_of(lines))
    )
    said = "".join(decoder_words.decoder_verdict(SweepView(mauve, "highest", (), tuple(points), Human()), points))
    assert said.endswith(f"2 others have no interval ({why}), so their order is uncertain.")


def test_a_saved_figure_says_what_its_marks_are() -> None:
    study = random_study(items=3, references=4, candidates=5)
    runs = runs_of("a", "b")
    shown = view_of(runs, {"a": [3.0, 1.0, 2.0], "b": [2.0, 1.0, 3.0]})
    n = "n = 3 items, 5 captions by each run and 4 by people."
    bands, rings = "Bands: 95 % intervals.", "Rings: lowest value; thick: what may be best (95 %)."
    assert sweeps_words.print_footer(study, study.runs, shown) == f"{n} {bands} {rings}"
    people = replace(shown, human=Human(1.0, 0.9, 1.1, about="people"))
    assert sweeps_words.print_footer(study, study.runs, people).endswith(
        f"{rings} Dotted: no difference, grey: 95 % interval."
    )
    more = replace(people, metric=DISTINCT, goal="nearest", human=Human(1.0, about="people"))
    assert sweeps_words.print_footer(study, study.runs, more) == (
        f"{n} {bands} Rings: nearest to people; thick: what may be best (95 %). Dashed: people."
    )
    seeds = tuple(replace(p, setting=replace(p.setting, runs=("x", "y"))) for p in shown.curves[0].points)
    unsure = replace(shown.curves[0], points=seeds, optimum=Optimum(1))
    assert sweeps_words.print_footer(study, study.runs, replace(shown, curves=(unsure,))) == (
        f"{n} {bands} Rings: lowest value. Small dots: single runs."
    )
    bare = tuple(replace(p, low=np.nan, high=np.nan) for p in shown.points)
    rest = replace(shown, curves=(), off_line=bare)
    assert sweeps_words.print_footer(study, study.runs, rest, decoders=True) == n
    whiskers = replace(people, curves=(), off_line=shown.points)
    assert sweeps_words.print_footer(study, study.runs, whiskers, decoders=True) == (
        f"{n} Whiskers: 95 % intervals. Dotted: no difference, grey: 95 % interval."
    )
