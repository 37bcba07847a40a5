"""The numbers of the References page as tables, as `trilens consensus` writes them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from data.study import Study
from metrics.analysis.references.budget import Budget
from metrics.analysis.references.own_scores import ScoredItem
from metrics.analysis.references.stability import Stability
from metrics.base import Metric
from metrics.engine.result import Result
from metrics.suite.consensus import Consensus, ConsensusBleu, Scored
from metrics.suite.quality import Bleu

PUBLISHED: dict[str, dict[str, tuple[float, float]]] = {
    "COCO": {"consensus_bleu": (0.335, 0.121), "meteor": (0.247, 0.069), "rouge_l": (0.466, 0.111)},
    "Flickr8k": {"consensus_bleu": (0.351, 0.126), "meteor": (0.267, 0.077), "rouge_l": (0.499, 0.119)},
}
"""Means and standard deviations over images from table 2 of Zhu et al. 2020, with five references per image."""
IMAGES = (50, 100, 200, 350, 500, 1000, 2500, 5000)
"""Numbers of items for which a budget's errors are listed."""


def consensus_metrics(metrics: Sequence[Metric]) -> tuple[Metric, ...]:
    """Return the consensus metrics (references against each other) of quality metrics; BLEU's mean comes first."""
    own = [metric for metric in metrics if isinstance(metric, Scored)]
    mean = (ConsensusBleu(),) if any(isinstance(metric, Bleu) for metric in own) else ()
    return (*mean, *(Consensus(metric) for metric in own))


def consensus_table(results: Sequence[Result]) -> pd.DataFrame:
    """Return one row per metric: mean and standard deviation over items, and n, as in Zhu et al. 2020, table 2.

    Each row also has the metric's signature, and its error or "".
    """
    rows = [
        {
            "metric": result.metric.name,
            "mean": result.corpus,
            "sd": result.sd,
            "n": result.n,
            "signature": result.metric.signature,
            "error": result.why() or "",
        }
        for result in results
    ]
    return pd.DataFrame(rows)


def of_study(study: Study, table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with the name of the study as its first column, so that tables can be combined."""
    return table.assign(study=study.name)[["study", *table.columns]]


def own_scores_table(study: Study, metric: str, found: Sequence[ScoredItem]) -> pd.DataFrame:
    """Return one row per reference of these items: the item's agreement and the reference's own score."""
    rows = [
        {"metric": metric, "item": item.id, "agreement": one.agreement, "reference": text, "score": float(score)}
        for one in found
        for item in [study.items[one.place]]
        for text, score in zip(item.references, one.scores)
    ]
    return pd.DataFrame(rows, columns=["metric", "item", "agreement", "reference", "score"])


def stability_table(study: Study, found: Sequence[Stability]) -> pd.DataFrame:
    """Return one row per metric, size and run; the shares that describe the order refer to all runs together.

    The shares cover the pairs of runs that differ significantly with all references, or all pairs if no pair does.
    """
    rows = [
        {
            "metric": one.metric,
            "references": size,
            "run": run.name,
            "mean": one.mean[place, k],
            "sd": one.sd[place, k],
            "with_all": one.full[k],
            "pairs_significant": one.pairs,
            "pairs_swapped": one.swapped[place],
            "order_differs": one.order_differs[place],
            "winner_differs": one.winner_differs[place],
            "draws": one.draws,
            "n": one.n,
        }
        for one in found
        for place, size in enumerate(one.sizes)
        for k, run in enumerate(study.runs)
    ]
    return pd.DataFrame(rows)


def budget_table(study: Study, found: Sequence[Budget]) -> pd.DataFrame:
    """Return the standard errors, one row per metric, number of items, number of references and run.

    `difference_error` and the `difference` that it applies to are medians over the other runs, NaN if the study has a
    single run. `extrapolated` marks more items than the study has.
    """
    rows = []
    for one in found:
        for images in sorted({*IMAGES, one.items}):
            for size in one.sizes:
                for k, run in enumerate(study.runs):
                    rest = [j for j in range(len(study.runs)) if j != k]
                    others = [one.difference_error(images, size, k, j) for j in rest]
                    gaps = [abs(one.gap(size, k, j)) for j in rest]
                    rows.append(
                        {
                            "metric": one.metric,
                            "items": images,
                            "references": size,
                            "run": run.name,
                            "standard_error": one.error(images, size, k),
                            "difference_error": float(np.median(others)) if others else np.nan,
                            "difference": float(np.median(gaps)) if gaps else np.nan,
                            "extrapolated": one.beyond(images),
                        }
                    )
    return pd.DataFrame(rows)
