"""Sentences and a table about each model's trade-off: quality at people's diversity, and the area that it covers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from data.study import Study
from figures.export.table import Table
from figures.notes.people import joint_test
from figures.style.escaping import Strong, capital
from figures.style.line_styles import line_of, model_names
from figures.style.numbers import count, defined, interval, num
from figures.style.wording import item_noun, n_items, names_in_a_row, sizes
from metrics.analysis import run_differences
from metrics.analysis.frontier import Frontier
from metrics.analysis.trades import Estimate, ModelTrade

How = Literal["kept", "area"]


def verdict(view: Frontier) -> tuple[str, ...]:
    """Return which model keeps the most quality at people's diversity or, if that is not known, which has the largest
    area.

    Return () if there is only one model, or if nothing about the trade-off is known.
    """
    trades = view.trades
    if len(trades.models) < 2:
        return ()
    if not defined(trades.people):
        return _by_area(view, "") if defined(trades.by_area[0].area.value) else ()
    if not trades.reaching:
        less = f"All models are significantly less diverse than people ({_people(view)}). "
        less = less if all(one.short for one in trades.models) else ""
        return _by_area(view, less) if defined(trades.by_area[0].area.value) else (less.strip(),) if less else ()
    first, *others = trades.reaching
    label, named, at = view.quality.metric.label, names(view), f"At people's diversity ({_people(view)}), "
    if others and not any(one.behind for one in others):
        level = _level(trades.reaching, named, "behind", f"in {label}")
        return (f"{at}{level}", _apart(view, trades.reaching), _rest(view))
    leaders, others = _with_value_of(first, others, "kept")
    keeps = f" keeps the best {label}, " if others else f" keeps {label} "
    keeps = keeps if len(leaders) == 1 else keeps.replace("keeps", "keep")
    than = _others(others, named, "behind")
    who = Strong(names_in_a_row([named[one.model] for one in leaders], 2))
    return (at, who, keeps, _said(first.kept), than, _apart(view, leaders), _rest(view))


def _with_value_of(
    first: ModelTrade, others: Sequence[ModelTrade], how: How
) -> tuple[list[ModelTrade], list[ModelTrade]]:
    """The models with the same value as the first, which is one of them, and the other models."""
    same = run_differences.equal_to(np.array([getattr(one, how).value for one in (first, *others)]), 0)
    every = [first, *others]
    return [every[k] for k in same], [one for k, one in enumerate(every) if k not in same]


def _apart(view: Frontier, models: Sequence[ModelTrade]) -> str:
    if view.apart is None:
        return ""
    gaps, named = abs(view.diversity.value - view.trades.people), names(view)
    nearest = {one: min(one.runs, key=lambda k: float(gaps[k])) for one in models}
    differ = [one for one, k in nearest.items() if view.runs[k].name in view.apart.runs]
    if not differ:
        return ""
    who = names_in_a_row([named[one.model] for one in differ], 3)
    verb, its = ("differs", "its") if len(differ) == 1 else ("differ", "their")
    where = f" at {its} nearest setting" if any(len(one.runs) > 1 for one in differ) else ""
    return f" By the {joint_test(view.apart.metric)}, {who} {verb} from people{where}."


def _people(view: Frontier) -> str:
    return f"{view.diversity.metric.label} {num(view.trades.people)}"


def _rest(view: Frontier) -> str:
    named, rest = names(view), [one for one in view.trades.models if not defined(one.kept.low)]
    short, open_ = ([named[one.model] for one in rest if one.short == sure] for sure in (True, False))
    said = f" {names_in_a_row(short, 3)} {_be(short)} significantly less diverse than people." if short else ""
    return said + (f" {names_in_a_row(open_, 3)} may be less diverse." if open_ else "")


def more(view: Frontier) -> tuple[str, ...]:
    """Return sentences about the area of each model, if there are several, and the settings that are compared."""
    named, models = names(view), view.trades.by_area
    if len(models) < 2 or not defined(models[0].area.value):
        return (_settings(view),)
    areas = names_in_a_row([f"{named[one.model]} {_percent(one.area)}" for one in models], 5)
    less = [named[one.model] for one in models[1:] if one.smaller]
    said = [f"Shares of the area between the worst and the best of both metrics: {areas}."]
    if less:
        said.append(f"{named[models[0].model]} covers significantly more than {names_in_a_row(less, 5)}.")
    return (*said, _settings(view))


def _by_area(view: Frontier, before: str) -> tuple[str, ...]:
    named, (first, *others) = names(view), view.trades.by_area
    untested = all(one.smaller is None for one in others)
    if not (untested or any(one.smaller for one in others)):
        return (f"{before}{capital(_level(view.trades.by_area, named, 'smaller', 'in the area covered'))}",)
    leaders, others = _with_value_of(first, others, "area")
    if not others:
        return (f"{before}All {len(leaders)} models cover the same area, {_percent(first.area)}.",)
    covers = "covers" if len(leaders) == 1 else "each cover"
    who = Strong(names_in_a_row([named[one.model] for one in leaders], 2))
    head = (f"{before}", who, f" {covers} the greatest area, {_percent(first.area)}")
    if untested:
        whom = names_in_a_row([named[one.model] for one in others], 2)
        return (*head, f"; whether {whom} {'covers' if len(others) == 1 else 'cover'} as much cannot be tested.")
    return (*head, _others(others, named, "smaller"))


def _others(others: Sequence[ModelTrade], named: dict[str, str], by: str) -> str:
    less = [named[one.model] for one in others if getattr(one, by)]
    alike = [named[one.model] for one in others if not getattr(one, by)]
    if not others:
        return "."
    better = f", significantly {'more' if by == 'smaller' else 'better'} than {names_in_a_row(less, 2)}"
    if not alike:
        return f"{better}."
    return f"{better}; {names_in_a_row(alike, 2)} may {'cover as much' if by == 'smaller' else 'do as well'}."


def _level(models: Sequence[ModelTrade], named: dict[str, str], by: str, what: str) -> str:
    """A clause: no difference between these models is detected, or none can be tested."""
    who = names_in_a_row([named[one.model] for one in models], 3)
    if all(getattr(one, by) is None for one in models[1:]):
        return f"whether {who} differ {what} cannot be tested."
    return f"no difference {what} between {who} is detected."


def _settings(view: Frontier) -> str:
    at = view.trades.temperatures
    if not at:
        return "Models are compared at all of their settings: they share fewer than two temperatures."
    return f"Models are compared at the {len(at)} temperatures that all of them have."


def shown(view: Frontier) -> list[How]:
    """Return which of "kept" and "area" at least one model has."""
    numbers: list[How] = ["kept", "area"]
    return [how for how in numbers if any(defined(getattr(one, how).value) for one in view.trades.models)]


def title(view: Frontier, how: How) -> tuple[str, str]:
    """Return the title and the note of a chart of models."""
    if how == "kept":
        better = "lower" if view.quality.sign < 0 else "higher"
        return (
            f"{view.quality.metric.label} at people's diversity",
            f"Where {_people(view)} is reached; {better} is better.",
        )
    return "Area covered", "Share of the area from worst to best on both axes; more is better."


def alt(view: Frontier, how: How) -> str:
    """Return the text alternative of a chart of models."""
    named = names(view)
    told = _said if how == "kept" else _percent
    why = without if how == "kept" else lambda one: ""
    said = [f"{named[one.model]} {why(one) or told(getattr(one, how))}" for one in view.trades.models]
    return f"{title(view, how)[0]}: {'; '.join(said)}."


def footer(study: Study, view: Frontier) -> str:
    """Return the sample size, the settings, the meaning of the lines, and how models are compared."""
    one, trades = item_noun(study), view.trades
    words = [f"n = {count(len(study.items), one)}, {sizes(study, view.runs)}.", _settings(view)]
    words.append("Between two temperatures, the path is a straight line. Lines: 95 % bootstrap intervals.")
    if defined(trades.people):
        fixed = " is held fixed" if trades.fixed else " is resampled with the runs"
        words.append(f"People's diversity{fixed}.")
    if any(one.behind is not None or one.smaller is not None for one in trades.models):
        words.append("Significantly: at 95 %, corrected for all pairs of models (Holm).")
    return " ".join(words)


def print_footer(study: Study) -> str:
    """Return the footer on paper, where a caption gives the rest."""
    return f"n = {n_items(study, len(study.items))}. Lines: 95 % intervals."


def table(study: Study, view: Frontier) -> Table:
    """Return a row for each model."""
    named = names(view)
    heads = {
        "model": "Model",
        "settings": "Settings",
        "kept": f"{view.quality.metric.label} at people's diversity",
        "kept_low": "95 % from",
        "kept_high": "95 % to",
        "area": "Area covered",
        "area_low": "Area 95 % from",
        "area_high": "Area 95 % to",
    }

    def frame() -> pd.DataFrame:
        rows = [(named[one.model], len(one.runs), *one.kept[:3], *one.area[:3]) for one in view.trades.models]
        return pd.DataFrame(rows, columns=list(heads))

    return Table(frame, heads, "models", caption=caption(study, view))


def caption(study: Study, view: Frontier) -> str:
    """Return the caption of the table, for a paper."""
    axes = f"{view.quality.metric.label} and {view.diversity.metric.label}"
    return f"{study.name}: models by {axes}. {footer(study, view)}"


def names(view: Frontier) -> dict[str, str]:
    """Return the display name of each model."""
    return dict(model_names(map(line_of, view.runs)))


def value(of: Estimate, how: How) -> str:
    """Return a model's number without its interval."""
    return num(of.value) if how == "kept" else f"{100 * of.value:.0f}\u00a0%"


def without(one: ModelTrade) -> str:
    """Return why a model has no quality at people's diversity; "" if it has one."""
    if defined(one.kept.value):
        return ""
    return "significantly less diverse than people" if one.short else "less diverse than people, as measured"


def _said(of: Estimate) -> str:
    return f"{num(of.value)}{f' ({interval(of.low, of.high)})' if defined(of.low) else ''}"


def _percent(of: Estimate) -> str:
    ends = f" ({100 * of.low:.0f} to {100 * of.high:.0f})" if defined(of.low) else ""
    return f"{100 * of.value:.0f}\u00a0%{ends}"


def _be(names: Sequence[str]) -> str:
    return "are" if len(names) > 1 else "is"
