"""Names of metrics, and whether higher or lower values of them are better."""

from __future__ import annotations

import re

from data.fields.word_lists import word_set

OF_METRICS = re.compile(
    r"(ref)?_?(bleu|rouge|meteor|cider|spice|spider|fense|clip_?score|pac_?score|bert_?score|bleurt|comet|chrf|polos)"
)
"""The beginning of a metric's name, in lower case, with underscores for spaces and hyphens."""
_VARIANT = re.compile(r"([_.]?(\d|l|lsum|d|r|s|f|p|n|precision|recall|fmeasure|score|all|mean|avg))*")
"""Endings of the names of metrics whose higher values are better: `bleu_4`, `cider_d`, `rouge_l.fmeasure`.

No alternative is a concatenation of others, as a long name from a file could otherwise match in exponentially many
ways.
"""
_ERRORS = word_set("chair chairs chairi chair_s chair_i ter wer cer edit_distance")
_LOWER = _ERRORS | word_set("per perplexity ppl nll loss fid kid rank ranks")
OF_ANSWERS = word_set(
    "faithfulness groundedness answer_relevancy answer_relevance answer_correctness answer_similarity "
    "context_precision context_recall context_relevancy context_relevance context_entity_recall semantic_similarity "
    "factual_correctness"
)
"""Scores from 0 to 1 that programs such as Ragas compute for answers; people rate some of these on other scales."""


def is_error(name: str) -> bool:
    """Return whether a name, in lower case, means an error rate, which makes it a metric of captions."""
    return name in _ERRORS


def is_lower_better(name: str) -> bool:
    """Return whether lower values of a metric of that name are better, unless a file states otherwise."""
    return name.lower().strip() in _LOWER


def is_known(name: str) -> bool:
    """Return whether higher values of a metric of that name, in any variant, are known to be better."""
    bare = re.sub(r"[\s/-]+", "_", name.strip().lower())
    # A metric may be in an object: `scores.cider_d`.
    found = (OF_METRICS.match(bare, start) for start in (0, *(dot.end() for dot in re.finditer(r"\.", bare))))
    return any(one is not None and _VARIANT.fullmatch(bare[one.end() :]) is not None for one in found)
