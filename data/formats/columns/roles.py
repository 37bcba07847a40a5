"""Roles of the fields of records, from the names in `data.fields.names` and from their contents."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Any

from data.fields.names import (
    ALSO_CALLED,
    ASKED_OF,
    IDS,
    IMAGES,
    NEUTRAL,
    PREDICTED,
    RUNS,
    SURE_IDS,
    TOLD_OF,
    TURN,
    VAGUE_IDS,
    are_requests,
    first,
    in_roles,
    leaf,
    no_caption,
    norm,
    of_requests,
    rank,
    tells_captions,
    words,
)
from data.fields.word_lists import word_set
from data.files.printed_lists import MARKS, STATES
from data.findings import TrustedText
from data.formats.columns import caption_columns, clips, contents, ratings_without_captions, run_scores
from data.formats.columns.assigned_roles import (
    ColumnRoles,
    absent,
    called_id,
    called_models,
    meant,
    refused,
    with_stated,
)
from data.formats.columns.caption_columns import ranked
from data.formats.columns.contents import may_name, names_items, scalar, values
from data.formats.columns.distinguishing_columns import authors, bare_t, ranks, told_in_words
from data.formats.columns.run_columns import each_run, runs_by_name, with_baselines
from data.formats.columns.shared_ids import are_paths, shared_by_runs
from data.matching.near_names import misspelt
from data.records import Columns, Source
from data.run_settings import SETTING_NAMES

Rows = Sequence[Sequence[Any]]


def setting_columns(names: Sequence[str], sample: Rows = ()) -> dict[str, int]:
    """Return the columns of settings by the name of the setting, given column names normalised by `norm`.

    A column `t` counts if the cells of the sample can be temperatures.
    """
    called = {name: [name, *(also for also, meant in ALSO_CALLED.items() if meant == name)] for name in SETTING_NAMES}
    return bare_t(names, sample) | {
        k: place for k, known in called.items() if (place := first(list(names), known)) >= 0
    }


def _setting(path: str) -> str:
    """Return the setting that a field's name means, or else the last part of its path, which may still distinguish
    runs.
    """
    return ALSO_CALLED.get(leaf(path), leaf(path))


_THINGS = word_set("sample clip scene segment stimulus trial item image picture photo video audio sound")
"""Words in the names of columns that name items."""
_PLACES = ("index", "idx")
"""Names of ids that may also give the place of a text in a list, for example of the chosen sample."""
_ANSWERED = frozenset(["vars", "prompt", "provider"])
"""Objects in each of promptfoo's answers; the answer's `id` does not identify the item, but `vars` does."""
_CONDITIONS = ("filter", "condition", "config", "configuration", "variant", "arm", "treatment", "strategy")
"""Names of columns that are read as settings if they distinguish the answers of one run to one item."""


def column_roles(header: Sequence[str], source: Source, sample: Rows = ()) -> ColumnRoles | None:
    """Return the roles of columns, as mapped by a person, or inferred from their names and a sample of the rows.

    Return None, with a finding, if a mapped column is missing or the columns cannot be read, for example because they
    have no captions or are the fields of requests. Without a column of ids, `id` is -1.
    """
    given = source.reading.columns
    pictured = [k for k in ranked(header, IDS) if "." in header[k] and names_items(sample, k)]
    if are_requests(header) and not pictured and not given.any:
        source.log.add("requests_alone", source.name)
        return None
    if given.where_there and not is_meant(header, given):
        given = Columns()
    roles, stated = ColumnRoles(), {column: i for i, column in reversed(list(enumerate(header)))}
    if missing := [name for name in given.named if name not in stated]:
        absent(header, missing[0], source)
        return None
    beside = (*given.scores, *given.ratings, *([given.rater] if given.rater else []))
    roles.ignored = {stated[name] for name in (*given.ignored, *beside)}
    apart = roles.ignored | {stated[name] for name in given.metadata}
    # A column whose name is blanked gets no role.
    whole, header = header, ["" if k in apart else column for k, column in enumerate(header)]
    names = [leaf(column) for column in header]
    guess = setting_columns(names) | told_in_words(names, sample)
    chosen = {_setting(name): stated[name] for name in given.settings}
    roles.settings = with_stated(guess, chosen)
    roles.all_settings = roles.settings == chosen != {}
    roles.marks = [place for place, name in enumerate(names) if name in MARKS]
    roles.runs = [stated[given.run]] if given.run else run_columns(header, sample)
    roles.id = stated[given.id[0]] if given.id else _id(header, sample, roles)
    roles.settings |= {} if roles.all_settings else _conditions(names, sample, roles)
    _take_bare_t(roles, bare_t(names, sample), chosen)
    if not given.run and roles.id >= 0:
        roles.runs += authors(sample, roles.id, len(header), {*roles.used(), *apart})
    _texts(roles, header, stated, given, source, sample, apart)
    roles.set_aside = apart
    if not (roles.predicted or roles.references):
        if not given.any and ratings_without_captions.say(whole, roles.id, source, sample):
            return None
        if not _facts_alone(roles, header, sample, source):
            side = "references" if source.role("predictions") == "references" else "candidates"
            return refused(whole, "captions", roles, source, sample, side)
    taken = {*roles.predicted, *roles.references}
    # Beside a model's captions, a status may be that of its answer.
    roles.states = [] if roles.predicted else [k for k, name in enumerate(names) if name in STATES and k not in taken]
    if roles.id in taken:
        roles.id = -1
    if roles.id < 0 and not given.any and clips.are_of_one(header, sample):
        told = in_roles([("candidates", [header[k] for k in sorted(taken)])])
        source.log.add("segments_alone", source.name, option=TrustedText(told))
        return None
    if roles.id < 0 and not given.any and _is_id_misspelt(header, sample):
        return refused(whole, "the id", roles, source, sample)
    _other_ids(roles, header, sample, source.stem)
    images = [k for k in ranked(header, IMAGES) if k not in taken and names_items(sample, k)]
    roles.image = images[0] if images else -1
    roles.aliases = [
        k for k in ranked(header, IDS) if k not in {roles.id, *taken, *roles.runs} and names_items(sample, k)
    ]
    return roles


def _take_bare_t(roles: ColumnRoles, bare: dict[str, int], chosen: dict[str, int]) -> None:
    """Take a column `T` as the temperature, unless there is another temperature or the user named all settings but
    `T`.
    """
    if "temperature" in roles.settings or (roles.all_settings and {*bare.values()}.isdisjoint(chosen.values())):
        return
    roles.settings = {name: k for name, k in roles.settings.items() if k not in bare.values()} | bare


def is_meant(header: Sequence[str], given: Columns) -> bool:
    """Return whether a person's mapping of columns applies to a file with these columns."""
    return given.any and (not given.where_there or set(with_fields(given, header).named) <= set(header))


