"""Sentence embeddings as the frozen inputs of networks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from metrics.cache.entry import Arrays
from metrics.chunk import Chunk, vectors_of
from metrics.mathematics.arrays import Floats
from metrics.text.encoder import Encoder


def embeddings(encoder: str, chunk: Chunk, texts: Sequence[str]) -> Floats:
    """Return (n, d) embeddings, from the chunk's cache if these texts were embedded before."""
    model = Encoder(encoder)

    def encode() -> Arrays:
        def say(done: int, of: int) -> None:
            chunk.hooks.progress(f"embedding captions, {done:,} of {of:,}")

        return {"vectors": model.encode(texts, say, chunk.hooks.should_stop)}

    found = chunk.artifact(model.key(texts), encode, partial(vectors_of, len(texts)))
    return np.asarray(found, dtype=float)
