"""JSON objects whose keys name items, models or nothing at all, rather than fields, turned into lists of records."""

from __future__ import annotations

import re
from typing import Any

from data.fields.models import names_judge
from data.fields.names import CONTAINERS, IDS, PREDICTED, REFERENCES, is_known, norm, rank, whose, words
from data.fields.word_lists import word_set
from data.findings import TrustedText, clip
from data.formats.nesting.listed_runs import OF_RUNS
from data.formats.nesting.nested_records import KEY, RUN, VALUE, are_ids, names_field, of_run
from data.formats.nesting.value_kinds import has_caption, is_text
from data.records import Source

_FILM, _GROUP = "video", "group"
"""The fields for a key that several items share: of parts of a film, such as frames, and of any other items."""
_PART = re.compile(r"(?i)(?:.*[\W_])?(?:frame|clip|shot|segment)(?![a-z]).*")
_ENVELOPES = word_set("data run runs test result results report output response payload evaluation eval log")
"""Words in the names of keys that contain all of a file's records and name no run."""
_FEWEST_WORDS, _LONGEST_FACT = 3, 3


def rows(source: Source) -> list[dict[str, Any]] | None:
    """Return the records in objects by group or model and then by item, with a finding about the keys; None for other
    values.

    An object that lies, at any depth, under single keys is read instead of the whole if it has one list of complete
    records. A list of texts beside single words, `{"values": [..], "lang": ".."}`, becomes a list of records, too.
    """
    value = source.value
    if not isinstance(value, dict) or not value:
        return None
    if found := _opened(value) or _texts(value):
        return found
    inner = [key for one in value.values() if isinstance(one, dict) for key in one]
    if not all(isinstance(one, dict) and one for one in value.values()) or not _are_items(value, inner):
        return None
    models = all(map(names_judge, value)) or (len(value) > 1 and len(set(inner)) < len(inner))
    field = RUN if models else _FILM if all(map(_PART.fullmatch, inner)) else _GROUP
    read = TrustedText("models" if models else "groups of items")
    source.log.add(
        "keys_read", source.name, outer=f"`{clip(next(iter(value)))}`", read=read, inner=f"`{clip(inner[0])}`"
    )
    return [
        {KEY: key, field: outer, **row}
        for outer, of in value.items()
        for key, one in of.items()
        for row in (one if isinstance(one, list) else [{VALUE: one} if isinstance(one, str) else one])
    ]


def _opened(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Follow single keys down to an object that has exactly one list of cases, and return the records of this list.

    The last key becomes the run, unless it is only an envelope. Return None if there is no such list.
    """
    found: Any = value
    while isinstance(found, dict) and len(found) == 1:
        ((key, inner),) = found.items()
        if not isinstance(inner, dict) or names_field(key) or are_ids([key]):
            return None
        lists = [name for name, one in inner.items() if _are_cases(name, one)]
        if len(lists) == 1:
            run = {} if set(words(key)) & _ENVELOPES else {RUN: key}
            run |= of_run({name: one for name, one in inner.items() if name not in lists})
            return [{**run, **row} for row in inner[lists[0]]]
        found = inner
    return None


def _are_cases(name: str, value: Any) -> bool:
    """Return whether a list under an unusual name contains only records with captions by people and by models."""
    if not isinstance(value, list) or not value or norm(name) in CONTAINERS or is_known(name):
        return False
    return all(
        isinstance(row, dict) and {"people", "model"} <= {_side(key, one) for key, one in row.items()} for row in value
    )


def _side(key: str, value: Any) -> str:
    if not is_text(value):
        return ""
    known = "people" if rank(key, REFERENCES) is not None else "model" if rank(key, PREDICTED) is not None else ""
    return known or whose(key)


def _texts(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return a record for each text in an object's only list, with its other values; None for other objects."""
    lists = {key: one for key, one in value.items() if isinstance(one, list)}
    facts = {key: one for key, one in value.items() if key not in lists}
    ((key, texts),) = lists.items() if len(lists) == 1 else [("", [])]
    if (
        not facts
        or len(texts) < 2
        or not all(map(is_text, texts))
        or any(char.isdigit() for key in value for char in key)
    ):
        return None
    if not (norm(key) in {*CONTAINERS, "values", "texts"} or rank(key, [*PREDICTED, *REFERENCES]) is not None):
        return None
    # In GEM's files, `values` are texts, whatever is beside them.
    longest = max((len(one.split()) for one in facts.values() if isinstance(one, str)), default=0)
    if any(isinstance(one, dict) for one in facts.values()) or (longest > _LONGEST_FACT and norm(key) != "values"):
        return None
    told = {name: one for name, one in facts.items() if isinstance(one, str)} | of_run(facts)
    name = VALUE if norm(key) in {*CONTAINERS, "values"} else key
    return [{name: text, **told} for text in texts] if name not in told else None


def _are_items(value: dict[str, Any], inner: list[str]) -> bool:
    """Return whether the keys of the inner objects name items.

    They do if they begin with the outer keys. Otherwise, the values must all be records or all be lists of records.
    Keys of lists must look like ids or prompts; keys of records must not repeat and, below a single outer key, must
    look like ids.
    """
    held = [one for of in value.values() for one in of.values()]
    if any(map(_is_field, (*value, *inner))) or len(inner) < 2:
        return False
    begun = all(
        isinstance(one, str) and key.startswith(outer) for outer, of in value.items() for key, one in of.items()
    )
    if begun and len(value) > 1:
        return True
    records = all(isinstance(one, dict) and _tells(one) for one in held)
    lists = all(
        isinstance(one, list) and one and all(isinstance(row, dict) and _tells(row) for row in one) for one in held
    )
    if lists:
        return sum(len(key.split()) >= _FEWEST_WORDS for key in inner) > len(inner) / 2 or are_ids(inner)
    apart = len(set(inner)) == len(inner) > len(value)
    return records and apart and not are_ids(value) and (len(value) > 1 or are_ids(inner))


def _is_field(key: str) -> bool:
    """Return whether a key names a field; random ids with digits, such as `4mKxze5P9gQ`, may contain such names."""
    return is_known(key) or norm(key) in OF_RUNS or (names_field(key) and not any(char.isdigit() for char in key))


def _tells(row: dict[str, Any]) -> bool:
    return has_caption(row) and not any(rank(key, IDS) is not None for key in row)
