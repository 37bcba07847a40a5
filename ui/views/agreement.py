"""The Judgments page's second part: metrics against each other, and the captions on which two disagree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data.study import Study
from figures.agreement import words
from figures.agreement.matrix import Cells, cell_height, matrix
from figures.agreement.pair import drawn_points, scatter
from figures.judgments.html import RatedCaption, rated_captions
from figures.style.numbers import count, num
from figures.style.run_names import short_names
from figures.style.wording import text_noun
from metrics.analysis.agreement.matrix import STATISTICS, Agreement, Statistic, agreement, ends, order, telling_pair
from metrics.analysis.agreement.observations import OVER, Observations, Over, observations, varying
from metrics.analysis.agreement.pair import Disagreement, disagreements
from metrics.analysis.judgments.points import Values
from metrics.analysis.replicates.grouping import replicated, replicates
from metrics.base import Metric
from metrics.mathematics.arrays import Floats
from ui.frame import look
from ui.jobs import progress
from ui.jobs.jobs import ScoreView, jobs
from ui.session import address, state
from ui.widgets import figure, metric_picker, run_picker, show
from ui.widgets.image_picker import row

EVERY = 99
_SHOWN = 2
"""Maximum number of captions shown for a value of an item; the others are counted."""


@dataclass(frozen=True)
class AgreementChoice:
    """The state of the controls: the study with the chosen runs, the metrics, what the points are, and the correlation.

    `options` is the area for more controls.
    """

    study: Study
    metrics: tuple[Metric, ...]
    over: Over
    statistic: Statistic
    options: DeltaGenerator


def nothing(study: Study) -> bool:
    """Return True, and show a message that says what to add, if a study has neither runs nor systems."""
    if study.runs or study.systems:
        return False
    run_picker.no_runs(study)
    return True


def choose(study: Study, bar: DeltaGenerator) -> tuple[AgreementChoice, ScoreView]:
    """Show the controls in their row; return the choice and the numbers of the metrics."""
    able = _able(study)
    with bar:
        with row("content"):
            over = address.select("Over", "over", able, able[0], format_func=lambda one: words.over_name(one, study))  # type: ignore[arg-type]
        metrics: tuple[Metric, ...] = ()
        if study.runs and over != "systems":
            single = over in ("items", "captions")
            metrics = metric_picker.pick_metrics(study, EVERY, suits=lambda one: one.of_items or not single)
        options = st.popover(":gray[Options]", key="options_panel", type="tertiary")
        with options:
            statistic = address.select(
                "Correlation",
                "correlation",
                list(STATISTICS),
                STATISTICS[0],
                format_func=lambda one: words.STATISTIC[one],  # type: ignore[index]
            )
    if metrics:
        with options:
            chosen = run_picker.runs(study)
        study = study.only(runs=[run.name for run in chosen])
    numbers = jobs().view(study, metrics, state.session()) if metrics else ScoreView({})
    return AgreementChoice(study, metrics, over, statistic, options), numbers  # type: ignore[arg-type]


def _able(study: Study) -> list[Over]:
    same = not replicated(replicates(study.runs))
    without = {"settings"} if same else set()
    without |= set() if study.systems else {"systems"}
    without |= set() if study.runs else {"items", "captions", "runs"}
    return [one for one in OVER if one not in without]


def show_agreement(choice: AgreementChoice, numbers: ScoreView) -> None:
    """Show the verdict, the matrix, and the scatter plot and captions of the chosen pair.

    While fewer than two metrics have numbers, and while correlations are computed, a skeleton of the matrix is shown.
    """
    results, tall = numbers.results, len(choice.metrics) * cell_height(len(choice.metrics))
    with progress.during("Comparing the metrics with each other", tall, "half"):
        found = varying(observations(choice.study, results, choice.metrics, choice.over))
        both = agreement(found) if len(found.names) > 1 else None
    progress.show(numbers, height=tall if both is None else 0, shape="half")
    if both is None:
        if numbers.job is None:
            look.empty("Fewer than two metrics to compare", words.too_few(choice.over, choice.study))
        return
    labels = [one if isinstance(one, str) else one.label for one in metric_picker.known(found.names).values()]
    values = both.of(choice.statistic)
    between = ends(found, both, choice.statistic)
    known = list(metric_picker.known(found.names).values())
    judged = [isinstance(one, str) or one.has_better_side for one in known]
    lengths = [not isinstance(one, str) and one.more_means == "longer" for one in known]
    look.verdict(*words.verdict(values, between, labels, choice.over, choice.study, judged, lengths))
    place = order(values)
    pair = telling_pair(values, between[0], found.walls, lengths) or (place[0], place[1])
    _figure(choice, found, both, labels, place, _pair(choice, found, values, pair), results)


def _pair(choice: AgreementChoice, found: Observations, values: Floats, pair: tuple[int, int]) -> tuple[int, int]:
    names = list(found.names)
    with choice.options:
        across = metric_picker.select("Scatter, across", "across", metric_picker.known(names), names[pair[0]])
        first = names.index(across)
        others = [name for name in names if name != across]
        rest = [names[k] for k in pair if k != first] if first in pair else others
        least = min(rest, key=lambda name: np.nan_to_num(values[first, names.index(name)], nan=1.0))
        up = metric_picker.select("Scatter, upward", "up", metric_picker.known(others), least)
    return first, names.index(up)


def _figure(
    choice: AgreementChoice,
    found: Observations,
    both: Agreement,
    labels: Sequence[str],
    place: Sequence[int],
    pair: tuple[int, int],
    results: Values,
) -> None:
    cells, alt = _cells(choice, found, both, labels, place, pair), words.alt(both.of(choice.statistic), labels)

    def body() -> None:
        with st.container(key="tl-agreement"):
            left, right = st.columns((0.69, 0.31), gap="medium")
            with left:
                for key, narrow, take in (("wide", False, _take), ("narrow", True, _take_narrow)):
                    with st.container(key=f"tl-{key}-pairs"):
                        show.plot(matrix(cells, look.mode(), narrow), f"agreement_{key}", alt, take)
            with right:
                look.note(*words.pair_line(both, choice.statistic, pair, labels, choice.over, choice.study))
                _scatter(found, labels, pair)
        _apart(choice, found, labels, pair, results)

    facts = words.facts(found, both, choice.statistic, choice.study, len(drawn_points(found, *pair)))
    facts += _further(choice, found, results)
    signatures = [metric.signature for metric in choice.metrics if metric.name in found.names]
    figure.figure(
        "agreement",
        words.title(choice.over, choice.statistic, choice.study),
        "more ink: more alike; red with a minus: the opposite order",
        draw=lambda on: matrix(
            replace(cells, chosen=on.on_screen(cells.chosen)), on.mode, bool(on.width and on.width < 500)
        ),
        body=body,
        alt=alt,
        twin=figure.Twin(words.table(both, labels, place)),
        foot=figure.Foot(facts, words.HOW, signatures),
        metrics=choice.metrics,
        name=f"agreement of metrics, {choice.over}",
    )


def _further(choice: AgreementChoice, found: Observations, results: Values) -> list[str]:
    runs = [run.name for run in choice.study.runs]
    waiting = {m.name for m in choice.metrics if any((run, m.name) not in results for run in runs)}
    said = words.turned([metric for metric in choice.metrics if metric.name in found.names])
    return list(filter(None, [said, words.left_out(found, choice.metrics, waiting, choice.study)]))


def _cells(
    choice: AgreementChoice,
    found: Observations,
    both: Agreement,
    labels: Sequence[str],
    place: Sequence[int],
    pair: tuple[int, int],
) -> Cells:
    """The matrix in display order; the row of the chosen cell is the metric on the scatter plot's vertical axis."""
    chosen = (found.names[pair[1]], found.names[pair[0]])
    values, n = both.of(choice.statistic)[place][:, place], both.n[place][:, place]
    return Cells([found.names[k] for k in place], [labels[k] for k in place], values, n, chosen)


