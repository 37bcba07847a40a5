"""Windows of a text that is too long for an encoder, split where sentences end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from metrics.text.sentences import sentences

Count = Callable[[list[str]], list[int]]
"""A function that returns the number of tokens of each text, without special tokens."""


def windows(text: str, room: int, count: Count) -> list[str]:
    """Return the text in parts of at most `room` tokens, each with as many consecutive sentences as fit.

    A sentence that is too long is split between words, and a word between letters. A text that fits is one part.
    """
    parts = _fitting(text, room, count)
    if len(parts) == 1:
        return [text]
    found, taken = [parts[0]], count(parts[:1])[0]
    for part, tokens in zip(parts[1:], count(parts[1:])):
        if taken + tokens <= room:
            found[-1], taken = f"{found[-1]} {part}", taken + tokens
        else:
            found.append(part)
            taken = tokens
    return found


def _fitting(text: str, room: int, count: Count) -> list[str]:
    """Return the whole text if it fits, otherwise pieces of it that fit: sentences, words, or parts of words."""
    if count([text])[0] <= room or len(text) < 2:
        return [text]
    parts = sentences(text)
    if len(parts) < 2:
        parts = text.split()
    if len(parts) < 2:
        parts = [text[: len(text) // 2], text[len(text) // 2 :]]
    return [piece for part in parts for piece in _fitting(part, room, count)]


def joined(vectors: NDArray[np.float32], tokens: Sequence[int]) -> NDArray[np.float32]:
    """Return the (d,) token-weighted mean of (windows, d) embeddings, scaled to their token-weighted mean length."""
    weights = np.maximum(tokens, 1).astype(float)
    mean = np.average(vectors.astype(float), axis=0, weights=weights)
    length = np.average(np.linalg.norm(vectors, axis=1), weights=weights)
    norm = np.linalg.norm(mean)
    return (mean * (length / norm if norm else 0.0)).astype(np.float32)
