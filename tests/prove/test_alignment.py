"""Measure how often a run is reported as no nearer to its own references if that is true, and if it is not."""

from __future__ import annotations

import json

import numpy as np
import pytest

from data import demo
from data.load import load_study
from tests.prove.conftest import Proof

REPEATS = 300
FINDINGS = {"run_not_nearer", "run_at_chance", "shifted_run"}


def reported(texts: dict[str, str], people: dict[str, list[str]]) -> bool:
    files = [("m.json", json.dumps(texts).encode()), ("references.json", json.dumps(people).encode())]
    return bool(FINDINGS & {one.code for one in load_study(files).findings})


@pytest.mark.prove
@pytest.mark.parametrize("items", [5, 10, 20, 40])
@pytest.mark.parametrize("name", ["Peaked T=0.7", "Loose T=1.0"])
def test_only_runs_with_captions_of_other_items_are_reported(proof: Proof, name: str, items: int) -> None:
    """Each item has one caption by the run and five by people.

    In a second study, the run has the caption of the next item instead.
    """
    study, rng = demo.load(), np.random.default_rng(items)
    counts = {"own": 0, "others": 0}
    for _ in range(REPEATS):
        drawn = [study.items[k] for k in rng.choice(len(study.items), items, replace=False)]
        said = [str(rng.choice(study.run(name).candidates[item.id])) for item in drawn]
        people = {item.id: list(item.references[:5]) for item in drawn}
        counts["own"] += reported(dict(zip(people, said)), people)
        counts["others"] += reported(dict(zip(people, [*said[1:], said[0]])), people)
    rates = {of: count / REPEATS for of, count in counts.items()}
    proof.row(
        "A run reported as no nearer to its own references",
        run=name,
        items=items,
        with_its_own=rates["own"],
        with_those_of_other_items=rates["others"],
        repeats=REPEATS,
    )
    assert rates["own"] <= 0.05
    assert rates["others"] >= 0.8
