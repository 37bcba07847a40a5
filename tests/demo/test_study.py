"""Test that the demo is complete, quick to read, built byte for byte as shipped, and shows its known effects."""

from __future__ import annotations

import gzip
import io
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from data.demo import FOLDER, load, picture_path, write
from data.load import load_study
from data.study import Item, Study
from metrics.mathematics.triangle import triangle_rank
from metrics.text.cider import DocumentFrequencies, cider_d_pairs
from tools.demo import making
from tools.demo.models import TEMPERATURES
from tools.demo.pictures import picture
from tools.demo.world import scenes


@pytest.fixture(scope="module")
def study() -> Study:
    return load()


def test_it_is_complete_and_says_that_it_is_synthetic(study: Study) -> None:
    assert study.name == "Demo: a small synthetic world"
    assert study.synthetic
    assert len(study.items) == 48
    assert all(len(item.references) == 10 and item.metadata["synthetic"] for item in study.items)
    assert len(study.runs) == 21
    assert all(len(texts) == 10 for run in study.runs for texts in run.candidates.values())
    assert {run.model for run in study.runs} == {"Oracle", "Peaked", "Loose"}
    heats = [run.settings.temperature for run in study.runs if run.model == "Peaked"]
    assert tuple(heats) == TEMPERATURES
    assert study.run("Oracle beam").settings.decoder == "beam"
    assert study.run("Oracle top_p=0.8").settings.top_p == 0.8
    assert len(set(study.run("Oracle greedy").candidates["beach-dog"])) == 1
    assert len(set(study.run("Oracle beam").candidates["beach-dog"])) == 10


def test_it_is_read_fast_and_as_the_common_reader_reads_it(study: Study) -> None:
    times = []
    for _ in range(5):
        start = time.process_time()
        load()
        times.append(time.process_time() - start)
    start = time.process_time()
    read = load_study([FOLDER / making.CAPTIONS])
    assert min(times) < (time.process_time() - start) / 10  # about a thirtieth
    assert read.study == study
    assert {finding.severity for finding in read.findings} <= {"note"}


def test_the_files_are_small() -> None:
    sizes = {path: path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()}
    assert sum(sizes.values()) < 5 * 2**20
    assert sum(size for path, size in sizes.items() if path.suffix == ".png") < 1_500_000


def test_pictures_are_found_by_their_items(study: Study) -> None:
    for item in study.items:
        path = picture_path(item)
        assert path is not None
        with Image.open(path) as image:
            assert image.size == (480, 300)
    assert picture_path(Item("../secret", (), "pictures/../secret.png")) is None
    assert picture_path(Item("beach-dog", (), "other.png")) is None


def test_pictures_are_drawn_the_same_every_time() -> None:
    for scene in scenes()[::5]:
        drawn = picture(scene.id)
        assert drawn == picture(scene.id)
        path = FOLDER / making.PICTURES / f"{scene.id}.png"
        with Image.open(io.BytesIO(drawn)) as new, Image.open(path) as old:
            assert new.convert("RGB").tobytes() == old.convert("RGB").tobytes()


def test_it_is_written_as_shipped(tmp_path: Path) -> None:
    write(tmp_path / "demo")
    written = [path for path in (tmp_path / "demo").rglob("*") if path.is_file()]
    assert len(written) == 49
    for path in written:
        assert path.read_bytes() == (FOLDER / path.relative_to(tmp_path / "demo")).read_bytes(), path.name


def test_the_build_of_some_scenes_gives_the_shipped_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only some scenes are built here; `tests/prove/test_demo.py` compares the bytes of all."""
    shipped = gzip.decompress((FOLDER / making.CAPTIONS).read_bytes()).decode().splitlines()
    places = range(5, len(scenes()), 12)
    some = [scenes()[place] for place in places]
    monkeypatch.setattr(making, "scenes", lambda: some)
    making.make(tmp_path)
    made = gzip.decompress((tmp_path / making.CAPTIONS).read_bytes()).decode().splitlines()
    assert made == [shipped[0], *(shipped[place + 1] for place in places)]
    pictures = sorted(path.name for path in (tmp_path / making.PICTURES).iterdir())
    assert pictures == sorted(f"{scene.id}.png" for scene in some)
    for name in pictures:
        assert (tmp_path / making.PICTURES / name).read_bytes() == (FOLDER / making.PICTURES / name).read_bytes(), name


def words(text: str) -> tuple[str, ...]:
    return tuple(text.lower().replace(",", "").rstrip(".!").split())


def quality(study: Study) -> dict[str, float]:
    frequencies = DocumentFrequencies.fit([[words(text) for text in item.references] for item in study.items])
    found = {}
    for run in study.runs:
        scores = []
        for item in study.items:
            texts = [words(text) for text in (*run.candidates[item.id], *item.references)]
            scores.append(cider_d_pairs(texts, frequencies)[:10, 10:].mean())
        found[run.name] = float(np.mean(scores))
    return found


def distinct_pairs(study: Study) -> dict[str, float]:
    found = {}
    for run in study.runs:
        shares = []
        for texts in run.candidates.values():
            pairs = [pair for text in texts for pair in zip(words(text), words(text)[1:], strict=False)]
            shares.append(len(set(pairs)) / len(pairs))
        found[run.name] = float(np.mean(shares))
    return found


def test_quality_prefers_peaked_and_diversity_prefers_loose(study: Study) -> None:
    good, varied = quality(study), distinct_pairs(study)
    for heat in TEMPERATURES:
        assert good[f"Peaked T={heat}"] > good[f"Oracle T={heat}"] > good[f"Loose T={heat}"]
        assert varied[f"Peaked T={heat}"] < varied[f"Oracle T={heat}"] < varied[f"Loose T={heat}"]
    assert max(varied, key=varied.__getitem__).startswith("Loose")
    assert max(good, key=good.__getitem__) in ("Oracle greedy", "Peaked T=0.3")


def test_the_truth_is_nearest_by_shared_words(study: Study) -> None:
    """TRM is recomputed here with the cosine distance of bags of words."""
    labels = np.array([True] * 10 + [False] * 10)
    means = {}
    for run in study.runs:
        values = []
        for item in study.items:
            texts = [words(text) for text in (*run.candidates[item.id], *item.references)]
            vocabulary = sorted({word for text in texts for word in text})
            counts = np.array([[text.count(word) for word in vocabulary] for text in texts], dtype=float)
            counts /= np.linalg.norm(counts, axis=1, keepdims=True)
            distance = 1 - counts @ counts.T
            distance[[[a == b for b in texts] for a in texts]] = 0
            values.append(triangle_rank(np.round(distance, 12), labels))
        means[run.name] = np.mean(values)
    first, second = sorted(means, key=means.__getitem__)[:2]
    assert first == "Oracle T=1.0"
    assert means[second] - means[first] > 0.04
