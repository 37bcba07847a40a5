"""Test the names of lines and settings in the sweeps."""

from __future__ import annotations

import pytest

from data.study import Run, Settings
from figures.style.line_styles import Mark, line_of, marks_of, model_names
from figures.style.run_names import decoder_name
from figures.sweeps import chart as sweeps_chart
from figures.sweeps import decoder_words
from metrics.analysis.sweeps import (
    Decoder,
    Sweep,
    settings_of,
)
from tests.figures.test_sweeps import SAMPLING, point, runs_of, view_of


@pytest.mark.parametrize(
    ("decoder", "name"),
    [
        (Decoder("nucleus", 0.9), "top-p 0.9"),
        (Decoder("nucleus", 0.9, 10), "top-p 0.9, top-k 10"),
        (Decoder("top_k", top_k=10), "top-k 10"),
        (Decoder("top_k"), "top-k"),
        (Decoder("diverse_beam", width=5), "diverse beam 5"),
        (Decoder(""), "not stated"),
    ],
)
def test_decoders_have_names(decoder: Decoder, name: str) -> None:
    assert decoder_name(decoder) == name


def test_names_are_data_in_figures() -> None:
    bad = "<script>alert(1)</script><b>x</b>"
    runs = runs_of(bad)
    figure = sweeps_chart.temperature_panel(view_of(runs, {bad: [1, 2, 3]}), marks_of(runs), "light")
    shown = [t.name for t in figure.data] + [a.text for a in figure.layout.annotations]
    shown += [text for t in figure.data for text in t.hovertext or ()]
    assert not any("<script" in text or "<b>x" in text for text in shown)


def test_a_decoder_that_nobody_states_is_not_part_of_a_name() -> None:
    runs = [Run("a", "Dai", Settings(), {}), Run("b", "m-RNN", Settings(decoder="beam10"), {})]
    named = [decoder_words.setting_name(point(s, 1.0)) for s in settings_of(runs)]
    assert sorted(named) == ["Dai", "m-RNN\xa0·\xa0beam 10"]


def test_a_mark_is_a_value() -> None:
    runs = runs_of("A", "B")
    assert isinstance(marks_of(runs)["A", SAMPLING], Mark)
    assert marks_of(runs)["B", SAMPLING] == marks_of(runs_of("A", "B", "C"))["B", SAMPLING], "a filter recolours nobody"
    assert Sweep("A", SAMPLING, ()).settings == ()


def test_what_all_long_names_share_is_dropped() -> None:
    models = ["captioner-large-coco-a", "captioner-large-coco-b"]
    runs = runs_of(*models)
    assert [mark.name for mark in marks_of(runs).values()] == ["a", "b"]
    assert list(model_names(map(line_of, runs)).values()) == ["a", "b"]
