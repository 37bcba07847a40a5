"""Measure the coverage of the intervals of all registered metrics on samples of images from a known population."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from data.study import Study
from metrics.base import Metric, with_value
from metrics.bootstrap import RESAMPLES
from metrics.cache.disk import Cache
from metrics.chunk import Chunk
from metrics.engine import scoring
from metrics.engine.result import assemble
from metrics.engine.tasks import Options
from metrics.mathematics.arrays import Floats
from metrics.needs import NAMED, OF_COSMIC, unmet
from metrics.registry import METRICS
from tests.prove.conftest import Proof
from tests.prove.worlds import world
from tools.demo.models import distribution

TABLE = "Coverage of 95 % intervals"
ITEMS, CAPTIONS = 50, 5
REPEATS = 1_000
BEFORE = {
    "corpus_self_bleu_2": 0.94,
    "corpus_self_bleu_3": 0.933,
    "corpus_self_bleu_4": 0.907,
    "corpus_self_bleu_5": 0.88,
}
"""Coverage if the pool is held fixed, from 150 samples of 100 images with 5 captions by people."""
SIZES = (20, 50, 100)


def able(work: str, of_items: bool) -> list[Metric]:
    chosen = [metric for metric in METRICS.values() if metric.work == work and metric.of_items == of_items]
    chosen = [metric for metric in chosen if not metric.no_interval]
    given = {*NAMED, *OF_COSMIC}
    chosen = [metric for metric in chosen if not metric.needs & given]
    lacking = {need: why for metric in chosen for need in metric.needs if (why := unmet(need))}
    assert chosen
    assert not lacking
    return chosen


@cache
def population(images: int) -> Study:
    return world(images, {"sampler": (distribution("Oracle", 0.7), CAPTIONS)}, 1, stated=True)


def sampled(whole: Study, seed: int) -> tuple[Study, list[int]]:
    """Return images drawn from the population with replacement, as a study with their captions, and their positions."""
    drawn = np.random.default_rng(seed).integers(len(whole.items), size=ITEMS).tolist()
    items = [replace(whole.items[k], id=str(place)) for place, k in enumerate(drawn)]
    (run,) = whole.runs
    said = {str(place): run.candidates[whole.items[k].id] for place, k in enumerate(drawn)}
    return replace(whole, items=tuple(items), runs=(replace(run, candidates=said),)), drawn


def least(repeats: int) -> float:
    return 0.95 - 3.5 * float(np.sqrt(0.95 * 0.05 / repeats))


def share_held(ends: Sequence[tuple[float, float]], truth: float) -> float:
    """Return the share of intervals that contain the truth, among those that exist; if nothing varies, there is
    none.
    """
    known = [low <= truth <= high for low, high in ends if not np.isnan(low)]
    return float(np.mean(known))


@pytest.mark.prove
@pytest.mark.parametrize(("work", "images"), [("words", 480), ("encoder", 240), ("meteor", 96)])
def test_intervals_of_items_cover(proof: Proof, tmp_path, work: str, images: int) -> None:
    found = scoring.score(population(images), able(work, True), Options(), Cache(tmp_path))
    missed, rng = {}, np.random.default_rng(2026)
    for result in found.values():
        metric, totals = result.metric, result.totals[with_value(result.totals)]
        truth = float(metric.finish(totals.sum(axis=0)))
        for items in SIZES:
            draws = (totals[rng.integers(len(totals), size=items)] for _ in range(REPEATS))
            share = share_held([metric.interval(drawn, RESAMPLES, 0) for drawn in draws], truth)
            proof.row(
                TABLE,
                metric=metric.name,
                design=f"{items} items, {CAPTIONS} captions",
                nominal=0.95,
                before=None,
                measured=share,
                repeats=REPEATS,
            )
            if not share >= least(REPEATS):
                missed[metric.name, items] = share
    assert not missed


@pytest.mark.prove
@pytest.mark.parametrize(("work", "images", "repeats"), [("words", 2_000, 100), ("encoder", 240, 30)])
def test_intervals_of_whole_runs_cover(proof: Proof, tmp_path, work: str, images: int, repeats: int) -> None:
    """Jackknife intervals tend to be too wide rather than too narrow; the truth is the mean value of samples of that
    size.
    """
    whole, metrics = population(images), able(work, False)
    found: dict[str, list[tuple[float, float, float]]] = {metric.name: [] for metric in metrics}
    known = embedded(whole, Cache(tmp_path)) if work == "encoder" else None
    for seed in range(repeats):
        study, drawn = sampled(whole, seed)
        chunk = Chunk.of(study.items, study.runs[0], Cache(None))
        for metric in metrics:
            if known is not None:
                sides = tuple(np.concatenate([side[k] for k in drawn]) for side in known)
                chunk.shared(("sides", metric.space), lambda given=sides: given)  # type: ignore[attr-defined]
            result = assemble(metric, metric.stats(None, chunk), None, 1_000, 0)
            found[metric.name].append((result.corpus, result.low, result.high))
    missed = {}
    for name, values in found.items():
        share = share_held([ends for _, *ends in values], float(np.mean([value for value, *_ in values])))
        proof.row(
            TABLE,
            metric=name,
            design=f"{ITEMS} items, {CAPTIONS} captions",
            nominal=0.95,
            before=BEFORE.get(name),
            measured=share,
            repeats=repeats,
        )
        if not share >= least(repeats):
            missed[name] = share
    assert not missed


def embedded(whole: Study, kept: Cache) -> tuple[list[Floats], list[Floats]]:
    encoder = METRICS["corpus_frechet_bert"].space.encoder  # type: ignore[attr-defined]
    chunk = Chunk.of(whole.items, whole.runs[0], kept)
    both = chunk.embedded_sides(encoder)
    sizes = [len(whole.runs[0].candidates[item.id]) for item in whole.items], [len(i.references) for i in whole.items]
    left, right = (np.split(side, np.cumsum(counts)[:-1]) for side, counts in zip(both, sizes))
    return left, right
