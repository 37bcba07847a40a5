"""Sets of captions drawn from a study: nested sets of a run's candidates, or people's captions in their place."""

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
"""Minimum share of items that must have as many captions as a case draws."""
REFERENCES = 5
"""Default number of references, as in COCO, so that additional references can take the place of candidates."""
LEFT_OUT_AGAINST, HALF = 19, 8
"""Maximum number of references that a left-out reference is compared with, and of references per side in "halves"."""
ITEMS = 1000
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)


class Case(NamedTuple):
    """A comparison made for every item: the numbers of captions by the run, or by people, and of references."""

    row: Row
    candidates: int
    references: int


@dataclass(frozen=True)
class Design:
    """The cases of one run and of people, at most `items` items, and the seed of all draws.

    `unit` gives the number of each item's cluster; () if items are independent.
    """

    run: str
    cases: tuple[Case, ...]
    items: int = ITEMS
    seed: int = 0
    unit: tuple[int, ...] = ()

    def of(self, row: Row) -> tuple[Case, ...]:
        """Return the cases of one row, by increasing number of captions."""
        return tuple(case for case in self.cases if case.row == row)


def common(counts: Sequence[int]) -> int:
    """Return the largest number that 95 % of these counts reach; 0 without counts."""
    return int(np.quantile(np.asarray(counts), 1 - SHARE, method="lower")) if len(counts) else 0


def design(
    study: Study,
    run: Run,
    sizes: Sequence[int] = SIZES,
    references: int = REFERENCES,
    items: int = ITEMS,
    seed: int = 0,
) -> Design:
    """Return the cases that a study has enough captions for.

    A row for the run and one for people use `references` references per item, or as many as there are. People's
    captions are drawn from the remaining references, so their row exists only if items have more. The rows "one left
    out" and "halves" use all references, up to a number that can be enumerated.
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
    """Return the ascending positions of the items used: all, or a seeded sample."""
    if len(study.items) <= made.items:
        return np.arange(len(study.items))
    return np.sort(np.random.default_rng(made.seed).choice(len(study.items), made.items, replace=False))


@lru_cache(maxsize=1024)
def order(texts: Captions, seed: int, side: int) -> tuple[int, ...]:
    """Return a random order of the texts that depends on them and the seed; its prefixes form nested sets."""
    found = np.random.default_rng([seed, side, int(digest(texts)[:15], 16)]).permutation(len(texts))
    return tuple(found.tolist())


def first(texts: Captions, seed: int, side: int, n: int) -> Captions:
    """Return the first n texts in their random order, or all if there are fewer."""
    return tuple(texts[k] for k in order(texts, seed, side)[:n])


def drawn(study: Study, run: Run, made: Design, place: int, case: Case) -> tuple[Captions, Captions] | None:
    """Return the candidates and references of one item in a case; None if they are too few."""
    item = study.items[place]
    references = first(item.references, made.seed, 0, len(item.references))
    against = references[: case.references]
    if case.row == "run":
        said = first(run.candidates.get(item.id, ()), made.seed, 1, case.candidates)
    else:
        said = references[case.references : case.references + case.candidates]
    enough = len(said) == case.candidates and len(against) == case.references
    return (said, against) if enough else None
