"""Measure levels, power and coverage for dependent items, either all in duplicate or in clusters of five.

If clusters are `known`, the study states them; otherwise its items count as independent.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from data.study import Captions, Item, Run, Settings, Study
from metrics.analysis.agreement import matrix
from metrics.analysis.agreement.observations import Observations
from metrics.analysis.detectable_faults import detectable, mixtures, statistics
from metrics.analysis.sensitivity import power
from metrics.bootstrap import bootstrap_totals, interval
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.engine.workers import Workers
from metrics.mathematics.arrays import Floats, Integers
from metrics.permutation.sign_flips import Sides, sign_flips
from metrics.registry import resolve
from metrics.units import Units, count_units
from tests.levels import by_grammar, null_study
from tests.prove.conftest import Proof

TABLE = "Items that are not independent"
REPEATS = 600


def differences(rng: np.random.Generator, kind: str) -> tuple[Floats, Integers]:
    """Draw differences (items,) of two equal runs, and the clusters of the items, which share all or half of their
    variance.
    """
    clusters, size = (40, 2) if kind == "doubled" else (30, 5)
    shared, own = rng.normal(size=(clusters, 1)), rng.normal(size=(clusters, size))
    values = np.repeat(shared, size, axis=1) if kind == "doubled" else (shared + own) / np.sqrt(2)
    return values.ravel(), np.repeat(np.arange(clusters), size)


def mean(totals: Floats) -> Floats:
    return np.asarray(totals[..., 0] / totals[..., 1])


def of_sample(values: Floats, unit: Units) -> tuple[bool, bool]:
    totals = np.column_stack([values, np.ones(len(values))])
    other = np.column_stack([np.zeros(len(values)), np.ones(len(values))])
    (test,) = sign_flips([Sides(totals, other, mean)], 399, 2, unit=unit)
    low, high = interval(mean(bootstrap_totals(totals, 500, unit=unit)), count_units(unit, np.arange(len(values))))
    return test.p_value <= 0.05, low <= 0 <= high


def shares(kind: str, known: bool, repeats: int) -> Floats:
    rng, found = np.random.default_rng(8), np.zeros(2)
    for _ in range(repeats):
        values, unit = differences(rng, kind)
        found += of_sample(values, unit if known else None)
    return found / repeats


def doubled(study: Study, known: bool) -> Study:
    """Return the study with all items twice.

    A space after the second captions makes them different texts of the same words.
    """

    def again(texts: Captions) -> Captions:
        return tuple(f"{text} " for text in texts)

    items = [replace(item, cluster=item.id if known else "") for item in study.items]
    twice = [replace(item, id=f"{item.id} again", references=again(item.references)) for item in items]
    (run,) = study.runs
    said = {**run.candidates, **{f"{id} again": again(texts) for id, texts in run.candidates.items()}}
    return replace(study, items=(*items, *twice), runs=(replace(run, candidates=said),))


def against_people(known: bool, repeats: int) -> float:
    """Return the share of doubled null studies of 6 items in which a triangle-rank metric finds a difference from
    people.
    """
    rng, cache, rejected = np.random.default_rng(9), Cache(None), 0
    metrics, options = resolve(["trm_bow"], "whitespace"), Options(p_values=True, draws=999)
    for _ in range(repeats):
        study = doubled(null_study(by_grammar(), rng, 6, 4, 4), known)
        (result,) = scoring.score(study, metrics, options, cache).values()
        rejected += result.p_value <= 0.05
    return rejected / repeats


def power_map(known: bool, mean: float, repeats: int) -> tuple[float, float]:
    """Return how often Sensitivity finds a difference significant, and how often its interval contains the true need.

    The need is the number of items. These are in 30 clusters of 5, between which is half of the variance: a cluster's
    mean has variance .5 + .5 / 5.
    """
    rng, found = np.random.default_rng(10), np.zeros(2)
    needed = 5 * power.needed(normal(mean / np.sqrt(0.6))).items
    for _ in range(repeats):
        values, unit = differences(rng, "clusters of 5")
        whole, each = power.in_clusters(values[:, None] + mean, unit if known else None)
        need = power.needed(whole)
        found += power.paired_p(whole.mean(axis=1)) <= 0.05, need.low * each <= needed <= need.high * each
    return found[0] / repeats, found[1] / repeats


def normal(mean: float) -> Floats:
    """Return differences (n, 1) with exactly this mean and standard deviation 1."""
    drawn = np.random.default_rng(0).normal(size=(100_000, 1))
    return np.asarray((drawn - drawn.mean()) / drawn.std() + mean)


def told_alike(known: bool, repeats: int) -> float:
    """Return how often Agreement says that the correlation of two unrelated metrics over images is not 0."""
    rng, found = np.random.default_rng(11), 0
    for _ in range(repeats):
        (first, unit), (second, _) = (differences(rng, "clusters of 5") for _ in range(2))
        item, none = np.arange(len(first)), np.zeros(len(first), dtype=np.int64)
        values, of = np.stack([first, second]), unit if known else None
        seen = Observations("items", ("one", "other"), values, none, item, none, none, unit=of)
        low, high = matrix.ends(seen, matrix.agreement(seen), "spearman")
        found += bool(low[0, 1] > 0 or high[0, 1] < 0)
    return found / repeats


def frames(rng: np.random.Generator, scenes: int, size: int, captions: int, known: bool) -> Study:
    """Make a study in which both sides write alike: scenes are drawn with replacement, and each has `size` items."""
    items, said = [], {}
    for number, k in enumerate(rng.integers(len(by_grammar()), size=scenes)):
        for frame in range(size):
            texts = [by_grammar()[k][j] for j in rng.choice(60, 2 * captions, replace=False)]
            id = f"{number} {frame}"
            items.append(Item(id, tuple(texts[captions:]), cluster=str(number) if known else ""))
            said[id] = tuple(texts[:captions])
    return Study("frames", tuple(items), (Run("null", "null", Settings(), said),))


def self_bleu(known: bool, repeats: int) -> float:
    """Return the share of samples of 20 scenes with 5 frames whose interval of Corpus Self-BLEU-4 contains the mean."""
    rng, found, cache = np.random.default_rng(5), [], Cache(None)
    metrics = resolve(["corpus_self_bleu_4"], "whitespace")
    for _ in range(repeats):
        (one,) = scoring.score(frames(rng, 20, 5, 2, known), metrics, Options(), cache).values()
        found.append((one.low, one.corpus, one.high))
    low, value, high = np.array(found).T
    return float(((low <= value.mean()) & (value.mean() <= high)).mean())


def manners(rng: np.random.Generator, videos: int, wrong: int, known: bool) -> Study:
    items, said, source = [], {}, [sorted(texts, key=len) for texts in by_grammar()]
    for video in range(videos):
        here, other = rng.choice(len(source), 2, replace=False)
        long = rng.random(10) < 0.5
        for frame in range(5):
            texts = [source[here][30 * int(side) + rng.integers(30)] for side in long]
            texts[:wrong] = [source[other][rng.integers(60)] for _ in range(wrong)]
            id = f"{video} {frame}"
            items.append(Item(id, tuple(texts[5:]), cluster=str(video) if known else ""))
            said[id] = tuple(texts[:5])
    return Study("manners", tuple(items), (Run("run", "run", Settings(), said),))


def told_from_people(name: str, videos: int, wrong: int, known: bool, repeats: int) -> float:
    rng, found, cache = np.random.default_rng(12), 0, Cache(None)
    options = Options(p_values=True, draws=999, resamples=1)
    for _ in range(repeats):
        study = manners(rng, videos, wrong, known)
        (result,) = scoring.score(study, resolve([name]), options, cache, workers=Workers(jobs=1)).values()
        assert result.joint is not None
        found += result.joint.p <= 0.05
    return found / repeats


@pytest.mark.prove
@pytest.mark.parametrize("name", ["trm_cider_d", "mmd_bow"])
@pytest.mark.parametrize("videos", [12, 24])
def test_writers_who_keep_to_a_manner(proof: Proof, name: str, videos: int) -> None:
    repeats, items = 100, f"{videos} videos of 5 frames, each writer in one manner"
    for wrong in (0, 1):
        level, before = (told_from_people(name, videos, wrong, known, repeats) for known in (True, False))
        what = f"joint test with {name}, {'one caption of five wrong' if wrong else 'like people'}"
        proof.row(TABLE, items=items, test=what, repeats=repeats, measured=level, before=before)
        assert level > 0.3 if wrong else level <= 0.05 + 3.1 * np.sqrt(0.05 * 0.95 / repeats)


@pytest.mark.prove
@pytest.mark.parametrize("videos", [6, 8, 12, 24])
def test_faults_that_are_said_to_be_found_are_found(proof: Proof, videos: int) -> None:
    """Each study of people's captions states how many wrong captions it would detect; another study has that many."""
    (metric,), rng, cache, repeats = resolve(["trm_cider_d"]), np.random.default_rng(6), Cache(None), 40
    options, said, found = Options(p_values=True, draws=999, resamples=1), [], []
    for _ in range(repeats):
        equal = manners(rng, videos, 0, True)
        mixed = mixtures(equal, equal.runs[0])
        assert mixed is not None
        z = statistics(mixed, metric, scoring.score(mixed, [metric], options, cache, workers=Workers(jobs=1)))
        assert z is not None
        if (wrong := detectable(mixed, z, equal, 1).wrong) is not None:
            faulty = manners(rng, videos, wrong, True)
            (result,) = scoring.score(faulty, [metric], options, cache, workers=Workers(jobs=1)).values()
            assert result.joint is not None
            said.append(wrong)
            found.append(result.joint.p <= 0.05)
    proof.row(
        "Faults that the joint test is said to find (power 80 %)",
        design=f"{videos} videos of 5 frames, 5 v 5, {metric.name}",
        said_in=len(said) / repeats,
        wrong_of_five=float(np.mean(said)),
        found=float(np.mean(found)),
        repeats=repeats,
    )
    assert np.mean(found) >= 0.7
    assert len(said) >= 0.8 * repeats


