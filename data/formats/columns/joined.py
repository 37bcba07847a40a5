"""Tables that join the captions of runs with those of people: one row per pair, which repeats captions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from data.findings import clip
from data.formats.columns.assigned_roles import ColumnRoles
from data.records import Record, Source

_MARKS = re.compile(r"[#_/|:-]")
_AND_MARKS = re.compile(r"[^#_/|:-]*[#_/|:-]?")
Row = tuple[str, Sequence[Any]]


class Pairs:
    """The pairs of a caption and a reference in the rows of a table, by item and run, collected while reading."""

    def __init__(self, roles: ColumnRoles) -> None:
        self.roles = roles
        self.found: dict[tuple[Any, ...], list[tuple[str, str]]] = {}

    def watch(self, rows: Iterator[Row]) -> Iterator[Row]:
        """Return the rows; if each has one caption of each run and one reference, collect these pairs while they are
        read.
        """
        roles = self.roles
        runs = [roles.named.get(k, "") for k in roles.predicted]
        if not runs or len(set(runs)) < len(runs) or len(roles.references) != 1 or roles.id < 0:
            return rows
        return self._kept(rows, roles.references[0], (roles.id, *roles.runs, *roles.settings.values()))

    def _kept(self, rows: Iterator[Row], written: int, names: tuple[int, ...]) -> Iterator[Row]:
        predicted = self.roles.predicted
        for where, row in rows:
            whole = len(row) > max(written, *predicted, *names)
            for said in predicted if whole else ():
                one, other = _alone(row[said]), _alone(row[written])
                if isinstance(one, str) and isinstance(other, str):
                    self.found.setdefault((said, *(str(row[k]) for k in names)), []).append((one, other))
            yield where, row

    def read_once(self, records: Iterable[Record], source: Source) -> None:
        """Keep each caption once, with a finding for each item, if every item pairs its captions with all
        references.
        """
        several = {key[1:] for key, pairs in self.found.items() if len({written for _, written in pairs}) > 1}
        if len(several) < 2 or not all(map(_crossed, self.found.values())):
            return
        for record in records:
            for run, texts in record.candidates.items():
                once = list(dict.fromkeys(texts))
                if len(once) < len(texts):
                    source.log.add("captions_joined", source.name, record.where, record.id, len(texts) - len(once))
                    record.candidates[run] = once


def by_common_part(records: dict[str, Record], source: Source) -> dict[str, Record]:
    """Return records of pairs of runs as records of items, with a finding, if codes of pairs begin with ids of items.

    In `7#blip#git` and `7#git#vlp` the item is `7` if each run has one caption for codes with the same beginning, which
    it repeats.
    """
    said = [(id, run, str(texts)) for id, one in records.items() for run, texts in one.candidates.items()]
    distinct, runs = len({(run, text) for _, run, text in said}), {run for _, run, _ in said}
    lengths = {len(_MARKS.split(id)) for id in records}
    pairs = len(runs) > 2 and all(len(one.candidates) == 2 for one in records.values())
    if not pairs or 2 * distinct > len(said) or len(lengths) != 1:
        return records
    for count in range(max(lengths) - 1, 0, -1):
        named = {id: "".join(_AND_MARKS.findall(id)[:count]).rstrip("#_/|:-") for id in records}
        told = {(named[id], run) for id, run, _ in said}
        if len(told) == len({(named[id], run, text) for id, run, text in said}) == distinct > len(runs):
            pair = next(iter(records))
            source.log.add("pairs_of_runs", source.name, pair=f"`{clip(pair)}`", item=f"`{clip(named[pair])}`")
            return _merged(records, named)
    return records


def _merged(records: dict[str, Record], named: Mapping[str, str]) -> dict[str, Record]:
    made: dict[str, Record] = {}
    for id, one in records.items():
        of = made.setdefault(named[id], replace(one, id=named[id], candidates={}))
        of.candidates |= one.candidates
    return made


def _alone(cell: Any) -> Any:
    """Return the only element of a list, or the cell."""
    return cell[0] if isinstance(cell, list) and len(cell) == 1 else cell


def _crossed(pairs: Sequence[tuple[str, str]]) -> bool:
    """Return whether every caption is paired with every reference, in proportion to their frequencies."""
    said, written = (Counter(pair[k] for pair in pairs) for k in (0, 1))
    both = Counter(pairs)
    return all(both[one, other] * len(pairs) == said[one] * written[other] for one in said for other in written)
