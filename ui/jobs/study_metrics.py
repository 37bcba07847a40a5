"""The metrics of the open study, with its own document frequencies, if any.

Instances with a user's own parameters are stored in the address, `own=mmd_bert(bandwidth=1)`, which anybody can write.
An instance that sets an unknown parameter or names a file is dropped, with a message.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache as once
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from data.check import GivenFile
from data.study import DataError, Study, Tokenizer
from metrics.analysis.bundle import own_metric
from metrics.analysis.feasibility import why_impossible
from metrics.base import Metric
from metrics.cache.disk import WEIGHTS
from metrics.cache.memory import LruCache
from metrics.distances import document_frequencies
from metrics.distances.base import Distance
from metrics.learned.cosmic_file import Trained, read, store
from metrics.learned.cosmic_metric import Cosmic, with_given
from metrics.parameters import LONGEST
from metrics.registry import (
    DISTANCES,
    LEARNED,
    METRICS,
    OWN,
    Registry,
    given_to,
    in_order,
    with_frequencies,
    with_imported,
)
from metrics.suite.distribution import Trm
from metrics.text.cider import DocumentFrequencies
from ui.jobs.jobs import jobs
from ui.session import address, state

if TYPE_CHECKING:
    from metrics.learned.cosmic_data import Images

READ = 1 << 29
"""Maximum bytes of parsed frequencies in memory; evicted ones are parsed again."""
OWN_NAME, MOST = "own", 20
"""Address parameter for instances with a user's own parameters, and the maximum number of instances that it may
list.
"""
_with_own = lru_cache(maxsize=256)(own_metric)


def metrics() -> Mapping[str, Metric]:
    """Return every metric by name, including the study's imported ones; customised instances follow the plain one.

    They include metrics that are trained on the study, which no page shows by default.
    """
    known = _registry()
    by = {**known.metrics, **{name: _given(one, known) for name, one in LEARNED.items()}}
    if not (mine := own()):
        return by
    return {metric.name: metric for metric in in_order([*by.values(), *(_given(one, known) for one in mine)])}


def not_offered(study: Study, among: Mapping[str, Metric]) -> dict[str, str]:
    """Return, by name, why a study cannot have some of these metrics; pages offer all others.

    A metric is offered, too, if its numbers for the first run came with the study, as in a bundle or the demo.
    """
    whys = {name: why for name, metric in among.items() if (why := why_impossible(study, metric)) is not None}
    if not (state.is_demo() or state.loaded().numbers):
        return whys
    first = study.only(runs=[run.name for run in study.runs[:1]])
    found = jobs().view(first, [among[name] for name in whys], state.session(), start=False).results
    there = {name for (_, name), result in found.items() if np.isfinite(result.corpus)}
    return {name: why for name, why in whys.items() if name not in there}


def _given(metric: Metric, known: Registry) -> Metric:
    if isinstance(metric, Cosmic):
        return _trained(metric)
    given: Metric = given_to(metric, known.idf, known.tokenizer)
    return given


def _trained(metric: Cosmic) -> Cosmic:
    """COSMic with the network of the open study, or else one trained on its ratings, if there are enough.

    The metric is unchanged if neither exists, or if a file is invalid.
    """
    loaded = state.loaded()
    network, features = loaded.network, loaded.images
    try:
        weights = None if network is None else network_path(network)
        images = None if features is None else features_path(features)
        return with_given(metric, state.study(), weights, images)
    except DataError:
        return metric


def network_path(given: GivenFile) -> str:
    """Store a network in the cache folder, and return its path. Raises DataError for an invalid file."""
    return store(given, _folder())


def network_of(given: GivenFile) -> Trained:
    """Return a network read from its file. Raises DataError for an invalid file."""
    return read(network_path(given))


def features_path(given: GivenFile) -> str:
    """Store image features in the cache folder, and return their path. Raises DataError for an invalid file."""
    from metrics.learned.cosmic_data import store_images

    return store_images(given, _folder())


def features_of(given: GivenFile) -> Images:
    """Return image features read from their file. Raises DataError for an invalid file."""
    from metrics.learned.cosmic_data import images_of

    return images_of(features_path(given))


def _folder() -> Path:
    directory = jobs().cache.directory
    assert directory is not None
    return directory / WEIGHTS / "cosmic"


def own() -> tuple[Metric, ...]:
    """Return the instances with a user's own parameters that the address, the session or an open bundle lists."""
    named = [*(address.values(OWN_NAME) or ())[:MOST], *state.loaded().own[:MOST]]
    found = (_with_own(written) for written in named)
    return tuple({one.name: one for one in found if one is not None and one.name not in METRICS | LEARNED}.values())


def keep_own() -> None:
    """Store the instances that `own` returns in this page's address; `address.show_unknown` reports invalid ones."""
    if (asked := address.values(OWN_NAME)) is None:
        return
    for written in asked[:MOST]:
        if _with_own(written) is None:
            address.report_unknown(OWN_NAME, written[:LONGEST])
    address.store(OWN_NAME, *(metric.name for metric in own()))


def trms() -> Mapping[str, Trm]:
    """Return the triangle-rank metric of every distance that has one, by label of the distance."""
    return _registry().trms


def idf() -> DocumentFrequencies | None:
    """Return the document frequencies that came with the open study; None without any."""
    return _registry().idf


def distances() -> dict[str, Distance]:
    """Return every distance by its label: built-in ones and those of plug-ins, then the open study's imported ones."""
    own = {label: trm.space for label, trm in trms().items() if label not in DISTANCES}
    given, tokenizer = idf(), state.study().tokenizer
    return {label: given_to(space, given, tokenizer) for label, space in (DISTANCES | own).items()}


def _bytes(key: str, found: Registry) -> int:
    return 0 if found.idf is None else sum(array.nbytes for array in found.idf.to_arrays().values())


@once
def _read() -> LruCache[str, Registry]:
    return LruCache(READ, _bytes)


def _registry() -> Registry:
    study = state.study()
    return with_imported(_by_frequencies(study.tokenizer), study)


def _by_frequencies(tokenizer: Tokenizer) -> Registry:
    given = state.loaded().idf
    if given is None and tokenizer == "ptb":
        return OWN
    key = f"{given.sha256 if given is not None else ''} {tokenizer}"
    found = _read().get(key)
    if found is None:
        found = with_frequencies(document_frequencies.of_file(given, tokenizer), tokenizer)
        _read().put(key, found)
    return found
