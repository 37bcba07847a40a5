"""Turn lists of runs within each record, `"models": [{"name": .., "captions": [..]}, ..]`, into one record per run."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from data.checks.people_by_name import of_people_by_name
from data.fields.names import (
    ALSO_CALLED,
    ASKED_OF,
    IDS,
    NEUTRAL,
    PREDICTED,
    REFERENCES,
    RUNS,
    TOLD_OF,
    leaf,
    norm,
    rank,
    whose,
    words,
)
from data.formats.nesting import setting_keys
from data.formats.nesting.nested_records import KEY, RUN, VALUE, flat, names_field
from data.formats.nesting.value_kinds import has_caption, is_text
from data.run_settings import SETTING_NAMES

OF_RUNS = (
    *("models", "runs", "systems", "methods", "experiments"),
    *("predictions", "outputs", "candidates", "responses", "results"),
)
"""Names of lists whose objects name a run in `name`."""
NAME, _MODEL = "name", "model"
_NAMES = (NAME, "method", "method_name", "system_name", "captioner")
"""Names for a run, if objects list runs and no surer name exists."""
_TELLS = frozenset([*RUNS, "t", *SETTING_NAMES, *ALSO_CALLED]) - {"seed", "random_seed"}
"""Fields that distinguish runs; samples with different seeds may belong to one run."""
_AUTHORS = frozenset(["author", "source", "by", "writer", "origin", "from", "who", "written_by", "annotator", "type"])
"""Names of fields that state who wrote a caption."""
_LOOKED_AT = 20
_FEWEST_WORDS = 3
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")


def is_due(rows: Iterable[Any]) -> bool:
    """Return whether any of the first records lists captions of several runs or settings."""
    first = _by_author([row for row, _ in zip(rows, range(_LOOKED_AT)) if isinstance(row, dict)])
    return bool(_lists([one for row in first for one in _parts(row)]))


def spread(places: list[str], rows: list[dict[str, Any]]) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the places and records, with one record per run in place of each record that lists runs.

    Records without an id, and without a request that could take its place, are numbered.
    """
    told = [(place, one) for place, row in zip(places, _by_author(rows)) for one in _parts(row)]
    places, rows = [place for place, _ in told], [_by_setting(row) for _, row in told]
    named = _lists(rows[:_LOOKED_AT])
    if not named:
        return places, rows
    if not any(_may_name(path, one) for row in rows[:_LOOKED_AT] for path, one in flat(row).items()):
        rows = [{KEY: str(k), **row} for k, row in enumerate(rows, 1)]
    made = [(place, one) for place, row in zip(places, rows) for one in _records(row, named)]
    return [place for place, _ in made], [one for _, one in made]


