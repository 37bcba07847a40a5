"""Test the human line: when it is shown, and its value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from metrics.analysis import human_line
from metrics.base import Metric
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS
from metrics.suite.diversity import Distinct
from tests.studies import study as random_study

NAMES = ("cider_d", "rouge_l", "bleu_4", "trm_bow", "ms_jaccard_2", "distinct_2", "caption_length", "vocabulary")


def lines(study: Study, names: tuple[str, ...] = NAMES) -> dict[str, human_line.Human]:
    metrics = [METRICS[name] for name in names]
    agreement, diversity, people = human_line.human_requirements(study, metrics)
    options, cache = Options(p_values=True, draws=99), Cache(None)
    results = scoring.score(study, [*metrics, *agreement], options, cache)
    of_people = scoring.score(people, diversity, options, cache) if people else {}

    def line(metric: Metric) -> human_line.Human:
        own = {run: found for (run, name), found in results.items() if name == metric.name}
        agreed = results.get((scoring.REFERENCES.name, f"consensus_{metric.name}"))
        return human_line.human(study, metric, own, agreed, of_people.get((human_line.HUMAN, metric.name)))

    return {metric.name: line(metric) for metric in metrics}


@pytest.fixture(scope="module")
def equal() -> dict[str, human_line.Human]:
    return lines(random_study(items=6, references=4, candidates=4))


def test_quality_is_each_reference_against_the_others(equal):
    """The value is the mean ROUGE-L of runs of one reference, each scored against the other references by the metric
    itself.
    """
    study = random_study(items=6, references=4, candidates=4)
    values = []
    for left_out in range(4):
        rest = tuple(replace(i, references=i.references[:left_out] + i.references[left_out + 1 :]) for i in study.items)
        run = replace(study.runs[0], candidates={i.id: (i.references[left_out],) for i in study.items})
        one = replace(study, items=rest, runs=(run,))
        values.append(scoring.score(one, [METRICS["rouge_l"]])["run 0", "rouge_l"].items)
    assert equal["rouge_l"].value == pytest.approx(np.mean(values), abs=1e-12)
    assert equal["rouge_l"].low <= equal["rouge_l"].value <= equal["rouge_l"].high


def test_pooled_scores_have_no_human_line(equal):
    assert np.isnan(equal["bleu_4"].value)
    assert "pools all captions" in equal["bleu_4"].reason


def test_the_best_of_few_references_does_not_stand_beside_the_best_of_many():
    many = lines(random_study(items=3, references=6, candidates=4), ("rouge_l", "cider_d"))
    assert "more references raise the score" in many["rouge_l"].reason
    assert not np.isnan(many["cider_d"].value)


def test_divergences_stand_at_no_difference(equal):
    study = random_study(items=6, references=4, candidates=4)
    results = scoring.score(study, [METRICS["trm_bow"]], Options(p_values=True, draws=99))
    means = [results[run.name, "trm_bow"].null_mean.mean() for run in study.runs]
    assert equal["trm_bow"].value == pytest.approx(np.mean(means))
    assert (equal["trm_bow"].low, equal["trm_bow"].high) == (min(means), max(means))


def test_references_as_a_run_at_equal_sizes(equal):
    study = random_study(items=6, references=4, candidates=4)
    assert human_line.references_as_run(study).runs[0].candidates == {i.id: i.references for i in study.items}
    as_run = replace(study.runs[0], candidates={i.id: i.references for i in study.items})
    found = scoring.score(replace(study, runs=(as_run,)), [METRICS["distinct_2"]])
    assert equal["distinct_2"].value == found["run 0", "distinct_2"].corpus


def test_no_line_where_sizes_differ():
    unequal = lines(random_study(items=4, references=4, candidates=5))
    assert np.isnan(unequal["distinct_2"].value)
    assert "a run has 5 where people wrote 4" in unequal["distinct_2"].reason
    assert not np.isnan(unequal["caption_length"].value)
    assert not np.isnan(unequal["trm_bow"].value)


def test_no_line_for_divergences_of_runs_of_different_sizes():
    study = random_study(items=4, references=4, candidates=5)
    said = study.runs[1].candidates
    all_fewer = {i: texts[:3] for i, texts in said.items()}
    one_more = {**said, study.items[0].id: (*said[study.items[0].id], "a dog")}
    for other in (all_fewer, one_more):
        unlike = replace(study.runs[1], candidates=other)
        found = lines(replace(study, runs=(study.runs[0], unlike)), ("trm_bow",))["trm_bow"]
        assert np.isnan(found.value)
        assert "different numbers of captions" in found.reason


def test_runs_of_one_caption_do_not_hinder_the_others():
    study = random_study(items=4, references=4, candidates=4)
    lone = replace(study.runs[1], candidates={i: texts[:1] for i, texts in study.runs[1].candidates.items()})
    found = lines(replace(study, runs=(study.runs[0], lone)), ("distinct_2", "trm_bow"))
    assert not np.isnan(found["distinct_2"].value)
    assert not np.isnan(found["trm_bow"].value)


def test_what_grows_with_the_number_of_captions_has_no_line(equal):
    for name in ("vocabulary", "ms_jaccard_2"):
        assert np.isnan(equal[name].value)
        assert equal[name].reason


def test_not_computed_yet_says_so():
    study = random_study()
    assert human_line.human(study, METRICS["cider_d"], {}, None, None).reason == "not computed yet"
    assert human_line.human(study, METRICS["trm_bow"], {}, None, None).reason


@dataclass(frozen=True)
class NewWords(Distinct):
    """A diversity metric that reads references but does not declare so: it has the default `reads_references`."""

    reads_references: ClassVar[bool] = Metric.reads_references
    size_free: ClassVar[bool] = True
    n: int = 1

    def value(self, context, chunk, index):
        own, people = chunk.sides(self.tokenizer, index)
        return float(len({word for text in own for word in text} - {word for text in people for word in text}))


def test_a_metric_that_reads_references_has_no_line_of_zero():
    study, metric = random_study(items=6, references=4, candidates=4), NewWords()
    needs = human_line.human_requirements(study, [metric])
    assert (needs.as_run, needs.study) == ((), None), "people against themselves say nothing new"
    line = human_line.human(study, metric, {}, None, None)
    assert np.isnan(line.value)
    assert line.reason == "compares with people's captions, which would be compared with themselves"


def test_texts_of_a_run_are_counted_over_all_items() -> None:
    items = tuple(Item(f"{k}", ("a dog",)) for k in range(3))
    candidates = {"0": ("a dog", "a  dog runs"), "1": ("a dog",), "2": ("a cat sits here",)}
    of = Study("s", items, (Run("m", "m", Settings(), candidates), Run("none", "none", Settings(), {})))
    found = human_line.run_texts(of)
    assert found["m"] == ((2 + 3 + 2 + 4) / 4, 2 / 4)
    assert np.isnan(found["none"]).all()
