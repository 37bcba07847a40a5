"""Two files of references with equal ids but different contents: two data sets that number their items alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from statistics import fmean, stdev

from data.findings import Log
from data.records import Part

_WORD = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_FEWEST, _LOOKED_AT = 5, 200
"""Minimum number of common items for a comparison of two files by words, and maximum number of items compared."""
_LEAST = 1.25
"""Minimum ratio of the words shared by references of one item to the words shared by references of two items."""


def check(parts: Sequence[Part], log: Log) -> None:
    """Report a file of references if it and an earlier file use the same ids for different items.

    Under the same ids, its references share hardly more words with those of the earlier file than under different ids,
    or both the references and the questions beside them differ for all ids. The earlier file is the one in which most
    of the ids first occur.
    """
    said: list[dict[str, list[str]]] = []
    first: dict[str, int] = {}
    kept = [part for part in parts if part.first_of is None]
    for place, part in enumerate(kept):
        said.append({record.id: record.references for record in part.records if record.references})
        met = Counter(first[id] for id in said[-1] if id in first)
        for other, count in met.most_common(1):
            shared = [id for id in said[-1] if first.get(id) == other][:: -(-count // _LOOKED_AT)]
            words = [[frozenset(_WORD.findall(" ".join(said[k][id]).lower())) for id in shared] for k in (other, place)]
            if (count >= _FEWEST and _differ(*words)) or (count > 1 and _ask_others(kept[other], part, shared, words)):
                log.add("references_of_others", part.file, id=shared[0], other=kept[other].file)
        for id in said[-1]:
            first.setdefault(id, place)


def _ask_others(first: Part, second: Part, shared: Sequence[str], words: Sequence[Sequence[frozenset[str]]]) -> bool:
    """Return whether no id has the same references in both files, and some field of several words differs for all
    ids.
    """
    told = [{record.id: record.metadata for record in part.records} for part in (first, second)]
    facts = [(told[0].get(id, {}), told[1].get(id, {})) for id in shared]
    names = [name for name, value in facts[0][0].items() if isinstance(value, str) and len(value.split()) > 1]
    differ = [name for name in names if all(a.get(name) and b.get(name) and a[name] != b[name] for a, b in facts)]
    return bool(differ) and not any(a == b for a, b in zip(*words))


def _differ(first: Sequence[frozenset[str]], second: Sequence[frozenset[str]]) -> bool:
    """Return whether references with the same id in both files share hardly more words than references with different
    ids.
    """
    others = [second[(k + 1) % len(second)] for k in range(len(second))]
    own = [_alike(a, b) for a, b in zip(first, second)]
    chance = [_alike(a, b) for a, b in zip(first, others)]
    over = [a - b for a, b in zip(own, chance)]
    error = stdev(over) / len(over) ** 0.5
    return fmean(over) <= error or fmean(own) < _LEAST * fmean(chance)


def _alike(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / max(len(first | second), 1)
