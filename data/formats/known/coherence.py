"""Coherence labels of captions in records of Trilens JSON, or in metadata, as in COSMic's test set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from data.findings import clip
from data.ratings.coherence import LONGEST, as_label
from data.records import Record, Source

FIELD = "coherence"
IN_METADATA = "reference_coherence"


def read_coherence(source: Source, row: Mapping[str, Any], record: Record) -> None:
    """Add the labels of a row to its record; invalid labels are left out with a finding."""
    given, where = row.get(FIELD), FIELD
    if given is None:
        given, where = _of_metadata(record), f"metadata: {FIELD}"
    if given is None:
        return
    labels = _Labels(source, record, where)
    if not isinstance(given, dict) or set(given) - {"candidates", "references"}:
        labels.ignore("it is not an object of `references` and, by run, `candidates`")
        return
    sizes = {run: len(texts) for run, texts in record.candidates.items()}
    of_runs = given.get("candidates")
    for name, value in (of_runs if isinstance(of_runs, dict) else {source.run: of_runs}).items():
        run = source.run_name(name) or ""
        if run in sizes:
            if any(read := labels.of(value, sizes[run], f"candidates of run {clip(run)}")):
                record.coherence[run] = read
        elif value is not None:
            labels.ignore(f"there is no run {clip(name)}")
    record.references_coherence = labels.of(given.get("references"), len(record.references), "references")


def _of_metadata(record: Record) -> dict[str, Any] | None:
    """Return the `coherence` labels in the metadata in the form of the field `coherence`, or None.

    The metadata may contain them in that form, or by run with `reference_coherence` beside them.
    """
    by_run = record.metadata.get(FIELD)
    if (
        isinstance(by_run, dict)
        and set(by_run) == {"candidates", "references"}
        and "candidates" not in record.candidates
    ):
        return by_run
    if not isinstance(by_run, dict) or not by_run or not set(by_run) <= set(record.candidates):
        return None
    return {"candidates": by_run, "references": record.metadata.get(IN_METADATA)}


@dataclass(frozen=True)
class _Labels:
    source: Source
    record: Record
    field: str

    def of(self, value: Any, size: int, what: str) -> list[str]:
        """Return a label for each of `size` texts; "" for a text without one.

        `value` is one label for all texts, or a list with null for gaps.
        """
        if value is None:
            return [""] * size
        values = value if isinstance(value, list) else [value] * size
        if len(values) != size:
            self.ignore(f"it has {len(values)} labels for {size} {what}")
            return [""] * size
        found = ["" if one is None else as_label(one) for one in values]
        if None in found:
            self.ignore(f"a label of the {what} is not text of 1 to {LONGEST} characters")
        return [label or "" for label in found]

    def ignore(self, why: str) -> None:
        name = self.source.name
        self.source.log.add("ignored_field", name, self.record.where, self.record.id, field=self.field, why=why)
