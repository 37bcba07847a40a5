"""Groups of replicates: runs of one setting that differ only in a seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

from data.run_settings import numbered_seeds, without_number
from data.study import Run


@dataclass(frozen=True)
class Replicates:
    """A setting: its name, and the names of its runs, which differ only in a seed; one run if it has no replicates."""

    name: str
    runs: tuple[str, ...]


def replicates(runs: Sequence[Run]) -> tuple[Replicates, ...]:
    """Return the settings of runs, in order of first appearance.

    Runs with a manually assigned setting belong to that setting. Other runs are replicates if they agree in model and
    settings and state different seeds; a seed may be stated only in the name, such as "model-s2" next to "model-s1".
    """
    keys = {run.name: _key(run) for run in runs}
    numbered = _numbered([run for run in runs if keys[run.name] is None])
    groups: dict[Hashable, list[Run]] = {}
    for run in runs:
        key = keys[run.name] or numbered.get(run.name) or (run.name,)
        groups.setdefault(key, []).append(run)
    settled = [group for found in groups.values() for group in _with_distinct_seeds(found)]
    order = {run.name: place for place, run in enumerate(runs)}
    settled.sort(key=lambda group: order[group[0].name])
    return _named(settled)


def replicated(settings: Iterable[Replicates]) -> bool:
    """Return whether any setting has at least two runs."""
    return any(len(setting.runs) > 1 for setting in settings)


def numbers_of(runs: Sequence[Run]) -> list[int]:
    """Return the number of each run's setting (runs,), numbered in order of first appearance."""
    number = {name: k for k, setting in enumerate(replicates(runs)) for name in setting.runs}
    return [number[run.name] for run in runs]


def _key(run: Run) -> Hashable | None:
    """The properties shared by the runs of a setting; None for a run without a seed and without an assigned setting."""
    if run.setting:
        return "by hand", run.setting
    if run.settings.seed is None:
        return None
    return run.model, tuple(vars(replace(run.settings, seed=None)).items())


def _numbered(runs: Sequence[Run]) -> dict[str, Hashable]:
    """The common part of names that are numbered "-s1", "-s2", .. without a gap, by run name."""
    found: dict[str, Hashable] = {}
    for settings in dict.fromkeys(run.settings for run in runs):
        named = numbered_seeds(run.name for run in runs if run.settings == settings)
        found |= {name: ("numbered", common, settings) for name, (common, _) in named.items()}
    return found


def _with_distinct_seeds(runs: list[Run]) -> list[list[Run]]:
    """The runs as one setting, or as single runs if two state the same seed, since these differ in something else."""
    seeds = [run.settings.seed for run in runs if run.settings.seed is not None and not run.setting]
    return [runs] if len(seeds) == len(set(seeds)) else [[run] for run in runs]


def _named(groups: Sequence[Sequence[Run]]) -> tuple[Replicates, ...]:
    names = [_name(group) for group in groups]
    own = {group[0].name for group in groups if len(group) == 1}
    shared = Counter(name for group, name in zip(groups, names) if len(group) > 1)
    found: list[Replicates] = []
    taken: set[str] = set()
    for group, name in zip(groups, names):
        free = name
        if len(group) > 1 and shared[name] > 1:
            free = f"{name} ({group[0].name})"
        elif len(group) > 1 and name in own:
            free = f"{name}: {len(group)} seeds"
        while free in taken:
            free += " *"
        taken.add(free)
        found.append(Replicates(free, tuple(run.name for run in group)))
    return tuple(found)


def _name(group: Sequence[Run]) -> str:
    first = group[0]
    if len(group) == 1:
        return first.name
    if first.setting:
        return first.setting
    common = {without_number(run.name) for run in group}
    if len(common) == 1 and (only := common.pop()):
        return only
    told = [f"{name} {value}" for name, value in vars(first.settings).items() if value is not None and name != "seed"]
    return ", ".join([first.model, *told])
