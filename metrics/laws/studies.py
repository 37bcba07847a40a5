"""Made-up studies for the laws: captions with known roles, always the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from zlib import crc32

from data.study import Captions, Item, Run, Settings, Study
from metrics.base import Metric

RUN = "model"
SCENES = (
    "dog runs across the wet street",
    "baker sells warm bread to children",
    "train crosses an iron bridge slowly",
    "sailor paints his wooden boat blue",
    "teacher reads long stories by candlelight",
    "pilot waves from the small cockpit",
    "farmer feeds nine hungry brown geese",
    "singer tunes her old silver guitar",
    "surgeon washes both hands very carefully",
    "climber hangs below an icy ledge",
    "judge opens a heavy leather book",
    "gardener waters rows of young tomatoes",
    "swimmer dives under the breaking wave",
)
"""Subject of each item: six unique words, so that captions share phrases if and only if they are of one item."""
ENDS = ("", "in the rain", "at night", "near two parked cars")
# Texts are sorted before a metric sees them: these beginnings keep the first and the last candidate outermost.
SAID_BY_MODELS = ("a big", "a small", "one old", "the young")
SAID_BY_PEOPLE = ("another large", "every little", "some tall", "that grey")
SALAD = (
    "Abstract equations prove seven theorems",
    "zinc prices fell sharply yesterday",
    "Binary compilers optimise loops",
    "volcanic minerals absorb infrared radiation quickly",
)
"""Captions unrelated to any item; the first and third sort before all others, the rest after them."""


def captions(scene: str, beginnings: Sequence[str], turn: int) -> Captions:
    """Return one caption of a scene for each beginning; they are in alphabetical order if the beginnings are."""
    ends = (ENDS[(k + turn) % len(ENDS)] for k in range(len(beginnings)))
    return tuple(" ".join(f"{first} {scene} {end}".split()) for first, end in zip(beginnings, ends))


def enough_items(metric: Metric) -> int:
    """Return the number of items that a metric needs for a value: run metrics may need fifty texts on each side."""
    return 4 if metric.of_items else len(SCENES)


def items(count: int) -> tuple[Item, ...]:
    """Return the first `count` items, at most as many as SCENES, each with four references."""
    return tuple(Item(f"item {k}", captions(scene, SAID_BY_PEOPLE, k)) for k, scene in enumerate(SCENES[:count]))


def model(count: int) -> list[Captions]:
    """Return four candidates for each item, none of which is a reference."""
    return [captions(scene, SAID_BY_MODELS, k + 1) for k, scene in enumerate(SCENES[:count])]


@cache
def plain(count: int) -> Study:
    """Return a study of `count` items, each with four references, and one run with four candidates per item."""
    return study(items(count), {RUN: model(count)})


def study(of: Sequence[Item], said: Mapping[str, Iterable[Captions]]) -> Study:
    """Return a study of these items and of runs by name, each with the candidates of every item."""
    runs = (
        Run(name, name, Settings(), {item.id: texts for item, texts in zip(of, each, strict=True)})
        for name, each in said.items()
    )
    return Study("made-up captions", tuple(of), tuple(runs))


def with_references(of: Study, references: Iterable[Captions]) -> Study:
    """Return the same study with other references."""
    return replace(of, items=tuple(replace(i, references=r) for i, r in zip(of.items, references, strict=True)))


def replaced(texts: Captions, position: int, by: str) -> Captions:
    """Return the captions with `by` in place of the one at `position`."""
    return (*texts[:position], by, *texts[position + 1 :])


def with_logprobs(of: Study) -> Study:
    """Return the same study with log-probabilities, as sums over words.

    Words that are in no made-up caption are improbable, and more so for the oracle than for the runs.
    """
    own, oracle = (partial(_logprob, salt, strange) for salt, strange in (("run", 4.0), ("oracle", 6.0)))
    items = tuple(replace(item, oracle_logprobs=tuple(map(oracle, item.references))) for item in of.items)
    people = {item.id: tuple(map(own, item.references)) for item in of.items}
    runs = tuple(
        replace(
            run,
            logprobs={id: tuple(map(own, texts)) for id, texts in run.candidates.items()},
            oracle_logprobs={id: tuple(map(oracle, texts)) for id, texts in run.candidates.items()},
            reference_logprobs=people,
        )
        for run in of.runs
    )
    return replace(of, items=items, runs=runs)


@cache
def _familiar() -> frozenset[str]:
    return frozenset(" ".join((*SCENES, *ENDS, *SAID_BY_MODELS, *SAID_BY_PEOPLE)).split())


def _logprob(salt: str, strange: float, text: str) -> float:
    """Return a made-up log-probability of a text, the sum of those of its words.

    A word has -0.5 to -1.5, according to its hash, or -`strange` if no made-up caption contains it.
    """
    return -sum(
        0.5 + crc32(f"{salt} {word}".encode()) / 2**32 if word in _familiar() else strange for word in text.split()
    )