def with_fields(given: Columns, header: Sequence[str]) -> Columns:
    """Return a person's mapping with objects replaced by their fields, for roles that take several fields."""
    known = set(header)

    def of(names: Sequence[str]) -> tuple[str, ...]:
        inner = {name: [path for path in header if path.startswith((f"{name}.", f"{name}["))] for name in names}
        return tuple(path for name in names for path in (name in known and [name]) or inner[name] or [name])

    settings, metadata, ignored = of(given.settings), of(given.metadata), of(given.ignored)
    made = replace(given, settings=settings, metadata=metadata, ignored=ignored)
    return replace(made, scores=of(given.scores), ratings=of(given.ratings))


def mapped(source: Source, header: Sequence[str]) -> Source:
    """Return the source with a person's mapping expressed in the fields of its file."""
    columns = with_fields(source.reading.columns, header)
    return replace(source, reading=replace(source.reading, columns=columns))


def run_columns(header: Sequence[str], sample: Rows) -> list[int]:
    """Return the columns of run names, recognised by their full path or else by its last part (`response.body.model`).

    Columns of long texts are left out, as are sentences that differ from row to row: `sys` or `model` may contain
    captions, and `system` may contain a system prompt.
    """
    known, last = (*RUNS, "sys"), [leaf(column) for column in header]
    found = (first([norm(column) for column in header], [name]) for name in known)
    places = dict.fromkeys(k if k >= 0 else first(last, [name]) for name, k in zip(known, found))
    places = places if set(places) != {-1} else called_models(header, sample)
    said = {k for k in places if k >= 0 and contents.are_said(sample, k, 1 if last[k] == "sys" else 2)}
    named = [k for k in places if k >= 0 and k not in said]
    if (
        said and set(places) - said
    ):  # beside captions of `our model`, `baseline model` has captions, too, if they differ
        named = [k for k in named if last[k] in known or contents.repeats(sample, k)]
    named = [k for k in named if last[k] not in ("sys", "system") or not contents.is_told(sample, k)]
    return [k for k in named if all(len(str(cell)) <= 100 for cell in values(sample, k)) and scalar(sample, k)]


