"""Runs, each with the captions of all items: `"runs": [{"model": .., "temperature": .., "captions": {id: ..}}]`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from data.fields.names import IDS, NEUTRAL, PREDICTED, REFERENCES, norm, rank, whose
from data.files.printed_lists import has_caption
from data.formats.nesting import setting_keys, value_kinds
from data.formats.nesting.listed_runs import NAME, OF_RUNS
from data.formats.nesting.nested_records import KEY, RUN, VALUE, are_ids, name_items, names_field, of_run
from data.formats.nesting.value_kinds import are_objects, is_object, is_text
from data.matching.match_ids import forms_of, is_among

_RUNS = ("models", "runs", "systems", "methods")
"""Fields whose keys are always runs, whatever they look like."""


_LONGEST_FACT = 2
"""Maximum number of words in a fact about all runs, such as a date."""
_OF_TEXTS = [*REFERENCES, *PREDICTED, *NEUTRAL]


class Group(NamedTuple):
    """The facts about a run, and its captions (`held`): as records, as texts by id, or as texts in item order."""

    facts: dict[str, Any]
    held: Any


def listed(value: Any) -> Any:
    """Return runs with records by id, `{run: {id: {"caption": ..}}}`, as lists of records; return other values
    unchanged.

    The two levels may be reversed: the keys that look like ids, or else the more numerous keys, are the items'. The
    runs may also be under a name such as `results`.
    """
    if not isinstance(value, dict):
        return value
    for key in (key for key in value if norm(key) in OF_RUNS and isinstance(value[key], dict)):
        return {**value, key: listed(value[key])}
    outer, inner = list(value), list(dict.fromkeys(key for one in value.values() if is_object(one) for key in one))
    if min(len(outer), len(inner)) < 2 or not all(map(_are_records, value.values())):
        return value
    first = name_items(inner, outer)
    shared = len(inner) < sum(map(len, value.values()))
    runs = outer if first else inner
    if not shared or any(map(names_field, runs)) or are_ids(runs):
        return value
    cells = {
        (run, id): one for a, of in value.items() for b, one in of.items() for run, id in [(a, b) if first else (b, a)]
    }
    return {
        run: [one if _id(one) is not None else {KEY: id, **one} for (of, id), one in cells.items() if of == run]
        for run in runs
    }


def _are_records(value: Any) -> bool:
    return is_object(value) and are_objects([*value.values()]) and all(map(value_kinds.has_caption, value.values()))


def rows(value: Any, ids: Collection[str] = ()) -> list[dict[str, Any]] | None:
    """Return one record per run and item, and one per item with references; None unless every part is understood.

    An object with captions under most of the `ids` in other files is one run, named by its own id.
    """
    if isinstance(value, list):
        return _joined([_group("", one) for one in value], {})
    if not isinstance(value, dict):
        return None
    if ids and (whole := _named_by_id(value, ids)) is not None:
        return whole
    people = any(_are_references(key, one) and rank(key, NEUTRAL) is None for key, one in value.items())
    for key in (
        key for key in value if norm(key) in OF_RUNS or (people and rank(key, PREDICTED + NEUTRAL) is not None)
    ):
        held = _runs_first(value[key]) if people and norm(key) not in _RUNS else None
        no_runs = held is None and norm(key) not in _RUNS and _are_no_runs(value[key])
        groups = [] if no_runs else _groups(held or value[key], lists=True)
        if found := _joined(groups, {name: one for name, one in value.items() if name != key}):
            return found
    # A list of ids, and the references beside it, belong to all runs.
    beside = {key: one for key, one in value.items() if _are_names(key, one)}
    beside |= {key: one for key, one in value.items() if beside and _are_references(key, one)}
    runs = {key: one for key, one in value.items() if key not in beside}
    return None if _are_no_runs(runs) else _joined(_groups(runs), beside)


def _named_by_id(value: dict[str, Any], ids: Collection[str]) -> list[dict[str, Any]] | None:
    """Return the records of a run with an id, and with captions mostly under the items' `ids`; None for other
    values.
    """
    told = {RUN if norm(key) == KEY else key: one for key, one in value.items()}
    group = _group("", told)
    if group is None or not isinstance(told.get(RUN), str) or not _by_id(group.held):
        return None
    known = forms_of(ids)
    met = sum(is_among(id, known) for id in group.held)
    facts = {key: one for key, one in told.items() if not isinstance(one, dict | list)} | group.facts
    return [{**facts, **row} for row in _rows(group.held, [])] if 2 * met > len(group.held) else None


def _runs_first(value: Any) -> Any:
    """Return texts by run and item, from texts in that order or by item and run; None for other values."""
    if not isinstance(value, dict) or not value or not all(map(_by_id, value.values())):
        return None
    inner = dict.fromkeys(key for one in value.values() for key in one)
    if any(map(names_field, (*value, *inner))):
        return None
    outside = name_items(value, inner)
    return {run: {id: one[run] for id, one in value.items() if run in one} for run in inner} if outside else value


def _are_no_runs(value: Any) -> bool:
    return isinstance(value, dict) and (are_ids(value) or any(map(names_field, value)))


def _groups(value: Any, lists: bool = False) -> list[Group | None]:
    if isinstance(value, dict):
        if lists and value and all(_holds("", one) for one in value.values()):
            return [Group({RUN: name}, one) for name, one in value.items()]
        return [*_by_setting(value)] or [_group(name, one) for name, one in value.items()]
    return [_group("", one) for one in value] if isinstance(value, list) else []


def _by_setting(value: dict[str, Any]) -> list[Group]:
    """Return the runs in an object with settings as one level of keys: `{model: {"T=0.7": {id: caption}}}`."""
    found: dict[str, Group] = {}
    for row in setting_keys.rows(value) or []:
        facts = {name: one for name, one in row.items() if name not in (KEY, VALUE)}
        found.setdefault(str(facts), Group(facts, {})).held[row[KEY]] = row[VALUE]
    return list(found.values())


def _group(name: str, one: Any) -> Group | None:
    """Return the run that a value contains: captions under the run's name, or an object of facts and one field of
    captions.

    Return None for other values.
    """
    if name and (_by_id(one) or _in_order(one)):
        return Group({RUN: name}, one)
    if not isinstance(one, dict) or any(rank(key, IDS) is not None for key in one if norm(key) != NAME):
        return None
    texts = {key: inner for key, inner in one.items() if _holds(key, inner)}
    others = {key: inner for key, inner in one.items() if key not in texts}
    facts, called = of_run(others), name or one.get(NAME)
    if RUN not in facts and isinstance(called, str) and called:
        facts = {RUN: called, **facts}
    told = all(
        of_run({key: inner}) or _are_facts(inner) for key, inner in others.items() if isinstance(inner, dict | list)
    )
    return Group(facts, next(iter(texts.values()))) if len(texts) == 1 and facts and told else None


def _are_facts(value: dict[str, Any] | list[Any]) -> bool:
    """Return whether a value is empty or an object of numbers and names, such as `{"beam": 5}`."""
    if not isinstance(value, dict):
        return not value
    return not any(isinstance(one, dict | list) or len(str(one).split()) > _LONGEST_FACT for one in value.values())


def _holds(key: str, value: Any) -> bool:
    if are_objects(value):
        return all((has_caption(one) or value_kinds.has_caption(one)) and _id(one) is not None for one in value)
    known = rank(key, [*PREDICTED, *NEUTRAL]) is not None or norm(key) in OF_RUNS
    return known and (_by_id(value) or _in_order(value))


def _id(row: Mapping[str, Any]) -> Any:
    return next((row[name] for name in row if rank(name, IDS) is not None), None)


def _by_id(value: Any) -> bool:
    return isinstance(value, dict) and bool(value) and all(map(is_text, value.values()))


def _in_order(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 1 and all(map(is_text, value))


def _joined(groups: Sequence[Group | None], rest: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Join runs with the data beside them (ids, references, and facts about all runs), and return the records.

    Return None unless all groups are runs with the same items and all data beside them are understood.
    """
    known = [group for group in groups if group is not None]
    beside = {key: one for key, one in rest.items() if isinstance(one, dict | list) and one}
    ids = {key: one for key, one in beside.items() if _are_names(key, one)}
    people = {
        key: _records_by_id(one) or one for key, one in beside.items() if key not in ids and _are_references(key, one)
    }
    held = [group.held for group in known]
    others = [one for key, one in beside.items() if key not in ids and key not in people]
    if not known or len(known) < len(groups) or len(ids) > 1 or not all(map(_are_facts, others)):
        return None
    ordered = [one for one in (*ids.values(), *people.values()) if isinstance(one, list)]
    lists = [one for one in held if _in_order(one)]
    if (lists and not ordered) or len({len(one) for one in (*ordered, *lists)}) > 1 or not _share(known):
        return None
    names = [*next(iter(ids.values()), [])]
    everywhere = of_run({key: one for key, one in rest.items() if key not in beside})
    made = [
        {**everywhere, **group.facts, **row}
        for group in known
        for row in (_rows(group.held, names) if _by_id(group.held) or _in_order(group.held) else group.held)
    ]
    # Only the first record of an item has its references, since they would otherwise be counted once per run.
    for one in people.values():
        first = {str(_id(row)): row for row in reversed(made)}
        for row in _rows(one, names, "references"):
            if row[KEY] in first:
                first[row[KEY]]["references"] = row["references"]
            else:
                made.append({**everywhere, **known[0].facts, VALUE: [], **row})
    return made


