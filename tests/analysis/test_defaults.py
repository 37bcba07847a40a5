"""Test the default metrics of a quality-diversity frontier."""

from __future__ import annotations

from dataclasses import replace

import pytest

from data.study import Study
from metrics.analysis import defaults
from metrics.analysis.defaults import default_pair, default_singles
from metrics.registry import METRICS
from tests.studies import study as random_study

QUALITY, DIVERSITY = ["rouge_l", "bleu_4", "meteor"], ["distinct_2", "corpus_self_bleu_4", "self_bleu_4"]


@pytest.fixture
def study() -> Study:
    return random_study(items=5, references=3, candidates=3, runs=4)


def test_without_patience_words_come_first_unless_the_slow_one_is_there(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(defaults, "PATIENCE", 0.0)
    assert default_pair(study, QUALITY, DIVERSITY) == ("bleu_4", "self_bleu_4")
    assert default_pair(study, QUALITY, DIVERSITY, "meteor".__eq__) == ("meteor", "self_bleu_4")
    assert default_pair(study, QUALITY[:2], DIVERSITY, "meteor".__eq__) == ("bleu_4", "self_bleu_4")
    assert all(METRICS[name].work == "words" for name in default_singles(study))
    synthetic = replace(study, synthetic=True)
    assert default_pair(synthetic, QUALITY, DIVERSITY) == ("meteor", "self_bleu_4")
    assert "trm_meteor" in default_singles(synthetic)


def test_self_bleu_is_of_the_whole_run_where_most_runs_have_no_sets(study: Study) -> None:
    lone = [replace(r, candidates={i: c[:1] for i, c in r.candidates.items()}) for r in study.runs]
    most, half = (replace(study, runs=(*study.runs[:k], *lone[k:])) for k in (1, 2))
    assert default_pair(most, QUALITY, DIVERSITY)[1] == "corpus_self_bleu_4", "three of four runs have no sets"
    assert default_pair(half, QUALITY, DIVERSITY)[1] == "self_bleu_4"
    assert all(name.startswith("corpus_") for name in default_singles(most))


def test_what_is_not_offered_gives_way_to_the_first_that_is(study: Study) -> None:
    assert default_pair(study, ["rouge_l", "cider_d"], ["distinct_2", "vocabulary"]) == ("rouge_l", "distinct_2")
    for offered in (([], DIVERSITY), (QUALITY, [])):
        with pytest.raises(ValueError, match="a quality metric and a diversity metric"):
            default_pair(study, *offered)
