"""*Own settings* in the metric picker: another instance of a metric, with a user's own parameters."""

from __future__ import annotations

from collections import ChainMap

import streamlit as st

from metrics.base import Metric
from metrics.parameters import Parameter, format_value, parameters, parse_instance
from metrics.registry import LEARNED, METRICS
from ui.frame import errors, look
from ui.jobs import study_metrics
from ui.session import address

PLAIN = ChainMap(METRICS, LEARNED)
_FAILED = "_own_settings_failed"
TYPED = ("text", "file")
"""Kinds that name a model or a file on the server; without options, these can be set only on the command line."""


def show() -> None:
    """Show the controls that choose a metric, set its parameters, and add it beside the plain one."""
    by = {name: metric for name, metric in PLAIN.items() if metric.family != "references" and settable(metric)}
    with st.expander("Own settings", icon=":material/edit:"):
        name = st.selectbox(
            "Metric with settings", list(by), format_func=lambda n: by[n].label, key="own_metric", index=None
        )
        if name is not None:
            for one in settable(by[name]).values():
                _field(name, one)
            st.button("Add", icon=":material/add:", key="own_add", on_click=_add, args=(name,))
        if why := st.session_state.pop(_FAILED, ""):
            look.note(why)
        if study_metrics.own():
            st.button("Remove all own settings", key="own_remove", type="tertiary", on_click=_remove)


def settable(metric: Metric) -> dict[str, Parameter]:
    """Return the parameters of a metric that can be set on a page, by name."""
    return {name: one for name, one in parameters(metric).items() if one.kind not in TYPED or one.options}


def _field(metric: str, one: Parameter) -> None:
    key, label = _key(metric, one), one.name.replace("_", " ").capitalize()
    kind = int if one.kind == "whole number" else float
    low, high = (None, None) if one.range is None else map(kind, one.range)
    if one.options:
        st.selectbox(label, one.options, index=one.options.index(str(one.default)), key=key)
    elif one.kind == "true or false":
        st.toggle(label, value=one.default, key=key)
    else:
        step, how = (1, "%d") if kind is int else (None, "%g")
        st.number_input(label, low, high, kind(one.default), step, how, key=key)


def _key(metric: str, one: Parameter) -> str:
    return f"own_{metric}_{one.name}"


@errors.callback
def _add(name: str) -> None:
    """Add the instance to the address and choose it, or show why that is not possible."""
    metric = PLAIN[name]
    texts = {key: format_value(st.session_state[_key(name, one)]) for key, one in settable(metric).items()}
    asked = f"{name}({','.join(f'{key}={text}' for key, text in texts.items())})"
    try:
        found = parse_instance(metric, asked, METRICS.values(), files=False)
    except ValueError as why:
        st.session_state[_FAILED] = str(why)
        return
    mine = study_metrics.own()
    if found.name not in PLAIN and len(mine) >= study_metrics.MOST:
        st.session_state[_FAILED] = f"There are {study_metrics.MOST} already: remove some first."
        return
    address.store(study_metrics.OWN_NAME, *dict.fromkeys([*(one.name for one in mine), *_unless_plain(found)]))
    address.store(found.family, *dict.fromkeys([*(address.values(found.family) or ()), found.name]))


def _unless_plain(metric: Metric) -> list[str]:
    return [] if metric.name in PLAIN else [metric.name]


@errors.callback
def _remove() -> None:
    names = {metric.name for metric in study_metrics.own()}
    for family in {metric.family for metric in study_metrics.own()}:
        address.store(family, *(name for name in address.values(family) or () if name not in names))
    address.forget(study_metrics.OWN_NAME)
