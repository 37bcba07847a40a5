"""Medoids across a study: the length of central references, and the distances of runs from the medoids.

`measure` computes arrays for the cache on disk; `across` summarises them, which is fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from data.study import Item, Run, Study
from metrics.analysis.central.item import EMPTY_RUN
from metrics.analysis.central.medoid import centrality, in_direction, to_centre, turned
from metrics.bootstrap import LEAST, RESAMPLES, Interval, bootstrap_totals, interval
from metrics.cache.disk import Cache, entry_key
from metrics.cache.entry import Arrays
from metrics.chunk import CHUNK, Chunk, StudyDigests, caption_order, chunks, split
from metrics.distances.base import Distance
from metrics.mathematics.arrays import Floats, Labels
from metrics.permutation.pvalues import holm
from metrics.progress import Hooks
from metrics.text.content_words import content_words, english_share
from metrics.text.tokens import tokenize
from metrics.units import Units, by_unit, count_units, of_items

VERSION = 1
EQUAL_WORDS = 1e-9
"""Mean numbers of words that differ by less count as equal."""
EQUAL_SHARE = 1e-9
"""Distances that differ by less than this fraction of the references' own distance count as equal."""


@dataclass(frozen=True)
class PairedDifference:
    """A property of the central references of each item, paired with the mean over the item's other references.

    `difference` (items,) is NaN for items without a centre or without other references. `central`, `others`, `mean` and
    its 95 % bootstrap `interval` are computed over the `n` items that have a difference; `less` and `equal` are the
    shares of these items with a negative and with a zero difference.
    """

    difference: Floats
    central: float
    others: float
    mean: float
    interval: Interval
    less: float
    equal: float
    n: int


@dataclass(frozen=True)
class RunDistance:
    """The distance of a run from the centre, in units of the references' own distance.

    `near` and `own` are the mean distances of the candidates and of the references over the `n` items that have both
    (`medoid.to_centre`); `ratio` is `near` / `own`. Below 1, the candidates are nearer the centre than the references
    are. `items` (items,) are the ratios of single items, NaN where undefined. `p` is two-sided, from a paired t-test of
    the two distances over independent units, not corrected for other runs; NaN with fewer than LEAST units, or if all
    references are at distance 0.
    """

    run: str
    ratio: float
    interval: Interval
    near: float
    own: float
    items: Floats
    n: int
    p: float = np.nan


@dataclass(frozen=True)
class CentralitySummary:
    """Central captions of a study by one distance.

    For each item, `central` (m,) marks its central references and `expected` (m,) is the mean distance of each of its
    references to the others, both in file order. For `english`, see `metrics.text.content_words.english_share`.
    """

    words: PairedDifference
    content: PairedDifference
    runs: tuple[RunDistance, ...]
    central: tuple[Labels, ...]
    expected: tuple[Floats, ...]
    english: float = np.nan

    @property
    def p_holm(self) -> Floats:
        """(runs,) p-values, Holm-corrected across all runs, for statements about several of them."""
        return holm([run.p for run in self.runs])

    def run(self, name: str) -> RunDistance:
        """Return the run with that name."""
        return next(run for run in self.runs if run.run == name)


def key(study: Study, space: Distance, as_reference: bool = False) -> str:
    """Return the cache key of the arrays of `measure`; it depends on all texts, the distance and its direction."""
    said = [study.contents[run.name] for run in study.runs]
    way = ("as reference",) if turned(space, as_reference) else ()
    of = [space.of_references.signature, study.references_digest, said, *study.splitting, *way]
    return entry_key("centres", VERSION, *of)


def signature(space: Distance, as_reference: bool = False) -> str:
    """Return the signature: everything that determines the numbers, except the data."""
    way = "|as_reference" if turned(space, as_reference) else ""
    return f"central_{space.name_with_order}|v{VERSION}|{space.of_references.parameters}{way}"


