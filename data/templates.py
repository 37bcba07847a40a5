"""Example files of the main formats to copy and fill in, all with the same two invented items."""

from __future__ import annotations

import csv
import io
from typing import Any

import orjson

_REFERENCES = {
    "1": ["A red kite over a beach.", "Someone flies a kite by the sea.", "A kite high above the sand."],
    "2": ["Two cats asleep on a sofa.", "A pair of cats naps on a couch.", "Cats sleeping side by side."],
}
_CANDIDATES = {
    "1": ["A kite in the sky.", "A red kite flies over the water."],
    "2": ["Two cats on a couch.", "A cat sleeps on a red sofa."],
}
_RUN = "mymodel_t0.7"
_IMAGES = {"1": "kite.jpg", "2": "cats.jpg"}


def templates() -> dict[str, bytes]:
    """Return the content of each template by file name; each can be loaded, alone or together with the references."""
    return {
        "trilens.jsonl": b"".join(orjson.dumps(row) + b"\n" for row in [_head(), *_items()]),
        "trilens.json": _json({**_head(), "items": _items()}),
        f"vdtk/{_RUN}.json": _json(_vdtk()),
        "coco/annotations.json": _json(_annotations()),
        f"coco/{_RUN}.json": _json(
            [{"image_id": int(id), "caption": text} for id, texts in _CANDIDATES.items() for text in texts]
        ),
        "by_id/references.json": _json(_REFERENCES),
        f"by_id/{_RUN}.json": _json(_CANDIDATES),
        "table/references.csv": _csv(
            ["id", "caption_1", "caption_2", "caption_3"], [[id, *texts] for id, texts in _REFERENCES.items()]
        ),
        "table/candidates.csv": _csv(
            ["id", "model", "temperature", "caption"],
            [[id, "mymodel", 0.7, text] for id, texts in _CANDIDATES.items() for text in texts],
        ),
        "lines/references_1.txt": _lines(texts[0] for texts in _REFERENCES.values()),
        "lines/references_2.txt": _lines(texts[1] for texts in _REFERENCES.values()),
        f"lines/{_RUN}.txt": _lines(texts[0] for texts in _CANDIDATES.values()),
    }


def _head() -> dict[str, Any]:
    settings = {"model": "mymodel", "temperature": 0.7, "top_p": None, "top_k": None, "decoder": "sampling", "seed": 1}
    return {"dataset": "example", "runs": {_RUN: settings}}


def _items() -> list[dict[str, Any]]:
    return [
        {"id": id, "references": texts, "candidates": {_RUN: _CANDIDATES[id]}, "image": _IMAGES[id]}
        for id, texts in _REFERENCES.items()
    ]


def _vdtk() -> list[dict[str, Any]]:
    return [
        {
            "_id": id,
            "references": texts,
            "candidates": _CANDIDATES[id],
            "media_path": _IMAGES[id],
            "split": "test",
            "metadata": {},
        }
        for id, texts in _REFERENCES.items()
    ]


def _annotations() -> dict[str, Any]:
    rows = [(id, text) for id, texts in _REFERENCES.items() for text in texts]
    return {
        "images": [{"id": int(id), "file_name": name} for id, name in _IMAGES.items()],
        "annotations": [{"id": n, "image_id": int(id), "caption": text} for n, (id, text) in enumerate(rows, 1)],
    }


def _json(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2) + b"\n"


def _csv(header: list[str], rows: list[list[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue().encode()


def _lines(texts: Any) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()
