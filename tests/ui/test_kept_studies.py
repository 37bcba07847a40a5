"""Test studies that are kept in the server's folder: they are named, listed, opened again and removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.study import DataError
from tests.studies import study as random_study
from tests.ui.shown import AppTest, markup, page, score
from ui.session import kept_studies, state

STUDY = random_study(items=4, runs=2)
NAME = "../../etc/passwd $5 <b>x</b>"


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    there = tmp_path / "studies"
    there.mkdir()
    monkeypatch.setenv(kept_studies.VARIABLE, str(there))
    return there


def said(at: AppTest) -> str:
    return " ".join(one.value for one in at.info).replace("\\", "")


def test_without_a_folder_nothing_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(kept_studies.VARIABLE, raising=False)
    assert "Kept studies" not in str([block.proto.popover.label for block in page("dataset", STUDY).get("popover")])
    with pytest.raises(DataError, match="was given no folder for studies; TRILENS_STUDIES names one"):
        kept_studies.keep("x", 1, 1, b"")


def test_a_study_is_kept_listed_opened_again_and_removed(shelf: Path) -> None:
    score(STUDY, ["rouge_l"])
    at = page("dataset", STUDY)
    at.text_input(key="kept_name").set_value(NAME)
    at.button(key="kept_keep").click().run()
    assert not at.exception
    assert f"Kept as {NAME}" in said(at)
    (one,), unread = kept_studies.listed()
    assert (one.name, one.items, one.runs, unread) == (NAME, 4, 2, 0)
    assert {path.name for path in shelf.iterdir()} == {f"{one.key}.json", f"{one.key}.trilens.zip"}
    assert not list(shelf.parent.glob("*.zip"))
    other = page("dataset", random_study(items=2))
    assert "&lt;b&gt;x&lt;/b&gt;" in markup(other)
    other.button(key=f"kept_open_{one.key}").click().run()
    assert not other.exception
    token = other.query_params["study"]
    found = state.library().get(token if isinstance(token, str) else token[0])
    assert found is not None
    assert found.study.contents == STUDY.contents
    assert found.numbers, "its numbers come along"
    other.button(key=f"kept_remove_{one.key}").click().run()
    assert len(list(shelf.iterdir())) == 2, "it asks first"
    assert "Press again to remove" in said(other)
    other.button(key=f"kept_remove_{one.key}").click().run()
    assert list(shelf.iterdir()) == []
    assert kept_studies.listed() == ((), 0)


def test_what_cannot_be_kept_or_opened_is_said(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = kept_studies.keep("mine", 1, 1, b"no bundle")
    with pytest.raises(DataError, match=r"there is a study named mine. Choose another name"):
        kept_studies.keep(" mine ", 1, 1, b"")
    with pytest.raises(DataError, match="1 to 80 characters, and this one has 0"):
        kept_studies.keep("  ", 1, 1, b"")
    with pytest.raises(DataError, match="1 to 80 characters, and this one has 81"):
        kept_studies.keep("x" * 81, 1, 1, b"")
    with pytest.raises(DataError, match="not the key of a kept study"):
        kept_studies.read("../secret")
    with pytest.raises(DataError, match="not kept here any more"):
        kept_studies.read("0" * 64)
    (shelf / "other.json").write_text("{}", encoding="utf-8")
    assert kept_studies.listed()[1] == 1
    at = page("dataset", STUDY)
    at.button(key=f"kept_open_{one.key}").click().run()
    assert "Not opened: the bundle of mine is damaged" in said(at)
    monkeypatch.setattr(kept_studies, "MOST", 1)
    with pytest.raises(DataError, match=r"which is the most. Remove one first"):
        kept_studies.keep("another", 1, 1, b"")
    monkeypatch.setenv(kept_studies.VARIABLE, str(shelf / "nowhere"))
    wrong = page("dataset", STUDY).error[0].value.replace("\\", "")
    assert "is not a folder that this server can write to: name another." in wrong


DAMAGED = (
    '{"name": "n", "items": 1e999, "runs": 1, "when": 1}',
    '{"name": "n", "items": 1, "runs": 1, "when": 1e300}',
    '{"name": "n", "items": 1, "runs": 1, "when": NaN}',
    '{"name": "n", "items": 1, "runs": 1, "when": -1e18}',
    '{"name": "\\ud800", "items": 1, "runs": 1, "when": 1}',
    '{"name": "n", "items": 1, "runs": 1, "when": 1, "noun": "\\ud800"}',
    "[" * 100_000,
    "3",
)


def test_damaged_facts_are_counted_and_the_page_opens(shelf: Path) -> None:
    for facts in DAMAGED:
        for name in ("n", "\ud800"):
            key = kept_studies.Kept(name, 1, 1, 1.0).key
            (shelf / f"{key}.json").write_text(facts)
            (shelf / f"{key}.trilens.zip").write_bytes(b"")
        assert kept_studies.listed() == ((), 2), facts[:60]
    at = page("dataset", STUDY)
    assert not at.exception
    assert "2 files in the folder cannot be read as kept studies." in [one.value for one in at.caption]
