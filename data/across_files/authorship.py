"""Infer who wrote captions if no file states it; people did, for example, if a file has more captions per item than the
others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from statistics import median

from data.across_files.file_names import without_shard
from data.fields.keys import DATA_SETS, OF_ANNOTATORS, PARTS_OF_THEM, is_of_data_set, words_of
from data.fields.names import LANGUAGES, RUNS, known_run
from data.fields.word_lists import in_name, word_set
from data.files.blobs import stem, without_packing
from data.findings import Log, named
from data.formats.containers.lines import take_as_sources
from data.matching.match_ids import forms_of, is_among
from data.records import Label, Part, Record
from data.run_settings import parse_name, parse_stem
from data.study import Settings

_OF_MODELS = word_set(
    "pred preds predict predicted prediction predictions hyp hyps hypo generated output outputs candidates"
)
_DECODED = {"sample", "samples", "sampled", "sampling", "nucleus", "beam", "greedy", "temperature"}
"""Words for decoding in the names of files with captions by models."""
_OF_DATA_SETS = word_set("capability imagesource events q vid sen locale document article negative foil distractor")
_PERHAPS = word_set(
    "license split type source category domain duration dataset url start end timestamps question imagename author "
    "href tags height coco sentids bytes width region regions title attr color truncated features comment number"
)
"""Words in the names of fields beside people's captions in data sets; at least two must occur."""


def settle(parts: Sequence[Part], log: Log) -> None:
    """Take the captions of one file as people's if no file has references, or as a run's if no file has a run.

    Only files in which no field shows who wrote the captions are considered. The captions of a file are taken as
    people's if it is the only file with fields or a name typical of data sets (or one of several such files, such as
    `val_1` and `val_2`), or if it has at least two captions for a typical item, and at least twice as many as every
    other file for the same items. The captions of a single file are taken as people's if its fields describe the work
    of people who wrote captions.
    """
    if any(record.references for part in parts for record in part.records):
        _give_back(parts, log)
        return
    foreign = _leave_other_languages(parts, log)
    whole = _whole([part for part in parts if part.records and not any(part is one for one in foreign)])
    told = [part for part, _ in whole if part.format != "scores" and part.labels]
    if len(told) < len(whole):
        return
    chosen = _of_people(told) if len(told) > 1 else [part for part in told if _are_annotated(part)]
    if not all(len(part.labels) == 1 or _is_parted(part) for part in chosen):
        return
    for part in (one for part, of in whole if any(part is one for one in chosen) for one in of):
        _take(part, log)


def may_be_people(part: Part) -> bool:
    """Return whether a file typically has several captions per item, and no field shows who wrote them."""
    told = [sum(map(len, record.candidates.values())) for record in part.records]
    return part.neutral and bool(told) and median(told) > 1


def names_model(file: str) -> bool:
    """Return whether the name of a file shows that a model wrote its captions."""
    return bool(_words_in(file) & _OF_MODELS)


def _leave_other_languages(parts: Sequence[Part], log: Log) -> list[Part]:
    """Treat as sources those files of lines from a data set that are not in the language of the runs, and return these
    files.

    An example is `test_2016_flickr.en` beside `test_2016_flickr.de` and `hyp.de`. The endings of file names state the
    languages. If the runs' files have no such ending, the runs are taken to be in the language whose lines contain more
    than twice as many of the runs' words as the lines in any other language. Without such a language, no file is
    treated as sources.
    """
    titled: dict[str, list[Part]] = {}
    lined = [part for part in parts if part.format == "lines" and part.labels]
    for part in (one for one in lined if _language(one) and _is_titled(one)):
        titled.setdefault(_language(part), []).append(part)
    others = [part for part in lined if not any(part is one for of in titled.values() for one in of)]
    if len(titled) < 2 or not others:
        return []
    stated = {_language(part) for part in others}
    said = _vocabulary(others)
    shares = {language: len(said & _vocabulary(of)) / max(len(said), 1) for language, of in titled.items()}
    first, second = sorted(shares, key=lambda language: -shares[language])[:2]
    spoken = next(iter(stated)) if len(stated) == 1 and stated <= titled.keys() else ""
    if stated == {""} and shares[first] > 2 * shares[second]:
        spoken = first
    foreign = [part for language, of in titled.items() for part in of if spoken not in (language, "")]
    for part in foreign:
        take_as_sources(part, log, PurePath(part.file).name)
    return foreign


