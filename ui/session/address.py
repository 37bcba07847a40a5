"""The state of a view in its address: a copied link opens the same view, and pages share their choices.

Streamlit can bind widgets to the address only with fixed defaults; here defaults depend on the data. The rules for what
the address contains are in `visit`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from ui.frame import errors, look
from ui.frame.wording import with_typed_spaces
from ui.session import run_links, slices, state, visit

PAGES = Path(__file__).resolve().parents[2] / "pages"
_UNKNOWN, _PAGE, _OF = "_unknown_choices", "_unknown_of", "_choices_of_"
NOUNS = {
    "a": "run",
    "b": "run",
    "base": "run",
    "main": "metric",
    "other": "metric",
    "across": "metric",
    "up": "metric",
    "with": "part",
    "along": "axis",
    "compare": "part",
    "rank": "metric to rank by",
    "show": "view",
    "images_as": "view",
    "own": "metric with own settings",
    "by_quality": "quality metric",
    "second": "quality metric",
    "by_people": "distance to people",
    "scored_by": "metric",
    "within": "slice",
    "unit": "kind of word",
    "differing": "image",
    "models": "model",
    "runs": "run",
}
"""Nouns for messages about parameters whose own names are unclear."""
SEVERAL = {"beside": "run", "drawn": "run", "area": "area", "pick": "caption", "models": "models"}
"""Parameters with several values, with the nouns for them in messages; values that do not exist are reported."""
METRIC = ("rank", "main", "by", "scored_by", "quality-metric", "by_quality")
PAIR = (("a", "of"), ("b", "against"))
"""The two compared runs, each with the names that different pages use for it."""
SECOND = ("diversity-metric", "by_people")
"""Parameters for a page's second metric, which follows the metric chosen on other pages but is not followed by any."""
FOLLOWED = frozenset((*METRIC, *SECOND, *(name for pair in PAIR for name in pair)))
"""Parameters whose value starts from the choice on another page, which may use another name for it."""
CONSEQUENCES = {"area": "none is drawn", "models": "the others are shown", "runs": "the others are shown"}


def page_file(name: str) -> Path:
    """Return the file of a page by its name, as registered in the navigation."""
    return PAGES / f"{name}.py"


def enter(page: str) -> None:
    """Begin a run of a page: drop messages left by a run of another page or of another study.

    Messages of an interrupted run of the same page are shown by the next run, because their cause is no longer in the
    address.
    """
    visit.begin(page)
    if visit.is_back() and "slice_items" not in st.query_params:
        slices.leave()
    here = page, state.token()
    if st.session_state.get(_PAGE) != here:
        st.session_state[_PAGE], st.session_state[_UNKNOWN] = here, []
    run_links.bring(page)


def page() -> str:
    """Return the address of the current page; "" for the first page, and outside pages."""
    found: tuple[str, str] = st.session_state.get(_PAGE, ("", ""))
    return found[0]


def leave() -> None:
    """End a run of a page: write its choices to the address."""
    visit.end()


def store(name: str, *values: str) -> None:
    """Store the values of a choice, as if the reader had made it."""
    visit.touch(name)
    visit.put(name, values)
    visit.settle(name)
    run_links.settle(name)


def say(name: str, but: str = "") -> None:
    """Keep a choice in links to this page, even a default, unless it is `but`; call this before reading the choice."""
    visit.touch(name, (but,) if but else ())


def begin_with(name: str, value: str) -> None:
    """Set a default for this page that other pages do not adopt."""
    visit.put(name, (value,), by_default=True)
    visit.settle(name)


def keep(name: str, value: str, default: str) -> None:
    """Record the value that a page shows for an optional choice, and its default."""
    if visit.read(name) != (value,):
        visit.put(name, (value,), by_default=value == default)
    visit.settle(name)


def values(name: str) -> tuple[str, ...] | None:
    """Return the chosen values; None if there are none."""
    visit.touch(name)
    return visit.read(name)


