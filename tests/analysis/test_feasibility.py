"""Test the default runs and metrics of pages."""

from __future__ import annotations

from dataclasses import replace

from data.study import Run, Settings
from metrics.analysis.feasibility import SINGLE_CAPTION_METRICS, defaults, one_per_model, ranking_metric
from metrics.registry import METRICS
from tests.studies import study as random_study


def test_one_a_model_is_the_first_at_temperature_1_else_the_first() -> None:
    told = [("A", 0.3), ("A", 1.0), ("B", None), ("A", 1.0), ("C", 0.5), ("B", 0.7), ("C", 1.0)]
    runs = [Run(f"{k}", model, Settings(temperature=t), {}) for k, (model, t) in enumerate(told)]
    assert [run.name for run in one_per_model(runs)] == ["1", "2", "6"]
    assert one_per_model([]) == []


def test_metrics_of_sets_begin_only_where_most_runs_say_several_captions() -> None:
    study = random_study(items=3, runs=4)
    alone = [replace(r, candidates={i: texts[:1] for i, texts in r.candidates.items()}) for r in study.runs]
    half = replace(study, runs=(*study.runs[:2], *alone[2:]))
    few = replace(study, runs=(study.runs[0], *alone[1:]))
    for found, several in ((study, True), (half, True), (few, False), (replace(study, runs=tuple(alone)), False)):
        assert any("two candidates" in METRICS[name].needs for name in defaults(found)) == several


def test_what_ranks_at_first_has_intervals_of_differences() -> None:
    """By default, runs are not ranked by the distribution metric of whole runs that is first in a picker."""
    one_each = [METRICS[name] for name in SINGLE_CAPTION_METRICS]
    picked = sorted(one_each, key=lambda metric: ("distribution", "quality", "diversity").index(metric.family))
    assert picked[0].name == "corpus_ms_jaccard_4"
    assert ranking_metric(picked) == ranking_metric(one_each) == METRICS["cider_d"]
    assert ranking_metric(picked[:1]) == picked[0], "where nothing else can"
    assert ranking_metric([METRICS["vocabulary"], METRICS["distinct_2"]]) is None
    assert ranking_metric([METRICS["trm_bert"], METRICS["cider_d"]]) == METRICS["trm_bert"]
