"""People's ratings of a study's captions as metrics, so that they have intervals, ranks and tests like any score."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from data.ratings.human_ratings import SET, UNNAMED, WHOLE, Ratings, ratings_of
from data.study import ImportedScores, Study, of_study
from metrics.base import Metric, Stats
from metrics.bootstrap import LEAST
from metrics.chunk import Chunk
from metrics.suite.imported_scores import ImportedMetric

PREFIX = "rated "
"""Prefix of the criterion in a metric's name: no other metric's name has a space."""
RATINGS = "ratings"
"""Name of the set of a study's ratings by all criteria."""


@dataclass(frozen=True)
class RatedByPeople(ImportedMetric):
    """The mean of an item's ratings by one criterion, over raters and captions; more is better.

    It is `size_free` if single captions were rated: another caption of an item adds a rating, but does not raise the
    mean. A rating of all captions of an item together may rise with their number.
    """

    size_free: bool = False
    no_test: ClassVar[str] = "people's ratings have no permutation test: relabelled captions would be rated otherwise"
    no_human: ClassVar[str] = "the references were not rated"
    source: ClassVar[str] = "the ratings in the files of the study"
    formula: ClassVar[str] = r"\tfrac{1}{n}\sum_{i} \tfrac{1}{|R_i|}\sum_{r \in R_i} r"

    @property
    def criterion(self) -> str:
        """The criterion that people rated by, as named in the files."""
        return self.scores.name

    @property
    def label(self) -> str:
        name = self.scores.name
        named = " ".join(name.replace("_", " ").split()) or name
        return "ratings" if name.casefold() in (UNNAMED, *WHOLE) else f"ratings ({named})"

    @property
    def summary(self) -> str:  # type: ignore[override]
        return "What people thought of the captions: the mean of an item's ratings."

    def stats(self, context: Any, chunk: Chunk) -> Stats:
        found = super().stats(context, chunk)
        return replace(found, reasons=dict.fromkeys(found.reasons, "people did not rate it"))


@of_study
def rating_metrics(study: Study) -> dict[str, Metric]:
    """Return a metric for each criterion by which at least two runs are rated, overall criteria first."""
    found: dict[str, Metric] = {}
    for of in ratings_of(study):
        if len(np.unique(of.run)) > 1:
            name = f"{PREFIX}{of.criterion}"
            values = {run.name: _of_run(study, of, k) for k, run in enumerate(study.runs)}
            scores = ImportedScores(of.criterion, "item", True, -np.inf, np.inf, values)
            found[name] = RatedByPeople(scores, name, size_free=not (of.place == SET).any())
    return found


@of_study
def ranking_ratings(study: Study) -> Metric | None:
    """Return the first ratings by which runs can be ranked; None if there are none.

    All runs must have such ratings for the same items, at least LEAST of them.
    """
    for metric in rating_metrics(study).values():
        assert isinstance(metric, RatedByPeople)
        values = metric.scores.values
        rated = np.array([[values[run.name][item.id][0] for item in study.items] for run in study.runs])
        if np.isfinite(rated).all(axis=0).sum() >= LEAST:
            return metric
    return None


def _of_run(study: Study, of: Ratings, run: int) -> dict[str, tuple[float, ...]]:
    """Return the mean rating of each item of a run; NaN for an item without ratings."""
    mine, size = of.run == run, len(study.items)
    many = np.bincount(of.item[mine], minlength=size)
    total = np.bincount(of.item[mine], of.value[mine], size)
    means = np.where(many > 0, total / np.maximum(many, 1), np.nan)
    return {item.id: (float(mean),) for item, mean in zip(study.items, means)}
