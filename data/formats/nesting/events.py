"""Lines that are not records: events of one sample, as logged by OpenAI's evals, and a header that applies to all
lines.
"""

from __future__ import annotations

from typing import Any

from data.fields.names import IDS, NEUTRAL, PREDICTED, REFERENCES, rank
from data.findings import Log, TrustedText, clip
from data.formats.nesting.nested_records import flat, of_run

TEXTS = [*PREDICTED, *REFERENCES, *NEUTRAL]
KIND, CONTENT = "type", "data"
"""The fields that contain the name and the content of an event."""


def joined(value: Any, numbers: list[int] | None, file: str, log: Log) -> tuple[Any, list[int] | None]:
    """Join the events of each sample into a record, with a finding; return the records with their line numbers, or with
    their places in the list if these are unknown.

    If two events of a sample differ, the later one counts. Facts about the run in other records apply to all samples;
    other values are returned unchanged.
    """
    if not isinstance(value, list) or not any(map(_is_event, value[:20])):
        return value, numbers
    events = [(row, _sample(row)) for row in value]
    if sum(_is_event(row) for row in value) < len(value) / 2 or len({row[KIND] for row in value if _is_event(row)}) < 2:
        return value, numbers
    beside: dict[str, Any] = {}
    samples: dict[str, dict[str, Any]] = {}
    lines: dict[str, int] = {}
    for place, (row, sample) in enumerate(events):
        if sample is None:
            beside |= of_run(row) if isinstance(row, dict) else {}
            continue
        known = samples.setdefault(sample, {})
        samples[sample] = {**known, **row, CONTENT: {**known.get(CONTENT, {}), **row[CONTENT]}}
        lines.setdefault(sample, numbers[place] if numbers else place + 1)
    kinds = dict.fromkeys(row[KIND] for row, sample in events if sample is not None)
    others = sum(sample is None for _, sample in events)
    log.add("events_joined", file, kinds=TrustedText(", ".join(map(clip, kinds))), others=others)
    return [{**beside, **row} for row in samples.values()], list(lines.values())


def headed(value: Any, numbers: list[int] | None) -> tuple[Any, list[int] | None]:
    """Return the records, with their line numbers, below a first line that states a model or settings but no item.

    The header of Trilens' own JSON Lines, which has `runs`, stays.
    """
    if numbers is None or len(value) < 2 or not all(isinstance(row, dict) for row in value[:2]) or "runs" in value[0]:
        return value, numbers
    head, told = flat(value[0]), of_run(value[0])
    alone = not any(rank(path, [*IDS, *TEXTS]) is not None for path in head) and not value[0].keys() & value[1].keys()
    if not told or not alone:
        return value, numbers
    return [{**told, **row} if isinstance(row, dict) else row for row in value[1:]], numbers[1:]


def _is_event(row: Any) -> bool:
    return isinstance(row, dict) and isinstance(row.get(KIND), str) and isinstance(row.get(CONTENT), dict)


def _sample(row: Any) -> str | None:
    name = next((name for name in IDS if name in row), "") if _is_event(row) else ""
    return str(row[name]) if name else None
