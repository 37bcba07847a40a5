"""Words that a run uses more or less often than people: log-odds with a prior, and a test for each word."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from data.study import Study, digest
from metrics.analysis.words.ratios import ratios
from metrics.analysis.words.terms import ORDERS, Terms, Unit, shared_items, terms
from metrics.cache import array_checks
from metrics.cache.disk import array_texts, entry_key, text_array
from metrics.cache.entry import Arrays
from metrics.mathematics.arrays import Floats, Integers
from metrics.permutation.pvalues import ALPHA
from metrics.permutation.word_tests import DRAWS, WordCounts, WordTests, word_tests
from metrics.progress import Hooks

VERSION = 3
PRIOR = 500.0
"""Size of the prior in words, which are distributed as in all captions together and added to each side."""
FEWEST, FEWEST_OF_SMALL, SMALL = 10, 5, 100
"""Minimum numbers of images per word: in a study of at least SMALL items, and in a smaller one."""
_NORMAL = 1.959963984540054
_ROWS = ("statistic", "p_value", "adjusted", "log_odds", "error")


@dataclass(frozen=True)
class Design:
    """The comparison of a run with people, by words or phrases that occur in captions of at least `fewest` images."""

    run: str
    unit: Unit = "words"
    fewest: int = FEWEST
    draws: int = DRAWS
    seed: int = 0

    @property
    def signature(self) -> str:
        """Everything that determines the numbers, except the data."""
        test = f"permutation:{self.draws}|seed:{self.seed}"
        return f"log_odds|v{VERSION}|unit:{self.unit}|prior:{PRIOR:g}|images:{self.fewest}+|{test}|max:step-down"


class Use(NamedTuple):
    """A word or phrase: how often the run and people use it per 1,000 words, and in how many images it occurs.

    `times` is the ratio of the two rates, infinite if people never use the word; `times_low` and `times_high` are the
    ends of the 95 % interval that belongs to `p_value`, from a permutation test of `statistic`; `adjusted` is corrected
    across all words of the unit. `log_odds` (natural logarithm), shrunk by a prior, has its own 95 % interval, `low` to
    `high`; these are written to files, and no figure shows them.
    """

    term: str
    run: float
    people: float
    run_images: int
    people_images: int
    log_odds: float
    low: float
    high: float
    times: float
    times_low: float
    times_high: float
    statistic: float
    p_value: float
    adjusted: float

    @property
    def significant(self) -> bool:
        """Whether the run and people differ significantly in their use of the term."""
        return self.adjusted <= ALPHA


@dataclass(frozen=True, eq=False)
class Usage:
    """All words of a run, most over-used first.

    `images` counts the images compared; `words` are the numbers of all words of the run and of people.
    """

    design: Design
    rows: tuple[Use, ...] = field(repr=False)
    images: int
    words: tuple[int, int]

    @property
    def over(self) -> tuple[Use, ...]:
        """The words that the run uses significantly more often than people, most over-used first."""
        return tuple(row for row in self.rows if row.significant and row.statistic > 0)

    @property
    def under(self) -> tuple[Use, ...]:
        """The words that the run uses significantly less often than people, most under-used first."""
        return tuple(row for row in self.rows[::-1] if row.significant and row.statistic < 0)


def fewest(items: int) -> int:
    """Return the default minimum number of images per word."""
    return FEWEST if items >= SMALL else FEWEST_OF_SMALL


def key(study: Study, design: Design) -> str:
    """Return the cache key; it depends on the captions of people and of the run, and on the design."""
    chosen = [design.unit, design.fewest, design.draws, design.seed, PRIOR]
    texts = digest([study.references_digest, study.contents[design.run]])
    return entry_key("words", VERSION, texts, chosen, *study.clustering)


def measure(study: Study, design: Design, hooks: Hooks | None = None) -> Arrays:
    """Return all words with their log-odds and tests as arrays. Raises Cancelled."""
    found = terms(study, study.run(design.run), design.unit, design.fewest)
    if found is None:
        empty = {name: np.empty(0) for name in _ROWS}
        sides = {"images": np.empty((2, 0), dtype=np.int64), "share": np.empty((2, 0)), "balance": np.empty((3, 0))}
        return {"terms": text_array([]), "totals": np.zeros(3, dtype=np.int64), **sides, **empty}
    tested = word_tests(found.counts, design.draws, design.seed, hooks)
    return _arrays(found, tested)


def _arrays(found: Terms, tested: WordTests) -> Arrays:
    counts = found.counts
    log_odds, error = log_odds_ratios(counts)
    length = [int(counts.length[side].sum()) for side in (counts.of_run, ~counts.of_run)]
    return {
        "terms": text_array(list(found.names)),
        "totals": np.array([*length, int(counts.image[-1]) + 1], dtype=np.int64),
        "images": _images(counts),
        "share": np.stack([said / max(total, 1e-300) for said, total in _sides(counts)]),
        "log_odds": log_odds,
        "error": error,
        "balance": 1 - 1 / (1 + ratios(counts, tested)),  # the run's part of both rates, which is never infinite
        "statistic": tested.statistic,
        "p_value": tested.p_value,
        "adjusted": tested.adjusted,
    }


def _sides(counts: WordCounts) -> list[tuple[Floats, float]]:
    """Sums over images, for the run and for people: the mean count of each word (w,), and the mean number of words."""
    each = np.abs(counts.weights)
    found = []
    for side in (counts.of_run, ~counts.of_run):
        here = side[counts.caption]
        said = np.bincount(counts.word[here], (counts.count * each[counts.caption])[here], minlength=counts.words)
        found.append((np.asarray(said, dtype=np.float64), float((counts.length * each)[side].sum())))
    return found


def _images(counts: WordCounts) -> Integers:
    """(2, w) numbers of images in which the run uses each word, and in which people do."""
    images = int(counts.image[-1]) + 1
    rows = []
    for side in (counts.of_run, ~counts.of_run):
        here = side[counts.caption]
        pairs = np.unique(counts.word[here] * images + counts.image[counts.caption[here]]) // images
        rows.append(np.bincount(pairs, minlength=counts.words))
    return np.stack(rows)


def log_odds_ratios(counts: WordCounts) -> tuple[Floats, Floats]:
    """Return log-odds ratios (w,) of words, run against people, with an informative prior, and the standard errors.

    Each side contributes log((y + a) / (n + A - y - a)), where y is the word's count among n words, A = PRIOR, and a is
    A times the word's share on both sides together (Monroe, Colaresi and Quinn 2008, equation 16). Images count once: y
    and n are means over an image's captions, multiplied by the mean number of captions per image. The paper's variance,
    1 / (y + a), treats all words as independent; here, the variance of y and n is that between images, and only the
    words of the prior are treated as independent. For a word that one side never uses, the two variances agree.
    """
    people, run = counts.sizes
    captions = [float(size.mean()) for size in (run, people)]
    (ours, ours_all), (theirs, theirs_all) = _sides(counts)
    y, n = (captions[0] * ours, captions[1] * theirs), (captions[0] * ours_all, captions[1] * theirs_all)
    prior = PRIOR * (y[0] + y[1]) / max(n[0] + n[1], 1.0)
    said = [a + prior for a in y]
    other = [max(b, 1.0) + PRIOR - a for a, b in zip(said, n)]
    log_odds = np.log(said[0] / other[0]) - np.log(said[1] / other[1])
    slopes = [captions[k] * (1 / said[k] + 1 / other[k]) for k in (0, 1)]
    lengths = [captions[k] / other[k] for k in (0, 1)]
    between = _between_images(counts, (slopes[0], slopes[1]), (lengths[0], lengths[1]))
    of_prior = prior * sum((slopes[k] / captions[k]) ** 2 for k in (0, 1))
    return log_odds, np.sqrt(between + of_prior)


def _between_images(counts: WordCounts, slopes: tuple[Floats, Floats], lengths: tuple[Floats, Floats]) -> Floats:
    """(w,) variance of sums over images of slope * mean count - length * mean words, run minus people."""
    images = int(counts.image[-1]) + 1
    weight = counts.weights[counts.caption]
    slope = np.where(counts.of_run[counts.caption], slopes[0][counts.word], slopes[1][counts.word])
    group, where = np.unique(counts.word * images + counts.image[counts.caption], return_inverse=True)
    said = np.bincount(where, slope * weight * counts.count)
    word, image = group // images, group % images
    sides = [np.where(side, counts.weights * counts.length, 0.0) for side in (counts.of_run, ~counts.of_run)]
    mean = np.stack([np.bincount(counts.image, side, minlength=images) for side in sides])
    factor = np.stack(lengths)
    total = np.bincount(word, said, minlength=counts.words) - factor.T @ mean.sum(axis=1)
    cross = np.bincount(word, said * (factor[:, word] * mean[:, image]).sum(axis=0), minlength=counts.words)
    of_lengths = np.einsum("aw,ab,bw->w", factor, mean @ mean.T, factor)
    square = np.bincount(word, said**2, minlength=counts.words) - 2 * cross + of_lengths
    return np.asarray(np.maximum(square - total**2 / images, 0.0) * images / max(images - 1, 1))


def fits(study: Study, design: Design, arrays: Arrays) -> bool:
    """Return whether arrays from a cache or a bundle can be the words of this run."""
    count = len(arrays.get("p_value", ()))
    rows: array_checks.Shapes = dict.fromkeys(_ROWS, (count,))
    try:
        array_checks.expect(
            arrays, {**rows, "images": (2, count), "share": (2, count), "balance": (3, count), "totals": (3,)}
        )
        names = array_texts(arrays["terms"], count)
    except (array_checks.Unfit, KeyError, ValueError):
        return False
    if any(arrays[name].dtype.kind not in "iu" for name in ("images", "totals")):
        return False
    split = [name.split(" ") for name in names]
    named = len(set(names)) == count and all(len(of) in ORDERS[design.unit] and all(of) for of in split)
    places = shared_items(study, study.run(design.run))
    return named and all(map(str.isprintable, names)) and _possible(arrays, design, len(places))


def _possible(arrays: Arrays, design: Design, shared: int) -> bool:
    if not all(np.isfinite(arrays[name]).all() for name in (*_ROWS, "share")):
        return False
    count, images, p, adjusted = (arrays[name] for name in ("totals", "images", "p_value", "adjusted"))
    least = 2 / (design.draws + 1) * (1 - 1e-9)
    whole = not len(p) or (int(count[2]) == shared and bool((count > 0).all()))
    proper = bool(((p >= least) & (p <= 1) & (adjusted >= p * (1 - 1e-9)) & (adjusted <= 1)).all())
    seen = bool(((images >= 0) & (images <= shared)).all() and (images.sum(axis=0) >= design.fewest).all())
    share = bool(((arrays["share"] >= 0) & (arrays["share"] <= 1)).all())
    balance, low, high = arrays["balance"]
    share &= bool(((low >= 0) & (low <= balance) & (balance <= high) & (high <= 1)).all())
    bounded = bool((np.abs(arrays["statistic"]) <= np.sqrt(shared) * (1 + 1e-9)).all())
    return whole and proper and seen and share and bounded and bool((arrays["error"] > 0).all())


def usage(design: Design, arrays: Arrays) -> Usage:
    """Return every word from the arrays of `measure`, most over-used first."""
    names = array_texts(arrays["terms"], len(arrays["p_value"]))
    order = np.argsort(-arrays["statistic"], kind="stable")
    low, high = (arrays["log_odds"] + side * _NORMAL * arrays["error"] for side in (-1, 1))
    share, images = 1_000 * arrays["share"], arrays["images"]
    with np.errstate(divide="ignore"):
        times = arrays["balance"] / (1 - arrays["balance"])
    rows = (
        Use(
            names[k],
            *share[:, k].tolist(),
            *images[:, k].tolist(),
            *(float(of[k]) for of in (arrays["log_odds"], low, high, *times)),
            *(float(arrays[name][k]) for name in ("statistic", "p_value", "adjusted")),
        )
        for k in order
    )
    run, people, shown = arrays["totals"].tolist()
    return Usage(design, tuple(rows), shown, (run, people))
