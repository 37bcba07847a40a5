"""Test the files that a reader gives to the Critique page: they are checked, used and removed."""

from __future__ import annotations

import gzip
import io
import re
import shutil
import time
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from cli.app import app
from data.check import GivenFile
from data.load import Loaded
from data.study import DataError
from figures.report import commands
from metrics.analysis import artifacts
from metrics.analysis.critique import inputs, stored
from metrics.learned import efficientnet_file
from metrics.learned.cosmic_data import images_of
from metrics.learned.critique_metric import Critique
from metrics.progress import Hooks
from tests.studies import study as random_study
from tests.ui.shown import AppTest, chosen, markup, page
from ui.jobs import jobs
from ui.session import library, state
from ui.views import report

STUDY = random_study(items=24, references=2, candidates=1, runs=1, seed=9)
BESIDE = {"network": "linear", "context": "image"}


def npz(names: list[str], width: int = 3) -> bytes:
    packed = io.BytesIO()
    features = np.random.default_rng(0).normal(size=(len(names), width))
    np.savez(packed, names=np.array(names, dtype=str), features=features)
    return packed.getvalue()


WHOLE = npz([item.id for item in STUDY.items])
VECTORS = b"dog 1 2 3\ncat 3 2 1\na .5 .5 .5\nthe 0 0 1\n"


def drop(at: AppTest, name: str, content: bytes) -> AppTest:
    return at.get("file_uploader")[0].upload(name, content, "application/octet-stream").run()


def said(markdown: str) -> str:
    """Return the text as it is shown, without the backslashes that escape Markdown."""
    return re.sub(r"\\(.)", r"\1", markdown)


def opened(at: AppTest) -> Loaded:
    token = at.query_params["study"]
    found = state.library().get(token if isinstance(token, str) else token[0])
    assert found is not None
    return found


def folder() -> Path:
    directory = jobs.jobs().cache.directory
    assert directory is not None
    return directory / "given"


def test_features_of_images_are_given_stand_in_the_command_and_are_taken_back() -> None:
    at = page("critique", STUDY, **BESIDE)
    assert "needs features of them: give a file under Options" in markup(at)
    assert "train_critiques" not in {one.key for one in at.button}
    at = drop(at, "clip of mine.npz", WHOLE)
    assert not at.exception
    assert not at.error
    assert at.button(key="train_critiques")
    assert at.query_params["context"] in ("image", ["image"])
    own = opened(at).images
    assert own == GivenFile("clip of mine.npz", WHOLE)
    path = Path(inputs.stored("images", own, folder()))
    assert path.name == "images.npz"
    assert path.read_bytes() == WHOLE
    design = stored.Design(Critique(combination="linear", context="image", images=str(path)))
    assert "--context image" in commands.train_critique(commands.CommandInputs(), design)
    assert "--images images.npz" in commands.train_critique(commands.CommandInputs(), design)
    at.button(key="images_undo").click().run()
    assert opened(at).images is None
    assert "give a file under Options" in markup(at)


def test_what_the_page_shows_beside_images_is_what_the_report_says() -> None:
    own = GivenFile("mine.npz", WHOLE)
    path = inputs.stored("images", own, folder())
    design = stored.Design(Critique(combination="linear", context="image", images=path))
    cache = jobs.jobs().cache
    arrays = artifacts.critiques(STUDY, design, cache).compute(cache, Hooks())
    plain = stored.Design(Critique(combination="linear", context="none"))
    other = artifacts.critiques(STUDY, plain, cache).compute(cache, Hooks())
    assert not np.allclose(arrays["0.runs"], other["0.runs"])
    loaded = Loaded(STUDY, (), (), images=own)
    at = page("critique", loaded, **BESIDE)
    assert not at.exception
    assert "captions score" in markup(at)
    assert design.metric.signature in unescape(markup(at))
    made = report.make(STUDY, loaded, (), ("critique",), "", False, "nobody", False, None, design).decode()
    assert "--context image" in made
    assert "--images images.npz" in made
    assert design.metric.signature in unescape(made)


def test_images_without_features_are_said_with_the_name_of_one() -> None:
    cut = npz([item.id for item in STUDY.items[2:]])
    at = page("critique", Loaded(STUDY, (), (), images=GivenFile("cut.npz", cut)), **BESIDE)
    assert "has no features of 2 of 24 images" in unescape(markup(at))
    assert not at.exception


def _objects() -> bytes:
    packed = io.BytesIO()
    np.savez(packed, names=np.array(["a"], dtype=object), features=np.zeros((1, 2)))
    return packed.getvalue()


