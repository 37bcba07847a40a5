"""Sets of captions drawn from a study: nested sets of a run's candidates, and people's own captions in their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from data.study import Captions, Run, Study, digest

Row = Literal["run", "people", "one left out", "halves"]
SHARE = 0.95
"""Share of the items that must have as many captions as a case draws."""
REFERENCES = 5
"""The default number of references, as in COCO, so that further ones can take the place of candidates."""
LEFT_OUT_AGAINST, HALF = 19, 8
"""Most references that a left-out one is compared with, and most per side of two halves."""
ITEMS = 1000
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)


class Case(NamedTuple):
    """A comparison made for every item: numbers of captions of the run, or of people, and of references."""

    row: Row
    candidates: int
    references: int


@dataclass(frozen=True)
class Design:
    """What is drawn: the cases of one run and of people, at most `items` items, and the seed of all draws.

    `unit` is the cluster of each of these items, by number; () where every item is by itself.
    """

    run: str
    cases: tuple[Case, ...]
    items: int = ITEMS
    seed: int = 0
    unit: tuple[int, ...] = ()

    def of(self, row: Row) -> tuple[Case, ...]:
        """Return the cases of one row, from few to many captions."""
        return tuple(case for case in self.cases if case.row == row)


def common(counts: Sequence[int]) -> int:
    """Return the number that 95 % of these counts reach; 0 without counts."""
    return int(np.quantile(np.asarray(counts), 1 - SHARE, method="lower")) if len(counts) else 0


def design(
    study: Study,
    run: Run,
    sizes: Sequence[int] = SIZES,
    references: int = REFERENCES,
    items: int = ITEMS,
    seed: int = 0,
) -> Design:
    """Return the cases that a study has captions for.

    A row of the run and one of people have `references` references of an item, or as many as there are; people's
    captions are drawn from the remaining references, so that the row exists only for items with more. The rows "one
    left out" and "halves" take all references, up to a number that can be enumerated.
    """
    has = common([len(item.references) for item in study.items])
    most = common([len(run.candidates.get(item.id, ())) for item in study.items])
    against = min(references, has)
    cases = [Case("run", n, against) for n in sorted(set(sizes)) if 1 <= n <= most and against]
    cases += [Case("people", n, against) for n in sorted(set(sizes)) if 1 <= n <= has - against]
    if has >= 2:
        cases.append(Case("one left out", 1, min(has - 1, LEFT_OUT_AGAINST)))
    if has >= 4:
        cases.append(Case("halves", min(has // 2, HALF), min(has - has // 2, HALF)))
    made = Design(run.name, tuple(cases), items, seed)
    if study.unit is None:
        return made
    return replace(made, unit=tuple(study.unit[chosen_items(study, made)].tolist()))


def chosen_items(study: Study, made: Design) -> NDArray[np.int64]:
    """Return the positions of the items that are used, ascending: all, or a seeded sample."""
    if len(study.items) <= made.items:
        return np.arange(len(study.items))
    return np.sort(np.random.default_rng(made.seed).choice(len(study.items), made.items, replace=False))


@lru_cache(maxsize=1024)
def order(texts: Captions, seed: int, side: int) -> tuple[int, ...]:
    """Return a random order that depends on the texts and the seed: its first n are a subset of its first n + 1."""
    found = np.random.default_rng([seed, side, int(digest(texts)[:15], 16)]).permutation(len(texts))
    return tuple(found.tolist())


def first(texts: Captions, seed: int, side: int, n: int) -> Captions:
    """Return the first n texts in their random order, or as many as there are."""
    return tuple(texts[k] for k in order(texts, seed, side)[:n])


def drawn(study: Study, run: Run, made: Design, place: int, case: Case) -> tuple[Captions, Captions] | None:
    """Return the candidates and references of one item in a case, None if it has too few."""
    item = study.items[place]
    references = first(item.references, made.seed, 0, len(item.references))
    against = references[: case.references]
    if case.row == "run":
        said = first(run.candidates.get(item.id, ()), made.seed, 1, case.candidates)
    else:
        said = references[case.references : case.references + case.candidates]
    enough = len(said) == case.candidates and len(against) == case.references
    return (said, against) if enough else None
