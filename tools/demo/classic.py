"""Make the classic study: the demo's pictures as a typical captioning benchmark with typical faults.

It has one caption per image from each of five systems, five references, and ratings by five people, in files like those
of such a study. The facts behind the study are in the constants below and in docs/decisions/010-demo.md.
"""

from __future__ import annotations

import csv
import io
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tools.demo import making
from tools.demo.captions import render, scene_grammar
from tools.demo.grammar import Distribution, Node, Tags, greedy, tagged_sample
from tools.demo.world import Scene, places, scenes

NAME = "Classic study (synthetic)"
REFERENCES, RATINGS = "dataset_classic.json", "ratings.csv"

PEOPLE = 5  # references per image
NEVER = -40.0  # a bonus that rules an option out: nobody takes an elephant for a sheep here
DESCRIBED = {"odd": NEVER, "Story": -2.0, "Subjective": -2.0}  # annotators are asked to say what they see
WRITERS = Distribution(1.0, DESCRIBED)


@dataclass(frozen=True)
class Captioner:
    """A model: the details that it prefers, and how often it fails or takes an image for another of the same place.

    `blind` is the share of images for which it has only its stock sentence; `weak` is a place whose images it always
    mistakes for one another.
    """

    bonus: Mapping[str, float]
    scale: float
    mistaken: float
    blind: float = 0.0
    weak: str = ""


MODELS = {
    "lstm": Captioner({"central": 2.0, "Visible": 3.0, "sloppy": -3.0}, 1.6, 0.1, blind=0.4),
    "attention": Captioner({"central": 1.0, "Visible": 3.0, "wrong": 1.5, "sloppy": -3.0}, 1.2, 0.05, weak="travel"),
    "transformer": Captioner({"detail": 1.0, "Visible": 2.0, "wrong": -0.5, "sloppy": -3.0}, 1.2, 0.04),
}
SYSTEMS = ("lstm_greedy", "attention_greedy", "attention_nucleus0.9", "transformer_greedy", "transformer_nucleus0.9")
NUCLEUS = 0.9
STOCK = "A man is standing in a field."
LACKING = ("attention_nucleus0.9", ("fire-truck", "hill-sheep", "lake-kayak", "piano-girl"))

RATERS = {"ann": 0.3, "ben": 0.0, "cho": -0.4, "dia": 0.0, "eli": 0.1}  # how much more lenient each rater is
REVERSED = "dia"  # the rater who took 1 for the best
NOISE = 0.7  # standard deviation of a rating, in points
BEST, WORST = 5, 1
TRUE, UNTRUE = 4.4, 1.5  # points for a fully true caption, and the cost of every wrong detail
ELSEWHERE = 1.5  # points for a caption of another scene


class Caption(NamedTuple):
    """A system's caption of an image, and its quality: 1 to 5 points, determined by the scene's facts."""

    text: str
    worth: float


def make(out: Path, seed: int = making.SEED) -> None:
    """Write the study under `out`: a Karpathy split with the references, one file per system, and the ratings."""
    out.mkdir(parents=True, exist_ok=True)
    said = {system: dict(_captions(system, seed)) for system in SYSTEMS}
    (out / REFERENCES).write_text(_lines({"dataset": NAME}, "images", _images(seed)), encoding="utf-8")
    for system, captions in said.items():
        rows = [{"image_id": id, "caption": caption.text} for id, caption in captions.items()]
        (out / f"{system}.json").write_text(_lines({}, "", rows), encoding="utf-8")
    (out / RATINGS).write_text(_ratings(said, seed), encoding="utf-8", newline="")


def _lines(head: Mapping[str, str], field: str, rows: Sequence[Mapping[str, object]]) -> str:
    """Return JSON with one row per line.

    It is a list or, with a `field`, an object that contains the `head` and, as `field`, the list.
    """
    body = "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]"
    start = "".join(f"{json.dumps(key)}: {json.dumps(value)}, " for key, value in head.items())
    return f"{{{start}{json.dumps(field)}: {body}}}\n" if field else f"{body}\n"


