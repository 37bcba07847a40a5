"""EfficientNet-lite0 (Tan and Le 2019), from the packaged ImageNet weights: 1,280 features of a picture."""

from __future__ import annotations

import hashlib
import io
import pickletools
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from data.study import DataError
from metrics.learned.efficientnet_file import PACKAGE, SHA256

SIZE = 224
"""Side of a picture in pixels."""
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""The mean and the standard deviation of each colour of the pictures, as used by the package."""
STRIDES = (1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1)
"""Stride of each block of lite0."""
_EPSILON = 1e-3


Place = tuple[str, list[int], list[int]]
"""Name, shape and strides of a tensor."""


@cache
def weights(path: Path) -> Mapping[str, Tensor]:
    """Return the weights by name. Raises DataError unless the file is the package's.

    The file is in torch's older format: five pickles, the fourth of which describes each tensor, and then the numbers.
    Nothing is unpickled: the description is read as a list of operations, none of which is executed.
    """
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise DataError(f"{path.name}: it differs from the file in {PACKAGE} 0.1.0. Install the package again.")
    stream = io.BytesIO(content)
    parts = [list(pickletools.genops(stream)) for _ in range(5)]
    places = _places(parts[3])
    found = {}
    for key in (argument for operation, argument, _ in parts[4] if operation.name == "BINUNICODE"):
        count = int.from_bytes(stream.read(8), "little")
        name, shape, strides = places[str(key)]
        kind = np.int64 if name.endswith("num_batches_tracked") else np.float32
        numbers = np.frombuffer(stream.read(count * np.dtype(kind).itemsize), dtype=kind)
        found[name] = torch.from_numpy(numbers.copy()).as_strided(shape, strides).contiguous()
    return found


def _places(operations: Iterable[tuple[pickletools.OpcodeInfo, Any, int | None]]) -> dict[str, Place]:
    """Return the place of each tensor, by the key of its storage; each tensor of the file has its own storage."""
    found: dict[str, Place] = {}
    name = key = ""
    sizes: list[list[int]] = []
    for operation, argument, _ in operations:
        if operation.name == "BINUNICODE" and argument not in ("storage", "cpu"):
            name, key = (name, argument) if argument.isdigit() else (argument, key)
        elif operation.name == "BINPERSID":
            sizes = [[]]
        elif sizes and operation.name.startswith("BININT"):
            sizes[-1].append(argument)
        elif sizes and operation.name in ("TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "EMPTY_TUPLE"):
            sizes.append([])
            if len(sizes) == 3:  # offset and shape, then strides
                found[key] = name, sizes[0][1:], sizes[1]
                sizes = []
    return found


def features(of: Mapping[str, Tensor], pictures: Tensor) -> Tensor:
    """Return (n, 1280) averages over positions of the last layer before the classes, for pictures (n, 3, 224, 224)."""
    found = functional.relu6(_normalised(of, "_bn0", _convolved(of, "_conv_stem", pictures, 2)))
    for k, stride in enumerate(STRIDES):
        found = _block(of, f"_blocks.{k}", found, stride)
    return functional.relu6(_normalised(of, "_bn1", _convolved(of, "_conv_head", found, 1))).mean(dim=(2, 3))


def _block(of: Mapping[str, Tensor], name: str, given: Tensor, stride: int) -> Tensor:
    """Return an inverted bottleneck's output: expand, depthwise convolution, project; add the input if shapes agree."""
    found = given
    if f"{name}._expand_conv.weight" in of:
        found = functional.relu6(_normalised(of, f"{name}._bn0", _convolved(of, f"{name}._expand_conv", found, 1)))
    found = _convolved(of, f"{name}._depthwise_conv", found, stride, groups=found.shape[1])
    found = functional.relu6(_normalised(of, f"{name}._bn1", found))
    found = _normalised(of, f"{name}._bn2", _convolved(of, f"{name}._project_conv", found, 1))
    return found + given if found.shape == given.shape else found


def _convolved(of: Mapping[str, Tensor], name: str, given: Tensor, stride: int, groups: int = 1) -> Tensor:
    """Return a convolution with TensorFlow's padding: the output side is the input side over the stride, rounded up."""
    kernel = of[f"{name}.weight"]
    padding = []
    for side in (given.shape[3], given.shape[2]):
        total = max((-(-side // stride) - 1) * stride + kernel.shape[-1] - side, 0)
        padding += [total // 2, total - total // 2]
    return functional.conv2d(functional.pad(given, padding), kernel, stride=stride, groups=groups)


def _normalised(of: Mapping[str, Tensor], name: str, given: Tensor) -> Tensor:
    mean, variance = of[f"{name}.running_mean"], of[f"{name}.running_var"]
    return functional.batch_norm(given, mean, variance, of[f"{name}.weight"], of[f"{name}.bias"], eps=_EPSILON)
