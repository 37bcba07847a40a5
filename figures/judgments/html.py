"""Captions on which a metric and people disagree, each with the judgments of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from figures.style.escaping import esc
from figures.style.html import folded
from metrics.text.split_words import nearest


class RatedCaption(NamedTuple):
    """A caption with the judgments of the metric and of people, its source, and people's captions of the same item."""

    text: str
    said: str
    source: str
    references: Sequence[str] = ()


def rated_captions(title: str, captions: Sequence[RatedCaption]) -> str:
    """Return a list of captions as HTML, each with its judgments below it; all but the first are folded."""
    rows = "".join(map(_row, captions[:1])) or "<p>none</p>"
    if len(captions) > 1:
        others = "".join(map(_row, captions[1:]))
        rows += folded(f"{len(captions) - 1} more", others)
    return f'<div style="font-size:.9rem"><b style="font-weight:600" dir="auto">{esc(title)}</b>{rows}</div>'


def _row(one: RatedCaption) -> str:
    style = "border-left:3px solid rgba(128,123,115,.45);padding:1px 0 1px 12px;margin:.45rem 0"
    # Of people's captions, the one most like this caption best explains the metric.
    person = f"a person wrote: {nearest(one.text, one.references)}" if one.references else ""
    said = f'<b style="font-weight:600">{esc(one.said)}</b> · <span dir="auto">{esc(one.source)}</span>'
    lines = [said, *([f'<span dir="auto">{esc(person)}</span>'] if person else [])]
    below = "".join(f'<div class="tl-soft" style="line-height:1.45">{line}</div>' for line in lines)
    return f'<div style="{style}"><div dir="auto">{esc(one.text)}</div>{below}</div>'
