"""Test the folder of critique weights: which are reused, trained again, refused or evicted."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from metrics.learned import critique
from metrics.learned.checkpoint import Checkpoint, State
from metrics.learned.critique import Design, measure
from metrics.learned.critique_data import Corpus
from metrics.learned.critique_result import Measured
from metrics.learned.trainer import History
from metrics.learned.weights import Folders, Weights
from tests.learned.test_critique import corpus, words_and_pairs

DESIGN = Design(combination="linear", inputs="words and pairs")
HISTORY = History(((0.6, 0.7), (0.5, 0.65), (0.4, 0.66)), 1)


@pytest.fixture
def trainings(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    real, done = critique.train, []

    def counted(*given: Any) -> History:
        done.append(given)
        return real(*given)

    monkeypatch.setattr(critique, "train", counted)
    return done


def folders(path: Path) -> Folders:
    return Folders(path / "training", path / "weights")


def measured(path: Path, design: Design = DESIGN, of: Corpus | None = None) -> Measured:
    return measure(of or corpus(40), design, words_and_pairs, folders=folders(path))


def same(one: Measured, other: Measured) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True) for name in vars(one))


def test_what_was_trained_is_not_trained_again_and_says_the_same(tmp_path: Path, trainings: list[Any]) -> None:
    first = measured(tmp_path)
    assert len(trainings) == 2
    assert same(measured(tmp_path), first)
    assert len(trainings) == 2
    assert not list((tmp_path / "training").iterdir())
    twice = measured(tmp_path, replace(DESIGN, repeats=2))
    assert len(trainings) == 4  # those of the other seed alone
    assert np.array_equal(twice.runs[0], first.runs[0])
    assert same(measure(corpus(40), DESIGN, words_and_pairs), first)


@pytest.mark.parametrize(
    "change", [{"inputs": "another encoder"}, {"augmented": False}, {"seed": 1}, {"context": "none"}]
)
def test_other_settings_are_other_weights(tmp_path: Path, trainings: list[Any], change: dict[str, Any]) -> None:
    measured(tmp_path)
    measured(tmp_path, replace(DESIGN, **change))
    assert len(trainings) == 4


def test_other_captions_are_other_weights_unless_nothing_is_learned_of_them(
    tmp_path: Path, trainings: list[Any]
) -> None:
    alone, other = replace(DESIGN, negatives="random_captions"), corpus(40, run="a boat")
    for design, expected in ((DESIGN, 4), (alone, 6)):
        measured(tmp_path, design)
        found = measured(tmp_path, design, other)
        assert len(trainings) == expected
        assert same(found, measure(other, design, words_and_pairs))
        trainings[expected:] = []


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def _flipped(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[-2] ^= 1
    path.write_bytes(bytes(raw))


def _rewritten(change: Callable[[dict[str, torch.Tensor]], Any]) -> Callable[[Path], None]:
    """Return a function that rewrites a file with the right signature and checksum, but with changed tensors."""

    def write(path: Path) -> None:
        from safetensors import safe_open

        with safe_open(path, framework="pt") as file:
            signature = file.metadata()["signature"]
        file = Checkpoint(path, signature)
        state = file.read()
        assert state is not None
        tensors = dict(state.tensors)
        change(tensors)
        file.write(State(tensors, state.losses))

    return write


@pytest.mark.parametrize(
    "damage",
    [
        _cut,
        _flipped,
        _rewritten(lambda tensors: tensors["classifier.layers.weight"].fill_(float("nan"))),
        _rewritten(lambda tensors: tensors.update({"classifier.layers.weight": torch.zeros(2, 3)})),
        _rewritten(lambda tensors: tensors.pop("classifier.layers.bias")),
    ],
    ids=["cut", "flipped", "no numbers", "other shape", "a part lacks"],
)
def test_what_is_damaged_is_trained_again(tmp_path: Path, trainings: list[Any], damage: Callable[[Path], None]) -> None:
    first = measured(tmp_path)
    damage(sorted((tmp_path / "weights").iterdir())[0])
    assert same(measured(tmp_path), first)
    assert len(trainings) == 3
    assert same(measured(tmp_path), first)
    assert len(trainings) == 3


def test_weights_under_the_name_of_others_are_refused(tmp_path: Path, trainings: list[Any]) -> None:
    first = measured(tmp_path)
    one, other = sorted((tmp_path / "weights").iterdir())
    one.write_bytes(other.read_bytes())
    assert same(measured(tmp_path), first)
    assert len(trainings) == 3


def test_the_folder_is_bounded_and_keeps_what_was_used_last(tmp_path: Path) -> None:
    network = nn.Linear(100, 10)
    weights = Weights(tmp_path, most=3 * 4_800)
    for k in range(3):
        weights.write(f"{k}", network, HISTORY)
        for path in tmp_path.iterdir():
            os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 10))
    assert weights.read("0", nn.Linear(100, 10)) == HISTORY
    weights.write("3", network, HISTORY)
    known = [weights.read(f"{k}", nn.Linear(100, 10)) is not None for k in range(4)]
    assert known == [True, False, True, True]


def test_a_folder_that_cannot_be_written_costs_the_weights_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    weights = Weights(tmp_path / "file" / "weights")
    weights.write("one", nn.Linear(2, 2), HISTORY)
    assert weights.read("one", nn.Linear(2, 2)) is None
