"""The choices of a reader, and how they are mirrored in the address.

Choices live in the session, so that they follow the reader from page to page. The address is read when the browser
sends a new one (a link, Back, Forward) and written once, at the end of a run, with only the choices of this page: not
those of other pages, and not defaults, which the same captions yield again. A page's defaults stay on that page;
otherwise conclusions would depend on the order in which pages are opened.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

ALWAYS = ("study", "slice", "slice_items")
"""Parameters of every page, kept by `state` and `slices`."""
PLACES = ("image",)
"""Choices of what to look at, not of how to judge it: they carry over to other pages even as defaults."""
PAIRS = (("a", "b"), ("of", "against"))
"""Choices of two compared runs: if the reader chose one of them, the other carries over with it, as displayed."""
PREFIX = "_address_"
"""Prefix of the names of choices in the session."""
_VISIT, _MARKS, _NAMES = "_memory_visit", "_memory_marks", "_memory_names"
_FOLLOWED = "_memory_followed"
Values = tuple[str, ...]
Query = dict[str, Values]


@dataclass
class Visit:
    """One page, from its opening until another page is opened."""

    page: str = ""
    sent: Query = field(default_factory=dict)
    """The address that the browser last sent."""
    written: Query = field(default_factory=dict)
    """The address that this app last wrote."""
    asked: set[str] = field(default_factory=set)
    """Choices from the address that no control has used or refused yet."""
    defaults: dict[str, Values | None] = field(default_factory=dict)
    """The choices of this page in this run with their defaults; None for an unknown default."""
    elsewhere: set[str] = field(default_factory=set)
    """Choices made on other pages that this one cannot show: it shows defaults and leaves them unchanged."""
    begun: bool = False
    waits: set[str] = field(default_factory=set)
    """Jobs for which this run of the page waits."""


def begin(page: str) -> None:
    """Begin a run of a page: apply the changes in the address."""
    visit, query, back = _visit(), _query(), _is_back()
    if visit.page != page or back:
        visit = st.session_state[_VISIT] = Visit(page)
        _take(visit, query)
        if back:
            _forget_others(page, query)
    elif query not in (visit.sent, visit.written):
        _take(visit, {name: values for name, values in query.items() if visit.sent.get(name) != values})
    visit.sent, visit.defaults, visit.begun, visit.waits = query, {}, True, set()
    visit.elsewhere = set()


def end() -> None:
    """End a run: write the choices of this page to the address in one step."""
    visit = _visit()
    if not visit.begun:
        return
    visit.begun = False
    now = query()
    visit.written = now
    names: dict[str, set[str]] = st.session_state.setdefault(_NAMES, {})
    names.setdefault(visit.page, set()).update(visit.defaults)
    if now != _query():
        st.query_params.from_dict({name: list(of) if len(of) > 1 else of[0] for name, of in now.items()})


def query() -> Query:
    """Return the query for the choices made so far in this run of the page."""
    visit, present = _visit(), _query()
    found = {name: present[name] for name in ALWAYS if name in present}
    waiting = [name for name in visit.sent if visit.waits and name in visit.asked]
    for name in dict.fromkeys([*visit.defaults, *waiting]):
        if (values := read(name)) and name not in visit.elsewhere and not _is_default(visit, name, values):
            found[name] = values
    return found


def wait(job: str) -> bool:
    """Keep unread choices in the address while a job is pending; return False if this job was already recorded."""
    waits = _visit().waits
    begun = job not in waits
    waits.add(job)
    return begun


def waits() -> bool:
    """Return whether this run of the page has recorded a job."""
    return bool(_visit().waits)


def touch(name: str, default: Values | None = None) -> None:
    """Record that this page has that choice. The first default counts, because it cannot depend on the choice."""
    _visit().defaults.setdefault(name, default)


def read(name: str) -> Values | None:
    """Return the chosen values, or this page's defaults; None if there are none."""
    here = name in PLACES or _marks().get(name) == _visit().page
    return _kept(name) if here or name not in _marks() or _is_chosen(name) else None


def _is_chosen(name: str) -> bool:
    """Whether the reader or a link made this choice, or that of the other run of a pair."""
    pair = next((pair for pair in PAIRS if name in pair), (name,))
    return any(_marks().get(one, "") is None for one in pair)


def _kept(name: str) -> Values | None:
    found: Values | None = st.session_state.get(PREFIX + name)
    return found


def put(name: str, values: Values, by_default: bool = False) -> None:
    """Set a choice; one made `by_default` counts only on this page."""
    if read(name) == values and name in _marks():
        return
    visit = _visit()
    st.session_state[PREFIX + name] = values
    is_default = by_default or (name in visit.defaults and visit.defaults[name] == values)
    _marks()[name] = visit.page if is_default else None


def translate(name: str, new: Mapping[str, str]) -> None:
    """Replace old names in a choice by `new` ones, whether the reader or the page made the choice."""
    values = _kept(name) or ()
    if any(value in new for value in values):
        st.session_state[PREFIX + name] = tuple(new.get(value, value) for value in values)


def leave(name: str) -> bool:
    """Preserve a choice by the reader that this page cannot show; return False if there is none."""
    if was_asked(name) or read(name) is None or _marks().get(name, "") is not None:
        return False
    _visit().elsewhere.add(name)
    return True


def drop(name: str) -> None:
    """Remove a choice."""
    st.session_state.pop(PREFIX + name, None)
    _marks().pop(name, None)
    _visit().asked.discard(name)


def follow(name: str, others: Collection[str], among: Collection[str]) -> None:
    """Adopt the reader's choices under other names on other pages, each once, if they are `among` the options.

    The address takes precedence, and Back and Forward restore a view as it was.
    """
    followed: dict[tuple[str, str], Values] = st.session_state.setdefault(_FOLLOWED, {})
    for other in others:
        found = read(other) if _is_chosen(other) else None
        if found is None or followed.get((name, other)) == found:
            continue
        followed[name, other] = found
        if found[-1] in among and not was_asked(name) and not _is_back():
            put(name, found[-1:])


def was_asked(name: str) -> bool:
    """Return whether a choice came with the address and has not been settled yet."""
    return name in _visit().asked


def settle(name: str) -> None:
    """Record that the value in the address has been used or refused."""
    _visit().asked.discard(name)


def _is_default(visit: Visit, name: str, values: Values) -> bool:
    if (default := visit.defaults.get(name)) is not None:
        return values == default
    return _marks().get(name) == visit.page


def _take(visit: Visit, news: Query) -> None:
    for name, values in news.items():
        if name not in ALWAYS:
            st.session_state[PREFIX + name] = values
            _marks()[name] = None
            visit.asked.add(name)


def _forget_others(page: str, query: Query) -> None:
    """On Back and Forward, forget choices that the address lacks: in the view to restore, they were defaults."""
    for name in st.session_state.get(_NAMES, {}).get(page, set()) - query.keys():
        if _marks().get(name) != page:
            drop(name)


def is_back() -> bool:
    """Return whether the browser's Back or Forward led to this run of the page."""
    return _is_back()


def _is_back() -> bool:
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def _query() -> Query:
    return {name: tuple(st.query_params.get_all(name)) for name in st.query_params}


def _visit() -> Visit:
    found: Visit = st.session_state.setdefault(_VISIT, Visit())
    return found


def _marks() -> dict[str, str | None]:
    found: dict[str, str | None] = st.session_state.setdefault(_MARKS, {})
    return found
