"""Level of tests and coverage of intervals where items are not independent: all doubled, or in clusters of five."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from data.study import Captions, Study
from metrics.arrays import Floats, Integers
from metrics.bootstrap import bootstrap_totals, interval
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.permutation.sign_flips import Sides, sign_flips
from metrics.registry import resolve
from metrics.units import Units, count_units
from tests.levels import by_grammar, null_study
from tests.prove.conftest import Proof

TABLE = "Items that are not independent"
REPEATS = 600


def differences(rng: np.random.Generator, kind: str) -> tuple[Floats, Integers]:
    """Differences (items,) of two equal runs whose items share half of their variance or all, with the clusters."""
    clusters, size = (40, 2) if kind == "doubled" else (30, 5)
    shared, own = rng.normal(size=(clusters, 1)), rng.normal(size=(clusters, size))
    values = np.repeat(shared, size, axis=1) if kind == "doubled" else (shared + own) / np.sqrt(2)
    return values.ravel(), np.repeat(np.arange(clusters), size)


def mean(totals: Floats) -> Floats:
    return np.asarray(totals[..., 0] / totals[..., 1])


def of_sample(values: Floats, unit: Units) -> tuple[bool, bool]:
    """Whether the paired test rejects, and whether the interval of the mean holds 0."""
    totals = np.column_stack([values, np.ones(len(values))])
    other = np.column_stack([np.zeros(len(values)), np.ones(len(values))])
    (test,) = sign_flips([Sides(totals, other, mean)], 399, 2, unit=unit)
    low, high = interval(mean(bootstrap_totals(totals, 500, unit=unit)), count_units(unit, np.arange(len(values))))
    return test.p_value <= 0.05, low <= 0 <= high


def shares(kind: str, known: bool, repeats: int) -> Floats:
    """Shares of samples in which the test rejects and in which the interval holds the mean."""
    rng, found = np.random.default_rng(8), np.zeros(2)
    for _ in range(repeats):
        values, unit = differences(rng, kind)
        found += of_sample(values, unit if known else None)
    return found / repeats


def doubled(study: Study, known: bool) -> Study:
    """All items twice; a space behind the second captions makes them other texts of the same words."""

    def again(texts: Captions) -> Captions:
        return tuple(f"{text} " for text in texts)

    items = [replace(item, cluster=item.id if known else "") for item in study.items]
    twice = [replace(item, id=f"{item.id} again", references=again(item.references)) for item in items]
    (run,) = study.runs
    said = {**run.candidates, **{f"{id} again": again(texts) for id, texts in run.candidates.items()}}
    return replace(study, items=(*items, *twice), runs=(replace(run, candidates=said),))


def against_people(known: bool, repeats: int) -> float:
    """The share of doubled true nulls of 6 items in which a run is told from people by a triangle-rank metric."""
    rng, cache, rejected = np.random.default_rng(9), Cache(None), 0
    metrics, options = resolve(["trm_bow"], "whitespace"), Options(p_values=True, draws=999)
    for _ in range(repeats):
        study = doubled(null_study(by_grammar(), rng, 6, 4, 4), known)
        (result,) = scoring.score(study, metrics, options, cache).values()
        rejected += result.p_value <= 0.05
    return rejected / repeats


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


def test_clusters_are_respected_in_short() -> None:
    (level, held), (before, _) = (shares("clusters of 5", known, 60) for known in (True, False))
    assert level <= 0.15 < before + 0.05
    assert held >= 0.85
