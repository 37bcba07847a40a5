"""Generate unlimited studies from the demo's grammar: new draws of scenes, and captions for them by known samplers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from data.study import Captions, Item, Run, Settings, Study
from tools.demo.captions import SceneGrammar, render, scene_grammar, unrendered
from tools.demo.grammar import Distribution, inside, sample
from tools.demo.models import TRUTH
from tools.demo.world import scenes


@cache
def grammars() -> tuple[SceneGrammar, ...]:
    return tuple(scene_grammar(scene) for scene in scenes())


def world(
    items: int,
    samplers: Mapping[str, tuple[Distribution, int]],
    seed: int,
    references: int = 5,
    fixed: bool = False,
    stated: bool = False,
) -> Study:
    """Make a study of scenes drawn with replacement or, if `fixed`, in turn, with people's captions as references.

    `samplers` has each run's distribution and its number of captions per item. If `stated`, all texts have
    log-probabilities.
    """
    rng = np.random.default_rng(seed)
    known = grammars()
    drawn = np.arange(items) % len(known) if fixed else rng.integers(len(known), size=items)

    def says(scene: int, distribution: Distribution, count: int) -> tuple[str, ...]:
        return tuple(render(sample(known[scene].root, distribution, rng)) for _ in range(count))

    made = tuple(Item(str(k), says(scene, TRUTH, references)) for k, scene in enumerate(drawn))
    runs = tuple(
        Run(name, name, Settings(), {item.id: says(scene, *said) for item, scene in zip(made, drawn)})
        for name, said in samplers.items()
    )
    found = Study("captions of the demo's grammar", made, runs)
    if not stated:
        return found
    scene_of = {item.id: int(scene) for item, scene in zip(made, drawn)}
    return with_logprobs(found, scene_of, {name: said[0] for name, said in samplers.items()})


def with_logprobs(study: Study, scene_of: Mapping[str, int], sources: Mapping[str, Distribution]) -> Study:
    def logs(id: str, texts: Captions, source: Distribution) -> tuple[float, ...]:
        return tuple(logprob(scene_of[id], text, source) for text in texts)

    items = tuple(replace(item, oracle_logprobs=logs(item.id, item.references, TRUTH)) for item in study.items)
    runs = tuple(
        replace(
            run,
            logprobs={id: logs(id, texts, sources[run.name]) for id, texts in run.candidates.items()},
            oracle_logprobs={id: logs(id, texts, TRUTH) for id, texts in run.candidates.items()},
            reference_logprobs={item.id: logs(item.id, item.references, sources[run.name]) for item in items},
        )
        for run in study.runs
    )
    return replace(study, items=items, runs=runs)


@cache
def logprob(scene: int, text: str, source: Distribution) -> float:
    return float(inside([grammars()[scene].root], unrendered(text), [source])[0, 0])
