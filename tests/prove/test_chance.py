"""Measure how often unrelated captions score within the interval of chance, and how often shuffled files are
detected.
"""

from __future__ import annotations

import numpy as np
import pytest

from data.checks import alignment
from data.study import Item, Run, Settings, Study
from metrics.analysis import chance
from metrics.cache.disk import Cache
from metrics.engine.scoring import score
from metrics.registry import resolve
from tests.prove.conftest import Proof

WORDS, THINGS = 400, 3
TABLE_OF_VALUES = "Chance: unrelated captions beyond its interval"
TABLE_OF_FINDINGS = "Captions of other items: how often a run is reported"


def world(rng: np.random.Generator, items: int, told: float, order: np.ndarray | None = None) -> Study:
    """Make items of a few things in two references; captions name each thing with probability `told`, else another one.

    With `order`, the captions of item k are those made for item `order[k]`.
    """
    rank = 1 / np.arange(1, WORDS + 1)
    things = rng.choice(WORDS, (items, THINGS), p=rank / rank.sum())
    other = rng.choice(WORDS, (items, THINGS), p=rank / rank.sum())
    said = np.where(rng.random((items, THINGS)) < told, things, other)
    said = said if order is None else said[order]
    made = tuple(
        Item(f"{k}", (" ".join(f"w{w}" for w in own), " ".join(f"w{w}" for w in (*own[1:], 0)) + " too"))
        for k, own in enumerate(things)
    )
    run = Run("run", "run", Settings(), {f"{k}": (" ".join(f"w{w}" for w in own),) for k, own in enumerate(said)})
    return Study("world", made, (run,), tokenizer="whitespace")


@pytest.mark.prove
@pytest.mark.parametrize(("items", "within"), [(8, ""), (12, ""), (40, ""), (200, ""), (40, "length")])
def test_unrelated_captions_are_beyond_the_interval_in_one_study_of_twenty(
    proof: Proof, items: int, within: str
) -> None:
    (metric,), above, below = resolve(("rouge_l",), tokenizer="whitespace"), 0, 0
    repeats = 200 if items <= 40 else 60
    for seed in range(repeats):
        study = world(np.random.default_rng(seed), items, 0.0)
        value = score(study, (metric,))["run", metric.name].corpus
        found = chance.of_arrays(
            study, chance.measure(study, metric, chance.Design(seed=seed, within=within), Cache(None))
        )
        above += value > found["run"].high
        below += value < found["run"].low
    proof.row(
        TABLE_OF_VALUES,
        items=items,
        within=within or "all",
        above=above / repeats,
        below=below / repeats,
        repeats=repeats,
    )
    assert above / repeats <= 0.025 + 3 * np.sqrt(0.025 * 0.975 / repeats)
    assert (above + below) / repeats <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / repeats)


@pytest.mark.prove
@pytest.mark.parametrize("items", [5, 30, 100, 500])
@pytest.mark.parametrize("file", ["in order", "shifted by one", "a line missing", "shuffled", "of nothing"])
def test_files_in_order_are_not_reported_and_others_are(proof: Proof, items: int, file: str) -> None:
    repeats, reported, right = 60, 0, 0
    for seed in range(repeats):
        rng, place = np.random.default_rng(seed), np.arange(items)
        half = items // 2
        order = {
            "shifted by one": np.roll(place, -1),
            "a line missing": np.r_[place[:half], np.roll(place[half:], -1)],
            "shuffled": rng.permutation(items),
        }.get(file, place)
        study = world(rng, items, 0.0 if file == "of nothing" else 0.5, order)
        found = alignment.Nearness(study, *alignment.Words(study).against(study.runs[0]))
        shift = found.shift() if items >= alignment.LEAST else None
        at_chance = items >= alignment.LEAST and not found.above_chance()
        reported += shift is not None or at_chance
        right += shift is not None and shift.by == 1
    proof.row(
        TABLE_OF_FINDINGS,
        file=file,
        items=items,
        reported=reported / repeats,
        shift_found=right / repeats,
        repeats=repeats,
    )
    if file == "in order" or items < alignment.LEAST:
        assert not reported
    elif items >= 100:
        assert reported / repeats >= 0.9
