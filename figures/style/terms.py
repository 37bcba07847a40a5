"""Names of metrics in the app's sentences, each of which opens a card with a sentence about the metric."""

from __future__ import annotations

import re
from functools import cache
from html import unescape

from figures.style.escaping import esc
from figures.style.html import UNBROKEN, name_pattern
from metrics.guide.cards import card
from metrics.registry import LEARNED, METRICS


@cache
def cards() -> dict[str, str]:
    """Return a sentence about each metric, by its label."""
    return {metric.label: card(metric) for metric in (METRICS | LEARNED).values()}


def with_cards(markup: str) -> str:
    """Return the app's own HTML in which the first mention of each metric shows its card.

    Only text is changed, never a tag; a label within a longer one, such as METEOR in TRM METEOR, does not count.
    """
    told: set[str] = set()

    def put(match: re.Match[str]) -> str:
        label = unescape(re.sub("<[^>]*>", "", match[0]))
        if match[1] or label in told:
            return match[0]
        told.add(label)
        said = esc(f"{label}: {cards()[label]}")
        # A button would be a separate block, and the full stop after it could be alone on a line.
        start = '<i class="tl-term" tabindex="0" role="button"'
        return f'{start} aria-description="{said}" data-card="{said}">{match[0]}</i>'

    return _pattern().sub(put, markup)


def named_in(text: str) -> list[str]:
    """Return the labels of the metrics that a text names, in order."""
    found = (re.sub("<[^>]*>", "", match[0]) for match in _pattern().finditer(esc(text)) if not match[1])
    return list(dict.fromkeys(map(unescape, found)))


@cache
def _pattern() -> re.Pattern[str]:
    names = "|".join(name_pattern(esc(label)) for label in sorted(cards(), key=len, reverse=True))
    return re.compile(rf"(<(?!{UNBROKEN[1:]})[^>]*>)|(?<![\w&.-])(?:{names})(?![\w-])")
