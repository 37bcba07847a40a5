"""Files of ratings without the captions that people rated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isfinite
from typing import Any

from data.fields.criteria import BESIDE, HINTS, VALUE
from data.fields.names import IDS, OF_JUDGES, OF_ONE_PERSON, in_roles, no_caption, norm, rank, words
from data.fields.word_lists import in_name
from data.findings import TrustedText, clip, named
from data.formats.columns.assigned_roles import called_id
from data.formats.columns.contents import are_sentences, has_words, may_name, scalar, values
from data.records import Source

_REMARKS = frozenset(["comment", "comments", "remark", "remarks", "feedback", "justification"])
_SCORED = frozenset(["rating", "ratings", "score", "scores"])
_TOTALS = frozenset(["mean", "avg", "average", "total", "sum", "std"])
_OF_TOTALS = frozenset(["metric", "metrics", "metric_name", "measure"])
_QUESTION = re.compile(r"[?\uff1f]")
"""A question mark in the name of a survey's column, whose answers are not captions."""
_NAMED = re.compile(r"^\s*(\d{1,3})\s*[:=–-]\s*[^\W\d][^\n]*$")
_GRID = re.compile(r".+\[(.+)\]\s*")
"""A question and, in brackets, its subject: a grid's column in Google Forms."""
_MOST = 12
"""Maximum number of columns that the finding names."""


def say(header: Sequence[str], id: int, source: Source, sample: Sequence[Sequence[Any]]) -> bool:
    """Report a table without captions whose numbers are ratings, as the names of columns or of the file show.

    Return whether it is such a table; raters' remarks are not captions. `id` is the column of its ids or -1. With ids
    but without remarks, numbers may be facts about items; beside names of metrics, they are totals.
    """
    asked = {k for k, name in enumerate(header) if _QUESTION.search(name)}
    said = [k for k in range(len(header)) if are_sentences(sample, k) and has_words(sample, k)]
    if not sample or any(k not in asked and not no_caption(header[k]) for k in said):
        return False
    people = [k for k in range(len(header)) if set(words(header[k])) & (OF_ONE_PERSON | OF_JUDGES)]
    known = [k for k, name in enumerate(header) if rank(name, IDS) is not None or words(name)[-1:] in (["id"], ["uid"])]
    able = [k for k in range(len(header)) if k != id and scalar(sample, k)]
    numbers = [k for k in able if k not in known and values(sample, k) and all(map(_is_number, values(sample, k)))]
    criteria = [k for k in numbers if norm(header[k]) in {*BESIDE, *VALUE} or _SCORED & set(words(header[k]))]
    remarked = any(k in asked or set(words(header[k])) & _REMARKS for k in said)
    if (id >= 0 and not remarked) or {*map(norm, header)} & _OF_TOTALS:
        return False
    if not numbers or not (criteria or remarked or HINTS & set(in_name(source.stem))):
        return False
    across = [header[k] for k in numbers if (match := _GRID.fullmatch(header[k])) and len(match[1].split()) > 1]
    if len(across) > 1 and id < 0:
        source.log.add("ratings_across", source.name, n=len(across), example=f"`{clip(across[0])}`")
        return True
    numbers = [k for k in numbers if k not in people] or numbers
    numbers = [k for k in numbers if k in asked] or numbers
    called = [called_id(header, sample, of_items=True), *(k for k in known if k not in people)]
    first = [k for k in range(len(header)) if k not in criteria and may_name(sample, k)]
    id = next((k for k in (id, *called, *first) if k >= 0 and k not in people), -1)
    rated = [header[k] for k in numbers if k != id]
    rated = [name for name in rated if not set(words(name)) & _TOTALS] or rated
    raters = [header[k] for k in people if k in known or (k not in numbers and may_name(sample, k))][:1]
    told = in_roles([("id", [header[id]] if id >= 0 else ["FIELD"]), ("rating", rated), ("rater", raters)])
    columns = TrustedText(named([f"`{clip(one)}`" for one in rated[:_MOST]]))
    source.log.add("ratings_alone", source.name, columns=columns, option=TrustedText(told))
    return True


def _is_number(cell: Any) -> bool:
    """Return whether a cell is a number, alone or before its meaning: `4 : rather fluent`."""
    try:
        return isfinite(float(_NAMED.sub(r"\1", str(cell)))) and not isinstance(cell, bool)
    except ValueError:
        return False
