"""Rows with a column that states whether they contain a reference or a candidate: `item, role, system, text`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from data.fields.names import IDS, NEUTRAL, PREDICTED, REFERENCES, RUNS, norm, rank
from data.fields.word_lists import word_set
from data.formats.columns.caption_columns import ranked
from data.formats.columns.contents import are_sentences, values
from data.records import as_id

_PEOPLE = word_set("ref refs reference references gt gold ground_truth human_reference")
_MODELS = word_set(
    "cand candidate candidates hyp hypothesis pred prediction predicted generated generation model system output"
)
Row = tuple[str, Sequence[Any]]


def column(header: Sequence[str], sample: Sequence[Sequence[Any]]) -> int:
    """Return the column whose cells state whether a row is a reference or a candidate; -1 if there is none."""
    for k in range(len(header)):
        said = {norm(str(cell)) for cell in values(sample, k)}
        if said & _PEOPLE and said & _MODELS and said <= _PEOPLE | _MODELS:
            return k
    return -1


def split(header: Sequence[str], rows: Sequence[Row]) -> tuple[list[str], list[Row]] | None:
    """Return the header and rows of candidates, with a last column in which the first row of an item has the item's
    references.

    The column that distinguished the two kinds loses its name. Return None if there is no such column, no id or no
    column of texts, if no item has rows of both kinds, or if references already have their own column.
    """
    sample = [row for _, row in rows]
    told = column(header, sample)
    ids = ranked(header, IDS)
    texts = [k for k in ranked(header, [*NEUTRAL, *PREDICTED]) if k != told and are_sentences(sample, k)]
    own = [k for k in ranked(header, REFERENCES) if k != told and are_sentences(sample, k)]
    if told < 0 or not ids or not texts or own:
        return None
    id, text = ids[0], texts[0]
    runs = [k for k, name in enumerate(header) if rank(name, [*RUNS]) is not None and k != told]
    found: list[tuple[str, list[Any]]] = []
    references: dict[str | None, list[Any]] = {}
    first: dict[str | None, int] = {}
    for where, row in rows:
        cells = [*row, *[None] * (len(header) - len(row)), None]
        key = as_id(cells[id])
        if norm(str(cells[told])) in _PEOPLE:
            references.setdefault(key, []).append(cells[text])
            if key not in first:
                first[key] = len(found)
                found.append((where, [None if k in (text, *runs) else cell for k, cell in enumerate(cells)]))
        elif key in first and found[first[key]][1][text] is None:
            found[first[key]] = (where, cells)
        else:
            first.setdefault(key, len(found))
            found.append((where, cells))
    if all(found[place][1][text] is None for key, place in first.items() if key in references):
        return None
    for key, said in references.items():
        where, cells = found[first[key]]
        found[first[key]] = (where, [*cells[:-1], said])
    return [*("" if k == told else name for k, name in enumerate(header)), "references"], [*found]
