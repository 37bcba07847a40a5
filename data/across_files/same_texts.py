"""Captions that another file repeats, beside scores without the ids of that file or beside the verdicts of a judge."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from data.fields.names import norm
from data.fields.word_lists import in_name
from data.files.blobs import stem
from data.findings import Log, TrustedText, clip, named
from data.formats.columns.run_scores import told_apart
from data.formats.numbers.caption_sheet import is_metric
from data.formats.numbers.scores import VALUE
from data.records import Label, Part, Record, ScoreRow
from data.run_settings import parse_name

_WORD = re.compile(r"\w+")
_JUDGING = frozenset(["judge", "judged", "judgement", "judgment", "scored", "rated", "evaluated"])
"""Words in the names of files that repeat captions beside the verdicts of a judge."""


def settle(parts: Sequence[Part], log: Log) -> None:
    """If a file with scores repeats the captions of a run in another file under other ids, assign the scores to that
    run, with a finding.

    The file of scores has one caption per item, and exactly one run of another file has the same captions, ignoring
    case and punctuation: in the same order, or each of them once. The captions beside the scores are then not a
    separate run. Files with the verdicts of a judge, or with the ratings of one person each, are settled first.
    """
    _read_once(parts, log)
    _by_raters(parts, log)
    _by_files(parts, log)
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


def _by_raters(parts: Sequence[Part], log: Log) -> None:
    """If several files rate the same captions and name no rater, treat each file as the ratings of one person, with a
    finding.

    A run that is named only after these files gets the common beginning of their names as its name.
    """
    rated = [part for part in parts if part.ratings and part.labels and not any(row.rater for row in part.ratings)]
    said = [{(record.id, _own(part, run)): of for record, run, of in _said(part)} for part in rated]
    first = [rated[0], *(one for one, of in zip(rated[1:], said[1:]) if _agree(said[0], of))] if rated else []
    if len(first) < 2:
        return
    raters = [next((run for run in one.labels if not _own(one, run)), stem(one.file)) for one in first]
    stems = [stem(PurePosixPath(one.file).name) for one in first]
    alike = [len({letters[k] for letters in stems}) == 1 for k in range(min(map(len, stems)))]
    name = stems[0][: [*alike, False].index(False)].strip("_-. ") or "captions"
    log.add("raters_apart", first[0].file, n=len(first), raters=TrustedText(named([f"{clip(one)}" for one in raters])))
    known: set[tuple[str, str]] = set()
    for part, rater in zip(first, raters):
        part.ratings = [replace(row, rater=rater, run=_own(part, row.run or "") or name) for row in part.ratings]
        for record in part.records:
            of_run = {_own(part, run) or name: of for run, of in record.candidates.items()}
            record.candidates = {run: of for run, of in of_run.items() if (record.id, run) not in known}
            known |= {(record.id, run) for run in of_run}
        labels = {_own(part, run): label for run, label in part.labels.items()}
        part.labels = {run or name: label if run else Label(*parse_name(name)) for run, label in labels.items()}


def _by_files(parts: Sequence[Part], log: Log) -> None:
    """Name the raters of several files after the parts of the file names that differ; add a finding.

    The files must have ratings of the same captions, and must contain neither captions nor raters.
    """
    able = [part for part in parts if part.ratings and not part.labels and part.first_of is None]
    runs = {run for part in parts for run in part.labels}
    told = [part for part in able if len(runs) < 2 or all(row.run or row.caption for row in part.ratings)]
    rated = [part for part in told if not any(row.rater for row in part.ratings)]
    said = [{(row.metric, row.run, row.item, row.index, row.caption) for row in part.ratings} for part in rated]
    same = [part for part, of in zip(rated, said) if 2 * len(of & said[0]) > min(len(of), len(said[0]))]
    raters = told_apart([stem(PurePosixPath(part.file).name) for part in same])
    if len(same) < 2 or len(set(raters)) < len(raters):
        return
    raters = [rater or stem(part.file) for rater, part in zip(raters, same)]
    log.add("raters_apart", same[0].file, n=len(same), raters=TrustedText(named([clip(one) for one in raters])))
    for part, rater in zip(same, raters):
        part.ratings = [replace(row, rater=rater) for row in part.ratings]


def _own(part: Part, run: str) -> str:
    """Return the name of a run, or "" if it is taken from the name of the file."""
    return "" if len(part.labels) == 1 and run in part.file else run


def _said(part: Part) -> Iterator[tuple[Record, str, list[str]]]:
    yield from ((record, run, of) for record in part.records for run, of in record.candidates.items())


def _agree(said: dict[tuple[str, str], list[str]], other: dict[tuple[str, str], list[str]]) -> bool:
    """Return whether two files share more than half the keys of the smaller file, and have the same texts under all
    shared keys.
    """
    both = said.keys() & other.keys()
    return 2 * len(both) > min(len(said), len(other)) and all(said[key] == other[key] for key in both)


def _read_once(parts: Sequence[Part], log: Log) -> None:
    """Read captions only once if another file repeats them beside the verdicts of a judge; add a finding.

    The file with the verdicts is named after the first, with a word for judging at the end, like VLMEvalKit's
    `x_gpt-4_judge.xlsx` beside `x.xlsx`. Its numeric fields that have a name for scores and are absent from the first
    file become scores of the captions.
    """
    for part in parts if len(parts) > 1 else ():
        if _JUDGING.isdisjoint(in_name(PurePosixPath(part.file).stem)) or len(part.labels) != 1:
            continue
        for other in parts:
            own = next((own for _, own in _runs(part)), None) if _judges(part.file, other.file) else None
            if own is None or (run := next((name for name, of in _runs(other) if of == own), None)) is None:
                continue
            metrics = _scored(part, other)
            made = [
                ScoreRow(record.where, name, float(record.metadata[name]), run, record.id, 0, None)
                for name in metrics
                for record in part.records
                if name in record.metadata
            ]
            part.scores = [replace(row, run=run, caption=None) for row in part.scores] + made
            names = sorted({row.metric for row in part.scores})
            part.records = [replace(record, candidates={}, references=[]) for record in part.records]
            part.labels = {}
            scores = f", with its scores ({named(names)})" if names else ""
            log.add("judged_again", part.file, run=f"{clip(run)}", other=other.file, scores=TrustedText(scores))
            break


def _judges(file: str, other: str) -> bool:
    name, start = PurePosixPath(file).stem.lower(), PurePosixPath(other).stem.lower()
    return name.startswith(start) and not _JUDGING.isdisjoint(in_name(name[len(start) :]))


def _scored(part: Part, other: Part) -> list[str]:
    known = {name for record in other.records for name in record.metadata}
    names = dict.fromkeys(name for record in part.records for name in record.metadata if name not in known)
    return [
        name
        for name in names
        if (norm(name) in VALUE or is_metric(name))
        and all(type(record.metadata.get(name, 0)) in (int, float) for record in part.records)
    ]


def _runs(part: Part) -> Iterator[tuple[str, dict[str, str]]]:
    for run in part.labels:
        texts = {record.id: record.candidates[run] for record in part.records if run in record.candidates}
        if len(texts) > 1 and all(len(of) == 1 for of in texts.values()):
            yield run, {id: " ".join(_WORD.findall(of[0].lower())) for id, of in texts.items()}


def _ids(said: dict[str, str], other: dict[str, str]) -> dict[str, str]:
    """Map the ids of captions to the ids of equal texts in `other`.

    The result is empty unless both have the same texts in the same order, or `other` has all the texts and neither has
    a text twice.
    """
    if list(said.values()) == list(other.values()):
        return dict(zip(said, other))
    known = {text: id for id, text in other.items()}
    if len(known) < len(other) or len(set(said.values())) < len(said) or not set(said.values()) <= known.keys():
        return {}
    return {id: known[text] for id, text in said.items()}
