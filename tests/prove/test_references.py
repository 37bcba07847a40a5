"""Measure how the order of equal runs changes with references, what the page says about it, and errors of budgets."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from figures.references import words
from metrics.analysis.references import subset_totals, subsets
from metrics.analysis.references.stability import stability
from metrics.analysis.references.subset_totals import SubsetTotals
from metrics.analysis.references.summary import summary
from metrics.base import Metric
from metrics.distances.document_frequencies import count_frequencies
from metrics.engine import scoring
from metrics.mathematics.arrays import Floats
from metrics.registry import METRICS, given_to
from tests.prove.conftest import Proof
from tests.prove.worlds import world
from tests.text.helpers import realdata
from tools.demo.models import TRUTH, distribution

IMAGES, STUDIES, DRAWN = 40, 60, 3_000
CHOSEN = (METRICS["rouge_l"],)
GRAMMAR, REAL = "the demo's grammar", "abstract48s_500.jsonl"


def scored(study: Study) -> SubsetTotals:
    made = subsets.design(study)
    assert made is not None
    return subset_totals.measure(study, made, CHOSEN)


def first_five(study: Study, begin: int = 0) -> Study:
    items = tuple(replace(item, references=item.references[begin : begin + 5]) for item in study.items)
    return replace(study, items=items)


@cache
def equal(source: str, seed: int) -> tuple[SubsetTotals, SubsetTotals]:
    """Return the totals of three runs of people's captions, against five references of each image and against five
    others.
    """
    made = world(IMAGES, dict.fromkeys("abc", (TRUTH, 1)), seed, references=10) if source == GRAMMAR else split(seed)
    return scored(first_five(made)), scored(first_five(made, 5))


@cache
def real() -> list[dict[str, Any]]:
    return realdata(REAL)


def split(seed: int) -> Study:
    """Make a study of ABSTRACT-50S images, each with three of its 48 captions as runs and ten others as references."""
    rng = np.random.default_rng(seed)
    rows = [real()[k] for k in rng.choice(500, IMAGES, replace=False)]
    said = {row["id"]: [row["references"][k] for k in rng.permutation(48)[:13]] for row in rows}
    items = tuple(Item(id, tuple(texts[3:])) for id, texts in said.items())
    runs = (Run(n, n, Settings(), {id: (texts[k],) for id, texts in said.items()}) for k, n in enumerate("abc"))
    return Study("split", items, tuple(runs))


def order(found: SubsetTotals, size: int, draws: int, rng: np.random.Generator) -> Floats:
    """Return signs (draws, pairs) of the differences between runs, with `size` random references for each image."""
    values, places = found.by_size["rouge_l", size], np.arange(IMAGES)
    picks = rng.integers(0, values.shape[2], (draws, IMAGES))
    scores = np.stack([METRICS["rouge_l"].finish(values[:, places, pick].sum(axis=1)) for pick in picks])
    first, second = np.triu_indices(3, 1)
    return np.asarray(np.sign(scores[:, first] - scores[:, second]))


def changed(one: Floats, other: Floats) -> float:
    return float(np.abs(one - other).mean() / 2)


@pytest.mark.prove
@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("source", [GRAMMAR, REAL])
def test_pairs_that_change_places_with_other_references(proof: Proof, source: str, size: int) -> None:
    """Two subsets of five references change as many pairs as new references would; `before` is a comparison with all
    five.
    """
    rng, true, before, found = np.random.default_rng(size), [], [], []
    for seed in range(STUDIES):
        own, others = equal(source, seed)
        drawn = order(own, size, 60, rng)
        true.append(changed(drawn, order(others, size, 60, rng)))
        before.append(changed(drawn, order(own, 5, 1, rng)))
        moved = stability(own, "rouge_l", 60)
        found.append(float("nan") if moved.pairs else float(moved.swapped[size - 1]))
    proof.row(
        "References: pairs of equal runs that change places with as many other references",
        captions=source.removesuffix("_500.jsonl"),
        references=f"{size} v {size} of 5",
        with_fresh_references=float(np.mean(true)),
        before=float(np.mean(before)),
        measured=float(np.nanmean(found)),
        repeats=STUDIES,
    )
    assert np.nanmean(found) == pytest.approx(np.mean(true), abs=0.05)


@pytest.mark.prove
@pytest.mark.parametrize(("runs", "share"), [("three equal ones", 0.0), ("two, one at T = 1.3", 1.0)])
def test_references_are_said_to_be_enough(proof: Proof, runs: str, share: float) -> None:
    """Two sentences are counted, for equal runs, which no number of references can rank, and for two different runs."""
    said = []
    for seed in range(STUDIES):
        made = equal(GRAMMAR, seed)[0]
        if share:
            drawn = {"a": (TRUTH, 5), "b": (distribution("Oracle", 1.3), 5)}
            made = scored(world(IMAGES, drawn, seed))
        found = summary(made, "rouge_l", range(len(made.by_size["rouge_l", 1])), 60)
        said.append("".join(words.verdict(found, "image", IMAGES, "ROUGE-L")))
    for claim in ("almost as", "The order is not significant"):
        proof.row(
            "References: sentences of studies with five references",
            runs=runs,
            sentence=claim,
            measured=float(np.mean([claim.lower() in text.lower() for text in said])),
            repeats=STUDIES,
        )
    steady = np.mean(["almost as" in text for text in said])
    assert steady >= 0.8 if share else steady <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / STUDIES)


def gaps_drawn_again(metric: Metric, first: Floats, second: Floats, images: int, rng: np.random.Generator) -> Floats:
    """Return the differences (studies,) between two runs in studies of `images` images, each with one random subset.

    The totals `first` and `second` are (images, subsets, columns).
    """
    drawn = rng.integers(0, first.shape[0], (DRAWN, images))
    subset = rng.integers(0, first.shape[1], drawn.shape)
    one, other = (metric.finish(of[drawn, subset].sum(axis=1)) for of in (first, second))
    return np.asarray(other - one)


@pytest.mark.prove
@pytest.mark.parametrize("name", ["rouge_l", "bleu_1", "cider_d"])
def test_a_budget_buys_what_studies_drawn_again_say(proof: Proof, name: str) -> None:
    """The ratio of two errors is that of studies drawn anew.

    One has one reference per image, and the other five references for each of a fifth of the images.
    """
    images = 400
    made = world(images, {"a": (TRUTH, 1), "b": (distribution("Oracle", 1.3), 1)}, 5)
    metric, design = given_to(METRICS[name], count_frequencies(made)), subsets.design(made)
    assert design is not None
    found = summary(subset_totals.measure(made, design, (METRICS[name],)), name, (0, 1), 20)
    rng, errors, levels = np.random.default_rng(0), [], []
    for size, count in ((1, 250), (5, 50)):
        results = scoring.score(subsets.expanded(made, design, size), [metric])
        one, other = (results[run, name].totals.reshape(images, design.subsets(size), -1) for run in "ab")
        gaps = gaps_drawn_again(metric, one, other, count, rng)
        errors.append((float(np.std(gaps)), float(abs(np.mean(gaps)))))
        levels.append(sum(results[run, name].corpus for run in "ab"))
    (first, gap), (last, most) = errors
    slow, fast = first / gap / (last / most), float(np.exp(found.compared.value))
    proof.row(
        "References: error of a difference with one reference of five images, over that with five of one",
        metric=name,
        studies_drawn_again=slow,
        before=first / levels[0] / (last / levels[1]),
        measured=fast,
        repeats=DRAWN,
    )
    assert fast == pytest.approx(slow, rel=0.08)
