"""Test pictures dropped with captions: they are shown wherever the demo's are, kept, removed, and packed."""

from __future__ import annotations

import base64
import io
import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from data.bundle import writing as bundles
from data.check import repair
from data.load import Loaded, load_study
from data.pictures import given_pictures as given_pictures
from figures.style.wording import item_noun
from metrics.analysis.bundle import checked, study_bundle
from metrics.analysis.critique import inputs
from metrics.cache.disk import Cache
from metrics.learned import efficientnet_file
from metrics.progress import Hooks
from tests.data.drawn import BLUE, drawn, opened, zipped
from tests.studies import study as random_study
from tests.ui.shown import markup, page, score
from tests.ui.test_dataset import data_page, dropped, token, words
from tests.ui.test_dataset import opened as loaded_of
from ui.session import library, state
from ui.views import dataset, report

BAD = "<script>alert(1)</script> :red[x] ../../etc/passwd.png"


def captions() -> bytes:
    study = random_study(items=3, references=5, candidates=5, runs=2)
    images = ("val/one.png", "two.jpg", None)
    rows = [
        {
            "id": item.id,
            "image": image,
            "references": item.references,
            "candidates": {r.name: r.candidates[item.id] for r in study.runs},
        }
        for item, image in zip(study.items, images)
    ]
    return json.dumps(rows).encode()


CAPTIONS = ("mine.json", captions())
ARCHIVE = ("pics.zip", zipped({"x/val/one.png": drawn(), "image 2.gif": drawn("GIF", BLUE), "stray.png": drawn()}))


def with_pictures() -> Loaded:
    return load_study([CAPTIONS, ARCHIVE])


def shown(at: AppTest) -> int:
    return len(at.get("image"))


def test_a_zip_beside_the_captions_is_said_in_a_line() -> None:
    at = dropped(CAPTIONS, ARCHIVE)
    assert not at.exception
    assert "Pictures for 2 of 3" in words(at)
    assert "No picture is named like two.jpg." in words(at)
    assert "by the name in the data and by id" in words(at)
    at.file_uploader(key="upload").set_value([(n, c, "x") for n, c in (CAPTIONS, ARCHIVE, ("two.jpg", drawn("JPEG")))])
    at.run()
    assert "Pictures for 3 of 3" in words(at)
    assert loaded_of(at).study == load_study([CAPTIONS]).study


@pytest.mark.parametrize("name", ["overview", "images", "triangles", "paired", "cloud"])
def test_pages_show_them(name: str) -> None:
    loaded, bare = load_study([CAPTIONS, ARCHIVE, ("two.jpg", drawn("JPEG"))]), load_study([CAPTIONS])
    assert loaded.study is not None
    score(loaded.study, ["cider_d"])
    query = {"overview": {}, "cloud": {"method": "pca"}, "paired": {"main": "cider_d"}}.get(
        name, {"image": "image 0", "distance": "bag of words"}
    )
    at = page(name, loaded, **query)
    assert not at.exception
    assert not [error.value for error in at.error]
    if name != "cloud":  # where a picture follows the pointer
        assert shown(at) > 0
    assert shown(page(name, bare, **query)) == 0


def test_pictures_alone_join_the_open_study_and_else_say_what_lacks() -> None:
    at = dropped(ARCHIVE)
    assert "These are only pictures" in " ".join(error.value for error in at.error) + words(at)
    assert "study" not in dict(at.query_params)
    first = dropped(CAPTIONS)
    other = data_page(study=token(first))
    other.file_uploader(key="upload").set_value([(*ARCHIVE, "x"), ("broken.png", drawn()[:50], "x")])
    other.run()
    assert not other.error
    assert token(other) == token(first)
    assert "Pictures for 2 of 3" in words(other)
    assert "broken.png: This cannot be shown as a picture" in words(other)


def test_a_folder_is_taken_and_files_that_change_leave_it() -> None:
    at = dropped(CAPTIONS)
    at.file_uploader(key="pictures_folder_0").set_value([("pics/val/one.png", drawn(), "image/png")]).run()
    assert "Pictures for 1 of 3" in words(at)
    more = ("two.jpg", drawn("JPEG", BLUE))
    at.file_uploader(key="upload").set_value([(n, c, "x") for n, c in (CAPTIONS, more)]).run()
    assert "Pictures for 2 of 3" in words(at)
    at.file_uploader(key="upload").set_value([(*CAPTIONS, "x")]).run()
    assert "Pictures for 1 of 3" in words(at)


