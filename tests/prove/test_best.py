"""Measure how often runs are falsely distinguished from the best one, which the tested data choose; also ranges of
ranks.
"""

from __future__ import annotations

import numpy as np
import pytest

from metrics.analysis import run_differences
from metrics.analysis.paired import Sides, sign_flips
from metrics.engine.result import Result
from metrics.permutation.pvalues import ALPHA, holm
from tests.equal_runs import pool, studies
from tests.prove.conftest import Proof

TEMPERATURES = (0.5, 0.7, 0.85, 1.0, 1.0, 1.15, 1.3, 1.6)


def judged(results: list[Result]) -> tuple[run_differences.Pairs, run_differences.Differences]:
    """Return the comparisons of all pairs, corrected, and those of every run with the best, without correction."""
    values, boot, n = run_differences.corpus_values(results), run_differences.resampled(results), results[0].n
    return run_differences.all_pairs(values, boot, n), run_differences.differences(
        values, boot, int(np.argmax(values)), n
    )


def most(repeats: int) -> float:
    """Return the largest share of `repeats` allowed for a true rate of 5 %, with three standard errors."""
    return ALPHA + 3 * float(np.sqrt(ALPHA * (1 - ALPHA) / repeats))


@pytest.mark.prove
@pytest.mark.parametrize(("items", "repeats"), [(10, 300), (50, 300), (200, 300), (1000, 60)])
@pytest.mark.parametrize("metric", ["rouge_l", "bleu_4"])
def test_nobody_is_told_apart_where_all_runs_are_equal(proof: Proof, metric: str, items: int, repeats: int) -> None:
    for runs in (5, 10, 20):
        wrong = np.zeros(2)
        for results in studies([pool(metric)] * runs, items, repeats, seed=runs):
            pairs, plain = judged(results)
            wrong += [plain.sure.any(), pairs.sure.any()]
        before, measured = wrong / repeats
        proof.row(
            "Family-wise error with all runs equal",
            metric=metric,
            runs=runs,
            items=items,
            nominal=ALPHA,
            before=before,
            measured=measured,
            repeats=repeats,
        )
        assert measured <= most(repeats)
        assert before > 3 * ALPHA, "the error that this guards against has gone: the experiment is no longer one"


@pytest.mark.prove
@pytest.mark.parametrize("runs", [5, 10, 20])
def test_daggers_against_the_best(proof: Proof, runs: int) -> None:
    """Holm's correction of sign-flip tests against one run is valid for a run fixed beforehand, not for the best in
    the data.
    """
    repeats = 150
    wrong = np.zeros(3)
    finish = pool("rouge_l").run(np.random.default_rng(0), np.arange(8)).metric.finish
    for results in studies([pool("rouge_l")] * runs, 50, repeats, seed=100 + runs):
        pairs, _ = judged(results)
        best = int(np.argmax(run_differences.corpus_values(results)))
        found = []
        for against in (best, 0):
            asked = [Sides(r.totals, results[against].totals, finish) for r in results if r is not results[against]]
            found.append((holm([test.p_value for test in sign_flips(asked, draws=999)]) <= ALPHA).any())
        wrong += [*found, pairs.against(best).sure.any()]
    before, fixed, measured = wrong / repeats
    proof.row(
        "Family-wise error of daggers with all runs equal",
        runs=runs,
        items=50,
        nominal=ALPHA,
        before=before,
        measured=measured,
        fixed_baseline_holm=fixed,
        repeats=repeats,
    )
    assert max(measured, fixed) <= most(repeats)


@pytest.mark.prove
@pytest.mark.parametrize("items", [20, 50, 200])
def test_rank_ranges_hold_the_true_ranks_and_resolve_most_pairs(proof: Proof, items: int) -> None:
    repeats, pools = 200, [pool("rouge_l", temperature) for temperature in TEMPERATURES]
    truth = np.array([one.truth for one in pools])
    first = 1 + (truth > truth[:, None] + 1e-12).sum(axis=1)
    last = len(truth) - (truth < truth[:, None] - 1e-12).sum(axis=1)
    different = np.abs(truth[:, None] - truth) > 1e-12
    held, resolved, before = 0, 0.0, 0.0
    for results in studies(pools, items, repeats, seed=items):
        values, boot = run_differences.corpus_values(results), run_differences.resampled(results)
        pairs = run_differences.all_pairs(values, boot, items)
        ranks = run_differences.rank_ranges(pairs, higher_is_better=True)
        held += bool(((ranks.low <= first) & (last <= ranks.high)).all())
        resolved += pairs.sure[different].mean()
        alone = np.array([run_differences.differences(values, boot, k, items).sure for k in range(len(values))])
        before += alone[different].mean()
    proof.row(
        "Rank ranges: ranges that all hold the true ranks, pairs distinguished",
        items=items,
        runs=len(truth),
        nominal=1 - ALPHA,
        coverage=held / repeats,
        pairs_told_apart=resolved / repeats,
        pairs_told_apart_before=before / repeats,
        repeats=repeats,
    )
    assert held / repeats >= 1 - most(repeats)
    assert items < 50 or resolved / before > 0.5
