"""Short names of runs where there is little room, made of the parts that distinguish them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from data.study import Run
from figures.style.escaping import whole
from figures.style.run_names import short_names

ROOM = 102
"""Width in px of a name beside the chart, at a font size of 12.5 px."""
VALUES = 12
"""Most runs whose values stand below their names."""
_BREAKS = re.compile(r"[\s_./:·-]+")
LONGEST = 40
"""Most characters of a name in a sentence."""
_EMS = {c: em for chars, em in ((" \u00a0.,:;'|!iljI·", 0.27), ("frt-()[]/", 0.39), ("mwMW@%…—", 0.87)) for c in chars}
"""Widths of letters in ems of the app's own font; other letters have the width of their kind."""


def run_labels(runs: Sequence[Run], room: float = ROOM) -> list[str]:
    """Return a name of at most this many px for each run: "Oracle · 1.0"; long ones are shortened in the middle."""
    short = short_names(runs)
    return [fitting(short[run.name], room) for run in runs]


def called(runs: Sequence[Run], run: Run) -> str:
    """Return the short name of a run, for use in a sentence."""
    return sentence_name(short_names(runs)[run.name])


def sentence_name(name: str, longest: int = LONGEST) -> str:
    """Return a run's name in a sentence, on one line without a break; a long one is shortened in the middle."""
    said = " ".join(whole(name).split())
    if len(said) > longest:
        said = f"{said[: longest * 3 // 5].rstrip()}…{said[len(said) - (longest - longest * 3 // 5 - 1) :].lstrip()}"
    return said.replace(" ", "\u00a0") if len(said) <= LONGEST // 2 else said


def fitting(text: str, room: float) -> str:
    """Return the text, shortened in the middle if it is wider than this many px."""
    if width(text) <= room:
        return text
    tail = len(text) * 2 // 5
    for kept in range(len(text) - 1, 2, -1):
        end = min(tail, kept // 2)
        shown = f"{text[: kept - end].rstrip()}…{text[len(text) - end :].lstrip()}"
        if width(shown) <= room:
            return shown
    return text[:1] + "…"


def in_two(text: str, room: float) -> tuple[str, ...]:
    """Return the text in one line of this many px, or in the two most even lines; longer ones are shortened."""
    if width(text) <= room:
        return (text,)
    breaks = [found.end() for found in _BREAKS.finditer(text) if found.end() < len(text)]
    at = min(breaks, key=lambda k: max(width(text[:k]), width(text[k:])), default=len(text) // 2)
    if max(width(text[:at]), width(text[at:])) > room:
        at = len(text) // 2
    return tuple(fitting(part.strip(), room) for part in (text[:at], text[at:]))


def width(text: str, size: float = 12.5) -> float:
    """Return the approximate width in px of a line of text in the app's own font."""
    ems = sum(
        _EMS.get(c, 1.0 if ord(c) > 0x2E7F else 0.64 if c.isupper() else 0.6 if c.isdigit() else 0.56) for c in text
    )
    return ems * size
