"""Captions in which a word or phrase is marked; all text is escaped here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from figures.style.escaping import esc
from figures.style.html import folded
from figures.style.numbers import count
from metrics.analysis.words.examples import holds, parts

SHOWN = 1
"""The number of captions of a side that are visible at first; the others are folded."""


def captions_html(who: str, texts: Sequence[str], term: str, mark: str, text: str) -> str:
    """Return the captions of one side of an image, those that contain the term first, each once."""
    times = Counter(texts)
    ordered = sorted(times, key=lambda one: (not holds(one, term), -times[one]))
    holding = sum(n for one, n in times.items() if holds(one, term))
    about = f"{holding:,} of {count(len(texts), 'caption')}"
    head = f'<div class="who" dir="auto"><b>{esc(who)}</b> <span>· {about}</span></div>'
    rows = [_caption(one, times[one], term) for one in ordered]
    more = "".join(rows[SHOWN:])
    opened = folded(f"{len(rows) - SHOWN:,} more", f"<div>{more}</div>") if more else ""
    return f'<div class="tl-side" style="--c:{esc(mark)};--ct:{esc(text)}">{head}{"".join(rows[:SHOWN])}{opened}</div>'


def _caption(one: str, times: int, term: str) -> str:
    said = "".join(f'<span class="wo">{esc(p.text)}</span>' if p.marked else esc(p.text) for p in parts(one, term))
    again = f"<em>× {times:,}</em>" if times > 1 else ""
    return f'<p dir="auto">{said if one.strip() else "<em>(empty)</em>"}{again}</p>'
