"""The defaults of the Robustness page and its section of the report, by name."""

from __future__ import annotations

from metrics.base import Metric
from metrics.registry import resolve

FAULTS = ("random_caption", "word_permutation", "random_words", "dropped_words", "repeated_clause")
OF_CAPTIONS = ("bleu_4", "cider_d", "bleu_1", "meteor", "bert", "rouge_l")
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


def unaugmented() -> tuple[Metric, ...]:
    """Return the critique trained only on the runs' captions, for comparison with the one trained with augmentation."""
    return resolve(["critique(augmented=false)"])
