"""Test how the table and the sentences of sweeps state the seeds' share of the variance."""

from __future__ import annotations

import numpy as np
import pytest

from figures.sweeps import decoder_words
from figures.sweeps import tables as sweeps_tables
from metrics.analysis.numbers import Numbers
from metrics.analysis.sweeps import settings_of, sweep_view
from metrics.engine import scoring
from metrics.registry import METRICS
from tests.analysis.replicates.studies import split
from tests.studies import study as random_study


def test_the_table_has_the_part_of_the_seeds_and_why_there_is_none() -> None:
    study = split(random_study(items=12, candidates=4, runs=2), 2)
    results = scoring.score(study, [METRICS["rouge_l"], METRICS["vocabulary"]])
    numbers = Numbers(results)
    settings = settings_of(study.runs)
    views = [sweep_view(study, numbers, METRICS[name], settings) for name in ("rouge_l", "vocabulary")]
    frame = sweeps_tables.table(views).set_index(["Metric", "Runs"])
    for view in views:
        for point in view.points:
            row = frame.loc[(view.metric.label, ", ".join(point.setting.runs))]
            assert row["sd of seeds"] == pytest.approx(np.std(point.singles, ddof=1))
            if view.metric.name == "rouge_l":
                assert 0 <= row["Seed share"] <= 1
                assert row["No share"] == ""
            else:
                assert np.isnan(row["Seed share"])
                assert row["No share"] == "no resamples"
    first = next(view for view in views if view.metric.name == "rouge_l")
    said = "".join(decoder_words.decoder_verdict(first, first.points))
    assert " over 2 seeds" in said
    alone = random_study(items=8, runs=2)
    numbers = Numbers(scoring.score(alone, [METRICS["rouge_l"]]))
    view = sweep_view(alone, numbers, METRICS["rouge_l"], settings_of(alone.runs))
    assert "sd of seeds" not in sweeps_tables.table([view])
