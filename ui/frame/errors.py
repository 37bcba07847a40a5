"""Show errors as a sentence on the page; the reason, with its traceback, is only in the server's log.

Without this, Streamlit's own text would appear, which does not help the reader.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec

import streamlit as st

from ui.frame import look

log = logging.getLogger(__name__)
_FAILED = "_callback_failed"
P = ParamSpec("P")


@contextmanager
def reported(where: str) -> Iterator[None]:
    """Run a block; on an error, show a sentence below its output, and log the error under `where`."""
    try:
        yield
    except Exception:
        log.exception("%s failed", where)
        look.failed()


def fragment(run_every: float | None = None) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Return a decorator like `st.fragment` that reruns the function every `run_every` seconds, unless this is None.

    On an error, the page shows a sentence.
    """

    def decorate(body: Callable[P, None]) -> Callable[P, None]:
        @wraps(body)
        def safe(*args: P.args, **kwargs: P.kwargs) -> None:
            with reported(f"{body.__module__}.{body.__qualname__}"):
                body(*args, **kwargs)

        return st.fragment(safe, run_every=run_every)

    return decorate


def callback(body: Callable[P, None]) -> Callable[P, None]:
    """Decorate a callback such as `on_click`, which runs before the page; `callbacks` reports a failure on the page."""

    @wraps(body)
    def safe(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            body(*args, **kwargs)
        except Exception:
            log.exception("%r failed", body)
            st.session_state[_FAILED] = True

    return safe


def callbacks() -> None:
    """Show a sentence, once, if a callback failed before this run of the page."""
    if st.session_state.pop(_FAILED, False):
        look.failed()
