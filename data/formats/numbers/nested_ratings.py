"""Ratings of a caption by several people within its record, as SummEval, Label Studio and others write them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from data.fields.criteria import ASKED, BESIDE, VALUE
from data.fields.models import RATER, WITH_REASONS, is_model, reasons_for
from data.fields.names import NO_CAPTION, OF_ONE_PERSON, RUNS, leaf, norm, words
from data.fields.word_lists import word_set
from data.files import printed_lists
from data.files.printed_lists import TEXT_KEYS
from data.formats.columns.rating_words import is_word, listed
from data.formats.nesting.nested_records import flat
from data.formats.nesting.unshown_fields import is_within
from data.formats.numbers import scales
from data.ratings.human_ratings import UNNAMED
from data.records import as_id

_PEOPLE = word_set("human expert experts turker turkers")
_RATED = _PEOPLE | word_set("rating ratings judgment judgments judgement judgements")
"""Words in the names of fields in which numbers of any name are ratings by people."""
BY_PEOPLE = _RATED | word_set(
    "annotation annotations annotator annotators rater raters worker workers crowd review reviews reviewer reviewers"
)
"""Words in the names of fields in which numbers are ratings if they are named like criteria."""
BY_PROGRAMS = word_set("model models gpt llm auto automatic metric metrics")
_SCORES = frozenset([*VALUE, "score", "value"])
"""Names for the number of a rating, within an object that is named after its criterion."""
_RATERS = (*RATER, "completed_by", "user", "user_id", "reviewer", "reviewer_id")
_NO_CRITERION = (NO_CAPTION - {"score", "scores"}) | word_set(
    "lead seconds duration task count number age start end x y width height confidence area n"
)
_CONTROL, _ANSWERS, _VALUES = "from_name", "result", ("rating", "number")
"""Label Studio's fields: the name of a question, a person's answers, and answers that are numbers."""
_ANSWERED, _USERS = ".responses", ".users"
"""Endings of the names of Argilla's columns, `fluency.responses` and `fluency.responses.users`."""
_OF_A_RATING = (*_RATERS, _CONTROL)
"""Fields beside ratings that are read with them."""
Told = list[tuple[str, str, str, Any]]
"""The path, criterion, rater and value of each rating of a record."""
_FEWEST, _MOST = 2, 10
"""Minimum number of rated captions in a list, and maximum rating in lists that only the lists beside them show to be
ratings.
"""
_PERHAPS_METRICS = frozenset(["p", "r", "precision", "recall", "total"])
"""Names that may be criteria or metrics."""


