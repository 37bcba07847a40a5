"""Measure the coverage of the interval of people's agreement, and how often a lead over a baseline is falsely
claimed.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import kendalltau

from data.study import Study
from metrics.analysis.judgments.caption_agreement import CaptionAgreement, Design, measure
from metrics.analysis.judgments.correlation import STATISTICS
from metrics.analysis.judgments.trivial_baselines import TRIVIAL
from metrics.engine import scoring
from metrics.mathematics.arrays import Floats
from metrics.permutation.pvalues import ALPHA
from metrics.registry import METRICS
from tests.prove.conftest import Proof
from tests.studies import study as random_study

METRIC, DESIGN = METRICS["rouge_l"], Design("overall", resamples=300)
RUNS, RATERS, BETTER = 3, 3, 0.5
"""BETTER is by how much each run is rated higher than the last, in standard deviations of a caption's own part."""


def ratings(rng: np.random.Generator, items: int, raters: int) -> tuple[Floats, Floats]:
    """Draw ratings (runs, items, raters) in steps of a half, and the part (runs, items) that is specific to a
    caption.
    """
    own = rng.normal(size=(RUNS, items))
    of = BETTER * np.arange(RUNS)[:, None] + rng.normal(size=items) / 2 + own
    return np.round(2 * (of[..., None] + rng.normal(size=(RUNS, items, raters)))) / 2, own


def metric_of(rng: np.random.Generator, own: Floats, slope: float) -> Floats:
    """Draw values (runs, items) of a metric that depends on each caption, but not on its run."""
    return slope * own + rng.normal(size=own.shape)


def agreement(study: Study, said: Floats, values: Floats | None = None) -> CaptionAgreement:
    ids = [item.id for item in study.items]
    humans = [{id: {"overall": [of.tolist()]} for id, of in zip(ids, run)} for run in said]
    rated = replace(study, runs=tuple(replace(run, human=human) for run, human in zip(study.runs, humans)))
    if values is None:
        return measure(rated, {}, [], DESIGN)
    results = {key: one for key, one in scoring.score(study, [METRIC]).items() if key[1] == METRIC.name}
    given = {key: replace(one, values=of, items=of) for (key, one), of in zip(results.items(), values)}
    return measure(rated, given, [METRIC], DESIGN)


def made(items: int) -> Study:
    return random_study(items=items, candidates=1, runs=RUNS, references=2)


def ceiling_holds(items: int, repeats: int) -> dict[str, float]:
    """Return, by statistic, the share of samples whose interval of people's agreement with each other has the true
    value.
    """
    rng, study = np.random.default_rng(items), made(items)
    many = ratings(np.random.default_rng(99), 8_000, RATERS)[0]
    x, y = (np.stack([(many.sum(axis=2) - many[..., k]) / (RATERS - 1) for k in range(RATERS)], axis=-1), many)
    truth = {
        "kendall_tau_b": kendalltau(x, y).statistic,
        "kendall_tau_c": kendalltau(x, y, variant="c").statistic,
        "spearman": spearman(x, y),
        "pearson": np.corrcoef(x.ravel(), y.ravel())[0, 1],
    }
    held = dict.fromkeys(STATISTICS, 0.0)
    for _ in range(repeats):
        found = agreement(study, ratings(rng, items, RATERS)[0])
        for name in STATISTICS:
            one = found.of(-1, name)
            held[name] += (one.low <= truth[name] <= one.high) / repeats
    return held


def spearman(x: Floats, y: Floats) -> float:
    from scipy.stats import spearmanr

    return float(spearmanr(x.ravel(), y.ravel()).statistic)


def equal_slope() -> float:
    said, own = ratings(np.random.default_rng(7), 20_000, 1)
    run = np.broadcast_to(np.arange(RUNS)[:, None], own.shape)
    wanted, low, high = kendalltau(run, said[..., 0]).statistic, 0.0, 4.0
    for _ in range(14):
        middle = (low + high) / 2
        tau = kendalltau(metric_of(np.random.default_rng(8), own, middle), said[..., 0]).statistic
        low, high = (middle, high) if tau < wanted else (low, middle)
    return (low + high) / 2


def falsely(items: int, repeats: int) -> tuple[float, float]:
    """Return how often a metric as good as the order of runs is significantly ahead of all baselines, or behind that
    order.
    """
    rng, study, slope, ahead, behind = np.random.default_rng(items), made(items), equal_slope(), 0, 0
    for _ in range(repeats):
        said, own = ratings(rng, items, 1)
        (lead,) = agreement(study, said, metric_of(rng, own, slope)).leads("kendall_tau_b")
        ahead += lead.p_value <= ALPHA
        behind += TRIVIAL[lead.over] == "run" and lead.difference.p_value <= ALPHA and lead.difference.value < 0
    return ahead / repeats, behind / repeats


def room(share: float, repeats: int) -> float:
    return 3.2 * float(np.sqrt(share * (1 - share) / repeats))


def test_ceiling_and_lead_in_short() -> None:
    held = ceiling_holds(20, 15)
    assert all(share >= 0.92 - room(0.92, 15) for share in held.values()), held
    assert sum(falsely(20, 15)) <= 0.07 + room(0.07, 15)


@pytest.mark.prove
@pytest.mark.parametrize(("items", "least"), [(20, 0.91), (100, 0.93)])
def test_the_interval_of_people_with_each_other(proof: Proof, items: int, least: float) -> None:
    repeats = 600
    for name, share in ceiling_holds(items, repeats).items():
        proof.row(
            "Agreement with people: coverage of the interval of people with each other, leaving one rater out",
            statistic=name,
            design=f"{items} items, {RUNS} runs, {RATERS} raters",
            coverage=share,
            repeats=repeats,
        )
        assert share >= least - room(least, repeats), name


@pytest.mark.prove
@pytest.mark.parametrize("items", [20, 100])
def test_a_metric_as_good_as_the_order_of_runs_is_seldom_ahead_of_it(proof: Proof, items: int) -> None:
    repeats = 600
    ahead, behind = falsely(items, repeats)
    proof.row(
        "Agreement with people: a metric whose tau-b equals that of the order of the runs",
        design=f"{items} items, {RUNS} runs",
        ahead_of_every_baseline=ahead,
        behind_the_run=behind,
        nominal=ALPHA / 2,
        repeats=repeats,
    )
    assert max(ahead, behind) <= 0.035 + room(0.035, repeats)
