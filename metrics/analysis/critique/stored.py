"""The critiques' scores of all runs of a study, as arrays, and estimates of their training time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from data.study import Study, digest
from metrics.analysis.critique.critics import Critic, critic, measured
from metrics.analysis.critique.machine_speed import CORES
from metrics.analysis.feasibility import EMBEDDINGS_PER_SECOND, START_SECONDS
from metrics.base import Undefined
from metrics.cache.disk import UNFIT_ERRORS, Cache, entry_key
from metrics.cache.entry import Arrays
from metrics.chunk import StudyDigests
from metrics.learned.critique_metric import Critique, key_of, measured_of, why_untrainable
from metrics.learned.critique_result import Measured, TooFew
from metrics.progress import Hooks

EPOCHS = 30
EXAMPLES_PER_SECOND = {"sentence": 20_000.0, "lstm": 330.0}
"""Training rates measured on one core with a hidden layer of 512, where `machine_speed.slowdown` is 1."""
MADE_CAPTIONS = 4
"""Artificial captions per item, built from its references; two more are sampled for each run."""
_PARTS = ("runs", "people", "probes", "losses", "best")


@dataclass(frozen=True)
class Design:
    """The settings of critiques, and whether one critique serves all runs or each run has its own."""

    metric: Critique = Critique()
    one_for_all: bool = False


def key(study: Study, design: Design) -> str:
    """Return the cache key; it depends on the settings, all texts in order, and the images if they are read."""
    read = [study.references_digest, *(study.contents[run.name] for run in study.runs)]
    texts = digest([*read, *design.metric.images_read(study)])
    return entry_key("critiques", "of all runs", design.metric.signature, design.one_for_all, texts)


def measure(study: Study, design: Design, cache: Cache, hooks: Hooks) -> Arrays:
    """Train the critiques that are not in the cache, and return the scores and losses of all critiques.

    Raises Cancelled, and Undefined if there is too little to learn from.
    """
    try:
        found = measured(study, design.metric, cache, hooks, design.one_for_all)
    except TooFew as why:
        raise Undefined(str(why)) from None
    return {f"{k}.{name}": getattr(one, name) for k, one in enumerate(found) for name in _PARTS}


def from_arrays(study: Study, design: Design, arrays: Arrays) -> list[Critic]:
    """Return the critique of each run. Raises one of UNFIT_ERRORS if the arrays belong to another study."""
    found = _measured(study, design, arrays)
    told = design.metric.learns_of_runs
    return [critic(study, run, one, design.one_for_all, told) for run, one in zip(study.runs, found, strict=True)]


def fits(study: Study, design: Design, arrays: Arrays) -> bool:
    """Return whether the arrays can belong to this study and design."""
    try:
        _measured(study, design, arrays)
    except UNFIT_ERRORS:
        return False
    return True


def _measured(study: Study, design: Design, arrays: Arrays) -> list[Measured]:
    people = sum(len(item.references) for item in study.items)
    found = []
    for k, run in enumerate(study.runs):
        own = {name: arrays[f"{k}.{name}"] for name in _PARTS}
        spoken = sum(len(run.candidates.get(item.id, ())) for item in study.items)
        found.append(measured_of(own, design.metric.repeats, spoken, people, len(study.items)))
    return found


def lacking(study: Study, design: Design) -> str | None:
    """Return why these critiques cannot be trained on a study; None if they can be trained."""
    groups = [study.runs] if design.one_for_all else [(run,) for run in study.runs]
    return next((why for runs in groups if (why := why_untrainable(study, runs, design.metric))), None)


def trained_runs(study: Study, design: Design, has: Callable[[str], bool]) -> list[str]:
    """Return the names of the runs whose own critique is in the cache; [] if one critique serves all runs.

    `has` states whether the cache has a key.
    """
    if design.one_for_all:
        return []
    return [run.name for run in study.runs if has(key_of(design.metric, StudyDigests.of(study, run)))]


def critiques(study: Study, design: Design) -> int:
    """Return how many critiques are trained for all runs; each needs two trainings (one per half) per repeat.

    A critique that is not trained on captions of the run serves all runs that have captions of the same items.
    """
    if design.one_for_all:
        return 1
    if design.metric.learns_of_runs:
        return len(study.runs)
    return len({frozenset(id for id, said in run.candidates.items() if said) for run in study.runs})


def seconds(study: Study, design: Design, slowdown: float = 1.0) -> float:
    """Return the approximate time of the first training in seconds, on two cores with this `machine_speed.slowdown`."""
    references = sum(len(item.references) for item in study.items)
    spoken = {text for run in study.runs for texts in run.candidates.values() for text in texts}
    made = len(study.items) * (MADE_CAPTIONS + 2 * len(study.runs))
    embedding = START_SECONDS["encoder"] + (references + len(spoken) + made) / EMBEDDINGS_PER_SECOND
    rate = EXAMPLES_PER_SECOND[design.metric.reader]
    embedding = embedding if design.metric.reader == "sentence" else 1.0
    trainings = 2 * design.metric.repeats * critiques(study, design)
    return slowdown * (embedding + trainings * EPOCHS * references / rate / CORES)
