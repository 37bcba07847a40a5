"""Laws of transformations: nothing changes at strength 0, something at 1, and equal random numbers give equal words."""

from __future__ import annotations

import numpy as np

from metrics.laws import studies
from metrics.transformations import Material, Transformation, TransformationFaulty, nouns, transformed, vocabulary

STRENGTHS = (0.0, 0.05, 0.5, 1.0)
SAID = tuple(tuple(text.split()) for item in studies.items(6) for text in item.references)
CAPTIONS = (
    *SAID[::4],
    ("A", "dog", "is", "on", "the", "sofa."),
    ("dog",),
    ("a", "a", "a"),
    ("狗", "🐕", "x!"),
    (),
)
MATERIAL = Material(SAID[::-1], vocabulary(SAID), nouns([*SAID, ("a", "cat"), ("the", "dog"), ("a", "sofa")]))
SEEDS = range(3)


def transformation_violations(one: Transformation) -> list[str]:
    """Return the laws that a transformation breaks, as sentences."""
    one = one.prepare(MATERIAL)
    try:
        found = [_of_caption(one, words, strength) for words in CAPTIONS for strength in STRENGTHS]
        found.append(_idle(one))
    except TransformationFaulty as why:
        return [str(why)]
    return list(dict.fromkeys(why for why in found if why))


def _of_caption(one: Transformation, words: tuple[str, ...], strength: float) -> str:
    said = f"of {' '.join(words)!r} at strength {strength:g}"
    first, second = (transformed(one, words, strength, np.random.default_rng(1)) for _ in range(2))
    given = list(words)
    one.transform(given, strength, np.random.default_rng(1))
    if given != list(words):
        return f"it changes the list of words that it is given, {said}"
    if first != second:
        return f"the same random numbers give other words the second time, {said}: draw from `rng` alone"
    if strength == 0 and first != list(words):
        return f"strength 0 changes the caption, {said}"
    return ""


def _idle(one: Transformation) -> str:
    whole = (transformed(one, words, 1.0, np.random.default_rng(seed)) for words in CAPTIONS for seed in SEEDS)
    before = (list(words) for words in CAPTIONS for _ in SEEDS)
    return "" if any(new != old for new, old in zip(whole, before)) else "strength 1 changes no caption"
