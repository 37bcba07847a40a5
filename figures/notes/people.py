"""The sentence that compares runs with people by one metric; `metrics.analysis.claims` decides what it may say."""

from __future__ import annotations

from collections.abc import Sequence

from figures.style.escaping import capital
from figures.style.numbers import at_floor, defined, interval, num, p_bound, p_phrase
from metrics.analysis.claims import PeopleComparison
from metrics.analysis.detectable_faults import Detectable
from metrics.base import Metric
from metrics.permutation.joint_test import Part
from metrics.permutation.pvalues import ALPHA

JOINT = "joint test"
"""The name of `metrics.permutation.joint_test` on pages."""
DEPARTURES: dict[tuple[Part, bool], str] = {
    ("nearest reference", True): "farther from people's nearest caption",
    ("nearest reference", False): "closer to people's nearest caption",
    ("nearest candidate", True): "farther from some of people's captions",
    ("nearest candidate", False): "closer to each of people's captions",
    ("centre", True): "far from the centre of all captions",
    ("centre", False): "near the centre of all captions",
    ("spread", True): "more varied",
    ("spread", False): "less varied",
    ("length", True): "longer",
    ("length", False): "shorter",
}
LEAK = "closer to people's captions than people's are to one another, as copies or very typical captions are"


def joint_test(metric: Metric) -> str:
    """Return the name of the joint test with a divergence: "joint test with TRM METEOR"."""
    return f"{JOINT} with {metric.label}"


def joint_words(metric: Metric) -> str:
    """Return the components of a divergence's joint test, for a sentence."""
    return (
        f"Joint test: {metric.label} with the distances to the nearest caption of the other side, the distance to the "
        "centre, the spread within a side and the length of captions, all under the same swaps of captions between run "
        "and people; its p is that of the largest departure (max-T)."
    )


def would_find(found: Detectable | None, test: str = "") -> str:
    """Return a note on the faults that a non-significant `test` would have detected; "" if no such fault is known.

    The note names the `test` if it is given.
    """
    if found is None or found.nothing:
        return ""
    share = "all" if found.wrong == found.captions else f"{found.wrong} of {found.captions}"
    said = [] if found.wrong is None else [f"{share} captions wrong"]
    said += ["half the variety"] if found.less_varied else []
    by = f" by the {test}" if test else ""
    return f"a run with {' or '.join(said)} would be noticed with 80 % probability{by}"


def above_chance(found: PeopleComparison, run: int) -> str:
    """Return how far a run's distance is from its mean under relabelling, with an interval; "" if unknown."""
    if not found.joint or len(found.excess) <= run or not defined(found.excess[run].low):
        return ""
    value, low, high = found.excess[run]
    side = "above" if value >= 0 else "below"
    ends = (low, high) if value >= 0 else (-high, -low)
    return f"{num(abs(value))} {side} chance (95 % {interval(*ends)})"


def departures(metric: Metric, found: PeopleComparison, run: int) -> str:
    """Return how a run departs from people by the joint test's components; "" if it does not, or without that test.

    For example, "less varied, shorter, TRM METEOR larger than by chance". A note follows if its captions are closer to
    people's than by chance.
    """
    if not found.joint or run not in found.differ:
        return ""
    said = [DEPARTURES[one] for one in found.departures[run] if one in DEPARTURES]
    if ("divergence", True) in found.departures[run]:
        said.append(f"{metric.label} larger than by chance")
    return ", ".join([*said, *([LEAK] if run in found.leaks else [])])


def compare_with_people(metric: Metric, names: Sequence[str], found: PeopleComparison, by: str, sofar: str = "") -> str:
    """Return which runs differ from people, and for which no difference is detected; "" if nothing was tested.

    `by` is the phrase for a metric without a joint test ("by this metric"); `sofar` follows the runs while others are
    being computed.
    """
    if not found.tests:
        return ""
    by = f"by the {joint_test(metric)}" if found.joint else by
    said = [*_scores(names, found, by, sofar)] if metric.two_sided else [*_distances(names, found, by, sofar)]
    if found.undecided:
        said.append(_undecided(names, found, sofar))
    if found.leaks:
        who = _who(found.leaks, names, found.tests, sofar)
        said.append(f"{who} {'is' if len(found.leaks) == 1 else 'are'} {LEAK}")
    sentence = "; ".join(said)
    # Do not capitalise the name of a run.
    begun = sentence if sentence.startswith(tuple(names)) else capital(sentence)
    return f"{begun} ({_test(metric, found, named=found.joint and by in sentence)})."


