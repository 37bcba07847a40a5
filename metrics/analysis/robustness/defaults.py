"""The defaults of the Robustness page and its section of the report, by name."""

from __future__ import annotations

from collections.abc import Sequence

from metrics.base import Metric
from metrics.registry import resolve

FAULTS = ("random_caption", "word_permutation", "random_words", "dropped_words", "repeated_clause")
OF_CAPTIONS = ("cider_d", "meteor", "bert", "bleu_1", "rouge_l", "bleu_4")
OF_SETS = (
    "trm_cider_d",
    "trm_bert",
    "mmd_bert",
    "ms_jaccard_4",
    "distinct_2",
    "self_cider",
    "corpus_self_bleu_4",
    "vocabulary",
)


def in_order(metrics: Sequence[Metric]) -> list[Metric]:
    """Return the metrics in the order of their columns: the defaults in the order above, then the others."""
    order = [*OF_CAPTIONS, *OF_SETS]
    return sorted(metrics, key=lambda one: order.index(one.name) if one.name in order else len(order))


def unaugmented() -> tuple[Metric, ...]:
    """Return the critique trained only on the runs' captions, for comparison with the one trained with augmentation."""
    return resolve(["critique(augmented=false)"])
