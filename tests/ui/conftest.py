"""A separate cache for every test of a page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from metrics.analysis.cloud import captions as cloud_captions
from ui.jobs import jobs


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty cache folder and no job of another test."""
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    jobs.jobs.cache_clear()
    yield
    jobs.jobs.cache_clear()


@pytest.fixture(autouse=True)
def errors_of_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """People get a sentence instead of an error; tests get the error."""

    def again() -> None:
        raise  # noqa: PLE0704 - called while an error is handled

    monkeypatch.setattr("ui.frame.look.failed", again)


@pytest.fixture
def quick_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors that need no model: letters of the text, counted."""

    def encode(self: object, texts: list[str], progress: object = None, should_stop: object = None) -> np.ndarray:
        rows = np.array([[1 + text.count(chr(97 + k)) for k in range(26)] for text in texts], dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    monkeypatch.setattr(cloud_captions.Encoder, "encode", encode)