def existing(name: str, known: Collection[str]) -> tuple[str, ...]:
    """Return the chosen values that exist; `show_unknown` reports those in the address that do not exist."""
    asked = values(name) or ()
    found = tuple(value for value in asked if value in known)
    if visit.was_asked(name) and found != asked:
        for value in asked:
            if value not in known:
                report_unknown(name, value)
        if found:
            visit.put(name, found)
        else:
            visit.drop(name)
    visit.settle(name)
    return found


def value(name: str) -> str:
    """Return the chosen value of a parameter (the last, if it has several); "" if nothing is chosen."""
    return (values(name) or ("",))[-1]


def value_or(name: str, default: str) -> str:
    """Return the chosen value of a parameter or, if nothing is chosen, the page's `default`.

    The default must not depend on the choice.
    """
    visit.touch(name, (default,))
    return value(name) or default


def is_asked(name: str) -> bool:
    """Return whether a value came with the address and no control has used it yet."""
    return visit.was_asked(name)


def has_choices() -> bool:
    """Return whether the page shows anything other than its defaults: choices, or a slice of the study."""
    return bool(set(visit.query()) - {"study"})


def query() -> dict[str, list[str]]:
    """Return the query for what this run has shown so far, for links to the same view."""
    return {name: list(values) for name, values in visit.query().items()}


def forget(*names: str) -> None:
    """Remove choices: the next view uses its defaults."""
    for name in names:
        visit.drop(name)


def begin_anew(*names: str) -> None:
    """Forget choices made for another study, because a large upload could otherwise wait for slow metrics."""
    key, token = _OF + names[0], state.token()
    if st.session_state.setdefault(key, token) != token:
        st.session_state[key] = token
        forget(*names)


def follow(name: str, options: Collection[str]) -> None:
    """Adopt the reader's choice of a metric, or of two runs, from pages on which this choice has another name."""
    same = next(same for same in ((*METRIC, *SECOND), *PAIR) if name in same)
    others = [other for other in same if other != name and other not in SECOND]
    visit.follow(name, others, options)


def select_one(name: str, options: Sequence[str], default: str, keep: bool = True) -> str:
    """Return the chosen option, or else `default`; `show_unknown` reports a value in the address that is not an option.

    Without `keep`, a default is not remembered: it may change once the numbers on which it depends exist.
    """
    visit.touch(name, (default,) if keep else None)
    requested = visit.read(name)
    if requested and requested[-1] in options:
        visit.put(name, requested[-1:])
        visit.settle(name)
        return requested[-1]
    if requested:
        report_unknown(name, requested[-1])
    if keep and not (name in (*METRIC, *SECOND) and visit.leave(name)):
        visit.put(name, (default,), by_default=True)
        visit.settle(name)
    return default


def select_several(name: str, options: Sequence[str], default: Sequence[str], keep: bool = True) -> tuple[str, ...]:
    """Return the chosen options, in the order of `options`, or else `default`, which is remembered only with `keep`.

    For names in SEVERAL, `show_unknown` reports values in the address that are not options.
    """
    default = tuple(option for option in options if option in default)
    visit.touch(name, default if keep else None)
    requested = visit.read(name)
    found = tuple(option for option in options if option in (requested or ()))
    by_default = requested is None or bool(requested and not found)
    if requested and name in SEVERAL and visit.was_asked(name):
        unknown = (value for value in dict.fromkeys(requested) if value not in options)
        _unknown_values().extend((SEVERAL[name], value, "") for value in unknown)
    if by_default:
        found = default
    if keep or not by_default:
        visit.put(name, found, by_default)
    visit.settle(name)
    return found


def select(
    label: str,
    name: str,
    options: Sequence[str],
    default: str,
    *,
    keep: bool = True,
    format_func: Callable[[str], str] = str,
    **kwargs: Any,
) -> str:
    """Show a select box whose choice is stored in the address; return the choice.

    Keyword arguments are passed to `st.selectbox`. Without `keep`, a default is not remembered. Typing finds an option,
    because its label has ordinary spaces.
    """
    key = f"{name}_select"
    st.session_state[key] = select_one(name, options, default, keep)
    said = lambda option: with_typed_spaces(format_func(option))  # noqa: E731
    st.selectbox(label, options, key=key, format_func=said, on_change=_take(name, key, options), **kwargs)
    return str(st.session_state[key])


