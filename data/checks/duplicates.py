"""Duplicate items of a study: items whose captions by people are equal or nearly so, or that share a picture."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from data.findings import Log
from data.pictures.given_pictures import Pictures
from data.study import Item, Study

LEAST_WORDS = 8
"""Minimum number of words in all references of an item together; references with fewer words may be equal by chance."""
NEAR, MOST_ITEMS = 0.6, 5_000
"""Minimum share of word bigrams that the references of two items must have in common to be nearly equal, and maximum
number of items in a study for such pairs to be sought.

Changing one word in each ten-word caption leaves 64 % of the bigrams in common.
"""
_RAREST, _MOST_ALIKE = 6, 20
_WORD = re.compile(r"\w+")
Groups = list[list[int]]


def check(study: Study, fixes: Container[str], log: Log, stated: bool, pictures: Pictures | None = None) -> Study:
    """Return the study with duplicates clustered by the repairs in force, and add findings about them.

    If `stated`, the clusters come from a file and are not changed.
    """
    same = equal(study)
    found = [("duplicate_items", "cluster_duplicates", same)]
    found += [("near_duplicates", "cluster_near_duplicates", _near(study.items, same))]
    for code, fix, groups in found:
        for group in groups:
            names = [study.items[place].id for place in group]
            log.add(code, study.name, id=names[0], count=len(names), fix=None if stated else fix, n=_more(groups))
        if groups and fix in fixes and not stated:
            study = _together(study, groups)
    groups = check_pictures(study, pictures, log, stated)
    return _together(study, groups) if "cluster_same_pictures" in fixes and not stated else study


def check_pictures(study: Study, pictures: Pictures | None, log: Log, stated: bool = False) -> Groups:
    """Return groups of positions of items that share a picture under several names, and add a finding for each group.

    Pictures are the same if they look the same, that is, if the JPEGs made from them are equal. Groups whose items are
    already in one cluster are left out.
    """
    of = pictures.match(study).of if pictures is not None else {}
    alike: dict[bytes, list[int]] = {}
    for k, item in enumerate(study.items):
        if pictures is not None and item.id in of:
            alike.setdefault(pictures.files[of[item.id]].content, []).append(k)
    found = [group for group in alike.values() if len({study.items[k].cluster or k for k in group}) > 1]
    for group in found:
        names = [study.items[k].id for k in group]
        fix = None if stated else "cluster_same_pictures"
        log.add("same_pictures", study.name, id=names[0], count=len(names), fix=fix, n=_more(found))
    return found


def equal(study: Study) -> Groups:
    """Return groups of positions of items with the same captions by people, ignoring order, case and punctuation.

    Single captions may be equal by chance, so items whose references are all the same text must also have the same
    captions by all runs. Items with fewer than LEAST_WORDS words in their references are left out.
    """
    known: dict[tuple[tuple[str, ...], ...], list[int]] = {}
    for place, item in enumerate(study.items):
        texts = _plain(item.references)
        if sum(text.count(" ") + 1 for text in texts if text) < LEAST_WORDS:
            continue
        alone = len(set(texts)) < 2
        said = [_plain(run.candidates.get(item.id, ())) for run in study.runs] if alone else []
        if not alone or any(said):
            known.setdefault((texts, *said), []).append(place)
    return [group for group in known.values() if len(group) > 1]


def _plain(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(" ".join(_WORD.findall(text.lower())) for text in texts))


def _near(items: Sequence[Item], same: Groups) -> Groups:
    """Return groups of items, by position, whose captions by people are nearly the same.

    Of equal items, only the first is compared. Return [] for more than MOST_ITEMS items.
    """
    if len(items) > MOST_ITEMS:
        return []
    repeated = {place for group in same for place in group[1:]}
    pairs = {k: _pairs(item.references) for k, item in enumerate(items) if k not in repeated}
    pairs = {k: of for k, of in pairs.items() if len(of) >= LEAST_WORDS and len(set(items[k].references)) > 1}
    times = Counter(pair for of in pairs.values() for pair in of)
    having: dict[tuple[str, str], list[int]] = {}
    groups = _Sets()
    for k, of in pairs.items():
        shared = [pair for pair in sorted(of, key=lambda pair: (times[pair], pair)) if times[pair] > 1]
        others = {other for pair in shared[:_RAREST] for other in having.get(pair, ())[:_MOST_ALIKE]}
        for other in sorted(others):
            if len(of & pairs[other]) >= NEAR * len(of | pairs[other]):
                groups.join(other, k)
        for pair in shared[:_RAREST]:
            having.setdefault(pair, []).append(k)
    return groups.found()


def _pairs(texts: Iterable[str]) -> frozenset[tuple[str, str]]:
    words = [_WORD.findall(text.lower()) for text in texts]
    return frozenset(pair for of in words for pair in pairwise(of))


def _more(groups: Groups) -> int:
    return sum(map(len, groups))


def _together(study: Study, groups: Groups) -> Study:
    """Return the study with each group of items in one cluster, merged with any clusters that these items had."""
    sets, first = _Sets(), dict[str, int]()
    for place, item in enumerate(study.items):
        if item.cluster:
            sets.join(first.setdefault(item.cluster, place), place)
    for group in groups:
        for place in group[1:]:
            sets.join(group[0], place)
    items = list(study.items)
    for places in sets.found():
        name = next((items[place].cluster for place in places if items[place].cluster), items[places[0]].id)
        for place in places:
            items[place] = replace(items[place], cluster=name)
    return replace(study, items=tuple(items))


class _Sets:
    """Disjoint sets of positions."""

    def __init__(self) -> None:
        self._of: dict[int, list[int]] = {}

    def join(self, one: int, other: int) -> None:
        first, second = (self._of.setdefault(place, [place]) for place in (one, other))
        if first is not second:
            first += second
            self._of |= dict.fromkeys(second, first)

    def found(self) -> Groups:
        each = {id(places): sorted(places) for places in self._of.values() if len(places) > 1}
        return sorted(each.values())
