"""Sentences about central captions across a study: which runs are nearer to the centre than people, or farther."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from data.study import Study
from figures.notes.seeds import short_settings
from figures.style.escaping import Strong
from figures.style.numbers import count, interval, num, signed
from figures.style.run_names import short_names
from figures.style.wording import item_noun, too_few
from metrics.analysis.central.study import CentralitySummary, RunDistance
from metrics.analysis.replicates.grouping import replicates
from metrics.bootstrap import LEAST
from metrics.permutation.pvalues import ALPHA

_CENTRE = "people's most central captions"


def study_verdict(study: Study, found: CentralitySummary, label: str) -> tuple[str, ...]:
    """Return how far runs are from the centre, and whether central references are shorter."""
    runs = _runs_verdict(study, found)
    if not found.words.n:
        if not any(run.n for run in found.runs):
            return (f"By {label}, no {item_noun(study)} has a most central caption by people.",)
        return (*runs, " " if runs else "", f"By {label}, all captions by people tie on every {item_noun(study)}.")
    return (*runs, " " if runs else "", *_length_verdict(study, found, label))


def _length_verdict(study: Study, found: CentralitySummary, label: str) -> tuple[str, ...]:
    words, items = found.words, count(found.words.n, item_noun(study))
    low, high = words.interval
    both = f"{num(words.central, 1)} words against {num(words.others, 1)}"
    if words.n < LEAST:
        few = f"{too_few(study, words.n)} to tell whether that holds."
        return (f"By {label}, people's most central captions have {both}; {few}",)
    sure = f"{signed(words.mean, 2)}, {_signed_interval(low, high)}, {items}"
    if low > 0 or high < 0:
        way = "shorter" if high < 0 else "longer"
        return (
            "By ",
            label,
            ", people's most central captions are ",
            Strong(way),
            f" than the rest: {both} ({sure}).",
        )
    return (f"By {label}, people's most central captions are not significantly shorter or longer: {both} ({sure}).",)


def _runs_verdict(study: Study, found: CentralitySummary) -> tuple[str, ...]:
    known = [run for run in found.runs if np.isfinite(run.ratio)]
    if not known:
        return ("No run has a distance to the centre.",) if found.runs else ()
    if len(known) == 1:
        run = known[0]
        where = f" is at {_standing(run)} times people's own distance from the centre"
        return (Strong(short_names(study.runs)[run.run]), f"{where}{_holds_one(run)}.")
    if (most := max(run.n for run in known)) < LEAST:
        both = "both runs" if len(known) == 2 else f"the {len(known)} runs"
        told = f"to test whether {both} are nearer to the centre than people"
        return (f"{too_few(study, most)} {told}.",)
    return (*_differing(study, found), *_ends(study, known))


def differ(found: CentralitySummary) -> dict[str, bool]:
    """Return, for each run that differs significantly from people, whether it is nearer to the centre."""
    return {run.run: run.ratio < 1 for run, p in zip(found.runs, found.p_holm) if p <= ALPHA}


def _differing(study: Study, found: CentralitySummary) -> tuple[str, ...]:
    """Sentences on the settings that are significantly nearer to the centre than people, or farther from it.

    A setting of several seeds differs if each does; those that differ with some seeds only are counted apart.
    """
    sure, settings = differ(found), replicates(study.runs)
    short = short_settings(study, settings)
    known = {run.run for run in found.runs if np.isfinite(run.ratio)}
    sides = [(short[of.name], [sure.get(run) for run in of.runs if run in known]) for of in settings]
    of_sides = [one for one in sides if one[1]]
    near, far = ([name for name, sides in of_sides if all(one is side for one in sides)] for side in (True, False))
    some = [name for name, sides in of_sides if name not in (*near, *far) and any(one is not None for one in sides)]
    noun, whole = "settings" if len(settings) < len(study.runs) else "runs", len(of_sides)
    if not (near or far or some):
        if whole == 1:
            return (Strong(of_sides[0][0]), f" is not clearly nearer to {_CENTRE} than people are, or farther. ")
        none = f"Neither {noun[:-1]}" if whole == 2 else f"None of {whole} {noun}"
        return (Strong(none), f" is clearly nearer to {_CENTRE} than people are, or farther. ")
    first, other = (near, far) if near else (far, near)
    said: list[str] = []
    if first:
        is_, how = "is" if len(first) == 1 else "are", "nearer to" if near else "farther from"
        said = [
            Strong(first[0] if len(first) == 1 else _all(len(first), whole, noun)),
            f" {is_} {how} {_CENTRE} than people are",
        ]
    if other:
        said += [f", {other[0] if len(other) == 1 else f'{len(other)} others'} farther"]
    if some:
        who = some[0] if len(some) == 1 else f"{len(some)} {'others' if said else f'of {whole} {noun}'}"
        is_ = "is" if len(some) == 1 else "are"
        ways = {one for name, sides in of_sides if name in some for one in sides if one is not None}
        same = "so" if ways == {bool(near)} and not other else "nearer or farther"
        said += [
            f"; {who}" if said else who,
            f" {is_} {same if said else f'nearer to {_CENTRE} than people are, or farther,'} with some seeds only",
        ]
    rest = [name for name, _ in of_sides if name not in (*near, *far, *some)]
    others = rest[0] if len(rest) == 1 else f"the other {len(rest)}"
    return (*said, ". ", *([f"For {others}, no difference was found. "] if rest else []))


def _ends(study: Study, known: Sequence[RunDistance]) -> tuple[str, ...]:
    """A sentence with the smallest and largest mean ratio of a setting; individual runs may lie outside these."""
    settings, ratios = replicates(study.runs), {run.run: run.ratio for run in known}
    short = short_settings(study, settings)
    found = [([ratios[name] for name in of.runs if name in ratios], short[of.name]) for of in settings]
    ends = sorted((float(np.mean(of)), name) for of, name in found if of)
    (low, first), (high, last) = ((num(ratio, 2), name) for ratio, name in (ends[0], ends[-1]))
    if low == high:
        return (f"{'Its' if len(ends) == 1 else 'Their'} mean distance is {low} times people's own.",)
    return (f"Mean distances are {low} ({first}) to {high} ({last}) times people's own.",)


def _holds_one(run: RunDistance) -> str:
    """A clause on whether one run may be as near to the centre as people; "" without an interval."""
    low, high = run.interval
    if not np.isfinite(low):
        return ""
    if low <= 1 <= high:
        return ", so it may be as near as people: the interval includes 1"
    return f", significantly {'nearer' if high < 1 else 'farther'} than people"


def _all(n: int, of: int, noun: str) -> str:
    if n == of == 2:
        return f"Both {noun}"
    return f"All {of} {noun}" if n == of else f"{n} of {of} {noun}"


def _standing(run: RunDistance) -> str:
    return num(run.ratio, 2) + (f" ({interval(*run.interval, 2)})" if np.isfinite(run.interval.low) else "")


def _signed_interval(low: float, high: float) -> str:
    return f"{signed(low, 2)} to {signed(high, 2)}"