def _conditions(names: list[str], sample: Rows, roles: ColumnRoles) -> dict[str, int]:
    """Return, by its name, the column that distinguishes the answers of a run to an item, such as lm-eval's `filter`.

    Without a column of runs, only `filter` counts, since any other such column names the runs.
    """
    place = first(names, _CONDITIONS if roles.runs else _CONDITIONS[:1])
    if place < 0 or roles.id < 0 or place in roles.used():
        return {}
    return {names[place]: place} if contents.tells_all_apart(sample, [roles.id, *roles.runs], [place]) else {}


def _repeated_id(header: Sequence[str], sample: Rows, roles: ColumnRoles) -> int:
    """Return the column named as an id, such as `test_id`, that repeats only across runs or conditions; else -1.

    Without a column of runs, conditions become the runs. Beside a column of runs, a column of codes such as `7#a`
    counts as an id, too.
    """
    names, taken = [leaf(column) for column in header], roles.used()
    places = [*roles.runs, *([place] if (place := first(names, _CONDITIONS)) >= 0 else [])]
    for k, name in enumerate(names):
        called = words(name)[-1:] in (["id"], ["uid"]) or (roles.runs and contents.are_codes(sample, k))
        if not called or k in taken or not names_items(sample, k):
            continue
        if contents.repeats(sample, k) and contents.tells_all_apart(sample, [k], places):
            roles.runs = roles.runs or places
            return k
    return -1


def _facts_alone(roles: ColumnRoles, header: Sequence[str], sample: Rows, source: Source) -> bool:
    """Return whether a file has only facts about items, such as keywords or a split; if so, add a finding."""
    named = {*ranked(header, IDS), *(k for k, name in enumerate(header) if no_caption(name))}
    others = [k for k in range(len(header)) if k not in named]
    # Several fields of two words may be authors or keywords; a single field may well contain captions.
    told = any(contents.n_words(sample, [k]) >= (3 if len(others) > 1 else 2) for k in others)
    if roles.id < 0 or told or not sample or source.reading.columns.any or meant(header, roles):
        return False
    source.log.add("facts_alone", source.name, option=TrustedText(in_roles([("id", [header[roles.id]])])))
    return True


def _other_ids(roles: ColumnRoles, header: Sequence[str], sample: Rows, stem: str) -> None:
    if roles.id >= 0:
        return
    roles.other_id = called_id(header, sample)
    told, asked = (first(of_requests(header), known) for known in (TOLD_OF, ASKED_OF))
    roles.told_by = told if told >= 0 and contents.repeats(sample, told) and contents.is_written(sample, told) else -1
    if roles.told_by < 0 <= asked and asked not in roles.used() and contents.asks_again(sample, asked):
        roles.told_by = asked
    if roles.told_by < 0 and roles.runs and roles.other_id < 0:
        taken = roles.used()
        free = [k for k in range(len(header)) if k not in taken and contents.is_written(sample, k)]
        roles.told_by = next((k for k in free if _each_has_several_runs(sample, k, roles.runs)), -1)
    roles.only = (
        stem if max(roles.told_by, roles.other_id) < 0 and not roles.references and ranks(header, sample) else ""
    )


