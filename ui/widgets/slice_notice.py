"""The slice that filters every page: a line above each page with a button to leave it, and a control to save one."""

from __future__ import annotations

from collections.abc import Collection

import streamlit as st

from data.slices import LONGEST_NAME
from data.study import Study
from figures.style.wording import item_noun
from ui.frame import errors, look
from ui.frame.wording import plain
from ui.session import slices, state


def notice() -> None:
    """Show the active slice, or that a link's slice does not belong to this study."""
    found, whole, part = slices.active(), state.unsliced_study(), state.study()
    if found is None:
        return
    if part is whole:
        slices.leave()
        look.note(
            "The slice ",
            look.Strong(found[0]),
            " of this link has no ",
            f"{item_noun(whole)}s of this study: all of them are shown.",
        )
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="slice_notice"):
        noun = item_noun(whole)
        size = f"{len(part.items):,} of {len(whole.items):,} {noun}s"
        st.caption(f"Slice **{plain(found[0])}**: {size} on every page.", width="content")
        st.button(
            f"All {noun}s",
            key="slice_leave",
            type="tertiary",
            icon=":material/close:",
            on_click=errors.callback(slices.leave),
            help="Removes the slice; it stays listed on the Slices page.",
        )


def save_control(name: str, items: Collection[str], key: str) -> None:
    """Show a control that saves these items of the open study under a name and filters every page by them."""
    whole = state.whole_study()
    with st.popover("Save as a slice", icon=":material/filter_alt:", type="tertiary", key=f"{key}_panel"):
        field = f"{key}_name"
        st.text_input("Name", value=name[:LONGEST_NAME], max_chars=LONGEST_NAME, key=field)

        def save() -> None:
            slices.save(whole, str(st.session_state[field]), items)

        st.button(f"Show only these {len(items):,} on every page", key=f"{key}_save", on_click=errors.callback(save))
        _saved(whole, key)


def _saved(whole: Study, key: str) -> None:
    for k, name in enumerate(slices.saved(whole)):
        st.button(
            plain(name),
            key=f"{key}_use_{k}",
            type="tertiary",
            icon=":material/filter_alt:",
            on_click=errors.callback(slices.use),
            args=(whole, name),
        )
