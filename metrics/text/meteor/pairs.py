"""METEOR 1.5 of pairs of captions: additive statistics, computed here or by the jar of the COCO evaluation."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metrics.mathematics.arrays import Floats
from metrics.progress import check_stop
from metrics.text.meteor import jar
from metrics.text.meteor.aligner import STATISTICS, align
from metrics.text.meteor.texts import prepared
from metrics.text.tokens import clean

Pair = tuple[str, str]
Numbers = NDArray[np.int64]
"""(n, 2) pairs of text numbers, hypothesis and reference."""
Route = Literal["compiled", "jar"]

BATCH = 20_000
LONGEST = 1_000
"""Maximum number of words of a text: with more, distances may not fit into their part of the aligner's keys."""
LINKS = 1 << 23
"""Maximum number of links between two texts; captions with more consist of hundreds of signs."""


def statistics(
    pairs: Sequence[Pair],
    progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    reasons: MutableMapping[int, str] | None = None,
    route: Route = "compiled",
) -> Floats:
    """(n_pairs, 23) sufficient statistics of pairs (hypothesis, reference), whose tokens are joined by spaces.

    Columns: words of both sides; function words of both; for each matcher (exact, stem, synonym, paraphrase) matched
    content words of both sides and function words of both; chunks, 0 if both texts match in one piece (the jar counts
    no fragments then, nor in its sums); matched words of both sides. Equal pairs are computed once. A pair that cannot
    be scored is a row of NaN with its reason in `reasons[index]`: a text of more than `LONGEST` words (truncation would
    change the text), two with more than `LINKS` links, or one that makes the jar fail. `progress(done, of)` is called
    after every batch. Raises Cancelled when `should_stop()`, and JavaMissing. Safe to call from several threads. Both
    routes give the same numbers; the jar needs a Java runtime.
    """
    texts, distinct, places = _numbered(pairs)
    lengths = np.array([len(text.split()) for text in texts], dtype=np.int64)
    longest = lengths[distinct].max(axis=1, initial=0)
    short = np.flatnonzero(longest <= LONGEST)
    compute = {"compiled": _compiled, "jar": _by_jar}[route]
    rows = np.full((len(distinct), STATISTICS), np.nan)
    rows[short], failed = compute(texts, distinct[short], progress, should_stop)
    if reasons is not None:
        why = {int(short[row]): reason for row, reason in failed.items()}
        why |= {int(row): _too_long(int(longest[row])) for row in np.flatnonzero(longest > LONGEST)}
        reasons.update({index: why[row] for index, row in enumerate(places.tolist() if why else ()) if row in why})
    return rows[places]


def _numbered(pairs: Sequence[Pair]) -> tuple[list[str], Numbers, NDArray[np.int64]]:
    """Return clean texts, their distinct pairs in order of first occurrence, and each pair's position among these."""
    numbers: dict[str, int] = {}
    flat = [numbers.setdefault(text, len(numbers)) for pair in pairs for text in pair]
    coded = np.array(flat, dtype=np.int64).reshape(-1, 2)
    _, first, places = np.unique(coded[:, 0] * len(numbers) + coded[:, 1], return_index=True, return_inverse=True)
    order = np.argsort(first)
    return [clean(text) for text in numbers], coded[first[order]], np.argsort(order)[places]


def _compiled(
    texts: Sequence[str],
    pairs: Numbers,
    progress: Callable[[int, int], None] | None,
    should_stop: Callable[[], bool] | None,
) -> tuple[Floats, dict[int, str]]:
    rows = np.empty((len(pairs), STATISTICS))
    used = np.unique(pairs)
    check_stop(should_stop)
    vocabulary, ready, n_phrases = prepared([texts[k] for k in used])
    marks, other_marks = np.zeros((2, n_phrases, 2), np.int32)
    pairs = np.searchsorted(used, pairs)
    for start in range(0, len(pairs), BATCH):
        check_stop(should_stop)
        part = slice(start, start + BATCH)
        rows[part] = align(vocabulary, ready, pairs[part], marks, other_marks, LINKS)
        if progress:
            progress(min(start + BATCH, len(pairs)), len(pairs))
    return rows, {int(k): f"more than {LINKS:,} links between words" for k in np.flatnonzero(np.isnan(rows[:, 0]))}


def _by_jar(
    texts: Sequence[str],
    pairs: Numbers,
    progress: Callable[[int, int], None] | None,
    should_stop: Callable[[], bool] | None,
) -> tuple[Floats, dict[int, str]]:
    return jar.statistics([(texts[h], texts[r]) for h, r in pairs], progress, should_stop)


def _too_long(words: int) -> str:
    return f"{words:,} words: METEOR is not computed above {LONGEST:,}"
