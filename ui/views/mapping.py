"""Roles of a file's fields, set on the Data page: each field with its contents, and the first record as it is read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import streamlit as st

from data.check import Loaded
from data.findings import FieldTable
from data.reading.tables import preview
from data.records import Columns, Part
from figures.dataset import html
from figures.style.escaping import short
from figures.style.numbers import count
from ui.frame import errors, look
from ui.frame.wording import plain
from ui.views import upload

EACH = "a run each"
"""The role of candidate fields that are one run each, whatever their names."""
_NONE = "not used"
ROLES = {
    "id": "the id of the image",
    "candidates": "captions by a model",
    EACH: "captions by a model, a run each",
    "references": "captions by people",
    "run": "the name of the run",
    "setting": "a setting of the run",
    "metadata": "about the image",
    "score": "a score by a metric",
    "rating": "a rating by a person",
    "rater": "the person who rated",
    _NONE: "not used",
}
"""The roles, as `--map` names them, with what they mean to a reader."""
_ONE = {"run": "A caption has one run.", "rater": "A rating has one rater."}
_MOST, _SEEN, _ROWS = 60, 16, 12
"""Maximum numbers of fields, of fields that are not folded, and of rows of a preview."""
_NAME, _TEXT = 60, 110
"""Maximum numbers of characters of the name of a file and of a text."""
ABOUT = "Say what each field holds. The next file with these fields is read in the same way."
HELP = (
    "A setting, such as a temperature, distinguishes runs. What is about the image serves for slices. Several fields "
    "with captions by a model are separate runs, unless their names differ only in a number. Several ids are parts of "
    "one."
)


def panel(loaded: Loaded) -> None:
    """Show the fields of files read by guesswork, by a person's roles, or not at all; panels of unread files are open.

    Roles are chosen for all files with the same fields, so such files share a panel if they were read alike.
    """
    unread = set(loaded.unread)
    for first, *others in alike(_shown(loaded).values()):
        rest = f" and {count(len(others), 'more file')} with the same fields" if others else ""
        opened = not unread.isdisjoint(one.file for one in (first, *others))
        with st.expander(plain(f"Which field is what in {short(first.file, _NAME)}{rest}"), expanded=opened):
            _of_file(first)


def alike(tables: Iterable[FieldTable]) -> list[list[FieldTable]]:
    """Return the field tables of files in groups: those of a group have the same fields in the same roles."""
    found: dict[object, list[FieldTable]] = {}
    for one in tables:
        found.setdefault((one.header, tuple(one.roles.items())), []).append(one)
    return list(found.values())


def _shown(loaded: Loaded) -> dict[str, FieldTable]:
    asked = loaded.asked_for
    fields = loaded.fields.items()
    return {name: of for name, of in fields if (name in asked or upload.chosen(of) is not None) and upload.given(name)}


def ask(loaded: Loaded) -> bool:
    """Ask for the roles of fields if a single file needs them and no other file has errors; return whether it asked."""
    asked = [name for name in _shown(loaded) if name in set(loaded.unread)]
    if len(asked) != 1 or {one.file for one in loaded.errors} != set(asked):
        return False
    look.section(f"What is in {short(asked[0], _NAME)}?")
    _of_file(loaded.fields[asked[0]])
    return True


def _of_file(found: FieldTable) -> None:
    st.caption(ABOUT, help=HELP)
    shown, roles = found.header[:_MOST], []
    with st.container(gap=None):
        for place, (name, role) in enumerate(list(zip(shown, _roles(found, shown)))[:_SEEN]):
            roles.append(_field(found, place, name, role))
    if len(shown) > _SEEN:
        with st.expander(f"{len(shown) - _SEEN} more fields"), st.container(gap=None):
            for place, (name, role) in list(enumerate(zip(shown, _roles(found, shown))))[_SEEN:]:
                roles.append(_field(found, place, name, role))
    columns, why = _columns(shown, roles)
    rows = _preview(found, columns) if columns is not None else []
    if rows:
        look.figure_title("The first record, as it will be read")
        look.facts(rows)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            "Read the file like this",
            key=f"mapping_read {found.file}",
            icon=":material/check:",
            type="primary" if columns is not None and (columns.captions or columns.ratings) else "secondary",
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
        if why or not rows:
            st.caption(plain(why or "Nothing could be read like this."))


def _field(found: FieldTable, place: int, name: str, role: str) -> str:
    """Show a field with its contents in the first records, and the choice of its role; return the role."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"tl-map {found.file} {place}"):
        look.block(html.field(name, found.texts(place)))
        options = list(ROLES)
        return st.selectbox(
            plain(f"Role of {name}"),
            options,
            index=options.index(role),
            format_func=ROLES.__getitem__,
            label_visibility="collapsed",
            width=270,
            key=f"mapping {found.file} {hash(found.header)} {place}",
        )


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


def _preview(found: FieldTable, columns: Columns) -> list[tuple[str, str]]:
    """Return the contents of the first record as read with these `columns`; [] if nothing can be read."""
    part = preview(found, columns)
    if part is None or not (part.records or part.ratings):
        return []
    record = part.records[0] if part.records else None
    rows = [("Image", short(record.id if record else part.ratings[0].item or "", _TEXT))]
    if record is not None:
        by_people = [("People", text) for text in record.references]
        by_models = [(short(run, 40), text) for run, texts in record.candidates.items() for text in texts]
        rows += [(name, short(text, _TEXT)) for name, text in (*by_people, *by_models)]
        rows += [] if record.candidates or part.ratings else [("Models", "nothing: no field holds captions by a model")]
    return rows[:_ROWS] + _rated(part)


def _rated(part: Part) -> list[tuple[str, str]]:
    first = [row for row in part.ratings if row.where == part.ratings[0].where]
    told = [(short(row.metric, 40), f"{row.value:g}") for row in first if row.value is not None]
    return [(f"Rating {name}", value) for name, value in told[:_ROWS]]
