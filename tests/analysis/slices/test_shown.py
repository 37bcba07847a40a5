"""Test what is shown for a slice: the items on which two runs differ most, and scores by caption length."""

from __future__ import annotations

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from metrics.analysis.slices import differences as analysis
from metrics.analysis.slices.examples import examples
from metrics.analysis.slices.lengths import length_curve
from tests.analysis.slices.test_slices import STUDY, found_in


def test_examples_are_the_items_where_the_runs_differ_most() -> None:
    values, arrays = found_in(STUDY)
    row = max(analysis.differences(values, arrays).rows, key=lambda row: row.n)
    shown = examples(values, row.slice, 3)
    gaps = [abs(one.values[0] - one.values[1]) for one in shown]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] == pytest.approx(np.abs(values.items[list(row.slice.places)]).max())


def test_length_against_score() -> None:
    items = tuple(Item(f"{k}", ("a b c",)) for k in range(49))
    said = {item.id: (" ".join(["w"] * (1 + k // 6)),) for k, item in enumerate(items)}
    run = Run("r", "r", Settings(), said)
    scores = np.array([10.0 - k // 6 for k in range(49)])
    scores[48] = np.nan
    curve = length_curve(Study("s", items, (run,)), run, scores)
    assert curve.length.tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert curve.score.tolist() == [10, 9, 8, 7, 6, 5, 4, 3]
    assert curve.n.tolist() == [6] * 8
    assert curve.spearman == pytest.approx(-1)
