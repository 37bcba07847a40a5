"""The numbers of a study bundle that a command used, and the sentence that reports them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cli.output import warn
from data.bundle.writing import LARGEST_PICTURES
from data.study import Study
from metrics.cache.disk import Cache

if TYPE_CHECKING:
    from data.load import Loaded
    from data.pictures.given_pictures import Pictures
    from metrics.text.cider import DocumentFrequencies


class BundleNumbers(dict[str, bytes]):
    """The entries of a bundle by key; `taken` contains the keys that were looked up with `[]`."""

    def __init__(self, entries: Mapping[str, bytes]) -> None:
        super().__init__(entries)
        self.taken: set[str] = set()

    def __getitem__(self, key: str) -> bytes:
        self.taken.add(key)
        return super().__getitem__(key)


def pictures_to_take(study: Study, loaded: Loaded) -> Pictures | None:
    """Return the pictures to pack into a bundle of the study.

    None if it has none or, with a warning, if they are too large.
    """
    if (found := loaded.pictures and loaded.pictures.used(study)) is None or found.size <= LARGEST_PICTURES:
        return found
    warn(f"the pictures are left out: a bundle takes at most {LARGEST_PICTURES >> 20} MB of them.")
    return None


def report_foreign(study: Study, cache: Cache, idf: DocumentFrequencies | None = None) -> None:
    """Report, at the end of a command, how many numbers from a bundle it used, if any."""
    from figures.notes.bundle import came_along
    from metrics.analysis.bundle import foreign_keys

    given = cache.given
    if isinstance(given, BundleNumbers):
        given = {key: given[key] for key in given if key in given.taken}
    if keys := foreign_keys(study, cache.with_bundle(given), idf):
        said = came_along(keys)
        were, them = ("was", "it") if len(keys) == 1 else ("were", "them")
        warn(f"{said[0].upper()}{said[1:]} and {were} not computed here; --recompute computes {them}.")
