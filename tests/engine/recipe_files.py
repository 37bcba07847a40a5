"""Write files for recipes: either invented files in the layouts that recipes name, or the first lines of real files."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from data.convert import write_jsonl
from data.paper_recipe import Recipe
from data.study import Item, Run, Settings, Study

WORDS = ["a", "dog", "runs", "on", "the", "beach", "with", "two", "red", "birds", "near", "some", "old", "boats"]


def text(k: int) -> str:
    return " ".join(WORDS[(k + step * (k % 3 + 1)) % len(WORDS)] for step in range(6 + k % 4))


def _texts(one: Recipe, folder: Path) -> None:
    for place, file in enumerate(one.files):
        (folder / file.name).write_text("\n".join(text(k + 5 * place) for k in range(8)) + "\n")


def _systems(one: Recipe, folder: Path) -> None:
    for place, file in enumerate(one.files):
        said = [{"image_id": k, "caption": text(k + place)} for k in range(3)]
        (folder / file.name).write_text(json.dumps(said))


def _references(count: int) -> dict[str, list[str]]:
    return {f"{item}.jpg": [text(7 * item + k) for k in range(count)] for item in range(4)}


def _tokens(one: Recipe, folder: Path) -> None:
    lines = [f"{item}#{k}\t{said}" for item, of in _references(5).items() for k, said in enumerate(of)]
    (folder / one.files[0].name).write_text("\n".join(lines) + "\n")


def _ratings(one: Recipe, folder: Path) -> None:
    said = [" ".join(text(3 * k).split()[k % 4 :]) + " today" for k in range(8)]
    rows = [(f"{k % 4}.jpg", said[k], 1 + (k + rater) % 4) for k in range(8) for rater in range(3)]
    pd.DataFrame(rows, columns=["image", "caption", "rating"]).to_csv(folder / one.files[0].name, index=False)
    (folder / one.files[1].name).write_text(json.dumps(_references(5)))


def _pairs(one: Recipe, folder: Path) -> None:
    items = tuple(Item(item, tuple(of)) for item, of in _references(5).items())
    runs = tuple(Run(n, n, Settings(), {i.id: (text(k + ord(n)),) for k, i in enumerate(items)}) for n in "uv")
    said = [[run.candidates[item.id][0] for run in runs] for item in items]
    kinds = ("HC", "HI", "HM", "MM")
    rows = [(i.id, *of, 30 + k, 18 - k, kind) for k, (i, of, kind) in enumerate(zip(items, said, kinds))]
    columns = ["item", "caption_a", "caption_b", "votes_a", "votes_b", "category"]
    pd.DataFrame(rows, columns=columns).to_csv(folder / one.files[0].name, index=False)
    write_jsonl(Study("pairs", items, runs), folder / one.files[1].name)


def _clips(one: Recipe, folder: Path) -> None:
    items = tuple(Item(item, tuple(of)) for item, of in list(_references(20).items())[:2])
    runs = (Run("any", "any", Settings(), {item.id: (text(k),) for k, item in enumerate(items)}),)
    write_jsonl(Study("clips", items, runs), folder / one.files[0].name)


MADE: dict[str, Callable[[Recipe, Path], None]] = {
    "chan-2022-msr-vtt": _clips,
    "flickr8k-expert": _ratings,
    "pascal-50s": _pairs,
    "texygen-2018": _texts,
    "van-miltenburg-2018": _systems,
    "zhu-2020-flickr8k": _tokens,
}
REAL: Sequence[str] = (
    "chan-2022-coco",
    "coco-demo",
    "cui-2018-systems",
    "kasai-2022-thumb",
    "magic-2022",
    "spice-systems",
    "zhu-2020-coco",
)
"""The recipes whose files are among the real data next to a checkout."""


def cut(one: Recipe, real: Path, folder: Path, lines: int = 40) -> None:
    for file in one.files:
        opened = gzip.open if file.name.endswith(".gz") else open
        with opened(real / file.name, "rt", encoding="utf-8") as whole, opened(folder / file.name, "wt") as part:
            part.writelines(line for line, _ in zip(whole, range(lines)))
