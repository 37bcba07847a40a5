"""What an experiment with correct and unique captions says in words, and its tables."""

from __future__ import annotations

import numpy as np
import pandas as pd

from data.study import Study
from figures.numbers import count, num
from figures.texts import Strong
from figures.unique_correct import PARTS, share_text
from figures.words import bootstrap, noun
from metrics.base import Metric
from metrics.explained import Measured, Surface

HARDLY = 0.05
"""A smaller share of the variance is not called a change."""


def verdict(found: Measured) -> tuple[str, ...]:
    """Which axes each of the two metrics follows, in shares of variance, and what repeating one caption costs."""
    (base, of_base), (trm, of_trm) = found.both
    return (*_follows(base.label, of_base), "; ", *_follows(trm.label, of_trm), ". ", *_repeated(found))


def _follows(label: str, surface: Surface) -> tuple[str, ...]:
    correct, unique = surface.correct.value, surface.unique.value
    by_correct, by_unique = (Strong(share_text(share)) for share in (correct, unique))
    if not np.isfinite(correct):
        return (Strong(label), " is the same for all sets")
    changes = (Strong(label), " changes with ")
    if correct >= HARDLY and unique >= HARDLY:
        return (*changes, "correct captions (", by_correct, " of the variance) and with unique ones (", by_unique, ")")
    if correct >= HARDLY:
        return (*changes, "correct captions (", by_correct, " of the variance) and hardly with unique ones (",
                by_unique, ")")  # fmt: skip
    if unique >= HARDLY:
        return (*changes, "unique captions (", by_unique, " of the variance) and hardly with correct ones (",
                by_correct, ")")  # fmt: skip
    return (Strong(label), " hardly changes with correct (", by_correct, ") or unique captions (", by_unique,
            ") by themselves")  # fmt: skip


def _repeated(found: Measured) -> tuple[str, ...]:
    size = found.experiment.design.size
    one, all_of = found.cell(size, 1), found.cell(size, size)
    (base, of_base), (trm, of_trm) = found.both
    first, second = ([num(float(s.mean[k]), 2) for k in (one, all_of)] for s in (of_base, of_trm))
    return (
        f"Said {size} times, one correct caption gets {base.label} {first[0]} ({size} different ones: {first[1]}) and "
        f"{trm.label} {second[0]} ({second[1]}).",
    )


def cell(found: Measured, place: int) -> str:
    """What both metrics give the sets of one cell."""
    correct, unique = found.experiment.cells[place]
    values = (f"{m.label} {num(float(s.mean[place]))} (s.e. {num(float(s.error[place]))})" for m, s in found.both)
    return f"{correct} correct, {unique} unique: {', '.join(values)}"


def sampled(study: Study, found: Measured) -> str:
    """ "n = 46 images, 5 repeats; sets of 5 candidates against 5 held-out references."."""
    design, what = found.experiment.design, noun(study)
    return (
        f"n = {count(len(found.experiment.items), what)}, {count(design.repeats, 'repeat')} each, seed {design.seed}; "
        f"sets of {design.size} candidates against {design.references} held-out references."
    )


def left_out(study: Study, found: Measured) -> str:
    """How many items are missing from the experiment and why; empty if none is."""
    failed = found.experiment.failed
    few = len(study.items) - len(found.experiment.items) - len(failed)
    parts = []
    if few:
        needed = found.experiment.design.needed
        parts.append(f"Left out: {count(few, noun(study))} with fewer than {needed} distinct references.")
    if failed:
        parts.append(f"Left out: {count(len(failed), noun(study))} without a value ({failed[0]}).")
    return " ".join(parts)


def footer(study: Study, found: Measured) -> str:
    """Everything that qualifies the numbers of the page."""
    what = noun(study)
    return " ".join(filter(None, [
        sampled(study, found),
        left_out(study, found),
        f"Cells: mean over {what}s and repeats; {found.base.label} is the mean over the captions of a set. Blank where "
        "one text would be correct and foreign.",
        "Shares: variance of the two effects, fitted to the cells by least squares.",
        bootstrap(study, "Their whiskers", len(found.experiment.items)),
        f"Foreign captions are those of other {what}s: some may be true by chance.",
    ]))  # fmt: skip


def heatmap_alt(metric: Metric, surface: Surface, found: Measured) -> str:
    """What a heatmap shows, for those who do not see it."""
    ends = [(int(np.argmin(surface.mean)), "lowest"), (int(np.argmax(surface.mean)), "highest")]
    said = []
    for place, word in ends:
        correct, unique = found.experiment.cells[place]
        said.append(f"{word} {num(float(surface.mean[place]))} at {correct} correct and {unique} unique")
    return f"{metric.label} of sets by correct and unique captions: {', '.join(said)}."


def shares_alt(found: Measured) -> str:
    """What the bars show."""
    said = [
        f"{metric.label}: correct {share_text(s.correct.value)}, unique {share_text(s.unique.value)}"
        for metric, s in found.both
    ]
    return f"Shares of variance between cells. {'; '.join(said)}."


def cell_table(found: Measured) -> pd.DataFrame:
    """A row a cell: mean and standard error of both metrics, and the number of items."""
    columns: dict[str, object] = {
        "Correct": found.experiment.cells[:, 0], "Unique": found.experiment.cells[:, 1],
    }  # fmt: skip
    for metric, s in found.both:
        columns[metric.label] = s.mean
        columns[f"{metric.label} s.e."] = s.error
    return pd.DataFrame({**columns, "n": len(found.experiment.items)})


def share_table(found: Measured) -> pd.DataFrame:
    """A row a metric and part: percent of the variance with its interval."""
    rows = [
        {"Metric": metric.label, "Explained by": part, "Percent": 100 * share.value, "Low": 100 * share.low,
         "High": 100 * share.high}
        for metric, s in found.both
        for part, share in zip(PARTS, (s.correct, s.unique, s.together))
    ]  # fmt: skip
    return pd.DataFrame(rows)
