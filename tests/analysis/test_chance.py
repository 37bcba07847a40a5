"""Test chance: the values of runs that are scored against the references of other items."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from data.study import DataError, Item, Run, Settings, Study
from metrics.analysis import artifacts, chance
from metrics.cache.disk import Cache
from metrics.engine.scoring import score
from metrics.progress import Hooks
from metrics.registry import LEARNED, METRICS
from tests.second_route.registry import rouge_l_of
from tests.studies import study


def aligned(items: int = 40) -> Study:
    """Make items whose captions share one word with their own references alone, and another with all references."""
    ids = [f"image {k}" for k in range(items)]
    made = tuple(Item(id, (f"a thing{k}", f"a thing{k} there")) for k, id in enumerate(ids))
    return Study("aligned", made, (Run("r", "r", Settings(), {id: (f"a thing{k}",) for k, id in enumerate(ids)}),))


def test_pairings_are_derangements_that_leave_clusters_and_stay_in_strata() -> None:
    plain = aligned()
    items = tuple(replace(one, cluster=f"{k // 4}", metadata={"part": k % 2}) for k, one in enumerate(plain.items))
    clustered = replace(plain, items=items)
    for of, within in ((plain, ""), (plain, "length"), (clustered, ""), (clustered, "part")):
        found = chance.partners(of, chance.Design(within=within))
        assert found.shape == (39, 40)
        assert all(sorted(row) == list(range(40)) for row in found), within
        assert (found != np.arange(40)).all()
        group = chance.strata(of, within)
        assert (group[found] == group).all()
        if of.unit is not None:
            assert (of.unit[found] != of.unit).all()
    pairs = chance.partners(plain, chance.Design())
    assert len({(k, other) for row in pairs for k, other in enumerate(row)}) == 39 * 40, "each pair once"
    assert (chance.partners(plain, chance.Design()) == pairs).all()
    assert (chance.partners(plain, chance.Design(seed=1)) != pairs).any()


def test_an_item_without_others_has_no_chance_value() -> None:
    one = aligned(9)
    items = tuple(replace(item, metadata={"part": k == 0}) for k, item in enumerate(one.items))
    made = replace(one, items=items)
    found = chance.of_arrays(made, chance.measure(made, METRICS["bleu_1"], chance.Design(within="part"), Cache(None)))
    assert np.isnan(found["r"].items[0]).all()
    assert np.isfinite(found["r"].items[1:]).all()
    with pytest.raises(DataError, match=r"'nothing'.*length, part"):
        chance.partners(made, chance.Design(within="nothing"))


def test_each_pairing_is_what_the_engine_gives_of_the_deranged_study() -> None:
    of = study(items=10, runs=1)
    design = chance.Design(pairings=2)
    for name in ("bleu_2", "cider_d", "trm_cider_d", "rouge_l"):
        metric = METRICS[name]
        arrays = chance.measure(of, metric, design, Cache(None))
        for row, other in enumerate(chance.partners(of, design)):
            items = tuple(replace(one, references=of.items[k].references) for one, k in zip(of.items, other))
            slow = score(replace(of, items=items), (metric,))[of.runs[0].name, name]
            assert arrays["runs"][0, row] == pytest.approx(slow.corpus, abs=1e-12), name


def test_chance_of_forty_items_is_the_mean_over_every_pair_of_an_item_and_anothers_references() -> None:
    of = study(items=40, runs=1)
    metric, run = METRICS["rouge_l"], of.runs[0]
    every = [
        np.mean([rouge_l_of(text, other.references, metric.space.tokenizer) for text in run.candidates[item.id]])
        for item in of.items
        for other in of.items
        if other is not item
    ]
    found = chance.of_arrays(of, chance.measure(of, metric, chance.Design(), Cache(None)))[run.name]
    assert found.value == pytest.approx(np.mean(every), abs=1e-12)


def test_the_interval_is_of_95_percent_of_the_pairings_and_few_items_have_none() -> None:
    arrays = {"runs": np.arange(39.0)[None], "items": np.tile([1.0, 0.0, 2.0], (1, 8, 1))}
    found = chance.of_arrays(aligned(8), arrays)["r"]
    assert (found.value, found.low, found.high) == (19, 0, 38)
    assert found.above(39, True)
    assert not found.above(38, True)
    few = chance.of_arrays(aligned(7), {"runs": arrays["runs"], "items": arrays["items"][:, :7]})["r"]
    assert few.value == 19
    assert np.isnan([few.low, few.high]).all()
    assert not few.above(39, True)


def test_an_aligned_run_is_above_chance_and_its_arrays_are_kept() -> None:
    of, metric, cache = aligned(), METRICS["bleu_1"], Cache(None)
    work = artifacts.chance(of, metric, chance.Design(), cache)
    made = work.compute(cache, Hooks())
    stored = work.stored(cache)
    assert stored is not None
    assert np.array_equal(stored["runs"], made["runs"])
    found = chance.of_arrays(of, stored)["r"]
    assert found.value == pytest.approx(0.5)
    assert found.above(1.0, True)
    assert work.key != artifacts.chance(of, metric, chance.Design(within="length"), cache).key


def test_metrics_that_do_not_read_the_references_of_an_item_have_no_chance_value() -> None:
    lacking = {"distinct_1", "corpus_self_bleu_2", "corpus_ms_jaccard_2", "mauve_bert", "nll", "consensus_bleu"}
    assert not any(chance.has_chance(METRICS[name]) for name in lacking)
    assert not chance.has_chance(LEARNED["critique"])
    assert all(chance.has_chance(METRICS[name]) for name in ("bleu_1", "cider_d", "trm_bert", "mmd_bert"))
