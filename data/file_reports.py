"""Reports on the files that were read: the format of each in words, and the amount of its contents."""

from __future__ import annotations

from data.check import NOT_READ, FileReport
from data.files.blobs import Blob
from data.findings import named
from data.formats.registry import FORMATS
from data.imported.judge_answers import judge_of
from data.records import Part, ScoreRow

NUMBERS = "numbers without captions, not used"
FACTS = "facts about none of the items, not used"
REQUESTS = "requests whose answers another file has"


def report(blob: Blob, part: Part | None, without: str = "") -> FileReport:
    """Return the report on a file; `part` is None if it was not read, and `without` states what it contains instead of
    captions, if it was not used.
    """
    if part is None or without:
        return FileReport(blob.name, without or NOT_READ, 0, 0, 0, blob.source)
    rows = [*part.scores, *part.ratings, *(row.first for row in part.preferences)]
    rows += [ScoreRow("", "", None, run or None, one.item) for _, one in part.answers for run in one.runs]
    items = len({record.id for record in part.records} | {row.item for row in rows if row.item is not None})
    systems = {name for one in part.systems for name in one.systems}
    runs = len(part.labels) or len({row.run for row in rows if row.run is not None} | systems)
    return FileReport(blob.name, describe(part), part.n_records, items, runs, blob.source)


def describe(part: Part) -> str:
    """Return the format of a part in words, such as `COCO results, 5 captions per item`, or what it contains instead of
    captions.
    """
    words = [FORMATS[part.format]]
    if part.vectors is not None:
        return f"embeddings {part.vectors.name}, {len(part.vectors.rows):,} of {part.vectors.rows.shape[1]:,} numbers"
    if part.matrices:
        return f"distances {part.stem}, of {len(part.matrices):,} items of runs"
    if (part.ratings and part.format != "table") or part.preferences or part.systems:
        return _of_people(part)
    if part.answers:
        of = named(list(dict.fromkeys(one.judge for _, one in part.answers)))
        return f"{len(part.answers):,} answers of the judge {of}"
    scored = f"scores by {named(list(dict.fromkeys(row.metric for row in part.scores)))}" if part.scores else ""
    if scored and part.format != "table":
        return scored
    if any(record.where.startswith("line") for record in part.records[:1]) and part.format not in (
        "table",
        "lines",
        "keyed_lines",
    ):
        words[0] = words[0].replace(" JSON", "") + " JSON Lines"
    if len(part.labels) > 1:
        words.append(f"{len(part.labels)} runs")
    texts = [len(captions) for record in part.records for captions in record.candidates.values()]
    counts = [len(record.references) for record in part.records if record.references]
    for numbers, what in ((texts, "caption"), (counts, "reference")):
        if numbers:
            low, high = min(numbers), max(numbers)
            words.append(f"{low if low == high else f'{low} to {high}'} {what}{'s' if high != 1 else ''} per item")
    rated = f"ratings by people{_of(criteria)}" if (criteria := _criteria(part)) else ""
    return ", ".join(one for one in (*words, scored, rated) if one)


def _of_people(part: Part) -> str:
    if part.preferences:
        judges = {judge_of(one.criterion) for one in part.preferences}
        who = ["people"] * ("" in judges) + ["a model"] * bool(judges - {""})
        return f"{len(part.preferences):,} pairs judged by {' and '.join(who)}"
    systems = sum(len(one.systems) for one in part.systems)
    return f"ratings by people{f' of {systems} systems' if systems else ''}{_of(_criteria(part))}"


def _of(criteria: list[str]) -> str:
    """Return the criteria of ratings as a clause; "" if they only state that there are ratings."""
    return "" if [name.casefold() for name in criteria] in (["rating"], ["ratings"]) else f": {named(criteria)}"


def _criteria(part: Part) -> list[str]:
    of = [row.metric for row in part.ratings] or [name for one in part.systems for name in one.criteria]
    return list(dict.fromkeys(of))


def holds_any(part: Part) -> bool:
    """Return whether anything was read from a file: texts, facts about items, numbers, or judgments."""
    beside = (part.scores, part.matrices, part.ratings, part.preferences, part.systems, part.answers)
    said = (one.references or any(one.candidates.values()) or one.metadata or one.human for one in part.records)
    return part.vectors is not None or any(beside) or any(said)
