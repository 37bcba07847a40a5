"""Speed of the mathematics on one core, each implementation next to a slow one timed in the same run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import combinations
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from scipy.stats import pearsonr, spearmanr
from threadpoolctl import threadpool_limits

from metrics.analysis.agreement.matrix import agreement, order
from metrics.analysis.agreement.observations import Observations
from metrics.bootstrap import bootstrap_totals
from metrics.mathematics.frechet import corpus_frechet, gram
from metrics.mathematics.kernels import mmd2_of_kernel, rbf_kernel
from metrics.mathematics.triangle import triangle_rank
from metrics.permutation.bleu_masks import bleu_masks
from metrics.permutation.item_test import permutation_test
from metrics.permutation.pvalues import null_draws
from metrics.text.ngram_sets import ms_jaccard, pool_bleu, self_bleu

Row = dict[str, Any]


def seconds(work: Callable[[], Any], least: float = 0.4, most: int = 200) -> float:
    """Return the median processor time of a call in seconds, after a first call that compiles.

    The call is timed at least three times, and again until `least` seconds have passed or it was timed `most` times.
    """
    work()
    times: list[float] = []
    while len(times) < 3 or (sum(times) < least and len(times) < most):
        times.append(once(work))
    return median(times)


def once(work: Callable[[], Any]) -> float:
    """Return the processor time of one call in seconds."""
    start = process_time()
    work()
    return process_time() - start


def row(work: str, ours: str, value: float, alternative: str, theirs: float, target: str) -> Row:
    """Return a row of the table: both implementations, their times and rates, and how many times faster ours is."""
    return {
        "work": work,
        "ours": ours,
        "ours_value": f"{_amount(value)}, {_rate(value)}",
        "alternative": alternative,
        "alternative_value": _amount(theirs),
        "ratio": theirs / value,
        "target": target,
        **({"reached": value <= limit} if (limit := _limit(target)) else {}),
    }


def _limit(target: str) -> float | None:
    """Return the seconds that a target such as `400/s` or `0.3 s` allows per piece of work; None for other text."""
    number, _, unit = target.replace("/s", " /s").replace(",", "").partition(" ")
    return {"/s": lambda: 1 / float(number), "s": lambda: float(number)}.get(unit, lambda: None)()


def _rate(value: float) -> str:
    return f"{1 / value:,.0f}/s" if value < 0.1 else f"{1 / value:.2g}/s"


def _amount(value: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if value >= scale:
            return f"{value / scale:,.3g} {unit}" if value < 1000 * scale else f"{value / scale:,.0f} {unit}"
    return f"{value / 1e-6:.3g} us"


def labels(size: int, candidates: int) -> np.ndarray:
    return np.arange(size) < candidates


def one_by_one(statistic: Callable[[Any, np.ndarray], float], matrix: Any, size: int, n: int, partitions: int) -> float:
    """Return the processor time in seconds of a loop over all partitions.

    It is extrapolated from the first 200, or from as many as five seconds allow.
    """
    every = combinations(range(size), n)
    start, done = process_time(), 0
    while done < min(partitions, 200) and process_time() - start < 5:
        statistic(matrix, np.isin(np.arange(size), next(every)))
        done += 1
    return (process_time() - start) / done * partitions


def triangle_loop(distance: np.ndarray, is_candidate: np.ndarray) -> float:
    """Compute TRM by a loop over triangles."""
    total = 0.0
    for pair_side in (False, True):
        pairs = [i for i, side in enumerate(is_candidate) if side == pair_side]
        points = [i for i, side in enumerate(is_candidate) if side != pair_side]
        counts = [0.0, 0.0, 0.0]
        for x in points:
            for y1 in pairs:
                for y2 in pairs:
                    if y1 == y2:
                        continue
                    inside, edges = distance[y1, y2], (distance[x, y1], distance[x, y2])
                    lower, tied = sum(e < inside for e in edges), sum(e == inside for e in edges)
                    for k in range(lower, lower + tied + 1):
                        counts[k] += 1 / (tied + 1)
        total += sum(abs(count / sum(counts) - 1 / 3) for count in counts)
    return total


def frechet_by_root(embeddings: np.ndarray, is_candidate: np.ndarray) -> float:
    """Compute the squared Fréchet distance with scipy's square root of the product of covariances."""
    from scipy.linalg import sqrtm

    first, second = embeddings[is_candidate], embeddings[~is_candidate]
    shift = first.mean(axis=0) - second.mean(axis=0)
    one, two = np.cov(first.T), np.cov(second.T)
    return float(shift @ shift + np.trace(one) + np.trace(two) - 2 * np.trace(sqrtm(one @ two)).real)


