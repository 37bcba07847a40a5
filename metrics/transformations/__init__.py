"""Transformations of captions, built in and of plug-ins: to try what a metric makes of a damaged caption."""

from metrics.transformations.base import (
    Material,
    Transformation,
    TransformationFaulty,
    nouns,
    transformed,
    vocabulary,
)
from metrics.transformations.faults import (
    DroppedWords,
    LetterCase,
    Negation,
    Prefix,
    RepeatedClause,
    SwappedNouns,
    Typos,
)
from metrics.transformations.pathological import RandomCaption, RandomWords, WordPermutation

__all__ = [
    "TRANSFORMATIONS",
    "Material",
    "Transformation",
    "TransformationFaulty",
    "nouns",
    "register",
    "transformed",
    "unregister",
    "vocabulary",
]

TRANSFORMATIONS: dict[str, Transformation] = {
    one.name: one
    for one in (
        RandomCaption(),
        WordPermutation(),
        RandomWords(),
        RepeatedClause(),
        DroppedWords(),
        SwappedNouns(),
        Typos(),
        LetterCase(),
        Prefix(),
        Negation(),
    )
}
"""Every transformation by its name."""


def register(*transformations: Transformation) -> None:
    """Add transformations. Raises ValueError for a name that is taken; none is added then."""
    for one in transformations:
        if one.name in TRANSFORMATIONS:
            raise ValueError(f"there is a transformation named {one.name} already")
    TRANSFORMATIONS.update({one.name: one for one in transformations})


def unregister(*transformations: Transformation) -> None:
    """Remove transformations."""
    for one in transformations:
        del TRANSFORMATIONS[one.name]
