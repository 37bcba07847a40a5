"""Letters for runs: two runs share one where no pair in the group can be told apart (Piepho 2004)."""

from __future__ import annotations

from metrics.mathematics.arrays import Labels


def letters(apart: Labels) -> list[str]:
    """Return a string of letters for each run from the (runs, runs) pairs that differ, by insertion and absorption.

    Runs and letters are in the order given. A shared letter does not prove that runs are equal.
    """
    n = len(apart)
    groups = [frozenset(range(n))] if n else []
    for i in range(n):
        for j in range(i + 1, n):
            if apart[i, j]:
                groups = _absorbed(_split(groups, i, j))
    ordered = sorted(groups, key=sorted)
    return ["".join(_letter(k) for k, group in enumerate(ordered) if i in group) for i in range(n)]


def _split(groups: list[frozenset[int]], i: int, j: int) -> list[frozenset[int]]:
    """The groups after two runs are separated: each group with both becomes two, without one of them."""
    found: list[frozenset[int]] = []
    for group in groups:
        found += [group - {i}, group - {j}] if {i, j} <= group else [group]
    return found


def _absorbed(groups: list[frozenset[int]]) -> list[frozenset[int]]:
    """The groups that are not contained in another."""
    different = list(dict.fromkeys(groups))
    return [group for group in different if not any(group < other for other in different)]


def _letter(k: int) -> str:
    """a to z, then again with a mark: "a'"."""
    return chr(ord("a") + k % 26) + "'" * (k // 26)
