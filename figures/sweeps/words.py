"""Sentences and tables of the sweeps: the best settings and how sure they are, the legend, and what is not drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from data.study import Run, Study
from figures.notes.hazards import few_texts
from figures.style.escaping import Strong, capital, short
from figures.style.lines import Line, Mark, decoder_name
from figures.style.numbers import count, defined, interval, num
from figures.style.wording import bootstrap, item_noun, names_in_a_row, no_resamples, sizes, skewed, so_far
from figures.sweeps.chart import digits_of, human_name
from metrics.analysis.sweeps import Curve, Decoder, Optimum, Point, SweepView, best_of, leader, tied_with
from metrics.base import Metric
from metrics.engine.result import PENDING

Parts = tuple[str, ...]
NAMED = 4
"""Most lines whose best temperatures a sentence lists; for more it gives the range."""
AT_ONCE = "95 %, all settings of a metric judged at once"


def goal_words(view: SweepView) -> str:
    """Return what the ring marks: "best", "nearest to people", "most diverse"."""
    if view.goal == "nearest":
        return "nearest to people"
    return "best" if view.metric.has_better_side else "most diverse"


def best_point(view: SweepView) -> tuple[Curve, Point] | None:
    """Return the line that comes nearest to the goal, and its best point; None without an optimum."""
    curve = leader(view)
    return (curve, curve.best) if curve is not None and curve.best is not None else None


def panel_sub(view: SweepView, marks: Mapping[Line, Mark]) -> str:
    """Return one line below a panel's title: the best point of all."""
    best = best_point(view)
    if best is None:
        return "No line with values at two temperatures."
    curve, point = best
    where = f"{short(_name(curve, marks), 24)} at T {point.setting.temperature:g}"
    return f"{capital(goal_words(view))}{so_far(_waiting(view))}: {where}, {num(point.value, digits_of(view))}"


def _waiting(view: SweepView) -> bool:
    """Whether values of its lines are still being computed."""
    return any(point.reason == PENDING for curve in view.curves for point in curve.points)


def alt(view: SweepView, marks: Mapping[Line, Mark]) -> str:
    """Return the text alternative of a panel."""
    digits = digits_of(view)
    said = []
    for curve in view.curves:
        known = [point for point in curve.points if defined(point.value)]
        if known:
            ends = [f"{num(p.value, digits)} at T {p.setting.temperature:g}" for p in (known[0], known[-1])]
            said.append(f"{_name(curve, marks)} {' to '.join(dict.fromkeys(ends))}")
    return f"{view.metric.label} by temperature. {'; '.join(said) or 'No values yet'}. {panel_sub(view, marks)}."


def verdict(views: Sequence[SweepView], marks: Mapping[Line, Mark]) -> Parts:
    """Return which line is best at which temperature by the main metric, how sure that is, and what quality prefers."""
    judged = [view for view in views if view.metric.has_better_side and leader(view)]
    if not judged:
        return _nothing(views)
    first = foremost(judged)
    if _waiting(first):
        return _best(first, marks)
    return (*_best(first, marks), *_others(first, marks), _quality(judged, first))


def foremost(judged: Sequence[SweepView]) -> SweepView:
    """Return the main view: by a metric of items, which can be resampled, and a distribution metric if possible."""
    return min(judged, key=lambda view: (not view.metric.of_items, view.metric.family != "distribution"))


def _nothing(views: Sequence[SweepView]) -> Parts:
    long = any(len(curve.points) > 1 for view in views for curve in view.curves)
    if not long:
        return (
            "No model has two temperatures with the same decoder, so there is no line to follow; "
            "the decoder view compares them side by side.",
        )
    if not any(view.metric.has_better_side for view in views):
        return ("The chosen metrics measure diversity, which has no better side. Add a distribution metric to judge.",)
    return ("No line has values at two temperatures yet.",)


