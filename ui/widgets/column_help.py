"""Help in the headings of table columns: one sentence for each metric in the column, and the full names of runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from figures.style.run_names import COLUMNS
from figures.style.terms import named_in
from metrics.guide.cards import card
from ui.frame import look
from ui.frame.wording import plain
from ui.jobs import study_metrics

if TYPE_CHECKING:
    import pandas as pd

MOST = 12
"""Maximum number of metrics that the help of a column explains."""
_SHORT = "Short names; the CSV has the full ones."
_HEADS = {
    "Corrected p": "p raised for the number of comparisons that are made at once: one of many is easily small by "
    "chance. By Holm's method unless the page says otherwise.",
    "Smallest possible p": "No smaller p is possible with so few captions or images.",
}


def with_help(frame: pd.DataFrame, columns: dict[str, Any]) -> dict[str, Any]:
    """Return the column configuration, with help added to columns that need it and have none."""
    found, about = dict(columns), {metric.label: card(metric) for metric in study_metrics.metrics().values()}
    for name in map(str, frame.columns):
        config = found.get(name, {})
        if isinstance(config, dict) and config.get("help") is None and (said := _help(name, frame[name], about)):
            found[name] = {**st.column_config.Column(), **config, "help": said}
    return found


def _help(head: str, cells: pd.Series[Any], about: Mapping[str, str]) -> str:
    """The help for a column: about its heading, else about the metrics or run names in its cells; "" if none fits.

    `about` has a sentence about each metric, by its label.
    """
    if head in _HEADS:
        return _HEADS[head]
    names = look.full_names()
    run = names.of(head) or ", ".join(names.within(head))
    labels = [head] if head in about else named_in(head)
    if not labels and not run:
        texts = list(dict.fromkeys(cell for cell in cells if isinstance(cell, str)))
        labels = texts if texts and all(text in about for text in texts) else []
        if head in COLUMNS and any(names.of(text) for text in texts):
            run = _SHORT
    said = [f"{plain(label)}: {plain(about[label])}" for label in labels[:MOST] if label in about]
    if len(labels) > MOST:
        said.append("Methods explains the others.")
    return "\n\n".join([*_lines(run), *said])


def _lines(run: str) -> Iterable[str]:
    return [plain(run)] if run else []
