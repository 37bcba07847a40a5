"""Checkpoints of a training run: weights, optimiser state and losses, as safetensors under a signature."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

Losses = tuple[tuple[float, float], ...]
"""The mean loss of each epoch on the training examples and on the validation examples."""


@dataclass(frozen=True)
class State:
    """The state of a training run after some epochs: tensors by name, and the losses of these epochs."""

    tensors: Mapping[str, Tensor]
    losses: Losses


@dataclass(frozen=True)
class Checkpoint:
    """A file with the state of one training run; its `signature` states everything that determines the weights."""

    path: Path
    signature: str

    def write(self, state: State) -> None:
        """Replace the file atomically, so that a reader sees a whole file or none. Raises OSError on failure."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        said = {
            "signature": self.signature,
            "losses": json.dumps(state.losses),
            "tensors": checksum(state.tensors),
        }
        handle, name = tempfile.mkstemp(dir=self.path.parent, suffix=".writing")
        os.close(handle)
        try:
            save_file({key: tensor.contiguous() for key, tensor in state.tensors.items()}, name, said)
            os.replace(name, self.path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def read(self) -> State | None:
        """Return the state; None if there is no file, or if it is damaged or belongs to another training run."""
        try:
            with safe_open(self.path, framework="pt") as file:
                said = file.metadata() or {}
                if said.get("signature") != self.signature:
                    return None
                tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118 - it is not a mapping
            if said.get("tensors") != checksum(tensors):
                return None
            losses = tuple((float(one), float(other)) for one, other in json.loads(said["losses"]))
        except (OSError, SafetensorError, ValueError, KeyError, TypeError):
            return None
        return State(tensors, losses)

    def remove(self) -> None:
        """Delete the file, if it exists."""
        self.path.unlink(missing_ok=True)


def checksum(tensors: Mapping[str, Tensor]) -> str:
    """Return the sha256 of tensors by name: safetensors files contain no checksum."""
    total = hashlib.sha256()
    for name in sorted(tensors):
        total.update(name.encode() + b"\0")
        total.update(tensors[name].detach().cpu().numpy().tobytes())
    return total.hexdigest()
