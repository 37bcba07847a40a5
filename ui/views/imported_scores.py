"""Imported scores on the Data page: their descriptions, which direction is better, and a file with all of them."""

from __future__ import annotations

import math
from functools import partial

import streamlit as st

from data.check import direct
from data.convert import scores_to_jsonl_bytes
from data.study import ImportedScores, Study
from figures.report.commands import IMPORTED
from figures.style.escaping import short
from figures.style.numbers import count
from figures.style.wording import item_noun
from metrics.base import Metric
from metrics.guide.documentation import bounds
from metrics.registry import imported_metrics
from ui.frame import errors
from ui.frame.wording import plain
from ui.session import state

SIDES = {"higher": True, "lower": False}


def control(study: Study) -> None:
    """Show a panel, one line when folded, with the imported metrics; nothing if there are none."""
    if not study.scores:
        return
    with st.popover(f"Imported scores: {len(study.scores)}", icon=":material/input:", key="imported_panel"):
        st.caption("Computed elsewhere, so only means, intervals and paired tests are computed here.")
        for scores, metric in zip(study.scores, imported_metrics(study).values()):
            st.segmented_control(
                plain(f"{short(scores.name, 40)}: better is"),
                list(SIDES),
                default=next(side for side, higher in SIDES.items() if higher == scores.higher_is_better),
                required=True,
                key=_key(study, scores),
                on_change=_take,
                args=(study, scores),
                help="Which direction of the metric is better; the file may say it in a column `higher_is_better`.",
            )
            st.caption(plain(f"{_size(study, scores)}; {_range(metric)}. {metric.signature}"))
        st.download_button(
            f"Save as {IMPORTED}",
            partial(scores_to_jsonl_bytes, study.scores),
            IMPORTED,
            "text/plain",
            key="imported_save",
            on_click="ignore",
            icon=":material/download:",
            help="All imported scores, for the command line",
        )


def _size(study: Study, scores: ImportedScores) -> str:
    values = [value for of in scores.values.values() for row in of.values() for value in row]
    known = sum(not math.isnan(value) for value in values)
    each = {"candidate": "caption", "item": item_noun(study), "run": "run"}[scores.grain]
    gaps = f", {count(len(values) - known, 'gap')}" if known < len(values) else ""
    return f"{count(known, 'value')}, one for each {each}{gaps}"


def _range(metric: Metric) -> str:
    return f"range {bounds(metric)}" if any(map(math.isfinite, metric.bounds)) else "no range stated"


def _key(study: Study, scores: ImportedScores) -> str:
    place = study.scores.index(scores)
    return f"imported_{place}_{scores.digest[:12]}_{scores.higher_is_better}"


@errors.callback
def _take(study: Study, scores: ImportedScores) -> None:
    side = st.session_state[_key(study, scores)]
    if side is not None:
        state.update(lambda old: direct(old, {scores.name: SIDES[side]}))
