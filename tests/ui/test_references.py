"""Test the References page with several references per item, two, or one, and with one run or none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from data.study import Study
from figures.references import words
from metrics.analysis import artifacts
from metrics.analysis.references import own_scores, subset_totals, subsets, tables
from metrics.analysis.references.summary import summary
from metrics.engine import scoring
from metrics.registry import METRICS
from metrics.suite.consensus import Consensus
from metrics.suite.scene import SceneF
from metrics.text.scene import parser
from tests.studies import study as random_study
from tests.ui.shown import AppTest, chosen, markup, page, part
from ui.jobs import jobs

NAMES = ("bleu_4", "rouge_l", "cider_d")
CHOSEN = tuple(metric for name, metric in METRICS.items() if name in NAMES)
STUDY = random_study(items=12, references=4, candidates=2, runs=3)


def prepare(study: Study) -> None:
    cache = jobs.jobs().cache
    people = scoring.score(study, tables.consensus_metrics(CHOSEN), jobs.OPTIONS, cache)
    for result in people.values():
        if isinstance(result.metric, Consensus):
            places = own_scores.ends(result.items).places
            artifacts.own_scores(study, result.metric, places, cache).compute(cache, artifacts.Hooks())
    made = subsets.design(study)
    if study.runs and made is not None:
        artifacts.subset_totals(study, made, CHOSEN, cache).compute(cache, artifacts.Hooks())


def opened(study: Study, **query: str | list[str]) -> AppTest:
    prepare(study)
    at = page("references", study, compared=list(NAMES), **query)
    assert not at.exception
    return at


def most(metric: str) -> float:
    return next(iter(scoring.score(STUDY, [Consensus(METRICS[metric])]).values())).items.max()  # type: ignore[arg-type]


def test_the_verdict_the_figures_and_the_address() -> None:
    at = opened(STUDY)
    made = subsets.design(STUDY)
    assert made is not None
    found = summary(subset_totals.measure(STUDY, made, CHOSEN), "cider_d", (0, 1, 2), 100)
    said = "".join(words.verdict(found, "item", 12, "CIDEr-D"))
    assert said == "By CIDEr-D, the order is not significant; more items would settle it sooner than more references."
    assert "more items would settle it sooner than more references." in markup(at)
    assert "What a choice of references changes" in markup(at)
    assert [tab.label for tab in at.tabs] == ["Items or references?", "How much people agree", "By item"]
    assert "more ink: more exact" in markup(at)
    assert chosen(at)["scored_by"] == "cider_d"
    assert chosen(at)["draws"] == "100"
    assert chosen(at)["compared"] == list(NAMES)
    assert "mean ± spread over items" in markup(part(at, "agreement"))
    assert f"Most on this item: CIDEr-D {most('cider_d'):.2f}" in markup(part(at, "items"))


def test_another_metric_and_two_runs() -> None:
    at = opened(STUDY, scored_by="rouge_l", runs=["run 0", "run 2"], draws="20")
    assert "12 items, 2 runs, 20 draws of references" in markup(at)
    assert f"Most on this item: ROUGE-L {most('rouge_l'):.2f}" in markup(part(at, "items"))


def test_a_metric_that_is_not_there_is_reported() -> None:
    at = opened(STUDY, scored_by="nonsense")
    assert "There is no metric named <b>nonsense</b>" in markup(at)


@pytest.mark.parametrize(
    ("study", "said"),
    [
        (replace(STUDY, runs=STUDY.runs[:1]), "a single run has no order;"),
        (
            random_study(items=6, references=2, candidates=1, runs=2),
            "compared with as many of the other references, of 2 in all",
        ),
        (replace(STUDY, runs=()), "no captions of a model"),
    ],
)
def test_small_studies_show_what_they_can(study: Study, said: str) -> None:
    at = opened(study)
    assert said in markup(at)
    assert "mean ± spread over items" in markup(part(at, "agreement"))


def test_one_reference_an_item_says_what_is_missing() -> None:
    at = page("references", random_study(items=3, references=1))
    assert not at.exception
    assert "Agreement needs two references" in markup(at)
    assert "Every item of this study has one reference" in markup(at)


def test_a_verdict_has_at_most_35_words() -> None:
    for runs in (1, 2, 3):
        study = random_study(items=9, references=4, candidates=1, runs=runs, seed=runs)
        made = subsets.design(study)
        assert made is not None
        found = summary(subset_totals.measure(study, made, CHOSEN), "bleu_4", range(runs), 20)
        assert len("".join(words.verdict(found, "image", 9, "BLEU-4")).split()) <= 35


@pytest.mark.skipif(bool(parser.missing()), reason="needs the packages of requirements-scene.txt")
def test_scene_f_is_among_the_metrics_of_agreement() -> None:
    study, cache = replace(STUDY, runs=()), jobs.jobs().cache
    (result,) = scoring.score(study, tables.consensus_metrics([SceneF()]), jobs.OPTIONS, cache).values()
    places = own_scores.ends(result.items).places
    artifacts.own_scores(study, Consensus(SceneF()), places, cache).compute(cache, artifacts.Hooks())
    at = page("references", study, compared=["scene_f"])
    assert not at.exception
    assert "mean ± spread over items" in markup(at)
    at = part(at, "items")
    assert f"Most on this item: Scene F {result.items.max():.2f}" in markup(at)
