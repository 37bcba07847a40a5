"""Metrics of whole runs: each variant is a run with the sets of all items, a share of whose captions is damaged.

Exchanging captions between items would give the same run in another order. The zero point of such a metric is therefore
its value for a run whose words are drawn at random from the study's vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from data.study import Item, Run, Settings, Study
from metrics.analysis.robustness.damaged_sets import BETWEEN, HeldOutSet
from metrics.analysis.robustness.design import Design
from metrics.base import Metric
from metrics.engine.result import Result
from metrics.mathematics.arrays import Floats
from metrics.transformations import Material, transformed, vocabulary
from metrics.transformations.pathological import RandomWords

RANDOM = 1
"""Index of the run of random words among the variants, which for sets is the index of another item's captions."""


def runs_study(study: Study, design: Design, chosen: Sequence[HeldOutSet], texts: Sequence[Sequence[str]]) -> Study:
    """Return a study of the chosen items with one run per variant, in their order, from `texts` (items, variants)."""
    items = tuple(Item(str(one.place), one.item.references) for one in chosen)
    columns = [[tuple(text.split(BETWEEN)) for text in column] for column in zip(*texts)]
    columns[RANDOM] = _random_words(study, design, chosen)
    made = tuple(
        Run(str(k), str(k), Settings(), {item.id: captions for item, captions in zip(items, column)})
        for k, column in enumerate(columns)
    )
    return Study(study.name, items, made, tokenizer=study.tokenizer)


def _random_words(study: Study, design: Design, chosen: Sequence[HeldOutSet]) -> list[tuple[str, ...]]:
    words = vocabulary([reference.split() for item in study.items for reference in item.references])
    prepared = RandomWords().prepare(Material((), words, ()))
    return [
        tuple(
            " ".join(transformed(prepared, caption.words, 1.0, caption.rng(design, prepared, 0.0)))
            for caption in one.captions
        )
        for one in chosen
    ]


def rows(metric: Metric, items: int) -> int:
    """Return the number of rows of statistics: `items`, or 1 if the value is not a sum over items."""
    return items if metric.of_items or metric.additive else 1


def totals(metric: Metric, results: Sequence[Result]) -> Floats:
    """Return statistics (rows, variants, columns) of the runs; zeros where a run has no value."""
    if any(np.isnan(result.corpus) for result in results):
        return np.zeros((rows(metric, results[0].n_items), len(results), 1))
    if metric.additive:
        return np.stack([result.totals for result in results], axis=1)
    return np.array([[(result.corpus, 1.0) for result in results]])


def why(results: Sequence[Result]) -> str:
    """Return the reason why the first run without a value has none; "" if all runs have values."""
    return next((said for result in results if (said := result.why())), "")
