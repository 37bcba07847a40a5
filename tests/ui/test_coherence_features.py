"""Test image features on Coherence: from a file, computed from the study's own pictures by a job, and refused ones."""

from __future__ import annotations

import importlib.util
import io
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from cli.app import app
from data.check import GivenFile
from data.convert import to_jsonl_bytes, write_jsonl
from data.files import npz
from figures.images.pictures import FOLDER
from metrics.analysis.critique import inputs
from metrics.cache.disk import Cache
from metrics.engine.scoring import score
from metrics.learned import cosmic, cosmic_file, efficientnet_file, image_features
from metrics.learned.cosmic_data import read_images
from metrics.learned.cosmic_metric import Cosmic
from metrics.progress import Cancelled, Hooks
from tests.learned.test_cosmic_metric import labelled, saved
from tests.ui.shown import markup, page
from tests.ui.test_coherence_network import give, opened
from ui.jobs.jobs import jobs

ITEMS = 6
STUDY = labelled(ITEMS, rated=False)
packaged = pytest.mark.skipif(
    importlib.util.find_spec(efficientnet_file.PACKAGE) is None, reason="requirements-images.txt"
)


@pytest.fixture(scope="module", autouse=True)
def short() -> Iterator[None]:
    before, cosmic.RECIPE = cosmic.RECIPE, replace(cosmic.RECIPE, epochs=2)
    yield
    cosmic.RECIPE = before


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> GivenFile:
    folder = tmp_path_factory.mktemp("network")
    saved(folder / "tiny.safetensors", Cache(folder / "cache"), images=5)
    return GivenFile("tiny.safetensors", (folder / "tiny.safetensors").read_bytes())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made, rng = tmp_path_factory.mktemp("pictures"), np.random.default_rng(0)
    for k in range(ITEMS - 1):
        Image.fromarray(rng.integers(256, size=(40, 50, 3), dtype=np.uint8)).save(made / f"{k}.png")
    return made


def packed(width: int, names: list[str]) -> bytes:
    made = io.BytesIO()
    np.savez(made, names=names, features=np.random.default_rng(1).normal(size=(len(names), width)))
    return made.getvalue()


def offered(at: AppTest) -> bool:
    return "COSMic" in at.selectbox(key="scored_by_select").options


def warned(at: AppTest) -> str:
    return " ".join(one.value for one in at.warning).replace("\\", "")


def drawn(at: AppTest) -> list[float]:
    """Return the values in the first figure of runs whose captions all have the same label."""
    traces = json.loads(at.get("plotly_chart")[0].proto.spec)["data"]
    return [float(trace["x"][0]) for trace in traces if trace["mode"] == "markers" and len(trace["x"]) == 1]


def captions(at: AppTest) -> str:
    return " ".join(one.value for one in at.caption).replace("\\", "")


def test_a_network_of_images_takes_features_from_a_file(network: GivenFile, tmp_path: Path) -> None:
    at = give(page("coherence", STUDY), network.name, network.content)
    assert "reads 5 numbers of each image: drop an .npz file" in warned(at)
    assert not offered(at)
    names = [item.image or "" for item in STUDY.items]
    wrong = give(at, "wide.npz", packed(7, names))
    assert "reads 5 numbers of each image, and these features have 7" in warned(wrong)
    assert not offered(wrong)
    content = packed(5, names)
    at = give(wrong, "f.npz", content)
    assert not at.exception
    assert not at.warning
    assert offered(at)
    assert f"5 numbers of each of {ITEMS} images" in markup(at)
    weights, images = tmp_path / "tiny.safetensors", tmp_path / "f.npz"
    weights.write_bytes(network.content)
    images.write_bytes(content)
    expected = score(STUDY, [Cosmic(str(weights), str(images))], cache=Cache(None))["plain", "cosmic"]
    at.selectbox(key="scored_by_select").set_value("cosmic").run()
    assert not at.exception
    until = time.monotonic() + 60
    while not at.get("plotly_chart") and time.monotonic() < until:
        time.sleep(0.3)
        at.run()
    assert pytest.approx(expected.corpus) in drawn(at)
    at.button(key="features_undo").click().run()
    assert not offered(at)


def test_what_holds_no_features_is_refused_without_a_path_of_the_server() -> None:
    at = give(page("coherence", STUDY), "odd.npz", b"no archive")
    assert not at.exception
    (said,) = (error.value.replace("\\", "") for error in at.error)
    assert said.startswith("odd.npz: ")
    assert "weights" not in said
    assert opened(at).images is None


