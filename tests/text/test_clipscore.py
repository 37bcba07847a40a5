"""Test CLIPScore and RefCLIPScore against a loop over the paper's formula; also missing vectors and unusable files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from metrics.analysis.feasibility import why_impossible
from metrics.analysis.human_line import HUMAN
from metrics.analysis.numbers import Numbers, score_with_people
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS, resolve

ITEMS = {"1": ("a dog", "the dog runs"), "2": ("a kite", "red kite", "kites"), "3": ("a cat",)}
SAID = {"1": ("dog", "a big dog", "sky"), "2": ("kite", "a dog"), "3": ("cat",)}


def study() -> Study:
    items = tuple(Item(id, references) for id, references in ITEMS.items())
    return Study(name="clip", items=items, runs=(Run("m", "m", Settings(), SAID),))


def arrays() -> dict[str, Any]:
    texts = sorted({text for said in (*ITEMS.values(), *SAID.values()) for text in said})
    random = np.random.default_rng(3)
    return {
        "images": np.array(["3", "1", "2"]),
        "image_vectors": random.normal(size=(3, 4)).astype(np.float32),
        "texts": np.array(texts),
        "text_vectors": 3 * random.normal(size=(len(texts), 4)).astype(np.float32),
    }


def score(path: Path, name: str) -> tuple[Numbers, str]:
    metrics = resolve([f"{name}(features={path})"])
    found = score_with_people(study(), metrics, lambda of, some: scoring.score(of, some, Options(), Cache(None)))
    return found, metrics[0].name


def cosine(one: Any, other: Any) -> float:
    dot = sum(float(a) * float(b) for a, b in zip(one, other, strict=True))
    lengths = [math.sqrt(sum(float(a) ** 2 for a in vector)) for vector in (one, other)]
    return dot / lengths[0] / lengths[1]


def by_the_paper(
    given: dict[str, Any], item: str, caption: str, references: tuple[str, ...], scale: float = 2.5
) -> tuple[float, float]:
    image = given["image_vectors"][given["images"].tolist().index(item)]
    row = {text: given["text_vectors"][k] for k, text in enumerate(given["texts"].tolist())}
    seen = scale * max(cosine(row[caption], image), 0)
    said = max(0, *(cosine(row[caption], row[reference]) for reference in references))
    return seen, 0.0 if seen + said == 0 else 2 * seen * said / (seen + said)


def test_they_are_those_of_the_formula(tmp_path: Path) -> None:
    given, path = arrays(), tmp_path / "clip.npz"
    np.savez(path, **given)
    for column, name in enumerate(("clipscore", "refclipscore")):
        found, key = score(path, name)
        expected = [
            np.mean([by_the_paper(given, item, text, ITEMS[item])[column] for text in SAID[item]]) for item in ITEMS
        ]
        np.testing.assert_allclose(found.results["m", key].items, expected, atol=1e-6)
        assert 0 < np.mean(expected) < 2.5
    found, key = score(path, "clipscore")
    people = [np.mean([by_the_paper(given, item, text, ("a cat",))[0] for text in ITEMS[item]]) for item in ITEMS]
    assert found.people[HUMAN, key].corpus == pytest.approx(np.mean(people), abs=1e-6)


def test_pac_s_is_clipscore_with_a_scale_of_two(tmp_path: Path) -> None:
    given = arrays()
    np.savez(tmp_path / "v.npz", **given)
    for k, name in enumerate(("pac_s", "refpac_s")):
        found, own = score(tmp_path / "v.npz", name)
        assert "scale=2" in own
        result = found.results["m", own]
        want = [np.mean([by_the_paper(given, i, text, ITEMS[i], 2)[k] for text in SAID[i]]) for i in ITEMS]
        np.testing.assert_allclose(result.items, want, atol=1e-6)
        assert result.metric.bounds == ((0.0, 2.0), (0.0, 4 / 3))[k]
        assert "|scale:2|" in result.metric.signature


def test_an_item_without_a_vector_has_a_reason(tmp_path: Path) -> None:
    given = arrays()
    keep = given["texts"] != "sky"
    np.savez(
        tmp_path / "clip.npz",
        images=given["images"][1:],
        image_vectors=given["image_vectors"][1:],
        texts=given["texts"][keep],
        text_vectors=given["text_vectors"][keep],
    )
    found, key = score(tmp_path / "clip.npz", "clipscore")
    result = found.results["m", key]
    assert np.isnan(result.items).tolist() == [True, False, True]
    assert "one of the captions" in result.reasons[0]
    assert "this item's image" in result.reasons[2]


def test_the_order_of_the_file_is_not_signed_and_its_numbers_are(tmp_path: Path) -> None:
    given, signed = arrays(), []
    turned = {name: array[::-1] for name, array in given.items()}
    moved = {**given, "image_vectors": given["image_vectors"] + 0.01}
    for name, one in (("a", given), ("b", turned), ("c", moved)):
        np.savez(tmp_path / f"{name}.npz", **one)
        signed += [resolve([f"clipscore(features={tmp_path}/{name}.npz)"])[0].signature]
    assert signed[0] == signed[1] != signed[2]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"texts": None}, "no array texts"),
        ({"image_vectors": np.zeros((3, 4), np.float32)}, "3 rows of `image_vectors` are zero"),
        ({"image_vectors": np.ones((3, 5), np.float32)}, "5 numbers for images"),
        ({"image_vectors": np.ones((2, 4), np.float32)}, r"has the shape \(3,\)"),
        ({"text_vectors": np.full((11, 4), np.nan, np.float32)}, "not finite numbers, row 1 first"),
        ({"image_vectors": np.ones((3, 4), np.int64)}, "of the kind int64"),
    ],
)
def test_a_file_that_cannot_be_used_is_a_sentence(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    given = {name: array for name, array in {**arrays(), **change}.items() if array is not None}
    np.savez(tmp_path / "clip.npz", **given)
    with pytest.raises(ValueError, match=said):
        resolve([f"clipscore(features={tmp_path}/clip.npz)"])


def test_no_pickle_and_no_other_file_is_read(tmp_path: Path) -> None:
    np.savez(tmp_path / "objects.npz", **{**arrays(), "texts": np.array([{}], dtype=object)})
    (tmp_path / "text.npz").write_text("no arrays")
    for name in ("objects", "text", "absent"):
        with pytest.raises(ValueError, match=f"{name}.npz"):
            resolve([f"clipscore(features={tmp_path}/{name}.npz)"])


def test_they_are_asked_for_by_name_and_say_what_they_need() -> None:
    for name in ("clipscore", "refclipscore"):
        assert name not in METRICS
        (metric,) = resolve([name])
        assert "clipscore(features=FILE.npz)" in (why_impossible(study(), metric) or "")
