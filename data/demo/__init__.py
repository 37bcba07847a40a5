"""The demo study: a small synthetic data set with known effects that the pages must reveal."""

from __future__ import annotations

import gzip
import math
import shutil
from pathlib import Path
from typing import Any

import orjson

from data.study import Item, Run, Settings, Study

FOLDER = Path(__file__).parent / "files"
PICTURES = FOLDER / "pictures"
CACHE_LAYER = FOLDER / "scores"  # results shipped with the study, one file per metric; absent ones are computed
LAYOUT_LAYER = FOLDER / "layouts.zip"  # positions of the captions in the cloud
CRITIQUE_LAYER = FOLDER / "critiques.zip"  # scores by trained critiques
LAYERS = (CACHE_LAYER, LAYOUT_LAYER, CRITIQUE_LAYER)


def load(folder: Path = FOLDER) -> Study:
    """Return the demo study from the folder in which it is shipped, or from another folder to which it was written."""
    with gzip.open(folder / "demo.jsonl.gz", "rb") as file:
        head, *rows = (orjson.loads(line) for line in file)
    items = tuple(_item(row) for row in rows)
    runs = tuple(_run(name, settings, rows) for name, settings in head["runs"].items())
    return Study(head["dataset"], items, runs, synthetic=head["synthetic"])


def _item(row: dict[str, Any]) -> Item:
    oracle = _numbers(row["oracle_logprobs"]["references"])
    labels = tuple(row["metadata"]["coherence"]["references"])
    return Item(row["id"], tuple(row["references"]), row["image"], row["metadata"], oracle, labels)


def _run(name: str, settings: dict[str, Any], rows: list[dict[str, Any]]) -> Run:
    known = {key: value for key, value in settings.items() if key != "model"}
    candidates = {row["id"]: tuple(row["candidates"][name]) for row in rows}
    own = {row["id"]: _numbers(row["logprobs"][name]) for row in rows}
    oracle = {row["id"]: _numbers(row["oracle_logprobs"]["candidates"][name]) for row in rows}
    references = {row["id"]: _numbers(row["reference_logprobs"][name]) for row in rows}
    labels = {row["id"]: tuple(row["metadata"]["coherence"]["candidates"][name]) for row in rows}
    return Run(name, settings["model"], Settings(**known), candidates, None, own, oracle, references, coherence=labels)


def _numbers(values: list[float | None]) -> tuple[float, ...]:
    return tuple(-math.inf if value is None else value for value in values)


def picture_path(item: Item, folder: Path = FOLDER) -> Path | None:
    """Return the path of the picture of a demo item; None for an item that is not in the demo."""
    path = folder / "pictures" / f"{item.id}.png"
    mine = item.image == f"pictures/{path.name}" and path.name == Path(path.name).name
    return path if mine and path.is_file() else None


def write(out: Path) -> None:
    """Copy the study's shipped captions and pictures to the folder `out`; `tools/demo` generates them anew."""
    (out / "pictures").mkdir(parents=True, exist_ok=True)
    for path in (FOLDER / "demo.jsonl.gz", *sorted(PICTURES.iterdir())):
        shutil.copyfile(path, out / path.relative_to(FOLDER))