def _are_names(key: str, value: Any) -> bool:
    named = rank(key, IDS) is not None or rank(key.removesuffix("s"), IDS) is not None
    return named and isinstance(value, list) and all(isinstance(one, str | int) for one in value)


def _are_references(key: str, value: Any) -> bool:
    known = rank(key, [*REFERENCES, *NEUTRAL]) is not None or whose(key) == "people"
    return known and (_by_id(value) or _in_order(value) or bool(_records_by_id(value)))


def _records_by_id(value: Any) -> dict[str, list[str]]:
    """Return the texts of each item in records of an id and one field of texts; {} for anything else."""
    found: dict[str, list[str]] = {}
    for row in value if isinstance(value, list) else ():
        id = _id(row) if isinstance(row, dict) else None
        texts = (
            [one for key, one in row.items() if is_text(one) and rank(key, _OF_TEXTS) is not None]
            if id is not None
            else []
        )
        if len(texts) != 1:
            return {}
        found.setdefault(str(id), []).extend(texts[0] if isinstance(texts[0], list) else [texts[0]])
    return found


def _share(groups: Sequence[Group]) -> bool:
    """Return whether the groups are runs.

    A single group must state more than a name. Several groups must have items in common or all be in item order; they
    must state different facts, and keys that do not look like ids must outnumber the groups.
    """
    if len(groups) == 1:
        return len(groups[0].facts) > 1 or RUN not in groups[0].facts
    if len({str(group.facts) for group in groups}) < len(groups):
        return False  # answers to several requests at the same settings
    named = [
        group.held if _by_id(group.held) else map(str, map(_id, group.held))
        for group in groups
        if not _in_order(group.held)
    ]
    counts = Counter(id for one in named for id in set(one))
    keys = {key for group in groups if _by_id(group.held) for key in group.held}
    runs_are_few = not keys or are_ids(keys) or len(keys) > len(groups)
    return runs_are_few and (not counts or max(counts.values()) > 1)


def _rows(value: Any, ids: Sequence[Any], name: str = VALUE) -> list[dict[str, Any]]:
    """Return a record for each item's texts; texts in a list belong to `ids` in order or, without ids, to positions."""
    texts = value.items() if isinstance(value, dict) else zip(ids or range(1, len(value) + 1), value)
    return [{KEY: str(id), name: text} for id, text in texts]
