"""Unlimited studies from the demo's grammar: new scenes, and captions of them by known samplers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from data.demo.captions import SceneGrammar, render, scene_grammar
from data.demo.grammar import Distribution, sample
from data.demo.models import TRUTH
from data.demo.world import scenes
from data.study import Item, Run, Settings, Study


@cache
def grammars() -> tuple[SceneGrammar, ...]:
    """The grammar of every scene of the demo."""
    return tuple(scene_grammar(scene) for scene in scenes())


def world(
    items: int, samplers: Mapping[str, tuple[Distribution, int]], seed: int, references: int = 5, fixed: bool = False
) -> Study:
    """A study of so many items: scenes drawn with replacement (`fixed`: each in turn), people's captions as references.

    `samplers` give each run its distribution and how many captions of an item it says.
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
    return Study("captions of the demo's grammar", made, runs)
