"""Every metric as the open study has it: by the document frequencies that were given to it, else by its own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache as once
from typing import TypeVar

from metrics.base import Metric
from metrics.cache.memory import LruCache
from metrics.distances import document_frequencies
from metrics.distances.base import Distance
from metrics.distribution import Trm
from metrics.registry import OWN, Registry, given_to, with_frequencies, with_imported
from metrics.text.cider import DocumentFrequencies
from ui.session import state

READ = 1 << 29
"""Bytes of frequencies that are kept as they were read; what is given up is read again."""
D = TypeVar("D", bound=Distance)


def metrics() -> Mapping[str, Metric]:
    """Every metric by name, those that were imported with the study last."""
    return _registry().metrics


def trms() -> Mapping[str, Trm]:
    """The triangle-rank metric of every distance that has one, by the distance's label."""
    return _registry().trms


def idf() -> DocumentFrequencies | None:
    """The document frequencies that were given to the open study."""
    return _registry().idf


def distance(space: D) -> D:
    """A distance, by the frequencies that were given if it takes any."""
    return given_to(space, idf())


def _bytes(key: str, found: Registry) -> int:
    return 0 if found.idf is None else sum(array.nbytes for array in found.idf.to_arrays().values())


@once
def _read() -> LruCache[str, Registry]:
    return LruCache(READ, _bytes)


def _registry() -> Registry:
    return with_imported(_by_frequencies(), state.study())


def _by_frequencies() -> Registry:
    given = state.loaded().idf
    if given is None:
        return OWN
    found = _read().get(given.sha256)
    if found is None:
        made = document_frequencies.of_file(given)
        assert made is not None
        found = with_frequencies(made)
        _read().put(given.sha256, found)
    return found