def _by_author(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Turn the authors that lists of captions name into runs, if all first records have the same authors.

    People and models must be among these authors: `"captions": [{"text": .., "author": "human"}, {"text": .., "author":
    "mymodel"}]`.
    """
    first = [row for row in rows[:_LOOKED_AT] if isinstance(row, dict)]
    names = [name for name, one in (first[0] if first else {}).items() if isinstance(one, list) and _listed(name, one)]
    for name in names:
        lists = [of if isinstance(of := row.get(name), list) else [] for row in first]
        objects = [[one for one in of if isinstance(one, dict)] for of in lists]
        for key in {key for of in objects for one in of for key in one if norm(key) in _AUTHORS}:
            told = [{who if isinstance(who := one.get(key), str) else None for one in of} for of in objects]
            known = {who for who in told[0] if who is not None}
            if len(known) > 1 and all(one == known for one in told) and any(map(of_people_by_name, known)):
                rows = [_renamed(row, name, key) if isinstance(row, dict) else row for row in rows]
    return rows


def _renamed(row: dict[str, Any], name: str, key: str) -> dict[str, Any]:
    """Return a record in which the field `key` of the objects in the list `name` is renamed `run`."""
    objects = row.get(name)
    if not isinstance(objects, list) or not all(isinstance(one, dict) for one in objects):
        return row
    return {**row, name: [{RUN if field == key else field: value for field, value in one.items()} for one in objects]}


def _by_setting(row: dict[str, Any]) -> dict[str, Any]:
    """Join a list of settings or models, such as `temperatures`, with an equally long list of captions in the record.

    Equally long lists of numbers beside models, such as `ratings`, are joined with the captions, too. Other records are
    returned unchanged.
    """
    for name, values in row.items():
        means = _setting(name) or (_MODEL if words(name)[-1:] in (["models"], ["systems"]) else "")
        if not (means and isinstance(values, list) and len(set(map(str, values))) == len(values) > 1):
            continue
        lists = {key: one for key, one in row.items() if isinstance(one, list) and len(one) == len(values)}
        said = [key for key, one in lists.items() if key != name and all(map(is_text, one))]
        said = [key for key in said if rank(key, REFERENCES) is None]
        if len(said) == 1 and (means != _MODEL or all(isinstance(value, str) for value in values)):
            numbers = [key for key, one in lists.items() if means == _MODEL and _are_numbers(one)]
            made = [
                {means: value, VALUE: text, **{key: row[key][k] for key in numbers}}
                for k, (value, text) in enumerate(zip(values, row[said[0]]))
            ]
            return {key: made if key == said[0] else one for key, one in row.items() if key not in (name, *numbers)}
    return row


def _are_numbers(values: list[Any]) -> bool:
    return all(isinstance(one, int | float) and not isinstance(one, bool) for one in values)


def _parts(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Split a record into its numbered parts if these have captions of several runs; otherwise return only the record.

    `"questions": {"0": {"mymodel": {"response": ..}, ..}, "1": ..}` has two such parts.
    """
    for name, value in row.items() if isinstance(row, dict) else ():
        parts = list(value.values()) if isinstance(value, dict) and value and all(map(str.isdecimal, value)) else []
        if parts and all(isinstance(of, dict) and of for of in parts):
            said = [one for of in parts for one in of.values()]
            if all(isinstance(one, dict) and _says(one) for one in said) and len(said) > len(parts):
                beside = {key: one for key, one in row.items() if key != name}
                called = [key for key in beside if words(key)[-1:] == ["id"] or rank(key, IDS) is not None][:1]
                ids = {key: {KEY: f"{beside[called[0]]}_{key}"} if called else {} for key in value}
                return [{**ids[key], **beside, norm(name): key, OF_RUNS[0]: of} for key, of in value.items()]
    return [row]


def _may_name(path: str, value: Any) -> bool:
    """Return whether a field may name its item: by an id, or by a request or a source of some words."""
    if rank(path, IDS) is not None or words(path)[-1:] in (["id"], ["uid"]):
        return True
    if isinstance(value, str) and re.fullmatch(r"(?=\S*\d)\w+(?:[#:/|-]\w+)+", value):
        return True  # a code, `7#x#y`
    return leaf(path) in (*ASKED_OF, *TOLD_OF) and isinstance(value, str) and len(value.split()) >= _FEWEST_WORDS


def _lists(rows: list[dict[str, Any]]) -> list[str]:
    # Texts without a name for captions count only in fields of all records: a first line may describe the runs.
    shared = set(rows[0]).intersection(*rows) if rows else set()
    told = [(name, one) for row in rows for name, one in row.items() if _tells(name, one)]
    return list(dict.fromkeys(name for name, one in told if name in shared or not _only_text_of(name, one)))


def _tells(name: str, value: Any) -> bool:
    told = [_told(name, one) for one in _listed(name, value)]
    return all(told) and len({tuple(sorted(one.items())) for one in told}) > 1


def _listed(name: str, value: Any) -> list[dict[str, Any]]:
    setting = _setting(name)
    numbered = isinstance(value, dict) and bool(setting and value) and all(map(_NUMBER.fullmatch, value))
    if numbered and all(map(is_text, value.values())):
        return [{setting: float(key.replace(",", ".")), VALUE: text} for key, text in value.items()]
    if isinstance(value, dict) and (made := setting_keys.runs(value)):
        return made if setting or norm(name) in OF_RUNS or rank(name, [*PREDICTED, *NEUTRAL]) is not None else []
    if isinstance(value, dict) and _holds_captions(name, value):
        value = [{NAME: key, **one} for key, of in value.items() for one in of]
    if isinstance(value, dict) and _holds_runs(name, value):
        said = _only_text_of(name, value)
        value = [{NAME: key, **{VALUE if n == said else n: of for n, of in one.items()}} for key, one in value.items()]
    return value if isinstance(value, list) and all(isinstance(one, dict) and _says(one) for one in value) else []


def _only_text_of(name: str, value: Any) -> str:
    """Return the name of the only field of sentences in the objects of runs, or "".

    Return "" also if the objects differ in shape, or if one of their fields has a name for captions.
    """
    objects = list(value.values()) if isinstance(value, dict) and _holds_runs(name, value) else []
    alike = len({frozenset(one) for one in objects}) == 1 and not any(map(_says, objects))
    names = [key for key in (objects[0] if alike else ()) if norm(key) not in {*_TELLS, *_NAMES}]
    texts = [key for key in names if all(is_text(one[key]) for one in objects)]
    said = [key for key in texts if any(len(str(one[key]).split()) > 1 for one in objects)]
    return said[0] if len(said) == 1 else ""


def _setting(name: str) -> str:
    """Return the setting that a field's name means, such as `temperatures` or `by_temperature`; "" for other names."""
    bare = norm(name).removeprefix("by_").removesuffix("s")
    found = ALSO_CALLED.get(bare, bare)
    return found if found in SETTING_NAMES else ""


def _holds_runs(name: str, value: dict[str, Any]) -> bool:
    """Return whether the keys of an object are runs, each with a separate object."""
    if not all(isinstance(one, dict) for one in value.values()):
        return False
    return norm(name) in OF_RUNS or (whose(name) == "model" and not any(map(names_field, value)))


def _holds_captions(name: str, value: dict[str, Any]) -> bool:
    """Return whether the keys of an object are runs, each with a list of objects that contain a caption and facts about
    it.
    """
    lists = [*value.values()]
    if not (norm(name) in OF_RUNS and lists and all(isinstance(of, list) and of for of in lists)):
        return False
    return all(isinstance(one, dict) and len(one) > 1 for of in lists for one in of)


def _says(one: dict[str, Any]) -> bool:
    return has_caption(flat(one))


def _told(name: str, one: dict[str, Any]) -> dict[str, str]:
    known = _TELLS | (set(_NAMES) if norm(name) in OF_RUNS or whose(name) == "model" else set())
    return {key: str(told) for key, told in one.items() if norm(key) in known and isinstance(told, str | int | float)}


def _records(row: dict[str, Any], names: list[str]) -> Iterable[dict[str, Any]]:
    listed = {name: found for name in names if (found := _listed(name, row.get(name)))}
    if not listed:
        return [row]
    beside = {key: one for key, one in row.items() if key not in listed}
    # Only one record has the item's own texts, such as references, which would otherwise be counted once per run.
    again = {key: one for key, one in beside.items() if rank(key, [*REFERENCES, *NEUTRAL]) is None}
    told = [_by_path(name, one) for name, found in listed.items() for one in found]
    return [{**beside, **told[0]}, *({**again, **one} for one in told[1:])]


def _by_path(name: str, one: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of one run in the list `name` by path; the field that names the run, if any, becomes `run`."""
    told = _told(name, one)
    run = next((key for key in told if norm(key) in _NAMES), "") if not set(map(norm, told)) & {*RUNS} else ""
    return {f"{name}[].{RUN if key == run else key}": value for key, value in one.items()}
