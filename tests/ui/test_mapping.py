"""Test the roles that a person chooses for fields on the Data page."""

from __future__ import annotations

import pytest

from data.findings import FieldTable
from data.load import load_study
from data.records import Columns, Reading
from ui.views import mapping, upload

RATED = FieldTable(
    "x.csv",
    ("id", "model", "text", "mood", "who"),
    (("1", "A", "a dog runs", "4/5", "ann"), ("2", "A", "a cat sits", "2/5", "ann")),
)
HEADER = ("id", "v1", "v2", "remark")
ROWS = b"id,v1,v2,remark\n1,a dog runs,the dog ran,x\n2,a cat sits,the cat sat,y\n"
BOTH = {"1": ("a dog runs", "the dog ran"), "2": ("a cat sits", "the cat sat")}


def read(*roles: str) -> dict[str, dict[str, tuple[str, ...]]]:
    columns, why = mapping._columns(HEADER, list(roles))
    assert (columns is not None, why) == (True, "")
    loaded = load_study([("x.csv", ROWS)], overrides={"x.csv": Reading(columns=columns or Columns())})
    assert loaded.study is not None
    return {run.name: dict(run.candidates) for run in loaded.study.runs}


def test_fields_are_captions_of_one_run_or_a_run_each() -> None:
    assert read("id", "candidates", "candidates", "not used") == {"x": BOTH}
    apart = {name: {id: (texts[k],) for id, texts in BOTH.items()} for k, name in enumerate(("v1", "v2"))}
    assert read("id", mapping.EACH, mapping.EACH, "not used") == apart


@pytest.mark.parametrize(
    "roles",
    [("id", mapping.EACH, "candidates", "not used"), ("id", mapping.EACH, mapping.EACH, "run")],
    ids=["beside candidates of one run", "beside a field that names the run"],
)
def test_a_run_each_stands_alone(roles: tuple[str, ...]) -> None:
    columns, why = mapping._columns(HEADER, list(roles))
    assert columns is None
    assert "choose one of the two" in why


@pytest.mark.parametrize("each", [True, False])
def test_a_chosen_role_is_shown_again(each: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload, "chosen", lambda _: Columns(("id",), ("v1", "v2"), each=each))
    table = FieldTable("x.csv", HEADER, (), {"id": "id", "v1": "candidates", "v2": "candidates"})
    role = mapping.EACH if each else "candidates"
    assert mapping._roles(table, HEADER) == ["id", role, role, "not used"]


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        (["id", "run", "candidates", "rating", "rater"], [("A", "a dog runs"), ("Rating mood", "4")]),
        (["id", "run", "not used", "rating", "rater"], [("Rating mood", "4")]),
        (["id", "run", "candidates", "metadata", "not used"], [("A", "a dog runs")]),
    ],
)
def test_the_preview_says_what_a_rating_becomes(roles: list[str], said: list[tuple[str, str]]) -> None:
    columns, _ = mapping._columns(RATED.header, roles)
    assert columns is not None
    assert mapping._preview(RATED, columns) == [("Image", "1"), *said]


def test_ratings_by_rater_within_a_record_stay_in_the_preview() -> None:
    """A field of ratings by rater contains an object, but is one column of the file."""
    table = FieldTable("x.json", ("id", "decoded", "mood"), (("1", "a dog runs", {"ann": 4, "bob": "3/5"}),))
    columns, _ = mapping._columns(table.header, ["id", "candidates", "rating"])
    assert columns is not None
    assert mapping._preview(table, columns)[2:] == [("Rating mood", "4"), ("Rating mood", "3")]


@pytest.mark.parametrize("role", ["run", "rater"])
def test_one_field_names_the_run_or_the_rater(role: str) -> None:
    columns, why = mapping._columns(HEADER, ["id", "candidates", role, role])
    assert (columns, why) == (None, mapping._ONE[role])


def test_files_with_the_same_fields_share_a_panel_unless_they_were_read_differently() -> None:
    one, other = (FieldTable(name, HEADER, (), {"v1": "candidates"}) for name in ("a.csv", "b.csv"))
    people = FieldTable("people.csv", HEADER, (), {"v1": "references"})
    assert mapping.alike([one, RATED, people, other]) == [[one, other], [RATED], [people]]
