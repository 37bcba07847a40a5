"""Test that pictures of a study are read only inside the folder that the server names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from data.study import Item, Study
from figures.images import pictures
from tests.studies import study as random_study
from tests.ui.shown import markup, page

PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)
FIRST = {"measures": ["cider_d", "distinct_2"], "distance": "bag of words"}


class TestPictures:
    """The paths of pictures in a study open no file outside the folder that TRILENS_IMAGES names."""

    @pytest.fixture
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        (tmp_path / "images" / "val").mkdir(parents=True)
        for name in ("a.png", "val/b.PNG", "secret.txt", "fake.png"):
            (tmp_path / "images" / name).write_bytes(b"text" if name in ("secret.txt", "fake.png") else PNG)
        (tmp_path / "outside.png").write_bytes(PNG)
        (tmp_path / "images" / "link.png").symlink_to(tmp_path / "outside.png")
        monkeypatch.setenv(pictures.FOLDER, str(tmp_path / "images"))
        return tmp_path / "images"

    @pytest.mark.parametrize("name", ["a.png", "val/b.PNG", "/elsewhere/a.png", "C:\\data\\a.png", "val/../a.png"])
    def test_inside(self, folder: Path, name: str) -> None:
        found = pictures.picture(Item("x", (), name), demo=False)
        assert found is not None
        assert isinstance(found.source, Path)
        assert found.source.is_relative_to(folder.resolve())

    @pytest.mark.parametrize(
        "name", ["../outside.png", "link.png", "secret.txt", "fake.png", "none.png", "val", "", "a\0.png", "x" * 5000]
    )
    def test_nothing_else(self, folder: Path, name: str) -> None:
        assert pictures.picture(Item("x", (), name), demo=False) is None

    @pytest.mark.parametrize("name", ["../outside.png", "link.png", "/etc/passwd", "..\\..\\x.png"])
    def test_outside_is_said(self, folder: Path, name: str) -> None:
        assert "outside the folder" in pictures.why_missing(Item("x", (), name))

    @pytest.mark.parametrize("name", ["none.png", "val/x.png", "a\0.png"])
    def test_not_there_is_said(self, folder: Path, name: str) -> None:
        assert "no folder with this picture" in pictures.why_missing(Item("x", (), name))

    def test_an_absolute_name_outside(self, folder: Path) -> None:
        assert pictures.picture(Item("x", (), str(folder.parent / "outside.png")), demo=False) is None

    def test_without_the_folder(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.delenv(pictures.FOLDER, raising=False)
        (tmp_path / "a.png").write_bytes(PNG)
        assert pictures.picture(Item("x", (), str(tmp_path / "a.png")), demo=False) is None
        assert pictures.why_missing(Item("x", (), "a.png")) == pictures.REMEDY
        assert pictures.picture(Item("x", (), "pictures/x.png"), demo=True) is None

    def test_the_page_says_how(self) -> None:
        study = random_study(items=2)
        with_image = Study("s", tuple(replace(item, image=f"{item.id}.png") for item in study.items), study.runs)
        at = page("images", with_image, **FIRST)
        assert markup(at).count(pictures.REMEDY) == 1
        assert pictures.FOLDER not in markup(at)
        at.button(key="image_Right").click().run()
        assert pictures.REMEDY not in markup(at), "it is said once"

    def test_the_page_refuses_a_picture_outside(self, folder: Path) -> None:
        study = random_study(items=1)
        with_image = Study("s", (replace(study.items[0], image="../outside.png"),), study.runs)
        at = page("images", with_image, **FIRST)
        assert "outside the folder" in markup(at)
        assert not at.get("imgs")
