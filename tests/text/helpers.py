"""Provide captions to score, and what comparisons with pycocoevalcap need."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metrics.text.java import java_path, missing
from metrics.text.rouge import f_score, rouge_l_block

REALDATA = Path(__file__).resolve().parents[3] / "shared" / "realdata"
WITH_CANDIDATES = [
    "coco_fakecap_1000.jsonl",
    "magic_coco_500.jsonl",
    "coco_mrnn_beam10_plus9systems_500.jsonl",
    "thumb_coco_500.jsonl",
    "abstract48s_500.jsonl",
    "GENERATED_coco_ngram_tempsweep_200.jsonl",
    pytest.param("magic_coco_full_5000.jsonl.gz", marks=pytest.mark.slow),
]

needs_java = pytest.mark.skipif(
    bool(missing("tokenizer", "stanford-corenlp-3.4.1.jar")), reason="needs a Java runtime and pycocoevalcap"
)

# Words in several forms and orders, repeated, alone, missing, and one token with a no-break space in it.
REFERENCES = [
    ["a man is riding a brown horse", "the man rides his horse", "a rider on a horse on the beach"],
    ["two dogs dogs dogs play", "a dog runs", "dogs", "the dog is running and playing in a field of green grass"],
    ["a plate of food", "", "food on a plate of food on a plate"],
    ["1\u00a01/2 pizzas on a table", "a pizza and a half", "pizza"],
    ["a cat", "a cat sits", "a cat sits on a mat", "the cat sat on the mat"],
]
CANDIDATES = [
    ["a man riding a horse", "a man is riding a brown horse", "unknown words here only", ""],
    ["dogs dogs dogs dogs", "a dog", "the dogs are running"],
    ["", "a plate of food on a plate of food", "a"],
    ["1\u00a01/2 pizzas", "a pizza on a table and a half", "zzz"],
    ["a cat", "the cat sat on the mat", "on the mat sat the cat"],
]


def realdata(name: str) -> list[dict[str, Any]]:
    path = REALDATA / name
    if not path.is_file():
        pytest.skip(f"no real captions beside the checkout: {name} is absent")
    with gzip.open(path, "rt") if name.endswith("gz") else path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def captions(items: Sequence[dict[str, Any]]) -> list[str]:
    found = [
        caption for item in items for side in [item["references"], *item["candidates"].values()] for caption in side
    ]
    return list(dict.fromkeys(found))


def sides(items: Sequence[dict[str, Any]], run: int = 0) -> Iterator[tuple[list[str], list[str]]]:
    for item in items:
        runs = list(item["candidates"].values())
        if runs and runs[min(run, len(runs) - 1)] and item["references"]:
            yield runs[min(run, len(runs) - 1)], item["references"]


def rouge_l(candidates: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> np.ndarray:
    """Return (n,) F from the best precision and the best recall of each candidate, as in the COCO evaluation."""
    precision, recall = rouge_l_block(candidates, references)
    return f_score(precision.max(axis=1), recall.max(axis=1))


@contextmanager
def java_on_path() -> Iterator[None]:
    """Put Java on the path, since pycocoevalcap starts it by the name `java`."""
    before = os.environ["PATH"]
    java = java_path()
    assert java is not None
    os.environ["PATH"] = f"{java.parent}{os.pathsep}{before}"
    try:
        yield
    finally:
        os.environ["PATH"] = before
