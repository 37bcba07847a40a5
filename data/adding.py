"""Add the runs of further files to a study, keeping what people changed by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from data.check import Draft, Loaded, clustered, direct, finish, with_marks
from data.marks import merged
from data.pictures import together
from data.records import Part, Record
from data.settings import regroup, relabel
from data.study import DataError, Study


def add(old: Loaded, new: Loaded) -> Loaded:
    """Return a study with the runs, scores and ratings of further files, matched by the ids of the items.

    References in them are left out where the study has some, so that they stay as they are, and with them the numbers
    of its runs. A run that is called like one of the study gets a number. What is hidden in the files is shown. Raises
    DataError for a study of which no files are known.
    """
    if old.draft is None or old.study is None or new.draft is None:
        raise DataError("this study keeps no record of its files; open all files together")
    parts = _repeated(new, old)
    known = {item.id: Counter(item.references) for item in old.study.items}
    if any(known.values()):
        parts = [replace(part, records=list(_spoken(part.records, known))) for part in parts]
    draft = Draft(old.draft.name, (*old.draft.parts, *parts), (*old.draft.findings, *new.draft.findings))
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
    """Return a study read from changed files with what people changed in it by hand before.

    These are names, models, settings and replicates of runs, their marks, the field of clusters, and the directions of
    imported metrics.
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
    return direct(replace(new, study=study), old.directions)


def _clustered_as(new: Loaded, field: str) -> Loaded:
    """The study with the clusters of a field that was chosen before; as its files have it where they lack the field."""
    try:
        return clustered(new, field)
    except DataError:
        return new


def new_runs(old: Study, added: Study) -> tuple[str, ...]:
    """Return the names of the runs that came to a study."""
    known = {run.name for run in old.runs}
    return tuple(run.name for run in added.runs if run.name not in known)


def brings(old: Study, added: Study) -> bool:
    """Return whether anything came to a study: runs, or what was computed elsewhere or said by people."""
    beside = ((len(one.scores), len(one.vectors), len(one.distances), len(one.systems)) for one in (old, added))
    said = ([one.preferences, [run.human for run in one.runs]] for one in (old, added))
    return bool(new_runs(old, added)) or len(set(beside)) > 1 or next(said) != next(said)


def _repeated(new: Loaded, old: Loaded) -> list[Part]:
    """The parts of the new files; those that the study has already are marked as such."""
    assert new.draft is not None
    known = {file.source.sha256: file.name for file in old.files if file.source is not None}
    first = {file.name: known.get(file.source.sha256) for file in new.files if file.source is not None}
    return [replace(part, first_of=part.first_of or first.get(part.file)) for part in new.draft.parts]


def _spoken(records: Iterable[Record], known: Mapping[str, Counter[str]]) -> Iterable[Record]:
    """The records with captions of runs, without other references than those of the study."""
    for record in records:
        if record.references and Counter(record.references) != known.get(record.id):
            record = replace(record, references=[], references_oracle_logprobs=[], references_coherence=[])
        if record.candidates or record.human:
            yield record