def too_little(found: PeopleComparison, to: str) -> str:
    """Return a clause on why some runs cannot be judged: "there is too little data to judge 2 runs"."""
    few = len(found.undecided) - len(found.saturated) - len(found.mixed)
    reasons = {
        "there is too little data": few,
        "too many distances are at their maximum": len(found.saturated),
        "one reference each is too few" if found.one_reference else "swapping sets of captions shows too little": len(
            found.mixed
        ),
    }
    said = [reason for reason, runs in reasons.items() if runs]
    remedy = ": add a second" if found.mixed and found.one_reference else ""
    return f"{', or '.join(said)}{',' if len(said) > 1 else ''} to {to}{remedy}"


def _scores(names: Sequence[str], found: PeopleComparison, by: str, sofar: str) -> list[str]:
    """The clauses for a score: which runs are above people, below them or otherwise different, and which are not.

    "Below" is said only if captions are compared with people's own, not with a mixture of both.
    """
    said = []
    if found.above:
        one = len(found.above) == 1
        who, whom = _who(found.above, names, found.tests, sofar), "people's own captions do"
        if not found.single_captions:
            whom = f"{'its' if one else 'their'} captions mixed with people's do"
        sign = "as captions near the middle of what people say would"
        said.append(f"{who} {'scores' if one else 'score'} higher {by} than {whom}, {sign}")
    if found.differ:
        one, who = len(found.differ) == 1, _who(found.differ, names, found.tests, sofar)
        if found.single_captions:
            whom = "than they do" if found.above else f"{by} than people's own captions do"
            said.append(f"{who} {'scores' if one else 'score'} lower {whom}")
        else:
            said.append(f"{who} {'differs' if one else 'differ'} from people{'' if found.above else f' {by}'}")
    if found.other_score:
        one, who = len(found.other_score) == 1, _who(found.other_score, names, found.tests, sofar)
        said.append(
            f"{who} {'scores' if one else 'score'} differently from people's own captions{'' if said else f' {by}'}"
        )
    if found.alike:
        whom = "people" if said else f"people {by}"
        said.append(_alike(names, found, sofar, whom))
    return said


def _distances(names: Sequence[str], found: PeopleComparison, by: str, sofar: str) -> list[str]:
    said = []
    if found.differ:
        differ = "differs" if len(found.differ) == 1 else "differ"
        said.append(f"{_who(found.differ, names, found.tests, sofar)} {differ} from people {by}")
    if found.alike:
        said.append(_alike(names, found, sofar, "them" if said else f"people {by}"))
    return said


def _alike(names: Sequence[str], found: PeopleComparison, sofar: str, whom: str) -> str:
    if len(found.alike) == found.tests:
        return f"no difference from {whom} is detected{f' for any run{sofar}' if found.tests > 1 else ''}"
    few = [names[k] for k in found.alike]
    who = " and ".join(few) if len(few) <= 2 else _who(found.alike, names, found.tests, sofar)
    return f"no difference from {whom} is detected for {who}"


def _who(runs: Sequence[int], names: Sequence[str], tests: int, sofar: str) -> str:
    if len(runs) == tests:
        return {1: "it", 2: f"both runs{sofar}"}.get(tests, f"all {tests} runs{sofar}")
    return names[runs[0]] if len(runs) == 1 else f"{len(runs)} of {tests} runs{sofar}"


def _undecided(names: Sequence[str], found: PeopleComparison, sofar: str) -> str:
    who = _who(found.undecided, names, found.tests, sofar)
    return too_little(found, "compare it with people" if who == "it" else f"judge {who}")


def _test(metric: Metric, found: PeopleComparison, named: bool) -> str:
    """The test behind the sentence (unless `named`), its correction, and the largest p of the runs that differ."""
    test = joint_test(metric) if found.joint else f"{'two-sided ' * metric.two_sided}permutation test"
    test += " and paired t-test of scores" if found.by_score else ""
    over = f"corrected for {found.tests} runs" if found.tests > 1 else ""
    said = ", ".join(filter(None, ["" if named else test, over]))
    differing = [float(found.p[k]) for k in (*found.differ, *found.above)]
    if not differing and not found.other_score:
        return ", ".join(filter(None, [said, f"p > {ALPHA}"]))
    if len(differing) == found.tests:
        worst = max(differing)
        p = p_phrase(worst) if at_floor(worst, min(differing)) else f"p ≤ {p_bound(worst)}"
        return ", ".join(filter(None, [said, p]))
    return "; ".join(filter(None, [said, f"p ≤ {ALPHA} where a difference is detected"]))
