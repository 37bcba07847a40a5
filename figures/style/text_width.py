"""Widths of lines of text in the app's own font, and texts that are shortened or broken to fit."""

from __future__ import annotations

import re

_BREAKS = re.compile(r"[\s_./:·-]+")
_EMS = {c: em for chars, em in ((" \u00a0.,:;'|!iljI·", 0.27), ("frt-()[]/", 0.39), ("mwMW@%…—", 0.87)) for c in chars}
"""Widths of characters in ems of the app's own font; others have the width of their kind."""


def text_width(text: str, size: float = 12.5) -> float:
    """Return the approximate width in px of a line of text in the app's own font."""
    ems = sum(
        _EMS.get(c, 1.0 if ord(c) > 0x2E7F else 0.64 if c.isupper() else 0.6 if c.isdigit() else 0.56) for c in text
    )
    return ems * size


def fitting(text: str, room: float) -> str:
    """Return the text, shortened in the middle if it is wider than this many px, at worst to one letter and "…"."""
    if text_width(text) <= room:
        return text
    tail = len(text) * 2 // 5
    for kept in range(len(text) - 1, 2, -1):
        end = min(tail, kept // 2)
        shown = f"{text[: kept - end].rstrip()}…{text[len(text) - end :].lstrip()}"
        if text_width(shown) <= room:
            return shown
    return text[:1] + "…"


def in_two(text: str, room: float) -> tuple[str, ...]:
    """Return the text in one line of this many px, or in the two most even lines; longer texts are shortened.

    A dot between the lines is left out, because the break replaces it.
    """
    if text_width(text) <= room:
        return (text,)
    breaks = [found.end() for found in _BREAKS.finditer(text) if found.end() < len(text)]
    at = min(breaks, key=lambda k: max(text_width(text[:k]), text_width(text[k:])), default=len(text) // 2)
    if max(text_width(text[:at]), text_width(text[at:])) > room:
        at = len(text) // 2
    return tuple(fitting(part.strip(" \u00a0\u202f·"), room) for part in (text[:at], text[at:]))
