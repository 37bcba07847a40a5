"""Tables that join the captions of runs with people's captions: they have one row per pair, and so repeat captions."""

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
    """The pairs of a run's captions and a reference in a table, by run and item, collected while its rows are read.

    `whole` is True as long as every row has a reference and captions of every run.
    """

    def __init__(self, roles: ColumnRoles) -> None:
        self.roles = roles
        self.whole = True
        self.found: dict[tuple[Any, ...], list[tuple[tuple[str, ...], str]]] = {}

    def watch(self, rows: Iterator[Row]) -> Iterator[Row]:
        """Return the rows; if there are columns of captions, of ids and of one reference, collect the pairs as the rows
        are read.
        """
        roles = self.roles
        if not roles.predicted or len(roles.references) != 1 or roles.id < 0:
            return rows
        return self._kept(rows, roles.references[0], (roles.id, *roles.runs, *roles.settings.values()))

    def _kept(self, rows: Iterator[Row], written: int, names: tuple[int, ...]) -> Iterator[Row]:
        of_runs: dict[str, list[int]] = {}
        for k in self.roles.predicted:
            of_runs.setdefault(self.roles.named.get(k, ""), []).append(k)
        for where, row in rows:
            filled = len(row) > max(written, *self.roles.predicted, *names)
            for run, places in of_runs.items() if filled else ():
                said, other = [text for k in places for text in _texts(row[k])], _alone(row[written])
                if isinstance(other, str) and said and all(isinstance(text, str) and text for text in said):
                    self.found.setdefault((run, *(str(row[k]) for k in names)), []).append((tuple(said), other))
                else:
                    self.whole = False
            yield where, row

    def read_once(self, records: Iterable[Record], source: Source) -> None:
        """Keep each caption once, with a finding for each run and item that repeated it.

        Every item must pair its captions with all references, and several items must have several references. If rows
        have several captions, every row must be complete.
        """
        several = {key[1:] for key, pairs in self.found.items() if len({written for _, written in pairs}) > 1}
        counts = {len(said) for pairs in self.found.values() for said, _ in pairs}
        if len(several) < 2 or len(counts) > 1 or not all(map(_crossed, self.found.values())):
            return
        (count,) = counts
        if count > 1 and not self.whole:
            return
        for record in records:
            for run, texts in record.candidates.items():
                rows = dict.fromkeys(tuple(texts[k : k + count]) for k in range(0, len(texts), count))
                once = [text for row in rows for text in row]
                if len(once) < len(texts) and len(texts) % count == 0:
                    source.log.add("captions_joined", source.name, record.where, record.id, len(texts) - len(once))
                    record.candidates[run] = once


def by_common_part(records: dict[str, Record], source: Source) -> dict[str, Record]:
    """Return records of pairs of runs as records of items, with a finding, if each pair's code begins with the item's
    id.

    In `7#blip#git` and `7#git#vlp`, the item is `7` if each run repeats one caption in all codes with that beginning.
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


def _texts(cell: Any) -> list[Any]:
    return cell if isinstance(cell, list) else [cell]


def _alone(cell: Any) -> Any:
    """Return the only element of a list in a cell, or the cell unchanged."""
    return cell[0] if isinstance(cell, list) and len(cell) == 1 else cell


def _crossed(pairs: Sequence[tuple[tuple[str, ...], str]]) -> bool:
    """Return whether every caption is paired with every reference as often as their frequencies imply."""
    said, written = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    both = Counter(pairs)
    return all(both[one, other] * len(pairs) == said[one] * written[other] for one in said for other in written)
