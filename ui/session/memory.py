"""What a reader has chosen, and how the address follows it.

Choices live in the session, so that they follow the reader from page to page. The address is read when the browser
brings something new (a link, Back, Forward) and written once, at the end of a run, with what this page alone has
chosen: no choices of other pages, and no defaults, which the same captions give again. What a page takes by default
stays on that page: elsewhere the conclusion would depend on the order in which pages are opened.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

ALWAYS = ("study", "slice", "slice_items")
"""Parameters of every page, kept by `state` and `slices`."""
PLACES = ("image",)
"""Choices of what is looked at, not of how it is judged: these follow although a page began with them by itself."""
PAIRS = (("a", "b"), ("of", "against"))
"""Choices of two runs that are compared: with the one that the reader chose, the other follows as it was shown."""
PREFIX = "_address_"
"""Of the names of choices in the session."""
_VISIT, _MARKS, _NAMES = "_memory_visit", "_memory_marks", "_memory_names"
_FOLLOWED = "_memory_followed"
Values = tuple[str, ...]
Query = dict[str, Values]


@dataclass
class Visit:
    """One page for as long as it is looked at."""

    page: str = ""
    sent: Query = field(default_factory=dict)
    """The address as the browser sent it last."""
    written: Query = field(default_factory=dict)
    """The address as this app wrote it last."""
    asked: set[str] = field(default_factory=set)
    """Choices that came with the address, and that no control has taken or refused yet."""
    defaults: dict[str, Values | None] = field(default_factory=dict)
    """The choices of this page in this run, with the default of each; None where it is unknown."""
    elsewhere: set[str] = field(default_factory=set)
    """Choices made on other pages that this one cannot show: it shows its defaults, and they stay."""
    begun: bool = False
    waits: set[str] = field(default_factory=set)
    """Jobs that this run of the page waits for."""


def begin(page: str) -> None:
    """Begin a run of a page: take over what is new in the address."""
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
    """End a run: write to the address what this page has chosen, in one step."""
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
    """Return what the address holds of the choices made so far in this run."""
    visit, present = _visit(), _query()
    found = {name: present[name] for name in ALWAYS if name in present}
    waiting = [name for name in visit.sent if visit.waits and name in visit.asked]
    for name in dict.fromkeys([*visit.defaults, *waiting]):
        if (values := read(name)) and name not in visit.elsewhere and not _is_default(visit, name, values):
            found[name] = values
    return found


def wait(job: str) -> bool:
    """Keep in the address what this run has not asked for yet; return False for a job that was noted before."""
    waits = _visit().waits
    begun = job not in waits
    waits.add(job)
    return begun


def touch(name: str, default: Values | None = None) -> None:
    """Note that this page has that choice; of several defaults the first is known not to follow from the choice."""
    _visit().defaults.setdefault(name, default)


def read(name: str) -> Values | None:
    """Return the chosen values, or what this page took by default; None if there are none."""
    here = name in PLACES or _marks().get(name) == _visit().page
    return _kept(name) if here or name not in _marks() or _is_chosen(name) else None


def _is_chosen(name: str) -> bool:
    """Whether the reader or a link chose it, or the other one of a pair."""
    pair = next((pair for pair in PAIRS if name in pair), (name,))
    return any(_marks().get(one, "") is None for one in pair)


def _kept(name: str) -> Values | None:
    found: Values | None = st.session_state.get(PREFIX + name)
    return found


def put(name: str, values: Values, by_default: bool = False) -> None:
    """Set a choice; one that a page takes `by_default` is none on other pages."""
    if read(name) == values and name in _marks():
        return
    visit = _visit()
    st.session_state[PREFIX + name] = values
    is_default = by_default or (name in visit.defaults and visit.defaults[name] == values)
    _marks()[name] = visit.page if is_default else None


def translate(name: str, new: Mapping[str, str]) -> None:
    """Have a choice name things as they are called now, whoever made it."""
    values = _kept(name) or ()
    if any(value in new for value in values):
        st.session_state[PREFIX + name] = tuple(new.get(value, value) for value in values)


def leave(name: str) -> bool:
    """Leave a choice as the reader made it on another page, as this one cannot show it; return False without one."""
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
    """Take over what the reader chose on other pages under these names, each choice once, if it is `among` the options.

    What the address asks for comes first, and Back and Forward show a view as it was.
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
    """Return whether a choice came with the address and was not settled yet."""
    return name in _visit().asked


def settle(name: str) -> None:
    """Note that the value in the address was taken or refused."""
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
    """Back and Forward show a view as it was: what its address does not have was a default then."""
    for name in st.session_state.get(_NAMES, {}).get(page, set()) - query.keys():
        if _marks().get(name) != page:
            drop(name)


def is_back() -> bool:
    """Return whether this run comes from the browser's Back or Forward."""
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