def _language(part: Part) -> str:
    ending = PurePath(without_packing(part.file)).suffix[1:].lower()
    return ending if ending in LANGUAGES else ""


def _vocabulary(parts: Sequence[Part]) -> set[str]:
    texts = (text for part in parts for record in part.records for of in record.candidates.values() for text in of)
    return {word for text in texts for word in text.lower().split()}


def _whole(parts: Sequence[Part]) -> list[tuple[Part, list[Part]]]:
    """Return pairs of a whole file and its parts: the shards of one file are joined, and any other part is whole by
    itself.
    """
    groups: dict[object, list[Part]] = {}
    for part in parts:
        name = without_shard(stem(part.file))
        groups.setdefault((name, part.format, *part.labels) if name != stem(part.file) else id(part), []).append(part)
    return [
        (replace(of[0], records=[record for part in of for record in part.records]), of) if len(of) > 1 else (of[0], of)
        for of in groups.values()
    ]


def _of_people(told: Sequence[Part]) -> list[Part]:
    described = [part for part in told if part.neutral and _is_data_set(part) and not _says_model(part)]
    only = len(described) == 1 or (0 < len(described) < len(told) and all(map(_is_titled, described)))
    if only and all(_shared(part, one) for one in described for part in told if part is not one):
        return described
    counts = [median(_count(part, record) for record in part.records) for part in told]
    most = max(range(len(told)), key=lambda k: counts[k])
    others = [k for k in range(len(told)) if k != most]
    several = counts[most] >= 2 and all(2 * counts[k] <= counts[most] for k in others)
    titled = [k for k in range(len(told)) if _is_titled(told[k])]
    others_said = [bool(_words(told[k]) & _OF_MODELS) for k in range(len(told)) if k not in titled]
    sure = len(titled) == 1 and (all(others_said) or bool(_words(told[titled[0]]) & DATA_SETS))
    fields_say = not any(part.neutral for k, part in enumerate(told) if k not in titled)
    sure |= len(titled) == 1 and fields_say and is_of_data_set(told[titled[0]].file)
    if 1 < len(titled) < len(told) and (
        _are_one_set([told[k] for k in titled])
        or _are_splits([told[k] for k in titled], [told[k] for k in range(len(told)) if k not in titled])
    ):
        return [told[k] for k in titled]
    if sure or (len(titled) == 1 and several and titled[0] == most):
        most, several = titled[0], True
        others = [k for k in range(len(told)) if k != most]
    elif not all(_of_model(told[k]) for k in others):
        return []
    unsaid = told[most].neutral or (sure and told[most].format in ("lines", "keyed_lines"))
    if not several or not unsaid or _says_model(told[most]):
        return []
    return [told[most]] if all(_shared(told[k], told[most]) for k in others) else []


def _count(part: Part, record: Record) -> int:
    """Return how many captions of an item a file has: the number in the run with the most captions.

    All runs are counted together if they are only groups of captions (see `_is_parted`).
    """
    counts = [len(texts) for texts in record.candidates.values()]
    return max(counts, default=0) if len(part.labels) > 1 and not _is_parted(part) else sum(counts)


def _is_parted(part: Part) -> bool:
    """Return whether a column that cannot name runs, such as `gender`, divides captions of unknown authorship."""
    columns = {label.where.rpartition(", column ")[2] for label in part.labels.values()}
    return part.neutral and len(columns) == 1 and known_run(next(iter(columns))) not in {*RUNS, ""}


def _give_back(parts: Sequence[Part], log: Log) -> None:
    """Treat the captions of unknown authors in a table as those of a run, and add a finding.

    This is done only if no file has a run, and another file has references for items of the table.
    """
    unsure = [part for part in parts if part.neutral and part.format == "table" and part.records]
    sure = [part for part in parts if part.records and part not in unsure]
    if any(part.labels or part.scores for part in parts) or len(unsure) != 1 or not sure:
        return
    part, run = unsure[0], parse_stem(PurePath(unsure[0].file).name.split(".")[0]) or "run"
    if not any(_shared(part, one) for one in sure):
        return
    log.add("taken_as_run", part.file)
    _reword(part, log, "references", "candidates")
    part.labels = {run: Label(*parse_name(run), written=run)}
    for record in part.records:
        record.candidates, record.references = {run: record.references}, []


