"""Match pictures to items by the image that the data names, by id, or by a pattern of names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from data.study import DataError, Item

LONGEST = 200
"""Maximum number of characters in a pattern."""
_DEPTH = 12
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}$")
_PLACE = re.compile(r"\{id(?::(0?)(\d{1,2})d?)?\}")
_NUMBER = re.compile(r"(\d{1,30})$")


@dataclass(frozen=True)
class Match:
    """The position of each item's picture among the files, by item id, and the number matched by each rule.

    `without` has the names of pictures that were not found, `ambiguous` the names that fit several different pictures,
    and `unused` the files that belong to no item.
    """

    of: Mapping[str, int]
    by: Mapping[str, int]
    without: tuple[str, ...]
    ambiguous: tuple[str, ...]
    unused: tuple[str, ...]


def valid_pattern(pattern: str) -> str:
    """Return a pattern of names, such as `COCO_val2014_{id:012d}.jpg`. Raises DataError if it is invalid."""
    pattern = pattern.strip()
    left = _PLACE.sub("", pattern)
    if len(pattern) > LONGEST or len(_PLACE.findall(pattern)) != 1 or "{" in left or "}" in left:
        raise DataError(
            "A pattern has {id} once, where the id appears in a picture's name: {id}.jpg, or {id:012d} for an id that "
            f"is filled with zeros to 12 digits; and at most {LONGEST} characters."
        )
    return pattern


def named(pattern: str, id: str) -> str | None:
    """Return the name that a pattern gives an item's picture.

    Return None if the pattern has no place for the id, or needs a number and the id is not one.
    """
    place = _PLACE.search(pattern)
    if place is None:
        return None
    width = int(place.group(2) or 0)
    if width and not re.fullmatch(r"\d{1,30}", id):
        return None
    filled = str(int(id)).zfill(width) if place.group(1) else id.rjust(width) if width else id
    return pattern[: place.start()] + filled + pattern[place.end() :]


def match(items: Sequence[Item], names: Sequence[str], keys: Sequence[str], pattern: str = "") -> Match:
    """Match items to pictures. `keys` identify the contents of the files: equal keys mean the same picture."""
    find = _finder(names, keys)
    of: dict[str, int] = {}
    by: Counter[str] = Counter()
    ambiguous: list[str] = []
    rest: list[Item] = []
    for item in items:
        rules = (("image", item.image), ("id", item.id), ("pattern", named(pattern, item.id) if pattern else None))
        found = [(rule, places) for rule, name in rules if name and (places := find(name))]
        one = next(((rule, places) for rule, places in found if len(places) == 1), None)
        if one is not None:
            of[item.id] = one[1][0]
            by[one[0]] += 1
        elif found:
            ambiguous.append(wanted(item, pattern))
        else:
            rest.append(item)
    numbered = _by_number(rest, names, keys, set(of.values()))
    of |= numbered
    by.update({"number": len(numbered)} if numbered else {})
    taken = {keys[place] for place in of.values()}
    without = tuple(wanted(item, pattern) for item in rest if item.id not in numbered)
    return Match(of, by, without, tuple(ambiguous), tuple(n for n, key in zip(names, keys) if key not in taken))


def wanted(item: Item, pattern: str = "") -> str:
    """Return the name under which an item's picture is sought: its image's, or else the pattern's, or its id."""
    return item.image or (named(pattern, item.id) if pattern else None) or item.id


def _parts(name: str) -> list[str]:
    if "://" in name:
        name = re.split(r"[?#]", name)[0]
    return [part for part in name.replace("\\", "/").split("/") if part][-_DEPTH:]


def _endings(name: str) -> list[str]:
    """Return the suffixes of a path, longest first, each with and without its extension."""
    parts = _parts(name)
    whole = ["/".join(parts[start:]) for start in range(len(parts))]
    return [key for path in whole for key in dict.fromkeys((path, _ENDING.sub("", path)))]


def _finder(names: Sequence[str], keys: Sequence[str]) -> Callable[[str], list[int]]:
    """Return a function that finds the positions of files by name.

    The longest common path suffix takes precedence, and an exact match precedes a match that ignores case. Of files
    with equal contents, only the first is returned.
    """
    exact: dict[str, list[int]] = {}
    folded: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        for ending in _endings(name):
            exact.setdefault(ending, []).append(place)
            folded.setdefault(ending.casefold(), []).append(place)
    for of in (exact, folded):
        of.update({ending: _distinct(places, keys) for ending, places in of.items() if len(places) > 1})

    def find(name: str) -> list[int]:
        for ending in _endings(name):
            if places := exact.get(ending) or folded.get(ending.casefold()):
                return places
        return []

    return find


def _distinct(places: Iterable[int], keys: Sequence[str]) -> list[int]:
    return list({keys[place]: place for place in reversed(list(places))}.values())


def _by_number(items: Sequence[Item], names: Sequence[str], keys: Sequence[str], taken: set[int]) -> dict[str, int]:
    """Match pictures by the number that ends both names, such as 139 and COCO_val2014_000000000139.jpg.

    A number counts only if it belongs to one item and one picture, and only if most numbers match, since numbers with
    another meaning would give items the wrong pictures.
    """
    free = [place for place in range(len(names)) if place not in taken]
    files = _numbers((place, names[place]) for place in free)
    wanting = _numbers((k, item.image or item.id) for k, item in enumerate(items))
    pairs = {number: _distinct(places, keys) for number, places in files.items() if len(wanting.get(number, ())) == 1}
    found = {items[wanting[number][0]].id: places[0] for number, places in pairs.items() if len(places) == 1}
    return found if 2 * len(found) > min(len(items), len(free)) else {}


def _numbers(named: Iterable[tuple[int, str]]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for place, name in named:
        last = (_parts(name) or [""])[-1]
        if number := _NUMBER.search(_ENDING.sub("", last)):
            found.setdefault(int(number.group(1)), []).append(place)
    return found
