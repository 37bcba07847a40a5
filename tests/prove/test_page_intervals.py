"""Measure how often intervals that pages derive from metrics contain the values of the population sampled."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from data.demo import load
from data.study import Study
from metrics.analysis import run_differences
from metrics.analysis.frontier import Frontier, frontier
from metrics.analysis.human_line import human_requirements
from metrics.analysis.numbers import Numbers
from metrics.analysis.paired import compare_all
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.result import Result
from metrics.engine.scoring import Results
from metrics.engine.tasks import Options
from metrics.registry import METRICS
from tests.prove.conftest import Proof
from tests.prove.test_coverage import least

REPEATS = 120
AXES = "rouge_l", "self_bleu_4"
SINGLES = "bleu_4", "distinct_2", "ms_jaccard_4", "cider_d", "unique_captions"
PAIR = "Peaked T=0.7", "Loose T=0.7"


class Fresh(Numbers):
    """Numbers that are not cached, since the cache identifies runs by their captions, which are the same in these
    samples.
    """

    def corpus(self, study, metric, runs, seed=0):
        results = [self.results[run.name, metric.name] for run in runs]
        return run_differences.corpus_values(results), run_differences.resampled(results)


def drawn(result: Result, items: np.ndarray) -> Result:
    totals = result.totals[items]
    value = float(result.metric.finish(totals.sum(axis=0)))
    return replace(result, totals=totals, items=result.items[items], corpus=value)


def seen(study: Study, results: Results, people: Results, items: np.ndarray) -> Frontier:
    numbers = Fresh(*({key: drawn(result, items) for key, result in of.items()} for of in (results, {}, people)))
    return frontier(study, numbers, *(METRICS[name] for name in AXES), study.runs, [METRICS[name] for name in SINGLES])


def ends(view: Frontier) -> dict[str, tuple[float, float, float]]:
    found = {f"frontier pairs as {one.metric.label}": (one.share, one.low, one.high) for one in view.singles}
    found |= {f"quality of {one.model} at people's diversity": tuple(one.kept) for one in view.trades.reaching}
    return found | {f"area that {one.model} covers": tuple(one.area) for one in view.trades.models}


@pytest.mark.prove
def test_intervals_of_pages_cover(proof: Proof, tmp_path) -> None:
    study = load()
    results = scoring.score(study, [METRICS[name] for name in (*AXES, *SINGLES)], Options(), Cache(tmp_path))
    needs = human_requirements(study, [METRICS[AXES[1]]])
    assert needs.study is not None
    people = scoring.score(needs.study, list(needs.as_run), Options(p_values=False), Cache(tmp_path))
    everything = np.arange(len(study.items))
    pair = [results[name, AXES[0]] for name in PAIR]
    truth = {name: value for name, (value, _, _) in ends(seen(study, results, people, everything)).items()}
    (whole,) = compare_all([(pair[0], pair[1])])
    truth |= {"difference of two runs": whole.difference, "d_z of two runs": whole.effect.value}
    held = defaultdict(list)
    for seed in range(REPEATS):
        items = np.random.default_rng([2026, seed]).integers(len(everything), size=len(everything))
        found = ends(seen(study, results, people, items))
        (one,) = compare_all([(drawn(pair[0], items), drawn(pair[1], items))])
        found["difference of two runs"] = one.difference, one.low, one.high
        found["d_z of two runs"] = one.effect.value, one.effect.low, one.effect.high
        for name, (_, low, high) in found.items():
            if not np.isnan(low):
                held[name].append(low - 1e-12 <= truth[name] <= high + 1e-12)
    for name, hits in held.items():
        proof.row(
            "Coverage of 95 % intervals of what pages show",
            interval=name,
            design="48 items, 21 runs",
            nominal=0.95,
            before=None,
            measured=float(np.mean(hits)),
            repeats=len(hits),
        )
    assert held.keys() == truth.keys()
    assert all(np.mean(hits) >= least(len(hits)) for hits in held.values()), held
