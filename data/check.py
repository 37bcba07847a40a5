"""Build a study from the parts of all files: run the checks and apply the default and chosen repairs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from data.checks import (
    alignment,
    caption_checks,
    clusters,
    degenerate,
    duplicates,
    languages,
    people_by_name,
    run_checks,
    several_captions,
)
from data.files.blobs import File
from data.finding_kinds.caption_kinds import MAX_CAPTION
from data.finding_kinds.catalogue import DEFAULTS, KINDS, REPAIRS, SEVERITIES
from data.findings import FieldTable, Finding, Log
from data.formats.columns import metadata, role_doubts
from data.imported import distances, judge_answers, vectors
from data.marks import Marks, distinct_names, renamed
from data.matching import logprobs, scores
from data.matching.merge import Pool, PoolRun, merge
from data.matching.near_names import nearest
from data.pictures.given_pictures import Pictures
from data.ratings import coherence, judgments, raters
from data.records import Label, Part, Record, as_id
from data.study import DataError, Item, Run, Study, Tokenizer

__all__ = ["DEFAULTS", "KINDS", "MAX_CAPTION", "REPAIRS", "SEVERITIES", "FileReport", "Finding", "Loaded", "repair"]
NOT_READ = "not read"
LOGPROBS = ("logprobs", "oracle_logprobs", "reference_logprobs")
"""Names of the log-probability attributes that runs and records share."""
_GUESSED = ("fields_mapped", "no_columns", "unsure_fields", "numbers_left", "ignored_columns", "metadata_columns")
"""Findings about fields of a file that were guessed or not used."""
# Findings about files that could not be read at all, including those in archives that have no report of their own.
_STOPS_A_FILE = ("unreadable", "archive_broken", "archive_too_large", "archive_path", "archive_skipped", "line_count")


@dataclass(frozen=True)
class FileReport:
    """One input file: a description of its format, its numbers of records, items and runs, and its source.

    `source` is the file that a person opened, which is the archive if this file was inside one.
    """

    name: str
    format: str
    records: int
    items: int
    runs: int
    source: File | None = None


@dataclass(frozen=True)
class Draft:
    """The contents of the files before any repair, so that other repairs can be made without reading the files again.

    `cluster` is the field by which a person chose to cluster the items (`data.checks.clusters.chosen`); `pictures` are
    the pictures of the items, which may reveal duplicate items. `unfilled` are the findings that arise only without the
    repair `fill_down`.
    """

    name: str | None
    parts: tuple[Part, ...]
    findings: tuple[Finding, ...]
    unfilled: tuple[Finding, ...] = ()
    cluster: str | None = None
    pictures: Pictures | None = field(default=None, compare=False)


@dataclass(frozen=True)
class GivenFile:
    """A file opened beside the study, such as document frequencies or image features, with its name and bytes."""

    name: str
    content: bytes = field(repr=False)

    @cached_property
    def sha256(self) -> str:
        """The sha256 digest of the bytes."""
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True)
class Loaded:
    """A study with all findings from reading it; `study` is None if nothing can be compared.

    `applied` names the repairs in force, including the defaults (`REPAIRS` describes each). `numbers` are cache entries
    from study bundles, by key. `idf` are the document frequencies for all variants of CIDEr-D; without them,
    frequencies are counted in the study's references. `directions` records, for imported metrics, whether higher is
    better, if a person stated it. `own` names the metrics with custom settings for which bundles have numbers, and
    `slices` are the saved slices from bundles: the items as text, by name. `images` are image features, read by
    critiques and COSMic; `word_vectors` are the initial vectors of critiques; and `pictures` are the images themselves,
    which are only displayed. `marks` are hidden runs, stars, notes, and new names of runs. `fields` are the record
    fields of files whose roles were inferred from names. `asked` are the signatures of answers that came from no file,
    but from a judge asked in this session.
    """

    study: Study | None
    findings: tuple[Finding, ...]
    files: tuple[FileReport, ...]
    applied: tuple[str, ...] = DEFAULTS
    draft: Draft | None = field(default=None, repr=False, compare=False)
    numbers: Mapping[str, bytes] = field(default_factory=dict, repr=False, compare=False)
    idf: GivenFile | None = field(default=None, compare=False)
    own: tuple[str, ...] = field(default=(), compare=False)
    slices: Mapping[str, str] = field(default_factory=dict, compare=False)
    directions: Mapping[str, bool] = field(default_factory=dict, compare=False)
    network: GivenFile | None = field(default=None, compare=False)
    images: GivenFile | None = field(default=None, compare=False)
    word_vectors: GivenFile | None = field(default=None, compare=False)
    marks: Marks = field(default_factory=Marks, compare=False)
    pictures: Pictures | None = field(default=None, compare=False)
    fields: Mapping[str, FieldTable] = field(default_factory=dict, repr=False, compare=False)
    asked: frozenset[str] = field(default=frozenset(), compare=False)

    def __post_init__(self) -> None:
        """Set `pictured` of the study, which decides only the word for its items."""
        study, given = self.study, self.pictures
        if study is not None and study.pictured != (has := given is not None and bool(given.match(study).of)):
            object.__setattr__(self, "study", replace(study, pictured=has))

    @property
    def sources(self) -> tuple[File, ...]:
        """The files that people opened, without duplicates."""
        return tuple(dict.fromkeys(file.source for file in self.files if file.source is not None))

    @property
    def unread(self) -> tuple[str, ...]:
        """Names of the files that could not be read, including those inside archives."""
        stopped = (finding.file for finding in self.findings if finding.code in _STOPS_A_FILE)
        about = {finding.file for finding in self.findings if finding.code == "prose"}
        unread = (file.name for file in self.files if file.format == NOT_READ and file.name not in about)
        return tuple(dict.fromkeys([*unread, *stopped]))

    @property
    def asked_for(self) -> dict[str, FieldTable]:
        """The fields, by file, of files with guessed, missing or unused fields; a person may assign roles to these
        fields.
        """
        guessed = {one.file for one in self.findings if one.code in _GUESSED}
        return {name: of for name, of in self.fields.items() if name in guessed}

    @property
    def lacking(self) -> tuple[Finding, ...]:
        """The findings about runs that the study lacks, files of which it has no ratings, and metrics of which it has
        no scores.
        """
        return tuple(finding for finding in self.findings if finding.code in ("run_empty", "rating_none", "score_none"))

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that are errors."""
        return tuple(finding for finding in self.findings if finding.severity == "error")


