"""Sentences of the sweeps: the best settings and how certain they are, footers, and why points are missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from data.study import Run, Study
from figures.notes.hazards import few_texts
from figures.style.escaping import Strong, capital
from figures.style.line_styles import Line, Mark
from figures.style.numbers import count, defined, interval, num, temperature
from figures.style.run_names import JOINT
from figures.style.text_width import fitting, text_width
from figures.style.wording import (
    bootstrap,
    item_noun,
    n_items,
    names_in_a_row,
    no_resamples,
    sharing,
    sizes,
    skewed,
    so_far,
)
from figures.sweeps import many_lines
from figures.sweeps.many_lines import resampled
from figures.sweeps.panel_parts import digits_of, human_name, may_be_drawn, stretches, with_bands, with_value_of
from metrics.analysis import run_differences
from metrics.analysis.sweeps import Curve, Optimum, Point, SweepView, leader, tied_with
from metrics.base import Metric
from metrics.engine.result import PENDING

Parts = tuple[str, ...]
NAMED = 4
"""Maximum number of lines whose best temperatures a sentence lists."""
_LINE = 272
"""Width in px of the line below the title of a panel."""
AT_ONCE = "95 %, corrected for all settings of a metric"


def goal_words(view: SweepView) -> str:
    """Return the meaning of the ring: "lowest value", "highest value" or "nearest to people".

    It is never "best", because the point may lead only by chance.
    """
    return "nearest to people" if view.goal == "nearest" else f"{view.goal} value"


def best_point(view: SweepView) -> tuple[Curve, Point] | None:
    """Return the leading line and its best point; None without an optimum."""
    curve = leader(view)
    return (curve, curve.best) if curve is not None and curve.best is not None else None


def panel_sub(view: SweepView, marks: Mapping[Line, Mark]) -> str:
    """Return the line below a panel's title: the best point of all lines, or why there is none."""
    best = best_point(view)
    if best is None:
        return "Being computed." if _waiting(view) else "No line with values at two temperatures."
    curve, point = best
    shared = with_value_of(point, _on_lines(view))
    begin = f"{capital(goal_words(view).removesuffix(' value'))}{so_far(_waiting(view))}: "
    value, at = num(point.value, digits_of(view)), f"T {temperature(point.setting.temperature)}"
    if len(shared) > 1:
        return f"{begin}{count(len(shared), 'setting')}, {value}"
    if len(view.curves) == 1:
        return f"{begin}{at}, {value}"
    return one_line(begin, _name(curve, marks), f" at {at}, {value}")


def one_line(begin: str, name: str, end: str) -> str:
    """Return the line below a panel's title, with the model's name shortened so that every panel has one line there."""
    model, joint, how = name.partition(JOINT)
    rest = f"{joint}{how}{end}"
    return f"{begin}{fitting(model, max(_LINE - text_width(begin + rest), 30))}{rest}"


def _waiting(view: SweepView) -> bool:
    return any(point.reason == PENDING for curve in view.curves for point in curve.points)


def alt(view: SweepView, marks: Mapping[Line, Mark]) -> str:
    """Return the text alternative of a panel."""
    digits = digits_of(view)
    said = []
    for curve in view.curves:
        known = [point for point in curve.points if defined(point.value)]
        if known:
            ends = [f"{num(p.value, digits)} at T {temperature(p.setting.temperature)}" for p in (known[0], known[-1])]
            said.append(f"{_name(curve, marks)} {' to '.join(dict.fromkeys(ends))}")
    return f"{view.metric.label} by temperature. {'; '.join(said) or 'No values yet'}. {panel_sub(view, marks)}."


def verdict(views: Sequence[SweepView], marks: Mapping[Line, Mark]) -> Parts:
    """Return where lines are best by the main metric, what quality metrics prefer, and how surely a line leads.

    Return less while values are being computed, and the reason if there is nothing to say.
    """
    judged = [view for view in views if view.metric.has_better_side and leader(view)]
    if not judged:
        return _nothing(views)
    first = foremost(judged)
    if _waiting(first):
        return _best(first, marks)
    return (*_where(first, marks), _quality(judged, first, marks), " ", *_best(first, marks), _edge(first, marks))


def foremost(judged: Sequence[SweepView]) -> SweepView:
    """Return the main view: the first one by a metric of items, which can be resampled, else the first."""
    return min(judged, key=lambda view: not view.metric.of_items)


