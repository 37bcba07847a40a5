"""BLEU, chrF and chrF++ by sacreBLEU itself: statistics of single captions, and scores of their sums."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from metrics.mathematics.arrays import Floats


@cache
def scorer(kind: str, lowercase: bool, tok: str = "", words: int = 0, effective: bool = False) -> Any:
    """Return sacreBLEU's scorer of kind "bleu" or "chrf"."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    if kind == "bleu":
        return BLEU(lowercase=lowercase, tokenize=tok, effective_order=effective, force=True)
    return CHRF(lowercase=lowercase, word_order=words)


def signature(of: Any) -> str:
    """Return sacreBLEU's own signature, without the number of references, which depends on the study."""
    of.num_refs = -1
    return str(of.get_signature()).removeprefix("nrefs:var|")


def statistics(of: Any, captions: Sequence[str], references: Sequence[str]) -> Floats:
    """(n, columns) counts of each caption against all references, of which there must be at least one.

    sacreBLEU sums these for a corpus; its methods that are used here are not public, so its version is pinned.
    """
    known = of._extract_reference_info([of._preprocess_segment(text) for text in references])
    rows = [of._compute_segment_statistics(of._preprocess_segment(text), known) for text in captions]
    return np.array(rows, dtype=float)


def scores(of: Any, rows: Floats) -> Floats:
    """(...) scores in 0..100 from counts (..., columns) or their sums; NaN where counts are NaN."""
    flat = rows.reshape(-1, rows.shape[-1])
    found = [np.nan if np.isnan(row).any() else of._compute_score_from_stats(row.tolist()).score for row in flat]
    return np.array(found).reshape(rows.shape[:-1])
