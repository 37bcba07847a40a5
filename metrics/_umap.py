"""The descent of UMAP, compiled: it releases the interpreter lock and can be stopped between any two epochs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics._compiled import compiled

PUSHES = 5
"""Points drawn at random that a point moves away from, for each time that it moves towards a neighbour."""
_FARTHEST = np.float32(4.0)
_LEAST = np.float32(0.001)
_ONE, _TWO = np.float32(1.0), np.float32(2.0)


@compiled
def descend(
    xy: NDArray[np.float32],
    edges: NDArray[np.int32],
    period: NDArray[np.float64],
    due: NDArray[np.float64],
    states: NDArray[np.int64],
    curve: tuple[np.float32, np.float32],
    span: tuple[int, int, int],
) -> None:
    """Move the points `xy` (n, 2) along `edges` (m, 2) in the epochs `span`: first, end, and how many there are.

    Edge k is taken every `period[k]` epochs, next at `due[k, 0]`, and its random points at `due[k, 1]`; `states`
    (n, 3) are the random numbers of each point. `curve`: a and b of 1 / (1 + a d^2b). All but the edges go on from
    call to call. McInnes et al. 2018, algorithm 5.
    """
    for epoch in range(span[0], span[1]):
        # The first two epochs have the full step, as in the authors' own code.
        step = np.float32(1.0 - max(epoch - 1, 0) / span[2])
        for k in range(len(edges)):
            if due[k, 0] > epoch:
                continue
            due[k, 0] += period[k]
            _pull(xy, edges[k, 0], edges[k, 1], curve, step)
            pushes = int((epoch - due[k, 1]) / (period[k] / PUSHES))
            due[k, 1] += pushes * (period[k] / PUSHES)
            for _ in range(pushes):
                _push(xy, edges[k, 0], _drawn(states[edges[k, 0]]) % len(xy), curve, step)


@compiled
def _pull(xy: Any, one: int, other: int, curve: tuple[np.float32, np.float32], step: np.float32) -> None:
    """Two neighbours towards each other."""
    a, b = curve
    right, up = xy[one, 0] - xy[other, 0], xy[one, 1] - xy[other, 1]
    squared = right * right + up * up
    if squared <= 0:
        return
    height = a * squared**b
    force = -_TWO * b * height / (squared * (_ONE + height))
    right, up = _held(force * right) * step, _held(force * up) * step
    xy[one, 0] += right
    xy[one, 1] += up
    xy[other, 0] -= right
    xy[other, 1] -= up


@compiled
def _push(xy: Any, one: int, other: int, curve: tuple[np.float32, np.float32], step: np.float32) -> None:
    """One point away from another."""
    a, b = curve
    right, up = xy[one, 0] - xy[other, 0], xy[one, 1] - xy[other, 1]
    squared = right * right + up * up
    if squared <= 0:
        return
    force = _TWO * b / ((_LEAST + squared) * (_ONE + a * squared**b))
    xy[one, 0] += _held(force * right) * step
    xy[one, 1] += _held(force * up) * step


@compiled
def _held(force: np.float32) -> np.float32:
    return min(max(force, -_FARTHEST), _FARTHEST)


@compiled
def _drawn(state: Any) -> Any:
    """A random 32-bit integer of L'Ecuyer's Tausworthe generator (1996), whose three parts are the state."""
    word = 0xFFFFFFFF
    state[0] = (((state[0] & 0xFFFFFFFE) << 12) & word) ^ ((((state[0] << 13) & word) ^ state[0]) >> 19)
    state[1] = (((state[1] & 0xFFFFFFF8) << 4) & word) ^ ((((state[1] << 2) & word) ^ state[1]) >> 25)
    state[2] = (((state[2] & 0xFFFFFFF0) << 17) & word) ^ ((((state[2] << 3) & word) ^ state[2]) >> 11)
    return np.int32(state[0] ^ state[1] ^ state[2])
