"""Logs of events, as OpenAI's evals write them: the events of one sample become one record."""

from __future__ import annotations

from typing import Any

from data.findings import Log, TrustedText, clip
from data.formats.names import IDS
from data.formats.shapes import of_run

KIND, CONTENT = "type", "data"
"""The fields with the name of an event and what it says."""


def joined(value: Any, numbers: list[int] | None, file: str, log: Log) -> tuple[Any, list[int] | None]:
    """The records of samples and their lines; where two events of a sample differ, the later one counts.

    Facts about the run in other records belong to all samples; other values are returned unchanged.
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


def _is_event(row: Any) -> bool:
    return isinstance(row, dict) and isinstance(row.get(KIND), str) and isinstance(row.get(CONTENT), dict)


def _sample(row: Any) -> str | None:
    """The id of the sample of an event; None for any other record."""
    name = next((name for name in IDS if name in row), "") if _is_event(row) else ""
    return str(row[name]) if name else None
