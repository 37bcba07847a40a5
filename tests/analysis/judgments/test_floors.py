"""Test the floor of an agreement: pairings against the engine, resamples against repeated captions, and a metric's
lead.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from data.study import Study
from metrics.analysis import artifacts, chance
from metrics.analysis.judgments import floors
from metrics.analysis.judgments.caption_agreement import Design, measure
from metrics.analysis.judgments.points import metric_values, points
from metrics.bootstrap import bootstrap_weights
from metrics.cache.disk import Cache
from metrics.engine.scoring import score
from metrics.progress import Hooks
from metrics.registry import METRICS
from tests.studies import study as random_study

ROUGE, DESIGN = METRICS["rouge_l"], Design("overall")


def rated(items: int = 14, of_length: bool = False, seed: int = 0) -> Study:
    """Make a study whose captions are rated by their ROUGE-L, plus noise, or by their length if `of_length`."""
    made = random_study(items=items, references=3, candidates=2, runs=2, seed=1)
    rng, runs = np.random.default_rng(seed), []
    for run in made.runs:
        found = score(made, (ROUGE,))[run.name, "rouge_l"]
        human = {}
        for k, item in enumerate(made.items):
            texts = sorted(run.candidates[item.id])
            value = dict(zip(texts, found.values[found.unit_item == k]))
            said = [len(t.split()) if of_length else 9 * value[t] + rng.normal() for t in run.candidates[item.id]]
            human[item.id] = {"overall": [float(one) for one in said]}
        runs.append(replace(run, human=human))
    return replace(made, runs=tuple(runs))


def test_each_pairing_is_the_agreement_of_a_study_with_exchanged_references() -> None:
    of = rated()
    items = tuple(replace(item, cluster="ab" if k < 2 else "") for k, item in enumerate(of.items))
    of = replace(of, items=items)
    pairing = chance.Design(pairings=3)
    found = floors.measure(of, score(of, (ROUGE,)), ROUGE, DESIGN, pairing, Cache(None))
    for row, other in zip(found.pairings.T, chance.partners(of, pairing)):
        exchanged = replace(
            of, items=tuple(replace(i, references=of.items[k].references) for i, k in zip(items, other))
        )
        slow = measure(exchanged, score(exchanged, (ROUGE,)), [ROUGE], DESIGN)
        np.testing.assert_allclose(row, [*slow.across[0], *slow.within[0]], atol=1e-12)
    own = measure(of, score(of, (ROUGE,)), [ROUGE], DESIGN)
    np.testing.assert_allclose(found.over + found.pairings.mean(axis=1), [*own.across[0], *own.within[0]], atol=1e-12)


def test_a_resample_counts_a_pair_as_often_as_both_of_its_items_are_drawn() -> None:
    of, pairing = rated(), chance.Design(pairings=1)
    found = floors.measure(of, score(of, (ROUGE,)), ROUGE, DESIGN, pairing, Cache(None))
    (other,) = chance.partners(of, pairing)
    exchanged = replace(of, items=tuple(replace(i, references=of.items[k].references) for i, k in zip(of.items, other)))
    at = points(of, "overall")
    own, theirs = (metric_values(of, score(one, (ROUGE,)), ROUGE, at) for one in (of, exchanged))
    (weights,) = bootstrap_weights(14, floors.RESAMPLES, 0)
    for draw in (0, 7):
        times = weights[draw].astype(int)
        one, two = (np.repeat(np.arange(len(at)), count[at.item]) for count in (times, times * times[other]))
        slow = [stats.kendalltau(x[k], at.value[k]).statistic for x, k in ((own, one), (theirs, two))]
        assert found.boot[0, draw] == pytest.approx(slow[0] - slow[1], abs=1e-12)


def test_a_metric_is_above_its_floor_where_ratings_go_by_its_own_references_alone() -> None:
    for of_length, above in ((False, True), (True, False)):
        of = rated(40, of_length)
        found = floors.measure(of, score(of, (ROUGE,)), ROUGE, DESIGN, chance.Design(), Cache(None))
        (one,) = floors.leads([found], "kendall_tau_b")
        assert one is not None
        assert (one.p_value <= 0.05 and one.lead.value > 0) == above, one
        assert one.floor.low <= one.floor.value <= one.floor.high
        assert (one.lead.value + one.floor.value > one.floor.high) >= above


def test_few_items_have_no_floor_and_the_arrays_are_kept() -> None:
    few = rated(7)
    found = floors.measure(few, score(few, (ROUGE,)), ROUGE, DESIGN, chance.Design(), Cache(None))
    assert np.isnan(found.lead("pearson").value)
    assert np.isnan(found.of("pearson").value)
    of, cache = rated(9), Cache(None)
    work = artifacts.floor(of, score(of, (ROUGE,)), ROUGE, DESIGN, chance.Design(), cache)
    made = work.compute(cache, Hooks())
    stored = work.stored(cache)
    assert stored is not None
    assert np.array_equal(stored["pairings"], made["pairings"])
    assert floors.leads([floors.from_arrays(stored), None], "spearman")[1] is None
    other = artifacts.floor(of, score(of, (ROUGE,)), ROUGE, DESIGN, chance.Design(seed=1), cache)
    assert other.key != work.key
