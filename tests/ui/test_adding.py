"""Test files that are dropped while a study is open: the reader chooses whether to add them to it or open them
alone.
"""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from data.adding import add
from data.convert import to_jsonl_bytes
from data.load import Loaded, load_study
from tests.studies import study as random_study
from tests.ui.shown import AppTest, findings, markup, page
from ui.session import state
from ui.views import upload

STUDY = random_study(items=4, runs=2, seed=21)
LOADED = load_study([("mine.jsonl", to_jsonl_bytes(STUDY))])
IDS = [item.id for item in STUDY.items]
REFERENCES = json.dumps({id: ["a dog", "one dog"] for id in IDS}).encode()


def captions(ids: list[str], text: str = "a dog runs") -> bytes:
    return json.dumps({id: [text, "two cats"] for id in ids}).encode()


def dropped(at: AppTest, *given: tuple[str, bytes]) -> AppTest:
    at.get("file_uploader")[0].set_value([(name, content, "text/plain") for name, content in given])
    at.run()
    assert not at.exception
    return at


def opened(at: AppTest) -> Loaded:
    token = at.query_params["study"]
    found = state.library().get(token if isinstance(token, str) else token[0])
    assert found is not None
    return found


def names(at: AppTest) -> list[str]:
    study = opened(at).study
    assert study is not None
    return [run.name for run in study.runs]


def buttons(at: AppTest) -> set[str | None]:
    return {one.key for one in at.button} & {"upload_add", "upload_open", "upload_leave", "upload_undo"}


def test_a_run_is_added_when_the_reader_says_so_and_taken_back() -> None:
    at = page("dataset", LOADED)
    token, before = at.query_params["study"], names(at)
    at = dropped(at, ("<b>new_t0.7.json", captions(IDS)))
    assert names(at) == before, "it asks first"
    assert "1 run (&lt;b&gt;new_t0.7) can be added to" in markup(at)
    assert "all 4 items have captions by it" in markup(at)
    assert buttons(at) == {"upload_add", "upload_open", "upload_leave"}
    at.button(key="upload_add").click().run()
    assert not at.exception
    assert names(at) == [*before, "<b>new_t0.7"]
    assert at.query_params["study"] == token
    assert buttons(at) == {"upload_undo"}
    at.button(key="upload_undo").click().run()
    assert names(at) == before
    assert buttons(at) == set()


def test_what_would_leave_items_out_is_said_before() -> None:
    at = dropped(page("dataset", LOADED), ("new.json", captions(IDS[:3])))
    assert "but only 3 of its 4 items have captions by it" in markup(at)
    at.button(key="upload_add").click().run()
    assert any("new.json" in one and "1 of 4 items" in one for one in findings(at)), findings(at)
    assert len(opened(at).study.items) == 3  # type: ignore[union-attr]


def test_files_are_opened_by_themselves_or_left() -> None:
    at = page("dataset", LOADED)
    token = at.query_params["study"]
    at = dropped(at, ("new.json", captions(IDS)))
    at.button(key="upload_leave").click().run()
    assert buttons(at) == set()
    assert names(at) == [run.name for run in STUDY.runs]
    at = dropped(at, ("new.json", captions(IDS)))
    at.button(key="upload_open").click().run()
    assert at.query_params["study"] != token
    assert names(at) == ["new"]


def test_captions_of_other_images_are_not_offered_to_be_added() -> None:
    at = dropped(page("dataset", LOADED), ("new.json", captions(["x", "y"])))
    assert "These captions belong to no item of" in markup(at)
    assert buttons(at) == {"upload_open", "upload_leave"}
    whole = random_study(items=2, seed=4)
    at = dropped(at, ("other.jsonl", to_jsonl_bytes(whole).replace(b'"image ', b'"other ')))
    assert buttons(at) == set(), "a whole study opens at once"
    assert names(at) == [run.name for run in whole.runs]


