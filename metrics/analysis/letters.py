"""Compact letter display for runs: two runs share a letter if no pair of the letter's runs differs (Piepho 2004)."""

from __future__ import annotations

from metrics.mathematics.arrays import Labels


def letters(apart: Labels) -> list[str]:
    """Return each run's letters, from the mask (runs, runs) of pairs that differ, by insertion and absorption.

    Runs and letters keep the given order. A shared letter does not prove that runs are equal.
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
    found: list[frozenset[int]] = []
    for group in groups:
        found += [group - {i}, group - {j}] if {i, j} <= group else [group]
    return found


def _absorbed(groups: list[frozenset[int]]) -> list[frozenset[int]]:
    different = list(dict.fromkeys(groups))
    return [group for group in different if not any(group < other for other in different)]


def _letter(k: int) -> str:
    return chr(ord("a") + k % 26) + "'" * (k // 26)
