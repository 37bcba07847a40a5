"""The grid of curves: a cell for each fault and metric, with more ink the more of its score a damaged caption keeps."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence

from figures.judgments.ranking import ACCENT
from figures.robustness.words import UNTOLD, phrase, why_untold
from figures.style.escaping import esc
from figures.style.numbers import defined, num
from figures.style.palette import Mode, tone
from metrics.analysis.robustness.curves import Curve
from metrics.base import Metric
from metrics.guide.cards import card
from metrics.transformations import Transformation

WIDE, HIGH = 100, 84
WIDE_FROM = 0.05
"""Half the width of an interval from which a cell states it beside its number."""
_SCALE = 54
"""Height in px of a curve that keeps everything, which leaves room for the number above it."""
STYLE = """<style>
.tl-rb{display:grid;grid-template-columns:150px repeat(var(--n),minmax(0,1fr));gap:5px 10px;align-items:stretch}
.tl-rb .h{font-weight:600;font-size:.82rem;align-self:end;overflow-wrap:anywhere}
.tl-rb .t{align-self:center;font-size:.85rem;font-weight:600;line-height:1.25}
.tl-rb .t small{display:block;font-weight:400;opacity:.85}
.tl-rb a{display:block;position:relative;height:84px;border-radius:4px;color:inherit;text-decoration:none}
.tl-rb a img{width:100%;height:100%;display:block;border-radius:4px}
.tl-rb a[aria-current]{outline:2px solid var(--c);outline-offset:2px}
.tl-rb a b{position:absolute;right:5px;top:3px;font-size:.8rem;font-weight:600;padding:0 3px;border-radius:3px;
background:var(--p)}
.tl-rb .w{min-height:84px;border-radius:4px;background:linear-gradient(100deg,rgba(128,123,115,.10) 30%,
rgba(128,123,115,.24) 50%,rgba(128,123,115,.10) 70%) 0 0/300% 100%}
@media (prefers-reduced-motion:no-preference){.tl-rb .w{animation:tl-rb-wait 1.8s linear infinite}
@keyframes tl-rb-wait{from{background-position:100% 0}to{background-position:-50% 0}}}
.tl-rb a i{display:none}.tl-rb .x{font-size:.72rem;display:flex;justify-content:space-between}
"""
_STACKED = """{one}{{grid-template-columns:repeat({n},minmax(0,1fr))}}{one} .h,{one} .x,{one} .e{{display:none}}
{one} .t{{grid-column:1/-1;margin-top:.6rem}}{one} a{{height:72px;margin-top:1.1rem}}
{one} a i{{display:block;position:absolute;left:0;top:-1.1rem;font-size:.72rem;line-height:1;font-style:normal;
white-space:nowrap}}"""
STYLE += f"@media (min-width:701px) and (max-width:1100px){{{_STACKED.format(one='.tl-rb.many', n=4)}}}"
STYLE += f"@media (max-width:700px){{{_STACKED.format(one='.tl-rb', n=3)}}}</style>"
_COLUMNS = 6
"""Maximum number of metrics that have room for their names above columns on a tablet."""


def grid(
    faults: Sequence[Transformation],
    metrics: Sequence[Metric],
    curves: Mapping[tuple[str, str], Curve],
    links: Mapping[tuple[str, str], str],
    chosen: tuple[str, str] | None,
    mode: Mode,
    of_sets: bool = False,
) -> str:
    """Return the grid as HTML; `links` are the addresses of the cells. A cell without a curve is pending."""
    heads = "".join(f'<span class="h" title="{esc(card(metric))}">{esc(metric.label)}</span>' for metric in metrics)
    rows = "".join(_row(one, metrics, curves, links, chosen, mode) for one in faults)
    across = "share" if of_sets else "strength"
    axes = f'<span class="x"><span>0</span><span>{across}</span><span>1</span></span>' * len(metrics)
    inside = f'<span class="e"></span>{heads}{rows}<span class="e"></span>{axes}'
    colours = f"--n:{len(metrics)};--c:{ACCENT[mode]};--p:{tone('paper', mode)}"
    many = " many" if len(metrics) > _COLUMNS else ""
    return f'{STYLE}<div class="tl-rb{many}" style="{colours}">{inside}</div>'


def _row(
    one: Transformation,
    metrics: Sequence[Metric],
    curves: Mapping[tuple[str, str], Curve],
    links: Mapping[tuple[str, str], str],
    chosen: tuple[str, str] | None,
    mode: Mode,
) -> str:
    plain = any(not curve.graded for (fault, _), curve in curves.items() if fault == one.name)
    small = "<small>without degrees: share kept</small>" if plain else ""
    cells = "".join(
        _cell(curves[key], links[key], key == chosen, mode)
        if (key := (one.name, metric.name)) in curves
        else f'<span class="w" title="{esc(f"{phrase(one)}, {metric.label}: waiting")}"></span>'
        for metric in metrics
    )
    return f'<span class="t">{esc(one.label)}{small}</span>{cells}'


def _cell(curve: Curve, link: str, current: bool, mode: Mode) -> str:
    low, high = curve.summary.low, curve.summary.high
    sure = f", 95 % {num(low, 2)} to {num(high, 2)}" if defined(low) and defined(high) else ""
    kept = f"kept {num(curve.summary.value, 2)}{sure}" if curve.told else why_untold(curve)
    said = f"{phrase(curve.transformation)}, {curve.metric.label}: {kept}"
    mark = ' aria-current="true"' if current else ""
    return (
        f'<a href="{esc(link)}" target="_self"{mark} title="{esc(said)}"><i>{esc(curve.metric.label)}</i>'
        f'<img src="{image(curve, mode)}" alt="{esc(said)}"><b>{number(curve)}{_wide(curve)}</b></a>'
    )


def _wide(curve: Curve) -> str:
    """Half the width of an interval that a reader should not overlook; "" for others."""
    half = (curve.summary.high - curve.summary.low) / 2
    return f" <small>± {num(half, 2)}</small>" if curve.told and half >= WIDE_FROM else ""


def number(curve: Curve) -> str:
    """Return the number in a cell, or that there are too few captions to tell."""
    return num(curve.summary.value, 2) if curve.told else UNTOLD


def drawn_points(curve: Curve) -> tuple[list[float], list[float]]:
    """Return strengths and the shares kept, clipped to 0..1.1, up to where they can be told; two empty lists if
    nowhere.

    A fault without degrees has a level line.
    """
    if not curve.graded:
        return ([0.0, 1.0], [_clipped(curve.kept[-1])] * 2) if curve.told else ([], [])
    return list(curve.strengths[: curve.drawn_to]), [_clipped(y) for y in curve.kept[: curve.drawn_to]]


def _clipped(share: float) -> float:
    return min(max(float(share), 0.0), 1.1)


def ink_of(curve: Curve) -> float:
    """Return the opacity of the area below a curve: more ink means that more is kept."""
    return 0.12 + 0.5 * min(max((curve.summary.value - 0.1) / 0.9, 0.0), 1.0)


def image(curve: Curve, mode: Mode) -> str:
    """Return a cell's picture as a data URI: the curve above ink, whose strength shows the area."""
    strengths, kept = drawn_points(curve)
    ground, ink = tone("card", mode), tone("ink", mode)
    drawn = ""
    if kept:
        path = "L".join(f"{WIDE * x:.1f} {HIGH - _SCALE * y:.1f}" for x, y in zip(strengths, kept))
        line = f'<path d="M{path}" fill="none" stroke="{ink}" stroke-width="1.8" vector-effect="non-scaling-stroke"/>'
        share = ink_of(curve)
        area = f'<path d="M{path}L{WIDE} {HIGH}L0 {HIGH}Z" fill="{ink}" fill-opacity="{share:.2f}"/>'
        drawn = area + line if curve.told else line
    size = f'viewBox="0 0 {WIDE} {HIGH}" preserveAspectRatio="none" width="{WIDE}" height="{HIGH}"'
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}><rect width="{WIDE}" height="{HIGH}" fill="{ground}"/>'
        f"{drawn}</svg>"
    )
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()
