"""Test that equal seeds give equal weights, even if training is killed; also the schedule, early stops and
cancelling.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from metrics.learned.checkpoint import Checkpoint
from metrics.learned.trainer import History, Recipe, initialise, train
from metrics.progress import Cancelled, Hooks

RECIPE = Recipe(learning_rate=1e-2, epochs=12, patience=12, seed=3)


class Line:
    """A least-squares task, y = X w with a little noise."""

    def __init__(self, noise: float = 0.1) -> None:
        rng = np.random.default_rng(0)
        x = rng.standard_normal((240, 4))
        y = x @ np.array([1.0, -2.0, 0.5, 0.0]) + noise * rng.standard_normal(240)
        self.x, self.y = torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)

    def batches(self, rng: np.random.Generator) -> Iterator[Tensor]:
        order = rng.permutation(200)
        return (torch.as_tensor(order[k : k + 20]) for k in range(0, 200, 20))

    def held_out(self) -> list[Tensor]:
        return [torch.arange(200, 240)]

    def loss(self, network: nn.Module, batch: Tensor) -> Tensor:
        return nn.functional.mse_loss(network(self.x[batch])[:, 0], self.y[batch])


def fitted(
    recipe: Recipe = RECIPE, checkpoint: Checkpoint | None = None, hooks: Hooks | None = None
) -> tuple[nn.Module, History]:
    network = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    return network, train(network, Line(), recipe, hooks, checkpoint)


def same(one: nn.Module, other: nn.Module) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one.state_dict().values(), other.state_dict().values(), strict=True))


def slow(path: str) -> None:
    """Train in a separate process, slowly enough to be killed, and report every epoch."""

    def say(text: str) -> None:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
        time.sleep(0.1)

    fitted(checkpoint=Checkpoint(Path(path), "line"), hooks=Hooks(say))


def test_equal_seeds_give_equal_weights_whatever_the_process_drew() -> None:
    one, first = fitted()
    torch.rand(7)
    other, second = fitted()
    assert same(one, other)
    assert first == second
    third, _ = fitted(replace(RECIPE, seed=4))
    assert not same(one, third)


def test_a_line_is_learned() -> None:
    network, history = fitted(replace(RECIPE, epochs=60, patience=60))
    x = torch.tensor(np.random.default_rng(9).standard_normal((50, 4)), dtype=torch.float32)
    wanted = x @ torch.tensor([1.0, -2.0, 0.5, 0.0])
    assert torch.mean((network(x)[:, 0] - wanted) ** 2).item() < 0.1
    assert history.losses[-1][0] < 0.05 * history.losses[0][0]


def test_a_killed_training_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    path = tmp_path / "line.safetensors"
    code = f"from tests.learned.test_trainer import slow; slow({str(path)!r})"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("epoch 5 "):
            process.send_signal(signal.SIGKILL)
            break
    assert process.wait() == -signal.SIGKILL
    left = Checkpoint(path, "line").read()
    assert left is not None
    assert 5 <= len(left.losses) < RECIPE.epochs
    said: list[str] = []
    resumed, history = fitted(checkpoint=Checkpoint(path, "line"), hooks=Hooks(said.append))
    whole, alone = fitted()
    assert len(said) == RECIPE.epochs - len(left.losses)
    assert same(resumed, whole)
    assert history == alone


def test_a_checkpoint_of_another_training_or_a_damaged_one_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "line.safetensors"
    fitted(replace(RECIPE, epochs=2), Checkpoint(path, "line"))
    assert Checkpoint(path, "another").read() is None
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert Checkpoint(path, "line").read() is None
    path.write_bytes(b"")
    assert same(fitted(checkpoint=Checkpoint(path, "line"))[0], fitted()[0])


def test_training_stops_early_and_keeps_the_best_weights() -> None:
    class Rising(Line):
        """A task whose held-out targets are negated, so that their loss grows with the fit."""

        def loss(self, network: nn.Module, batch: Tensor) -> Tensor:
            sign = -1.0 if len(batch) == 40 else 1.0
            return nn.functional.mse_loss(network(self.x[batch])[:, 0], sign * self.y[batch])

    network = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    history = train(network, Rising(), replace(RECIPE, patience=3))
    assert len(history.losses) == history.best + 4 < RECIPE.epochs
    with torch.no_grad():
        left = Rising().loss(network, Line().held_out()[0]).item()
    assert left == pytest.approx(history.losses[history.best][1], abs=1e-6)


def test_the_learning_rate_falls_in_steps() -> None:
    critique, cosmic = Recipe(1e-3, 0.9, 1), Recipe(1e-3, 0.01, 10)
    assert [critique.rate(k) for k in (0, 1, 2)] == pytest.approx([1e-3, 9e-4, 8.1e-4])
    assert [cosmic.rate(k) for k in (0, 9, 10, 20)] == pytest.approx([1e-3, 1e-3, 1e-5, 1e-7])


def test_without_a_learning_rate_nothing_moves() -> None:
    network, _ = fitted(replace(RECIPE, learning_rate=0.0, epochs=1))
    first = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    initialise(first, RECIPE.seed)
    assert same(network, first)


def test_cancel_leaves_a_checkpoint_to_go_on_from(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "line.safetensors", "line")
    shares: list[float] = []
    with pytest.raises(Cancelled):
        fitted(checkpoint=checkpoint, hooks=Hooks(share=shares.append, should_stop=lambda: len(shares) == 4))
    state = checkpoint.read()
    assert state is not None
    assert len(state.losses) == 4
    assert shares == pytest.approx([k / RECIPE.epochs for k in (1, 2, 3, 4)])
    assert same(fitted(checkpoint=checkpoint)[0], fitted()[0])
