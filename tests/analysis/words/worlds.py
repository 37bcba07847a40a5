"""Simulate runs whose captions are people's captions of an image; some of them may be repeated."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from data.study import Item, Run, Settings, Study
from metrics.analysis.words import usage as analysis
from metrics.analysis.words.ratios import ratios
from metrics.analysis.words.terms import Unit, terms
from metrics.permutation.pvalues import ALPHA
from metrics.permutation.word_tests import WordCounts, word_tests

PEOPLE = 5
"""The number of captions by people per image of a simulated study."""
VOCABULARY = [f"{a}{b}{c}" for a in "bdgk" for b in "aeiou" for c in "lmnr"]


class World(NamedTuple):
    """A run with `own` captions per image, `different` of which are distinct.

    If `planted` is given, a share `planted` of its captions, and 10 % of people's, get the word `planted`.
    """

    own: int
    different: int
    unit: Unit = "words"
    planted: float | None = None


class Rates(NamedTuple):
    """Means over simulated studies.

    In order: the number of words; the share of them that are rejected; how often any is rejected after correction; the
    last two numbers for the z of the paper, which treats words as independent; how often an interval contains 0; and
    how often `planted` is found.
    """

    words: float
    level: float
    any_adjusted: float
    level_z: float
    any_z_bonferroni: float
    zero_in_interval: float
    found: float


def made(seed: int = 0, images: int = 150, captions: int = 30) -> Study:
    """Make random captions by people; the captions of an image prefer the same few words."""
    rng = np.random.default_rng(seed)
    prior = 1 / np.arange(1, len(VOCABULARY) + 1)
    items = []
    for k in range(images):
        topic = rng.dirichlet(8 * prior / prior.sum())
        said = [" ".join(rng.choice(VOCABULARY, size=rng.integers(5, 10), p=topic)) for _ in range(captions)]
        items.append(Item(f"{k}", tuple(said)))
    return Study("made", tuple(items), ())


def drawn(study: Study, world: World, rng: np.random.Generator) -> Study:
    """Draw captions of each image for both sides: PEOPLE for people, and as many as `world` states for the run."""
    items, captions = [], {}
    for item in study.items:
        places = rng.choice(len(item.references), PEOPLE + world.different, replace=False)
        texts = [item.references[k] for k in places]
        own = texts[PEOPLE:] + texts[-1:] * (world.own - world.different)
        if world.planted is not None:
            texts, own = _with(texts, 0.1, rng), _with(own, world.planted, rng)
        items.append(replace(item, references=tuple(texts[:PEOPLE])))
        captions[item.id] = tuple(own)
    return Study("world", tuple(items), (Run("r", "r", Settings(), captions),))


def _with(texts: list[str], share: float, rng: np.random.Generator) -> list[str]:
    return [f"{text} {'planted' if rng.uniform() < share else 'other'}" for text in texts]


def rates(study: Study, world: World, repeats: int, draws: int = 199) -> Rates:
    rng = np.random.default_rng(world.own + 100 * world.different)
    rows = [_one(drawn(study, world, rng), world, draws, k) for k in range(repeats)]
    return Rates(*np.mean(rows, axis=0).tolist())


def _one(study: Study, world: World, draws: int, seed: int) -> tuple[float, ...]:
    found = terms(study, study.runs[0], world.unit, analysis.fewest(len(study.items)))
    assert found is not None
    tested = word_tests(found.counts, draws, seed)
    null = np.array([name not in {"planted", "other"} for name in found.names])
    log_odds, error = analysis.log_odds_ratios(found.counts)
    z = np.abs(log_odds / _error_of_independent_words(found.counts))[null]
    planted = [k for k, name in enumerate(found.names) if name == "planted"]
    return (
        float(null.sum()),
        float((tested.p_value[null] <= ALPHA).mean()),
        float((tested.adjusted[null] <= ALPHA).any()),
        float((z > norm.ppf(1 - ALPHA / 2)).mean()),
        float((z > norm.ppf(1 - ALPHA / 2 / len(z))).any()),
        float((np.abs(log_odds / error)[null] < norm.ppf(1 - ALPHA / 2)).mean()),
        float(bool(planted) and tested.adjusted[planted[0]] <= ALPHA),
    )


def _error_of_independent_words(counts: WordCounts) -> np.ndarray:
    """Return the paper's standard error, from the counts of all captions: sqrt(1 / (y + a) + 1 / (y' + a))."""
    sides = [counts.of_run[counts.caption] == side for side in (True, False)]
    y = [np.bincount(counts.word[side], counts.count[side], minlength=counts.words) for side in sides]
    prior = analysis.PRIOR * (y[0] + y[1]) / counts.length.sum()
    return np.sqrt(1 / (y[0] + prior) + 1 / (y[1] + prior))


def covered(truth: float, images: int, repeats: int, sizes: tuple[int, int, int] = (3, 2, 2)) -> float:
    """Return how often the interval of a planted word holds its true ratio of the run's rate to people's.

    `sizes` are the captions of an image by people, those of the run, and how many of these are distinct. How often both
    sides use the word varies between images. With a `truth` of 10 or more, exactly one of the run's two captions has
    the word.
    """
    rng, people, own, different = np.random.default_rng(int(100 * truth)), *sizes
    held = []
    for seed in range(repeats):
        items, captions = [], {}
        for k in range(images):
            often = rng.beta(0.8, 1.2) / max(truth, 1.0) if truth < 10 else 0.5 / truth
            texts = [_of_topic(often, rng) for _ in range(people)]
            mine = [_of_topic(often * truth if truth < 10 else float(j % 2), rng) for j in range(different)]
            items.append(Item(f"{k}", tuple(texts)))
            captions[f"{k}"] = tuple(mine + mine[-1:] * (own - different))
        study = Study("planted", tuple(items), (Run("r", "r", Settings(), captions),))
        found = terms(study, study.runs[0], "words", 5)
        if found is not None and "planted" in found.names:
            _, low, high = ratios(found.counts, word_tests(found.counts, 199, seed))
            k = found.names.index("planted")
            held.append(low[k] <= truth <= high[k])
    return float(np.mean(held))


def _of_topic(often: float, rng: np.random.Generator) -> str:
    said = rng.choice(VOCABULARY, size=rng.integers(4, 9)).tolist()
    return " ".join(["planted", *said[1:]] if rng.uniform() < often else said)
