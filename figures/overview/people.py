"""How the runs of the Overview compare with people, in words."""

from __future__ import annotations

from figures.notes.people import JOINT, above_chance, departures, joint_test, too_little
from figures.overview.names import called
from figures.style.escaping import capital
from figures.style.numbers import count, p_bound, p_phrase, p_text
from metrics.analysis.claims import PeopleComparison
from metrics.analysis.overview import Overview


def people(seen: Overview, alone: bool = False, room: int = 2) -> str:
    """Return which runs differ from people, and for which no difference is detected, with the test.

    `room` 2 names the test with its metric and p, 1 without p, and 0 only as "joint test" or "permutation test". Return
    "" before there are tests.
    """
    found = seen.people
    if found is None:
        return ""
    runs = "runs" if found.tests == len(seen.study.runs) else "tested runs"
    if found.alike:
        return _alike(seen, found, alone, runs, room)
    differ = [*found.differ, *found.above]
    if not differ:
        what = "it" if alone else name(seen, found.undecided[0]) if found.tests == 1 else "any run"
        return f"{capital(too_little(found, f'distinguish {what} from people'))}."
    sure = _test(seen, f"p ≤ {p_bound(max(float(found.p[k]) for k in differ))}", room)
    if len(differ) < found.tests:
        verb = "differs" if len(differ) == 1 else "differ"
        rest = too_little(found, f"judge {count(len(found.undecided), 'other')}")
        return f"{len(differ)} of {found.tests} {runs} {verb} from people {sure}; {rest}."
    every = {1: "It" if alone else name(seen, differ[0]), 2: f"Both {runs}"}
    differs = "differs" if found.tests == 1 else "differ"
    return f"{every.get(found.tests, f'All {found.tests} {runs}')} {differs} from people {sure}."


def both(seen: Overview, room: int) -> str:
    """Return a clause saying that all measured runs differ from people, or that no difference is detected for any.

    "" if the runs are divided, or if not all of them have been tested.
    """
    found = seen.people
    if found is None or found.tests < len(seen.measured):
        return ""
    p = [float(found.p[k]) for k in seen.measured]
    if len(found.alike) == len(p):
        for_whom = "it" if len(p) == 1 else "either"
        return f"; no difference from people is detected for {for_whom} {_sure_of(seen, p, room)}"
    if len(found.differ) + len(found.above) == len(p):
        who = "it differs" if len(p) == 1 else "both differ"
        return f"; {who} from people {_test(seen, f'p ≤ {p_bound(max(p))}', room)}"
    return ""


def _sure_of(seen: Overview, p: list[float], room: int) -> str:
    said = f"p = {p_text(p[0])} and {p_text(p[1])}" if len(p) == 2 else p_phrase(min(p))
    return _test(seen, said if len(p) < 3 else f"smallest {said}", room)


def _test(seen: Overview, p: str, room: int) -> str:
    assert seen.people is not None
    metric, joint = seen.other.metric, seen.people.joint
    named = joint_test(metric) if joint else f"permutation test of {metric.label}"
    named = named if room else JOINT if joint else "permutation test"
    return f"({named}, {_unbroken(p)})" if room == 2 else f"({named})"


def _alike(seen: Overview, found: PeopleComparison, alone: bool, runs: str, room: int) -> str:
    """A sentence on the runs without a detected difference from people, and on those that differ.

    The former are not claimed to be like people.
    """
    p = [float(found.p[k]) for k in found.alike]
    sure = _sure_of(seen, p, room)
    if alone:
        return f"No difference from people is detected {sure}."
    if len(p) == found.tests:
        whose = "" if runs == "runs" else " for any tested run"
        return f"No difference from people is detected{whose} {sure}."
    who = " and ".join(name(seen, k) for k in found.alike) if len(p) < 3 else f"{len(p)} others"
    differ = [*found.differ, *found.above]
    if not differ:
        who = who if len(p) < 3 else f"{len(p)} of {found.tests} {runs}"
        return f"No difference from people is detected for {who} {sure}."
    sure = _test(seen, f"p ≤ {p_bound(max(float(found.p[k]) for k in differ))}", room)
    if len(differ) == 1 and len(p) + 1 == found.tests == len(seen.study.runs):
        return f"Only {name(seen, differ[0])} differs detectably from people {sure}."
    if len(differ) == 1:
        who = who if room or len(p) == 1 else f"{len(p)} others"
        return f"{name(seen, differ[0])} differs from people {sure}; no difference is detected for {who}."
    if len(p) < 3 and len(differ) + len(p) == found.tests:
        tested = "" if runs == "runs" else f" {runs}"
        return f"All{tested} but {who} differ detectably from people {sure}."
    return f"{len(differ)} of {found.tests} {runs} differ detectably from people {sure}."


def p_line(seen: Overview, run: int) -> str:
    """Return the Holm-corrected p of a run against people, how it departs from them, and how far it is from chance.

    "" without a p.
    """
    p = float(seen.people.p[run]) if seen.people else float("nan")
    if seen.people is None or p != p:
        return ""
    how = departures(seen.other.metric, seen.people, run)
    of_chance = above_chance(seen.people, run)
    test = f", {joint_test(seen.other.metric)}" if seen.people.joint else ""
    said = f"{p_phrase(p)}{test}{f': {how}' if how else ''}"
    return f"{said}; {of_chance}" if of_chance else said


def _unbroken(text: str) -> str:
    return text.replace(" ", "\u00a0")


def name(seen: Overview, run: int) -> str:
    """Return a run's name for a sentence."""
    return called(seen.study.runs, seen.study.runs[run])
