"""Add the runs of more files to a study, and keep the changes that people made to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from data.check import Draft, Loaded, clustered, direct, finish, with_marks
from data.findings import Log
from data.imported.judge_answers import with_answers
from data.judge_answers import Answer
from data.marks import merged
from data.pictures.given_pictures import together
from data.records import Part, Record
from data.run_settings import regroup, relabel
from data.study import DataError, Study

ASKED = "answers asked for here"
"""The pseudo-file named in findings about answers that came from no file."""


def add(old: Loaded, new: Loaded) -> Loaded:
    """Return a study extended with the runs, numbers and judgments of more files, matched by item id.

    If the study has references, references that differ from them in the new files are dropped, so that the scores of
    the study's runs do not change. A run whose name is taken gets a numbered name. Runs hidden in the new files are
    shown. Raises DataError unless both studies keep a record of their files.
    """
    if old.draft is None or old.study is None or new.draft is None:
        raise DataError("this study keeps no record of its files; open all files together")
    parts = _repeated(new, old)
    known = {item.id: Counter(item.references) for item in old.study.items}
    if any(known.values()):
        parts = [_of_runs(part, known) for part in parts]
    found, unfilled = ((*a, *b) for a, b in zip(*((of.findings, of.unfilled) for of in (old.draft, new.draft))))
    draft = Draft(old.draft.name, (*old.draft.parts, *parts), found, unfilled)
    pictures = together(old.pictures, new.pictures)
    draft = replace(draft, cluster=old.draft.cluster, pictures=pictures)
    made = finish(draft, (*old.files, *new.files), old.applied)
    made = replace(made, numbers={**new.numbers, **old.numbers}, own=tuple(dict.fromkeys((*old.own, *new.own))))
    made = replace(made, slices={**new.slices, **old.slices}, idf=old.idf)
    made = replace(made, network=old.network, images=old.images, word_vectors=old.word_vectors)
    made = replace(made, pictures=pictures)
    marks = replace(merged((old.marks, new.marks)), names=old.marks.names, hidden=old.marks.hidden)
    return keeping(made, replace(old, marks=marks))


def keeping(new: Loaded, old: Loaded) -> Loaded:
    """Return `new`, read again from changed files, with the changes that people made to `old`.

    The changes concern the names, models, settings and replicates of runs, the marks, the cluster field, and the
    directions of imported metrics.
    """
    if new.study and new.draft and old.draft and new.draft.parts is not old.draft.parts and old.draft.cluster:
        new = _clustered_as(new, old.draft.cluster)
    new = with_marks(new, old.marks)
    if new.study is None or old.study is None:
        return new
    labels = {run.name: (run.model, run.settings) for run in old.study.runs}
    study = relabel(new.study, labels)
    if by_hand := {run.name: run.setting for run in old.study.runs if run.setting}:
        study = regroup(study, {run.name: run.setting for run in study.runs if run.setting} | by_hand)
    asked = [one for one in old.study.answers if one.signature in old.asked]
    return direct(with_asked(replace(new, study=study), asked), old.directions)


def with_asked(old: Loaded, answers: Iterable[Answer]) -> Loaded:
    """Return a study with answers that a judge gave in this session.

    They replace earlier answers to the same questions. Answers about captions that the study lacks are dropped.
    """
    if old.study is None:
        return old
    texts = {("", item.id): item.references for item in old.study.items}
    texts |= {(run.name, id): captions for run in old.study.runs for id, captions in run.candidates.items()}
    found = [
        one
        for one in answers
        if all(
            text == next(iter(texts.get((run, one.item), ())[place : place + 1]), None)
            for run, place, text in zip(one.runs, one.places, one.captions)
        )
    ]
    if not found:
        return old
    log, known = Log(), {one.question: one for one in (*old.study.answers, *found)}
    study = with_answers(old.study, known.values(), log, ASKED)
    findings = (*(one for one in old.findings if one.file != ASKED), *log.findings())
    return replace(old, study=study, findings=findings, asked=old.asked | {one.signature for one in found})


def _clustered_as(new: Loaded, field: str) -> Loaded:
    try:
        return clustered(new, field)
    except DataError:
        return new


def new_runs(old: Study, added: Study) -> tuple[str, ...]:
    """Return the names of the runs in `added` that `old` lacks."""
    known = {run.name for run in old.runs}
    return tuple(run.name for run in added.runs if run.name not in known)


def brings(old: Study, added: Study) -> bool:
    """Return whether `added` has runs that `old` lacks, or other imported scores, vectors, distances or judgments."""
    beside = (
        (len(one.scores), len(one.vectors), len(one.distances), len(one.systems), len(one.answers))
        for one in (old, added)
    )
    said = ([one.preferences, [run.human for run in one.runs]] for one in (old, added))
    return bool(new_runs(old, added)) or len(set(beside)) > 1 or next(said) != next(said)


def _repeated(new: Loaded, old: Loaded) -> list[Part]:
    assert new.draft is not None
    known = {file.source.sha256: file.name for file in old.files if file.source is not None}
    first = {file.name: known.get(file.source.sha256) for file in new.files if file.source is not None}
    return [replace(part, first_of=part.first_of or first.get(part.file)) for part in new.draft.parts]


def _of_runs(part: Part, known: Mapping[str, Counter[str]]) -> Part:
    plain = part.as_written and _of_runs(part.as_written, known)
    return replace(part, records=list(_spoken(part.records, known)), as_written=plain)


def _spoken(records: Iterable[Record], known: Mapping[str, Counter[str]]) -> Iterable[Record]:
    """Yield the records that have candidates or ratings, without references that differ from those of the study."""
    for record in records:
        if record.references and Counter(record.references) != known.get(record.id):
            record = replace(record, references=[], references_oracle_logprobs=[], references_coherence=[])
        if record.candidates or record.human:
            yield record