def on_load(parts: Iterable[Part]) -> tuple[str, ...]:
    """Return the repairs that are made by default.

    Beyond the general defaults, characters become tokens if a file states a tokenizer, and runs named after people
    become references if no other captions can be references.
    """
    given = list(parts)
    due = {
        "character_tokens": any(part.tokenizer for part in given),
        "people_as_references": people_by_name.are_due(given),
    }
    return tuple(name for name in REPAIRS if name in DEFAULTS or due.get(name))


def repair(loaded: Loaded | Study, fixes: Iterable[str], without: Iterable[str] = ()) -> Loaded:
    """Return the study with the repairs `fixes` added to those in force, and the repairs `without` removed.

    All findings stay, since they describe the files; `applied` shows which problems were mended. Raises DataError for
    an unknown repair and for a study that keeps no record of its files.
    """
    found = repair_files(loaded, fixes, without)
    return direct(with_marks(found, found.marks), found.directions)


def repair_files(loaded: Loaded | Study, fixes: Iterable[str], without: Iterable[str] = ()) -> Loaded:
    """Repair the study as `repair` does, but with the names and directions that its files state.

    Raises DataError for an unknown repair, or if the study has no record of its files.
    """
    fixes, without = list(fixes), set(without)
    unknown = [name for name in [*fixes, *without] if name not in REPAIRS]
    if unknown:
        near = nearest(unknown[0], REPAIRS)
        hint = f"did you mean {near}?" if near else f"there are {', '.join(REPAIRS)}"
        raise DataError(f"there is no repair {unknown[0]!r}; {hint}")
    if isinstance(loaded, Study):
        loaded = finish(Draft(loaded.name, (part := part_of(loaded),), ()), (), on_load([part]))
    if loaded.draft is None:
        raise DataError("this study keeps no record of its files; load it again to repair it")
    chosen = {*loaded.applied, *fixes} - without
    found = finish(loaded.draft, loaded.files, [name for name in REPAIRS if name in chosen])
    old = loaded
    # Document frequencies counted over other tokens would give the new tokens wrong weights.
    split = {one.study.tokenizer for one in (old, found) if one.study is not None}
    idf = old.idf if len(split) < 2 else None
    found = replace(found, numbers=old.numbers, idf=idf, own=old.own, slices=old.slices, network=old.network)
    found = replace(found, images=old.images, word_vectors=old.word_vectors, pictures=old.pictures)
    return replace(found, marks=old.marks, directions=old.directions)


