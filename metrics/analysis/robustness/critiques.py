"""Scores of damaged captions by critiques of the study, which are trained once, whatever is damaged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from data.study import Captions, Study
from metrics.analysis.robustness.damaged_sets import HeldOutSet
from metrics.analysis.robustness.design import HeldOut
from metrics.cache.disk import Cache
from metrics.learned.critique_data import plain
from metrics.learned.critique_metric import Critique, judge
from metrics.learned.critique_result import TooFew
from metrics.mathematics.arrays import Floats
from metrics.progress import Hooks

if TYPE_CHECKING:
    from metrics.learned.critique import Judge


class Judges:
    """The critiques of all runs of a study, one for each critique metric, trained on first use."""

    def __init__(self, study: Study, cache: Cache, hooks: Hooks) -> None:
        self.study, self.cache, self.hooks = study, cache, Hooks(hooks.progress, hooks.should_stop)
        self._known: dict[Critique, Judge | str] = {}

    def totals(
        self, metric: Critique, chosen: Sequence[HeldOut | HeldOutSet], texts: Sequence[Captions]
    ) -> tuple[Floats, str]:
        """Return scores and counts (items, variants, 2) of damaged captions, both 0 if undefined.

        Also return the reason if there is no critique, else "".
        """
        variants = len(texts[0])
        one = self._judge(metric)
        if isinstance(one, str):
            return np.zeros((len(chosen), variants, 2)), one
        items = np.repeat([held.place for held in chosen], variants)
        sources = np.repeat([_place(self.study, held) for held in chosen], variants)
        scores = one.scores(items, [plain(text) for row in texts for text in row], sources)
        known = np.isfinite(scores)
        found = np.column_stack([np.where(known, scores, 0.0), known.astype(float)])
        return found.reshape(len(chosen), variants, 2), ""

    def _judge(self, metric: Critique) -> Judge | str:
        if metric not in self._known:
            try:
                self._known[metric] = judge(self.study, metric, self.cache, self.hooks)
            except TooFew as why:
                self._known[metric] = str(why)
        return self._known[metric]


def _place(study: Study, held: HeldOut | HeldOutSet) -> int:
    left = sorted(held.item.references)
    for place, text in enumerate(sorted(study.items[held.place].references)):
        if place >= len(left) or left[place] != text:
            return place
    return -1
