"""The visual language of every figure: colours, model marks, the plotly template, label placement.

The theme ("light" or "dark") is always an argument, so a figure depends only on its arguments.
"""

from __future__ import annotations

import html
import math
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from operator import mul
from typing import TYPE_CHECKING, Any, Literal

import plotly.graph_objects as go

from figures.style.drawing import TICKS
from figures.style.escaping import whole

if TYPE_CHECKING:
    from data.study import Study

Mode = Literal["light", "dark"]

# Okabe-Ito hues (blue, vermillion, green, purple, orange, sky). Per theme, lightness gives marks a contrast of 3:1
# or more, and deuteranopes and protanopes still tell the first four apart; "text" has 4.5:1 or more, for labels.
PALETTE: dict[Mode, dict[str, list[str]]] = {
    "light": {
        "mark": ["#0065A8", "#CC5200", "#007A5C", "#C9689F", "#BF8800", "#3A9AD6"],
        "text": ["#005F9E", "#B34700", "#00704F", "#A8447F", "#8A6100", "#1B74AC"],
    },
    "dark": {
        "mark": ["#4A9FE3", "#EA6C2D", "#1FA882", "#EBA3CE", "#F0C25A", "#A9DCFA"],
        "text": ["#6BB2EB", "#F28A55", "#3CC09A", "#EBA3CE", "#F0C25A", "#A9DCFA"],
    },
}
TONES: dict[Mode, dict[str, str]] = {
    "light": {
        "good": "#1A7F5A",
        "bad": "#B3401F",
        "ink": "#1C1B1A",
        "muted": "#67645E",
        "paper": "#FFFFFF",
        "card": "#FFFFFF",
        "line": "#D5D1CA",
        "answer": "#ECEAF6",
    },
    "dark": {
        "good": "#5CCB9F",
        "bad": "#F08A6A",
        "ink": "#ECEAE4",
        "muted": "#A5A199",
        "paper": "#141413",
        "card": "#262522",
        "line": "#45433E",
        "answer": "#2A2844",
    },
}
BAND: dict[Mode, float] = {"light": 0.15, "dark": 0.22}
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross")
DASHES = ("solid", "dash", "dot", "dashdot")
FONT = "IBM Plex Sans, Helvetica Neue, Arial, sans-serif"
_SECOND_STEP: dict[str, dict[Mode, float]] = {
    "mark": {"light": 0.42, "dark": 0.3},
    "text": {"light": 0.42, "dark": 0.2},
}
_ALIKE = 0.12
"""The difference between two hues up to which a page that compares two models shows the second in ink."""
_TO_CONES = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
_TO_LAB = (
    (0.2104542553, 0.793617785, -0.0040720468),
    (1.9779984951, -2.428592205, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.808675766),
)
_FIRST_DASHES = (0, 0, 0, 1, 1, 2)
_NEAR_TO_FAR: dict[Mode, tuple[str, ...]] = {
    "light": ("#1F2A33", "#3E4B55", "#606D76", "#848F96", "#A9B1B5", "#CDD1D2", "#EEEEEC"),
    "dark": ("#F2F0EA", "#CBCBC8", "#A2A5A5", "#7B8082", "#585D60", "#3A3E40", "#222425"),
}


