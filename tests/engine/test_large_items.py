"""Test an item with very many captions: which metrics have a value, which are tested, and why the others are not."""

from __future__ import annotations

import random
import time
from dataclasses import replace

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.scores_table import scores
from metrics.engine.tasks import Options
from metrics.engine.workers import Workers
from metrics.registry import resolve

WORDS = [f"word{k}" for k in range(300)]


def caption(source: random.Random) -> str:
    return " ".join(source.choices(WORDS, k=source.randint(6, 12)))


def of_sizes(candidates: list[int], references: int = 3) -> Study:
    source = random.Random(0)
    items = tuple(Item(str(k), tuple(caption(source) for _ in range(references))) for k in range(len(candidates)))
    said = {str(k): tuple(caption(source) for _ in range(n)) for k, n in enumerate(candidates)}
    return Study("large", items, (Run("run", "run", Settings(), said),))


def scored(candidates: int, names: list[str], references: int = 3) -> scoring.Results:
    study, metrics = of_sizes([candidates, 4], references), resolve(names, "whitespace")
    return scoring.score(study, metrics, Options(p_values=True, draws=99), workers=Workers(jobs=1))


@pytest.mark.parametrize("name", ["bleu_4", "rouge_l", "cider_d"])
def test_quality_has_values_but_is_not_relabelled(name: str) -> None:
    start = time.monotonic()
    found = scored(3_000, [name])["run", name]
    assert time.monotonic() - start < 30
    assert found.error is None
    assert not np.isnan(found.items).any()
    assert found.item_p is not None
    assert np.isnan(found.item_p).tolist() == [True, False]


@pytest.mark.parametrize("name", ["trm_bow", "trm_rouge_l", "mmd_bow"])
def test_matrices_of_all_pairs_are_refused_with_the_reason(name: str) -> None:
    found = scored(3_000, [name])["run", name]
    assert np.isnan(found.items).tolist() == [True, False]
    assert "too many for the matrix of all pairs" in found.reasons[0]
    assert found.reasons[0].endswith("at most 2,000")


def test_too_many_texts_to_relabel_triangles_cost_the_p_value_alone() -> None:
    found = scored(300, ["trm_bow"])["run", "trm_bow"]
    assert found.error is None
    assert not np.isnan(found.items).any()
    assert found.item_p is not None
    assert np.isnan(found.item_p).tolist() == [True, False]
    assert found.p_value > 0
    assert found.untested == {0: "303 texts: triangles are not relabelled at random above 256 texts"}
    assert (found.p_n, found.why_no_p()) == (1, None)


def test_a_missing_p_says_why_in_the_table_and_after_the_cache() -> None:
    study, metrics = of_sizes([4, 5, 300]), resolve(["trm_bow"], "whitespace")
    options, cache = Options(p_values=True, draws=99, chunk=2), Cache(None)
    made = scoring.score(study, metrics, options, cache)
    kept = scoring.score(study, metrics, replace(options, resamples=100), cache)  # from the items' stored tests
    again = scoring.score(study, metrics, options, cache)
    for results in (made, kept, again):
        rows = scores(study, results, ("corpus", "item"))
        assert rows.p_n.tolist()[:1] == [2]
        assert rows.p_error.isna().tolist() == [True, True, True, False]
        assert "303 texts: triangles are not relabelled at random" in rows.p_error[3]
        assert rows.error.isna().all()
    alone = scoring.score(of_sizes([300]), metrics, options)["run", "trm_bow"]
    assert (alone.p_n, alone.why_no_p()) == (0, alone.untested[0])


def test_many_texts_whose_partitions_can_be_enumerated_are_tested() -> None:
    found = scored(298, ["trm_bow"], references=2)["run", "trm_bow"]
    assert found.item_floor is not None
    assert found.item_floor[0] == pytest.approx(2 / (300 * 299))
