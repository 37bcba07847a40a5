"""Published tables on the Methods page: what papers printed, beside what `trilens reproduce` computed."""

from __future__ import annotations

import os
from pathlib import Path

import streamlit as st

from data.study import DataError
from metrics.analysis import reproduced
from ui.frame import look
from ui.widgets import show

VARIABLE = "TRILENS_REPRODUCED"
"""Environment variable that names the table written by `trilens reproduce --out`."""
WIDE = {"mark": st.column_config.TextColumn(width=130)}
UNNAMED = (
    "Numbers as papers printed them. trilens reproduce --data FOLDER --out reproduced.csv recomputes those whose "
    f"published files are in a folder; {VARIABLE}=reproduced.csv shows the results here."
)


def show_published() -> None:
    """Show every printed number of the recipes, with the recomputed ones if a table of them is named."""
    named = os.environ.get(VARIABLE, "")
    try:
        table = reproduced.beside(Path(named)) if named else reproduced.printed()
    except DataError as why:
        look.empty("The recomputed numbers cannot be read", str(why))
        return
    said = reproduced.summary(table[table.recomputed.notna()]) if named else UNNAMED
    look.figure_title("", said, cards=False)
    decimals = {"recomputed": 4, "difference": 4}
    last = ["column", "paper", "table"]
    table = table[[*table.columns.drop(last), *last]]
    show.table(table, "published", name="published tables", digits=decimals, columns=WIDE, signatures=())
