"""Which sessions have a connected browser."""

from __future__ import annotations

from streamlit import runtime


def connected(owner: str) -> bool:
    """Return whether the browser of a session (as named by `state.session`) is connected, whatever page it shows."""
    return runtime.exists() and runtime.get_instance().is_active_session(owner.partition(" ")[0])