def measure(
    study: Study,
    space: Distance,
    cache: Cache,
    hooks: Hooks | None = None,
    size: int = CHUNK,
    as_reference: bool = False,
) -> Arrays:
    """Return the arrays that `across` summarises.

    Per reference, in study order: "expected", "central", and the numbers of "words" and of "content" words. Per run and
    item: "near", the candidates' mean distance to the centre, and "own", the references'. "expected" and "central" come
    from the matrices of the first run, "own" from those of each run; these agree up to the encoder's rounding.
    Undefined distances are NaN. Each caption is scored with the side's other captions as its references or, if
    `as_reference`, as their reference. Raises Cancelled, and JavaMissing if words cannot be counted.
    """
    hooks, space = hooks or Hooks(), space.of_references
    hooks.progress("splitting references into words")
    texts = [text for item in study.items for text in item.references]
    tokens = tokenize(texts, study.tokenizer)
    context = space.prepare(study)
    runs = study.runs or (EMPTY_RUN,)
    pieces = [(k, piece) for k, run in enumerate(runs) for piece in chunks(study.items, run, size)]
    shares = _shares([_texts(runs[k], piece, references=k == 0) for k, piece in pieces])
    near, own = np.full((len(runs), len(study.items)), np.nan), np.full((len(runs), len(study.items)), np.nan)
    people: list[tuple[Floats, Labels]] = []
    at = [0] * len(runs)
    for done, (k, piece) in zip(shares, pieces):
        hooks.check()
        hooks.share(done)
        chunk = Chunk.of(piece, runs[k], cache, _of_run(hooks, k, len(runs)), StudyDigests.of(study, runs[k]))
        matrices = [in_direction(of, as_reference) for of in space.all_distances(context, chunk)]
        here = slice(at[k], at[k] + len(piece))
        near[k, here], own[k, here] = _distances(matrices, chunk)
        at[k] += len(piece)
        if k == 0:
            people += [_references(item, matrix) for item, matrix in zip(piece, matrices)]
    return {
        "expected": np.concatenate([*(expected for expected, _ in people), np.empty(0)]),
        "central": np.concatenate([*(central for _, central in people), np.empty(0, dtype=bool)]),
        "words": np.array([len(t) for t in tokens]),
        "content": np.array([len(content_words(t)) for t in tokens]),
        "near": near[: len(study.runs)],
        "own": own[: len(study.runs)],
    }


def across(study: Study, arrays: Arrays, resamples: int = RESAMPLES, seed: int = 0) -> CentralitySummary:
    """Return a summary of the arrays of `measure`, with the same resamples of items for every number."""
    sizes = np.array([len(item.references) for item in study.items], dtype=np.int64)
    central = np.asarray(arrays["central"], dtype=bool)
    pairs = [_sides(np.asarray(arrays[name], dtype=float), central, sizes) for name in ("words", "content")]
    near, own = np.asarray(arrays["near"]), np.asarray(arrays["own"])
    both = np.isfinite(near) & np.isfinite(own)
    differences = np.array([c - o for c, o in pairs])
    columns = np.concatenate([differences, near, own]).T
    known = np.concatenate([np.isfinite(differences), both, both]).T
    # Resample the counts with the sums, so that means are over the resampled items that have a value.
    sums = np.concatenate([np.where(known, columns, 0.0), known[:, :2]], axis=1)
    unit = study.unit
    boot = bootstrap_totals(sums, resamples, seed, unit) if len(sums) else np.empty((0, sums.shape[1]))
    means = [_ratio(boot[:, k], boot[:, sums.shape[1] - 2 + k]) for k in (0, 1)]
    words, content = (_paired(*pair, mean, unit) for pair, mean in zip(pairs, means))
    runs = tuple(
        _distance(run.name, near[k], own[k], boot[:, 2 + k], boot[:, 2 + len(near) + k], unit)
        for k, run in enumerate(study.runs)
    )
    central_of, expected = (tuple(split(a, sizes.tolist())) for a in (central, arrays["expected"]))
    return CentralitySummary(words, content, runs, central_of, expected, english_share(study))


def _of_run(hooks: Hooks, k: int, runs: int) -> Hooks:
    return replace(hooks, progress=lambda text: hooks.progress(f"run {k + 1:,} of {runs:,}, {text}"))


