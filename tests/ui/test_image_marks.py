"""Test that stars and notes on images are shared by link, kept as written, and listed, and that they change no
number.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from data.convert import to_jsonl_bytes
from data.load import Loaded, load_study
from data.marks import LONGEST_NOTE, MOST_NOTES, Marks
from data.slices import encode
from data.study import digest
from tests.studies import study as random_study
from tests.ui.shown import ROOT, AppTest, markup, page, part, score
from ui.session import state
from ui.session.library import weight

STUDY = random_study(items=5, runs=2, seed=31)
LOADED = load_study([("mine.jsonl", to_jsonl_bytes(STUDY))])
IDS = [item.id for item in STUDY.items]
FIRST = {"measures": ["cider_d"], "distance": "bag of words"}
NOTE = "$5 **bold** :red[x] <script>alert(1)</script>\nsecond line"


def token(at: AppTest) -> str:
    found = at.query_params["study"]
    return found if isinstance(found, str) else found[0]


def marks(at: AppTest) -> Marks:
    found = state.library().get(token(at))
    assert found is not None
    return found.marks


def images(loaded: Loaded = LOADED, **query: str) -> AppTest:
    score(STUDY, ["cider_d"])
    at = page("images", loaded, **FIRST, **query)  # type: ignore[arg-type]
    assert not at.exception
    return at


def note(at: AppTest, item: str, text: str) -> AppTest:
    at.text_area(key=f"image_note_{digest(item)[:12]}").set_value(text).run()
    assert not at.exception
    return at


def listed(at: AppTest) -> list[str]:
    return list(at.selectbox(key="image_select").options)


def test_a_star_belongs_to_the_study_of_everybody_with_its_link() -> None:
    at = images(image=IDS[1], order="file")
    at.button(key="image_star").click().run()
    assert marks(at).stars == {IDS[1]}
    assert [k for k, label in enumerate(listed(at)) if label.startswith(f"{k + 1}. ★ ")] == [1]
    other = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    other.query_params["study"] = token(at)
    other.query_params["image"] = IDS[1]
    other.switch_page("pages/triangles.py").run()
    other.button(key="image_star_on").click().run()
    assert not other.exception
    assert marks(at) == Marks()


def test_a_note_is_shown_as_it_was_written() -> None:
    at = note(images(image=IDS[2]), IDS[2], f"  {NOTE} ")
    assert marks(at).notes == {IDS[2]: NOTE}
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\nsecond line</p>" in markup(at)
    assert "$5 **bold** :red[x]" in markup(at)
    for kind in ("markdown", "caption"):
        assert not any("red" in one.value for one in getattr(at, kind))
    at = note(at, IDS[2], " ")
    assert marks(at) == Marks()
    assert "tl-note tl-memo" not in markup(at)
    assert len(marks(note(at, IDS[2], "x" * LONGEST_NOTE)).notes[IDS[2]]) == LONGEST_NOTE


def test_only_images_with_a_star_or_a_note_are_listed_and_saved() -> None:
    marked = Marks(stars=frozenset({IDS[3], IDS[0]}), notes={IDS[4]: "=1+1"})
    loaded = replace(LOADED, marks=marked)
    at = images(loaded, marked="starred")
    assert len(listed(at)) == 2
    assert markup(part(at, "list")).count("<small>★</small>") == 2
    at = images(loaded, marked="noted")
    assert markup(part(at, "list")).count("<small>note</small>") == 1
    assert re.findall(r"</a>(?:<small>(.*?)</small>)?</div>", markup(part(images(loaded, order="file"), "list"))) == [
        "★",
        "",
        "",
        "★",
        "note",
    ]


@pytest.mark.parametrize(("chosen", "what"), [("starred", "No item has a star"), ("noted", "No item has a note")])
def test_an_empty_list_says_what_is_missing(chosen: str, what: str) -> None:
    assert what in markup(images(marked=chosen))


def test_more_notes_than_a_study_holds_are_refused() -> None:
    full = replace(LOADED, marks=Marks(notes={f"n{k}": "x" for k in range(MOST_NOTES)}))
    at = note(images(full, image=IDS[0]), IDS[0], "one more")
    assert "at most 5,000 notes" in at.error[0].value
    assert len(marks(at).notes) == MOST_NOTES


def test_marks_are_counted_and_change_no_number() -> None:
    marked = replace(LOADED, marks=Marks(stars=frozenset(IDS), notes={IDS[0]: "x" * 1_000}))
    assert weight(marked) > weight(LOADED) + 1_000
    assert marked.study is LOADED.study


def test_a_star_on_the_demo_gives_it_a_link_of_its_own_and_leaves_the_slice() -> None:
    demo = state.demo().study
    assert demo is not None
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    at.query_params["slice"], at.query_params["slice_items"] = "few", encode(demo, [demo.items[k].id for k in (2, 5)])
    at.switch_page("pages/triangles.py").run()
    at.button(key="image_star").click().run()
    assert not at.exception
    assert len(marks(at).stars) == 1
    assert state.demo().marks == Marks()
    assert "slice_items" in at.query_params
    mine = token(at)
    other = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    other.query_params["study"] = mine
    other.switch_page("pages/triangles.py").run()
    at.button(key="image_star_on").click().run()
    assert marks(at) == Marks(), "for everybody who has the link"
    assert token(at) == mine
    at.button(key="image_star").click().run()
    assert token(at) == mine, "no other study is stored"
    assert len(marks(other).stars) == 1


def test_a_mark_stays_that_somebody_else_makes_at_the_same_time() -> None:
    key = state.library().add(LOADED)
    assert key is not None
    theirs = replace(LOADED, marks=Marks(notes={IDS[1]: "theirs"}))
    assert state.library().replace(key, theirs, LOADED)
    assert not state.library().replace(key, LOADED, LOADED), "it is another study by now"
    assert state.library().get(key) is theirs

    def script(own: str, theirs: str) -> None:
        from dataclasses import replace

        import streamlit as st

        from ui.session import state

        def change(marks: state.Marks) -> state.Marks:
            if theirs not in marks.stars:
                old = state.loaded()
                state.library().replace(state.token(), replace(old, marks=old.marks.starred(theirs, True)))
            return marks.starred(own, True)

        st.session_state["done"] = state.mark(change)

    at = AppTest.from_function(script, default_timeout=60, args=(IDS[0], IDS[2]))
    at.query_params["study"] = key
    assert at.run().session_state["done"]
    assert marks(at) == Marks(stars=frozenset({IDS[0], IDS[2]}), notes={IDS[1]: "theirs"})