def by_criterion(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the fields of records by path, with one field per criterion in place of ratings by several people.

    Each such field contains an object with the ratings by rater and is named after its criterion. If another field has
    that name, the name of the field that contained the ratings precedes it.
    """
    fields = [_by_user(flat(row)) for row in rows]
    found = [{key: told for key, one in row.items() if (told := _told(key, one))} for row in rows]
    for row, of in zip(fields, found):
        of |= {key: told for key, told in _abreast(row).items() if not is_within(key, of)}
    for key in {key for of in found for key in of}:
        _name_raters(key, [of for of in found if key in of])
    named = {(key, criterion) for of in found for key, told in of.items() for _, criterion, _, _ in told}
    times = Counter(criterion for _, criterion in named)
    kept = {name for row, of in zip(fields, found) for name in row if not is_within(name, of)}
    for row, of in zip(fields, found):
        for key, told in of.items():
            used = {key, *(path for path, _, _, _ in told)}
            for path in [
                one
                for one in row
                if one in used or (is_within(one, [key]) and leaf(one.removesuffix(".id")) in _OF_A_RATING)
            ]:
                del row[path]
            for _, criterion, rater, value in told:
                alone = times[criterion] == 1 and criterion not in kept
                row.setdefault(criterion if alone else f"{key}.{criterion}", {})[rater] = value
    return fields


def of_captions(row: dict[str, Any]) -> dict[str, Any]:
    """Return a record with lists of captions and of ratings in place of a list of objects with a caption and its
    rating, as in Flickr8k's `human_judgement`; return other records unchanged.
    """
    made = dict(row)
    for key, value in row.items():
        if not isinstance(value, list) or len(value) < _FEWEST or not _said(key) & BY_PEOPLE:
            continue
        keys = set.intersection(*({*one} if isinstance(one, dict) else set() for one in value))
        texts = [name for name in TEXT_KEYS if name in keys and all(isinstance(one[name], str) for one in value)]
        rated = [name for name in keys if norm(name) in VALUE and all(scales.is_rating(one[name]) for one in value)]
        if len(texts) == len(rated) == 1 and not any(norm(name) in (*RUNS, *_RATERS) for name in keys):
            made[key] = {
                name: [one.get(name) for one in value] for name in dict.fromkeys(n for one in value for n in one)
            }
    return made


def _name_raters(key: str, found: Sequence[dict[str, Told]]) -> None:
    """Take the names of numbers in an object, such as `ann` in `{"ann": 3}`, as raters if they can be.

    None may be a known criterion. In addition, the names must differ between records, or all must contain digits or
    denote people, or one must be a model's.
    """
    names = [frozenset(criterion for _, criterion, _, _ in of[key]) for of in found]
    every = frozenset().union(*names)
    plain = all(path == f"{key}.{criterion}" and not rater for of in found for path, criterion, rater, _ in of[key])
    if not plain or any(norm(name) in BESIDE for name in every):
        return
    called = any(map(is_model, every)) or all(
        any(map(str.isdigit, name)) or {*words(name)} & (BY_PEOPLE | OF_ONE_PERSON) for name in every
    )
    if called or len(set(names)) > 1:
        for of in found:
            of[key] = [(path, UNNAMED, criterion, value) for path, criterion, _, value in of[key]]


def is_due(rows: Iterable[dict[str, Any]]) -> bool:
    """Return whether any of the records contains ratings by several people."""
    return any(_told(key, value) or f"{key}{_USERS}" in row for row in rows for key, value in row.items())


def _by_user(row: dict[str, Any]) -> dict[str, Any]:
    """Return a record with people's answers to each question by user, as Argilla writes them in tables."""
    made = dict(row)
    for key in [key for key in row if key.endswith(_ANSWERED) and f"{key}{_USERS}" in row]:
        answers, users = (listed(row[name]) for name in (key, f"{key}{_USERS}"))
        users = users if len(users) == len(answers) else printed_lists.listed(str(users[0])) or [] if users else []
        if len(users) == len(answers) > 0 and all(map(scales.is_rating, answers)):
            del made[key], made[f"{key}{_USERS}"]
            made[key.removesuffix(_ANSWERED)] = dict(zip(map(str, users), answers))
    return made


def _abreast(row: dict[str, Any]) -> dict[str, Told]:
    """Return the ratings in equally long lists of small whole numbers, one list per criterion.

    All lists have the ratings of the same people in the same order. At least one list has the name of a criterion, as
    in USR: `"Overall": [5, 4, 5], "Engaging": ..`.
    """
    lists = {key: one for key, one in row.items() if isinstance(one, list) and _are_points(one)}
    lists = {key: one for key, one in lists.items() if not {*words(key)} & (_NO_CRITERION | BY_PROGRAMS)}
    known = {len(one) for key, one in lists.items() if norm(leaf(key)) in BESIDE - _PERHAPS_METRICS}
    alike = {key: one for key, one in lists.items() if {len(one)} == known}
    several = alike if len(alike) > 1 else {}
    return {
        key: [(key, key.rpartition(".")[2], str(k), one) for k, one in enumerate(of, 1)] for key, of in several.items()
    }


def _are_points(values: list[Any]) -> bool:
    whole = all(isinstance(one, int) and not isinstance(one, bool) and 0 <= one <= _MOST for one in values)
    return whole and len(values) > 1


@lru_cache(maxsize=1_000)
def _said(key: str) -> frozenset[str]:
    return frozenset(words(key))


def _told(key: str, value: Any) -> Told:
    value = listed(value) if isinstance(value, str) and value.startswith("[") else value
    said = _said(key) if isinstance(value, dict | list) and value else frozenset()
    if not said or said & BY_PROGRAMS:
        return []
    if isinstance(value, list) and all(scales.is_rating(one) for one in value):
        answers = any(map(is_word, value)) and not said & (_RATED - _PEOPLE)
        rated = (norm(key) in {*ASKED, *VALUE} or said & _RATED) and not answers
        name = UNNAMED if norm(key) in VALUE or said & _RATED else key
        return [(key, name, str(k), one) for k, one in enumerate(value, 1)] if rated else []
    if isinstance(value, dict) and (answered := _of_questions(key, value)):
        return answered
    if not said & BY_PEOPLE:
        return []
    objects = isinstance(value, list) and all(isinstance(one, dict) for one in value)
    told = _of_raters(key, value) if objects else _of_object(key, value) if isinstance(value, dict) else []
    return [one for one in told if _is_rating(*one, sure=bool(said & _RATED))]


def _is_rating(path: str, criterion: str, rater: str, value: Any, sure: bool) -> bool:
    if norm(leaf(path)) in _SCORES and "." in path and leaf(criterion) not in _NO_CRITERION - NO_CAPTION:
        return scales.is_rating(value)
    sure = (sure and not set(words(criterion)) & _NO_CRITERION) or f"[].{_ANSWERS}[]." in path
    sure |= bool({"rating", "ratings"} & set(words(criterion))) or leaf(path).rstrip("0123456789") == "scale_"
    return scales.is_rating(value) and (sure or norm(criterion) in BESIDE)


def _of_raters(key: str, value: list[dict[str, Any]]) -> Told:
    """Return the numbers in a list with one object per rater; [] if an object has a text.

    Raters whose object states no name are numbered.
    """
    told = []
    for number, one in enumerate(value, 1):
        who = next((one[name] for known in _RATERS for name in one if norm(name) == known), None)
        rater = as_id(who.get("id") if isinstance(who, dict) else who) or str(number)
        if any(isinstance(one.get(name), str) for name in TEXT_KEYS):
            return []
        told += [(f"{key}[].{name}", name, rater, cell) for name, cell in one.items() if norm(name) not in _RATERS]
        for answer in one[_ANSWERS] if isinstance(one.get(_ANSWERS), list) else ():
            inner = answer.get("value") if isinstance(answer, dict) else None
            if not isinstance(inner, dict):
                continue
            for name in _VALUES:
                path = f"{key}[].{_ANSWERS}[].value.{name}"
                told.append((path, str(answer.get(_CONTROL) or name), rater, inner.get(name)))
    return told


def _of_questions(key: str, value: dict[str, Any]) -> Told:
    """Return the numbers with which people answered each question, `{question: [{"value": 4, "user_id": ..}, ..]}`."""
    told: Told = []
    for question, answers in value.items():
        for one in answers if isinstance(answers, list) else ():
            who = next((one[name] for name in one if norm(name) in _RATERS), None) if isinstance(one, dict) else None
            name = next((name for name in one if norm(name) in _SCORES), "") if who is not None else ""
            if name and scales.is_rating(one[name]):
                told.append((f"{key}.{question}[].{name}", question, as_id(who) or "", one[name]))
    return told


def _of_object(key: str, value: dict[str, Any]) -> Told:
    """Return the ratings in an object.

    They are numbers, or lists or objects of numbers, by criterion, or numbers by rater and criterion.
    """
    raters = not _criteria(value) or any(map(is_model, value))
    if raters and all(isinstance(one, dict) and _criteria(one) for one in value.values()):
        return [(f"{key}.{who}.{name}", name, who, cell) for who, of in value.items() for name, cell in of.items()]
    told: Told = []
    judged = any(reasons_for(f"{by}_{one}") for by, of in value.items() if isinstance(of, dict) for one in of)
    for name, of in value.items():
        if isinstance(of, dict) and (of_one := _of_one(of)):
            told.append((f"{key}.{name}.{of_one}", name, WITH_REASONS * judged, of[of_one]))
        elif isinstance(of, dict) and len(of) == 1 and str(*of.values()).lower() == "true":
            continue  # the choice of a label, `{"quality": {"good": "true"}}`
        elif isinstance(of, dict):
            told += [(f"{key}.{name}.{who}", name, str(who), cell) for who, cell in of.items() if _criteria(value)]
        else:
            listed = isinstance(of, list)
            told += [
                (f"{key}.{name}", name, str(k) if listed else "", one)
                for k, one in enumerate(of if listed else [of], 1)
            ]
    return told


def _of_one(of: dict[str, Any]) -> str:
    """Return the key of the only rating in an object: `Rating` in `{"Rating": "4", "Rationale": ..}`.

    A choice such as `{"scale_4": "4"}` is also a rating. Return "" if the object contains several ratings or none.
    """
    named = [key for key in of if norm(str(key)) in _SCORES]
    if not named and len(of) == 1:
        named = [key for key, one in of.items() if str(one) == str(key)[-len(str(one)) :]]
    return named[0] if len(named) == 1 else ""


def _criteria(value: dict[str, Any]) -> bool:
    return any(norm(str(name)) in BESIDE for name in value)
