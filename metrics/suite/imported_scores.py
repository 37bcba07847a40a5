"""Scores imported from a file, as metrics: only their means and intervals are computed here."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from data.study import ImportedScores, Study
from metrics.base import Family, Grain, Metric, Stats
from metrics.chunk import Chunk, Learns, caption_order

Values = Mapping[str, tuple[float, ...]]
JUDGED_NO_TEST = "a judge's scores have no permutation test: relabelled captions would have to be judged again"
NO_TEST = "imported scores have no permutation test: relabelled captions would have to be scored again elsewhere"


@dataclass(frozen=True)
class ImportedMetric(Metric):
    """Scores that were computed elsewhere and read from a file."""

    scores: ImportedScores
    name: str = ""
    family: ClassVar[Family] = "quality"
    no_human: ClassVar[str] = "the references were not scored where these scores come from"
    formula: ClassVar[str] = r"\tfrac{1}{n}\sum_{i} \tfrac{1}{|C_i|}\sum_{c \in C_i} x_c"

    @property
    def label(self) -> str:
        return f"{self.scores.name} ({'judged' if self.scores.signature else 'imported'})"

    @property
    def no_test(self) -> str:  # type: ignore[override]
        return JUDGED_NO_TEST if self.scores.signature else NO_TEST

    @property
    def source(self) -> str:  # type: ignore[override]
        if self.scores.signature:
            return "answers of a judge; its prompt, model and settings are in the signature"
        return "a file of scores; how they were computed is not known"

    @property
    def summary(self) -> str:  # type: ignore[override]
        return {
            "candidate": "An item has the mean of its candidates' scores, and no value if one of them has no score.",
            "item": "Items have one value each; how it was computed from their candidates is not known.",
            "run": "Each run has one value, so there is neither an interval nor a paired test.",
        }[self.scores.grain]

    @property
    def grain(self) -> Grain:  # type: ignore[override]
        return self.scores.grain

    @property
    def higher_is_better(self) -> bool:  # type: ignore[override]
        return self.scores.higher_is_better

    @property
    def additive(self) -> bool:  # type: ignore[override]
        return self.of_items

    @property
    def no_interval(self) -> str:  # type: ignore[override]
        return "" if self.of_items else "one imported value of a whole run does not show how certain it is"

    @property
    def size_free(self) -> bool:
        return self.scores.grain == "candidate"

    @property
    def bounds(self) -> tuple[float, float]:
        return self.scores.low, self.scores.high

    @property
    def parameters(self) -> str:
        scores = self.scores
        side = "higher" if scores.higher_is_better else "lower"
        made = f"judged|{scores.signature}" if scores.signature else "imported"
        return f"{made}|values:{scores.digest[:12]}|better:{side}|range:{scores.low:g}..{scores.high:g}"

    @property
    def learns(self) -> Learns:
        return "names"

    def prepare(self, study: Study) -> Values:
        """Return the values of the study's only run by item, for candidates in the order of a chunk.

        An item whose number of candidates differs from that of its values is left out.
        """
        run = next(iter(study.runs), None)
        values = self.scores.values.get(run.name, {}) if run else {}
        if run is None or self.scores.grain != "candidate":
            return values
        return {
            id: tuple(of[place] for place in caption_order(run.candidates[id]))
            for id, of in values.items()
            if len(of) == len(run.candidates.get(id, ()))
        }

    def stats(self, context: Any, chunk: Chunk) -> Stats:
        if self.scores.grain == "run":
            (value,) = context.get("", (np.nan,))
            return Stats(np.array([[value]]), np.zeros(1, dtype=np.int64), 1, _why({0: [value]}, "run"))
        sizes = [chunk.sizes(k)[0] if self.scores.grain == "candidate" else 1 for k in range(len(chunk))]
        rows = [context.get(id) or (np.nan,) * size for id, size in zip(chunk.ids, sizes, strict=True)]
        flat = np.array([value for row in rows for value in row], dtype=float).reshape(-1, 1)
        return Stats(flat, np.repeat(np.arange(len(rows)), sizes), len(rows), _why(dict(enumerate(rows)), "item"))


def _why(rows: Mapping[int, Any], of: str) -> dict[int, str]:
    found = {}
    for place, row in rows.items():
        gaps = int(np.isnan(np.asarray(row, dtype=float)).sum())
        if gaps or not len(row):
            part = f" for {gaps} of its {len(row)} captions" if len(row) > 1 else f" of this {of}"
            found[place] = f"the imported scores have no value{part}"
    return found


def score_metrics(study: Study, taken: Container[str]) -> dict[str, ImportedMetric]:
    """Return the imported metrics of a study by name; a metric whose name is in `taken` becomes `imported_NAME`."""
    names = {f"imported_{one.name}" if one.name in taken else one.name: one for one in study.scores}
    return {name: ImportedMetric(scores, name) for name, scores in names.items()}
