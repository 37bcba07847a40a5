"""Names above the marks of a row, each on a thin line down to its mark, in as few tiers as possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

TIER = 16
"""Height of a tier in px."""
LETTER = 6.3
"""Estimated width of a letter in px."""
_GAP = 8.0


@dataclass(frozen=True)
class Placed:
    """The tier of a name (0 is the lowest), and whether the text ends at its line instead of beginning there."""

    tier: int
    leftward: bool


@dataclass(frozen=True)
class _Name:
    at: float
    left: float
    right: float

    def over(self, other: _Name) -> bool:
        return self.left < other.right + _GAP and other.left < self.right + _GAP

    def holds(self, other: _Name) -> bool:
        """Whether the line of the other name would run through the text of this one."""
        return self.left < other.at < self.right


def placed(at: Sequence[float], names: Sequence[str], width: float) -> list[Placed]:
    """Return a place for each name; the mark of a name is `at` px from the left edge of a plot of this width.

    No name covers another name or its line. Of all such arrangements, the one that extends least beyond the plot is
    returned; of several, the one with the fewest tiers. Both sides of every line are tried: 2 ** len(names)
    arrangements.
    """
    best: tuple[tuple[float, int, int], list[Placed]] | None = None
    for sides in product((False, True), repeat=len(at)):
        texts = [_name(x, LETTER * len(name), side) for x, name, side in zip(at, names, sides)]
        tiers = _tiers(texts)
        if tiers is None:
            continue
        outside = sum(max(-one.left, 0) + max(one.right - width, 0) for one in texts)
        cost = (outside, max(tiers, default=0), sum(tiers))
        if best is None or cost < best[0]:
            best = cost, [Placed(tier, side) for tier, side in zip(tiers, sides)]
    assert best is not None  # With every text to the right of its line, the rightmost can be the lowest.
    return best[1]


def _name(at: float, long: float, leftward: bool) -> _Name:
    return _Name(at, at - long, at) if leftward else _Name(at, at, at + long)


def _tiers(texts: Sequence[_Name]) -> list[int] | None:
    """A low tier for each text, so that no texts overlap; None if a line would run through a text."""
    tiers: dict[int, int] = {}
    while len(tiers) < len(texts):
        waiting = [k for k in range(len(texts)) if k not in tiers]
        free = [k for k in waiting if not any(texts[k].holds(texts[j]) for j in waiting)]
        if not free:
            return None
        k = free[0]
        below = [tiers[j] + 1 for j in tiers if texts[k].holds(texts[j])]
        taken = {tiers[j] for j in tiers if texts[k].over(texts[j])}
        # A higher line may not run through a name that is already placed.
        first = max(below, default=0)
        tiers[k] = next(tier for tier in range(first, len(texts) + first + 1) if tier not in taken)
        if any(texts[j].holds(texts[k]) and tiers[j] < tiers[k] for j in tiers if j != k):
            return None
    return [tiers[k] for k in range(len(texts))]