def clustered(loaded: Loaded, field: str | None) -> Loaded:
    """Return the study clustered by another field, with names and directions as in its files.

    Raises DataError as `repair` does, and for a field, other than `cluster`, of which no two items share a value.
    """
    if loaded.draft is None:
        raise DataError("this study keeps no record of its files; load it again to choose its clusters")
    return repair_files(replace(loaded, draft=replace(loaded.draft, cluster=field)), ())


def with_marks(loaded: Loaded, marks: Marks) -> Loaded:
    """Return the loaded study with these marks, and with its runs renamed as people chose.

    A run of another file that already has such a name gets a numbered name, with a finding.
    """
    if loaded.study is None or loaded.draft is None:
        return replace(loaded, marks=marks)
    names = distinct_names([run.name for run in loaded.study.runs], marks.names)
    draft, all_of_it = Log(loaded.draft.findings), Log(loaded.findings)
    for run, new in names.items():
        if run not in marks.names:
            for log in (draft, all_of_it):
                log.add("run_name_taken", run=run, new=new)
    marks = replace(marks, names={**marks.names, **names})
    found = replace(loaded, study=renamed(loaded.study, names), marks=marks, findings=all_of_it.findings())
    return replace(found, draft=replace(loaded.draft, findings=draft.findings()))


def direct(loaded: Loaded, higher: Mapping[str, bool]) -> Loaded:
    """Return the study with the directions of some imported metrics set, without the findings that ask for them."""
    study = None if loaded.study is None else scores.with_directions(loaded.study, higher)
    left = tuple(one for one in loaded.findings if not any(scores.asks_direction_of(name, one) for name in higher))
    return replace(loaded, study=study, findings=left, directions={**loaded.directions, **higher})


def finish(draft: Draft, files: tuple[FileReport, ...], fixes: Iterable[str]) -> Loaded:
    """Merge, check and repair the parts of a draft. Raises DataError as `clusters.chosen` does."""
    applied = tuple(fixes)
    fills = "fill_down" in applied
    log = Log(draft.findings if fills else (*draft.findings, *draft.unfilled))
    given = draft.parts if fills else tuple(part.as_written or part for part in draft.parts)
    if not any(part.records for part in given) and (alone := _judged_alone(draft, given, applied, log)):
        return Loaded(alone, log.findings(), files, applied, draft)
    parts = metadata.check(_with_captions(given), log)
    pool = merge(people_by_name.check(several_captions.check(parts, applied, log), applied, log), applied, log)
    caption_checks.check(pool, applied, log)
    kept = run_checks.check(pool, applied, log)
    if not any(item.references for item in pool.items.values()):
        role_doubts.check(parts, log)
    study = _study(draft, pool, kept) if kept else None
    if study is None:
        study = _judged_alone(draft, given, applied, log)
    else:
        study = replace(study, tokenizer=_tokenizer(study, parts, applied))
        study = logprobs.attach(study, pool, log)
        study = coherence.attach(study, pool, log)
        habits = degenerate.check(study, pool, log)
        study = scores.attach(study, pool, given, applied, log)
        study = vectors.attach(study, pool, given, applied, log)
        study = distances.attach(study, pool, given, applied, log)
        study = judgments.attach(study, pool, given, applied, log)
        raters.check(study, pool, given, log)
        study = judge_answers.attach(study, pool, given, applied, log)
        stated = any(item.cluster for item in study.items)
        study = clusters.chosen(study, draft.cluster, log)
        study = duplicates.check(study, applied, log, stated, draft.pictures)
        study = alignment.check(study, pool, log)
        degenerate.habits.keep(study, habits)
    return Loaded(study, log.findings(), files, applied, draft)


