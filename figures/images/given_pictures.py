"""Sentences about the pictures supplied with a study: how many items have one, and which files match no item."""

from __future__ import annotations

from collections.abc import Sequence

from data.pictures.picture_names import Match
from figures.style.escaping import short
from figures.style.numbers import count

_NAMED, _CUT = 3, 40
HOW = {
    "image": "by the name in the data",
    "id": "by id",
    "pattern": "by your pattern",
    "number": "by the number that ends their names",
}


def had(match: Match, items: int, noun: str) -> str:
    """Return how many items have a picture."""
    return f"Pictures for {len(match.of):,} of {count(items, noun)}"


def details(match: Match, noun: str) -> list[str]:
    """Return how pictures were matched, which names fit no picture or several, and which pictures belong to no item."""
    rules = [HOW[rule] for rule in HOW if match.by.get(rule)]
    said = [f"Found {' and '.join(rules)}."] if rules else []
    if match.without:
        said.append(f"No picture is named like {_some(match.without)}.")
    if match.ambiguous:
        said.append(f"Several different pictures fit {_some(match.ambiguous)}: none is shown.")
    if match.unused:
        belong = "belongs" if len(match.unused) == 1 else "belong"
        said.append(f"{count(len(match.unused), 'picture')} {belong} to no {noun}: {_some(match.unused)}.")
    return said


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    listed = ", ".join(short(name, _CUT) for name in names[:_NAMED])
    return f"{listed} and {more:,} more" if more > 0 else listed


def megabytes(size: int) -> str:
    """Return a size in MB, at least 0.1."""
    return f"{max(size / 1e6, 0.1):,.1f} MB" if size < 10e6 else f"{size / 1e6:,.0f} MB"