def _nothing(views: Sequence[SweepView]) -> Parts:
    long = any(len(curve.points) > 1 for view in views for curve in view.curves)
    if not long:
        return (
            "No model has two temperatures with the same decoder, so there is no line to draw; "
            "models can be compared decoder by decoder.",
        )
    if not any(view.metric.has_better_side for view in views):
        return (
            "The chosen metrics measure diversity, and more is not better in itself. "
            "Add a distribution metric to judge.",
        )
    return ("No line has values at two temperatures yet.",)


def _best(view: SweepView, marks: Mapping[Line, Mark]) -> Parts:
    found = best_point(view)
    assert found is not None
    curve, point = found
    value = num(point.value, digits_of(view))
    if defined(point.low):
        value += f" ({interval(point.low, point.high, digits_of(view))})"
    value += over_seeds(point)
    at = Strong(f"{_name(curve, marks)} at T {temperature(point.setting.temperature)}")
    assert curve.optimum is not None
    if len(shared := with_value_of(point, _on_lines(view))) > 1:
        return _shared(view, marks, shared, value)
    several = len([c for c in view.curves if len(c.points) > 1]) > 1
    what = f"has the {_end(view)} {view.metric.label}" + (" of all lines" if several else "") + so_far(_waiting(view))
    if _waiting(view):
        return (at, f" {what}, {value}.")
    return (at, f" {what}, {value}{_tied(view, marks)}; {sure(curve.optimum, curve, no_resamples(view.metric))}.")


def _on_lines(view: SweepView) -> list[Point]:
    """The points with a value on lines that have an optimum."""
    return [point for curve in view.curves if curve.optimum for point in curve.points if defined(point.value)]


def _shared(view: SweepView, marks: Mapping[Line, Mark], shared: Sequence[Point], value: str) -> Parts:
    names = [
        f"{_name(curve, marks)} at T {temperature(point.setting.temperature)}"
        for curve in view.curves
        for point in curve.points
        if point in shared
    ]
    who, have = sharing(names, len(_on_lines(view)), view.metric, "setting")
    return (Strong(who), f"{have}{so_far(_waiting(view))}, {value}{_tied(view, marks, shared)}.")


def over_seeds(point: Point) -> str:
    """Return " over 3 seeds" if a value is the mean of several seeds, else ""."""
    return f" over {len(point.setting.runs)} seeds" if len(point.setting.runs) > 1 else ""


def _end(view: SweepView) -> str:
    return "highest" if view.goal == "highest" else "lowest"


def _tied(view: SweepView, marks: Mapping[Line, Mark], shared: Sequence[Point] = ()) -> str:
    first = leader(view)
    others = {
        curve.best: _name(curve, marks)
        for curve in view.curves
        if curve.best and curve is not first and curve.best not in shared
    }
    if first is None or first.best is None or not others:
        return ""
    tied = tied_with(view, first.best, list(others))
    if not tied:
        return ", significantly better than every other line at its best"
    if not resampled(first.best):
        return f", but {no_interval(len(others))}"
    return f", though {names_in_a_row([others[point] for point in tied], 3)} may be as good at {_their(tied)} best"


def _their(points: Sequence[Point]) -> str:
    return "its" if len(points) == 1 else "their"


def no_interval(others: int, why: str = "") -> str:
    """Return a clause: the order of the best and the `others` is uncertain, because no difference has an interval."""
    whom = "difference from the other has" if others == 1 else f"differences from the {others} others have"
    return f"its {whom} no interval{f' ({why})' if why else ''}, so their order is uncertain"


def sure(optimum: Optimum, curve: Curve, why: str = "") -> str:
    """Return which temperatures may be a line's best; `why` is the reason, if known, that they cannot be compared."""
    if not optimum.may_be:
        return f"whether another temperature is better cannot be tested ({why or 'no resamples'})"
    if len(optimum.may_be) == 1:
        known = all(defined(point.value) for point in curve.points)
        return f"every other temperature {'tried' if known else 'with a value'} is worse"
    if len(stretches(optimum.may_be)) == 1:
        return f"any temperature tried from {_range(curve).removeprefix('T ')} may be its best"
    return f"{_range(curve)} may be its best"


def _lines(view: SweepView) -> list[Curve]:
    return [curve for curve in view.curves if curve.optimum is not None]