def _best(view: SweepView, marks: Mapping[Line, Mark]) -> Parts:
    found = best_point(view)
    assert found is not None
    curve, point = found
    value = num(point.value, digits_of(view))
    if defined(point.low):
        value += f" ({interval(point.low, point.high, digits_of(view))})"
    value += _over_seeds(point)
    at = Strong(f"{_name(curve, marks)} at T {point.setting.temperature:g}")
    assert curve.optimum is not None
    several = len([c for c in view.curves if len(c.points) > 1]) > 1
    what = f"has the {_end(view)} {view.metric.label}" + (" of all lines" if several else "") + so_far(_waiting(view))
    if _waiting(view):
        return (at, f" {what}, {value}.")
    return (at, f" {what}, {value}{_tied(view, marks)}; {sure(curve.optimum, curve, no_resamples(view.metric))}.")


def _over_seeds(point: Point) -> str:
    """How many seeds a value is the mean of, "" of a single run."""
    return f" over {len(point.setting.runs)} seeds" if len(point.setting.runs) > 1 else ""


def _end(view: SweepView) -> str:
    return "highest" if view.goal == "highest" else "lowest"


def _tied(view: SweepView, marks: Mapping[Line, Mark]) -> str:
    """The lines that cannot be told from the leader, each at its own best temperature."""
    first = leader(view)
    others = {curve.best: _name(curve, marks) for curve in view.curves if curve.best and curve is not first}
    if first is None or first.best is None or not others:
        return ""
    tied = tied_with(view, first.best, list(others))
    if not tied:
        return ", better than every other line at its best"
    if not _resampled(first.best):
        return f", but {_no_interval(len(others))}"
    return f", though {names_in_a_row([others[point] for point in tied], 3)} may be as good at {_their(tied)} best"


def _their(points: Sequence[Point]) -> str:
    return "its" if len(points) == 1 else "their"


def _resampled(point: Point) -> bool:
    """Whether a point shares resamples with others; values of a whole run or of few items have none."""
    return bool(np.isfinite(point.boot).any())


def _no_interval(others: int, why: str = "") -> str:
    whom = "difference to the other has" if others == 1 else f"differences to the {others} others have"
    return f"its {whom} no interval{f' ({why})' if why else ''}, so their order is not sure"


def sure(optimum: Optimum, curve: Curve, why: str = "") -> str:
    """Return which temperatures may be a line's best; `why` they cannot be compared, if that is known."""
    if optimum.low is None or optimum.high is None:
        return f"whether another temperature is better cannot be told ({why or 'no resamples'})"
    low, high = (curve.sweep.settings[k].temperature for k in (optimum.low, optimum.high))
    if low == high:
        return "every other temperature tried is worse"
    return f"any temperature from {low:g} to {high:g} may be its best"


def _others(view: SweepView, marks: Mapping[Line, Mark]) -> Parts:
    found = best_point(view)
    assert found is not None
    others: list[Curve] = [curve for curve in view.curves if curve.optimum is not None and curve is not found[0]]
    if not others:
        return ()
    if len(others) > NAMED:
        at = [t for curve in others if (t := _best_temperature(curve)) is not None]
        return (f" The other {len(others)} lines have their {_end(view)} at T {min(at):g} to {max(at):g}.",)
    said: list[str] = []
    for curve in others:
        assert curve.optimum is not None
        ends = {len(curve.points) - 1: ", the hottest tried", 0: ", the coldest tried"}
        verb = f" has its {_end(view)}" if not said else ""
        said.append(f"{_name(curve, marks)}{verb} at T {_best_temperature(curve):g}{ends.get(curve.optimum.at, '')}")
    return (f" Of the others, {'; '.join(said)}.",) if len(others) > 1 else (f" {said[0]}.",)


def _quality(judged: Sequence[SweepView], first: SweepView) -> str:
    views = [view for view in judged if view.metric.family == "quality" and view is not first and not _waiting(view)]
    pairs = [curve.optimum.at == 0 for view in views for curve in view.curves if curve.optimum and not _flat(curve)]
    if not pairs:
        return ""
    names = names_in_a_row([view.metric.label for view in views])
    verb = "is" if len(views) == 1 else "are"
    lines = max(sum(curve.optimum is not None for curve in view.curves) for view in views)
    if all(pairs):
        whom = "every line" if lines > 1 else "the line"
        return f" {names} {verb} highest at the coldest temperature of {whom}."
    if not any(pairs):
        return f" {names} {verb} not highest at the coldest temperature of any line."
    return f" {names} {verb} highest at the coldest temperature in {sum(pairs)} of {len(pairs)} cases."


