"""Test which references agree most and least, as each is scored against the others by the metric itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from metrics.analysis.references import own_scores, tables
from metrics.cache.disk import Cache
from metrics.distances.document_frequencies import count_frequencies
from metrics.engine import scoring
from metrics.registry import METRICS, given_to
from metrics.suite.consensus import Consensus, ConsensusBleu
from tests.studies import study as random_study
from tests.text.helpers import rouge_l

STUDY = random_study(items=7, references=4, runs=1, seed=8)
NAMES = ("bleu_2", "rouge_l", "cider_d")


def left_out(study: Study, item: Item, place: int, name: str) -> float:
    """Return the score of one reference, as a model's only caption, against the other references of its item.

    Document frequencies are counted over all references but this one.
    """
    others = (*item.references[:place], *item.references[place + 1 :])
    counted = replace(study, items=tuple(replace(i, references=others) if i is item else i for i in study.items))
    alone = Study("", (Item("one", others),), (Run("run", "run", Settings(), {"one": (item.references[place],)}),))
    metric = given_to(METRICS[name], count_frequencies(counted))
    return scoring.score(alone, [metric])["run", name].corpus


@pytest.mark.parametrize("name", NAMES)
def test_a_score_is_that_of_the_reference_as_a_candidate_against_the_others(name: str) -> None:
    metric = Consensus(METRICS[name])  # type: ignore[arg-type]
    values = next(iter(scoring.score(STUDY, [metric]).values())).items
    places = own_scores.ends(values, 2).places
    arrays = own_scores.measure(STUDY, metric, places, Cache(None))
    found = own_scores.scored_items(STUDY, values, places, arrays)
    assert [one.place for one in found] == list(places)
    for one in found:
        item = STUDY.items[one.place]
        assert one.scores == pytest.approx([left_out(STUDY, item, k, name) for k in range(4)], abs=1e-9)
        assert one.scores.mean() == pytest.approx(one.agreement)
    table = tables.own_scores_table(STUDY, name, found)
    assert len(table) == 4 * len(places)
    assert table.groupby("item").score.mean()[STUDY.items[places[0]].id] == pytest.approx(values[places[0]])


def test_of_many_references_each_has_a_score() -> None:
    """Some of the 30 references are in none of the ten samples of five, so they are scored against four others."""
    many = random_study(items=2, references=30, candidates=1)
    metric = Consensus(METRICS["rouge_l"])  # type: ignore[arg-type]
    value = next(iter(scoring.score(many, [metric]).values())).items[0]
    arrays = own_scores.measure(many, metric, [0], Cache(None))
    assert arrays["scores"].mean() == pytest.approx(value, abs=0.05)
    texts = [text.split() for text in many.items[0].references]
    for row, score in enumerate(arrays["scores"]):
        others = [other for k, other in enumerate(texts) if k != row]
        least = min(rouge_l([texts[row]], [other])[0] for other in others)
        assert least - 1e-9 <= score <= rouge_l([texts[row]], others)[0] + 1e-9
    unlike = replace(many, items=(Item("0", tuple(f"{chr(97 + k)}word" for k in range(26))),))
    alone = own_scores.measure(unlike, metric, [0], Cache(None))
    assert (alone["scores"] == 0).all(), "none is scored against itself"
    assert own_scores.fits(many, metric, [0], arrays)
    arrays["scores"][3] = np.nan
    assert not own_scores.fits(many, metric, [0], arrays), "as by a former version"


def test_ends_are_the_largest_and_the_smallest_values_and_no_item_is_both() -> None:
    values = np.array([0.3, np.nan, 0.9, 0.1, 0.5])
    assert own_scores.ends(values, 1) == ((2,), (3,))
    assert own_scores.ends(values, 10) == ((2, 4), (3, 0))
    assert own_scores.ends(values[:3], 10).places == (2, 0)
    assert own_scores.ends(np.array([np.nan]), 3).places == ()


def test_what_cannot_be_a_score_does_not_fit() -> None:
    metric = Consensus(METRICS["rouge_l"])  # type: ignore[arg-type]
    arrays = own_scores.measure(STUDY, metric, [1, 3], Cache(None))
    assert own_scores.fits(STUDY, metric, [1, 3], arrays)
    for wrong in (arrays["scores"][1:], arrays["scores"] + 2, arrays["scores"].astype(int)):
        assert not own_scores.fits(STUDY, metric, [1, 3], {"scores": wrong})
    other = replace(STUDY, runs=())
    keys = {own_scores.key(study, metric, places) for study in (STUDY, other) for places in ([1, 3], [3, 1], [1])}
    assert len(keys) == 6


def test_published_values_are_of_metrics_that_the_table_lists() -> None:
    listed = {ConsensusBleu().name, *METRICS}
    assert all(name in listed for of in tables.PUBLISHED.values() for name in of)
