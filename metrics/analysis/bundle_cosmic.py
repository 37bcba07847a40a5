"""The network and image features supplied for COSMic, in bundles: checks, and the metrics that use them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from data.bundle.writing import FEATURES, LARGEST_GIVEN, NETWORK
from data.check import GivenFile, Loaded
from data.study import DataError, Study
from metrics.analysis.coherence import asserted_labels
from metrics.base import Metric
from metrics.learned import cosmic_file
from metrics.learned.cosmic_metric import Cosmic, with_given

Given = tuple[GivenFile | None, GivenFile | None]
"""The network file and the features file."""
NOTHING: Given = (None, None)


def members(given: Given) -> dict[str, tuple[str, bytes]]:
    """Return the names and contents of the supplied files by bundle member, omitting files that are too large."""
    named = zip((NETWORK, FEATURES), given)
    return {of: (one.name, one.content) for of, one in named if one is not None and len(one.content) <= LARGEST_GIVEN}


@contextmanager
def learned(study: Study, given: Given) -> Iterator[tuple[Metric, ...]]:
    """Provide the COSMic metrics of the Coherence page, with stated and asserted labels, while their files exist.

    There are none for a study without labels. Raises DataError as `stored` does.
    """
    if not any(run.coherence for run in study.runs):
        yield ()
        return
    with tempfile.TemporaryDirectory() as folder:
        made = with_given(Cosmic(), study, *stored(given, Path(folder)))
        sides = (asserted_labels.metrics(study, made, side) for side in asserted_labels.SIDES)
        yield tuple(dict.fromkeys([made, *(metric for side in sides for metric in side.values())]))


def checked(loaded: Loaded) -> tuple[Loaded, dict[str, str]]:
    """Return the loaded study without the files that COSMic cannot use, and the reasons by bundle member."""
    why: dict[str, str] = {}
    tried: tuple[tuple[str, Given], ...] = ((NETWORK, (loaded.network, None)), (FEATURES, (None, loaded.images)))
    for member, alone in tried:
        with tempfile.TemporaryDirectory() as folder:
            try:
                stored(alone, Path(folder))
            except DataError as said:
                why[member] = str(said)
    network, features = (None if NETWORK in why else loaded.network), (None if FEATURES in why else loaded.images)
    return replace(loaded, network=network, images=features), why


def stored(given: Given, folder: Path) -> tuple[str | None, str | None]:
    """Store the network and the features in the folder and return their paths, with None for a file that is missing.

    Raises DataError if they cannot be used.
    """
    network, features = given
    weights = None if network is None else cosmic_file.store(network, folder)
    if features is None:
        return weights, None
    from metrics.learned.cosmic_data import store_images

    return weights, store_images(features, folder)
