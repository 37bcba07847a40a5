"""Names of metrics, and whether higher or lower values of them are better."""

from __future__ import annotations

import re

OF_METRICS = re.compile(
    r"(ref)?_?(bleu|rouge|meteor|cider|spice|spider|fense|clip_?score|pac_?score|bert_?score|bleurt|comet|chrf|polos)"
)
"""The beginning of a metric's name, in lower case, with underscores for spaces and hyphens."""
_VARIANT = re.compile(r"([_.]?(\d|l|lsum|d|r|s|f|p|n|precision|recall|fmeasure|score|all|mean|avg))*")
"""What may follow in the name of a metric whose higher values are better: `bleu_4`, `cider_d`, `rouge_l.fmeasure`.

No alternative is a concatenation of others, as a long name from a file could otherwise match in exponentially many
ways.
"""
_LOWER = frozenset(
    "chair chairs chairi chair_s chair_i ter wer cer per edit_distance perplexity ppl nll loss fid kid".split()  # noqa: SIM905
)


def is_lower_better(name: str) -> bool:
    """Return whether lower values of a metric of that name are better, unless a file states otherwise."""
    return name.lower().strip() in _LOWER


def is_known(name: str) -> bool:
    """Return whether a metric of that name, in any variant, is known to be better when higher."""
    bare = re.sub(r"[\s/-]+", "_", name.strip().lower())
    # A metric may be in an object: `scores.cider_d`.
    found = (OF_METRICS.match(bare, start) for start in (0, *(dot.end() for dot in re.finditer(r"\.", bare))))
    return any(one is not None and _VARIANT.fullmatch(bare[one.end() :]) is not None for one in found)
