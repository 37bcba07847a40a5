"""Roles of a file's fields, set on the Data page: three records, a role for each field, and a preview."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from data.check import Loaded
from data.findings import FieldTable
from data.reading.tables import preview
from data.records import Columns, Part
from figures.style.escaping import short
from figures.style.numbers import count
from figures.style.wording import names_in_a_row
from ui.frame import errors
from ui.frame.wording import plain
from ui.views import upload

EACH = "a run each"
"""The role of candidate fields that are one run each, whatever their names."""
ROLES = ("id", "candidates", EACH, "references", "run", "setting", "metadata", "score", "rating", "rater")
_ONE = {"run": "A caption has one run.", "rater": "A rating has one rater."}
_NONE = "not used"
_MOST, _NAME = 60, 60
ABOUT = (
    "Choose what each field is: a setting distinguishes runs; metadata describe items, for slices and clusters; a "
    "score is a metric's, a rating a person's, and the rater names that person. "
    f"Several fields of candidates are separate runs, unless they differ only in a number; with the role *{EACH}* they "
    "always are. Several id fields are parts of one id. "
    "The next file with these fields is read in the same way."
)


def panel(loaded: Loaded) -> None:
    """Show the fields of files read by guesswork, by a person's roles, or not at all; these last panels are open."""
    unread = set(loaded.unread)
    for name, found in _shown(loaded).items():
        with st.expander(plain(f"Which field is what in {short(name, _NAME)}"), expanded=name in unread):
            _of_file(found)


def question(loaded: Loaded) -> str:
    """Return what to do if a single file can be read once its fields are named; "" otherwise."""
    asked = [name for name in _shown(loaded) if name in set(loaded.unread)]
    if len(asked) != 1 or {one.file for one in loaded.errors} != set(asked):
        return ""
    return f"The fields of {short(asked[0], _NAME)} are not known: say below what they are. The open study stays open."


def _shown(loaded: Loaded) -> dict[str, FieldTable]:
    asked = loaded.asked_for
    fields = loaded.fields.items()
    return {name: of for name, of in fields if (name in asked or upload.chosen(of) is not None) and upload.given(name)}


def _of_file(found: FieldTable) -> None:
    st.caption(ABOUT)
    shown = found.header[:_MOST]
    texts = [found.texts(place) for place in range(len(shown))]
    records = {f"Record {k}": [of[k - 1] for of in texts] for k in range(1, len(found.rows) + 1)}
    table = pd.DataFrame({"Field": list(shown), "Role": _roles(found, shown), **records})
    role = st.column_config.SelectboxColumn("Role", options=[*ROLES, _NONE], required=True, width="small")
    edited = st.data_editor(
        table,
        hide_index=True,
        disabled=["Field", *records],
        column_config={"Role": role},
        key=f"mapping {found.file} {hash(found.header)}",
    )
    columns, why = _columns(shown, edited["Role"].tolist())
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            "Read the file like this",
            key=f"mapping_read {found.file}",
            icon=":material/check:",
            type="primary" if columns is not None else "secondary",
            disabled=columns is None,
            on_click=errors.callback(upload.read_with),
            args=(found, columns),
        )
        if upload.chosen(found) is not None:
            st.button(
                "Undo the roles",
                key=f"mapping_undo {found.file}",
                icon=":material/undo:",
                type="tertiary",
                on_click=errors.callback(upload.forget_roles),
                args=(found,),
                help="Read files with these fields as if you had chosen no roles",
            )
        st.caption(plain(why or _preview(found, columns or Columns())))


def _roles(found: FieldTable, shown: tuple[str, ...]) -> list[str]:
    known = {"candidates": EACH} if (given := upload.chosen(found)) is not None and given.each else {}
    roles = [found.roles.get(name, _NONE) for name in shown]
    return [known.get(role, role) for role in roles]


def _columns(header: tuple[str, ...], roles: list[str]) -> tuple[Columns | None, str]:
    of = {role: tuple(name for name, chosen in zip(header, roles) if chosen == role) for role in ROLES}
    for role, why in _ONE.items():
        if len(of[role]) > 1:
            return None, why
    if of[EACH] and (of["candidates"] or of["run"]):
        return None, f"Candidates are {EACH}, or of the run that another field names: choose one of the two."
    if not any(of[role] for role in ("candidates", EACH, "references", "rating")):
        return None, "Say which field holds the candidates, the references or the ratings."
    unused = tuple(name for name, chosen in zip(header, roles) if chosen == _NONE)
    made = Columns(of["id"], of["candidates"] or of[EACH], of["references"], next(iter(of["run"]), None))
    made = replace(made, settings=of["setting"], metadata=of["metadata"], ignored=unused, scores=of["score"])
    return replace(made, ratings=of["rating"], rater=next(iter(of["rater"]), None), each=bool(of[EACH])), ""


def _preview(found: FieldTable, columns: Columns) -> str:
    part = preview(found, columns)
    if part is None or not (part.records or part.ratings):
        return "Nothing could be read like this."
    rated = _rated(part)
    if not part.records:
        return f"The first record: item {short(part.ratings[0].item or '', 40)} with {rated}."
    record = part.records[0]
    said = sum(map(len, record.candidates.values()))
    parts = [count(said, "candidate")] if said else []
    parts += [count(len(record.references), "reference")] if record.references else []
    runs = [short(run, 40) for run in record.candidates]
    if len(runs) > 1 or (runs and columns.run):
        parts[0] += f" of {'runs' if len(runs) > 1 else 'run'} {names_in_a_row(runs, 5)}"
    parts = [*(parts or ["no captions"]), *([rated] if rated else [])]
    return f"The first record: item {short(record.id, 40)} with {names_in_a_row(parts, 5)}."


def _rated(part: Part) -> str:
    """The ratings in the first record, such as "the ratings fluency: 4 and accuracy: 3"; "" if there are none."""
    first = [row for row in part.ratings if row.where == part.ratings[0].where]
    told = [f"{short(row.metric, 40)}: {row.value:g}" for row in first if row.value is not None]
    return f"the rating{'s' * (len(told) > 1)} {names_in_a_row(told, 5)}" if told else ""
