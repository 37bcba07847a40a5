"""The same call of the encoder has one answer: eighteen laws of ten metrics give it the same captions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from metrics.mathematics.arrays import Floats
from metrics.text.encoder import Encoder


@pytest.fixture(scope="session", autouse=True)
def equal_calls_are_encoded_once() -> Iterator[None]:
    """Whole calls are kept, never single texts: a metric that depends on what else is in a call is still found out."""
    real, known = Encoder.encode, {}

    def encode(self: Encoder, texts: Any, progress: Any = None, should_stop: Any = None, keeper: Any = None) -> Floats:
        call = self.signature, tuple(texts)
        if keeper is not None or call not in known:
            known[call] = real(self, texts, progress, should_stop, keeper)
        return known[call].copy()

    with pytest.MonkeyPatch.context() as here:
        here.setattr(Encoder, "encode", encode)
        yield
