"""Make small studies for tests. Captions are a few random words, always the same for a seed."""

from __future__ import annotations

import random

from data.study import Item, Run, Settings, Study

NOUNS = ["dog", "cat", "boy", "woman", "train", "kite", "horse", "baker"]
VERBS = ["sits on", "runs past", "looks at", "stands near", "jumps over"]
PLACES = ["a red bench", "the old wall", "a wet street", "the beach", "a field of grass", "two parked cars"]
EXTRAS = ["", " in the rain", " at night", " with a small bag", " while others watch"]


def caption(source: random.Random) -> str:
    noun, verb, place = source.choice(NOUNS), source.choice(VERBS), source.choice(PLACES)
    return f"A {noun} {verb} {place}{source.choice(EXTRAS)}."


def captions(source: random.Random, count: int) -> tuple[str, ...]:
    return tuple(caption(source) for _ in range(count))


def study(items: int = 6, references: int = 4, candidates: int = 5, runs: int = 2, seed: int = 0) -> Study:
    """Make a study of random captions with runs `run 0`, `run 1` and so on, at temperatures 0.5, 1.0 and so on."""
    source = random.Random(seed)
    made = tuple(Item(f"image {k}", captions(source, references)) for k in range(items))
    named = tuple(
        Run(f"run {r}", f"model {r % 2}", Settings(0.5 * (r + 1)), {i.id: captions(source, candidates) for i in made})
        for r in range(runs)
    )
    return Study("random captions", made, named)
