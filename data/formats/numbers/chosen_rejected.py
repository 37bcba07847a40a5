"""Pairs in columns that are named after the outcome, as in data for DPO: `prompt`, `chosen`, `rejected`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from data.fields.names import NEUTRAL, PREDICTED, RUNS, known_run, leaf, rank
from data.files.printed_lists import listed
from data.findings import TrustedText, clip, named
from data.formats.columns.contents import values
from data.formats.tables.table import Table
from data.records import Source

_OUTCOMES = (
    ("chosen", "rejected"),
    ("preferred", "rejected"),
    ("preferred", "dispreferred"),
    ("preferred", "not_preferred"),
    ("winner", "loser"),
    ("better", "worse"),
)
_FORMS = (
    "{}",
    "{}_response",
    "{}_caption",
    "{}_text",
    "{}_answer",
    "{}_output",
    "response_{}",
    "caption_{}",
    "text_{}",
)
_OF_MODELS = ("{}_model", "{}_run", "{}_system", "model_{}", "run_{}", "system_{}")
_HEAD = ("run_a", "caption_a", "run_b", "caption_b", "winner")
_MOSTLY, _FEWEST = 0.8, 2


def in_pairs(found: Table, source: Source | None = None) -> Table:
    """Return a table of pairs with the preferred side, made from a table with columns named after outcomes; return
    other tables unchanged.

    Tables that also have another column of captions and one with their runs are returned unchanged, too. The two sides
    are runs named after the outcomes, with a finding if there is a `source`, unless other columns name their models.
    """
    names = [leaf(name) for name in found.header]
    sides = _columns(names, _FORMS)
    sample = found.sample()
    if sides is None or not all(_are_texts(sample, k) for k in sides.values()):
        return found
    others = [found.header[k] for k in range(len(names)) if k not in sides.values()]
    if {*RUNS} & {*map(known_run, others)} and any(rank(name, [*PREDICTED, *NEUTRAL]) is not None for name in others):
        return found
    models = _columns(names, _OF_MODELS) or {}
    rest = [k for k in range(len(names)) if k not in {*sides.values(), *models.values()}]

    def told(row: Sequence[Any]) -> list[Any]:
        cells = [*row, *[None] * (len(names) - len(row))]
        pair = [
            cell for name, k in sides.items() for cell in (cells[models[name]] if name in models else name, cells[k])
        ]
        return [*(cells[k] for k in rest), *pair, "a"]

    rows = ((where, told(row)) for where, row in found.rows)
    if source is not None and not models:
        said: dict[str, Any] = {"column": TrustedText(f"`{clip(found.header[sides[next(iter(sides))]])}`")}
        source.log.add("preferences_read", source.name, **said, runs=TrustedText(named([*sides])))
    return Table([*(found.header[k] for k in rest), *_HEAD], rows, found.nested)


def _columns(names: Sequence[str], forms: Sequence[str]) -> dict[str, int] | None:
    """Return, by outcome, two columns whose names have the same form and state opposite outcomes; None if there are
    none.
    """
    for pair in _OUTCOMES:
        for form in forms:
            if all(form.format(one) in names for one in pair):
                return {one: names.index(form.format(one)) for one in pair}
    return None


def _are_texts(sample: Sequence[Sequence[Any]], place: int) -> bool:
    """Return whether most cells are texts of two words or more, or conversations."""
    told = [listed(cell) or cell if isinstance(cell, str) else cell for cell in values(sample, place)]
    long = [isinstance(cell, list) or (isinstance(cell, str) and len(cell.split()) >= _FEWEST) for cell in told]
    return bool(long) and sum(long) >= _MOSTLY * len(long)
