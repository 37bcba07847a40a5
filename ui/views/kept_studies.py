"""Studies kept on this server: keep the open one under a name, and open or remove kept ones."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from io import BytesIO
from zipfile import is_zipfile

import streamlit as st

from data.load import load_study
from data.study import DataError
from figures.style.escaping import esc, file_stem
from figures.style.numbers import count
from figures.style.wording import item_noun
from metrics.analysis.bundle import checked
from ui.frame import errors, look
from ui.frame.wording import plain
from ui.session import kept_studies, state

_SAID, _SURE, _NAME = "_kept_said", "_kept_sure", "kept_name"


def control(demo: bool, bundle: Callable[[], bytes]) -> None:
    """Show the panel of kept studies if this server has a folder for them; `bundle` packs the open study."""
    try:
        if kept_studies.folder() is None:
            return
        found, unread = kept_studies.listed()
    except DataError as why:
        st.error(plain(str(why)))
        return
    with st.popover(f"Kept studies: {len(found)}", icon=":material/bookmark:", key="kept_panel"):
        if said := st.session_state.pop(_SAID, ""):
            st.info(plain(said))
        if not demo:
            st.text_input("Name", key=_NAME, max_chars=kept_studies.LONGEST, placeholder="a name that distinguishes it")
            st.button("Keep this study", key="kept_keep", on_click=errors.callback(_keep), args=(bundle,))
        st.caption("Everybody who can reach this server can open and remove kept studies.")
        for one in found:
            _row(one)
        if unread:
            st.caption(f"{count(unread, 'file')} in the folder cannot be read as kept studies.")


def _row(one: kept_studies.Kept) -> None:
    size = f"{count(one.items, one.noun)}, {count(one.runs, 'run')}, {time.strftime('%Y-%m-%d', time.gmtime(one.when))}"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        look.block(f'<div class="tl-study"><b dir="auto">{esc(one.name)}</b><p>{esc(size)}</p></div>')
        st.button("Open", key=f"kept_open_{one.key}", on_click=errors.callback(_open), args=(one,))
        sure = st.session_state.get(_SURE) == one.key
        words = "Remove for good" if sure else "Remove"
        key = f"kept_remove_{one.key}"
        st.button(words, key=key, type="tertiary", on_click=errors.callback(_remove), args=(one, sure))


def _keep(bundle: Callable[[], bytes]) -> None:
    study = state.whole_study()

    def work() -> str:
        new = kept_studies.keep(st.session_state[_NAME], len(study.items), len(study.runs), bundle(), item_noun(study))
        return f"Kept as {new.name}, with every number that is finished."

    _say(work)


def _open(one: kept_studies.Kept) -> None:
    def work() -> str:
        bundle = kept_studies.read(one.key)
        loaded = checked(load_study([(f"{file_stem(one.name)}.trilens.zip", bundle)]))
        if loaded.study is None or not is_zipfile(BytesIO(bundle)):
            raise DataError(f"Not opened: the bundle of {one.name} is damaged. Remove it, and keep the study again.")
        if not state.open_study(loaded):
            raise DataError("Not opened: studies that others have open fill this server's memory. Try again later.")
        return f"Opened {one.name}."

    _say(work)


def _remove(one: kept_studies.Kept, sure: bool) -> None:
    if sure:
        st.session_state.pop(_SURE, None)
        _say(partial(_removed, one))
    else:
        st.session_state[_SURE] = one.key
        st.session_state[_SAID] = f"Press again to remove {one.name} for everybody and for good."


def _removed(one: kept_studies.Kept) -> str:
    kept_studies.remove(one.key)
    return f"Removed {one.name}."


def _say(work: Callable[[], str]) -> None:
    try:
        st.session_state[_SAID] = work()
    except DataError as why:
        st.session_state[_SAID] = str(why)