def triangle_rows(rng: np.random.Generator) -> list[Row]:
    small, even = rng.integers(0, 60, (15, 15)) / 60, rng.integers(0, 60, (20, 20)) / 60
    large = rng.random((80, 80))
    exact = seconds(lambda: permutation_test("trm", small, labels(15, 5)))
    pairs = seconds(lambda: permutation_test("trm", even, labels(20, 10)))
    sampled = seconds(lambda: permutation_test("trm", large, labels(80, 40)))
    loop, numpy = "Python loop over triangles", "numpy for each partition"
    work = "TRM p, 5 + 10 texts, asymmetric distance with ties"
    return [
        row(work, "all 3,003", exact, loop, one_by_one(triangle_loop, small, 15, 5, 3_003), "400/s"),
        row(work, "all 3,003", exact, numpy, one_by_one(triangle_rank, small, 15, 5, 3_003), "400/s"),
        row(
            "TRM p, 10 + 10 texts, asymmetric distance with ties",
            "all 184,756",
            pairs,
            loop,
            one_by_one(triangle_loop, even, 20, 10, 184_756),
            "0.3 s",
        ),
        row(
            "TRM p, 40 + 40 texts",
            "9,999 random",
            sampled,
            numpy,
            one_by_one(triangle_rank, large, 80, 40, 9_999),
            "none",
        ),
    ]


def kernel_rows(rng: np.random.Generator) -> list[Row]:
    points = rng.normal(size=(15, 384))
    kernel, inner = rbf_kernel(points), gram(points)
    one, two = rng.normal(size=(4000, 384)), rng.normal(size=(4000, 384)) + 0.1
    root = one_by_one(frechet_by_root, points, 15, 5, 3_003)
    exact = seconds(lambda: permutation_test("frechet", inner, labels(15, 5)))
    means = seconds(lambda: permutation_test("mmd", kernel, labels(15, 5)))
    corpus = seconds(lambda: corpus_frechet(one, two))
    whole = once(lambda: frechet_by_root(np.concatenate([one, two]), labels(8000, 4000)))
    slow = one_by_one(mmd2_of_kernel, kernel, 15, 5, 3_003)
    return [
        row("Frechet p, 5 + 10 texts, 384 dimensions", "all 3,003", exact, "scipy sqrtm, each", root, ">= 1000"),
        row("MMD p, 5 + 10 texts", "all 3,003", means, "numpy for each partition", slow, "1,000/s"),
        row("Frechet distance, 4,000 + 4,000 texts, 384 dimensions", "factors", corpus, "scipy sqrtm", whole, "none"),
    ]


def score_rows(rng: np.random.Generator) -> list[Row]:
    scores, overlaps = rng.random((15, 15)), rng.random((2, 15, 15))
    texts = [rng.integers(0, 40, rng.integers(8, 14)) for _ in range(15)]
    counters = [[_grams(text, n) for n in range(1, 5)] for text in texts]

    def best(matrix: np.ndarray, z: np.ndarray) -> float:
        return float(matrix[..., z, :][..., ~z].max(axis=-1).mean())

    def clipped(arrays: list[list[Counter[Any]]], z: np.ndarray) -> float:
        rest = [arrays[r] for r in np.flatnonzero(~z)]
        pairs = ((h[k], [r[k] for r in rest]) for h in (arrays[i] for i in np.flatnonzero(z)) for k in range(4))
        return float(sum(min(c, max(r[g] for r in others)) for own, others in pairs for g, c in own.items()))

    cases: list[tuple[str, Any, Any, Any, Any, str]] = [
        ("best reference", "mean_max", scores, best, scores, "numpy for each partition"),
        ("ROUGE-L", "rouge_l", overlaps, best, overlaps, "numpy for each partition, maxima only"),
        ("BLEU-4", "bleu", bleu_masks(texts), clipped, counters, "counters for each partition, clipped counts only"),
    ]
    return [
        row(
            f"p of S_agg ({name}), 5 + 10 texts",
            "all 3,003",
            seconds(partial(permutation_test, statistic, matrix, labels(15, 5))),
            alternative,
            one_by_one(slow, given, 15, 5, 3_003),
            "none",
        )
        for name, statistic, matrix, slow, given, alternative in cases
    ]


