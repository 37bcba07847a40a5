"""Match the ids in a file to the references' despite differences in type, zero padding, folder, extension and case."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from pathlib import PurePosixPath

from data.findings import Log
from data.records import Part

_QUERY = re.compile(r"[?#].*$", re.DOTALL)
_COCO = re.compile(r"^COCO_(?:train|val|test)\d{4}_0*(\d+)$")
_DIGITS = re.compile(r"^0*(\d+)$")
_DECIMAL = re.compile(r"^0*(\d+)\.0+$")
_YOUTUBE = re.compile(r"^Y([\w-]{11})$", re.ASCII)
_HOW = (
    *("folders, file names or endings", "zero padding", "COCO's long and short image names", "decimals"),
    *("a Y before the ids of YouTube, as AudioSet has it", "upper and lower case"),
)
_FOLDED = "\0"
"""Prefix of lower-case forms, which match only each other and never an id."""


def forms(id: str) -> list[tuple[int, str]]:
    """Return simplified forms of an id, from least to most changed, each with the number in `_HOW` of the kind of
    difference that it removes.
    """
    stem = _name(id)
    stem = stem.rsplit(".", 1)[0] if re.search(r"\.[A-Za-z][A-Za-z0-9]{1,4}$", stem) else stem
    made = [(0, stem)]
    for way, pattern in ((1, _DIGITS), (2, _COCO), (3, _DECIMAL), (4, _YOUTUBE)):
        match = pattern.match(stem)
        if match:
            made.append((way, match.group(1)))
    if (folded := stem.casefold()) != stem.upper():  # there are letters
        made.append((5, f"{_FOLDED}{folded}"))
    return made


def _name(id: str) -> str:
    if "/" not in id and "\\" not in id and id != ".":
        return id
    return PurePosixPath((_QUERY.sub("", id) if "://" in id else id).replace("\\", "/")).name


def forms_of(ids: Iterable[str]) -> set[str]:
    """Return every form of the ids."""
    return {form for id in ids for _, form in forms(id)}


def is_among(id: str, known: Container[str]) -> bool:
    """Return whether any form of an id is in `known`, a set of forms as `forms_of` returns it."""
    return any(form in known for _, form in forms(id))


class Index:
    """An index of the references' ids by every form that identifies a single item."""

    def __init__(self) -> None:
        self.ids: set[str] = set()
        self._forms: dict[str, tuple[str, int] | None] = {}
        self._also: dict[str, str | None] = {}

    def add(self, id: str, aliases: Iterable[str] = ()) -> None:
        """Add an item with its other names."""
        self.ids.add(id)
        for name in {*aliases, *map(_name, aliases)}:
            # A name that two items share identifies neither, nor does a form.
            self._also[name] = id if self._also.get(name, id) == id else None
        for name in (id, *aliases):
            for way, form in forms(name):
                known = self._forms.setdefault(form, (id, way))
                self._forms[form] = known if known is not None and known[0] == id else None

    def find(self, id: str, also: Iterable[str] = ()) -> tuple[int, str] | None:
        """Return the number of the kind of difference and the matching item; None unless a single item matches."""
        for name in (id, _name(id), *also):
            known = self._also.get(name)
            if known is not None:
                return 0, known
        for name in (id, *also):
            for way, form in forms(name):
                if (of_form := self._forms.get(form)) is not None:
                    return max(way, of_form[1]), of_form[0]
        return None


def align(
    part: Part, index: Index, log: Log, allowed: bool, written: Callable[[str], Sequence[str]] = lambda _: ()
) -> dict[str, str]:
    """Return the item id for every id of a part; an id that matches no item stays unchanged.

    Unless `allowed`, all ids stay unchanged, and matches are only reported. Exact ids take precedence. If several ids
    would match one item, none does, with a finding. No id is matched if most records of a run have references and share
    none with those `written` for their item, as in samples of two tasks.
    """
    ids = {record.id: record.aliases for record in part.records}
    made = {id: id for id in ids}
    if not index.ids:
        return made
    taken = {id for id in ids if id in index.ids}
    where = {record.id: record.where for record in reversed(part.records) if record.id not in taken}
    found = {id: met for id in ids if id in where and (met := index.find(id, ids[id])) and met[1] not in taken}
    told = {record.id: set(record.references) for record in part.records if record.candidates and record.references}
    apart = [told[id].isdisjoint(known) for id, (_, item) in found.items() if id in told and (known := written(item))]
    if 2 * sum(apart) > len(apart):
        return made
    claims = Counter(item for _, item in found.values())
    for id, (way, item) in found.items():
        if claims[item] > 1:
            log.add("ids_unclear", part.file, where[id], id)
            continue
        log.add("ids_matched", part.file, where[id], id, how=_HOW[way])
        if allowed:
            made[id] = item
    return made
