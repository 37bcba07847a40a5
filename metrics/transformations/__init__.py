"""Transformations of captions, built in and from plug-ins, to see how metrics react to a damaged caption."""

from metrics.transformations.base import Material, Transformation, TransformationFaulty, nouns, transformed, vocabulary
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
    """Add transformations. Raises ValueError, adding none, if a name is taken."""
    for one in transformations:
        if one.name in TRANSFORMATIONS:
            raise ValueError(f"there is a transformation named {one.name} already")
    TRANSFORMATIONS.update({one.name: one for one in transformations})


def unregister(*transformations: Transformation) -> None:
    """Remove transformations."""
    for one in transformations:
        del TRANSFORMATIONS[one.name]