def _pool_row(corpus: list[np.ndarray], rng: np.random.Generator) -> Row:
    pool = [rng.zipf(1.4, rng.integers(7, 15)) % 8000 for _ in range(20_000)]
    return row(
        "BLEU-2..5 of 10,000 texts against 20,000",
        "largest count in the pool",
        seconds(lambda: pool_bleu(corpus, pool, 5)),
        "fast-bleu, 200 of the texts, times 50",
        50 * once(lambda: _fast_pool_bleu(corpus[:200], pool)),
        "30 s",
    )


def corpus_rows(rng: np.random.Generator) -> list[Row]:
    corpus = [rng.zipf(1.4, rng.integers(7, 15)) % 8000 for _ in range(10_000)]
    halves = corpus[:5000], corpus[5000:]
    null, sums = rng.random(3_003), rng.random((5000, 8))
    own_loop = once(lambda: [sums[rng.integers(5000, size=5000)].sum(axis=0) for _ in range(200)]) * 10
    return [
        row(
            "Self-BLEU-2..5 of 10,000 texts",
            "largest and second count",
            seconds(lambda: self_bleu(corpus, 5)),
            "fast-bleu",
            once(lambda: _fast_bleu(corpus)),
            "seconds",
        ),
        _pool_row(corpus, rng),
        row(
            "MS-Jaccard-1..5 of 5,000 and 5,000 texts",
            "sorted integers",
            seconds(lambda: ms_jaccard(*halves, 5)),
            "counters of tuples",
            once(lambda: _jaccard_by_counters(*halves)),
            "none",
        ),
        row(
            "corpus permutation test, 9,999 draws per item",
            "one array of places",
            seconds(lambda: null_draws(null, 9_999, 1)),
            "a choice for each draw",
            once(lambda: [rng.choice(null) for _ in range(9_999)]),
            "5,000 items in 2 s",
        ),
        row(
            "bootstrap, 2,000 resamples of 5,000 items",
            "weights times sums",
            seconds(lambda: bootstrap_totals(sums)),
            "sum of the rows drawn, from 200",
            own_loop,
            "none",
        ),
    ]


def agreement_rows(rng: np.random.Generator) -> list[Row]:
    """Time the correlations between 40 metrics over 5,000 items of 6 runs, given their values."""
    values = rng.normal(size=(40, 30_000)) + rng.normal(size=30_000)
    run = np.repeat(np.arange(6), 5_000)
    names = tuple(f"metric {k}" for k in range(40))
    found = Observations("items", names, values, run, np.tile(np.arange(5_000), 6), np.full(30_000, -1), run)
    sides = values[:2].reshape(2, 6, 5_000)
    pair = once(lambda: [(spearmanr(x, y), pearsonr(x, y)) for x, y in zip(*sides)])
    return [
        row(
            "Spearman and Pearson of 40 metrics, 5,000 items of 6 runs",
            "all pairs at once",
            seconds(lambda: order(agreement(found).spearman)),
            "scipy, from one of 780 pairs",
            780 * pair,
            "3 s",
        ),
    ]


def _fast_bleu(texts: list[np.ndarray]) -> Any:
    from fast_bleu import SelfBLEU

    return SelfBLEU([text.tolist() for text in texts], {n: (1 / n,) * n for n in (2, 3, 4, 5)}).get_score()


def _fast_pool_bleu(texts: list[np.ndarray], pool: list[np.ndarray]) -> Any:
    from fast_bleu import BLEU

    weights = {n: (1 / n,) * n for n in (2, 3, 4, 5)}
    return BLEU([text.tolist() for text in pool], weights).get_score([text.tolist() for text in texts])


def _grams(text: np.ndarray, n: int) -> Counter[tuple[int, ...]]:
    tokens = text.tolist()
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def _jaccard_by_counters(first: list[np.ndarray], second: list[np.ndarray]) -> list[float]:
    out = []
    for n in range(1, 6):
        one: Counter[tuple[int, ...]] = Counter()
        two: Counter[tuple[int, ...]] = Counter()
        for counter, texts in ((one, first), (two, second)):
            for text in texts:
                counter.update(_grams(text, n))
        out.append(sum((one & two).values()) / sum((one | two).values()))
    return out


def rows() -> list[Row]:
    """Return every comparison on one core, as printed by `python -m benchmarks mathematics`; takes under a minute."""
    rng = np.random.default_rng(0)
    with threadpool_limits(1):
        return [*triangle_rows(rng), *kernel_rows(rng), *score_rows(rng), *corpus_rows(rng), *agreement_rows(rng)]
