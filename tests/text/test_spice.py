"""Test SPICE: the files that it needs, its program as far as that works without CoreNLP, and its results by item."""

from __future__ import annotations

import json
import stat
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from metrics.analysis.feasibility import why_impossible
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS, resolve
from metrics.suite.spice import Spice
from metrics.text import spice
from metrics.text.java import jar_path, java_path

pytestmark = pytest.mark.skipif(
    not java_path() or not jar_path(*spice.JAR), reason="needs a Java runtime and pycocoevalcap"
)
TASKS = [spice.Task("a dog runs", ("the dog is running",)), spice.Task("\ud800 a “cat”", ("a cat", ""))]
ANSWERING = """#!{python}
import json, sys
from pathlib import Path
args = sys.argv
asked = json.loads(Path(args[args.index("edu.anu.spice.SpiceScorer") + 1]).read_text())
Path({seen!r}).write_text(json.dumps([args, asked]))
shared = lambda one: len(set(one["test"].split()) & set(" ".join(one["refs"]).split())) / 10
answers = [
    {{"image_id": one["image_id"], "scores": {{"All": {{"f": shared(one) if one["test"] else None}}}}}}
    for one in reversed(asked)
]
Path(args[args.index("-out") + 1]).write_text(json.dumps(answers))
"""
"""A program in place of Java, whose answers have SPICE's form and are a tenth of the number of common words."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make jars with the names and entries of CoreNLP's, but without a working class; return their folder."""
    place = tmp_path / "corenlp"
    place.mkdir()
    for name, entry in spice.NEEDED.items():
        with zipfile.ZipFile(place / name, "w") as jar:
            jar.writestr(entry, b"nothing")
    return place


@pytest.fixture
def seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Replace Java with a stand-in; return the path of the file to which it writes its arguments and its input."""
    java, path = tmp_path / "java", tmp_path / "seen.json"
    java.write_text(ANSWERING.format(python=sys.executable, seen=str(path)))
    java.chmod(java.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(spice, "java_path", lambda: java)
    return path


def test_what_is_missing_is_said_before_work(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = spice.NEEDED
    assert spice.missing(str(folder)) is None
    assert "is not a folder: unpack stanford-corenlp-full-2015-12-09.zip" in (spice.missing(f"{folder}/none") or "")
    (folder / second).write_bytes((folder / second).read_bytes()[:20])
    assert f"{second} is damaged or not a jar" in (spice.missing(str(folder)) or "")
    with zipfile.ZipFile(folder / second, "w") as jar:
        jar.writestr("other", b"")
    assert "so it is another jar" in (spice.missing(str(folder)) or "")
    (folder / second).unlink()
    assert f"has no {second}: " in (spice.missing(str(folder)) or "")
    (folder / first).unlink()
    assert f"has no {first} and no {second}" in (spice.missing(str(folder)) or "")
    with pytest.raises(ValueError, match="has no stanford-corenlp"):
        resolve([f"spice(corenlp={folder})"])
    monkeypatch.setattr(spice, "java_path", lambda: None)
    assert "pip install -r requirements.txt" in (spice.missing(str(folder)) or "")
    monkeypatch.setattr(spice, "java_path", java_path)
    monkeypatch.setattr(spice, "jar_path", lambda *parts: None)
    assert "SPICE uses the jars of pycocoevalcap" in (spice.missing(str(folder)) or "")


def test_the_program_starts_and_what_it_lacks_is_said(folder: Path) -> None:
    with pytest.raises(spice.SpiceMissing, match=r"NoClassDefFoundError: edu/stanford/nlp.*unpack"):
        spice.scores(str(folder), TASKS)


def test_it_is_asked_as_pycocoevalcap_asks(folder: Path, seen: Path) -> None:
    found = spice.scores(str(folder), TASKS)
    np.testing.assert_allclose(found, [0.1, 0.1])
    arguments, asked = json.loads(seen.read_text())
    assert asked == [
        {"image_id": 0, "test": "a dog runs", "refs": ["the dog is running"]},
        {"image_id": 1, "test": "\ufffd a “cat”", "refs": ["a cat", ""]},
    ]
    classes = arguments[arguments.index("-cp") + 1].split(":")
    assert classes[0].endswith("spice-1.0.jar")
    assert classes[-2:] == [str(folder / name) for name in spice.NEEDED]
    assert any(path.endswith("SceneGraphParser-1.0.jar") for path in classes)
    assert "-noSynsets" not in arguments


def test_values_go_to_their_captions(folder: Path, seen: Path) -> None:
    items = (Item("1", ("a dog runs fast",)), Item("2", ()), Item("3", ("a cat",)), Item("4", ("one",)))
    said = {"1": ("a dog runs", "dog"), "2": ("a b",), "3": ("the cat", ""), "4": ()}
    study = Study("spice", items, (Run("m", "m", Settings(), said),))
    (metric,) = resolve([f"spice(corenlp={folder})"])
    ((_, found),) = scoring.score(study, [metric], Options(resamples=10), Cache(None)).items()
    np.testing.assert_allclose(found.items, [(0.3 + 0.1) / 2, np.nan, np.nan, np.nan])
    assert [found.reasons[k] for k in (1, 2, 3)] == [
        "no captions by people",
        "SPICE has no value for one of these captions",
        "no captions of the run",
    ]
    before = metric.signature
    assert before.startswith("spice|v1|spice:1.0@")
    with zipfile.ZipFile(folder / next(iter(spice.NEEDED)), "a") as jar:
        jar.writestr("more", b"1")
    spice.signature.cache_clear()
    assert Spice(str(folder)).signature != before
    spice.signature.cache_clear()


def test_spider_is_the_mean_of_spice_and_cider_d(folder: Path, seen: Path) -> None:
    items = (Item("1", ("a dog runs fast", "the dog")), Item("2", ("a cat sits", "cats")), Item("3", ()))
    said = {"1": ("a dog runs", "dog"), "2": ("a cat sits there",), "3": ("one",)}
    study = Study("spider", items, (Run("m", "m", Settings(), said),), tokenizer="whitespace")
    metrics = resolve([f"spice(corenlp={folder})", f"spider(corenlp={folder})", "cider_d"], study=study)
    results = scoring.score(study, metrics, Options(resamples=10)).values()
    by = {found.metric.label[:5]: found for found in results}
    np.testing.assert_allclose(by["SPIDE"].values, (by["SPICE"].values + by["CIDEr"].values) / 2)
    assert by["CIDEr"].corpus > 0 < by["SPICE"].corpus
    assert by["SPIDE"].reasons[2] == "no captions by people"
    assert "idf:study" in by["SPIDE"].metric.signature
    assert by["SPICE"].metric.parameters in by["SPIDE"].metric.signature
    assert "spice(corenlp=FOLDER)" in (why_impossible(study, resolve(["spider"])[0]) or "")


def test_another_answer_is_refused() -> None:
    for answer in (b"", b"[]", b'[{"image_id": 0}]', b'[{"image_id": 0, "scores": {"All": {"f": "x"}}}]'):
        with pytest.raises(spice.SpiceMissing, match="does not have the form"):
            spice._parsed(answer, 1)


def test_without_a_folder_the_remedy_is_said() -> None:
    assert "spice" not in METRICS
    study = Study("s", (Item("1", ("a",)),), (Run("m", "m", Settings(), {"1": ("a",)}),))
    assert "spice(corenlp=FOLDER)" in (why_impossible(study, resolve(["spice"])[0]) or "")