def segments(
    label: str,
    name: str,
    options: Sequence[str],
    default: str,
    *,
    format_func: Callable[[str], str] = str,
    **kwargs: Any,
) -> str:
    """Show buttons, of which one is chosen; return the choice, which is stored in the address."""
    key = f"{name}_segments"
    st.session_state[key] = select_one(name, options, default)
    st.segmented_control(
        label,
        options,
        key=key,
        format_func=format_func,
        required=True,
        on_change=_take(name, key, options),
        **kwargs,
    )
    return str(st.session_state[key])


def toggle(label: str, name: str, help: str | None = None) -> bool:
    """Show a switch, off by default, whose state is stored in the address; return whether it is on."""
    key = f"{name}_toggle"
    st.session_state[key] = select_one(name, ("no", "yes"), "no") == "yes"

    def take() -> None:
        store(name, "yes" if st.session_state[key] else "no")

    st.toggle(label, key=key, on_change=errors.callback(take), help=help)
    return bool(st.session_state[key])


def pills(
    label: str,
    name: str,
    options: Sequence[str],
    default: Sequence[str],
    keep: bool = True,
    *,
    format_func: Callable[[str], str] = str,
    **kwargs: Any,
) -> tuple[str, ...]:
    """Show pills, several of which can be chosen; return the choice.

    The choice is stored in the address; a default is stored only with `keep`.
    """
    key = f"{name}_pills"
    st.session_state[key] = list(select_several(name, options, default, keep))

    def take() -> None:
        store(name, *(one for one in options if one in st.session_state[key]))

    st.pills(
        label,
        options,
        selection_mode="multi",
        key=key,
        format_func=format_func,
        on_change=errors.callback(take),
        **kwargs,
    )
    return tuple(st.session_state[key])


def text(label: str, name: str, **kwargs: Any) -> str:
    """Show a text field whose content is stored in the address; return the content.

    Keyword arguments are passed to `st.text_input`.
    """
    key = f"{name}_text"
    visit.touch(name, ())
    st.session_state[key] = (values(name) or ("",))[0]
    visit.settle(name)

    def take() -> None:
        store(name, *filter(None, [st.session_state[key]]))

    st.text_input(label, key=key, on_change=errors.callback(take), **kwargs)
    return str(st.session_state[key])


def _take(name: str, key: str, options: Sequence[str]) -> Callable[[], None]:
    """Return a callback that stores a widget's choice if it is one of `options`.

    A browser may still show the options of an earlier run of the page, and send one of these.
    """

    def take() -> None:
        if st.session_state.get(key) in options:
            store(name, st.session_state[key])

    return errors.callback(take)


def show_unknown() -> None:
    """Report, once, the values in the address that this study does not have; the frame reports hidden runs."""
    hidden = run_links.hidden()
    for name, value, why in _unknown_values():
        if value in hidden:
            continue
        instead = CONSEQUENCES.get(name, "another is shown")
        if why:
            look.note(look.Strong(value), f" cannot be computed: {why.rstrip('.')}; {instead}.")
            continue
        look.note(
            f"There is no {NOUNS.get(name, name).replace('-', ' ')} named ",
            look.Strong(value),
            f" in this {_whole(name)}; {instead}.",
        )
    st.session_state[_UNKNOWN] = []


def _whole(name: str) -> str:
    return "slice" if name == "image" and state.study() is not state.unsliced_study() else "study"


def report_unknown(name: str, value: str, why: str = "") -> None:
    """Have `show_unknown` report, once, that a value in the address does not exist.

    If `why` is given, the report is instead that the value cannot be shown, and why.
    """
    if visit.was_asked(name) and (name, value) not in [one[:2] for one in _unknown_values()]:
        _unknown_values().append((name, value, why))


def _unknown_values() -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = st.session_state.setdefault(_UNKNOWN, [])
    return found
