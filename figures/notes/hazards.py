"""Warnings about scores: degenerate runs, and runs that cannot be compared with the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from data.checks.degenerate import Habit, twins
from data.checks.faults import faults
from data.study import Run, Study
from figures.style.escaping import Strong
from figures.style.numbers import count, num, percent
from figures.style.run_names import short_names
from figures.style.wording import item_noun, labels, names_in_a_row
from metrics.analysis.claims import saturated
from metrics.analysis.comparable_runs import Unequal, unequal
from metrics.analysis.effective_samples import FEW, effective_samples
from metrics.base import Metric
from metrics.engine.result import Result
from metrics.partly_read import note

MARKED = 3
"""Maximum number of marked runs that a footer explains."""
TWINS = 9
"""The kind of the first group of runs with the same captions; see `Habit`."""


def hazards_of(study: Study, run: str) -> tuple[str, ...]:
    """Return a run's faults as clauses: those such as "gives one caption to all 500 images", then runs with the same
    captions, then any lack of captions.
    """
    one, lacks = item_noun(study), study.lacking.get(run, 0)
    odd = [Habit(what.format(one=one), what.kind, what.share) for what in faults(study).get(run, ())]
    for k, group in enumerate(twins(study)):
        if run not in group:
            continue
        called = short_names(study.runs)
        others = names_in_a_row([called[name] for name in group if name != run], 1)
        odd.append(Habit(f"has the same captions as {others}", TWINS + k, 1.0))
    return (*odd, f"lacks captions of {count(lacks, one)} that other runs describe") if lacks else tuple(odd)


def in_short(clause: str) -> str:
    """Return a clause up to its first comma, without its details."""
    return clause.split(", ")[0]


def gravest(study: Study, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return a sentence about the gravest fault of a run, and about other runs with a fault; () if no run has one.

    `names` maps the runs in question to their names in a sentence.
    """
    all_of = faults(study)
    odd = [name for name in all_of if name in names]
    groups = ([name for name in group if name in names] for group in twins(study))
    same = [group for group in groups if len(group) > 1]
    said: tuple[str, ...]
    if odd:
        said = (Strong(names[odd[0]]), f" {in_short(hazards_of(study, odd[0])[0])}")
    elif same:
        said = _same(same.pop(0), len(names), names)
    else:
        return ()
    others = len({*odd[1:], *(name for group in same for name in group)} - {*odd[:1]})
    if others and others == sum(all_of[name][0].kind == all_of[odd[0]][0].kind for name in odd[1:]):
        if 2 * others > len(names) > 3:
            return (Strong(f"{others + 1} of {len(names)} runs"), " have similar faults: ", *said, ".")
        return (*said, too(names[odd[1]] if others == 1 else count(others, "other run"), others), ".")
    more = f"; {count(others, 'other run')} {'needs' if others == 1 else 'need'} a check, too" if others else ""
    return (*said, f"{more}.")


def faulty(study: Study) -> frozenset[str]:
    """Return the names of the runs with a fault: one of `faults`, or the same captions as another run."""
    return frozenset([*faults(study), *(name for group in twins(study) for name in group)])


def too(whom: str, several: int) -> str:
    """Return the end of a sentence about the worst run: that `whom`, `several` other runs, have similar faults."""
    return f", and {whom} {'have similar faults' if several > 1 else 'has a similar fault'}"


def _same(group: Sequence[str], runs: int, names: Mapping[str, str]) -> tuple[str, str]:
    few = " and ".join(names[name] for name in group)
    who = few if len(group) == 2 else f"All {runs} runs" if len(group) == runs else f"{len(group)} of {runs} runs"
    return Strong(who), " have the same captions"


def warning(study: Study, run: str, name: str = "") -> str:
    """Return the warning after a verdict that ranks a run with a fault first; "" for other runs.

    `name` is the name of the run if the verdict names several runs.
    """
    found, whose = hazards_of(study, run), f"the captions of {name}" if name else "its captions"
    return f" Look at {whose} before you believe this: it {', and '.join(found)}." if found else ""


def hazard_note(study: Study, runs: Sequence[Run]) -> list[str]:
    """Return the meaning of runs' marks, for footers: in full for the first MARKED runs, then the number of others.

    [] if no run is marked.
    """
    short = short_names(study.runs)
    found = [f"{short[run.name]} {' and '.join(clauses)}" for run in runs if (clauses := hazards_of(study, run.name))]
    others = [f"and {count(len(found) - MARKED, 'other run')}, each with its own note"] if len(found) > MARKED else []
    return [f"Marked “check”: {'; '.join([*found[:MARKED], *others])}."] if found else []


