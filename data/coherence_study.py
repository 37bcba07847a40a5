"""Training data from a study's own captions: coherence labels with the ratings by people."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from data.findings import Log, unmarked
from data.formats.containers import json_text
from data.load import load_study
from data.ratings.coherence import of_candidates, of_references
from data.ratings.coherence_ratings import Rated, Ratings, in_order, read, read_rows, with_references
from data.ratings.human_ratings import SET, ratings_of
from data.study import DataError, Study, digest, of_study


@dataclass(frozen=True, eq=False)
class OwnRatings:
    """The labelled captions of a study, each paired with a reference; the rating of a caption is NaN if no person rated
    it.
    """

    rated: tuple[Rated, ...] = field(repr=False)

    @cached_property
    def digest(self) -> str:
        """The sha256 digest of captions, labels, references and ratings."""
        return digest([[repr(value) for value in vars(one).values()] for one in self.rated])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OwnRatings) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    @cached_property
    def known(self) -> tuple[Rated, ...]:
        """The captions that people rated."""
        return tuple(one for one in self.rated if math.isfinite(one.rating))

    @cached_property
    def of(self) -> dict[tuple[str, str, str], list[Rated]]:
        """The rows by image, caption and label; each caption has one row per reference."""
        found: dict[tuple[str, str, str], list[Rated]] = {}
        for one in self.rated:
            found.setdefault((one.image, one.caption, one.label), []).append(one)
        return found

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The labels of captions and references, sorted by name."""
        return tuple(sorted({label for one in self.rated for label in (one.label, one.reference_label) if label}))

    @cached_property
    def images(self) -> int:
        """The number of images that have a caption rated by people."""
        return len({one.image for one in self.known})


@of_study
def own_ratings(study: Study) -> OwnRatings:
    """Return the labelled captions of a study with their ratings, 0 to 1, in a fixed order.

    A caption is rated by the criterion with the same name as its label, or else by the study's first criterion. Its
    rating is the mean over raters and over runs with the same caption, scaled so that the criterion's lowest value is 0
    and its highest 1. Each caption is paired with every labelled reference of its item or, if no item has references,
    with the best other caption of its item that is rated .75 or higher.
    """
    said = _mean_ratings(study)
    found: dict[tuple[str, str, str], list[float]] = {}
    for run in study.runs:
        for item in study.items:
            labels = of_candidates(run, item.id)
            for place, (text, label) in enumerate(zip(run.candidates.get(item.id, ()), labels)):
                if label:
                    of = said.get((run.name, item.id, place), {})
                    rating = of.get(label.casefold(), of.get("", math.nan))
                    found.setdefault((item.id, text, label), []).append(rating)
    rated = [Rated(*key, _mean(values)) for key, values in sorted(found.items())]
    references = {item.id: list(zip(item.references, of_references(item))) for item in study.items}
    if not any(references.values()):
        known = with_references(Ratings(tuple(one for one in rated if math.isfinite(one.rating)), {}))
        return OwnRatings(tuple(in_order(known.rated)))
    return OwnRatings(tuple(in_order(_against(rated, references))))


def ratings_in(name: str, data: bytes) -> Ratings:
    """Return the ratings in a file: a table like RaCCoon's, JSON or JSON Lines of ratings, or a study with ratings.

    Raises DataError for any other file.
    """
    if not json_text.looks_like_json(data, name):
        return with_references(read(name, data))
    log = Log()
    parsed = json_text.parse(data, name, log)
    rows = parsed[0] if parsed else None
    if isinstance(rows, list) and rows and all(isinstance(row, dict) and "label" in row for row in rows):
        return with_references(read_rows(name, rows))
    loaded = load_study([(name, data)])
    if loaded.study is None:
        why = next((unmarked(f"{one.problem} {one.repair}") for one in loaded.errors), "it holds no captions.")
        raise DataError(f"{name}: {why}")
    found = own_ratings(loaded.study)
    without = len(set(found.of)) - len({(o.image, o.caption, o.label) for o in found.known})
    return Ratings(found.known, {"no rating beside the label": without} if without else {})


def _against(rated: list[Rated], references: Mapping[str, list[tuple[str, str]]]) -> Iterator[Rated]:
    for one in rated:
        for text, label in sorted(set(references[one.image])):
            if label:
                yield Rated(one.image, one.caption, one.label, one.rating, text, label)


def _mean_ratings(study: Study) -> dict[tuple[str, str, int], dict[str, float]]:
    """Return the mean rating (0 to 1) of each candidate by criterion in lower case; "" is the first criterion.

    Candidates are identified by run, item and position.
    """
    found: dict[tuple[str, str, int], dict[str, list[float]]] = {}
    for number, of in enumerate(ratings_of(study)):
        low, high = float(of.value.min()), float(of.value.max())
        names = [of.criterion.casefold(), *([""] if number == 0 else [])]
        for run, item, place, value in zip(of.run, of.item, of.place, of.value):
            if place != SET and high > low:
                key = (study.runs[run].name, study.items[item].id, int(place))
                for name in names:
                    found.setdefault(key, {}).setdefault(name, []).append((float(value) - low) / (high - low))
    return {key: {name: _mean(values) for name, values in of.items()} for key, of in found.items()}


def _mean(values: list[float]) -> float:
    known = [value for value in values if math.isfinite(value)]
    return sum(known) / len(known) if known else math.nan
