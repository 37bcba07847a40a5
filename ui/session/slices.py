"""The slice that filters every page: the address contains its name and its items, and nothing else is needed.

A filtered study is a cached study with fewer items; pages and caches know nothing of slices.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import streamlit as st

from data.slices import LONGEST_NAME, decode, encode, only_slice
from data.study import Study, digest, of_study

_NAME, _ITEMS, _SAVED, _BROUGHT = "slice", "slice_items", "_slices", "_slices_brought"
_KEPT = 8


def active() -> tuple[str, str] | None:
    """Return the name of the active slice and its items, as encoded in the address; None without one."""
    if _ITEMS in st.query_params:
        name = str(st.query_params.get(_NAME) or "slice")[:LONGEST_NAME]
        st.session_state[_ITEMS] = name, str(st.query_params[_ITEMS])
    found: tuple[str, str] | None = st.session_state.get(_ITEMS)
    return found


def query() -> dict[str, str]:
    """Return the part of a link that opens the active slice; {} if there is none."""
    found = active()
    return {} if found is None else {_NAME: found[0], _ITEMS: found[1]}


def filtered(study: Study) -> Study:
    """Return the study filtered by the active slice; unchanged if there is none, or if it has no items of the study."""
    found = active()
    if found is None:
        return study
    _show(found)
    known: dict[tuple[str, str], Study] = vars(study).setdefault("_slices", {})
    if found not in known:
        items = decode(study, found[1])
        if items is None:
            return study
        while len(known) >= _KEPT:
            known.pop(next(iter(known)))
        known[found] = only_slice(study, found[0], items)
    return known[found]


def bring(study: Study, brought: Mapping[str, str]) -> None:
    """Import the slices in the study's bundle, once; slices saved here under the same name take precedence."""
    known: set[str] = st.session_state.setdefault(_BROUGHT, set())
    if study.digest not in known:
        known.add(study.digest)
        saved(study).update({name: text for name, text in brought.items() if name not in saved(study)})


def saved(study: Study) -> dict[str, str]:
    """Return the slices that this session saved or that came with the study's bundle: their items by name.

    Slices belong to the items: studies of the same items with other runs or settings share them.
    """
    kept: dict[str, dict[str, str]] = st.session_state.setdefault(_SAVED, {})
    return kept.setdefault(_of_items(study), {})


def save(study: Study, name: str, items: Collection[str]) -> None:
    """Save items of a whole study under a name, and filter every page by them."""
    name = name.strip()[:LONGEST_NAME] or "slice"
    saved(study)[name] = encode(study, items)
    use(study, name)


def use(study: Study, name: str) -> None:
    """Filter every page by a saved slice."""
    st.session_state[_ITEMS] = name, saved(study)[name]
    _show((name, saved(study)[name]))


def resume(found: tuple[str, str] | None) -> None:
    """Filter every page by a slice that `active` returned earlier."""
    if found is not None:
        st.session_state[_ITEMS] = found
        _show(found)


def leave() -> None:
    """Show all items on every page again."""
    st.session_state.pop(_ITEMS, None)
    for name in (_NAME, _ITEMS):
        if name in st.query_params:
            del st.query_params[name]


@of_study
def _of_items(study: Study) -> str:
    return digest([[item.id for item in study.items], study.references_digest])


def _show(found: tuple[str, str]) -> None:
    for name, value in zip((_NAME, _ITEMS), found):
        if st.query_params.get(name) != value:
            st.query_params[name] = value
