"""Test which metric decides what is shown first."""

from __future__ import annotations

from dataclasses import replace

from metrics.analysis.images_defaults import differing, main_metric
from metrics.registry import METRICS
from tests import studies

OFFERED = {name: METRICS[name] for name in ("bleu_1", "cider_d", "distinct_2")}


def test_a_metric_that_the_study_cannot_have_decides_nothing() -> None:
    study = studies.study(items=4)
    alone = replace(study, items=tuple(replace(item, references=()) for item in study.items))
    shown = [METRICS["distinct_2"], METRICS["cider_d"]]
    first = main_metric(study, OFFERED, shown, lambda metric: True)
    assert first in (METRICS["bleu_1"], METRICS["cider_d"])
    assert main_metric(alone, OFFERED, shown, lambda metric: True) is None


def test_a_page_begins_with_an_image_on_which_runs_differ() -> None:
    study = studies.study(items=4, runs=2, candidates=1)
    first, other = study.runs
    alike = {item.id: first.candidates[item.id] for item in study.items if item.id != "image 2"}
    same = replace(other, candidates={**other.candidates, **alike})
    assert differing(study, study.runs, (1, 0, 2, 3)) == 1
    assert differing(study, (first, same), (1, 0, 2, 3)) == 2
    assert differing(study, (first, first), (3, 0)) == 3, "the first if they differ on none"