def _take(part: Part, log: Log) -> None:
    for kind, rows in (("scores", part.scores), ("ratings", part.ratings)):
        if rows:
            log.forget(part.file, f"{kind}_read")
            log.add(f"{kind}_beside", part.file, columns=named(list(dict.fromkeys(row.metric for row in rows))))
    part.scores, part.ratings = [], []
    count = median(sum(map(len, record.candidates.values())) for record in part.records)
    log.add("taken_as_references", part.file, n=f"{count:g}")
    _reword(part, log, "candidates", "references")
    _give_to_people(part)


def _reword(part: Part, log: Log, role: str, other: str) -> None:
    for mark in ":=":
        log.reword("fields_mapped", part.file, f"{role}{mark}", f"{other}{mark}")
    if part.file in log.fields:
        roles = {name: other if of == role else of for name, of in log.fields[part.file].roles.items()}
        log.fields[part.file] = replace(log.fields[part.file], roles=roles)


def _is_data_set(part: Part) -> bool:
    found = words_of(part.fields)
    typical = found & (_OF_DATA_SETS | OF_ANNOTATORS) or len(found & _PERHAPS) > 1
    return not found & {"model", "prompt"} and bool(typical)


def _are_annotated(part: Part) -> bool:
    """Return whether a file is titled as data, its fields describe how people wrote captions, and no author is stated.

    The answer is False if the file has judgments, because people who judge captions need not have written them.
    """
    judged = part.ratings or part.scores or part.preferences or _says_model(part)
    unnamed = all(stem(part.file).endswith(label.written) for label in part.labels.values())
    told = _is_data_set(part) and bool(words_of(part.fields) & OF_ANNOTATORS)
    return part.neutral and told and unnamed and not judged and _is_titled(part)


def _is_titled(part: Part) -> bool:
    return _words(part) <= DATA_SETS | PARTS_OF_THEM


def _are_one_set(parts: Sequence[Part]) -> bool:
    """Return whether the names of files of lines show that they belong to one data set.

    Examples are `test_2016_flickr.1.en` and `.2.en`, or `test_2016_flickr.de` and `test_2016.1.de`. The names differ at
    most in a number and in the name of the data set, which some may lack. A four-digit number is a year, and
    distinguishes data sets.
    """
    named = [in_name(part.file) for part in parts]
    sets = [word for words in named for word in words if word in DATA_SETS]
    names = {tuple(w for w in words if w not in DATA_SETS and not re.fullmatch(r"\d{1,3}", w)) for words in named}
    told = bool(sets or _words(parts[0]) & {"test", "val", "dev"})
    return len(names) == 1 and len(set(sets)) < 2 and told and all(part.format == "lines" for part in parts)


def _are_splits(parts: Sequence[Part], others: Sequence[Part]) -> bool:
    """Return whether files are parts of one data set, such as `train` and `val`.

    Each item has several captions in these files, but only one in each of the `others`. Most items of each of the
    others must be in these files.
    """
    whole = replace(parts[0], records=[record for part in parts for record in part.records])
    several = all(sum(map(len, record.candidates.values())) > 1 for record in whole.records)
    once = all(sum(map(len, record.candidates.values())) == 1 for part in others for record in part.records)
    apart = len({record.id for record in whole.records}) == len(whole.records)
    unsaid = all(part.neutral and not _says_model(part) for part in parts)
    return several and once and apart and unsaid and all(_shared(part, whole) for part in others)


def _words(part: Part) -> set[str]:
    return _words_in(part.file)


def _words_in(file: str) -> set[str]:
    name = without_shard(file.rsplit("/", 1)[-1].rpartition(".")[0].lower() or file.lower())
    return {word.rstrip("0123456789") for word in in_name(name)}


def _says_model(part: Part) -> bool:
    stated = any(label.settings != Settings() or label.stated for label in part.labels.values())
    return (stated and not _is_parted(part)) or bool(_words(part) & (_OF_MODELS | _DECODED))


def _of_model(part: Part) -> bool:
    return not part.neutral or _says_model(part) or bool(_words(part) & {"result", "results"})


def _shared(part: Part, other: Part) -> bool:
    known = forms_of(name for record in other.records for name in (record.id, *record.aliases))
    found = (any(is_among(name, known) for name in (record.id, *record.aliases)) for record in part.records)
    return 2 * sum(found) > len(part.records)


def _give_to_people(part: Part) -> None:
    for record in part.records:
        record.references = [text for texts in record.candidates.values() for text in texts]
        record.candidates = {}
    part.labels = {}
