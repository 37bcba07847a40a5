"""Provide fixtures for all tests: the real data next to the checkout, and stand-ins that save slow work."""

import fcntl
import gc
import os
import threading
import zipfile
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from metrics.analysis.cloud import umap, umap_program
from metrics.cache import layers
from metrics.cache.disk import INDEXES
from metrics.progress import Hooks, check_stop
from metrics.text.encoder import DEFAULT, Encoder, Vectors
from metrics.text.meteor import index as meteor

ROOT = Path(__file__).resolve().parent.parent
REALDATA = ROOT.parent / "shared" / "realdata"

# A test must not fail because the machine is busy.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


def pytest_collection_finish() -> None:
    """Exempt everything loaded so far from garbage collection, which saves a tenth of the processor time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def realdata() -> Path:
    """Return the folder of real caption sets, which is never part of the project; skip the test if it is absent."""
    if not REALDATA.is_dir():
        pytest.skip("no real data beside the checkout (../shared/realdata)")
    return REALDATA


@pytest.fixture(scope="session")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache folder for METEOR's index alone, which all workers share."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "indexes of all"
    (folder / INDEXES).mkdir(parents=True, exist_ok=True)
    return folder


def share_indexes(cache: Path, indexes: Path) -> None:
    """Make an empty cache folder with a link to the indexes that all tests share, for other processes and the command
    line.
    """
    cache.mkdir(parents=True)
    (cache / INDEXES).symlink_to(indexes / INDEXES)


@cache
def indexed(folder: Path) -> Path:
    """Return the folder after making sure that it contains METEOR's index, which is built once per test run."""
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        meteor.opened(folder / INDEXES / "meteor" / f"{meteor._name()}.bin", meteor.build)
    return folder


@pytest.fixture(scope="session", autouse=True)
def one_index(indexes: Path) -> Iterator[None]:
    """Let all tests share one index of METEOR, which is the same for all caches and takes seconds to build."""
    with pytest.MonkeyPatch.context() as here:
        here.setattr(meteor, "default_directory", lambda: indexed(indexes))
        yield


@pytest.fixture(scope="session", autouse=True)
def one_look_at_shipped_scores() -> Iterator[None]:
    """Open the archives of the demo's scores once for all caches, as a server does, which opens them only at its
    start.
    """
    real = layers._archives

    @cache
    def shipped(path: Path) -> tuple[zipfile.ZipFile, ...]:
        return tuple(real([path]))

    def archives(paths: Iterable[Path]) -> Iterator[zipfile.ZipFile]:
        for path in paths:
            yield from shipped(path) if ROOT in path.parents else real([path])

    with pytest.MonkeyPatch.context() as here:
        here.setattr(layers, "_archives", archives)
        yield


@pytest.fixture(scope="session", autouse=True)
def equal_calls_are_encoded_once() -> Iterator[None]:
    """Encode equal calls of the default encoder only once, since encoding takes most of the time and tests share
    captions.

    Whole calls are kept, never single texts, so that tests still detect results that depend on a call's other texts.
    """
    real, known = Encoder.encode, dict[tuple[str, ...], Vectors]()

    def encode(
        self: Encoder, texts: Any, progress: Any = None, should_stop: Any = None, keeper: Any = None, take: Any = None
    ) -> Vectors:
        call = tuple(texts)
        if keeper is not None or self.name != DEFAULT:
            return real(self, texts, progress, should_stop, keeper, take)
        if call not in known:
            known[call] = real(self, texts, progress, should_stop, take=take)
            return known[call].copy()
        check_stop(should_stop)
        if progress:
            progress(len(set(call)), len(set(call)))
        return known[call].copy()

    with pytest.MonkeyPatch.context() as here:
        here.setattr(Encoder, "encode", encode)
        yield


@pytest.fixture(scope="session", autouse=True)
def umap_process() -> Iterator[Callable[[Path, Hooks, float], None]]:
    """Run UMAP in this process, since a separate one takes three seconds to start; yield the function that starts
    one.
    """
    alone = threading.Lock()

    def here(folder: Path, hooks: Hooks, begun: float) -> None:
        hooks.progress("UMAP finds neighbours")
        with alone:
            umap_program.main(folder)

    real = umap.place
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(umap, "place", here)
        yield real
