"""Test scores by coherence label: means, shares, the order of captions, and intervals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from data.study import Item, Run, Settings, Study
from figures.coherence import words
from figures.coherence.chart import chart
from figures.style.palette import ModelStyle, tone
from metrics.analysis.coherence.label_scores import by_label, differences, most_labels, p_of_difference, spread, table
from metrics.cache.disk import Cache
from metrics.engine.scoring import score
from metrics.registry import METRICS

METRIC = METRICS["rouge_l"]
CYCLE = ("Visible", "Visible", "Story")


def labelled(items: int = 30) -> Study:
    """Make a study in which run A's captions labelled Visible agree with people's, while those labelled Story do
    not.
    """
    rng = np.random.default_rng(4)
    made, said, labels = [], {}, {}
    for k in range(items):
        extra = " ".join(rng.choice(["red", "old", "big", "wet", "new", "far"], size=1 + k % 4, replace=False))
        text, id = f"a dog near a {extra} wall", f"i{k}"
        made.append(Item(id, (text, f"{extra} wall"), coherence=("Visible", "Meta" if k % 2 else "")))
        said[id], labels[id] = (
            (text, f"the {extra} one", "zebras never sleep at night" if k % 3 else "zebras near us"),
            CYCLE,
        )
    a = Run("A", "A", Settings(), said, coherence=labels)
    b = Run("B", "B", Settings(), {id: (texts[0],) for id, texts in said.items()})
    return Study("labelled", tuple(made), (a, b))


STUDY = labelled()


def test_means_are_those_of_the_captions_of_a_label() -> None:
    results = score(STUDY, [METRIC], cache=Cache(None))
    scores = {(one.run, one.label): one for one in by_label(STUDY, results, METRIC)}
    alone = replace(STUDY.runs[0], candidates={id: texts[:2] for id, texts in STUDY.runs[0].candidates.items()})
    visible = score(replace(STUDY, runs=(alone,)), [METRIC], cache=Cache(None))["A", "rouge_l"].values
    one = scores["A", "Visible"]
    assert one.value == pytest.approx(visible.mean())
    assert one.low < one.value < one.high
    assert (one.captions, one.images, one.share) == (60, 30, pytest.approx(2 / 3))
    assert one.people == pytest.approx(30 / 45)
    assert 0 < scores["A", "Story"].value < 0.2
    assert (scores["A", "Meta"].captions, scores["A", "Meta"].people) == (0, pytest.approx(15 / 45))
    assert np.isnan(scores["B", "Visible"].share)
    assert len(table(list(scores.values()))) == 6


def test_labels_follow_captions_in_any_order() -> None:
    run = STUDY.runs[0]
    turned = replace(
        run,
        candidates={id: texts[::-1] for id, texts in run.candidates.items()},
        coherence=dict.fromkeys(run.candidates, CYCLE[::-1]),
    )
    first, again = (
        by_label(one, score(one, [METRIC], cache=Cache(None)), METRIC)
        for one in (STUDY.only(runs=["A"]), replace(STUDY, runs=(turned,)))
    )
    assert [one.value for one in first] == pytest.approx([one.value for one in again], nan_ok=True)


def test_an_interval_takes_five_images() -> None:
    few = STUDY.only(items=["i0", "i1", "i2", "i3"])
    one = by_label(few, score(few, [METRIC], cache=Cache(None)), METRIC)[1]
    assert np.isfinite(one.value)
    assert np.isnan(one.low)
    assert "too few captions of any label" in "".join(map(str, words.verdict([one], "A", "A", METRIC)))


def test_the_verdict_names_both_ends_and_says_if_they_differ() -> None:
    scores = by_label(STUDY, score(STUDY, [METRIC], cache=Cache(None)), METRIC)
    ends = spread(scores, "A")
    assert ends is not None
    assert [one.label for one in ends] == ["Visible", "Story"]
    said = "".join(map(str, words.verdict(scores, "A", "A", METRIC)))
    assert "Visible captions of A highest" in said
    assert "within" not in said
    assert "no difference" not in said
    assert ends[0].apart == ("Story",)
    close = [replace(one, apart=()) for one in scores]
    assert said.replace("a significant difference.", "but no difference is detected.") == "".join(
        words.verdict(close, "A", "A", METRIC)
    )
    assert "too few captions of any label" in "".join(map(str, words.verdict(scores, "B", "B", METRIC)))
    assert len(said.split()) <= 35
    one = [replace(one, low=np.nan) if one.label == "Story" else one for one in scores]
    assert "too few captions of other labels" in "".join(map(str, words.verdict(one, "A", "A", METRIC)))
    assert (most_labels(scores, ["B", "A"]), most_labels(one, ["B", "A"]), most_labels([], ["B"])) == ("A", "A", "B")


def test_labels_on_few_items_are_named_and_not_compared() -> None:
    scores = by_label(STUDY, score(STUDY, [METRIC], cache=Cache(None)), METRIC)
    few = [replace(one, value=9.0, images=5, captions=5, low=np.nan) if one.label == "Meta" else one for one in scores]
    said = "".join(words.verdict(few, "A", "A", METRIC, "prompt"))
    assert said.startswith("Among labels on 6 or more prompts, ROUGE-L scores Visible captions of A highest")
    assert words.facts(STUDY, words.ordered(few, "A"))[-1] == "hollow: Meta, on fewer than 6 items, so not compared"
    assert words.facts(STUDY, words.ordered(scores, "A"))[-1] == "95 % bootstrap"
    drawn = chart(words.ordered(few, "A"), (), "ROUGE-L", {"A": ModelStyle(0)}, "light")
    hollow = {t.customdata[0] for t in drawn.data if t.customdata and t.marker.color == tone("paper", "light")}
    assert hollow == {"Meta"}


def test_runs_of_one_label_each_are_rows_and_compare_no_labels() -> None:
    scores = by_label(STUDY, score(STUDY, [METRIC], cache=Cache(None)), METRIC)
    first = next(one for one in scores if one.captions)
    each = [replace(first, run=run, label=label) for run, label in (("A", "Visible"), ("B", "Meta"))]
    assert not words.one_label_each(scores)
    assert words.one_label_each(each)
    said = "".join(words.verdict(each, "A", "A", METRIC))
    assert said.startswith("Every run has captions of only one label, so whether ROUGE-L scores labels alike")
    rows = words.rows(each, "A", {"A": "first", "B": "second"})
    assert [one.label for one in rows] == ["Meta: second", "Visible: first"]
    drawn = chart(rows, (), "ROUGE-L", {"A": ModelStyle(0), "B": ModelStyle(1)}, "light")
    low, high = drawn.layout.xaxis.range
    assert low < first.low < first.high < high, "no interval is cut"


def test_two_labels_with_equal_means_are_two_labels() -> None:
    first = replace(by_label(STUDY, score(STUDY, [METRIC], cache=Cache(None)), METRIC)[0], value=0.5, low=0.4, high=0.6)
    both = [replace(first, label=label, apart=()) for label in ("Visible", "Meta")]
    said = "".join(words.verdict(both, "A", "A", METRIC))
    assert said == "ROUGE-L scores Visible and Meta captions of A 0.50; no difference is detected."
    assert most_labels([replace(one, run="B") for one in both[:1]] + both, ["B", "A"]) == "A"


def sums_of(labels: np.ndarray, values: np.ndarray) -> dict[str, np.ndarray]:
    made = ((str(k), labels == k) for k in np.unique(labels))
    return {name: np.column_stack([(values * own).sum(axis=1), own.sum(axis=1)]).astype(float) for name, own in made}


def test_a_difference_of_labels_within_images_is_the_paired_t_test() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(20, 1)) * 5 + rng.normal(size=(20, 2)) + [0, 0.5]
    labels = np.tile([0, 1], (20, 1))
    p = stats.ttest_rel(values[:, 0], values[:, 1]).pvalue
    assert p_of_difference(*sums_of(labels, values).values()) == pytest.approx(p, rel=1e-12)
    assert p < 0.05 < stats.ttest_ind(values[:, 0], values[:, 1]).pvalue
    assert differences(sums_of(labels, values)) == {"0": ["1"], "1": ["0"]}
    assert differences(sums_of(labels, values - [0, 0.5])) == {}


def test_the_freedom_of_a_difference_is_that_of_the_rarer_label() -> None:
    rng = np.random.default_rng(2)
    values, labels = rng.normal(size=(20, 2)), np.zeros((20, 2), dtype=int)
    labels[:7, 1] = 1
    means = [values[labels == k].mean() for k in (0, 1)]
    parts = [np.where(labels == k, (values - means[k]) / (labels == k).sum(), 0).sum(axis=1) for k in (0, 1)]
    error = np.sqrt(((parts[0] - parts[1]) ** 2).sum() * 7 / 6)
    p = 2 * stats.t.sf(abs(means[0] - means[1]) / error, 6)
    assert p_of_difference(*sums_of(labels, values).values()) == pytest.approx(p)


@pytest.mark.parametrize(("labels", "captions"), [(2, 3), (4, 3), (4, 1)])
def test_equal_labels_differ_in_no_more_studies_than_the_level_says(labels: int, captions: int) -> None:
    rng, studies = np.random.default_rng(1), 400
    wrong = 0
    for _ in range(studies):
        said = rng.integers(0, labels, (40, captions))
        wrong += bool(differences(sums_of(said, rng.normal(size=(40, 1)) + rng.normal(size=said.shape))))
    assert wrong / studies <= 0.05 + 2.33 * np.sqrt(0.05 * 0.95 / studies)
