"""The captions by runs that critiques score highest, and the captions by people that a critique scores lowest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from data.study import Run, Study
from metrics.analysis.critique.critics import Critic
from metrics.mathematics.arrays import Floats


class Scored(NamedTuple):
    """A caption with the position of its item in the study, its author ("" for people), and its score."""

    item: int
    author: str
    text: str
    score: float


def taken_for_people(study: Study, critics: Sequence[Critic], most: int) -> list[Scored]:
    """Return up to `most` captions that the critiques of these runs score highest, each text once per run."""
    every = (one for critic in critics for one in _of_run(study, study.run(critic.run), critic.run_scores))
    return _first(sorted(every, key=lambda one: (-one.score, one.text)), most)


def taken_for_a_machine(study: Study, critic: Critic, most: int) -> list[Scored]:
    """Return up to `most` captions by people that a critique scores lowest, each text once."""
    sides = ((k, sorted(item.references)) for k, item in enumerate(study.items))
    every = (
        Scored(k, "", text, float(score))
        for (k, texts), scores in zip(sides, critic.people_scores)
        for text, score in zip(texts, scores)
    )
    return _first(sorted(_known(every), key=lambda one: (one.score, one.text)), most)


def _of_run(study: Study, run: Run, scores: Sequence[Floats]) -> Iterable[Scored]:
    for k, (item, found) in enumerate(zip(study.items, scores)):
        texts = sorted(run.candidates.get(item.id, ()))
        yield from _known(Scored(k, run.name, text, float(score)) for text, score in zip(texts, found))


def _known(every: Iterable[Scored]) -> Iterable[Scored]:
    return (one for one in every if np.isfinite(one.score))


def _first(ordered: Iterable[Scored], most: int) -> list[Scored]:
    found: dict[tuple[str, str], Scored] = {}
    for one in ordered:
        found.setdefault((one.author, one.text), one)
        if len(found) == most:
            break
    return list(found.values())