def _scatter(found: Observations, labels: Sequence[str], pair: tuple[int, int]) -> None:
    names = (labels[pair[0]], labels[pair[1]])
    marked = [one.point for some in disagreements(found, *pair, most=1) for one in some]
    said = f"{names[1]} against {names[0]}"
    show.plot(scatter(found, *pair, names, marked, look.mode()), "agreement_pair", said)


def _apart(
    choice: AgreementChoice, found: Observations, labels: Sequence[str], pair: tuple[int, int], results: Values
) -> None:
    keys = [found.names[k] for k in pair]
    inner = (
        found if choice.over in ("items", "captions") else observations(choice.study, results, choice.metrics, "items")
    )
    if not set(keys) <= set(inner.names):
        return
    of = (inner.names.index(keys[0]), inner.names.index(keys[1]))
    names, where, short = (
        (labels[pair[0]], labels[pair[1]]),
        disagreements(inner, *of, most=1),
        short_names(choice.study.runs),
    )
    with st.grid(2, min_column_width=380, gap=("medium", "small")) as two:
        for (one, other), some in zip((names, names[::-1]), where):
            said = [_caption(choice.study, inner, names, point, short) for point in some]
            with two.cell():
                look.block(rated_captions(f"{one} places it higher than {other}", said))


def _caption(
    study: Study, found: Observations, names: tuple[str, str], one: Disagreement, short: dict[str, str]
) -> RatedCaption:
    run, item = study.runs[int(found.run[one.point])], study.items[int(found.item[one.point])]
    captions, place = run.candidates.get(item.id, ()), int(found.place[one.point])
    text = captions[place] if place >= 0 else " · ".join(dict.fromkeys(captions[:_SHOWN]))
    rest = 0 if place >= 0 else len(captions) - _SHOWN
    more = f", and {count(rest, f'more {text_noun(study)}')}" if rest > 0 else ""
    return RatedCaption(text, _said(names, one), f"{short[run.name]}{more}", item.references)


def _said(names: tuple[str, str], one: Disagreement) -> str:
    return f"{names[0]} {num(one.first, 2)}, {names[1]} {num(one.second, 2)}"


def _take() -> None:
    _choose("agreement_wide")


def _take_narrow() -> None:
    _choose("agreement_narrow")


def _choose(key: str) -> None:
    for up, across in show.picked(key)[:1]:
        address.store("across", str(across))
        address.store("up", str(up))
