"""Measure how often a metric that gains nothing from references is said to agree with people better than by chance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from metrics.analysis import chance
from metrics.analysis.judgments.caption_agreement import Design
from metrics.analysis.judgments.floors import leads, measure
from metrics.cache.disk import Cache
from metrics.engine.scoring import score
from metrics.permutation.pvalues import ALPHA
from metrics.registry import resolve
from tests.prove.conftest import Proof
from tests.prove.test_chance import world

(METRIC,) = resolve(("rouge_l",), tokenizer="whitespace")
RUNS = 3


def sides(items: int, told: float, ratings: str, repeats: int) -> tuple[float, float]:
    """Return the shares of studies in which ROUGE-L is significantly above its floor, and below it.

    Captions name things of their items with probability `told`. People rate at random, by the numbers of the words, or
    by how many words of a caption are in the first reference.
    """
    above = below = 0
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        of, runs = world(rng, items, told), []
        for number in range(RUNS):
            said = {
                item.id: (" ".join(w if rng.random() < told else f"w{rng.integers(400)}" for w in words[:3]),)
                for item in of.items
                for words in [item.references[0].split()]
            }
            human = {
                item.id: {"overall": [rated(ratings, said[item.id][0], item.references[0], rng)]} for item in of.items
            }
            runs.append(replace(of.runs[0], name=f"run {number}", candidates=said, human=human))
        study = replace(of, runs=tuple(runs))
        found = measure(
            study, score(study, (METRIC,)), METRIC, Design("overall"), chance.Design(seed=seed), Cache(None)
        )
        (lead,) = leads([found], "kendall_tau_b")
        assert lead is not None
        above += lead.p_value <= ALPHA and lead.lead.value > 0
        below += lead.p_value <= ALPHA and lead.lead.value < 0
    return above / repeats, below / repeats


def rated(by: str, caption: str, reference: str, rng: np.random.Generator) -> float:
    shared = len(set(caption.split()) & set(reference.split()))
    words = sum(int(word[1:]) for word in caption.split())
    return float({"at random": 0.0, "by words": words / 100, "by reference": 2.0 * shared}[by] + rng.normal())


CASES = [(20, 0.5, "at random"), (80, 0.5, "at random"), (20, 0.0, "by words"), (80, 0.0, "by words")]


def test_floors_in_short() -> None:
    above, below = sides(20, 0.0, "by words", 12)
    assert above + below <= 0.05 + 3.2 * np.sqrt(0.05 * 0.95 / 12)
    assert sides(20, 0.5, "by reference", 2)[0] == 1


@pytest.mark.prove
@pytest.mark.parametrize(("items", "told", "ratings"), [*CASES, (20, 0.5, "by reference"), (80, 0.5, "by reference")])
def test_a_metric_that_owes_nothing_to_its_references_is_seldom_above_chance(
    proof: Proof, items: int, told: float, ratings: str
) -> None:
    repeats = 200
    above, below = sides(items, told, ratings, repeats)
    proof.row(
        "Agreement with people: ROUGE-L above and below its agreement by other items' references",
        ratings=ratings,
        captions="of their items" if told else "of nothing",
        items=items,
        above=above,
        below=below,
        nominal=ALPHA / 2,
        repeats=repeats,
    )
    if ratings == "by reference":
        assert above >= 0.95
    else:
        assert max(above, below) <= 0.04 + 3.2 * np.sqrt(0.04 * 0.96 / repeats)
