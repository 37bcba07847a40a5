"""Test that files are read once as long as they do not change, and again when they do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from data.files.file_cache import read_once, why_unreadable
from data.study import DataError


def test_a_file_is_read_again_only_when_it_changes(tmp_path: Path) -> None:
    file, seen = tmp_path / "a.txt", []

    @read_once(2, ". Name a text.")
    def read(path: Path, ending: str = "") -> str:
        seen.append(path)
        return path.read_text("utf-8") + ending

    file.write_text("one", "utf-8")
    assert [read(str(file)), read(str(file)), read(str(file), "!")] == ["one", "one", "one!"]
    assert seen == [file, file], "once for each ending"
    facts = file.stat()
    file.write_text("two", "utf-8")
    os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns + 1))
    assert read(str(file)) == "two"


def test_a_file_that_cannot_be_read_is_named_with_the_remedy(tmp_path: Path) -> None:
    @read_once(1, ". Name a text.")
    def read(path: Path) -> str:
        return path.read_text("utf-8")

    gone = str(tmp_path / "gone.txt")
    with pytest.raises(DataError, match=r"gone\.txt: No such file or directory\. Name a text\.$"):
        read(gone)
    assert why_unreadable(read, gone) == f"{gone}: No such file or directory. Name a text."
    (tmp_path / "gone.txt").write_text("", "utf-8")
    assert why_unreadable(read, gone) is None
