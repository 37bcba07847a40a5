"""The control on the Data page for the field that groups items which are not independent."""

from __future__ import annotations

import streamlit as st

from data.check import Loaded, clustered
from data.checks.clusters import NONE, fields
from figures.style.escaping import short
from figures.style.numbers import count
from figures.style.wording import item_noun
from ui.frame import errors
from ui.frame.wording import plain
from ui.views import upload

_KEY = "cluster_field"
ABOUT = (
    "Frames of one video or captions by one person are not independent. Intervals and tests then draw, swap and "
    "permute whole clusters, as --cluster does on the command line."
)


def control(loaded: Loaded) -> None:
    """Show a panel, one line when folded, with the fields that can group items; nothing if there are none."""
    if loaded.draft is None or loaded.study is None or not (known := fields(loaded.study)):
        return
    study, chosen = loaded.study, loaded.draft.cluster
    now = "none" if study.unit is None else count(int(study.unit.max()) + 1, "cluster")
    with st.popover(f"Clusters: {now}", icon=":material/workspaces:", key="cluster_panel"):
        st.caption(ABOUT)
        options = [None, NONE, *known]
        st.selectbox(
            "Which belong together",
            options,
            index=options.index(chosen) if chosen in options else 0,
            format_func=lambda field: plain(_name(field, known, item_noun(study))),
            key=f"{_KEY} {chosen}",
            on_change=_take,
            args=(f"{_KEY} {chosen}",),
        )


def _name(field: str | None, known: dict[str, int], noun: str) -> str:
    if field is None:
        return "As the files say"
    if field == NONE:
        return f"Every {noun} by itself"
    return f"{short(field, 40)}: {count(known[field], 'cluster')}"


@errors.callback
def _take(key: str) -> None:
    field = st.session_state[key]
    upload.change(lambda now: clustered(now, field))