@dataclass(frozen=True)
class ModelStyle:
    """How one model is drawn on every page: six hues in two steps of lightness.

    Together with the colours, markers distinguish up to 36 models, and dashes up to 24.
    """

    index: int

    @property
    def symbol(self) -> str:
        """The marker; together with the colour, unique among 36 models."""
        return SYMBOLS[(self.index + self.index // 6) % 6]

    @property
    def dash(self) -> str:
        """The line dash; together with the colour, unique among 24 models."""
        return DASHES[(_FIRST_DASHES[self.index % 6] + self.index // 6) % 4]

    def mark(self, mode: Mode) -> str:
        """Return the colour of lines, bars and markers."""
        return self._stepped("mark", mode)

    def text(self, mode: Mode) -> str:
        """Return the colour of labels: darker in the light theme, lighter in the dark one."""
        return self._stepped("text", mode)

    def resembles(self, other: ModelStyle, mode: Mode) -> bool:
        """Return whether the other model has the same hue, in either lightness, or a very similar colour."""
        same_hue = self.index % 6 == other.index % 6
        return same_hue or difference(self.mark(mode), other.mark(mode)) < _ALIKE

    def _stepped(self, kind: str, mode: Mode) -> str:
        colour = PALETTE[mode][kind][self.index % 6]
        return mixed(colour, "#000000", _SECOND_STEP[kind][mode]) if self.index // 6 % 2 else colour


def model_styles(models: Sequence[str]) -> dict[str, ModelStyle]:
    """Return a style for every model, in order of first appearance.

    Pass all models of the study, not only those on a page: a filter must not change the colours of the rest.
    """
    return {model: ModelStyle(i) for i, model in enumerate(dict.fromkeys(models))}


def styles_of(study: Study) -> dict[str, ModelStyle]:
    """Return a style for every model of a study, including those with hidden runs, so that hiding changes no style."""
    return model_styles(study.every_model)


def pair_colours(styles: tuple[ModelStyle, ModelStyle], mode: Mode) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return mark and text colours of two compared runs; the second is in ink if both models look alike."""
    first, second = ((style.mark(mode), style.text(mode)) for style in styles)
    ink = tone("ink", mode)
    return first, (ink, ink) if styles[0].resembles(styles[1], mode) else second


def mixed(colour: str, other: str, share: float) -> str:
    """Return a colour mixed with a `share` (0 to 1) of another, as "#RRGGBB"."""
    pairs = [(int(colour[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round((1 - share) * one + share * of):02X}" for one, of in pairs)


def difference(one: str, other: str) -> float:
    """Return how different two colours look: their distance in Oklab (B. Ottosson, 2020), 1 from black to white."""
    return math.dist(_oklab(one), _oklab(other))


def _oklab(colour: str) -> list[float]:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    cones = [math.cbrt(sum(map(mul, row, linear))) for row in _TO_CONES]
    return [sum(map(mul, row, cones)) for row in _TO_LAB]


def tone(role: str, mode: Mode) -> str:
    """Return a neutral or evaluative colour: ink, muted, paper, card, line, answer, good, bad."""
    return TONES[mode][role]


def grey(opacity: float) -> str:
    """Return a grey of this opacity in 0..1 that is legible on white and on near-black."""
    return f"rgba(128,123,115,{opacity})"


def alpha(colour: str, opacity: float) -> str:
    """Return a "#RRGGBB" colour with this opacity in 0..1, as a CSS colour."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


def ramp(mode: Mode) -> list[list[Any]]:
    """Return a colour scale from near to far, ink to paper: even in lightness, with no hue that could be a model's."""
    steps = _NEAR_TO_FAR[mode]
    return [[i / (len(steps) - 1), colour] for i, colour in enumerate(steps)]


@cache
def template(mode: Mode) -> go.layout.Template:
    """Return the plotly template. Text is muted, not ink, to stay legible after a theme switch, until the page
    redraws.
    """
    muted, ink = tone("muted", mode), tone("ink", mode)
    axis: dict[str, Any] = {
        "showline": False,
        "zeroline": False,
        "ticklen": 4,
        "tickwidth": 1,
        "tickcolor": grey(0.45),
        "nticks": TICKS,
        "gridcolor": grey(0.17),
        "gridwidth": 1,
        "automargin": False,
        "tickfont": {"size": 11.5, "color": muted},
        "title": {"font": {"size": 12, "color": muted}, "standoff": 8},
    }
    return go.layout.Template(
        layout={
            "font": {"family": FONT, "size": 12, "color": muted},
            "colorway": PALETTE[mode]["mark"],
            "margin": {"l": 44, "r": 12, "t": 8, "b": 40, "pad": 0},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "xaxis": {**axis, "ticks": "outside", "showgrid": False},
            "yaxis": {**axis, "ticks": "", "ticklabelstandoff": 6},
            "showlegend": False,
            "dragmode": False,
            "hovermode": "closest",
            "separators": ".\u202f",
            "hoverlabel": {
                "font": {"family": FONT, "size": 12, "color": ink},
                "bgcolor": tone("card", mode),
                "bordercolor": tone("line", mode),
                "align": "left",
                "namelength": -1,
            },
            "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": muted, "activecolor": ink},
            "annotationdefaults": {"showarrow": False, "font": {"size": 12}},
        }
    )


def frame(figure: go.Figure, mode: Mode, height: int, **layout: Any) -> go.Figure:
    """Return the figure with the template, its height in px and other layout settings."""
    figure.update_layout(template=template(mode), height=height, **layout)
    return figure


def note(x: float, y: float, text: str, **more: Any) -> dict[str, Any]:
    """Return an annotation without an arrow; its anchors are always set, because plotly's "auto" would move it."""
    base = {
        "x": x,
        "y": y,
        "text": text,
        "showarrow": False,
        "xanchor": "left",
        "yanchor": "middle",
        "align": "left",
        "font": {"size": 12},
    }
    return {**base, **more}


def plain(text: str, width: int | None = None) -> str:
    """Return untrusted text for a figure, with its markup escaped and lines of at most `width` characters.

    plotly interprets a few tags and entities in any text. Quotes stay unchanged, because plotly would not decode them.
    """
    clean = whole(text)
    lines = textwrap.wrap(clean, width) if width else [re.sub(r"\s+", " ", clean)]
    return "<br>".join(html.escape(line, quote=False) for line in lines)


def dodge(values: Sequence[float], gap: float) -> list[float]:
    """Return label positions moved apart to at least `gap`, with the order and the mean of each cluster unchanged."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    crowds: list[tuple[list[int], float]] = []
    for i in order:
        crowds.append(([i], values[i]))
        while len(crowds) > 1 and _overlap(crowds[-2], crowds[-1], gap):
            (right, b), (left, a) = crowds.pop(), crowds.pop()
            both = left + right
            crowds.append((both, (a * len(left) + b * len(right)) / len(both)))
    placed = [0.0] * len(values)
    for members, centre in crowds:
        for j, i in enumerate(members):
            placed[i] = centre + gap * (j - (len(members) - 1) / 2)
    return placed


def _overlap(left: tuple[list[int], float], right: tuple[list[int], float], gap: float) -> bool:
    return right[1] - left[1] < gap * (len(left[0]) + len(right[0])) / 2
