"""Training of a network: mini-batches, a decaying learning rate, early stopping, checkpoints, progress and cancelling.

Equal seeds give equal weights on one machine, even after an interruption: the random numbers of an epoch depend only on
the seed and the epoch's number, and a checkpoint contains the rest. The code is the same on a CPU and on CUDA.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from metrics.learned.checkpoint import Checkpoint, Losses, State
from metrics.progress import Hooks


@dataclass(frozen=True)
class Recipe:
    """Settings of Adam: the learning rate is multiplied by `factor` once per `every` epochs.

    Training ends after `epochs`, or `patience` epochs after the smallest loss on the held-out examples. `seed`
    determines the initial weights and every draw.
    """

    learning_rate: float = 1e-3
    factor: float = 0.9
    every: int = 1
    epochs: int = 30
    patience: int = 5
    seed: int = 0

    def rate(self, epoch: int) -> float:
        """Return the learning rate of an epoch, counted from 0."""
        return float(self.learning_rate * self.factor ** (epoch // self.every))


class Task(Protocol):
    """A task to learn: examples in batches, and the mean loss of a batch."""

    def batches(self, rng: np.random.Generator) -> Iterable[Any]:
        """Return the batches of one epoch, drawn with this generator."""

    def held_out(self) -> Sequence[Any]:
        """Return batches of held-out examples; empty for training without early stopping."""

    def loss(self, network: nn.Module, batch: Any) -> Tensor:
        """Return the mean loss of a batch, a scalar with a gradient."""


@dataclass(frozen=True)
class History:
    """The losses of all epochs, and the epoch, counted from 0, whose weights were kept."""

    losses: Losses
    best: int


def best_epoch(losses: Losses) -> int:
    """Return the epoch with the smallest loss on held-out examples, or the last epoch if there are none."""
    if all(math.isnan(held) for _, held in losses):
        return len(losses) - 1
    return min(range(len(losses)), key=lambda epoch: losses[epoch][1])


def device() -> torch.device:
    """Return the GPU if there is one, otherwise the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def initialise(network: nn.Module, seed: int) -> None:
    """Draw every parameter uniformly from +-1/sqrt(its inputs), independently of other draws in the process.

    A module with its own initial weights then sets them in its method `begin`.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():
            bound = 1 / math.sqrt(parameter.shape[-1] if parameter.ndim else 1)
            drawn = torch.rand(parameter.shape, generator=generator) * 2 * bound - bound
            parameter.copy_(drawn)
        for module in network.modules():
            if callable(begin := getattr(module, "begin", None)):
                begin()


def train(
    network: nn.Module, task: Task, recipe: Recipe, hooks: Hooks | None = None, checkpoint: Checkpoint | None = None
) -> History:
    """Train a network in place and leave it with its best weights; resume from the checkpoint if it has a state.

    Raises Cancelled when asked to stop; the last checkpoint stays.
    """
    training = _Training(network, task, recipe, hooks or Hooks(), checkpoint)
    training.resume()
    while not training.over():
        training.epoch()
    return training.finish()


class _Training:
    def __init__(
        self, network: nn.Module, task: Task, recipe: Recipe, hooks: Hooks, checkpoint: Checkpoint | None
    ) -> None:
        self.network, self.task, self.recipe, self.hooks, self.checkpoint = network, task, recipe, hooks, checkpoint
        initialise(network, recipe.seed)
        self.adam = torch.optim.Adam(network.parameters(), lr=recipe.learning_rate, fused=True)
        self.held = list(task.held_out())
        self.losses: Losses = ()
        self.kept = self._weights()

    @property
    def best(self) -> int:
        """The best epoch so far, whose weights are kept; the last epoch if no examples are held out."""
        return best_epoch(self.losses) if self.held else len(self.losses) - 1

    def over(self) -> bool:
        done = len(self.losses)
        return done >= self.recipe.epochs or (done > 0 and done - 1 - self.best >= self.recipe.patience)

    def epoch(self) -> None:
        number = len(self.losses)
        for group in self.adam.param_groups:
            group["lr"] = self.recipe.rate(number)
        self.network.train()
        sums, count = 0.0, 0
        for batch in self.task.batches(np.random.default_rng([self.recipe.seed, number])):
            self.hooks.check()
            self.adam.zero_grad()
            loss = self.task.loss(self.network, batch)
            loss.backward()
            self.adam.step()
            sums, count = sums + loss.item(), count + 1
        self.losses = (*self.losses, (sums / max(count, 1), self._held_out_loss()))
        if self.best == number:
            self.kept = self._weights()
        self._write()
        self._say()

    def finish(self) -> History:
        self.network.load_state_dict(self.kept)
        self.network.eval()
        self.hooks.share(1.0)
        return History(self.losses, self.best)

    def resume(self) -> None:
        state = self.checkpoint.read() if self.checkpoint else None
        if state is None:
            return
        parts: dict[str, dict[str, Tensor]] = {"now": {}, "best": {}, "adam": {}}
        for key, tensor in state.tensors.items():
            kind, _, name = key.partition(".")
            parts[kind][name] = tensor
        self.network.load_state_dict(parts["now"])
        self.kept, self.losses = parts["best"], state.losses
        moments: dict[int, dict[str, Tensor]] = {}
        for key, tensor in parts["adam"].items():
            place, _, name = key.partition(".")
            moments.setdefault(int(place), {})[name] = tensor
        self.adam.load_state_dict({**self.adam.state_dict(), "state": moments})

    def _weights(self) -> dict[str, Tensor]:
        return {name: tensor.detach().clone() for name, tensor in self.network.state_dict().items()}

    def _held_out_loss(self) -> float:
        if not self.held:
            return math.nan
        self.network.eval()
        with torch.no_grad():
            return sum(self.task.loss(self.network, batch).item() for batch in self.held) / len(self.held)

    def _write(self) -> None:
        if self.checkpoint is None:
            return
        tensors = {f"now.{name}": tensor for name, tensor in self._weights().items()}
        tensors |= {f"best.{name}": tensor for name, tensor in self.kept.items()}
        for place, moments in self.adam.state_dict()["state"].items():
            tensors |= {f"adam.{place}.{name}": tensor for name, tensor in moments.items()}
        self.checkpoint.write(State(tensors, self.losses))

    def _say(self) -> None:
        done, (loss, held) = len(self.losses), self.losses[-1]
        against = f", {held:.3f} held out" if self.held else ""
        self.hooks.progress(f"epoch {done} of at most {self.recipe.epochs}, loss {loss:.3f}{against}")
        self.hooks.share(done / self.recipe.epochs)
