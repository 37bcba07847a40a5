"""Columns of numbers whose names contain the run to which they belong, beside a column of captions for each run."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from itertools import takewhile
from typing import Any

from data.fields.criteria import COUNTED
from data.fields.names import NO_CAPTION, norm, words
from data.formats.columns.contents import are_numbers, values
from data.formats.columns.rating_words import is_word

_MARK = r"[\s_.:/-]+"
_NO_SCORE = (NO_CAPTION | COUNTED) - {"score", "scores", "metric", "metrics"}


def columns(
    header: Sequence[str], sample: Sequence[Sequence[Any]], runs: Mapping[int, str], kept: Container[str] = ()
) -> dict[str, dict[int, int]]:
    """Return, for each metric or criterion, the columns of numbers by the run's column of captions: `blip_SPICE` and
    `git_SPICE` beside `blip` and `git`.

    The name of a run or of its column, or the part in which columns differ (`rating A` beside `model A`), is at either
    end of the name or in brackets. At least two runs have each metric. Columns with names for counts are left out,
    unless they are `kept`.
    """
    apart = told_apart([header[k] for k in runs])
    named = {
        k: dict.fromkeys([run, header[k], header[k].partition(".")[0], own])
        for (k, run), own in zip(runs.items(), apart)
    }
    ends = [(_ends(name), k) for k, of in named.items() for name in sorted(of, key=len, reverse=True) if name]
    found: dict[str, dict[int, int]] = {}
    for place, name in enumerate(header):
        if place in runs or not name or not _are_marks(sample, place):
            continue
        told = [(match, k) for end, k in ends if (match := end.fullmatch(name.strip()))]
        if told:
            match, k = max(told, key=lambda one: len(name) - len(_rest(one[0])))
            found.setdefault(_rest(match), {}).setdefault(k, place)
    return {
        name: of
        for name, of in found.items()
        if len(of) > 1 and (norm(name) in kept or not set(words(name)) & _NO_SCORE)
    }


def _are_marks(sample: Sequence[Sequence[Any]], place: int) -> bool:
    """Return whether a column contains only numbers, or only words such as yes and no."""
    found = values(sample, place)
    return are_numbers(sample, place) or (bool(found) and all(map(is_word, found)))


def told_apart(names: Sequence[str]) -> list[str]:
    """Return each name without the words with which all names begin or end: `A` and `B` for `model A` and `model B`."""
    parts = [re.split(_MARK, name.strip()) for name in names]
    first = _alike(parts)
    last = _alike([part[first:][::-1] for part in parts])
    return [" ".join(part[first : len(part) - last]) for part in parts]


def _alike(parts: Sequence[Sequence[str]]) -> int:
    """Return the number of leading words that all names share."""
    return sum(1 for _ in takewhile(lambda words: len(set(words)) == 1, zip(*parts)))


def _ends(run: str) -> re.Pattern[str]:
    of = re.escape(run)
    return re.compile(rf"{of}{_MARK}(.+)|(.+?){_MARK}{of}|(.+?)[\s_]*[\[(]{of}[\])]", re.IGNORECASE)


def _rest(match: re.Match[str]) -> str:
    return next(one for one in match.groups() if one)
