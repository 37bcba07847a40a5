"""Load files of any known format as one study, with all of its findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from data.across_files import (
    authorship,
    column_names,
    folder_roles,
    numbered_files,
    numbered_ids,
    requests,
    restarted_ids,
    same_texts,
    shared_fields,
    totals,
    two_sets,
)
from data.across_files.authorship import may_be_people, names_model
from data.across_files.file_names import Above, in_folders, stems, together
from data.across_files.single_records import single_records_joined
from data.bundle.writing import GIVEN
from data.check import DEFAULTS, Draft, FileReport, GivenFile, Loaded, finish, on_load, repair
from data.file_reports import FACTS, NUMBERS, REQUESTS, report
from data.files.blobs import Blob, stem
from data.files.limits import Total
from data.findings import Finding, Log, TrustedText, clip
from data.folders import files_within
from data.formats.columns.roles import with_fields
from data.formats.containers import lines, workbook
from data.formats.numbers import preferred_runs, ranks
from data.formats.registry import FORMATS
from data.marks import Marks, merged
from data.matching.match_ids import forms_of, is_among
from data.pictures.given_pictures import Gallery, GivenPicture, Pictures, sorted_out
from data.reading.files import read
from data.records import Columns, Part, Reading
from data.unpack import Source, folders_joined, unpack

__all__ = ["FORMATS", "Columns", "FileReport", "Loaded", "Reading", "load_study", "repair"]

_ACROSS_FILES: tuple[Callable[[Sequence[Part], Log], None], ...] = (
    requests.settle,
    restarted_ids.settle,
    numbered_ids.settle,
    numbered_files.settle,
    shared_fields.settle,
    same_texts.settle,
    authorship.settle,
    two_sets.check,
)
"""The rules that use all files together, in order; each may change the parts, and reports its changes."""
NO_COLUMNS = Columns()
_FEWEST = 2
"""Minimum number of fields in records with an id and captions."""
_NO_FIELDS = "none: the fields of a known format have their roles"


def load_study(
    sources: Iterable[Source] | Source,
    references: Iterable[Source] | Source = (),
    name: str | None = None,
    overrides: Mapping[str, Reading] | None = None,
    columns: Columns = NO_COLUMNS,
    known: Iterable[GivenPicture] = (),
) -> Loaded:
    """Read files, also compressed ones and archives, as one study; a source is a path of a file or folder, or a name
    and bytes.

    `references` are files whose captions are always references. `overrides` specify, by file name (inside an archive:
    `archive.zip/member`), how to read a file, and `columns` the roles of fields in all files that have them. Pictures
    among the files are kept beside the study; `known` pictures are not decoded again. The contents of a file never
    raise an exception: faults are findings, and `study` is None when nothing can be compared.
    """
    log = Log()
    overrides = overrides or {}
    of_people, given = (files_within(_listed(one), log) for one in (references, sources))
    blobs, pictures = _read_all(of_people, given, log, known)
    blobs = folder_roles.given_by_people(column_names.joined(blobs, log), log)
    blobs = single_records_joined([(one, forced) for blob, forced in blobs for one in _sheets(blob)], log)
    names = stems([blob for blob, _ in blobs])
    parts, reports = _parts(blobs, names, overrides, columns, log)
    unfilled = _unfilled(parts, log, lambda plain: _parts(blobs, names, overrides, columns, plain, fills=False)[0])
    there = [*(frozenset(one.header) for one in log.fields.values()), *log.counted.values()]
    if columns.any and not any(one.issuperset(with_fields(columns, sorted(one)).named) for one in there):
        fields = dict.fromkeys(clip(name) for one in log.fields.values() for name in one.header)
        wanted, told = ", ".join(columns.named), TrustedText(", ".join(list(fields)[:30]) or _NO_FIELDS)
        log.add("unknown_override", "", what="file with all of the fields", value=wanted, choices=told)
    _unused(overrides, names, log)
    if not reports:
        _say_nothing_read(log, pictures)
    idf = _idf([blob for blob, _ in blobs], log)
    network, features = (_given(member, [blob for blob, _ in blobs], log) for member in GIVEN)
    draft = Draft(name or _name(parts), tuple(parts), log.findings(), unfilled, pictures=pictures)
    if not parts:
        return Loaded(None, log.findings(), tuple(reports), DEFAULTS, draft, pictures=pictures, fields=log.fields)
    made = _with_brought(finish(draft, tuple(reports), on_load(parts)), [blob for blob, _ in blobs])
    made = replace(made, idf=idf, pictures=pictures, fields=log.fields)
    return replace(made, network=network and GivenFile(*network), images=features and GivenFile(*features))


def _sheets(blob: Blob) -> list[Blob]:
    """Return a file and, for a workbook, the other sheets with captions or numbers, each as a separate file."""
    others = workbook.others(blob.content) if workbook.matches(blob.content) else {}
    return [blob, *(replace(blob, name=f"{blob.name}/{clip(name)}.csv", content=of) for name, of in others.items())]


def _with_brought(made: Loaded, blobs: list[Blob]) -> Loaded:
    """Return the study with the cache entries, names of customised metrics, slices and marks of bundles."""
    numbers = {key: content for blob in blobs for key, content in blob.numbers.items()}
    own = tuple(dict.fromkeys(name for blob in blobs for name in blob.own))
    slices = {name: text for blob in blobs for name, text in blob.slices.items()}
    return replace(made, numbers=numbers, own=own, slices=slices, marks=_marks(made, blobs))


def _marks(made: Loaded, blobs: list[Blob]) -> Marks:
    """Return the marks in bundles; a run stays hidden only if no other file has a run of the same name."""
    marks = merged(blob.marks for blob in blobs)
    parts = [part for part in made.draft.parts if part.first_of is None] if made.draft else []
    named = Counter(name for part in parts for name in part.labels)
    return replace(marks, hidden=frozenset(name for name in marks.hidden if named[name] < 2))


def _read_all(
    references: list[Source], sources: list[Source], log: Log, known: Iterable[GivenPicture]
) -> tuple[list[tuple[Blob, bool]], Pictures | None]:
    gallery = Gallery(log, known)
    blobs = list(sorted_out(_blobs(references, sources, log), gallery))
    files, pattern = gallery.finish(), next((blob.pattern for blob, _ in blobs if blob.pattern), "")
    return blobs, Pictures(files, pattern) if files or pattern else None


def _say_nothing_read(log: Log, pictures: Pictures | None) -> None:
    if pictures is not None:
        log.add("pictures_alone")
    elif all(one.severity != "error" for one in log.findings()):
        log.add("no_items")


def _parts(
    blobs: list[tuple[Blob, bool]],
    names: dict[str, str],
    overrides: Mapping[str, Reading],
    columns: Columns,
    log: Log,
    fills: bool = True,
) -> tuple[list[Part], list[FileReport]]:
    """Return the parts that can be read, and a report on each file."""
    asked = requests.asked([blob for blob, _ in blobs])
    # A file that a person gave as references is evidence like a file called `references`.
    stems = (*names.values(), *(["references"] if any(forced for _, forced in blobs) else []))
    usual = Reading(fills=fills, asked=asked, stems=stems)
    every = replace(usual, columns=replace(columns, where_there=True) if columns.any else columns)
    overrides = {
        name: replace(reading, fills=fills, asked=asked, stems=usual.stems) for name, reading in overrides.items()
    }
    read_as: dict[str, Part | None] = {}
    seen: dict[str, str] = {}
    for blob, forced in blobs:
        part = _part(blob, names[blob.name], overrides.get(blob.name, every), forced, log)
        read_as[blob.name] = part
        if part is not None:
            part.first_of = seen.get(blob.key)
            seen.setdefault(blob.key, blob.name)
    known = [part for part in read_as.values() if part]
    told = any(record.references for part in known for record in part.records)
    if told or any(map(may_be_people, known)):
        refused = {one.file for one in log.findings() if one.code == "no_columns" and read_as.get(one.file) is None}
        for blob, forced in (of for of in blobs if of[0].name in refused and (told or names_model(of[0].name))):
            log.forget(blob.name)
            beside = replace(overrides.get(blob.name, every), beside_references=True)
            read_as[blob.name] = _part(blob, names[blob.name], beside, forced, log)
    for blob, forced in blobs:
        name, part = blob.name, read_as[blob.name]
        others = list(read_as.values())
        reading = _otherwise(part, others, overrides, every, log) if part else _of_ranks(name, others, every, log)
        if part is None and reading is not None and name not in overrides:
            log.forget(name)
            read_as[name] = _part(blob, names[name], reading, forced, log)
        elif part and reading is not None:
            log.forget(name)
            again = _part(blob, names[name], reading, forced, log)
            if again is None or _of_other_items(again, [one for one in read_as.values() if one and one is not part]):
                log.forget(name)
                again = _part(blob, names[name], overrides.get(name, every), forced, log)
            if again is not None:
                again.first_of = part.first_of
            read_as[name] = again
    settled = {part.file: part for part in lines.settle([part for part in read_as.values() if part], log)}
    used = dict.fromkeys(requests.answered(asked, list(settled.values())), REQUESTS)
    for rule in _ACROSS_FILES:
        rule(list(settled.values()), log)
    used |= dict.fromkeys(totals.settle(read_as, overrides, log), NUMBERS)
    used |= dict.fromkeys(totals.leave_other_facts(list(settled.values()), log), FACTS)
    return list(settled.values()), [report(blob, settled.get(blob.name), used.get(blob.name, "")) for blob, _ in blobs]


def _unfilled(parts: list[Part], log: Log, read_plain: Callable[[Log], list[Part]]) -> tuple[Finding, ...]:
    """Give each part its contents without filled-in cells, and return the findings that arise only in that reading.

    If no cell was filled in, nothing is read again.
    """
    if not any(one.code == "filled_down" for one in log.findings()):
        return ()
    plain = Log()
    found = {part.file: part for part in read_plain(plain)}
    for part in parts:
        part.as_written = found.get(part.file) or Part(part.file, part.format, [], 0)
    known = {(one.code, one.file, one.problem) for one in log.findings()}
    return tuple(one for one in plain.findings() if (one.code, one.file, one.problem) not in known)


def _otherwise(
    part: Part, every: list[Part | None], overrides: Mapping[str, Reading], usual: Reading, log: Log
) -> Reading | None:
    """Return how to read a file again in view of the ids and runs in other files; None if that is not needed."""
    others = [one for one in every if one is not None and one is not part]
    numbers = [*part.scores, *part.ratings]
    if numbers and part.file not in overrides and all(row.run is None and row.item for row in numbers):
        runs = frozenset(name for one in others for name in one.labels)
        return replace(usual, runs_beside=runs) if len(runs) > 1 else None
    if part.format not in ("table", "trilens") or part.file not in log.fields:
        return None
    told = any(record.references or record.candidates for record in part.records)
    header = log.fields[part.file].header
    unsaid = part.neutral or not any(one.candidates for one in part.records)
    if unsaid and ranks.may_rank(header) and part.file not in overrides:
        return _of_ranks(part.file, others, usual, log)
    if not told and preferred_runs.may_choose(header) and part.file not in overrides:
        runs = frozenset(name for one in others for name in one.labels)
        return replace(usual, runs_beside=runs) if len(runs) == 2 else None
    if part.other_id and part.file not in overrides and _fits_better(part, others):
        return replace(usual, columns=Columns(id=(part.other_id[0],)))
    reading = overrides.get(part.file, usual)
    if len(log.fields[part.file].header) < _FEWEST or len(reading.columns.id) == 1:
        return None
    own = {record.id for record in part.records} if not part.by_place else set()
    named = [one for one in others if not one.by_place]
    if any(record.id in own for one in named for record in one.records):
        return None
    ids = frozenset(record.id for one in named for record in one.records)
    return replace(reading, ids_beside=ids) if ids and not forms_of(ids) & forms_of(own) else None


def _of_ranks(file: str, others: Iterable[Part | None], usual: Reading, log: Log) -> Reading | None:
    """Return how to read a file without captions that may rank the runs of other files; None for other files."""
    header = log.fields[file].header if file in log.fields else ()
    runs = frozenset(name for one in others if one is not None for name in one.labels)
    return replace(usual, runs_beside=runs) if len(runs) > 1 and ranks.may_rank(header) else None


def _of_other_items(part: Part, others: Iterable[Part]) -> bool:
    """Return whether, for most items that a part shares with other files, none of its references is in those files."""
    known: dict[str, set[str]] = {}
    for record in (record for one in others for record in one.records):
        known.setdefault(record.id, set()).update(record.references)
    own = [(set(record.references), known[record.id]) for record in part.records if known.get(record.id)]
    apart = sum(not said & written for said, written in own if said)
    return 2 * apart > sum(bool(said) for said, _ in own)


def _fits_better(part: Part, others: list[Part]) -> bool:
    """Return whether all values of another field match ids in other files, and more of them than the ids of the part
    do.
    """
    known = forms_of(r.id for one in others for r in one.records)
    own = forms_of(record.id for record in part.records) & known
    ids = part.other_id[1] if part.other_id else frozenset()
    return len(ids) > len(own) and all(is_among(id, known) for id in ids)


def _part(blob: Blob, stem: str, reading: Reading, forced: bool, log: Log) -> Part | None:
    part = read(blob, stem, replace(reading, role="references") if forced else reading, log)
    if part is not None and (forced or reading.role == "references"):
        for one in (part, *([part.keyed] if part.keyed else [])):
            _only_references(one)
    return part


def _idf(blobs: list[Blob], log: Log) -> GivenFile | None:
    """Return the document frequencies in bundles; None if there are none.

    If two bundles differ, return None and add a finding, since the user has not chosen between them.
    """
    found = {b.idf: GivenFile(b.source.name, b.idf) for b in blobs if b.idf is not None and b.source is not None}
    given = list(found.values())
    if len(given) > 1:
        log.add("bundle_idf", given[1].name, why="another bundle brought different ones")
    return given[0] if len(given) == 1 else None


def _given(member: str, blobs: list[Blob], log: Log) -> tuple[str, bytes] | None:
    found = {blob.given[member][1]: (blob, blob.given[member]) for blob in blobs if member in blob.given}
    brought, given = [blob for blob, _ in found.values()], [one for _, one in found.values()]
    if len(given) > 1:
        second = brought[1].source or brought[1]
        log.add("bundle_given", second.name, what=member, why="another bundle brought a different one")
    return given[0] if len(given) == 1 else None


def _unused(overrides: Mapping[str, Reading], names: Iterable[str], log: Log) -> None:
    known = list(names)
    for name in overrides.keys() - set(known):
        log.add(
            "unknown_override",
            name,
            what="file",
            value=name,
            choices=TrustedText(", ".join(known) or "nothing was given"),
        )


def _listed(sources: Iterable[Source] | Source) -> list[Source]:
    if isinstance(sources, str | Path):
        return [sources]
    if isinstance(sources, tuple) and len(sources) == 2 and isinstance(sources[1], bytes | bytearray | memoryview):
        return [(str(sources[0]), bytes(sources[1]))]
    return list(sources)


def _blobs(references: list[Source], sources: list[Source], log: Log) -> Iterable[tuple[Blob, bool]]:
    taken: dict[str, int] = {}
    total = Total()
    names = in_folders([Path(source) for source in [*references, *sources] if isinstance(source, str | Path)])
    for given, forced in ((references, True), (sources, False)):
        for source in folders_joined(given):
            for blob in unpack(source, log, total):
                if blob.picture:
                    yield blob, forced
                    continue
                name = _label(blob.name, source, names, taken)
                taken.setdefault(name, 2)
                yield replace(blob, name=name), forced


def _label(name: str, source: Source, names: dict[PurePath, Above], taken: dict[str, int]) -> str:
    """Return a unique label: the file's name, after its folders in `names`, or with a number (from `taken`)."""
    folder = ""
    if isinstance(source, str | Path) and (above := names.get(Path(source))):
        folder = f"{'/'.join(map(clip, reversed(above.names[: above.needed])))}/"
    if (whole := folder + name) not in taken:
        return whole
    start, dot, ending = name.partition(".")
    while (label := f"{folder}{start} ({taken[whole]}){dot}{ending}") in taken:
        taken[whole] += 1
    return label


def _only_references(part: Part) -> None:
    part.labels, part.neutral, part.scores = {}, False, []
    for record in part.records:
        record.candidates, record.human, record.logprobs = {}, {}, {}
        record.oracle_logprobs, record.reference_logprobs, record.coherence = {}, {}, {}


def _name(parts: list[Part]) -> str | None:
    """Return the name of the data set: the one that a file states, or a name made from those of the files.

    Files of scores, ratings and the like are ignored if there are others. A name is made from the files with runs or,
    if there are no runs, from all. Return None if there are no files.
    """
    beside = ("scores", "embeddings", "distances", "ratings", "preferences", "answers")
    parts = [part for part in parts if part.format not in beside] or parts
    named = next((part.dataset for part in parts if part.dataset), None)
    if named or not parts:
        return named
    runs = {label for part in parts for label in part.labels}
    files = [part.file for part in parts if part.labels or not runs]
    return together(files if len(parts) > 1 else [stem(files[0])], len(runs))