def _judged_alone(draft: Draft, parts: Sequence[Part], applied: tuple[str, ...], log: Log) -> Study | None:
    """Return a study that has no captions, but only people's judgments of whole systems and of pairs of runs; None if
    there are no judgments.
    """
    rated, pairs = judgments.systems(parts), judgments.pairs_alone(parts, applied, log)
    if not rated and not pairs:
        return None
    named = as_id(draft.name or next((one.name for one in rated), None)) or "study"
    return Study(named, (), (), preferences=pairs, systems=rated)


def _tokenizer(study: Study, parts: Iterable[Part], applied: tuple[str, ...]) -> Tokenizer:
    """Return the tokenizer that a file states, or else one that suits the script; "ptb" without the repair
    `character_tokens`.
    """
    if "character_tokens" not in applied:
        return "ptb"
    stated = next((part.tokenizer for part in parts if part.tokenizer), None)
    return stated or languages.characters_of(languages.captions(study))


def _with_captions(parts: Iterable[Part]) -> list[Part]:
    """Return the parts of a study, without the runs in tables of judgments or scores if another file has captions.

    Otherwise, captions are taken from only one kind of these tables: from ratings if there are any, else from pairs,
    else from scores.
    """
    given, beside = list(parts), ("scores", "preferences", "ratings")
    told = {part.format if part.format in beside else "" for part in given if any(r.candidates for r in part.records)}
    chosen = "" if "" in told else next((one for one in reversed(beside) if one in told), "")
    left_out = [one for one in beside if one != chosen]

    def of_people(part: Part) -> Part:
        return replace(part, records=[replace(r, candidates={}) for r in part.records if r.references], labels={})

    return [of_people(part) if part.format in left_out else part for part in given]


def _study(draft: Draft, pool: Pool, kept: list[str]) -> Study:
    items = tuple(
        Item(id, tuple(item.references), item.image, item.metadata, cluster=item.cluster)
        for id in kept
        for item in [pool.items[id]]
    )
    runs = tuple(_run(run, kept) for run in pool.runs.values())
    named = (part.dataset for part in draft.parts if part.dataset)
    name = as_id(draft.name or next(named, None)) or "study"
    return Study(name, items, runs, any(part.synthetic for part in draft.parts), lacking=dict(pool.lacking))


def _run(run: PoolRun, kept: list[str]) -> Run:
    def only(values: Mapping[str, object]) -> dict[str, object]:
        return {id: values[id] for id in kept if id in values}

    candidates = {id: tuple(run.candidates[id]) for id in kept}
    own = {id: tuple(run.logprobs[id]) for id in kept if id in run.logprobs}
    human = only(run.human)
    label = run.label
    return Run(run.name, label.model, label.settings, candidates, human or None, own or None, setting=label.setting)


def part_of(study: Study) -> Part:
    """Return a study in the form of a part, as if read from a file."""
    records = []
    for item in study.items:
        record = Record(item.id, "", list(item.references), image=item.image, metadata=dict(item.metadata))
        record.cluster = item.cluster
        record.references_oracle_logprobs = list(item.oracle_logprobs or ())
        record.references_coherence = list(item.coherence or ())
        for run in study.runs:
            record.candidates[run.name] = list(run.candidates.get(item.id, ()))
            if run.human and item.id in run.human:
                record.human[run.name] = run.human[item.id]
            if run.coherence and item.id in run.coherence:
                record.coherence[run.name] = list(run.coherence[item.id])
            for field_name in LOGPROBS:
                if item.id in (known := getattr(run, field_name) or {}):
                    getattr(record, field_name)[run.name] = list(known[item.id])
        records.append(record)
    labels = {run.name: Label(run.model, run.settings, setting=run.setting) for run in study.runs}
    stated = study.tokenizer if study.splitting else None
    return Part(study.name, "trilens", records, len(records), labels, study.name, stated, study.synthetic)
