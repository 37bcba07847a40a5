"""Figures and tables as shown on every page, each with its exports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import plotly.graph_objects as go
import streamlit as st

from data.files import safe_csv
from figures.export.column_metrics import signatures_of
from figures.export.latex import Marks, Side, booktabs, commented
from figures.export.paper import Draw, Ground
from figures.notes.seeds import names_shown
from figures.style import html as style_html
from figures.style.escaping import file_stem, whole
from figures.style.numbers import DASH, P_VALUE
from figures.style.run_names import with_short_names
from figures.style.wording import n_items
from ui.frame import errors, look
from ui.frame.save_figure import save
from ui.jobs import study_metrics
from ui.session import address, state
from ui.widgets import bundle_notice, table_marks
from ui.widgets.column_help import with_help
from ui.widgets.table_marks import Waiting

if TYPE_CHECKING:
    import pandas as pd

_WHOLE, _ROW, _DOWN = 41, 32, ":material/download:"
"""The number of rows up to which a table is shown in full: people and 40 runs; the height of a row in px; an icon."""
_TALL = 10 * _ROW + 2
"""Height in px of a long table: its head and whole rows, so that none is cut."""
_NUMBERS = "iufcb"
"""Kinds of columns without text."""
_LINK: dict[str, Any] = {"on_click": "ignore", "type": "tertiary", "icon": _DOWN}
_BOOKTABS, _BEST = "A table for the booktabs package", ", the best bold, the second underlined"
SelectionMode = Literal["points", "box", "lasso"]
Selection = SelectionMode | Iterable[SelectionMode]
_SELECTING = [["lasso2d", "select2d", "zoom2d", "pan2d", "resetScale2d"]]


def chart(
    draw: Draw,
    key: str,
    alt: str,
    name: str | None = None,
    *,
    footer: str = "",
    title: str | None = None,
    on_select: Callable[[], None] | None = None,
    selection_mode: Selection = "points",
) -> None:
    """Show a figure at full width, drawn for the screen, and for paper when saved; `alt` is its text alternative.

    The saved file is named `name` (else `key`); `title` is printed above the figure (else the last one from
    `look.figure_title`) and `footer` below: the sample size and the signatures of its numbers. `on_select` is called
    before the next run of the page once points are selected (`selection_mode`: a click, a box, a lasso);
    `selected(key)` returns them, and `picked(key)` returns their `customdata`.
    """
    with look.icons(key):
        saving(draw, key, alt, name, footer=footer, title=title)
    plot(draw(Ground(look.mode())), key, alt, on_select, selection_mode)


def plot(
    drawn: go.Figure,
    key: str,
    alt: str,
    on_select: Callable[[], None] | None = None,
    selection_mode: Selection = "points",
) -> None:
    """Show only a figure, with the arguments of `chart`."""
    tools: dict[str, Any] = {"displayModeBar": False}
    if on_select and not isinstance(selection_mode, str):
        tools = {"displayModeBar": "hover", "modeBarButtons": _SELECTING}
    taken = errors.callback(on_select) if on_select else None
    chosen: dict[str, Any] = {"on_select": taken, "selection_mode": selection_mode} if taken else {}
    config = {"displaylogo": False, "responsive": True, **tools}
    st.plotly_chart(look.full_names().in_figure(drawn), key=key, config=config, theme=None, alt=alt, **chosen)


def twice(draw: Callable[[bool], go.Figure], key: str, place: str, alt: str, stored_as: str = "") -> None:
    """Show a figure drawn for a wide window and, by `draw(True)`, for a narrow one; the style sheet hides one of them.

    `place` names their containers; a point that is selected in either is `stored_as` this name in the address.
    """
    for size, narrow in (("wide", False), ("narrow", True)):
        with st.container(key=f"tl-{size}-{place}"):
            taken = partial(store_picked, f"{key}_{size}", stored_as) if stored_as else None
            plot(draw(narrow), f"{key}_{size}", alt, taken)


def saving(
    draw: Draw | None,
    key: str,
    alt: str,
    name: str | None = None,
    *,
    footer: str = "",
    title: str | None = None,
    tables: Callable[[], None] | None = None,
) -> None:
    """Show the icon that saves a figure (see `chart`); `tables` draws the downloads of its numbers."""
    stem = file_name(name or key)
    above = look.take_title()
    below = "\n".join(filter(None, [footer, bundle_notice.sentence()]))
    save(draw, key, name=stem, title=above if title is None else title, alt=alt, footer=below, tables=tables)


def file_name(what: str) -> str:
    """Return the name of a file without its extension, "trilens-PAGE-WHAT", for figures and tables alike."""
    page, stem = address.page() and file_stem(address.page()), file_stem(what)
    said = next((lead for lead in (page, page.removesuffix("s")) if f"{stem}-".startswith(f"{lead}-")), "")
    return "-".join(filter(None, ["trilens", page, stem.removeprefix(said).strip("-")]))


def selected(key: str) -> list[dict[str, Any]]:
    """Return the selected points of the chart with that key, as Streamlit reports them; [] if there is no chart yet."""
    event = st.session_state.get(key)
    return list(event.selection.points) if event is not None and hasattr(event, "selection") else []


def picked(key: str) -> list[tuple[Any, ...]]:
    """Return the customdata of the selected points of the chart with that key."""
    found = [point.get("customdata") for point in selected(key)]
    return [tuple(data) if isinstance(data, list | tuple) else (data,) for data in found if data not in (None, [])]


def store_picked(key: str, name: str) -> None:
    """Store the first part of the first selected point, such as a metric, under this name in the address."""
    for first, *_ in picked(key)[:1]:
        address.store(name, str(first))


def table(
    frame: pd.DataFrame,
    key: str,
    *,
    name: str | None = None,
    digits: int | Mapping[str, int] = 3,
    formats: Mapping[str, str] | None = None,
    best: Mapping[str, Side] | None = None,
    columns: Mapping[str, Any] | None = None,
    waiting: Waiting | None = None,
    caption: str = "",
    marks: Marks | None = None,
    latex: Callable[[], str] | None = None,
    signatures: Sequence[str] | None = None,
    whole: Callable[[], pd.DataFrame] | None = None,
) -> None:
    """Show a sortable table with its downloads: CSV at full precision, and LaTeX as shown.

    Runs have short names on screen and in LaTeX; the CSV has their names in the study, which the command line accepts.
    `formats` gives the formats (`formed`) of columns that decimals do not suit; `columns` overrides Streamlit's
    column_config; `waiting` gives, by column, the rows whose number is being computed. The LaTeX table has the
    `caption` (else `name`, the study's name and n) and the `signatures` of the numbers (else those of the metrics that
    the table names). It marks the best and the second best in the columns in `best`, or `marks` (intervals, daggers)
    instead; `latex` creates another LaTeX table, with the same `best`. The CSV is the `whole` table, if given: with all
    columns, under the names that programs read.
    """
    clean = _printable(frame)
    readable = _readable(clean)
    _dataframe(readable, _formats(readable, digits, formats or {}), key, columns or {}, waiting or {})
    downloads(
        clean,
        key,
        name=name,
        digits=digits,
        formats=formats,
        best=best,
        caption=caption,
        marks=marks,
        latex=latex,
        signatures=signatures,
        whole=whole,
    )


def _dataframe(
    clean: pd.DataFrame, shown: Mapping[str, str], key: str, columns: Mapping[str, Any], waiting: Waiting
) -> None:
    # A short table is shown in full; a long one scrolls. On a phone, a list of its rows takes its place.
    short = len(clean) <= _WHOLE
    height: Literal["content"] | int = "content" if short else _TALL
    with st.container(key=f"tl-wide-table-{key}" if short else None):
        st.dataframe(
            table_marks.styled(table_marks.marked(_unsigned(clean, shown), shown, waiting), shown),
            key=key,
            hide_index=True,
            row_height=_ROW,
            column_config=with_help(clean, {**table_marks.columns(clean, shown, waiting), **columns}),
            height=height,
            placeholder=DASH,
        )
    if short and len(clean):
        seen = clean[[column for column in clean.columns if columns.get(column, "") is not None]]
        own = {column: form for column, form in shown.items() if column in seen.columns}
        rows_on_phone(table_marks.rows(_unsigned(seen, own), own, waiting), key)
    if table_marks.has_dash(clean, waiting):
        look.figure_title("", table_marks.KEY)


def rows_on_phone(rows: Sequence[tuple[str, Sequence[tuple[str, str]]]], key: str) -> None:
    """Show the rows of a table as a list, on a phone only; the container of the table has the key tl-wide-table-KEY."""
    with st.container(key=f"tl-narrow-table-{key}"):
        look.block(style_html.row_list(rows))


def folded(label: str, key: str, body: Callable[[], None], icon: str | None = ":material/table:") -> None:
    """Show a line that opens a long table below it; `body`, which draws the table, is called only while it is open."""
    place = st.expander(label, key=key, icon=icon, on_change="rerun")
    if place.open:
        with place:
            body()


def listing(
    frame: pd.DataFrame,
    key: str,
    take: Callable[[int], None],
    *,
    columns: Mapping[str, Any] | None = None,
    height: int = 360,
) -> None:
    """Show a table in which one row can be selected: `take` receives its position before the next run of the page.

    The table has no downloads, because the rows may be only a part of another table that offers them.
    """

    @errors.callback
    def chosen() -> None:
        for row in chosen_rows(st.session_state[key]):
            take(row)

    readable = _readable(_printable(frame))
    shown = _formats(readable, 3, {})
    config = with_help(readable, {**table_marks.columns(readable, shown, {}), **(columns or {})})
    st.dataframe(
        _unsigned(readable, shown),
        key=key,
        hide_index=True,
        row_height=_ROW,
        column_config=config,
        height=height,
        selection_mode="single-cell",
        on_select=chosen,
        placeholder=DASH,
    )
    if table_marks.has_dash(readable, {}):
        look.figure_title("", table_marks.KEY)


def chosen_rows(event: Any) -> list[int]:
    """Return the positions of the rows with a selected cell: selecting cells needs no check boxes."""
    return [row for row, _ in event.selection.cells]


def downloads(
    frame: pd.DataFrame | Callable[[], pd.DataFrame],
    key: str,
    *,
    name: str | None = None,
    digits: int | Mapping[str, int] = 3,
    formats: Mapping[str, str] | None = None,
    best: Mapping[str, Side] | None = None,
    caption: str = "",
    marks: Marks | None = None,
    latex: Callable[[], str] | None = None,
    signatures: Sequence[str] | None = None,
    whole: Callable[[], pd.DataFrame] | None = None,
) -> None:
    """Show CSV and LaTeX downloads of a table, or of a function that makes it; numbers from a bundle are marked."""
    stem, said = file_stem(name or key), caption or _caption(name or key)
    by = tuple(study_metrics.metrics().values())  # deferred downloads have no session
    foreign = bundle_notice.sentence() if signatures is None or signatures else ""

    def made() -> pd.DataFrame:
        return frame() if callable(frame) else frame

    def tex() -> str:
        whole_frame = _readable(made())
        signed = signatures_of(whole_frame, by) if signatures is None else signatures
        return booktabs(whole_frame, best, digits, said, f"tab:{stem}", marks=marks, formats=formats, signatures=signed)

    with st.container(horizontal=True, gap="small"):
        file = file_name(name or key)
        csv = f"{bundle_notice.stem(file) if foreign else file}.csv"
        st.download_button(
            "CSV",
            lambda: to_csv((whole or made)()),
            csv,
            "text/csv",
            key=f"{key}_csv",
            help="All rows, full precision",
            **_LINK,
        )
        shown = _BOOKTABS + (_BEST if best or (marks and marks.best) else "")
        source = lambda: commented(foreign) + (latex or tex)()  # noqa: E731
        st.download_button("LaTeX", source, f"{file}.tex", "text/x-tex", key=f"{key}_tex", help=shown, **_LINK)


def _caption(name: str) -> str:
    study = state.study()
    title = name if study.name in name else f"{study.name}: {name}"
    return f"{title}. n = {n_items(study, len(study.items))}."


def to_csv(frame: pd.DataFrame) -> bytes:
    """Return UTF-8 CSV with a header, no index, numbers at full precision, undefined numbers empty, and no formulas."""
    return safe_csv.to_csv(_printable(frame))


def _readable(frame: pd.DataFrame) -> pd.DataFrame:
    return with_short_names(frame, names_shown(state.study()))


def _printable(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with texts that UTF-8 can encode."""
    text = {c: frame[c].map(_text) for c in frame.columns if frame[c].dtype.kind not in _NUMBERS}
    return frame.assign(**{str(c): values for c, values in text.items()}) if text else frame


def _text(value: Any) -> Any:
    return whole(value) if isinstance(value, str) else value


def _formats(frame: pd.DataFrame, digits: int | Mapping[str, int], formats: Mapping[str, str]) -> dict[str, str]:
    real = [column for column in frame.columns if frame[column].dtype.kind == "f"]
    places = {column: digits if isinstance(digits, int) else digits.get(column, 3) for column in real}
    return {column: formats.get(column, f"%.{places[column]}f") for column in real}


def _unsigned(frame: pd.DataFrame, formats: Mapping[str, str]) -> pd.DataFrame:
    return frame.assign(
        **{
            column: frame[column].map(lambda value, form=form: 0.0 if value < 0 and float(form % value) == 0 else value)
            for column, form in formats.items()
            if form != P_VALUE
        }
    )