def _where(view: SweepView, marks: Mapping[Line, Mark]) -> Parts:
    """The temperatures at which each line may be best or, if this cannot be tested, has its best value."""
    lines = _lines(view)
    ranges = [
        (not curve.optimum.may_be, "" if _any_may_be(curve) else _range(curve))
        for curve in lines
        if curve.optimum is not None
    ]
    by, found = f"By {view.metric.label}, ", best_point(view)
    if len(lines) > NAMED and found is not None:
        return many_lines.news(view, found[0], marks, _end(view))
    if len(set(ranges)) == 1 and len(lines) > 1:
        if not any(ranges[0]):
            return (f"{by}no temperature is significantly best on {'either' if len(lines) == 2 else 'any'} line.",)
        who = "both lines" if len(lines) == 2 else f"all {len(lines)} lines"
        return (f"{by}{who} {_verb(view, len(lines), *ranges[0])}.",)
    said: list[str] = [by]
    spans = sorted(dict.fromkeys(ranges), key=lambda span: span[0])
    for k, span in enumerate(spans):
        names = [_name(curve, marks) for curve, own in zip(lines, ranges) if own == span]
        same = k > 0 and spans[k - 1][0] == span[0] and spans[k - 1][1][:1] == span[1][:1] == "T"
        verb = _at(span[1].removeprefix("T ")) if same else _verb(view, len(names), *span)
        said += [Strong(names_in_a_row(names)), f" {verb}{'.' if k == len(spans) - 1 else ', '}"]
    return tuple(said)


def _any_may_be(curve: Curve) -> bool:
    known = int(np.isfinite([point.value for point in curve.points]).sum())
    return curve.optimum is not None and len(curve.optimum.may_be) == known > 1


def _verb(view: SweepView, lines: int, unjudged: bool, span: str) -> str:
    """The verb for lines and their temperatures, such as "is best at T 1.0"; if untested, where their best values
    are.
    """
    if unjudged:
        return f"{_values(view, lines)} at {span}"
    if not span:
        return f"{'has' if lines == 1 else 'have'} no temperature that is significantly best"
    if span.startswith("any"):
        return f"may be best at {span}"
    return f"{'is best' if lines == 1 else 'are best'} {_at(span)}"


def _at(span: str) -> str:
    """A span with its preposition: "within" a range, because only one temperature in it is the best."""
    return f"{'within' if ' to ' in span and ' or ' not in span else 'at'} {span}"


def _values(view: SweepView, lines: int) -> str:
    return f"has its {_end(view)} value" if lines == 1 else f"have their {_end(view)} values"


def _range(curve: Curve) -> str:
    """The settings at which a line may be best: "T 1.0 to 1.3", "T 0.5 or 1.5", "any T but 0.5".

    If the points of the line cannot be compared, the setting with the best value.
    """
    best, stops = curve.optimum, curve.sweep.settings
    assert best is not None
    parts = stretches(best.may_be or run_differences.equal_to(np.array([p.value for p in curve.points]), best.at))
    out = [k for k in range(len(curve.points)) if k not in best.may_be]
    if len(parts) > 1 and len(out) < len(best.may_be) and all(defined(curve.points[k].value) for k in out):
        return f"any T but {names_in_a_row([temperature(stops[k].temperature) for k in out], len(out))}"
    ends = [(temperature(stops[part[0]].temperature), temperature(stops[part[-1]].temperature)) for part in parts]
    spans = [" to ".join(dict.fromkeys(pair)) for pair in ends]
    return f"T {' or '.join([', '.join(spans[:-1]), spans[-1]] if len(spans) > 1 else spans)}"


def _edge(view: SweepView, marks: Mapping[Line, Mark]) -> str:
    """A sentence on lines that are best at the hottest temperature and significantly worse at the coldest; else ""."""
    hottest = [
        _name(c, marks) for c in _lines(view) if c.optimum and c.optimum.at == len(c.points) - 1 and _colder_is_worse(c)
    ]
    if not hottest:
        return ""
    where = f"{_values(view, len(hottest))} at the hottest temperature tried"
    return f" {names_in_a_row(hottest)} {where}: a hotter one may do better."


def _quality(judged: Sequence[SweepView], first: SweepView, marks: Mapping[Line, Mark]) -> str:
    """A sentence on lines whose coldest temperature is worse by the main metric but better by all quality metrics; ""
    if there are none.
    """
    views = [view for view in judged if view.metric.family == "quality" and view is not first and not _waiting(view)]
    lines = _lines(first)
    cold = [curve for curve in lines if _colder_is_worse(curve) and all(_prefers_cold(view, curve) for view in views)]
    if not views or not cold:
        return ""
    # The best temperature by these metrics may be another cold one.
    names = names_in_a_row([view.metric.label for view in views])
    who, many = names_in_a_row([_name(curve, marks) for curve in cold], 2), len(cold)
    if many == len(lines) > 1:
        who = "both lines" if many == 2 else f"all {many} lines"
    return f" By {names}, {who} {'is' if many == 1 else 'are'} significantly better at the coldest temperature."


