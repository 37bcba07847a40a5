"""A triangle in three steps: drawn to scale, with letters and lengths as text on top of the drawing."""

from __future__ import annotations

import base64
import math

from data.study import Study
from figures.overview.html import hue, quote
from figures.overview.names import called
from figures.style.escaping import esc
from figures.style.numbers import num
from figures.style.palette import Mode, ModelStyle, styles_of, tone
from metrics.analysis.overview_image import Steps, Triangle

WIDE, HIGH = 216, 152
_BASE, _REACH, _TOP = 126.0, 176.0, 12.0
_ASIDE = 27.0
"""Least distance, in units of the drawing, of the letters A and B from the length between them."""
_EDGE: dict[Mode, str] = {"light": "rgba(128,123,115,.5)", "dark": "rgba(160,155,147,.55)"}
Corners = tuple[tuple[float, float], tuple[float, float], tuple[float, float]]


def steps_html(study: Study, found: Steps, mode: Mode) -> str:
    """Return the triangle in three steps, as HTML."""
    drawn, run = found.triangle, study.runs[found.run]
    colours = hue(study, found.run, mode)
    corners = places(drawn)
    ink, own = "<p>", '<p class="tl-ov-c">'
    pair, third = (own, ink) if drawn.of_run else (ink, own)
    a, b = (f"{pair}<b>{letter}</b>{quote(text)}</p>" for letter, text in zip("AB", drawn.pair))
    c = f"{third}<b>C</b>{quote(drawn.point)}</p>"
    style, name = styles_of(study)[run.model], called(study.runs, run)
    cells = (
        (f"Take two captions by {name if drawn.of_run else 'people'}", 1, a + b),
        (f"Add one by {'a person' if drawn.of_run else name}", 2, c),
        ("Is the edge from A to B the shortest?", 3, f'<p class="tl-ov-w">{_answer(drawn)}</p>'),
    )
    said = "".join(
        f'<div class="tl-ov-step"><h3><i>{k}</i><span dir="auto">{esc(title)}</span></h3>'
        f"{_drawing(drawn, corners, k, style, mode)}<div>{below}</div></div>"
        for title, k, below in cells
    )
    return f'<div class="tl-ov-steps" style="{colours}">{said}</div>'


def _answer(drawn: Triangle) -> str:
    if drawn.rank == 2:
        return "<b>No, it is the longest.</b> C lies between A and B."
    return "<b>Yes, it is the shortest.</b> C lies outside the pair."


def places(drawn: Triangle) -> Corners:
    """Return corners A, B and C, to scale; if no triangle has these lengths, those of the nearest flat triangle."""
    inside = max(drawn.inside, 1e-6)
    left, right = drawn.edges
    x = (left * left - right * right + inside * inside) / (2 * inside)
    y = math.sqrt(max(left * left - x * x, (0.04 * max(inside, left, right)) ** 2))
    across = max(inside, x) - min(0.0, x)
    scale = min(_REACH / across, (_BASE - _TOP) / y)
    shift = (WIDE - scale * across) / 2 - scale * min(0.0, x)
    return (shift, _BASE), (shift + scale * inside, _BASE), (shift + scale * x, _BASE - scale * y)


def _drawing(drawn: Triangle, corners: Corners, step: int, style: ModelStyle, mode: Mode) -> str:
    """The drawing of a step: lines and points as an image, letters and lengths as text on top of it."""
    a, b, c = corners
    pair, third = ("tl-ov-cc", "") if drawn.of_run else ("", "tl-ov-cc")
    middle = (a[0] + b[0]) / 2
    aside = max((b[0] - a[0]) / 2, _ASIDE * (step == 3))
    texts = [(middle - aside, _BASE + 20, "A", pair), (middle + aside, _BASE + 20, "B", pair)]
    if step == 1:
        texts.append((middle, _BASE - 15, f"distance {num(drawn.inside, 2)}", "tl-ov-l"))
    else:
        texts.append((c[0] + 20, c[1] + 1, "C", third))
    if step == 3:
        texts.append((middle, _BASE + 20, num(drawn.inside, 2), ""))
        for end, length, sign in ((a, drawn.edges[0], -1), (b, drawn.edges[1], 1)):
            texts.append(((end[0] + c[0]) / 2 + sign * 24, (end[1] + c[1]) / 2 - 3, num(length, 2), "tl-ov-l"))
    placed = "".join(
        f'<span class="{kind}" style="left:{100 * x / WIDE:.2f}%;top:{100 * y / HIGH:.2f}%">{text}</span>'
        for x, y, text, kind in texts
    )
    said = f"Pair {num(drawn.inside, 2)} apart, third {num(drawn.edges[0], 2)} and {num(drawn.edges[1], 2)} from it"
    return f'<div class="tl-ov-d"><img src="{_image(drawn, corners, step, style, mode)}" alt="{said}">{placed}</div>'


def _image(drawn: Triangle, corners: Corners, step: int, style: ModelStyle, mode: Mode) -> str:
    (ax, ay), (bx, by), (cx, cy) = corners
    ink, hue = tone("ink", mode), style.mark(mode)
    pair, third = (hue, ink) if drawn.of_run else (ink, hue)
    dash = ' stroke-dasharray="4 4"' if step == 2 else ""
    sides = f"M{ax:.1f} {ay:.1f}L{cx:.1f} {cy:.1f}L{bx:.1f} {by:.1f}"
    sides = f'<path d="{sides}" fill="none" stroke="{_EDGE[mode]}" stroke-width="1.75"{dash}/>'
    point = f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="8" fill="{third}"/>'
    dots = "".join(f'<circle cx="{x:.1f}" cy="{_BASE}" r="7" fill="{pair}"/>' for x in (ax, bx))
    inside = f'<path d="M{ax:.1f} {_BASE}H{bx:.1f}" stroke="{pair}" stroke-width="3.5" stroke-linecap="round"/>{dots}'
    size = f'viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" height="{HIGH}"'
    lines = f"{sides}{inside}{point}" if step > 1 else inside
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{lines}</svg>'
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()