def _each_has_several_runs(sample: Rows, place: int, runs: Sequence[int]) -> bool:
    """Return whether each text of a column, such as one to summarise, occurs in rows of several runs."""
    found = contents.by_cells(sample, [place], runs)
    return len(found) > 1 and all(len(set(of)) > 1 for of in found)


def _is_id_misspelt(header: Sequence[str], sample: Rows) -> bool:
    """Return whether a column that may name items is named almost like an id.

    If the name of a column ends in `id`, only that column counts.
    """
    called = called_id(header, sample)
    able = [called] if called >= 0 else [k for k in range(len(header)) if may_name(sample, k)]
    return bool(misspelt([norm(header[k]) for k in able], IDS))


def _id(header: Sequence[str], sample: Rows, roles: ColumnRoles) -> int:
    """Return the column of ids, preferably one with a sure name or with repeated values; -1 if there is none."""
    nested = {k for k, column in enumerate(header) if "." in column and leaf(column) in VAGUE_IDS}
    # A batch numbers its answers in `id`, but the id of the request is `custom_id`.
    order = [k for k in ranked(header, ["custom_id", *IDS]) if k not in roles.runs and k not in roles.settings.values()]
    order = [*(k for k in order if k not in nested), *(k for k in order if k in nested)]
    if not sample:
        return order[0] if order else -1
    able = [k for k in order if scalar(sample, k) and values(sample, k)]
    named = [k for k in able if names_items(sample, k)]
    named = [k for k in named if not contents.mixes(header, sample, k)] or named
    if not named:
        paths = [k for k in range(len(header)) if are_paths(sample, k) and names_items(sample, k)]
        if paths and not (able and len(sample) == 1):
            return paths[0]
        called = called_id(header, sample, of_items=True)
        free = called not in roles.runs and called not in roles.settings.values()
        asked = first(of_requests(header), ASKED_OF)
        free = free and not (asked >= 0 and contents.asks_again(sample, asked))  # else it names one answer
        called = called if called >= 0 and free and len(sample) > 1 else _repeated_id(header, sample, roles)
        able = [k for k in able if not contents.lists_apart(sample, [k], contents.answers(header))]
        return next((k for k in able if leaf(header[k]) not in {"name", *_PLACES} or len(sample) == 1), called)
    chosen = instead_of_uuid(header, sample, named[0], {*roles.runs, *roles.settings.values()}, named)
    if leaf(header[chosen]) in VAGUE_IDS - {"id", "_id"} and (called := called_id(header, sample, of_items=True)) >= 0:
        chosen = called if called not in roles.runs else chosen
    if (shared := shared_by_runs(sample, named, roles.runs)) is not None:
        roles.guessed = True
        return shared
    many = [k for k in named[1:] if leaf(header[k]) not in VAGUE_IDS and contents.repeats(sample, k)]
    many = [k for k in many if not contents.asks_more(header, sample, k)]
    # Frames have an `id` beside the id of their video; a column with another name may number captions.
    if many and not contents.repeats(sample, chosen):
        if leaf(header[chosen]) not in SURE_IDS:
            roles.guessed, roles.other_id = True, chosen
            return many[0]
        roles.other_id = many[0]  # an `id` that counts the captions of images: the other files decide
    return chosen


