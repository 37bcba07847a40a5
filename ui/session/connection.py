"""Which sessions have a browser that is connected."""

from __future__ import annotations

from streamlit import runtime


def connected(owner: str) -> bool:
    """True while the browser of a session (as `state.session` names it) is connected, whatever page it shows."""
    return runtime.exists() and runtime.get_instance().is_active_session(owner.partition(" ")[0])
