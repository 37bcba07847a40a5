"""Metrics of whole runs: a run has the sets of all items, with a share of the captions damaged.

Another item's captions would be the same run in another order. The zero point of such a metric is therefore its value
for a run whose words are all drawn from the study's vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from data.study import Item, Run, Settings, Study
from metrics.analysis.robustness.design import Design
from metrics.analysis.robustness.sets import BETWEEN, HeldOutSet
from metrics.base import Metric
from metrics.engine.result import Result
from metrics.mathematics.arrays import Floats
from metrics.transformations import Material, transformed, vocabulary
from metrics.transformations.pathological import RandomWords

RANDOM = 1
"""The place of the run of random words among the variants, which for sets is that of another item's captions."""


def runs_study(study: Study, design: Design, chosen: Sequence[HeldOutSet], texts: Sequence[Sequence[str]]) -> Study:
    """Return the study of the chosen items with a run for each variant, in their order; `texts` (items, variants)."""
    items = tuple(Item(str(one.place), one.item.references) for one in chosen)
    columns = [[tuple(text.split(BETWEEN)) for text in column] for column in zip(*texts)]
    columns[RANDOM] = _random_words(study, design, chosen)
    made = tuple(_run(k, items, column) for k, column in enumerate(columns))
    return Study(study.name, items, made, tokenizer=study.tokenizer)


def _run(k: int, items: Sequence[Item], column: Sequence[tuple[str, ...]]) -> Run:
    return Run(str(k), str(k), Settings(), {item.id: captions for item, captions in zip(items, column)})


def _random_words(study: Study, design: Design, chosen: Sequence[HeldOutSet]) -> list[tuple[str, ...]]:
    """For each item, as many captions as in its set, of as many random words."""
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
    """Return the number of rows of statistics: one per run where the value is not a sum over items."""
    return items if metric.of_items or metric.additive else 1


def totals(metric: Metric, results: Sequence[Result]) -> Floats:
    """(rows, variants, columns) statistics of the runs; zeros where one has no value."""
    if any(np.isnan(result.corpus) for result in results):
        return np.zeros((rows(metric, results[0].n_items), len(results), 1))
    if metric.additive:
        return np.stack([result.totals for result in results], axis=1)
    return np.array([[(result.corpus, 1.0) for result in results]])


def why(results: Sequence[Result]) -> str:
    """Return the reason of the first run without a value, else ""."""
    return next((said for result in results if (said := result.why())), "")