def _colder_is_worse(curve: Curve) -> bool:
    may_be = curve.optimum.may_be if curve.optimum is not None else ()
    return bool(may_be) and 0 not in may_be and bool(np.isfinite(curve.points[0].value))


def _prefers_cold(view: SweepView, of: Curve) -> bool:
    assert of.optimum is not None
    here = {point.setting: point for point in view.points}
    coldest, *rest = (here.get(of.sweep.settings[k]) for k in (0, *of.optimum.may_be))
    known = [point for point in rest if point is not None]
    return coldest is not None and len(known) == len(rest) and not tied_with(view, coldest, known)


def footer(study: Study, runs: Sequence[Run], views: Sequence[SweepView], decoders: bool = False) -> str:
    """Return the sample size and the meaning of bands, rings and dashes."""
    one = item_noun(study)
    banded = not decoders and all(with_bands(view.curves) for view in views)
    marks = "Bands and whiskers" if banded else "Whiskers"
    words = [f"n = {count(len(study.items), one)}, {sizes(study, runs)}."]
    words.append(bootstrap(study, marks, len(study.items), ", with the same draws for every run"))
    optima = [curve.optimum for view in views for curve in view.curves if curve.optimum and not decoders]
    if optima:
        sure = any(may_be_drawn(curve) for view in views for curve in view.curves)
        bars = f"; thick: the temperatures that may be best ({AT_ONCE})" if sure else ""
        words.append(f"Ring: the best value of a line{bars}.{skewed(study) if sure else ''}")
    if any(len(point.setting.runs) > 1 for view in views for point in view.points):
        words.append(
            "Runs that differ only in their seeds are averaged; small dots are single runs. "
            f"Bands are over {one}s only; what may be best is judged over {one}s and seeds."
        )
    few = few_texts(study, [view.metric for view in views], runs)
    return " ".join([*words, *few, *_people(views)])


def print_footer(study: Study, runs: Sequence[Run], view: SweepView, decoders: bool = False) -> str:
    """Return the footer of one figure on paper: the sample size and the meaning of its bands, rings and dashes."""
    points = view.points if decoders else [point for curve in view.curves for point in curve.points]
    said = [f"n = {n_items(study, len(study.items))}, {sizes(study, runs)}."]
    banded = not decoders and with_bands(view.curves)
    if (decoders or banded) and any(defined(point.low) and defined(point.high) for point in points):
        said.append(f"{'Bands' if banded else 'Whiskers'}: 95 % intervals.")
    optima = [] if decoders else [curve.optimum for curve in view.curves if curve.optimum]
    if optima:
        bars = "; thick: what may be best (95 %)" if any(map(may_be_drawn, view.curves)) else ""
        said.append(f"Rings: {goal_words(view)}{bars}.")
    if not decoders and any(len(point.setting.runs) > 1 for point in points):
        said.append("Small dots: single runs.")
    if defined(view.human.value):
        grey = ", grey: 95 % interval" if defined(view.human.low) and defined(view.human.high) else ""
        name = human_name(view.metric)
        said.append(f"{'Dashed' if name == 'People' else 'Dotted'}: {name.lower()}{grey}.")
    return " ".join(said)


def _people(views: Sequence[SweepView]) -> list[str]:
    groups: dict[str, list[str]] = {}
    for view in views:
        human = view.human
        line = "dashed" if human_name(view.metric) == "People" else "dotted"
        said = f"({line} line): {human.about}" if defined(human.value) else f"(no line for people): {human.reason}"
        groups.setdefault(said, []).append(view.metric.label)
    return [f"{', '.join(names)} {said}." for said, names in groups.items()]


def reasons(points: Sequence[tuple[Metric, Point]], short: Mapping[str, str] | None = None) -> str:
    """Return why numbers are missing, grouped by reason: "TRM METEOR: needs 2 candidates, has 1 (greedy)."

    Numbers that are being computed are not mentioned. `short` maps the names of runs to short ones.
    """
    called = short or {}
    said: dict[tuple[str, str], list[str]] = {}
    for metric, point in points:
        if not defined(point.value) and point.reason != PENDING:
            key = ", ".join(called.get(run, run) for run in point.setting.runs), point.reason or "undefined"
            said.setdefault(key, []).append(metric.label)
    whole: dict[tuple[str, str], list[str]] = {}
    for (run, why), names in said.items():
        whole.setdefault((names_in_a_row(names), why), []).append(run)
    return " ".join(f"{names}: {why} ({names_in_a_row(runs)})." for (names, why), runs in whole.items())


def _name(curve: Curve, marks: Mapping[Line, Mark]) -> str:
    return marks[curve.sweep.model, curve.sweep.decoder].name