def test_a_pattern_names_them_and_they_can_be_removed() -> None:
    at = dropped(CAPTIONS, ("p.zip", zipped({"no_image 1.png": drawn(), "x.png": drawn(colour=BLUE)})))
    assert "Pictures for 0 of 3" in words(at)
    at.text_input(key="pictures_pattern 0").set_value("no_{id}.png").run()
    assert "Pictures for 1 of 3" in words(at)
    assert "Found by your pattern." in words(at)
    at.text_input(key="pictures_pattern 0").set_value("{id.__class__}").run()
    assert next(error.value for error in at.error).replace("\\", "").startswith("A pattern has {id} once")
    at.button(key="pictures_remove").click().run()
    assert "Pictures for" not in words(at)
    assert loaded_of(at).pictures is None


PROMPTS = json.dumps(
    [
        {"id": f"p{k}", "metadata": {"prompt": f"say {k}"}, "references": ["a", "b"], "candidates": {"m": ["c", "d"]}}
        for k in (1, 2)
    ]
).encode()


def test_a_study_that_was_given_pictures_speaks_of_images() -> None:
    bare = load_study([("mine.json", PROMPTS)])
    assert bare.study is not None
    assert item_noun(bare.study) == "prompt"
    stray = load_study([("mine.json", PROMPTS), ("other.png", drawn())])
    assert stray.study is not None
    assert item_noun(stray.study) == "prompt", "none of the pictures is of an item"
    given = load_study([("mine.json", PROMPTS), ("p1.png", drawn())])
    for study in (
        given.study,
        repair(given, ["drop_empty_candidates"]).study,
        given.study and given.study.only(["p2"]),
    ):
        assert study is not None
        assert item_noun(study) == "image"
    assert given.study == bare.study
    assert given.study is not None
    assert given.study.digest == bare.study.digest


def test_pages_speak_of_images_once_there_are_pictures_and_not_after_they_left() -> None:
    at = dropped(("mine.json", PROMPTS))
    assert "2 prompts and 1 run" in words(at)
    at.file_uploader(key="upload").set_value([("mine.json", PROMPTS, "x"), ("p1.png", drawn(), "x")]).run()
    assert "2 images and 1 run" in words(at)
    assert "prompt" not in words(at)
    at.button(key="pictures_remove").click().run()
    assert "2 prompts and 1 run" in words(at)


def test_they_count_are_closed_with_the_study_and_come_back_with_it() -> None:
    loaded, bare = with_pictures(), load_study([CAPTIONS])
    assert loaded.pictures is not None
    assert library.weight(loaded) == library.weight(bare) + loaded.pictures.size
    small = library.Library(of_session=library.weight(bare), in_all=1 << 30)
    assert small.add(loaded, "me") is None
    key = library.Library()
    made = key.add(loaded, "me")
    assert made is not None
    key.close(made, "me")
    assert key.get(made) is None
    assert key.reopen(made, "me")
    found = key.get(made)
    assert found is not None
    assert found.pictures is loaded.pictures


def test_repairs_and_corrected_settings_leave_them() -> None:
    from data.check import repair

    loaded = with_pictures()
    assert repair(loaded, ["equal_counts"]).pictures is loaded.pictures


def packed(loaded: Loaded, along: bool = True) -> bytes:
    assert loaded.study is not None
    return study_bundle(loaded.study, Cache(None), pictures=loaded.pictures if along else None)


def test_bundles_hold_them_where_wanted() -> None:
    loaded = with_pictures()
    content = packed(loaded)
    assert content == packed(loaded)
    again = checked(load_study([("b.zip", content)]))
    assert again.study == loaded.study
    assert again.pictures is not None
    assert loaded.pictures is not None
    assert [one.name for one in again.pictures.files] == ["x/val/one.png", "image 2.gif"]  # not the one of no item
    assert again.findings == checked(load_study([("b.zip", packed(loaded, along=False))])).findings
    for item in loaded.study.items if loaded.study else ():
        before, after = (one.pictures.of(one.study, item) for one in (loaded, again) if one.pictures and one.study)
        assert (before is None) == (after is None)
        if before is not None and after is not None:
            assert opened(before).size == opened(after).size


def help_of_bundle(at: AppTest) -> str:
    return next(str(b.proto.help) for b in at.get("download_button") if b.proto.label == "Study bundle")


def test_the_page_packs_them_unless_told_not_to() -> None:
    at = page("dataset", with_pictures())
    assert "0.1 MB" in at.toggle(key="pictures_along").label
    assert "with the pictures (0.1 MB)" in help_of_bundle(at)
    at.toggle(key="pictures_along").set_value(False).run()
    assert "pictures" not in help_of_bundle(at)


