"""Files of lines that each contain the captions of one item: in one folder per run, or with the run on each line."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from pathlib import PurePosixPath

from data.fields.keys import FILES_OF_PEOPLE
from data.fields.word_lists import in_name, word_set
from data.findings import Log
from data.formats.nesting.setting_keys import are_settings
from data.matching.match_ids import is_among
from data.records import Label, Part, Record
from data.run_settings import parse_name

_NUMBERED = re.compile(r"(.+?)[_#-]\d{1,2}")
_LETTERED = re.compile(r"(?<=.)[._-][A-Z](?=[._-]|$)")
_LABELLED = re.compile(r"\s*(?P<who>[^\W\d_][\w ().@=/-]{0,40}?)\s*:\s+(?P<text>\S.*)")
"""A line that begins with its writer: `human: A dog runs.`"""
_GENERAL = word_set("results result output outputs out preds predictions captions generated generations runs data all")
"""Names of folders that contain models' folders."""
_OF_MODELS, _OF_SYSTEMS = word_set("model models"), word_set("system systems peer peers")
"""Words in the names of folders. ROUGE's folders of models are by people if there are folders of systems beside them,
or if file names have a letter for each writer.
"""
_MOST_WRITERS = 50
Files = Sequence[tuple[Part, PurePosixPath]]


def settle(parts: Sequence[Part], named: Collection[str], log: Log) -> None:
    """Read files of lines that are named by ids, one file per item, as the captions of a run or of people.

    Every file name must match an item in other files (`named` are the forms of their ids), or several folders must have
    files with the same names, apart from a number at the end. If each folder has a file with a name for people's
    captions, the folders are the items and the files the runs. A finding names folders of people. Files whose lines
    begin with the names of the same writers need no folders.
    """
    made = [(part, PurePosixPath(part.file.replace("\\", "/"))) for part in parts if part.format == "lines"]
    if len(made) < 2 or _by_writer(made):
        return
    bare = _without_numbers([path for _, path in made], named)
    folders: dict[PurePosixPath, set[str]] = {}
    for _, path in made:
        folders.setdefault(path.parent, set()).add(bare[path])
    alike = len(folders) > 1 and len({frozenset(of) for of in folders.values()}) == 1
    met = all(is_among(bare[path], named) for _, path in made)
    few = max(part.n_records for part, _ in made) < len(made)
    if not few or not (met or (alike and len(made) > len(folders))):
        return
    systems = any(_OF_SYSTEMS & {*in_name(folder.name)} for folder in folders)
    signed = {path.parent for _, path in made if systems or without_letter(path.stem) == bare[path] != path.stem}
    signed = {folder for folder in signed if _OF_MODELS & {*in_name(folder.name)}}
    by_item = alike and any(map(_is_of_people, next(iter(folders.values()))))
    by_item = by_item and not any(_is_of_people(folder.name) for folder in folders)
    first: dict[tuple[str, str], Record] = {}
    for part, path in made:
        run, id = (bare[path], path.parent.name) if by_item else (_run_of(path), bare[path])
        of_people = _is_of_people(run) or not part.labels or path.parent in signed
        texts = [text for record in part.records for text in texts_of(record)]
        texts = [text for text in texts if text.strip()] or texts
        record = Record(id, "line 1", texts if of_people else [], {} if of_people else {run: texts})
        known = first.setdefault((run, id), record)
        if known is not record:  # another caption of the same item
            known.references += record.references
            for name, more in record.candidates.items():
                known.candidates[name] += more
        _take(part, [record] if known is record else [], [] if of_people else [run])
    for folder in signed:
        file = next(part.file for part, path in made if path.parent == folder)
        log.add("folder_of_people", file, folder=folder.name)


def without_letter(name: str) -> str:
    """Return the name of a file without the capital letter of its writer: `text.001` for `text.A.001`, as in ROUGE."""
    return _LETTERED.sub("", name)


def _take(part: Part, records: list[Record], runs: Sequence[str]) -> None:
    label = next(iter(part.labels.values()), None)
    part.labels = {run: _label(run, label) for run in runs}
    part.records, part.n_records, part.format, part.by_place = records, len(records), "keyed_lines", False
    part.keyed = None


def _label(run: str, known: Label | None) -> Label:
    model, settings = parse_name(run)
    label = Label(model, settings, frozenset(), run)
    return replace(known, model=model, settings=settings, written=run) if known else label


def _run_of(path: PurePosixPath) -> str:
    """Return the name of the run that a file belongs to: that of its folder, or `captions` if it has none.

    If a folder states only settings, the name of the folder above it goes before it, unless that name is too general.
    """
    above = [folder.name for folder in path.parents if folder.name]
    told = above[:1]
    for inner, outer in pairwise(above):
        if not are_settings([inner]) or outer.lower() in _GENERAL or "." in outer:
            break
        told.insert(0, outer)
    return " ".join(told) or "captions"


def _without_numbers(paths: Sequence[PurePosixPath], named: Collection[str]) -> dict[PurePosixPath, str]:
    """Return each file's name: without a caption's number or letter if other folders or items have the rest of the
    name.
    """
    found = {path: path.stem for path in paths}
    folders: dict[str, set[PurePosixPath]] = {}
    for path in paths:
        folders.setdefault(path.stem, set()).add(path.parent)
    for path in paths:
        match = _NUMBERED.fullmatch(path.stem)
        bare = match[1] if match else without_letter(path.stem)
        if bare != path.stem and not is_among(path.stem, named) and len(folders[path.stem]) == 1:
            elsewhere = folders.get(bare, set()) - {path.parent}
            found[path] = bare if elsewhere or is_among(bare, named) else path.stem
    return found


def _by_writer(made: Files) -> bool:
    """Read files in which each line begins with its writer, and return True; for other files, only return False."""
    told = [[_LABELLED.fullmatch(text) for record in part.records for text in texts_of(record)] for part, _ in made]
    names = [{match["who"] for match in of if match} for of in told]
    whole = all(of and all(of) for of in told) and len({path.stem for _, path in made}) == len(made)
    people = set(filter(_is_of_people, names[0]))
    if not whole or any(of != names[0] for of in names) or not people or not people < names[0]:
        return False
    if len(names[0]) > _MOST_WRITERS:
        return False
    for (part, path), of in zip(made, told):
        record = Record(path.stem, "line 1")
        for match in filter(None, of):
            who = match["who"]
            texts = record.references if who in people else record.candidates.setdefault(who, [])
            texts.append(match["text"].strip())
        _take(part, [record], [*record.candidates])
    return True


def _is_of_people(name: str) -> bool:
    return bool(set(in_name(name)) & FILES_OF_PEOPLE)


def texts_of(record: Record) -> list[str]:
    """Return all captions of a record."""
    return [*record.references, *chain(*record.candidates.values())]
