"""Roles that a person gives to the fields of records, as text or as a mapping."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from data.records import Columns
from data.study import DataError

ROLES = ("id", "candidates", "references", "run", "setting", "metadata", "score", "rating", "rater", "ignore")
_ONE = {"run": "a caption has one run", "rater": "a rating has one rater"}
Roles = str | Mapping[str, str | Sequence[str]]
"""Fields by role, as a text such as "id=doc_id,candidates=a+b" or as a mapping of roles to field names."""


def columns_of(given: Roles) -> Columns:
    """Return the roles as columns; in the text "candidates=a,candidates=b", each field is a run.

    Raises DataError for a role that does not exist or has no field, and for several fields as run or rater.
    """
    parts = list(map(_part, _split(given, ","))) if isinstance(given, str) else list(map(_listed, given.items()))
    found: dict[str, list[str]] = {role: [] for role in ROLES}
    for role, names in parts:
        if role not in found or not names:
            told = f"={'+'.join(names)}" if names else ""
            raise DataError(f"{role}{told}: write ROLE=FIELD, with one of the roles {', '.join(ROLES)}")
        found[role] += names
    for role, why in _ONE.items():
        if len(found[role]) > 1:
            raise DataError(f"{role}={'+'.join(found[role])}: {why}")
    settings, metadata, ignored = (tuple(found[role]) for role in ("setting", "metadata", "ignore"))
    scores, ratings, rater = tuple(found["score"]), tuple(found["rating"]), next(iter(found["rater"]), None)
    texts = tuple(found["candidates"]), tuple(found["references"])
    each = [role for role, _ in parts].count("candidates") > 1
    made = Columns(tuple(found["id"]), *texts, next(iter(found["run"]), None))
    made = replace(made, settings=settings, metadata=metadata, ignored=ignored, each=each)
    return replace(made, scores=scores, ratings=ratings, rater=rater)


def _part(text: str) -> tuple[str, list[str]]:
    role, _, names = text.partition("=")
    return role.strip(), [name.strip().strip('"') for name in _split(names, "+")]


def _listed(part: tuple[str, str | Sequence[str]]) -> tuple[str, list[str]]:
    role, names = part
    return role, [names] if isinstance(names, str) else list(names)


def _split(text: str, mark: str) -> list[str]:
    parts = re.split(rf'{re.escape(mark)}(?=(?:[^"]*"[^"]*")*[^"]*$)', text)
    return [part for part in parts if part.strip()]