def _flat(curve: Curve) -> bool:
    """Whether no temperature is better than any other."""
    return len({point.value for point in curve.points if defined(point.value)}) < 2


def decoder_sub(view: SweepView, points: Sequence[Point]) -> str:
    """Return one line below a panel of decoders: the best setting shown."""
    best = best_of(view, points)
    if best is None:
        return ""
    return f"{capital(goal_words(view))}: {short(setting_name(best), 30)}, {num(best.value, digits_of(view))}"


def decoder_verdict(view: SweepView, points: Sequence[Point]) -> Parts:
    """Return which setting has the best value of a metric among the points shown, and which cannot be told from it."""
    metric, digits, best = view.metric, digits_of(view), best_of(view, points)
    if best is None:
        return (f"No setting shown has a value of {metric.label} yet.",)
    word = "highest" if metric.higher_is_better else "lowest"
    value = num(best.value, digits)
    if defined(best.low):
        value += f" ({interval(best.low, best.high, digits)})"
    value += _over_seeds(best)
    others = [point for point in points if defined(point.value) and point is not best]
    tied = tied_with(view, best, others)
    rest = "; it is the only setting with a value"
    if tied and not _resampled(best):
        rest = f", but {_no_interval(len(others), no_resamples(metric))}"
    elif tied:
        rest = f", though {names_in_a_row([setting_name(point) for point in tied], 3)} may be as good"
    elif others:
        rest = f", better than all {len(others)} others" if len(others) > 1 else ", better than the other"
    return (Strong(setting_name(best)), f" has the {word} {metric.label}, {value}{rest}.")


def setting_name(point: Point) -> str:
    """Return "Oracle, nucleus 0.9, T 1", or "Oracle" alone if the study says no more."""
    setting = point.setting
    parts = [] if setting.model == setting.decoder.kind else [setting.model]
    if parts != [setting.model] or setting.decoder != Decoder(""):
        parts.append(decoder_name(setting.decoder))
    if setting.temperature is not None:
        parts.append(f"T {setting.temperature:g}")
    return ", ".join(parts)


def footer(study: Study, runs: Sequence[Run], views: Sequence[SweepView], decoders: bool = False) -> str:
    """Return the sample size and the meaning of bands, rings and dashes."""
    one = item_noun(study)
    marks = "Whiskers" if decoders else "Bands and whiskers"
    words = [f"n = {count(len(study.items), one)}, {sizes(study, runs)}."]
    words.append(bootstrap(study, marks, len(study.items), ", the same for every run"))
    optima = [curve.optimum for view in views for curve in view.curves if curve.optimum and not decoders]
    if optima:
        sure = any(optimum.low is not None for optimum in optima)
        bars = f"; bars below: the temperatures that may be best, {AT_ONCE}" if sure else ""
        words.append(f"Ring: the best temperature of a line{bars}.{skewed(study) if sure else ''}")
    if any(len(point.setting.runs) > 1 for view in views for point in view.points):
        words.append(
            "Runs of one model, decoder and temperature (other seeds) are averaged; small dots are each. "
            f"Bands are over {one}s alone; what may be best is judged over {one}s and seeds."
        )
    few = few_texts(study, [view.metric for view in views], runs)
    return " ".join([*words, *few, *_people(views)])


def print_footer(study: Study, runs: Sequence[Run], view: SweepView, decoders: bool = False) -> str:
    """Return the footer of one figure on paper: the sample size and the meaning of its bands, rings and dashes."""
    points = view.points if decoders else [point for curve in view.curves for point in curve.points]
    said = [f"n = {count(len(study.items), item_noun(study))}, {sizes(study, runs)}."]
    if any(defined(point.low) and defined(point.high) for point in points):
        said.append(f"{'Whiskers' if decoders else 'Bands'}: 95 % intervals.")
    optima = [] if decoders else [curve.optimum for curve in view.curves if curve.optimum]
    if optima:
        bars = "; rows below: what may be best (95 %)" if any(optimum.low is not None for optimum in optima) else ""
        said.append(f"Rings: {goal_words(view)}{bars}.")
    if not decoders and any(len(point.setting.runs) > 1 for point in points):
        said.append("Small dots: single runs.")
    if defined(view.human.value):
        grey = ", grey: 95 % interval" if defined(view.human.low) and defined(view.human.high) else ""
        said.append(f"Dashed: {human_name(view.metric).lower()}{grey}.")
    return " ".join(said)


