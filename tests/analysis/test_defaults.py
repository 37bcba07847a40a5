"""Test the default metrics of a quality-diversity frontier."""

from __future__ import annotations

from dataclasses import replace

import pytest

from data.study import Study
from metrics.analysis import defaults, feasibility
from metrics.analysis.defaults import default_pair, default_singles
from metrics.registry import METRICS
from tests.studies import study as random_study

QUALITY, DIVERSITY = ["rouge_l", "bleu_4", "meteor"], ["distinct_2", "corpus_self_bleu_4", "self_bleu_4"]


@pytest.fixture
def study() -> Study:
    return random_study(items=5, references=3, candidates=3, runs=4)


def pair(study: Study, quality: list[str], diversity: list[str]) -> tuple[str, str]:
    first, second = default_pair(study, [METRICS[name] for name in quality], [METRICS[name] for name in diversity])
    return first.name, second.name


def test_where_others_take_too_long_metrics_of_words_come_first(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    assert pair(study, QUALITY, DIVERSITY) == ("meteor", "self_bleu_4")
    assert pair(study, QUALITY[:2], DIVERSITY) == ("bleu_4", "self_bleu_4")
    monkeypatch.setattr(defaults, "PATIENCE", 0.0)
    monkeypatch.setitem(feasibility.PATIENCE, "meteor", 0.0)
    assert pair(study, QUALITY, DIVERSITY) == ("rouge_l", "self_bleu_4")
    assert all(METRICS[name].work == "words" for name in default_singles(study))
    synthetic = replace(study, synthetic=True)
    assert pair(synthetic, QUALITY, DIVERSITY) == ("meteor", "self_bleu_4")
    assert "trm_meteor" in default_singles(synthetic)


def test_self_bleu_is_of_the_whole_run_where_most_runs_have_no_sets(study: Study) -> None:
    lone = [replace(r, candidates={i: c[:1] for i, c in r.candidates.items()}) for r in study.runs]
    most, half = (replace(study, runs=(*study.runs[:k], *lone[k:])) for k in (1, 2))
    assert pair(most, QUALITY, DIVERSITY)[1] == "corpus_self_bleu_4", "three of four runs have no sets"
    assert pair(half, QUALITY, DIVERSITY)[1] == "self_bleu_4"
    assert all(name.startswith("corpus_") for name in default_singles(most))


def test_what_is_not_offered_gives_way_to_the_first_that_is(study: Study) -> None:
    assert pair(study, ["bleu_1", "bleu_2"], ["distinct_2", "vocabulary"]) == ("bleu_1", "distinct_2")
    for offered in (([], DIVERSITY), (QUALITY, [])):
        with pytest.raises(ValueError, match="a quality metric and a diversity metric"):
            pair(study, *offered)


def test_a_metric_of_the_study_s_defaults_ranks_before_others_that_have_intervals(study: Study) -> None:
    whole = [METRICS[name] for name in ("bleu_1", "corpus_ms_jaccard_4")]
    single = replace(
        study, runs=tuple(replace(r, candidates={i: c[:1] for i, c in r.candidates.items()}) for r in study.runs)
    )
    assert defaults.first_to_rank(single, whole) == METRICS["corpus_ms_jaccard_4"]
    assert defaults.first_to_rank(study, whole) == METRICS["bleu_1"]


def test_quality_ranks_the_runs_of_few_items(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    offered = [METRICS[name] for name in (*feasibility.defaults(study), "bleu_1")]

    def family(of: Study) -> str:
        first = defaults.first_to_rank(of, offered)
        assert first is not None
        return first.family

    assert len(study.items) < defaults.FEW
    assert family(study) == "quality"
    assert family(replace(study, synthetic=True)) == "distribution", "the demo opens by TRM"
    monkeypatch.setattr(defaults, "FEW", len(study.items))
    assert family(study) == "distribution"
