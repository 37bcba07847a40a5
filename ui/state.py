"""What is open in this session: the study, who is asking, and the part of the view that the address carries."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from functools import cache as once

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from data.load import Loaded
from data.study import Study
from figures.numbers import count
from figures.words import noun
from ui import look

DEMO = "demo"
KEPT = 64
_SESSION, _STUDY, _NOTICE = "_session", "_study", "_notice"


class Library:
    """Uploaded studies of all sessions by unguessable token: who has the link can open one, nobody can list them."""

    def __init__(self, kept: int = KEPT) -> None:
        self.kept = kept
        self._studies: OrderedDict[str, Loaded] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, loaded: Loaded) -> str:
        """Keep a study; its token. The least recently used is given up when there are too many."""
        token = secrets.token_urlsafe(16)
        self.replace(token, loaded)
        return token

    def replace(self, token: str, loaded: Loaded) -> None:
        """Keep a study under a token that is known."""
        with self._lock:
            self._studies[token] = loaded
            self._studies.move_to_end(token)
            while len(self._studies) > self.kept:
                self._studies.popitem(last=False)

    def get(self, token: str) -> Loaded | None:
        """The study of that token, or None."""
        with self._lock:
            if token in self._studies:
                self._studies.move_to_end(token)
            return self._studies.get(token)

    def remove(self, token: str) -> None:
        """Forget a study."""
        with self._lock:
            self._studies.pop(token, None)


@once
def library() -> Library:
    """The studies of this server."""
    return Library()


@once
def demo() -> Loaded:
    """The demo study, which every session shares."""
    from data.demo import load

    return Loaded(load(), (), ())


def session() -> str:
    """A name for this browser session, known to nobody else."""
    if _SESSION not in st.session_state:
        context = get_script_run_ctx()
        st.session_state[_SESSION] = f"{context.session_id if context else ''} {secrets.token_urlsafe(16)}"
    return str(st.session_state[_SESSION])


def token() -> str:
    """Token of the open study: the address first, then the session, else the demo. The address always shows it."""
    wanted = str(st.query_params.get("study") or st.session_state.get(_STUDY) or DEMO)
    if wanted != DEMO and library().get(wanted) is None:
        st.session_state[_NOTICE] = "That study is no longer on this server: drop its files again. This is the demo."
        wanted = DEMO
    _show(wanted)
    return wanted


def loaded() -> Loaded:
    """The open study with its files and findings."""
    return library().get(token()) or demo()


def study() -> Study:
    """The open study."""
    found = loaded().study
    return found if found is not None else demo().study  # type: ignore[return-value]


def is_demo() -> bool:
    """True if no study of the user's own is open."""
    return token() == DEMO


def open_study(new: Loaded) -> None:
    """Make an uploaded study the open one."""
    _show(library().add(new))


def change_study(changed: Loaded) -> None:
    """The open study after other repairs."""
    library().replace(token(), changed)


def open_demo() -> None:
    """Go back to the demo; an uploaded study stays under its link."""
    _show(DEMO)


def close_study() -> None:
    """Forget the open study on this server."""
    library().remove(token())
    _show(DEMO)


def notice() -> str | None:
    """A message for the next page to show once."""
    found: str | None = st.session_state.pop(_NOTICE, None)
    return found


def study_card() -> look.StudyCard:
    """What the sidebar says of the open study."""
    open_now = study()
    counts = {len(item.references) for item in open_now.items}
    sizes = {len(captions) for run in open_now.runs for captions in run.candidates.values()}
    first = f"{count(len(open_now.items), noun(open_now))} · {_range(counts, 'reference')}"
    second = f"{count(len(open_now.runs), 'run')} · {_range(sizes, 'candidate')}" if open_now.runs else "no runs"
    return look.StudyCard(open_now.name, (first, second), "Synthetic captions" if open_now.synthetic else "")


def _show(wanted: str) -> None:
    st.session_state[_STUDY] = wanted
    if wanted == DEMO:
        if "study" in st.query_params:
            del st.query_params["study"]
    elif st.query_params.get("study") != wanted:
        st.query_params["study"] = wanted


def _range(counts: set[int], noun: str) -> str:
    if not counts:
        return f"no {noun}s"
    low, high = min(counts), max(counts)
    return count(low, noun) if low == high else f"{low} to {high} {noun}s"