def _people(views: Sequence[SweepView]) -> list[str]:
    groups: dict[str, list[str]] = {}
    for view in views:
        human = view.human
        said = f"Dashed line: {human.about}" if defined(human.value) else f"No line of people: {human.reason}"
        groups.setdefault(said, []).append(view.metric.label)
    return [f"{', '.join(names)}: {said}." for said, names in groups.items()]


def table(views: Sequence[SweepView]) -> pd.DataFrame:
    """Return one row per number: model, decoder, temperature, metric, value, interval, items, runs behind it.

    Where a setting has several seeds there are their standard deviation and their share of the variance of one run.
    """
    found = [(view, point) for view in views for curve in view.curves for point in curve.points]
    found += [(view, point) for view in views for point in view.off_line]
    rows = pd.DataFrame([_row(*one) for one in found], columns=_COLUMNS)
    if any(len(point.setting.runs) > 1 for _, point in found):
        rows["sd of seeds"] = [point.sd for _, point in found]
        rows["Seed share"] = [point.share for _, point in found]
        rows["No share"] = [point.no_share or _ONE_RUN * (len(point.setting.runs) == 1) for _, point in found]
    return rows


_COLUMNS = ["Model", "Decoder", "T", "Metric", "Value", "95 % from", "95 % to", "n", "Runs"]
_ONE_RUN = "one run"


def _row(view: SweepView, point: Point) -> list[object]:
    setting = point.setting
    temperature = np.nan if setting.temperature is None else setting.temperature
    return [
        setting.model,
        decoder_name(setting.decoder),
        temperature,
        view.metric.label,
        point.value,
        point.low,
        point.high,
        point.n,
        ", ".join(setting.runs),
    ]


def off_axis(views: Sequence[SweepView]) -> pd.DataFrame:
    """Return one row for each setting that is on no line, with its values of all metrics."""
    if not views or not views[0].off_line:
        return pd.DataFrame()
    rows: list[dict[str, object]] = []
    for k, point in enumerate(views[0].off_line):
        names = {"Run": ", ".join(point.setting.runs), "Decoder": decoder_name(point.setting.decoder)}
        rows.append(names | {view.metric.label: view.off_line[k].value for view in views})
    return pd.DataFrame(rows)


def reasons(points: Sequence[tuple[Metric, Point]]) -> str:
    """Return why numbers are missing, grouped by reason: "TRM METEOR: needs 2 candidates, has 1 (greedy)."

    Numbers that a job is still computing are not mentioned.
    """
    said: dict[tuple[str, str], list[str]] = {}
    for metric, point in points:
        if not defined(point.value) and point.reason != PENDING:
            key = ", ".join(point.setting.runs), point.reason or "undefined"
            said.setdefault(key, []).append(metric.label)
    whole: dict[tuple[str, str], list[str]] = {}
    for (run, why), names in said.items():
        whole.setdefault((names_in_a_row(names), why), []).append(run)
    return " ".join(f"{names}: {why} ({names_in_a_row(runs)})." for (names, why), runs in whole.items())


def optima(views: Sequence[SweepView], marks: Mapping[Line, Mark]) -> pd.DataFrame:
    """Return the optimum of every line by every metric: its temperature, and the range of possible best ones."""
    rows = []
    for view in views:
        for curve in view.curves:
            if (best := curve.optimum) is not None:
                stops = curve.sweep.settings
                ends = [np.nan if k is None else stops[k].temperature for k in (best.low, best.high)]
                value = curve.points[best.at].value
                rows.append(
                    [view.metric.label, _name(curve, marks), goal_words(view), stops[best.at].temperature, *ends, value]
                )
    columns = ["Metric", "Line", "Optimum", "T", "May be from T", "May be to T", "Value"]
    return pd.DataFrame(rows, columns=columns)


def _best_temperature(curve: Curve) -> float | None:
    return curve.sweep.settings[curve.optimum.at].temperature if curve.optimum is not None else None


def _name(curve: Curve, marks: Mapping[Line, Mark]) -> str:
    return marks[curve.sweep.model, curve.sweep.decoder].name