def test_features_that_are_too_large_unpacked_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Critique page has the same limit."""
    assert inputs.UNPACKED["images"] == npz.LARGEST_GIVEN
    monkeypatch.setattr(npz, "LARGEST_GIVEN", 100)
    packed = io.BytesIO()
    np.savez_compressed(packed, names=np.array(["a"]), features=np.zeros((1, 500)))
    at = give(page("coherence", STUDY), "big.npz", packed.getvalue())
    assert not at.exception
    assert [one.value.replace("\\", "") for one in at.error] == [
        "big.npz: arrays of more than 0 MB. Leave out what the study does not have, or save `features` as float16."
    ]
    assert opened(at).images is None


@packaged
def test_the_study_s_pictures_are_read_as_a_job(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, str(folder))
    at = page("coherence", STUDY)
    at.button(key="features_make").click().run()
    assert not at.exception
    until = time.monotonic() + 90
    while (features := opened(at).images) is None and time.monotonic() < until:
        time.sleep(0.5)
        at.run()
    assert features is not None
    assert "1,280 numbers of each of 5 images" in markup(at)
    mine, out, study = tmp_path / "mine.npz", tmp_path / "f.npz", tmp_path / "s.jsonl"
    mine.write_bytes(features.content)
    write_jsonl(STUDY, study)
    line = ["features", str(folder), "--captions", str(study), "--out", str(out), "--no-cache"]
    assert CliRunner().invoke(app, line).exit_code == 0
    expected, found = read_images(out), read_images(mine)
    assert found.names == expected.names
    np.testing.assert_allclose(found.features, expected.features, atol=1e-5)


@packaged
def test_pictures_of_one_study_are_not_given_to_another(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If another study is opened, whose items may have the same ids, the pictures stay in the session."""
    monkeypatch.setenv(FOLDER, str(folder))
    paths = [(f"{k}", folder / f"{k}.png") for k in range(ITEMS - 1)]
    artifact = inputs.of_pictures([path for _, path in paths], jobs().cache)
    artifact.compute(jobs().cache, Hooks())
    other = replace(STUDY, items=tuple(replace(item, references=("a cat",)) for item in STUDY.items))
    for study, has in ((other, False), (STUDY, True)):
        at = page("coherence", study)
        at.session_state["_features_work"] = STUDY.digest, [*paths, ("gone", folder / "gone.png")]
        at.run()
        assert not at.exception
        assert (opened(at).images is not None) == has


def test_without_the_weights_the_page_says_the_one_command(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, str(folder))
    monkeypatch.setattr(efficientnet_file, "file", lambda: None)
    at = page("coherence", STUDY)
    assert not at.exception
    assert efficientnet_file.INSTALL in [one.value for one in at.code]
    assert "features_make" not in [one.key for one in at.button]
    monkeypatch.delenv(FOLDER)
    assert not page("coherence", STUDY).code, "nothing of pictures where there are none"


@packaged
def test_pictures_are_read_once_and_work_can_be_cancelled(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, paths = Cache(tmp_path), [folder / f"{k}.png" for k in range(ITEMS - 1)]
    with pytest.raises(Cancelled):
        inputs.of_pictures(paths, cache).run(Hooks(should_stop=lambda: True))
    artifact = inputs.of_pictures(paths, cache)
    arrays = artifact.compute(cache, Hooks())
    assert artifact.fits(arrays)
    seen: list[int] = []
    model = image_features.load(efficientnet_file.NAME)
    counting = replace(model, pictures=lambda some: (seen.append(len(some)), model.pictures(some))[1])
    monkeypatch.setattr(image_features, "load", lambda name: counting)
    again = inputs.of_pictures(paths[::-1], cache).run(Hooks())
    assert seen == []
    np.testing.assert_array_equal(again["features"][again["rows"]], arrays["features"][arrays["rows"]][::-1])


def test_ratings_are_trained_on_with_features_that_cover_them(tmp_path: Path) -> None:
    rated = labelled(60)
    names = [item.id for item in rated.items]
    at = give(page("coherence", STUDY), "short.npz", packed(5, names[:9]))
    at = give(at, "ours.jsonl", to_jsonl_bytes(rated))
    assert "The image features lack some of these images" in captions(at)
    at = give(at, "whole.npz", packed(5, names))
    assert "The network reads the image features." in captions(at)
    at.button(key="network_train").click().run()
    until = time.monotonic() + 90
    while (made := opened(at).network) is None and time.monotonic() < until:
        time.sleep(0.5)
        at.run()
    assert made is not None
    path = cosmic_file.store(made, tmp_path)
    assert cosmic_file.read(path).about.images == 5