def _infinite() -> bytes:
    packed = io.BytesIO()
    np.savez(packed, names=np.array(["a"]), features=np.full((1, 2), np.inf))
    return packed.getvalue()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"a,b\n1,2\n", r"x\.npz: File is not a zip file"),
        (WHOLE[:-40], r"x\.npz: "),
        (_objects(), r"x\.npz: names\.npy holds Python objects"),
        (_infinite(), r"x\.npz: `features` has values that are not finite numbers: mend them"),
        (npz([]), r"x\.npz: features of no image"),
        (npz(["a"], 0), r"x\.npz: needs `names` \(n,\) and `features` \(n, d\)"),
    ],
    ids=["text", "cut", "objects", "infinite", "empty", "no width"],
)
def test_a_file_that_holds_no_features_is_refused_by_its_name(content: bytes, why: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=why) as refused:
        inputs.checked("images", "x.npz", content, tmp_path)
    assert str(tmp_path) not in str(refused.value)
    assert not [one for one in tmp_path.rglob("*") if one.is_file()]


def test_a_name_that_ends_like_the_file_on_the_server_is_said_once(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"^coco-images\.npz: File is not a zip file"):
        inputs.checked("images", "coco-images.npz", b"no zip", tmp_path)


def test_a_refused_file_is_said_on_the_page_and_changes_nothing() -> None:
    at = drop(page("critique", STUDY, **BESIDE), "**bold**.npz", b"no zip")
    assert not at.exception
    why = "**bold**.npz: File is not a zip file. Give an .npz file as `trilens features"
    assert said(at.error[0].value).startswith(why)
    assert opened(at).images is None


def test_a_refused_file_is_not_said_of_another_study() -> None:
    first = drop(page("critique", STUDY, **BESIDE), "mine.npz", b"no zip")
    kept = first.session_state["_images_refused"]
    for study, has in ((random_study(items=24, references=2, candidates=1, runs=1, seed=10), False), (STUDY, True)):
        at = page("critique", study, **BESIDE)
        at.session_state["_images_refused"] = kept
        at.run()
        assert not at.exception
        assert bool(at.error) == has


def test_given_files_are_in_the_accounts_of_the_cache() -> None:
    cache = jobs.jobs().cache
    before = cache.usage().size
    path = Path(inputs.stored("images", GivenFile("x.npz", npz(["counted"], 7)), folder()))
    assert cache.usage().size == before + path.stat().st_size
    cache.clear()
    assert not path.is_file()


def test_files_are_bounded_packed_and_unpacked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lines = b"".join(b"w%d 1 2\n" % k for k in range(50_000))
    monkeypatch.setattr(inputs, "UNPACKED", {"images": 500, "words": 100_000})
    with pytest.raises(DataError, match=r"b\.npz: unpacked it is larger than 0 MB. Leave out"):
        inputs.checked("images", "b.npz", WHOLE, tmp_path)
    with pytest.raises(DataError, match=r"unpacked it is larger than 0 MB\. Keep the most frequent words"):
        inputs.checked("words", "b.txt.gz", gzip.compress(lines), tmp_path)
    monkeypatch.setattr(inputs, "UNPACKED", {"images": 1 << 20, "words": 1 << 20})
    monkeypatch.setattr(inputs, "MOST_WORDS", 49_999)
    for name, content in (("b.txt", lines), ("b.txt.gz", gzip.compress(lines))):
        with pytest.raises(DataError, match=r"more than 49,999 words\. Keep the most"):
            inputs.checked("words", name, content, tmp_path)
    bomb = gzip.compress(b"a 1 2\n" * 2_000_000)
    monkeypatch.setattr(inputs, "UNPACKED", {"images": 1 << 20, "words": 3 << 20})
    assert inputs._text_size("bomb.gz", bomb)[0] <= 4 << 20  # it is not read to its end
    monkeypatch.setattr(inputs, "LARGEST", {"images": 100, "words": 100})
    with pytest.raises(DataError, match=r"b\.npz: larger than 0 MB"):
        inputs.checked("images", "b.npz", WHOLE, tmp_path)


def test_the_folder_keeps_the_newest_and_a_file_that_left_is_written_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(inputs, "KEPT", 2 * len(WHOLE) + 10)
    files = [GivenFile("x.npz", npz([f"{k}{item.id}" for item in STUDY.items])[: len(WHOLE)]) for k in range(3)]
    paths = []
    for one in files:
        paths.append(Path(inputs.stored("images", one, tmp_path)))
        time.sleep(0.02)
    assert [path.is_file() for path in paths] == [False, True, True]
    assert Path(inputs.stored("images", files[0], tmp_path)).read_bytes() == files[0].content