def test_files_of_the_uploader_are_one_study_until_somebody_adds_to_it() -> None:
    at = page("dataset", LOADED)
    at.button(key=next(one.key for one in at.button if one.label == "Open the demo instead")).click().run()
    files = [("references.json", REFERENCES), ("one.json", captions(IDS))]
    at = dropped(at, *files)
    assert names(at) == ["one"]
    at = dropped(at, *files, ("two.json", captions(IDS, "a kite")))
    assert names(at) == ["one", "two"], "one more file of the same list"
    other = page("dataset", opened(at))
    other.query_params["study"] = at.query_params["study"]
    other = dropped(other.run(), ("three.json", captions(IDS, "a boat")))
    other.button(key="upload_add").click().run()
    assert names(at) == ["one", "two", "three"]
    at = dropped(at, *files)
    assert names(at) == ["one", "two", "three"], "what others added does not vanish"
    assert "These files hold nothing new for" in markup(at)
    assert buttons(at) == {"upload_open", "upload_leave"}


def test_what_others_change_while_files_are_added_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    at = dropped(page("dataset", LOADED), ("new.json", captions(IDS)))
    token = at.query_params["study"]
    token = token if isinstance(token, str) else token[0]
    calls: list[Loaded] = []

    def slow(old: Loaded, new: Loaded) -> Loaded:
        calls.append(old)
        if len(calls) == 1:
            state.library().replace(token, replace(old, marks=old.marks.starred(IDS[1], True)))
        return add(old, new)

    monkeypatch.setattr(upload, "add", slow)
    at.button(key="upload_add").click().run()
    assert not at.exception
    assert names(at)[-1] == "new"
    assert opened(at).marks.stars == {IDS[1]}


def of_files(*files: tuple[str, bytes]) -> AppTest:
    at = page("dataset", LOADED)
    at.button(key=next(one.key for one in at.button if one.label == "Open the demo instead")).click().run()
    return dropped(at, *files)


def test_files_dropped_after_a_visit_to_another_page_are_offered_and_replace_nothing() -> None:
    at = of_files(("references.json", REFERENCES), ("one.json", captions(IDS)))
    at.switch_page("pages/methods.py").run()
    at.switch_page("pages/dataset.py").run()
    at = dropped(at, ("two.json", captions(IDS, "a kite")))
    assert names(at) == ["one"]
    assert buttons(at) == {"upload_add", "upload_open", "upload_leave"}
    at.button(key="upload_add").click().run()
    assert names(at) == ["one", "two"]


def test_a_study_that_was_closed_and_opened_again_takes_files_as_before() -> None:
    other = ("other.jsonl", to_jsonl_bytes(random_study(items=2, seed=4)).replace(b'"image ', b'"other '))
    at = of_files(("references.json", REFERENCES), ("one.json", captions(IDS)))
    for key in ("close_study", "close_yes", "reopen"):
        at.button(key=key).click().run()
    assert names(at) == ["one"]
    assert "Open again" in at.toast[0].value
    assert not at.get("file_uploader")[0].value, "the uploader is empty, and says nothing of other files"
    at = dropped(at, other)
    assert names(at) == ["one"], "nothing takes its place unasked"
    assert buttons(at) == {"upload_open", "upload_leave"}
    at.button(key="upload_leave").click().run()
    at = dropped(at, ("two.json", captions(IDS, "a kite")))
    at.button(key="upload_add").click().run()
    assert names(at) == ["one", "two"]


def kept(at: AppTest, *names: str) -> list[str]:
    return [name for name in names if name in at.session_state]


def test_a_session_keeps_nothing_of_a_study_that_was_closed_or_has_changed() -> None:
    at = dropped(page("dataset", LOADED), ("new.json", captions(IDS)))
    at.button(key="upload_add").click().run()
    at = dropped(at, ("third.json", captions(IDS, "a kite")))
    assert kept(at, "_upload_offer", "_upload_added") == ["_upload_offer", "_upload_added"]
    at.button(key="close_study").click().run()
    at.button(key="close_yes").click().run()
    assert kept(at, "_upload_offer", "_upload_added") == []
    at = dropped(page("dataset", LOADED), ("new.json", captions(IDS)))
    at.button(key="upload_add").click().run()
    at = dropped(at, ("third.json", captions(IDS, "a kite")))
    at.query_params["study"] = state.library().add(LOADED)
    at.run()
    assert kept(at, "_upload_offer", "_upload_added") == []
