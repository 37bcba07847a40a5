"""Build the demo study from its scenes: captions, log-probabilities and pictures, byte-identical every time."""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tools.demo.captions import SceneGrammar, render, scene_grammar
from tools.demo.grammar import Floats, sample
from tools.demo.models import SIZE, TRUTH, Setting, lineup
from tools.demo.notation import Context
from tools.demo.world import Scene, scenes

NAME = "Demo: a small synthetic world"
CAPTIONS = "demo.jsonl.gz"
PICTURES = "pictures"
SEED = 2024
DIGITS = 5


@dataclass(frozen=True)
class Sampled:
    """The captions of one scene, by people and by every model."""

    references: tuple[str, ...]
    candidates: dict[str, tuple[str, ...]]


def make(out: Path, seed: int = SEED) -> None:
    """Write the whole study under `out`: demo.jsonl.gz (Trilens JSON Lines) and pictures/*.png."""
    from tools.demo.pictures import picture

    (out / PICTURES).mkdir(parents=True, exist_ok=True)
    settings = lineup(seed)
    lines = [header(settings), *(record(scene, settings, seed) for scene in scenes())]
    (out / CAPTIONS).write_bytes(packed(lines))
    for scene in scenes():
        (out / PICTURES / f"{scene.id}.png").write_bytes(picture(scene.id))


def packed(lines: Sequence[dict[str, Any]]) -> bytes:
    """Return JSON Lines, compressed without a time stamp."""
    text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    return gzip.compress(text.encode(), compresslevel=9, mtime=0)


def header(settings: Sequence[Setting]) -> dict[str, Any]:
    """Return the first line: a description of the study, and how each run was decoded."""
    runs = {}
    for setting in settings:
        known = {key: value for key, value in vars(setting.settings).items() if value is not None}
        runs[setting.name] = {"model": setting.model, **known}
    return {"dataset": NAME, "synthetic": True, "runs": runs}


def record(scene: Scene, settings: Sequence[Setting], seed: int) -> dict[str, Any]:
    """Return one scene as a line of the file: texts, their log-probabilities, and the underlying facts."""
    grammar = scene_grammar(scene)
    texts = sampled(scene, grammar, settings, seed)
    known = _Known(grammar, settings, texts)
    return {
        "id": scene.id,
        "image": f"{PICTURES}/{scene.id}.png",
        "references": texts.references,
        "candidates": texts.candidates,
        "logprobs": {s.name: known.numbers(texts.candidates[s.name], s.name) for s in settings},
        "reference_logprobs": {s.name: known.numbers(texts.references, s.name) for s in settings},
        "oracle_logprobs": {
            "references": known.numbers(texts.references, "truth"),
            "candidates": {run: known.numbers(said, "truth") for run, said in texts.candidates.items()},
        },
        "metadata": {
            "title": scene.title,
            "synthetic": True,
            "facts": facts(scene, grammar),
            "coherence": {
                "references": [known.style[text] for text in texts.references],
                "candidates": {run: [known.style[text] for text in said] for run, said in texts.candidates.items()},
            },
        },
    }


def sampled(scene: Scene, grammar: SceneGrammar, settings: Sequence[Setting], seed: int) -> Sampled:
    """Return the captions of a scene; each source has its own random stream, so that none affects another."""
    rngs = np.random.SeedSequence([seed, zlib.crc32(scene.id.encode())])
    people, *models = (np.random.default_rng(part) for part in rngs.spawn(len(settings) + 1))
    references = tuple(render(sample(grammar.root, TRUTH, people)) for _ in range(SIZE))
    return Sampled(references, {s.name: s.captions(grammar, rng) for s, rng in zip(settings, models, strict=True)})


class _Known:
    """The log-probabilities and styles of a scene's distinct captions, each computed once."""

    def __init__(self, grammar: SceneGrammar, settings: Sequence[Setting], texts: Sampled) -> None:
        names = [*(setting.name for setting in settings), "truth"]
        models = [*(setting.distribution for setting in settings), TRUTH]
        self.column = {name: index for index, name in enumerate(names)}
        self.style: dict[str, str] = {}
        self.logprobs: dict[str, Floats] = {}
        for text in dict.fromkeys([*texts.references, *(text for said in texts.candidates.values() for text in said)]):
            self.style[text], self.logprobs[text] = grammar.explain(text, models)

    def numbers(self, captions: Sequence[str], source: str) -> list[float | None]:
        """Return the rounded log-probabilities of captions under a source; None for a text that it cannot produce."""
        values = [float(self.logprobs[caption][self.column[source]]) for caption in captions]
        return [round(value, DIGITS) if math.isfinite(value) else None for value in values]


def facts(scene: Scene, grammar: SceneGrammar) -> dict[str, str]:
    """Return the truth about a scene in words: the likeliest option of every field."""
    many = scene.count != "one"
    said = {
        "who": grammar.plain("subject", Context(many=many)),
        "what": grammar.plain("act", Context(many=many, form="ing")),
        "where": grammar.plain("place", Context(many=many)),
        "also there": grammar.plain("back", Context(many=many)),
        "mood": grammar.plain("mood", Context(many=many)),
    }
    looks = grammar.plain("adj", Context(many=many)) if scene.adj else ""
    return {**said, "look": looks} if looks else said
