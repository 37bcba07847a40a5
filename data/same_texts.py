"""Scores beside captions that another file has under the names of the items, such as aac-metrics' of each sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from data.findings import Log, clip
from data.records import Part

_WORD = re.compile(r"\w+")


def settle(parts: Sequence[Part], log: Log) -> None:
    """Give scores to the run whose captions stand beside them, with a finding, if its file has other ids.

    The file of scores has one caption per item, and one run of one other file has the same captions, apart from case
    and punctuation: in the same order, or each of them once. Those beside the scores are then no run of their own.
    """
    for part in parts:
        if not part.scores or len(part.labels) != 1 or any(one.references for one in part.records):
            continue
        said = next(_runs(part), None)
        others = [one for one in parts if one is not part and one.labels and not one.scores]
        found = [(one, run, ids) for one in others for run, own in _runs(one) if said and (ids := _ids(said[1], own))]
        if len(found) != 1 or all(id == other for id, other in found[0][2].items()):
            continue
        other, run, ids = found[0]
        part.scores = [
            replace(row, run=run, item=ids[row.item], caption=None) for row in part.scores if row.item in ids
        ]
        part.records, part.labels = [], {}
        log.add("scores_by_text", part.file, run=f"{clip(run)}", other=other.file)


def _runs(part: Part) -> Iterator[tuple[str, dict[str, str]]]:
    """The runs of a file that have one caption per item, with their captions by id."""
    for run in part.labels:
        texts = {record.id: record.candidates[run] for record in part.records if run in record.candidates}
        if len(texts) > 1 and all(len(of) == 1 for of in texts.values()):
            yield run, {id: " ".join(_WORD.findall(of[0].lower())) for id, of in texts.items()}


def _ids(said: dict[str, str], other: dict[str, str]) -> dict[str, str]:
    """The ids of the other captions by those of the same texts; empty if some text has none, or several."""
    if list(said.values()) == list(other.values()):
        return dict(zip(said, other))
    known = {text: id for id, text in other.items()}
    if len(known) < len(other) or len(set(said.values())) < len(said) or not set(said.values()) <= known.keys():
        return {}
    return {id: known[text] for id, text in said.items()}