def unranked(study: Study, metrics: Sequence[Metric], runs: Sequence[Run]) -> list[str]:
    """Return which runs some metrics do not rank because of their caption counts, for footers and table captions."""
    groups: dict[tuple[str, str], list[Metric]] = {}
    for metric in metrics:
        for name, found in unequal(study, metric, runs).items():
            groups.setdefault((name, found.why(item_noun(study))), []).append(metric)
    whys: dict[tuple[str, str, str], list[str]] = {}
    short = short_names(study.runs)
    for (name, why), of in groups.items():
        whys.setdefault((why, labels(of), "depends" if len(of) == 1 else "depend"), []).append(short[name])
    return [
        f"{names_in_a_row(names, 3)} {'has' if len(names) == 1 else 'have'} {why}: not compared by {by}, "
        f"which {depend} on that number."
        for (why, by, depend), names in whys.items()
    ]


def sizes_differ(study: Study, metrics: Sequence[Metric], runs: Sequence[Run]) -> bool:
    """Return whether a run is left out because of its caption count, which equal samples (on Data) would fix."""
    return any(unequal(study, metric, runs) for metric in metrics)


def ties(result: Result, whose: str = "its distances") -> str:
    """Return a clause on the share of a triangle-rank metric's distances that are at their maximum, if 0.5 % or more.

    Return "" for a smaller share and for other metrics. `whose` names the distances.
    """
    if not result.at_maximum >= 0.005:
        return ""
    return f"{percent(result.at_maximum)} of {whose} are at their maximum, where triangles tie"


def tied(results: Sequence[Result]) -> list[str]:
    """Return a note, for footers, on triangle-rank metrics with most distances at their maximum; [] without any."""
    found: dict[str, float] = {}
    for result in filter(saturated, results):
        label = result.metric.label
        found[label] = max(result.at_maximum, found.get(label, 0.0))
    said = [f"{label} (up to {percent(share)})" for label, share in found.items()]
    why = "Most distances are at their maximum, so finding no difference says little"
    return [f"{why}: {', '.join(said)}."] if said else []


def few_texts(
    study: Study, metrics: Sequence[Metric], runs: Sequence[Run], names: Mapping[str, str] | None = None
) -> list[str]:
    """Return a note, for footers, on runs whose Bhattacharyya distance rests on few texts; [] if there are none.

    `names` are the short names by default.
    """
    label = next((metric.label for metric in metrics if metric.name == "bhattacharyya"), None)
    if label is None:
        return []
    samples = effective_samples(study)
    few = sorted((samples[r.name].size, r.name) for r in runs if r.name in samples and samples[r.name].size < FEW)
    if not few:
        return []
    least, called = samples[few[0][1]], short_names(study.runs) if names is None else names
    whose = names_in_a_row([called[name] for _, name in few], 3)
    return [
        f"{label} of {whose} rests on few texts, so intervals would be too narrow: "
        f"the smallest effective sample is {num(least.size, 0)} of {least.texts:,} {least.side}, below {FEW}."
    ]


def read_in_part(study: Study, metrics: Sequence[Metric], runs: Sequence[Run]) -> list[str]:
    """Return notes, for footers, on metrics that read some texts only in part, and on the runs with these texts."""
    alike: dict[tuple[tuple[str, str], ...], list[Metric]] = {}
    for metric in metrics:
        told = tuple((run.name, said) for run in runs if (said := note(study, run, metric)) is not None)
        alike.setdefault(told, []).append(metric)
    called, found = short_names(study.runs), []
    for told, of in alike.items():
        names = [called[name] for name, _ in told]
        if len({said for _, said in told}) == 1:
            found.append(f"{labels(of)}, for {names_in_a_row(names, 3)}: {told[0][1]}.")
        elif told:
            rest = names_in_a_row(names[1:], 3)
            found.append(f"{labels(of)}, for {names[0]} and, with other numbers, for {rest}: {told[0][1]}.")
    return found


def carried_by(study: Study, metric: Metric, run: str) -> str:
    """Return a clause if the Bhattacharyya distance of a run rests on few texts, for tooltips; else ""."""
    sample = effective_samples(study).get(run) if metric.name == "bhattacharyya" else None
    if sample is None or sample.size >= FEW:
        return ""
    return f"an effective sample of {num(sample.size, 0)} of {sample.texts:,} {sample.side}: its interval is too narrow"


def not_compared(study: Study, found: Unequal, value: str) -> str:
    """Return why a cell shows a dash although the run has a value."""
    return f"not compared: {found.why(item_noun(study))}. Its own value is {value}"