def instead_of_uuid(
    header: Sequence[str], sample: Rows, chosen: int, taken: Container[int], named: Sequence[int] = ()
) -> int:
    """Return the column that names the items if the chosen column only numbers rows; else the chosen column.

    A column called `uuid` is replaced by the only column with repeated cells and a name such as `clip` or `sample`. Any
    other column of uuids, as in programs' logs, or of the ids of answers in promptfoo's results is replaced by another
    of the columns `named`.
    """
    if chosen < 0 or contents.repeats(sample, chosen):
        return chosen
    if leaf(header[chosen]) in ("uuid", "uid", "guid"):
        able = [k for k, name in enumerate(header) if k != chosen and k not in taken and _THINGS & set(words(name))]
        able = [k for k in able if contents.repeats(sample, k) and may_name(sample, k)]
        return able[0] if len(able) == 1 else chosen
    of_answers = contents.are_uuids(sample, chosen) or _ANSWERED.issubset(name.partition(".")[0] for name in header)
    others = [k for k in named if of_answers and not contents.are_uuids(sample, k)]
    others = [k for k in others if leaf(header[k]) not in VAGUE_IDS and not contents.asks_more(header, sample, k)]
    # A number of the task may repeat, too.
    return next((k for k in others if not contents.repeats(sample, k) or _THINGS & set(words(header[k]))), chosen)


def _texts(
    roles: ColumnRoles,
    header: Sequence[str],
    stated: dict[str, int],
    given: Columns,
    source: Source,
    sample: Rows,
    apart: set[int],
) -> None:
    told = caption_columns.Texts([stated[name] for name in given.captions], [stated[name] for name in given.references])
    if source.reading.role == "references":
        told = caption_columns.Texts([], told.references + told.predicted)
    chosen = [stated[name] for name in given.settings]
    taken = {roles.id, *roles.runs, *roles.marks, *apart, *chosen, *_beside_lists(header, roles.runs)}
    found = told
    if not (told.predicted and told.references):
        found = caption_columns.find(
            header,
            sample,
            taken,
            source,
            bool(roles.runs),
            told,
            roles.id >= 0 and not contents.repeats(sample, roles.id),
        )
        free = [k for k in range(len(header)) if k not in {*taken, *found.predicted, *found.references}]
        texts = found.references, found.runs, found.predicted
        if not (roles.runs or told.predicted) and (runs := with_baselines(header, sample, free, *texts)):
            found.predicted, found.runs, found.guessed = sorted(runs), runs, True
    roles.predicted, roles.references = told.predicted or found.predicted, told.references or found.references
    roles.repeated, roles.neutral, roles.named = found.repeated, found.neutral, found.runs
    # The last turns of conversations are a model's, or those from which models learn.
    alone = bool(roles.predicted) and not (told.predicted or roles.references)
    roles.neutral |= alone and all(TURN in header[k] for k in roles.predicted)
    if roles.runs and not (told.references or roles.predicted) and _are_translations(header, roles, source):
        roles.predicted, roles.references = roles.references, []
    if roles.neutral and roles.settings and roles.references and not told.references:  # a model wrote them
        roles.predicted, roles.references, roles.neutral = roles.references, [], False
    if told.predicted:
        each = each_run(header, told.predicted) if given.each else runs_by_name(header, told.predicted)
        roles.named = {} if roles.runs else each
    # Numbers for each of several numbered columns show that these are runs, `e0` and `E0_UFR`.
    apart_by = {k: header[k] for k in roles.predicted if not (roles.runs or roles.named or tells_captions(header[k]))}
    if any(len(of) == len(apart_by) for of in run_scores.columns(header, sample, apart_by).values()):
        roles.named = apart_by
    roles.guessed |= found.guessed


def _are_translations(header: Sequence[str], roles: ColumnRoles, source: Source) -> bool:
    """Return whether `target`, beside a source and the name of a run, contains the run's translations, as in MQM's
    ratings.
    """
    named = {leaf(header[k]) for k in roles.references}
    beside = first([leaf(column) for column in header], TOLD_OF) >= 0
    return beside and bool(named) and named <= {"target", "targets"} and source.role("predictions") == "predictions"


def _beside_lists(header: Sequence[str], runs: Sequence[int]) -> set[int]:
    """Return the columns with a name for predictions beside a list of objects that each contain a run and
    its caption.
    """
    outer = {header[k].rpartition(".")[0] for k in runs}
    told = ranked(header, [*PREDICTED, *NEUTRAL])
    within = {k for k in told if (of := header[k].rpartition(".")[0]).endswith("[]") and of in outer}
    return {k for k in told if k not in within and rank(header[k], PREDICTED) is not None} if within else set()
