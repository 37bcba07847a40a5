"""Test colours, marks and labels."""

from __future__ import annotations

from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.marks import shown
from data.slices import only_slice
from data.study import Item, Run, Settings, Study
from figures.style.line_styles import run_marks
from figures.style.palette import (
    PALETTE,
    TONES,
    Mode,
    ModelStyle,
    alpha,
    difference,
    dodge,
    model_styles,
    pair_colours,
    plain,
    ramp,
    styles_of,
    template,
)

MODES: tuple[Mode, ...] = ("light", "dark")


def luminance(colour: str) -> float:
    """Return the relative luminance by WCAG 2.2."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio by WCAG 2.2."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("mode", MODES)
def test_contrast_on_the_page(mode: Mode) -> None:
    paper = TONES[mode]["paper"]
    assert min(contrast(c, paper) for c in PALETTE[mode]["mark"]) >= 3
    assert min(contrast(c, paper) for c in PALETTE[mode]["text"]) >= 4.5
    assert min(contrast(TONES[mode][role], paper) for role in ("good", "bad", "ink", "muted")) >= 4.5


@pytest.mark.parametrize("mode", MODES)
def test_the_hues_of_twelve_models_repeat_in_another_lightness_that_can_be_read(mode: Mode) -> None:
    paper, styles = TONES[mode]["paper"], [ModelStyle(i) for i in range(24)]
    assert len({s.mark(mode) for s in styles}) == 12
    for first, second in zip(styles[:6], styles[6:12]):
        assert contrast(first.mark(mode), second.mark(mode)) >= 1.8, "a step that is seen in grey"
        assert contrast(second.mark(mode), paper) >= 3
        assert contrast(second.text(mode), paper) >= 4.5
        assert first.symbol != second.symbol
        assert first.resembles(second, mode)
        assert pair_colours((first, second), mode)[1][0] == TONES[mode]["ink"], "not two blues"
    for first, third in zip(styles, styles[12:]):
        assert first.mark(mode) == third.mark(mode)
        assert first.resembles(third, mode)
    assert pair_colours((styles[6], styles[1]), mode)[1][0] == styles[1].mark(mode)


@pytest.mark.parametrize("mode", MODES)
def test_two_compared_models_never_look_alike(mode: Mode) -> None:
    styles = [ModelStyle(i) for i in range(12)]
    for first, second in permutations(styles, 2):
        (one, _), (other, _) = pair_colours((first, second), mode)
        assert difference(one, other) >= 0.1
    assert pair_colours((styles[0], styles[11]), mode)[1][0] == TONES[mode]["ink"], "blue and dark sky blue"


def test_hidden_runs_keep_the_colours_of_the_others() -> None:
    runs = tuple(Run(f"{model} {k}", model, Settings(), {"i": ("a",)}) for model in "abc" for k in range(2))
    study = Study("s", (Item("i", ("a",)),), runs)
    whole = styles_of(study)
    left = shown(study, {"a 0", "a 1", "b 0"})
    assert [run.name for run in left.runs] == ["b 1", "c 0", "c 1"]
    assert {run.model: styles_of(left)[run.model] for run in left.runs} == {m: whole[m] for m in "bc"}
    again = only_slice(left.only(runs=["c 0"]), "slice", ["i"])
    assert styles_of(again)["c"] == whole["c"], "of a part of a part, too"
    assert run_marks(left.runs, left.every_model)["c 0"].style == whole["c"]
    assert left.digest == Study("s", study.items, left.runs).digest, "colours are no part of what a study is"


@pytest.mark.parametrize("mode", MODES)
def test_thirty_models_stay_apart(mode: Mode) -> None:
    styles = [ModelStyle(i) for i in range(36)]
    assert len({(s.mark(mode), s.symbol) for s in styles}) == 36
    assert len({(s.mark(mode), s.dash) for s in styles[:24]}) == 24
    assert len({s.symbol for s in styles[:6]}) == 6


def test_a_filter_keeps_the_colours_of_a_study() -> None:
    models = ["b", "a", "b", "c", "a"]
    styles = model_styles(models)
    assert list(styles) == ["b", "a", "c"]
    assert [s.index for s in styles.values()] == [0, 1, 2]


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=12), st.floats(0.1, 5))
def test_dodged_labels_keep_distance_order_and_mean(values: list[float], gap: float) -> None:
    placed = dodge(values, gap)
    order = sorted(range(len(values)), key=lambda i: values[i])
    assert all(placed[b] - placed[a] >= gap - 1e-6 for a, b in pairwise(order))
    assert sum(placed) == pytest.approx(sum(values), abs=1e-6)


def test_labels_with_room_stay() -> None:
    assert dodge([1.0, 5.0, 3.0], 1.5) == [1.0, 5.0, 3.0]


@given(st.text())
def test_text_in_figures_is_inert(text: str) -> None:
    shown = plain(text)
    assert "<" not in shown
    assert ">" not in shown
    shown.encode()


def test_long_text_is_broken_and_quotes_stay() -> None:
    assert plain('a "b" & c', 60) == 'a "b" &amp; c'
    assert all(len(line) <= 20 for line in plain("word " * 30, 20).split("<br>"))


@pytest.mark.parametrize("mode", MODES)
def test_the_ramp_runs_evenly_from_ink_to_paper(mode: Mode) -> None:
    away = [contrast(colour, TONES[mode]["paper"]) for _, colour in ramp(mode)]
    assert away == sorted(away, reverse=True)
    assert template(mode).layout.font.color == TONES[mode]["muted"]
    assert alpha("#0065A8", 0.5) == "rgba(0,101,168,0.5)"