def _texts(run: Run, items: Sequence[Item], references: bool) -> int:
    """Number of texts of a run in a chunk of items, with the references if `references`."""
    said = sum(len(run.candidates.get(item.id, ())) for item in items)
    return said + sum(len(item.references) for item in items) * references


def _shares(work: Sequence[int]) -> list[float]:
    done = np.cumsum([0, *work])
    return list(done[:-1] / max(int(done[-1]), 1))


def _distances(matrices: Sequence[Floats | str], chunk: Chunk) -> tuple[list[float], list[float]]:
    """Per item, the candidates' and the references' mean distances to the centre; NaN for an item without distances."""
    near, own = [], []
    for index, matrix in enumerate(matrices):
        n = chunk.sizes(index)[0]
        far = to_centre(matrix, chunk.is_candidate(index)) if not isinstance(matrix, str) else np.full(n, np.nan)
        near.append(_mean(far[:n]))
        own.append(_mean(far[n:]))
    return near, own


def _references(item: Item, matrix: Floats | str) -> tuple[Floats, Labels]:
    """Mean distances of the references to one another, and which are central, in file order.

    Without a `matrix`, distances are NaN and no reference is central.
    """
    size = len(item.references)
    if isinstance(matrix, str):
        return np.full(size, np.nan), np.zeros(size, dtype=bool)
    within = matrix[len(matrix) - size :, len(matrix) - size :]
    found = centrality(within, np.zeros(size, dtype=bool))
    place = np.argsort(caption_order(item.references))
    return found.expected[place], found.central[place]


def _sides(values: Floats, central: Labels, sizes: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Per item, the mean over its central and over its other references; NaN for an empty group."""
    item = np.repeat(np.arange(len(sizes)), sizes)

    def means(of: Labels) -> Floats:
        count = np.bincount(item[of], minlength=len(sizes))
        total = np.bincount(item[of], weights=values[of], minlength=len(sizes))
        return np.divide(total, count, out=np.full(len(sizes), np.nan), where=count > 0)

    return means(central), means(~central)


def _paired(central: Floats, others: Floats, boot: Floats, unit: Units) -> PairedDifference:
    difference = central - others
    known = np.isfinite(difference)
    n, values = int(known.sum()), difference[known]
    return PairedDifference(
        difference,
        _mean(central[known]),
        _mean(others[known]),
        _mean(values),
        _interval(boot, count_units(unit, known)),
        _mean(values < -EQUAL_WORDS),
        _mean(np.abs(values) <= EQUAL_WORDS),
        n,
    )


def _distance(name: str, near: Floats, own: Floats, near_boot: Floats, own_boot: Floats, unit: Units) -> RunDistance:
    both = np.isfinite(near) & np.isfinite(own)
    near, own = np.where(both, near, np.nan), np.where(both, own, np.nan)
    means = _mean(near[both]), _mean(own[both])
    ratio, n = float(_ratio(*means)), int(both.sum())
    between = _interval(_ratio(near_boot, own_boot), count_units(unit, both))
    p = _p(*(by_unit(side[both], of_items(unit, both)) for side in (near, own)))
    return RunDistance(name, ratio, between, *means, _ratio(near, own), n, p)


def _p(near: Floats, own: Floats) -> float:
    """Two-sided p for equal means; 2^(1 - n) if all n units differ by the same amount, 1 if that amount is zero.

    NaN with fewer than LEAST units, or if all of the references' own distances are zero.
    """
    from scipy.stats import ttest_rel

    off, n = near - own, len(near)
    if n < LEAST or not own.any():
        return float("nan")
    none = EQUAL_SHARE * float(own.mean())
    if np.ptp(off) <= none:
        return 1.0 if abs(float(off.mean())) <= none else 2.0 ** (1 - n)
    return float(ttest_rel(near, own).pvalue)


def _interval(boot: Floats, n: int) -> Interval:
    return interval(boot[np.isfinite(boot)], n)


def _ratio(above: ArrayLike, below: ArrayLike) -> Floats:
    """`above` / `below`; NaN where `below` is 0, because all references are the same text."""
    return np.divide(above, below, out=np.full(np.shape(above), np.nan), where=np.asarray(below) > 0)


def _mean(values: NDArray[Any]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")
