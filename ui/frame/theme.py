"""Detect a switch between light and dark: Streamlit updates its own parts at once, but does not rerun the page."""

from __future__ import annotations

from functools import cache

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

# Watches the page's displayed background: no traffic until it changes, then one rerun of the page.
_WATCH = """
export default function (component) {
  const host = component.parentElement.host || component.parentElement;
  const read = () => getComputedStyle(host).getPropertyValue('--st-background-color').trim();
  let seen = read();
  const timer = setInterval(() => {
    const now = read();
    if (now && seen && now !== seen) component.setTriggerValue('switched', now);
    seen = now || seen;
  }, 300);
  return () => clearInterval(timer);
}
"""


@cache
def _watcher() -> ComponentRenderer:
    return st.components.v2.component("trilens_theme", js=_WATCH)


def follow() -> None:
    """Rerun the page after a switch, so that figures and the logo are drawn for the new theme.

    The browser requests one run per change, so a run cannot cause another.
    """
    _watcher()(key="_theme", height=1, on_switched_change=lambda: None)
