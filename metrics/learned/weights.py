"""Weights of trained networks in a folder of a cache, so that nothing is trained twice."""

from __future__ import annotations

import contextlib
import math
import os
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError
from torch import nn

from data.study import digest
from metrics.learned.checkpoint import Checkpoint, Losses, State
from metrics.learned.trainer import History, best_epoch

MOST_BYTES = 1 << 30
"""Maximum number of bytes of a folder of weights; above it the least recently used files are removed."""


@dataclass(frozen=True)
class Folders:
    """The folders of training files: `checkpoints` of unfinished and `weights` of finished training runs."""

    checkpoints: Path
    weights: Path


@dataclass(frozen=True)
class Weights:
    """A folder of weights, each file under a signature that states everything that determines them."""

    folder: Path
    most: int = MOST_BYTES

    def read(self, signature: str, network: nn.Module) -> History | None:
        """Load the weights with this signature into the network and return the history of their training.

        None if there is no file; a file that is damaged, or of another network or training run, is removed.
        """
        file = self._file(signature)
        state = file.read()
        if state is None or not _fits(state, network):
            with contextlib.suppress(OSError):
                file.remove()
            return None
        network.load_state_dict(dict(state.tensors))
        network.eval()
        with contextlib.suppress(OSError):
            os.utime(file.path)
        return History(state.losses, best_epoch(state.losses))

    def write(self, signature: str, network: nn.Module, history: History) -> None:
        """Store the weights of a network; a full disk or a read-only folder is not an error."""
        tensors = {name: tensor.detach().cpu() for name, tensor in network.state_dict().items()}
        with contextlib.suppress(OSError, SafetensorError):
            self._file(signature).write(State(tensors, history.losses))
            self._make_room()

    def _file(self, signature: str) -> Checkpoint:
        return Checkpoint(self.folder / f"{digest(signature)}.safetensors", signature)

    def _make_room(self) -> None:
        files = [(path, path.stat()) for path in self.folder.glob("*.safetensors")]
        total = sum(stat.st_size for _, stat in files)
        for path, stat in sorted(files, key=lambda found: found[1].st_mtime_ns):
            if total <= self.most:
                return
            path.unlink(missing_ok=True)
            total -= stat.st_size


def _fits(state: State, network: nn.Module) -> bool:
    wanted = network.state_dict()
    same = state.tensors.keys() == wanted.keys() and all(
        tensor.shape == wanted[name].shape and tensor.dtype == wanted[name].dtype
        for name, tensor in state.tensors.items()
    )
    return same and all(torch.isfinite(one).all() for one in state.tensors.values()) and _are_losses(state.losses)


def _are_losses(losses: Losses) -> bool:
    return bool(losses) and all(
        math.isfinite(one) and one >= 0 and (math.isnan(held) or (math.isfinite(held) and held >= 0))
        for one, held in losses
    )
