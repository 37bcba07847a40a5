"""Merge the parts of all files: items with references, runs with candidates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

from data.files.printed_lists import unknown
from data.findings import Log, clip
from data.matching.match_ids import Index, align
from data.records import Label, Part, Record, rename
from data.run_settings import SETTING_NAMES, numbered_seeds, parse_name, retrieving
from data.study import Settings


@dataclass
class PoolItem:
    """An item while it is being merged.

    `oracle_logprobs` and `coherence` are keyed by the text of the reference as in the files. Once references have been
    checked, `written` has this text for each of those that are left.
    """

    id: str
    file: str
    where: str
    references: list[str] = field(default_factory=list)
    image: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    oracle_logprobs: dict[str, float] = field(default_factory=dict)
    coherence: dict[str, str] = field(default_factory=dict)
    cluster: str = ""


@dataclass
class PoolRun:
    """A run while it is being merged; `where` is the place of each item's candidates.

    If the candidates were changed, `written` has the texts as in the files, and `places` the positions of the
    candidates that were kept. `reference_logprobs` are keyed by item and by the text of the reference as in the files.
    """

    name: str
    file: str
    label: Label
    candidates: dict[str, list[str]] = field(default_factory=dict)
    where: dict[str, str] = field(default_factory=dict)
    human: dict[str, Any] = field(default_factory=dict)
    logprobs: dict[str, list[float]] = field(default_factory=dict)
    oracle_logprobs: dict[str, list[float]] = field(default_factory=dict)
    reference_logprobs: dict[str, dict[str, float]] = field(default_factory=dict)
    places: dict[str, list[int]] = field(default_factory=dict)
    written: dict[str, list[str]] = field(default_factory=dict)
    coherence: dict[str, list[str]] = field(default_factory=dict)

    def replace_candidates(self, id: str, texts: list[str]) -> None:
        """Replace the candidates of an item with the same number of texts."""
        if texts != self.candidates[id]:
            self.written.setdefault(id, self.candidates[id])
            self.candidates[id] = texts

    def keep_candidates(self, id: str, places: list[int]) -> None:
        """Keep only the candidates of an item at these positions, with all their data."""
        before = self.places.get(id, list(range(len(self.candidates[id]))))
        self.written.setdefault(id, self.candidates[id])
        self.places[id] = [before[place] for place in places]
        self.candidates[id] = [self.candidates[id][place] for place in places]
        for values in (self.logprobs, self.oracle_logprobs):
            if id in values:
                values[id] = [values[id][place] for place in places]
        if id in self.coherence:
            self.coherence[id] = [self.coherence[id][place] for place in places]


@dataclass
class Pool:
    """The merged contents of all files, before the checks of captions and item sets.

    `numbers` are the next free numbers for runs with the same name, `index` finds the items of the references,
    `every_run` names all runs, including those that checks or repairs removed, and `joined` maps each run to the run
    that absorbed it. `lacking` counts, by run, the items that only other runs describe.
    """

    items: dict[str, PoolItem] = field(default_factory=dict)
    runs: dict[str, PoolRun] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    index: Index = field(default_factory=Index)
    every_run: frozenset[str] = frozenset()
    joined: dict[str, str] = field(default_factory=dict)
    lacking: dict[str, int] = field(default_factory=dict)


def merge(parts: Iterable[Part], fixes: Container[str], log: Log) -> Pool:
    """Merge all parts: references first, then captions under ids matched to them; runs of one name are joined or
    renamed, with findings.
    """
    pool = Pool()
    index = pool.index
    kept = _without_misaligned([part for part in parts if not _is_dropped(part, fixes, log)], log)
    kept.sort(key=lambda part: not any(record.references for record in part.records))
    alone = not any(record.references for part in kept for record in part.records)
    for part in kept:
        ids = align(part, index, log, "match_ids" in fixes, lambda id: pool.items[id].references)
        names = _run_names(part, ids, pool, log)
        seen: set[str] = set()
        for record in part.records:
            repeated = record.id in seen
            if repeated:
                log.add("duplicate_id", part.file, record.where, record.id)
            if not repeated or "merge_duplicates" in fixes:
                _add(record, ids[record.id], part, names, repeated, pool, log)
            seen.add(record.id)
        for record in part.records:
            if record.references or alone:
                index.add(ids[record.id], record.aliases)
    _number_seeds(pool, log)
    _read_retrieval(pool, log)
    pool.every_run = frozenset(pool.runs)
    return pool


def _number_seeds(pool: Pool, log: Log) -> None:
    """Read seeds, with a finding, from names that only together show them: "clip_retrieval_s0", "clip_retrieval_s1"."""
    unsaid = [name for name, run in pool.runs.items() if _says_no_seed(run.label)]
    for name, (common, seed) in numbered_seeds(unsaid).items():
        run = pool.runs[name]
        model, settings = parse_name(common)
        log.add("settings_from_name", run.file, id=f"{clip(name)}: seed {seed}")
        run.label = replace(run.label, model=model, settings=replace(settings, seed=seed))


def _read_retrieval(pool: Pool, log: Log) -> None:
    """Read "clip_retrieval" as a setting of "clip", with a finding, if the settings of other runs of that model are
    known.
    """
    settled = {run.label.model for run in pool.runs.values() if replace(run.label.settings, seed=None) != Settings()}
    free = {name: run for name, run in pool.runs.items() if not run.label.stated and run.label.model not in settled}
    models = retrieving({*settled, *(run.label.model for run in free.values())})
    for name, run in free.items():
        if (model := models.get(run.label.model)) in settled:
            log.add("settings_from_name", run.file, id=f"{clip(name)}: decoder retrieval")
            settings = replace(run.label.settings, decoder="retrieval")
            run.label = replace(run.label, model=str(model), settings=settings)


def _says_no_seed(label: Label) -> bool:
    return label.settings.seed is None and label.setting is None and not label.stated


def _is_dropped(part: Part, fixes: Container[str], log: Log) -> bool:
    if part.first_of is None:
        return False
    log.add("same_file_twice", part.file, one=part.file, other=part.first_of)
    return "drop_same_files" in fixes


def _without_misaligned(parts: list[Part], log: Log) -> list[Part]:
    """Drop line-aligned files that do not have the expected number of lines, with a finding.

    The first file of references or, without references, the first file has the expected number.
    """
    lined = sorted((p for p in parts if p.by_place and p.records), key=lambda part: not part.records[0].references)
    for part in lined:
        _without_empty_end(part, lined[0].n_records)
    _count_from_one(parts, lined)
    wrong = [part for part in lined if part.n_records != lined[0].n_records]
    _take_places(parts, [part for part in lined if part.format != "lines" or _are_unknown(part, parts)], log)
    for part in wrong:
        log.add("line_count", part.file, n=part.n_records, first=lined[0].file, expected=lined[0].n_records)
    left_out = {id(part) for part in wrong}
    return [part for part in parts if id(part) not in left_out]


def _count_from_one(parts: list[Part], lined: list[Part]) -> None:
    """Renumber items from 1 in files of facts that number them from 0, if position identifies all captions."""
    said = {id(part) for part in parts if any(one.references or one.candidates for one in part.records)}
    if not lined or said - {id(part) for part in lined}:
        return
    n = lined[0].n_records
    for part in (one for one in parts if id(one) not in said and not one.by_place):
        if [record.id for record in part.records] == [str(k) for k in range(n)]:
            rename(part, [str(k) for k in range(1, n + 1)])


def _are_unknown(lined: Part, parts: list[Part]) -> bool:
    """Return whether no file with ids uses one of this file's line numbers as an id.

    If none does, lines can be matched to items only by their order. Ids that number the records from 0 are not line
    numbers, which start at 1.
    """
    own = {record.id for record in lined.records}
    others = (part for part in parts if not part.by_place and not _counts_from_zero(part, lined.n_records))
    return not any(record.id in own for part in others for record in part.records)


def _counts_from_zero(part: Part, count: int) -> bool:
    return len(part.records) == count and {record.id for record in part.records} == {str(k) for k in range(count)}


def _without_empty_end(part: Part, count: int) -> None:
    """Drop empty lines at the end that exceed the number of lines in the other files."""
    beyond = part.records[count:]
    if part.n_records == len(part.records) and not any(
        any(texts) for record in beyond for texts in (record.references, *record.candidates.values())
    ):
        part.records, part.n_records = part.records[:count], min(count, part.n_records)


def _take_places(parts: list[Part], placed: list[Part], log: Log) -> None:
    """Give records without ids, in order, the ids in the first file of references, if it has as many items.

    References without ids get the ids in the first file of a run. A file with another number of records is left out,
    with a finding.
    """
    sides: list[list[Part]] = [[], []]
    for part in (one for one in parts if not one.by_place and one.records):
        sides[any(record.references for record in part.records)].append(part)
    of_people = any(record.references for part in placed for record in part.records)
    if of_people:
        placed = [part for part in placed if _are_unknown(part, parts)]
    known = sides[not of_people]
    if not known or (of_people and sides[True]):
        return
    ids = [other.id for other in known[0].records]
    if of_people and _counts_from_zero(known[0], len(ids)):
        ids.sort(key=int)
    for part in placed:
        if part.n_records == len(known[0].records):
            if part.format != "keyed_lines" or ids != [record.id for record in part.records]:  # else numbers are ids
                log.add("ids_by_place", part.file, other=known[0].file)
            rename(part, ids)
        else:
            expected = len(known[0].records)
            log.add("place_count", part.file, n=part.n_records, first=known[0].file, expected=expected)
            part.records = []


def _run_names(part: Part, ids: dict[str, str], pool: Pool, log: Log) -> dict[str, str]:
    """Return the name in the pool for every run of a part, and add the run or its settings to the pool.

    Two files may each have some of a run's items. If they disagree on an item, they contain two runs; if the second run
    has to be numbered, a finding states its new name.
    """
    made, taken = {}, _contradicting_runs(part, ids, pool)
    for name, label in part.labels.items():
        if name in taken:
            made[name] = _by_settings(name[:400], label, part, pool)
            if not made[name]:
                made[name] = _numbered(name[:480], part, pool)
                log.add("run_name_taken", part.file, run=name, new=made[name])
        else:
            made[name] = name
        if made[name] not in pool.runs:
            pool.runs[made[name]] = PoolRun(made[name], part.file, label)
        else:
            _join_labels(pool.runs[made[name]], label, part, log)
    return made


def _join_labels(run: PoolRun, new: Label, part: Part, log: Log) -> None:
    """Add the settings that another file states for a run; report contradictions as a finding."""
    old = run.label
    if new.written != old.written:
        log.add("names_merged", part.file, id=run.name, first=repr(old.written), second=repr(new.written))
    values = {"model": old.model} | {key: getattr(old.settings, key) for key in SETTING_NAMES}
    for key in sorted(new.stated):
        found = new.model if key == "model" else getattr(new.settings, key)
        if key in old.stated and found != values[key]:
            words = {"run": run.name, "field": key, "found": found, "kept": values[key], "other": run.file}
            log.add("other_settings", part.file, id=run.name, **words)
        elif found is not None:
            values[key] = found
    model = str(values.pop("model"))
    run.label = Label(model, Settings(**values), old.stated | new.stated, old.written, old.setting or new.setting)


def _contradicting_runs(part: Part, ids: dict[str, str], pool: Pool) -> set[str]:
    found = set()
    for record in part.records:
        for name, texts in record.candidates.items():
            other = pool.runs.get(name)
            if other is not None and texts and {*other.candidates.get(ids[record.id], texts)} != {*texts}:
                found.add(name)
    return found


def _by_settings(name: str, label: Label, part: Part, pool: Pool) -> str:
    """Return the name of a run with the settings that distinguish it from the known run of that name, or ""."""
    known = pool.runs[name].label.settings if name in pool.runs else Settings()
    apart = {key: getattr(label.settings, key) for key in SETTING_NAMES}
    apart = {key: value for key, value in apart.items() if value not in (None, getattr(known, key))}
    new = "@".join([name, *(f"{key}={value}" for key, value in apart.items())])
    return new if apart and new not in pool.runs and new not in part.labels else ""


def _numbered(name: str, part: Part, pool: Pool) -> str:
    number = pool.numbers.get(name, 2)
    while (new := f"{name} ({number})") in pool.runs or new in part.labels:
        number += 1
    pool.numbers[name] = number + 1
    return new


def _add(record: Record, id: str, part: Part, names: dict[str, str], repeated: bool, pool: Pool, log: Log) -> None:
    item = pool.items.get(id)
    if item is None:
        item = pool.items[id] = PoolItem(id, part.file, record.where)
    _add_references(item, record, part, repeated, log)
    _add_facts(item, record, part, log)
    for name, captions in record.candidates.items():
        run = pool.runs[names[name]]
        if repeated and run.candidates.get(id):
            _append_labels(run, id, captions, record.coherence.get(name))
            run.candidates[id] += captions
            run.logprobs.pop(id, None)
            run.oracle_logprobs.pop(id, None)
            continue
        if captions and not run.candidates.get(id):
            run.candidates[id], run.where[id] = list(captions), record.where
        elif captions and part.file != run.file:
            log.add("repeated_in_file", part.file, record.where, id, run=run.name, other=run.file)
        if captions:
            _add_logprobs(run.logprobs, record.logprobs.get(name), item, record, part, log)
            _add_logprobs(run.oracle_logprobs, record.oracle_logprobs.get(name), item, record, part, log)
            labels = record.coherence.get(name)
            if labels and run.coherence.setdefault(id, labels) != labels:
                log.add("facts_differ", part.file, record.where, id, field="coherence")
    _add_logprobs_of_references(item, record, part, names, pool, log)
    pairs = [pair for pair in zip(record.references, record.references_coherence) if pair[1]]
    if any(item.coherence.setdefault(text, label) != label for text, label in pairs):
        log.add("facts_differ", part.file, record.where, id, field="coherence")
    for name, value in record.human.items():
        if name not in names:
            log.add("ignored_field", part.file, record.where, id, field="human", why=f"there is no run {clip(name)}")
        elif pool.runs[names[name]].human.setdefault(id, value) != value:
            log.add("facts_differ", part.file, record.where, id, field="human")


def _append_labels(run: PoolRun, id: str, captions: list[str], labels: list[str] | None) -> None:
    if labels or id in run.coherence:
        known = run.coherence.get(id, [""] * len(run.candidates[id]))
        run.coherence[id] = [*known, *(labels or [""] * len(captions))]


def _add_logprobs(
    known: dict[str, list[float]], new: list[float] | None, item: PoolItem, record: Record, part: Part, log: Log
) -> None:
    """Add log-probabilities of candidates; the first file that has any for the item takes precedence."""
    if new and known.setdefault(item.id, new) != new:
        log.add("facts_differ", part.file, record.where, item.id, field="logprobs")


def _add_logprobs_of_references(
    item: PoolItem, record: Record, part: Part, names: dict[str, str], pool: Pool, log: Log
) -> None:
    """Add log-probabilities of references by text, since other files may list the references in another order."""
    stated = [(item.oracle_logprobs, record.references_oracle_logprobs, "oracle_logprobs")]
    for name, values in record.reference_logprobs.items():
        if name in names:
            known = pool.runs[names[name]].reference_logprobs.setdefault(item.id, {})
            stated.append((known, values, "reference_logprobs"))
        else:
            why = f"there is no run {clip(name)}"
            log.add("ignored_field", part.file, record.where, item.id, field="reference_logprobs", why=why)
    for known, values, field_name in stated:
        stored = [(known.setdefault(text, value), value) for text, value in zip(record.references, values or ())]
        if any(first != value for first, value in stored):
            log.add("facts_differ", part.file, record.where, item.id, field=field_name)


def _add_facts(item: PoolItem, record: Record, part: Part, log: Log) -> None:
    item.image, item.cluster = item.image or record.image, item.cluster or record.cluster
    if record.image and not {*_names_of(record.image)} & {*_names_of(str(item.image))}:
        log.add("facts_differ", part.file, record.where, item.id, field="image")
    for key, value in record.metadata.items():
        if item.metadata.setdefault(key, value) != value:
            log.add("facts_differ", part.file, record.where, item.id, field=f"metadata: {key}")


def _names_of(image: str) -> tuple[str, str]:
    """Return the name of an image without its folders, with and without its extension."""
    return (path := PurePath(image)).name, path.stem


def _add_references(item: PoolItem, record: Record, part: Part, repeated: bool, log: Log) -> None:
    if repeated and (record.candidates or len(record.references) > 1):
        item.references += unknown(Counter(item.references), record.references)
    elif not item.references or part.append or repeated:
        item.references += record.references
        if record.references and not repeated and not part.append:
            item.file, item.where = part.file, record.where
    elif record.references and Counter(record.references) != Counter(item.references):
        log.add("references_joined", part.file, record.where, item.id)
        known = set(item.references)
        item.references += [text for text in record.references if text not in known]
