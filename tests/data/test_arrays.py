"""Test captions in NumPy arrays."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from data.load import load_study
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN
from tests.data.test_published_layouts import codes


def npz(**arrays: Any) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def npy(array: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


TWO = np.array([[text, f"{text} again"] for text in SAID])


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (("blip.npz", npz(image_id=np.array(IDS), captions=np.array(SAID))), TWO[:, :1]),
        (("blip.npz", npz(captions=TWO, ids=np.array(IDS))), TWO),
        (("blip.npy", npy(np.array(SAID))), TWO[:, :1]),
        (("blip.npy", npy(np.asfortranarray(TWO))), TWO),
    ],
)
def test_arrays_of_texts_are_columns(file: tuple[str, bytes], expected: np.ndarray) -> None:
    study = load_study([file, KNOWN]).study
    assert study is not None
    assert {item.id: item.references for item in study.items} == dict(zip(IDS, WRITTEN))
    assert [(run.name, dict(run.candidates)) for run in study.runs] == [
        ("blip", {id: tuple(texts) for id, texts in zip(IDS, expected.tolist())})
    ]


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (
            ("x.npz", npz(ids=np.arange(3), x=np.ones((3, 2)))),
            "no array `vectors`, but ids (3 numbers), x (3 x 2 numbers)",
        ),
        (("x.npz", npz(captions=np.array(SAID))), "no array `vectors`, but captions (3 texts)"),
        (("x.npz", npz(ids=np.array(IDS), captions=np.array(SAID)[:2])), "but ids (3 texts), captions (2 texts)"),
        (("x.npy", npy(np.ones((3, 3)))), "no array `vectors`, but one (3 x 3 numbers)"),
        (
            ("x.npy", npy(np.array(list(SAID), dtype=object))),
            "holds Python objects, which are never read: save texts with dtype=str",
        ),
        (("x.npy", npy(np.array(SAID))[:-1]), "it is not as long as it states"),
        (("x.npy", npy(np.array(SAID))[:20]), "cannot be used"),
    ],
)
def test_other_arrays_are_refused_by_what_they_hold(file: tuple[str, bytes], why: str) -> None:
    found = load_study([file, KNOWN])
    (said,) = (one for one in found.findings if one.code == "vectors_unusable")
    assert why in said.problem
    assert "Save captions with their ids as JSON or CSV" in said.remedy
    assert "binary" not in codes(found)