def number(scene: Scene) -> int:
    """Return the id of a scene's picture, which is a number as in COCO."""
    return 1 + scenes().index(scene)


def _images(seed: int) -> list[dict[str, object]]:
    """Return the images with their references, as in a Karpathy split."""
    found = []
    for scene in scenes():
        rng, root = _rng(seed, "people", scene), _grammar(scene)
        texts = [_sampled(root, WRITERS, rng)[0] for _ in range(PEOPLE)]
        facts = {"cocoid": number(scene), "filename": f"{scene.id}.png", "split": "test", "place": places()[scene.id]}
        found.append({**facts, "sentences": [{"raw": text} for text in texts]})
    return found


def _captions(system: str, seed: int) -> Iterator[tuple[int, Caption]]:
    model, _, decoder = system.partition("_")
    mind = MODELS[model]
    bonus = {**mind.bonus, "odd": NEVER, "Story": NEVER, "Subjective": -2.0}
    distribution = Distribution(mind.scale, bonus, top_p=1.0 if decoder == "greedy" else NUCLEUS)
    for scene in scenes():
        if system == LACKING[0] and scene.id in LACKING[1]:
            continue
        seen = _seen(model, mind, scene, _rng(seed, model, scene))
        if seen is None:
            yield number(scene), Caption(STOCK, WORST)
            continue
        root, rng = _grammar(seen), _rng(seed, system, scene)
        greedily = decoder == "greedy"  # the likeliest options of a scene are true
        text, tags = (render(greedy(root, distribution)), ()) if greedily else _sampled(root, distribution, rng)
        worth = TRUE - UNTRUE * tags.count("wrong") if seen is scene else ELSEWHERE
        yield number(scene), Caption(text, max(worth, WORST))


@cache
def _grammar(scene: Scene) -> Node:
    """Return the grammar of a scene without words for size, which beside other adjectives would read "little small"."""
    return scene_grammar(replace(scene, size="")).root


def _sampled(root: Node, distribution: Distribution, rng: np.random.Generator) -> tuple[str, Tags]:
    """Return a caption without repeated longer words, and the tags of its content."""
    while True:
        tokens, tags = tagged_sample(root, distribution, rng)
        words = [token for token in tokens if len(token) > 3]
        if len(words) == len(set(words)):
            return render(tokens), tags


def _seen(model: str, mind: Captioner, scene: Scene, rng: np.random.Generator) -> Scene | None:
    """Return the scene that a model sees in an image: the right one, another of the same place, or None if it sees
    nothing.
    """
    if rng.random() < mind.blind:
        return None
    place = places()[scene.id]
    if place != mind.weak and rng.random() >= mind.mistaken:
        return scene
    others = [one for one in scenes() if places()[one.id] == place and one is not scene]
    return others[int(rng.integers(len(others)))]


def _ratings(said: Mapping[str, Mapping[int, Caption]], seed: int) -> str:
    """Return the table of ratings: every caption by every rater, one of whom reads the scale in reverse."""
    file = io.StringIO()
    table = csv.writer(file, lineterminator="\n")
    table.writerow(("image_id", "run", "rater", "rating"))
    rng = np.random.default_rng([seed, zlib.crc32(b"ratings")])
    for system, captions in said.items():
        for id, caption in captions.items():
            for rater, lenient in RATERS.items():
                given = int(np.clip(np.rint(caption.worth + lenient + NOISE * rng.standard_normal()), WORST, BEST))
                table.writerow((id, system, rater, BEST + WORST - given if rater == REVERSED else given))
    return file.getvalue()


def _rng(seed: int, who: str, scene: Scene) -> np.random.Generator:
    """Return the random stream of a writer, a model or a system for a scene, which is independent of all others."""
    return np.random.default_rng([seed, zlib.crc32(who.encode()), zlib.crc32(scene.id.encode())])
