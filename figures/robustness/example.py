"""One caption before and after damage, and what each metric said of both."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from figures.style.escaping import esc
from figures.style.numbers import defined, num


class Reading(NamedTuple):
    """What a metric says of a caption before and after."""

    label: str
    before: float
    after: float
    chosen: bool


_BAR = "border-left:3px solid {};padding:1px 0 1px 12px;margin:.45rem 0"


def example(before: str, after: str, others: Sequence[str], readings: Sequence[Reading], accent: str) -> str:
    """Return the two captions, what others wrote, and a row a metric."""
    old, new = before.split(), after.split()
    parts = []
    for kind, _, _, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        words = esc(" ".join(new[start:end]))
        if words:
            parts.append(words if kind == "equal" else f"<u>{words}</u>")
    texts = (
        f'<div style="{_BAR.format("rgba(128,123,115,.45)")}"><small>Before, a person\'s caption</small>'
        f'<div dir="auto">{esc(before)}</div></div>'
        f'<div style="{_BAR.format(accent)}"><small>After</small>'
        f'<div dir="auto">{" ".join(parts)}</div></div>'
        f'<small dir="auto">Others wrote: {esc(" · ".join(others[:2]))}</small>'
    )
    rows = "".join(_reading(one, accent) for one in readings)
    two = "display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,340px),1fr));gap:.5rem 2.2rem"
    return f'<div style="{two};font-size:.9rem"><div>{texts}</div><div>{rows}</div></div>'


def _reading(one: Reading, accent: str) -> str:
    share = one.after / one.before if defined(one.before) and one.before > 0 and defined(one.after) else 0.0
    colour = accent if one.chosen else "rgba(128,123,115,.75)"
    weight = 600 if one.chosen else 400
    bar = f'<i style="display:block;height:11px;width:{100 * min(max(share, 0.005), 1):.1f}%;background:{colour}"></i>'
    return (
        f'<div style="display:grid;grid-template-columns:7.5rem 1fr 6.5rem;gap:.6rem;align-items:center;'
        f'padding:3px 0;font-weight:{weight}"><span>{esc(one.label)}</span><span>{bar}</span>'
        f'<span style="text-align:right">{num(one.before, 2)} → {num(one.after, 2)}</span></div>'
    )
