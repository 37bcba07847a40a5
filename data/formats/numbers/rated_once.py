"""Find the rows for one caption in a sheet that has a row for each person who rated it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Sequence
from typing import Any

from data.fields.criteria import COUNTED
from data.fields.names import NO_CAPTION, words
from data.formats.columns.assigned_roles import ColumnRoles
from data.formats.columns.contents import cell_of
from data.formats.numbers import scales

_NO_RATING = (COUNTED | NO_CAPTION) - {"score", "scores"}
Rows = Sequence[tuple[str, Sequence[Any]]]


def rows(found: Rows, rated: Container[int], rater: int, roles: ColumnRoles | None) -> list[int]:
    """Return, for each row, the position of the first row with its caption, that is, with equal cells outside `rated`.

    If hardly any rows are alike, for example because each states its time, rows with the same item, run and texts count
    as one caption.
    """
    once = _once(found, rated, rater)
    if rater < 0 or roles is None:
        return once
    several = _by_several(found, {*roles.ids(), roles.told_by, *roles.said()}, rater) or once
    joined, more = (len(found) - len({*of}) for of in (once, several))
    return several if 2 * joined < more else once


def criteria(
    header: Sequence[str], sample: Sequence[Sequence[Any]], rater: int, roles: ColumnRoles | None
) -> dict[int, str]:
    """Return the columns of ratings that differ between the raters of one caption, with their names; {} if no column
    names raters.

    Numbers that count something, such as seconds, are not ratings.
    """
    if rater < 0 or roles is None or not roles.said():
        return {}
    named = {*roles.ids(), roles.told_by, *roles.runs, *roles.settings.values(), *roles.said()}
    once = _by_several([("", row) for row in sample], named, rater)
    able = [k for k, name in enumerate(header) if k not in (*named, rater) and not {*words(name)} & _NO_RATING]
    able = [k for k in able if scales.are_ratings(sample, k)]

    def differs(k: int, first: int, row: Sequence[Any]) -> bool:
        return str(cell_of(row, k)) != str(cell_of(sample[first], k))

    return {k: header[k].strip() for k in able if any(differs(k, first, row) for first, row in zip(once or (), sample))}


def _once(rows: Rows, rated: Container[int], rater: int) -> list[int]:
    """Return, for each row, the position of the first row with its caption, that is, with equal cells outside `rated`.

    If one rater has several such rows, these are separate captions: the k-th rows of all raters belong together.
    Without a rater, each row is a separate caption.
    """
    if rater < 0:
        return list(range(len(rows)))
    known: dict[tuple[str, int], int] = {}
    times: Counter[tuple[str, str]] = Counter()
    made = []
    for k, (_, row) in enumerate(rows):
        said = str([cell for place, cell in enumerate(row) if place not in rated])
        who = said, str(row[rater] if rater < len(row) else "")
        times[who] += 1
        made.append(known.setdefault((said, times[who]), k))
    return made


def _by_several(rows: Rows, named: Collection[int], rater: int) -> list[int] | None:
    """Return, for each row, the position of the first row with equal cells in the columns `named`, except that of the
    rater.

    Return None if a rater has two such rows, or if no caption has several raters.
    """
    known: dict[tuple[str, ...], int] = {}
    told = [tuple(str(cell_of(row, k)) for k in sorted(named) if k not in (rater, -1)) for _, row in rows]
    who = {(of, str(cell_of(row, rater))) for of, (_, row) in zip(told, rows)}
    first = [known.setdefault(of, k) for k, of in enumerate(told)]
    return first if len(who) == len(rows) > len(known) else None
