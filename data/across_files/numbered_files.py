"""Files whose names number the captions of each item, such as `blip_sample1.json` and `blip_sample2.json`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import PurePosixPath

from data.files.blobs import stem
from data.findings import Log, TrustedText, clip, named
from data.records import Part
from data.run_settings import parse_name

_SAMPLE = re.compile(r"(?P<before>.*?)[\s_.-]+sample[\s_-]?(?P<number>\d{1,4})(?P<after>\D*)", re.DOTALL)
_FEWEST = 2
_ENDINGS = ("_results", "-results")
"""Endings of the names of COCO's files of results, which are no part of a run's name."""


def settle(parts: Sequence[Part], log: Log) -> None:
    """Read files with numbered names as the samples of one run, with a finding.

    The numbers start at 0 or 1 and have no gap, each file has one run, and an item that a file lacks is in none of the
    files after it. The captions keep the order of the numbers, and the run has the name of the files without the
    numbers.
    """
    groups: dict[tuple[str, str], dict[int, Part]] = {}
    for part in parts:
        path = PurePosixPath(part.file)
        if (match := _SAMPLE.fullmatch(stem(path.name))) is not None and _is_plain(part):
            groups.setdefault((str(path.parent / match["before"]), match["after"]), {})[int(match["number"])] = part
    for (before, after), of in groups.items():
        files = [of[k] for k in sorted(of)]
        ids = [{record.id for record in part.records} for part in files]
        counted = sorted(of) == list(range(min(of), min(of) + len(of))) and min(of) < _FEWEST
        if len(files) >= _FEWEST and counted and all(later <= one for one, later in pairwise(ids)):
            log.add("samples_by_file", files[0].file, files=TrustedText(named([clip(part.file) for part in files])))
            alone = sum(other == before for other, _ in groups) == 1
            _join(files, PurePosixPath(before).name + ("" if alone and after.lower() in _ENDINGS else after))


def _is_plain(part: Part) -> bool:
    """Return whether a file has one run, named after the file, and nothing else."""
    beside = any(one.references or one.human or one.logprobs or one.coherence for one in part.records)
    alone = not (beside or part.scores or part.ratings or part.preferences)
    return alone and len(part.labels) == 1 and all(run in part.file for run in part.labels)


def _join(files: Sequence[Part], run: str) -> None:
    first, records = files[0], {record.id: record for record in files[0].records}
    said: dict[str, list[str]] = {id: [] for id in records}
    for part in files:
        for record in part.records:
            said[record.id] += [text for texts in record.candidates.values() for text in texts]
    model, settings = parse_name(run)
    label = replace(next(iter(first.labels.values())), model=model, settings=settings, written=run)
    first.labels, first.records = {run: label}, list(records.values())
    for id, record in records.items():
        record.candidates = {run: said[id]}
    for part in files[1:]:
        part.records, part.labels = [], {}
    for part in files:
        part.first_of = None  # files with equal samples are not one file given twice
