"""Test what the Data page refuses: large files, decompression bombs, and names that escape an archive."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.shown import ROOT, findings, markup
from ui.views import upload

STUDY = b'[{"id": "1", "references": ["a b", "b c"], "candidates": {"m": ["c d", "d e"]}}]'


def zipped(name: str, content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return packed.getvalue()


def dropped(*given: tuple[str, bytes]) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page("pages/dataset.py").run()
    at.file_uploader(key="upload").set_value([(name, content, "application/zip") for name, content in given])
    return at.run()


def told(at: AppTest, problem: str) -> bool:
    return any(problem in one for one in findings(at))


def still_the_demo(at: AppTest) -> bool:
    folded = any(part.label.startswith("Still open: Demo") for part in at.expander)
    open_still = folded or "This is the demo" in markup(at)
    return not at.exception and "study" not in dict(at.query_params) and open_still


@pytest.mark.parametrize(
    "given", [("bomb.zip", zipped("x.json", b" " * (40 << 20))), ("bomb.json.gz", gzip.compress(b" " * (40 << 20)))]
)
def test_an_archive_that_explodes(given: tuple[str, bytes]) -> None:
    at = dropped(given)
    said = "The archive is too large when unpacked: more than 40 times its size."
    assert still_the_demo(at)
    assert told(at, said)
    assert any("too large when unpacked" in error.value for error in at.error)


def test_a_name_that_leads_out_of_an_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    at = dropped(("evil.zip", zipped("../../evil.json", STUDY)))
    assert still_the_demo(at)
    assert told(at, "Not read, since its name points outside the archive.")
    assert any("outside the archive" in error.value for error in at.error)
    assert [path.name for path in tmp_path.iterdir() if path.name != "cache"] == []


def test_files_that_are_too_large_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload, "TOGETHER", 2 << 20)
    monkeypatch.setattr(upload, "load_study", lambda *a: pytest.fail("was read"))
    at = dropped(("a.json", b" " * (2 << 20)), ("b.json", b" " * (1 << 20)))
    assert still_the_demo(at)
    assert any("3 MB together, more than 2 MB" in error.value for error in at.error)


def test_smaller_files_end_the_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload, "TOGETHER", 2 << 20)
    at = dropped(("a.json", b" " * (3 << 20)))
    assert at.error
    at.get("file_uploader")[0].set_value([("mine.json", STUDY, "application/json")])
    at.run()
    assert not at.error
    assert "study" in dict(at.query_params)
