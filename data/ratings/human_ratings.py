"""Ratings by people, as in `human` of a run: by one or more raters, of single candidates or of an item's whole set."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from data.study import DataError, Run, Study, of_study

UNNAMED = "rating"
"""The criterion of ratings whose criterion is not named."""
WHOLE = ("human_score", "human_rating", "human_overall")
"""Criteria whose names state only that people rated; they are displayed as overall ratings."""
OVERALL = ("overall", "total", "human_score", "human", "rating", "score", "quality", "m1")
"""Overall criteria, preferred ones first."""
SET = -1
"""The position that stands for all candidates of an item together."""
LARGEST = 1e12


class Rating(NamedTuple):
    """One rating: its criterion, the position of the candidate (`SET` for all of an item), the rater, and the value."""

    criterion: str
    place: int
    rater: str
    value: float


@dataclass(frozen=True, eq=False)
class Ratings:
    """All ratings of a study by one criterion, as arrays (n,): positions of run and item, place, rater and value.

    `rater` indexes `raters`; a place is `SET` if all candidates of the item were rated together.
    """

    criterion: str
    raters: tuple[str, ...]
    run: NDArray[np.int64] = field(repr=False)
    item: NDArray[np.int64] = field(repr=False)
    place: NDArray[np.int64] = field(repr=False)
    rater: NDArray[np.int64] = field(repr=False)
    value: NDArray[np.float64] = field(repr=False)

    def __len__(self) -> int:
        return len(self.value)


def read(value: Any, candidates: int) -> Iterator[Rating]:
    """Yield the ratings in `human` of one run for one item with `candidates` candidates; null is a gap.

    A number rates the only candidate, or all together; a list has one value per candidate, or one per rater if its
    length differs or there is one candidate; an object maps criteria, or raters within a criterion, to values. Raises
    ValueError for a value that cannot be read.
    """
    criteria = value if isinstance(value, Mapping) else {UNNAMED: value}
    for criterion, given in criteria.items():
        yield from (Rating(str(criterion), *one) for one in _of_criterion(given, candidates))


def _of_criterion(given: Any, candidates: int) -> Iterator[tuple[int, str, float]]:
    whole = 0 if candidates == 1 else SET
    if not isinstance(given, list):
        yield from ((whole, *one) for one in _by_rater(given))
        return
    nested = any(isinstance(one, list | Mapping) for one in given)
    if len(given) == candidates and (nested or candidates > 1):
        for place, one in enumerate(given):
            yield from ((place, *rating) for rating in _by_rater(one))
    elif nested:
        raise ValueError(f"{len(given)} entries for {candidates} candidates")
    else:
        yield from ((whole, *one) for one in _by_rater(given))


def _by_rater(given: Any) -> Iterator[tuple[str, float]]:
    if isinstance(given, Mapping):
        pairs = [(str(name), one) for name, one in given.items()]
    elif isinstance(given, list):
        pairs = [(str(number), one) for number, one in enumerate(given, 1)]
    else:
        pairs = [("", given)]
    for rater, one in pairs:
        if one is not None:
            yield rater, number(one)


def number(value: Any) -> float:
    """Return a rating as a finite float of plausible size. Raises ValueError for anything else."""
    known = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not known or abs(value) > LARGEST:
        raise ValueError("a rating that is not a finite number")
    return float(value) + 0.0  # -0.0 is 0


def written(ratings: list[Rating], candidates: int) -> dict[str, Any]:
    """Return the ratings of one run and item in the form of a record's `human`, from which `read` restores them."""
    found: dict[str, Any] = {}
    for criterion in dict.fromkeys(one.criterion for one in ratings):
        mine = [one for one in ratings if one.criterion == criterion]
        of = {place: {r.rater: r.value for r in mine if r.place == place} for place in {r.place for r in mine}}
        if candidates == 1:
            found[criterion] = of.get(0, {})
        elif set(of) == {SET}:
            found[criterion] = of[SET]
        else:
            found[criterion] = [of.get(place, {}) for place in range(candidates)]
    return found


@of_study
def ratings_of(study: Study) -> tuple[Ratings, ...]:
    """Return the ratings of a study's captions by criterion, overall criteria first.

    If a criterion has ratings of an item's single candidates, its ratings of that item's whole set are left out.
    """
    rows: dict[str, list[tuple[int, int, int, str, float]]] = {}
    for k, run in enumerate(study.runs):
        for i, item in enumerate(study.items):
            if run.human and item.id in run.human:
                for one in readable(run.human[item.id], len(run.candidates.get(item.id, ()))):
                    rows.setdefault(one.criterion, []).append((k, i, one.place, one.rater, one.value))
    ordered = sorted(rows, key=overall_first)
    return tuple(_as_arrays(criterion, rows[criterion]) for criterion in ordered)


def readable(value: Any, candidates: int) -> list[Rating]:
    """Return the ratings in `human` of one run and item; none if they are invalid, which loading has reported."""
    try:
        return list(read(value, candidates))
    except ValueError:
        return []


METADATA = "metadata."
"""Prefix of criteria that are fields of the items' metadata."""


def with_metadata(study: Study, field: str) -> Study:
    """Return the study with a numeric metadata field as ratings of runs' sets, under the criterion `metadata.FIELD`.

    Raises DataError, listing the numeric fields that exist, if no item has such a number.
    """
    name = field.removeprefix(METADATA)
    known = {item.id: found for item in study.items if (found := _numeric(item.metadata.get(name))) is not None}
    if not known:
        others = sorted(
            {key for item in study.items for key, one in item.metadata.items() if _numeric(one) is not None}
        )
        raise DataError(f"no item has a number {name!r} in its metadata; there are {', '.join(others) or 'none'}")
    return replace(study, runs=tuple(_with_rating(run, METADATA + name, known) for run in study.runs))


def metadata_fields(study: Study) -> list[str]:
    """Return the fields of the items' metadata whose numbers differ between items, in the order of the file."""
    found: dict[str, set[float]] = {}
    for item in study.items:
        for name, value in item.metadata.items():
            if (known := _numeric(value)) is not None:
                found.setdefault(name, set()).add(known)
    return [name for name, values in found.items() if len(values) > 1]


def _with_rating(run: Run, criterion: str, of: Mapping[str, float]) -> Run:
    human = dict(run.human or {})
    for id, value in of.items():
        if id in run.candidates:
            given = human.get(id, {})
            human[id] = {**(given if isinstance(given, Mapping) else {UNNAMED: given}), criterion: value}
    return replace(run, human=human)


def _numeric(value: Any) -> float | None:
    try:
        return number(value)
    except ValueError:
        return None


def overall_first(criterion: str) -> int:
    """Return the position of a criterion in OVERALL, or the length of OVERALL for any other criterion."""
    name = criterion.lower()
    return OVERALL.index(name) if name in OVERALL else len(OVERALL)


def _as_arrays(criterion: str, rows: list[tuple[int, int, int, str, float]]) -> Ratings:
    run, item, place, rater, value = zip(*rows)
    raters = tuple(dict.fromkeys(rater))
    number_of = {name: k for k, name in enumerate(raters)}
    places = run, item, place, [number_of[name] for name in rater]
    first, second, third, fourth = (np.array(column, dtype=np.int64) for column in places)
    return Ratings(criterion, raters, first, second, third, fourth, np.array(value))
