"""Test the Overview's second order of runs if no image has a distance: by values of whole runs, or by people's
ratings.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from data.study import Study
from figures.overview import words
from figures.overview.second_order import axis, unmeasured
from figures.report.html import Section
from figures.report.pages import PAGES
from figures.report.request import Request
from metrics.analysis import overview as facts
from metrics.analysis.feasibility import why_impossible
from metrics.analysis.numbers import Numbers, of_results
from metrics.base import Metric
from metrics.engine import scoring
from metrics.registry import METRICS
from metrics.suite.ratings import rating_metrics
from tests.figures.seen import said
from tests.report_text import as_read
from tests.studies import study as random_study

CIDER, OF_RUNS = METRICS["cider_d"], METRICS["corpus_ms_jaccard_4"]
SINGLE = random_study(items=30, references=4, candidates=1, runs=4, seed=3)


def rated(study: Study, runs: int = 4, items: int = 30) -> Study:
    """Rate run k about k + 1, with a standard deviation of a tenth, on the first `items` items.

    Only the first `runs` runs are rated.
    """
    noise = np.random.default_rng(0).normal(0, 0.1, (len(study.runs), len(study.items)))
    made = tuple(
        replace(run, human={item.id: {"total": k + 1 + noise[k, i]} for i, item in enumerate(study.items[:items])})
        if k < runs
        else run
        for k, run in enumerate(study.runs)
    )
    return replace(study, runs=made)


def numbers_of(study: Study, *metrics: Metric) -> Numbers:
    return of_results(scoring.score(study, metrics), {})


def not_there(metric: Metric) -> bool:
    return False


def test_a_run_with_one_caption_an_image_is_set_against_people_as_a_whole() -> None:
    """Studies with one caption per image, the most common kind, once had no second order.

    The reason given was "distance to people cannot be measured".
    """
    seen = facts.overview(SINGLE, numbers_of(SINGLE, CIDER, OF_RUNS), CIDER, OF_RUNS)
    values = [seen.other.values[k] for k in np.argsort(seen.other.rank)]
    assert values == sorted(values, reverse=True)
    text = said(seen)
    assert "Corpus MS-Jaccard-4" not in text, "no test supports its order"
    assert "cannot be measured" not in text
    assert len(text.split()) <= 35
    assert words.deck(seen, words.headline(seen)) == ("", "")
    assert "Corpus MS-Jaccard-4: no test" in words.marks(seen)
    assert axis(OF_RUNS) == ("To people", "all captions at once")
    assert "Corpus MS-Jaccard-4: one value of a whole run; its order is not tested." in words.rules(seen)
    assert 0 <= facts.representative_image(numbers_of(SINGLE, CIDER, OF_RUNS), seen) < 30


def test_ratings_are_an_order_with_intervals_and_ranks() -> None:
    study = rated(SINGLE)
    (name, metric), *others = rating_metrics(study).items()
    assert (name, metric.label, others) == ("rated total", "ratings (total)", [])
    seen = facts.overview(study, numbers_of(study, CIDER, metric), CIDER, metric)
    ratings = [[run.human[item.id]["total"] for item in study.items] for run in study.runs]  # type: ignore[index]
    assert seen.other.values == pytest.approx(np.mean(ratings, axis=1))
    assert seen.other.rank.tolist() == [4, 3, 2, 1]
    assert [seen.other.span(k) for k in range(4)] == [(4, 4), (3, 3), (2, 2), (1, 1)]
    assert said(seen).startswith("run 3 is first of 4 runs by people's ratings (total)")
    assert said(seen).endswith("; by CIDEr-D, it may have any rank."), "CIDEr-D tells no run from another"
    clear = replace(seen.quality, rank=np.array([1, 2, 3, 4]), tied=())
    other = replace(seen, quality=clear)
    tied = replace(other, quality=replace(clear, tied=(1,)))
    assert said(other).endswith(" CIDEr-D puts run 0 first.")
    assert said(tied).endswith(" CIDEr-D puts run 0 first (tied with run 1).")
    assert len(said(tied).split()) <= 35


def test_a_run_that_nobody_rated_has_no_place_by_ratings() -> None:
    study = rated(SINGLE, runs=3)
    metric = rating_metrics(study)["rated total"]
    seen = facts.overview(study, numbers_of(study, CIDER, metric), CIDER, metric)
    assert seen.other.rank.tolist() == [3, 2, 1, 0]
    assert seen.other.reasons[3] == "people did not rate it"
    ahead = replace(seen, quality=replace(seen.quality, rank=np.array([2, 3, 4, 1])))
    assert said(ahead).endswith("which people did not rate.")
    assert rating_metrics(rated(SINGLE, runs=1)) == {}, "one rated run is no order"
    uneven = replace(study, runs=(*rated(SINGLE, items=10).runs[:1], *study.runs[1:]))
    other = rating_metrics(uneven)["rated total"]
    of_some = facts.overview(uneven, numbers_of(uneven, CIDER, other), CIDER, other)
    assert 0 in of_some.other.untested or of_some.other.first == 0, "ratings of other items compare nothing"


def test_what_it_begins_with_is_one_rule() -> None:
    sets, mixed = random_study(items=60, runs=3), random_study(items=60, candidates=1, runs=4)
    mixed = replace(mixed, runs=(*mixed.runs[1:], replace(sets.runs[0], name="a set")))
    cases = {
        "trm_meteor": sets,
        "corpus_ms_jaccard_4": SINGLE,
        "corpus_frechet_bert": mixed,
        "rated total": rated(SINGLE),
    }
    for name, study in cases.items():
        able = {k: m for k, m in METRICS.items() if why_impossible(study, m) is None}
        offered = facts.second_metrics(study, able)
        assert facts.second_metric(study, offered, not_there) == name
        assert {"corpus_ms_jaccard_4"} < set(offered)
        beside = facts.stand_ins(study, (CIDER,), METRICS)
        assert [metric.name for metric in beside] == [name], "the report adds what the page begins with"
        assert facts.stand_ins(study, (CIDER, *beside), METRICS) == ()
    assert "needs 50 captions" in str(why_impossible(SINGLE, METRICS["corpus_frechet_bert"]))
    assert why_impossible(mixed, METRICS["mauve_bert"]) is None


def test_the_report_has_the_second_order_of_the_page_in_its_headline() -> None:
    for study, beside in ((SINGLE, (OF_RUNS,)), (rated(SINGLE), tuple(rating_metrics(rated(SINGLE)).values()))):
        numbers = numbers_of(study, CIDER, *beside)
        page = PAGES["overview"][1](Request(study, numbers, (CIDER,), ("overview",), "2026-01-31", beside=beside))
        assert isinstance(page, Section)
        whose = "" if beside[0] is OF_RUNS else "people's "
        if whose:
            assert f"by {whose}{beside[0].label}" in page.verdict[0]
        assert f"Left: rank by CIDEr-D. Right: by {beside[0].label}." in as_read(page.blocks[0]).replace("&#x27;", "'")


def test_where_nothing_else_is_there_a_second_quality_metric_says_why() -> None:
    assert unmeasured(SINGLE) == "With one caption for each item, distance to people cannot be measured."
    assert unmeasured(random_study()) == "Distance to people cannot be measured."
