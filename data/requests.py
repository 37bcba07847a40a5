"""Files of requests that name the picture for each answer, such as the questions beside LLaVA's answers."""

from __future__ import annotations

from collections.abc import Sequence

from data.findings import Log
from data.records import Part


def settle(parts: Sequence[Part], log: Log) -> None:
    """Add the aliases of ids from a file of requests to the records of answers, with a finding.

    A file of requests has the same text for all of its items, or none, and each item has an alias, while another file
    has captions under the same ids.
    """
    for part in parts:
        if not _may_ask(part):
            continue
        names = {record.id: record.aliases for record in part.records}
        answers = [one for one in parts if one is not part and one.labels and _ids(one) <= set(names)]
        if not answers or any(record.references for one in answers for record in one.records):
            continue
        for one in answers:
            for record in one.records:
                record.aliases = (*record.aliases, *names[record.id])
        log.add("requests", part.file, other=answers[0].file)
        part.labels, part.records = {}, []


def _ids(part: Part) -> set[str]:
    return {record.id for record in part.records}


def _may_ask(part: Part) -> bool:
    """Return whether a file has the same text, or none, for several items that each have an alias."""
    told = {tuple(texts) for record in part.records for texts in record.candidates.values()}
    whole = all(record.aliases and not record.references for record in part.records)
    one = len(told) == 1 and len(next(iter(told))) == 1 and part.neutral
    return len(part.records) > 1 and whole and (one or not told)
