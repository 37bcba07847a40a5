"""Values that a session stores for the open study, and that are hidden while another study is open."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ui.session import state


def get(name: str) -> Any:
    """Return the value stored under the name for the open study, or None."""
    digest, value = st.session_state.get(name, ("", None))
    return value if digest == state.whole_study().digest else None


def keep(name: str, value: Any) -> None:
    """Store a value under the name for the open study, replacing another study's."""
    st.session_state[name] = state.whole_study().digest, value


def drop(*names: str) -> None:
    """Forget the values under these names, for whichever study."""
    for name in names:
        st.session_state.pop(name, None)
