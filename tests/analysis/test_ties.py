"""Test ties between two runs on an item, and equal differences on many items."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metrics.analysis.paired import compare_all, family
from metrics.registry import METRICS
from tests.analysis.test_paired import numbers_of, result
from tests.studies import study as random_study


def test_without_a_shared_n_gram_an_item_ties_by_bleu() -> None:
    """What COCO's smoothing leaves of the score depends only on the length of a caption."""
    study = random_study(items=1, runs=2)
    item = study.items[0].id
    said = {"short": "zebras yodel quietly", "long": "seven purple zebras yodel quietly underneath broken neon signs"}
    runs = tuple(
        replace(run, name=name, candidates={item: (text,)}) for run, (name, text) in zip(study.runs, said.items())
    )
    study = replace(study, runs=runs)
    for name in ("bleu_1", "bleu_2", "bleu_3", "bleu_4"):
        found = family(study, numbers_of(study, (name,)), [(*runs, METRICS[name])]).comparisons[0]
        assert 0 < abs(found.items[0]) < METRICS[name].tie / 5
        assert found.counts == (0, 1, 0)


def test_an_effect_has_no_interval_if_many_resamples_have_no_spread() -> None:
    (found,) = compare_all([(result([4 / 3] * 11 + [0.1]), result([0.0] * 12))])
    assert found.effect.value > 1
    assert np.isnan([found.effect.low, found.effect.high]).all(), "rounding gave ends of 1e8 standard deviations"
