"""Central captions of one item: distances within each side, and content words that the medoids do not contain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from data.study import Captions, Run, Settings, Study
from metrics.analysis.central.medoid import centrality, in_direction, to_centre
from metrics.base import Undefined
from metrics.cache.disk import Cache
from metrics.chunk import Chunk, StudyDigests, caption_order
from metrics.distances.base import Distance, ItemDistances, item_distances
from metrics.mathematics.arrays import Floats, Labels
from metrics.text.content_words import english_share, lost_words
from metrics.text.tokens import Tokenizer, tokenize

EMPTY_RUN = Run("", "", Settings(), {})
"""A run without captions: its pooled texts are the references."""


@dataclass(frozen=True)
class Side:
    """Captions of one side of an item, in file order, with arrays (N,) that describe each.

    `expected` is the mean distance to the other captions of the side (NaN for a lone caption); `central` marks the
    medoids, several if they tie; `to_centre` is computed by `medoid.to_centre`; `to_references` is the mean distance to
    all references (for a reference, to the other references); `words` is the number of words of each caption. `why`
    gives the reason if there are no distances.
    """

    texts: Captions
    expected: Floats
    central: Labels
    to_centre: Floats
    to_references: Floats
    words: Floats
    why: str = ""

    @property
    def centres(self) -> Captions:
        """The distinct central texts; on a side with one text, that text."""
        return tuple(dict.fromkeys(t for t, c in zip(self.texts, self.central) if c or len(self.texts) == 1))

    @property
    def has_medoids(self) -> bool:
        """Whether some captions are medoids and others are not."""
        return bool(self.central.any()) and len(self.centres) < len(set(self.texts))

    @property
    def lengths(self) -> tuple[float, float]:
        """Mean numbers of words of the central captions and of the other captions; NaN for an empty group."""
        central, rest = self.words[self.central], self.words[~self.central]
        return _mean(central), _mean(rest)


@dataclass(frozen=True)
class CentreView:
    """One item by one distance: its references, the captions of each run, and the words that no medoid contains.

    `lost_words` are content words of the references, each with the number of references that contain it. For `english`,
    see `content_words.english_share`; `as_reference` is as in `centre_view`.
    """

    space: Distance
    references: Side
    lost_words: tuple[tuple[str, int], ...]
    runs: dict[str, Side]
    english: float = np.nan
    as_reference: bool = False

    @property
    def own(self) -> float:
        """Mean distance of the references, each to the centre of the other references."""
        return _mean(self.references.to_centre)


def centre_view(
    study: Study, runs: Sequence[str], position: int, space: Distance, cache: Cache, as_reference: bool = False
) -> CentreView:
    """Return the view of the item at `position` for these runs.

    A side without distances has only its texts, their numbers of words, and the reason. Each caption is scored with the
    side's other captions as its references or, if `as_reference`, as their reference.
    """
    item, space = study.items[position], space.of_references
    sides: dict[str, Side] = {}
    people: Side | None = None
    for name in runs:
        candidates = study.run(name).candidates.get(item.id, ())
        try:
            found = item_distances(study, name, position, space, cache)
        except Undefined as why:
            sides[name] = _without(candidates, str(why), study.tokenizer)
            continue
        found = replace(found, matrix=found.matrix.T) if as_reference else found
        sides[name] = _side(found, study.tokenizer, candidates=True)
        people = people or _side(found, study.tokenizer, candidates=False)
    people = people or _references(study, position, space, cache, as_reference)
    tokens = tokenize(people.texts, study.tokenizer)
    centre = [t for t, c in zip(tokens, people.central) if c]
    others = [t for t, c in zip(tokens, people.central) if not c]
    return CentreView(
        space, people, lost_words(centre, others) if centre else (), sides, english_share(study), as_reference
    )


def _references(study: Study, position: int, space: Distance, cache: Cache, as_reference: bool) -> Side:
    item = study.items[position]
    alone = Chunk.of((item,), EMPTY_RUN, cache, whole=StudyDigests.of(study, EMPTY_RUN))
    matrix = in_direction(space.all_distances(space.prepare(study), alone)[0], as_reference)
    if isinstance(matrix, str):
        return _without(item.references, matrix, study.tokenizer)
    place = np.argsort(caption_order(item.references))
    return _side(ItemDistances((), item.references, matrix[np.ix_(place, place)]), study.tokenizer, candidates=False)


def _side(found: ItemDistances, tokenizer: Tokenizer, candidates: bool) -> Side:
    labels, matrix = found.is_candidate, found.matrix
    here = labels if candidates else ~labels
    by = centrality(matrix, labels)
    far = by.expected[here]
    if candidates:
        far = matrix[np.ix_(here, ~labels)].mean(axis=1) if found.references else np.full(len(far), np.nan)
    texts = found.candidates if candidates else found.references
    return Side(
        texts, by.expected[here], by.central[here], to_centre(matrix, labels)[here], far, _words(texts, tokenizer)
    )


def _without(texts: Captions, why: str, tokenizer: Tokenizer) -> Side:
    none = np.full(len(texts), np.nan)
    return Side(texts, none, np.zeros(len(texts), dtype=bool), none, none, _words(texts, tokenizer), why)


def _words(texts: Captions, tokenizer: Tokenizer) -> Floats:
    return np.array([len(tokens) for tokens in tokenize(texts, tokenizer)], dtype=float)


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else float("nan")