@pytest.mark.prove
@pytest.mark.parametrize("kind", ["doubled", "clusters of 5"])
def test_two_equal_runs(proof: Proof, kind: str) -> None:
    (level, held), (before, once) = shares(kind, True, REPEATS), shares(kind, False, REPEATS)
    proof.row(TABLE, items=kind, test="paired", repeats=REPEATS, measured=level, before=before)
    proof.row(TABLE, items=kind, test="interval holds the mean", repeats=REPEATS, measured=held, before=once)
    assert level <= 0.05 + 3.1 * np.sqrt(0.05 * 0.95 / REPEATS)
    assert held >= 0.95 - 3.1 * np.sqrt(0.05 * 0.95 / REPEATS)
    assert before > 0.12


@pytest.mark.prove
def test_a_run_that_writes_as_people_do(proof: Proof) -> None:
    level, before = (against_people(known, REPEATS // 2) for known in (True, False))
    proof.row(TABLE, items="doubled", test="relabelling, trm_bow", repeats=300, measured=level, before=before)
    assert level <= 0.05 + 3.1 * np.sqrt(0.05 * 0.95 / 300) < before


@pytest.mark.prove
def test_how_many_images_tell_two_runs_apart(proof: Proof) -> None:
    (level, _), (before, _) = (power_map(known, 0.0, REPEATS) for known in (True, False))
    (_, held), (_, once) = (power_map(known, 0.3, REPEATS) for known in (True, False))
    of = {"items": "clusters of 5", "repeats": REPEATS}
    proof.row(TABLE, **of, test="Sensitivity, the difference is significant", measured=level, before=before)
    proof.row(TABLE, **of, test="Sensitivity, 80 % interval holds the images needed", measured=held, before=once)
    assert level <= 0.05 + 3.1 * np.sqrt(0.05 * 0.95 / REPEATS) < before
    assert held >= 0.8 - 3.1 * np.sqrt(0.8 * 0.2 / REPEATS) > once


@pytest.mark.prove
def test_metrics_that_are_not_related(proof: Proof) -> None:
    level, before = (told_alike(known, REPEATS) for known in (True, False))
    proof.row(TABLE, items="clusters of 5", test="Agreement", repeats=REPEATS, measured=level, before=before)
    assert level <= 0.05 + 3.1 * np.sqrt(0.05 * 0.95 / REPEATS) < before


@pytest.mark.prove
def test_self_bleu_of_a_corpus(proof: Proof) -> None:
    held, once = (self_bleu(known, REPEATS // 3) for known in (True, False))
    what = "interval of Corpus Self-BLEU-4 holds the mean"
    proof.row(TABLE, items="clusters of 5", test=what, repeats=REPEATS // 3, measured=held, before=once)
    assert held >= 0.95 - 3.1 * np.sqrt(0.95 * 0.05 / (REPEATS // 3))


def test_clusters_are_respected_in_short() -> None:
    (level, held), (before, _) = (shares("clusters of 5", known, 60) for known in (True, False))
    assert level <= 0.15 < before + 0.05
    assert held >= 0.85


def test_sensitivity_and_agreement_respect_clusters_in_short() -> None:
    (_, held), (_, once) = (power_map(known, 0.3, 60) for known in (True, False))
    assert held >= 0.65 > once
    (level, _), (before, _) = (power_map(known, 0.0, 60) for known in (True, False))
    assert level <= 0.15 < before
    assert told_alike(True, 60) <= 0.05 < told_alike(False, 60)
