"""A caption or a set of captions before and after damage, and the values of both by each metric."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from figures.style.escaping import esc
from figures.style.numbers import defined, num


class Reading(NamedTuple):
    """A metric's value before and after damage, and the share of the value that remains."""

    label: str
    before: float
    after: float
    kept: float
    chosen: bool


_BAR = "border-left:3px solid {};padding:1px 0 1px 12px;margin:.45rem 0"


def example(
    before: Sequence[str], after: Sequence[str], others: Sequence[str], readings: Sequence[Reading], accent: str
) -> str:
    """Return a caption or set before and after damage, captions by others, and one row per metric.

    Unchanged captions of a set appear once.
    """
    changed = [(old, new) for old, new in zip(before, after) if len(before) == 1 or old != new]
    whose = "a person's caption" if len(before) == 1 else "people's captions"
    texts = (
        f'<div style="{_BAR.format("rgba(128,123,115,.45)")}"><small>Before, {whose}</small>'
        f"{''.join(_line(esc(caption)) for caption in before)}</div>"
        f'<div style="{_BAR.format(accent)}"><small>After</small>'
        f"{''.join(_line(_changed(old, new)) for old, new in changed)}{_rest(len(before) - len(changed))}</div>"
        f'<small dir="auto">Others wrote: {esc(" · ".join(others[:2]))}</small>'
    )
    rows = "".join(_reading(one, accent) for one in readings)
    two = "display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,340px),1fr));gap:.5rem 2.2rem"
    return f'<div style="{two};font-size:.9rem"><div>{texts}</div><div>{rows}</div></div>'


def _line(text: str) -> str:
    return f'<div dir="auto">{text}</div>'


def _rest(number: int) -> str:
    if not number:
        return ""
    return f"<small>{'the other caption' if number == 1 else f'the other {number} captions'} as before</small>"


def _changed(before: str, after: str) -> str:
    old, new = before.split(), after.split()
    parts = []
    for kind, _, _, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        words = esc(" ".join(new[start:end]))
        if words:
            parts.append(words if kind == "equal" else f"<u>{words}</u>")
    return " ".join(parts)


def _reading(one: Reading, accent: str) -> str:
    share = one.kept if defined(one.kept) and _short(one.before) != _short(0) else 0.0
    colour = accent if one.chosen else "rgba(128,123,115,.75)"
    weight = 600 if one.chosen else 400
    bar = f'<i style="display:block;height:11px;width:{100 * min(max(share, 0), 1):.1f}%;background:{colour}"></i>'
    ends = f"{_short(one.before)} → {_short(one.after)}"
    ends = "0 either way" if _short(one.before) == _short(one.after) == _short(0) else ends
    return (
        f'<div style="display:grid;grid-template-columns:7.5rem 1fr 6.5rem;gap:.6rem;align-items:center;'
        f'padding:3px 0;font-weight:{weight}"><span>{esc(one.label)}</span><span>{bar}</span>'
        f'<span style="text-align:right">{ends}</span></div>'
    )


def _short(value: float) -> str:
    return num(value, 0 if abs(value) >= 100 else 2)
