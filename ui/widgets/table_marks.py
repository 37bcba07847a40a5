"""Marks in tables on screen: a word for a number that is being computed, a dash for a missing one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any

import streamlit as st

from figures.style.numbers import COMPUTING, DASH, P_VALUE, formed, p_text

if TYPE_CHECKING:
    import pandas as pd
    from pandas.io.formats.style import Styler

Waiting = Mapping[str, Collection[int]]
"""Rows of a table, by column, whose numbers are being computed."""
KEY = f"{DASH} no value"


def marked(frame: pd.DataFrame, formats: Mapping[str, str], waiting: Waiting) -> pd.DataFrame:
    """Return the table; columns that await numbers become text, by the format of each column (see `formed`)."""
    texts = {}
    for column in frame.columns.intersection([name for name, rows in waiting.items() if rows]):
        rows, form = waiting[column], formats.get(column, "%s")
        texts[column] = [
            COMPUTING if row in rows else DASH if _missing(value) else formed(value, form)
            for row, value in enumerate(frame[column])
        ]
    return frame.assign(**texts) if texts else frame


def rows(frame: pd.DataFrame, formats: Mapping[str, str], waiting: Waiting) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the rows of a table in words: the first column names a row, the others have their titles and texts."""
    first, *others = frame.columns
    texts = {
        column: [
            COMPUTING if row in waiting.get(str(column), ()) else _worded(value, formats.get(column))
            for row, value in enumerate(frame[column])
        ]
        for column in others
    }
    return [
        (str(name), [(str(column), of[row]) for column, of in texts.items()]) for row, name in enumerate(frame[first])
    ]


def _worded(value: Any, form: str | None) -> str:
    if _missing(value):
        return DASH
    if form is not None:
        return formed(value, form)
    return f"{value:,}" if isinstance(value, Integral) and value is not True and value is not False else str(value)


def columns(frame: pd.DataFrame, formats: Mapping[str, str], waiting: Waiting) -> dict[str, Any]:
    """Return the column configuration of a marked table: numbers by format, and numbers as text right-aligned."""
    texts = {column for column, rows in waiting.items() if rows and column in frame.columns}
    numbers = {
        name: st.column_config.NumberColumn(format=None if form == P_VALUE else form)
        for name, form in formats.items()
        if name not in texts
    }
    return {**numbers, **{name: st.column_config.TextColumn(alignment="right") for name in texts}}


def styled(frame: pd.DataFrame, formats: Mapping[str, str]) -> pd.DataFrame | Styler:
    """Return the table with its p-values as `p_text` writes them; they still sort as numbers."""
    values = [name for name, form in formats.items() if form == P_VALUE and frame[name].dtype.kind == "f"]
    shown: dict[Any, Any] = dict.fromkeys(values, p_text)
    return frame.style.format(shown) if values else frame


def has_dash(frame: pd.DataFrame, waiting: Waiting) -> bool:
    """Return whether any number in the table is missing and is not being computed."""
    return any(
        _missing(value) and row not in waiting.get(str(column), ())
        for column in frame.columns
        for row, value in enumerate(frame[column])
    )


def _missing(value: Any) -> bool:
    import pandas as pd

    return value is None or bool(pd.api.types.is_scalar(value) and pd.isna(value))