def test_the_report_embeds_them() -> None:
    loaded = with_pictures()
    assert loaded.study is not None
    made = report.make(loaded.study, loaded, (), ("images",), "image 0", False, "me", False).decode()
    found = re.findall(r'src="data:image/jpeg;base64,([^"]+)"', made)
    assert len(found) == 1
    assert opened(base64.b64decode(found[0])).size == (64, 48)


def rewritten(content: bytes, change: Callable[[dict[str, bytes]], None]) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    change(files)
    return zipped(files)


def index(files: dict[str, bytes], **said: object) -> None:
    files[bundles.PICTURE_INDEX] = json.dumps(said).encode()


HOSTILE: dict[str, tuple[Callable[[dict[str, bytes]], None], str]] = {
    "no index": (lambda files: files.__delitem__(bundles.PICTURE_INDEX), "bundle_pictures"),
    "no JSON": (lambda files: files.__setitem__(bundles.PICTURE_INDEX, b"{" * 50_000), "bundle_pictures"),
    "nested JSON": (lambda files: files.__setitem__(bundles.PICTURE_INDEX, b"[" * 90_000), "bundle_pictures"),
    "names of no kind": (lambda files: index(files, names={"pictures/00000.jpg": 7}), "bundle_pictures"),
    "a long name": (lambda files: index(files, names={"pictures/00000.jpg": "x" * 1_001}), "bundle_pictures"),
    "another member": (lambda files: index(files, names={"study.jsonl": "x.png"}), "bundle_pictures"),
    "too many": (lambda files: index(files, names={f"pictures/{k}": "x" for k in range(10_001)}), "bundle_pictures"),
    "a pattern that is none": (lambda files: index(files, pattern="{id.x}", names={}), "bundle_pictures"),
    "a pattern of no kind": (lambda files: index(files, pattern=["{id}"], names={}), "bundle_pictures"),
    "a member that is not there": (lambda files: index(files, names={"pictures/9.jpg": "one.png"}), "picture_broken"),
    "no picture": (lambda files: files.__setitem__("pictures/00000.jpg", b"MZ" * 99), "picture_broken"),
    "HTML": (lambda files: files.__setitem__("pictures/00000.jpg", b"<svg onload=alert(1)>"), "picture_broken"),
    "names of markup": (lambda files: index(files, names={"pictures/00000.jpg": BAD}), ""),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_bundle_opens_without_what_is_wrong(kind: str) -> None:
    change, code = HOSTILE[kind]
    loaded = checked(load_study([("b.zip", rewritten(packed(with_pictures()), change))]))
    assert loaded.study == with_pictures().study
    assert not loaded.errors
    if code:
        assert code in {finding.code for finding in loaded.findings}
    for name in ("dataset", "images"):
        at = page(name, loaded)
        assert not at.exception
        assert not at.error
        assert "<script>alert" not in markup(at)


def test_a_bomb_in_a_bundle_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    content = packed(with_pictures())
    monkeypatch.setattr(given_pictures, "MOST_FILES", 1)
    loaded = checked(load_study([("b.zip", content)]))
    assert loaded.pictures is not None
    assert len(loaded.pictures.files) == 1
    assert "pictures_too_many" in {finding.code for finding in loaded.findings}


@pytest.mark.skipif(efficientnet_file.file() is None, reason="the network of pictures is not installed")
def test_features_are_made_of_them() -> None:
    loaded = with_pictures()
    assert loaded.pictures is not None
    contents = [one.content for one in loaded.pictures.files[:2]]
    arrays = inputs.of_pictures(contents, Cache(None)).run(Hooks())
    assert arrays["features"][arrays["rows"]].shape[0] == 2
    assert arrays["rows"].min() >= 0


def test_what_packs_a_study_takes_the_pictures_in_force(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = with_pictures()
    monkeypatch.setattr(state, "loaded", lambda: loaded)
    monkeypatch.setattr(state, "whole_study", lambda: loaded.study)
    with zipfile.ZipFile(io.BytesIO(dataset.whole_bundle()())) as archive:
        assert sum(name.startswith("pictures/") for name in archive.namelist()) == 2
    huge = replace(loaded, pictures=given_pictures.Pictures(()))
    monkeypatch.setattr(state, "loaded", lambda: huge)
    with zipfile.ZipFile(io.BytesIO(dataset.whole_bundle()())) as archive:
        assert not any(name.startswith("pictures") for name in archive.namelist())
