"""The picture of the triangle-rank metric: three captions, three edges, and the rank of the inside edge."""

from __future__ import annotations

import base64
from typing import NamedTuple

from figures.style.palette import Mode, tone

WIDE, HIGH = 260, 150


class Panel(NamedTuple):
    """A triangle with the positions in px of its corners A, B and C, its title, and a text that explains it."""

    corners: tuple[tuple[int, int], tuple[int, int], tuple[int, int]]
    title: str
    text: str


PANELS = (
    Panel(
        ((95, 120), (165, 120), (130, 22)),
        "Shortest",
        "The third caption lies outside the pair: the two sides say different things, or the pair is much alike.",
    ),
    Panel(
        ((70, 120), (180, 120), (105, 26)),
        "Middle",
        "The third caption lies to one side: as common as the other two cases if one source wrote all three captions.",
    ),
    Panel(
        ((35, 118), (225, 118), (128, 62)),
        "Longest",
        "The third caption lies between the pair: the middle of what is said.",
    ),
)
INTRODUCTION = (
    "Take two captions of one side (filled) and one of the other (open). An edge is a distance: 1 minus how alike its "
    "two captions are, such as 1 − METEOR (for CIDEr-D, 10 minus it), so 0 is the same wording. The thick edge joins "
    "the pair. Is it the shortest, the middle or the longest of the three? Where people and the run speak alike, each "
    "happens a third of the time. TRM adds up how far the three shares are from a third, with pairs by people and with "
    "pairs by the run."
)


def image(panel: Panel, mode: Mode) -> str:
    """Return the drawing as a data URI; the words of the panel belong below it."""
    (ax, ay), (bx, by), (cx, cy) = panel.corners
    ink, muted, paper = tone("ink", mode), tone("muted", mode), tone("paper", mode)
    sides = f'<path d="M{ax} {ay}L{cx} {cy}L{bx} {by}" fill="none" stroke="{muted}" stroke-width="1.75"/>'
    pair = f'<path d="M{ax} {ay}L{bx} {by}" stroke="{ink}" stroke-width="4" stroke-linecap="round"/>'
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="8" fill="{ink}"/>' for x, y in ((ax, ay), (bx, by)))
    third = f'<circle cx="{cx}" cy="{cy}" r="7.5" fill="{paper}" stroke="{ink}" stroke-width="2.5"/>'
    size = f'viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" height="{HIGH}"'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{sides}{pair}{dots}{third}</svg>'
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def panel_html(panel: Panel, mode: Mode) -> str:
    """Return one triangle with its words, as HTML."""
    said = f"Two captions of a side and one of the other; the edge that joins the pair is the {panel.title.lower()}"
    drawing = f'<img src="{image(panel, mode)}" alt="{said}" style="max-width:100%;height:auto">'
    return f'<div class="tl-fig">{drawing}<br><b>{panel.title}</b><small>{panel.text}</small></div>'
