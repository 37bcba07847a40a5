"""Captions on which a metric and people disagree, in two lists."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from data.study import Study
from figures.judgments.html import RatedCaption, rated_captions
from figures.style.numbers import num
from figures.style.run_names import short_names
from metrics.analysis.judgments.disagreements import Disagreement, disagreements
from metrics.analysis.judgments.points import Values, points
from metrics.base import Metric
from ui.frame import look


def show(
    study: Study, criterion: str, metric: Metric, results: Values, runs: Sequence[str] | None = None, most: int = 2
) -> None:
    """Show captions that the metric likes and people do not, and the reverse, at most `most` of each."""
    at = points(study, criterion, "mean", runs)
    likes, dislikes = disagreements(study, results, metric, at, most)
    short = short_names(study.runs)
    with st.grid(2, min_column_width=300, gap=("medium", "small")) as two:
        for title, some in (
            (f"{metric.label} places it higher than people", likes),
            (f"People place it higher than {metric.label}", dislikes),
        ):
            with two.cell():
                look.block(rated_captions(title, [_caption(study, metric, one, short) for one in some]))


def _caption(study: Study, metric: Metric, one: Disagreement, short: dict[str, str]) -> RatedCaption:
    run, item = study.runs[one.run], study.items[one.item]
    said = f"{metric.label} {num(one.value, 2)}, people {num(one.rating, 1)}"
    text = run.candidates[item.id][one.place]
    return RatedCaption(text, said, short[run.name], item.references)
