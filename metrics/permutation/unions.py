"""The score of candidates against the union of all references' facts, under many labellings of one item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from metrics.mathematics.arrays import Floats, Labels

Part = Literal["f1", "precision", "recall"]


@dataclass(frozen=True)
class Unions:
    """The facts of an item's N texts: which of T facts each text `has` (N, T), and which pairs mean the `same` (T, T).

    A candidate's facts are scored against the union of the references' facts, by F1, precision or recall (`part`); the
    score is 0 if either set is empty.
    """

    has: Labels
    same: Labels
    part: Part = "f1"

    def values(self, labels: Labels) -> Floats:
        """(B,) mean score of the candidates under labellings (B, N)."""
        means: Floats = (self.scores(~labels) * labels).sum(axis=1) / labels.sum(axis=1)
        return means

    def scores(self, references: Labels) -> Floats:
        """(B, N) score of every text against the union of each choice (B, N) of references."""
        has, same = self.has.astype(np.float32), self.same.astype(np.float32)  # counts below 2**24 are exact
        union = (references.astype(np.float32) @ has > 0).astype(np.float32)
        covered = (union @ same > 0).astype(np.float32)
        near = (has @ same > 0).astype(np.float32)
        precision = (covered @ has.T).astype(float) / np.maximum(self.has.sum(axis=1), 1)
        recall = (union @ near.T).astype(float) / np.maximum(union.sum(axis=1), 1)[:, None]
        scores = {"precision": precision, "recall": recall}.get(self.part)
        if scores is None:
            both = precision + recall
            scores = np.divide(2 * precision * recall, both, out=np.zeros_like(both), where=both > 0)
        return scores