def test_vectors_of_words_are_given_to_the_lstm_and_a_bad_line_is_named() -> None:
    at = page("critique", STUDY, reader="lstm", context="none")
    at = drop(at, "bad.txt", VECTORS + b"mouse 1 2\n")
    assert said(at.error[0].value).startswith("bad.txt, line 5: not a word followed by numbers")
    at = drop(at, "glove.txt.gz", gzip.compress(VECTORS))
    assert not at.exception
    assert not at.error
    own = opened(at).word_vectors
    assert own is not None
    metric = Critique(context="none", reader="lstm", vectors=inputs.stored("words", own, folder()))
    assert "words:3-" in metric.signature
    assert "--word-vectors words.txt.gz" in commands.train_critique(commands.CommandInputs(), stored.Design(metric))
    trained, quick = replace(metric, repeats=1), Critique(context="none", combination="linear")
    cache = jobs.jobs().cache
    cache.put(
        artifacts.critiques(STUDY, stored.Design(trained), cache).key,
        artifacts.critiques(STUDY, stored.Design(quick), cache).compute(cache, Hooks()),
    )
    at = page("critique", Loaded(STUDY, (), (), word_vectors=own), reader="lstm", context="none")
    assert trained.signature in unescape(markup(at))


@pytest.fixture
def with_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rng = np.random.default_rng(3)
    for item in STUDY.items:
        pixels = rng.integers(0, 255, (8, 8, 3), dtype=np.uint8)
        Image.fromarray(pixels).resize((230, 240)).save(tmp_path / f"{item.id}.png")
    monkeypatch.setenv("TRILENS_IMAGES", str(tmp_path))
    return tmp_path


SHOWN = replace(STUDY, items=tuple(replace(item, image=f"{item.id}.png") for item in STUDY.items))


def test_without_the_network_of_pictures_the_page_says_the_one_command(
    with_pictures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(efficientnet_file, "PACKAGE", "no_such_package")
    at = page("critique", SHOWN, **BESIDE)
    assert not at.exception
    assert chosen(at)["features"] in ("pictures", ["pictures"])
    assert {one.value for one in at.code} == {inputs.INSTALL}
    other = page("critique", STUDY, **BESIDE, features="pictures")
    assert any(said(one.value).startswith("No item has a picture here. To see pictures") for one in other.caption)


@pytest.mark.skipif(efficientnet_file.file() is None, reason="the network of pictures is not installed")
def test_the_dataset_reads_no_pictures_for_the_report(with_pictures: Path) -> None:
    jobs.jobs().cache.clear()
    found = inputs.of_pictures([with_pictures / f"{item.id}.png" for item in SHOWN.items], jobs.jobs().cache)
    at = page("dataset", SHOWN, **BESIDE, features="pictures")
    assert not at.exception
    view = jobs.jobs().artifact(found, "nobody", start=False)
    assert (view.arrays, view.job) == (None, None)


@pytest.mark.skipif(efficientnet_file.file() is None, reason="the network of pictures is not installed")
def test_pictures_of_the_study_are_read_as_a_job_and_are_those_of_the_command(
    with_pictures: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    at = page("critique", SHOWN, **BESIDE)
    end = time.monotonic() + 120
    while "train_critiques" not in {one.key for one in at.button} and time.monotonic() < end:
        time.sleep(0.5)
        at.run()
    assert not at.exception
    assert at.button(key="train_critiques")
    (path,) = [one for one in folder().glob("*/images.npz") if images_of(str(one)).features.shape == (24, 1280)]
    some = tmp_path_factory.mktemp("some")
    for item in SHOWN.items[::5]:
        shutil.copy(with_pictures / f"{item.id}.png", some)
    out = with_pictures / "made.npz"
    done = CliRunner().invoke(app, ["features", str(some), "--out", str(out), "--no-cache"])
    assert done.exit_code == 0
    made, shown = images_of(str(out)), images_of(str(path))
    rows = [shown.names.index(name.removesuffix(".png")) for name in made.names]
    assert len(rows) == 5
    assert np.allclose(shown.features[rows], made.features, atol=1e-5)
    assert shown.names == tuple(item.id for item in SHOWN.items)
    assert np.ptp(shown.features, axis=0).max() > 0.1


def test_files_count_as_memory_of_the_study() -> None:
    assert library.weight(Loaded(STUDY, (), (), images=GivenFile("x", WHOLE))) == library.weight(
        Loaded(STUDY, (), ())
    ) + len(WHOLE)
