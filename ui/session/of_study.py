"""What a session keeps about the open study, unseen while another study is open."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ui.session import state


def get(name: str) -> Any:
    """Return what was kept under the name while this study was open, None without."""
    digest, value = st.session_state.get(name, ("", None))
    return value if digest == state.whole_study().digest else None


def keep(name: str, value: Any) -> None:
    """Keep a value under the name for the open study, instead of another study's."""
    st.session_state[name] = state.whole_study().digest, value


def drop(*names: str) -> None:
    """Forget what was kept under the names, of whichever study."""
    for name in names:
        st.session_state.pop(name, None)
