"""Give every test of a page its own cache and a quick encoder, and let errors of pages fail the test."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from streamlit.components.v2 import manifest_scanner

from metrics.analysis.cloud import captions as cloud_captions
from ui.jobs import jobs
from ui.jobs.queue import Queue


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    jobs.jobs.cache_clear()
    yield
    if jobs.jobs.cache_info().currsize:
        withdraw(jobs.jobs())
    jobs.jobs.cache_clear()


def withdraw(queue: Queue) -> None:
    """Cancel all jobs that pages requested, since nobody waits for them and they would slow down the next tests."""
    for job in list(queue._jobs.values()):
        for owner in list(job.owners):
            queue.cancel(job, owner)


@pytest.fixture(scope="session", autouse=True)
def one_look_for_components() -> Iterator[None]:
    """Read the metadata of installed packages once, as a server does at its start; each page of AppTest would read
    it again.
    """
    with pytest.MonkeyPatch.context() as here:
        here.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture(autouse=True)
def errors_of_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise the errors of pages, for which people get a sentence."""

    def again() -> None:
        raise  # noqa: PLE0704 - called while an error is handled

    monkeypatch.setattr("ui.frame.look.failed", again)


@pytest.fixture
def quick_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use counts of letters as vectors, which need no model."""

    def encode(
        self: object, texts: list[str], progress: object = None, should_stop: object = None, **more: object
    ) -> np.ndarray:
        rows = np.array([[1 + text.count(chr(97 + k)) for k in range(26)] for text in texts], dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    monkeypatch.setattr(cloud_captions.Encoder, "encode", encode)
