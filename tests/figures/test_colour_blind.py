"""Test, with simulated colour vision deficiencies, that no figure distinguishes things by hue only.

The simulation is that of Machado, Oliveira and Fernandes (2009) at severity 1, in linear RGB.
"""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

from figures.style.palette import TONES, Mode, ModelStyle, ramp
from figures.unique_correct.heatmaps import luminance

MODES: tuple[Mode, ...] = ("light", "dark")
SEEN = {
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "grey": [[0.2126, 0.7152, 0.0722]] * 3,
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.119192, 0.9503041]]
)
WHITE = TO_XYZ.sum(axis=1)
"""XYZ of the white of sRGB, D65."""


def lab(colour: str, seen: str | None = None) -> np.ndarray:
    """Return the CIELAB values of a colour, as seen with the colour vision deficiency `seen`, if any."""
    parts = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    if seen is not None:
        linear = np.clip(np.array(SEEN[seen]) @ linear, 0, 1)
    ratio = TO_XYZ @ linear / WHITE
    x, y, z = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def apart(one: str, other: str, seen: str | None = None) -> float:
    """Return Delta E (CIE 1976) between two colours, as seen with the deficiency `seen`, if any."""
    return float(np.linalg.norm(lab(one, seen) - lab(other, seen)))


def test_the_simulation_keeps_greys_and_confuses_red_with_green() -> None:
    assert lab("#FFFFFF") == pytest.approx([100, 0, 0], abs=0.01)
    assert apart("#FF0000", "#0000FF") == pytest.approx(176.3, abs=0.1)
    for seen in SEEN:
        assert apart("#808080", "#808080") == 0
        assert lab("#808080", seen) == pytest.approx(lab("#808080"), abs=0.2)
    assert apart("#B3401F", "#1A7F5A", "deuteranopia") < 0.5 * apart("#B3401F", "#1A7F5A")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seen", SEEN)
def test_twelve_models_differ_by_marker_or_by_a_colour_that_is_told_apart_in_grey_by_dash_too(
    mode: Mode, seen: str
) -> None:
    styles = [ModelStyle(k) for k in range(12)]
    alike = [
        (one.index, other.index)
        for one, other in combinations(styles, 2)
        if one.symbol == other.symbol
        if seen != "grey" or one.dash == other.dash
        if apart(one.mark(mode), other.mark(mode), seen) < 10
    ]
    assert alike == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seen", ["deuteranopia", "protanopia"])
def test_the_first_three_models_whose_lines_are_all_solid_are_told_apart_by_colour(mode: Mode, seen: str) -> None:
    first = [ModelStyle(k) for k in range(3)]
    assert {style.dash for style in first} == {"solid"}
    assert min(apart(one.mark(mode), other.mark(mode), seen) for one, other in combinations(first, 2)) >= 20
    later = [ModelStyle(k) for k in range(6)]
    close = [
        (one.index, other.index)
        for one, other in combinations(later, 2)
        if one.dash == other.dash and apart(one.mark(mode), other.mark(mode), seen) < 12
    ]
    assert close == []


@pytest.mark.parametrize("mode", MODES)
def test_the_ramp_keeps_its_order_for_everybody(mode: Mode) -> None:
    colours = [str(colour) for _, colour in ramp(mode)]
    toward_paper = 1 if mode == "light" else -1
    for seen in SEEN:
        steps = [toward_paper * (lab(b, seen)[0] - lab(a, seen)[0]) for a, b in pairwise(colours)]
        assert min(steps) > 6, "each step is seen, by its lightness"


@pytest.mark.parametrize("mode", MODES)
def test_ink_stands_out_from_what_is_muted_and_both_from_paper_in_grey(mode: Mode) -> None:
    grounds = [
        luminance([int(TONES[mode][role][k : k + 2], 16) for k in (1, 3, 5)]) for role in ("ink", "muted", "paper")
    ]
    ink, muted, paper = grounds
    assert abs(ink - muted) > 0.1
    assert abs(muted - paper) > 0.25
