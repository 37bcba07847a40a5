"""Sentences and tables of the experiment with correct and unique captions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from data.study import Study
from figures.export.table import Table
from figures.style import html
from figures.style.escaping import Strong, capital
from figures.style.numbers import P_VALUE, count, num
from figures.style.wording import item_noun, too_few
from figures.unique_correct.heatmaps import OVER, PARTS, cell_name, people_text, share_text
from figures.unique_correct.lines import FEW
from metrics.analysis.unique_correct.experiment import PAPER_SIZE, Design, Draw
from metrics.analysis.unique_correct.variance_shares import Share, Surface, VarianceShares
from metrics.base import Metric
from metrics.bootstrap import LEAST, RESAMPLES
from metrics.permutation.pvalues import ALPHA

OVERLAP = (
    "Some pairs of numbers have no cell, so the two shares can overlap; together they then exceed 100 %, and the rest "
    "is below 0."
)
EXPLAINED: dict[Draw, str] = {
    "even": "By the number of correct captions, by the number of unique ones, and by how the two depend on each other.",
    "paper": "By the number of correct captions, by the size of the pools, and by how the two depend on each other.",
}
CORRECT, CORRECT_AND_UNIQUE, POOLS = "correct captions", "correct and unique captions", "the size of the pools"
REPEATED: dict[Draw, str] = {"even": "repeated captions", "paper": "small pools of captions"}
WORSE = ", but one more correct caption can also make it worse"
HARDLY = 0.05
"""Share of the variance below which a metric is said to hardly notice an axis."""


def verdict(found: VarianceShares, of_sets: bool = True) -> tuple[str, ...]:
    """Return whether the two metrics notice repeated captions, with an example, then wrong ones, and the shares.

    With too few units for the tests of the axes to reach 0.05, the verdict says so instead. Unless the study has sets
    of captions (`of_sets`), it says nothing of the triangle-rank metric, which no run can have.
    """
    shown = found.both[: 1 + of_sets]
    if found.units < found.fewest:
        depend = f"{shown[0][0].label} depends" if not of_sets else f"{found.base.label} and {found.trm.label} depend"
        few = f"n = {found.units} is too few to show what {depend} on"
        return (
            Strong(few),
            f": p ≤ {ALPHA} takes n = {found.fewest}. ",
            capital(_example(found, *shown[0], first=True)[1]),
        )
    draw = found.experiment.design.draw
    said: list[str] = []
    for metric, surface in shown:
        whom = REPEATED[draw] if not said else "them"
        said += [
            Strong(metric.label),
            f" {_notices(surface.unique)} {whom}",
            *_example(found, metric, surface, not said),
        ]
    wrong = [
        f"{metric.label} {_notices(surface.correct)} wrong captions{WORSE if falls else ''}"
        for (metric, surface), falls in zip(shown, found.worse)
    ]
    return (*said, f"{'; '.join(wrong)}. ", _shares(found, shown))


def _notices(share: Share) -> str:
    if not np.isfinite(share.value):
        return "gives all sets the same value, so it does not notice"
    if share.value < HARDLY:
        return "hardly notices"
    return "notices" if share.p_holm <= ALPHA else "does not detectably notice"


def _example(found: VarianceShares, metric: Metric, surface: Surface, first: bool) -> tuple[str, ...]:
    """What one repeated correct caption scores, and what different ones do, in full for the `first` metric."""
    size, draw = found.experiment.design.size, found.experiment.design.draw
    one, other = (num(float(surface.mean[found.cell(size, k)]), 2) for k in (1, size))
    if not first:
        return (f": {one} against {other}{'' if metric.higher_is_better else ', where lower is better'}. ",)
    others = f"{size} different ones" if draw == "even" else f"{size} by people"
    times = "twice" if size == 2 else f"{size} times"
    return (": ", f"one correct caption said {times} scores {one}, and {others} {other}. ")


def _shares(found: VarianceShares, shown: Sequence[tuple[Metric, Surface]]) -> str:
    """How much of each metric's variance the two axes explain; "" if it is defined for no metric."""
    said, draw = [], found.experiment.design.draw
    for metric, of in shown:
        correct, unique = of.correct.value, of.unique.value
        if np.isfinite(correct):
            end = " (the shares overlap)" if correct + unique > OVER else ""
            said.append(f"{share_text(correct)} and {share_text(unique)} of the variance of {metric.label}{end}")
    ones = CORRECT_AND_UNIQUE if draw == "even" else f"{CORRECT} and {POOLS}"
    return f"{ones[:1].upper()}{ones[1:]} explain {', and '.join(said)}." if said else ""


def title(design: Design) -> str:
    """Return the title of the figures."""
    second = "how many differ" if design.draw == "even" else "the pools they are drawn from"
    return f"Sets of {design.size} captions by how many are correct and {second}"


def reading(design: Design, few: bool) -> str:
    """Return the line on how to read a figure: what is better, or what a line represents."""
    line = "number of different captions" if design.draw == "even" else "size of the pools"
    blank = "; blank: impossible" if design.draw == "even" else ""
    return f"A line for each {line}." if few else f"The stronger a cell's colour, the better{blank}."


def draw_note(design: Design) -> str:
    """Return which draw is used, with its sizes if they differ from the paper's."""
    if design.draw == "even":
        return "Each caption of a set occurs about equally often."
    if design.size == design.references == PAPER_SIZE:
        return "The paper's draw."
    return f"The paper's draw with other sizes: sets of {design.size} captions, {design.references} held out."


def set_title(design: Design, correct: int, unique: int) -> str:
    """Return the heading above the captions of one set."""
    kinds = f"Set of {correct} correct and {design.size - correct} foreign captions"
    return f"{kinds}, {unique} unique" if design.draw == "even" else f"{kinds}, drawn from pools of {unique}"


def paper_size_note(design: Design, what: str) -> str:
    """Return a sentence on what the paper's draw requires at the paper's sizes.

    "" if these sizes are chosen, or for the even draw.
    """
    if design.draw == "even" or design.size == design.references == PAPER_SIZE:
        return ""
    return (
        f"The paper has sets of {PAPER_SIZE} against {PAPER_SIZE} held-out references, which takes {2 * PAPER_SIZE} "
        f"references for each {what}."
    )


def sampled(study: Study, found: VarianceShares) -> str:
    """Return the sample: the numbers of items, repeats and captions, the seed, and the draw."""
    design, what = found.experiment.design, item_noun(study)
    return (
        f"n = {count(len(found.experiment.items), what)}, {count(design.repeats, 'repeat')} each, seed {design.seed}; "
        f"sets of {design.size} captions against {design.references} held-out captions by people. {draw_note(design)}"
    )


def left_out(study: Study, found: VarianceShares) -> str:
    """Return how many items the experiment leaves out, and why; "" if none.

    Of the items without a value, only the first one's reason is given.
    """
    failed = found.experiment.failed
    few = len(study.items) - len(found.experiment.items) - len(failed)
    parts = []
    if few:
        design = found.experiment.design
        captions = "different captions" if design.draw == "even" else "captions"
        parts.append(f"Left out: {count(few, item_noun(study))} with fewer than {design.needed} {captions} by people.")
    if failed:
        parts.append(f"Left out: {count(len(failed), item_noun(study))} without a value ({failed[0]}).")
    return " ".join(parts)


def people(study: Study, found: VarianceShares) -> str:
    """Return how much people repeat each other in sets of the same size and, for the paper's draw, in which cell
    that is.
    """
    design = found.experiment.design
    where = "" if design.draw == "even" else f", as in the cell of {cell_name(design.size, design.size, 'paper')}"
    return (
        f"People: of {design.size} captions by people for one {item_noun(study)}, {num(found.people, 2)} are different "
        f"on average ({share_text(found.people / design.size)}){where}."
    )


def facts(study: Study, found: VarianceShares, chosen: bool = False) -> list[str]:
    """Return the line below the figures: the sample, what it leaves out, and how much people repeat each other.

    For lines, it also explains their bars and the ring around the `chosen` point.
    """
    said = [*filter(None, (sampled(study, found), left_out(study, found), people(study, found)))]
    if found.experiment.design.size > FEW:
        return said
    ring = [html.key("ring", "ring: the captions below")] if chosen else []
    return [*said, "bars: 95 % intervals of the means", *ring]


def rules(study: Study, found: VarianceShares) -> list[str]:
    """Return how cells are drawn, and how shares and tests are computed."""
    what, design = item_noun(study), found.experiment.design
    said = (
        f"Cells: mean over {what}s and repeats; {found.base.label} is the mean over the captions of a set.",
        _drawn(design),
        paper_size_note(design, what),
        f"Foreign captions are those of other {what}s; some may be true by chance.",
        "Shares: variance of the two effects, fitted to the cells by least squares; noise alone explains some, too.",
        sign_flip_note(study, found),
        _ranges(study, found),
    )
    return [*filter(None, said)]


def notes(study: Study, found: VarianceShares) -> tuple[str, ...]:
    """Return the notes that a command prints beside its table."""
    tested = paper_size_note(found.experiment.design, item_noun(study)), sign_flip_note(study, found)
    return tuple(filter(None, (*facts(study, found), *tested)))


def sign_flip_note(study: Study, found: VarianceShares) -> str:
    """Return the test that decides whether a change is stated; "" without tests."""
    if not found.tests:
        return ""
    return (
        f"A change is stated from n = {found.fewest} on, where p ≤ {ALPHA} "
        f"(sign flips of the effects of each {item_noun(study)}, Holm over {found.tests} tests)."
    )


def _ranges(study: Study, found: VarianceShares) -> str:
    """The meaning of the ranges of the shares, which are not confidence intervals."""
    items, what = len(found.experiment.items), item_noun(study)
    if items < LEAST:
        return f"{too_few(study, items)} to resample the shares."
    return (
        f"Resampled: the range of 95 % of the shares in {RESAMPLES:,} resamples of the {what}s. It is not a confidence "
        "interval: noise takes from the largest share and adds to the others, so a share near 0 or 1 is often outside "
        "the range."
    )


def _drawn(design: Design) -> str:
    if design.draw == "even":
        return "A cell is blank where one text would be both correct and foreign."
    return (
        "Sets are drawn as in Chan et al. (B.2). The correct captions of a set come at random from a pool of other "
        "references, the rest from an equally large pool of foreign captions; draws are with replacement where a pool "
        "has fewer captions than are drawn. Captions that people repeat are kept."
    )


def heatmap_alt(metric: Metric, surface: Surface, found: VarianceShares) -> str:
    """Return the text alternative of a heatmap."""
    ends = [(int(np.argmin(surface.mean)), "lowest"), (int(np.argmax(surface.mean)), "highest")]
    said, draw = [], found.experiment.design.draw
    for place, word in ends:
        correct, unique = found.experiment.cells[place]
        where = cell_name(correct, unique, draw).replace(", ", " and ")
        said.append(f"{word} {num(float(surface.mean[place]))} at {where}")
    axes = "correct and unique captions" if draw == "even" else "correct captions and size of the pools"
    return f"{metric.label} of sets by {axes}: {', '.join(said)}; {people_text(found)}."


def shares_alt(found: VarianceShares) -> str:
    """Return the text alternative of the bars."""
    parts = PARTS[found.experiment.design.draw]
    said = [
        f"{metric.label}: {parts[0]} {share_text(s.correct.value)}, {parts[1]} {share_text(s.unique.value)}"
        for metric, s in found.both
    ]
    return f"Shares of variance between cells. {'; '.join(said)}."


def places(design: Design, correct: str, unique: str) -> list[int]:
    """Return the positions of the cells with these numbers of correct and unique captions; "" matches any."""
    pairs = enumerate(design.cells.tolist())
    return [place for place, (m, k) in pairs if correct in ("", str(m)) and unique in ("", str(k))]


def cell_table(study: Study, found: VarianceShares, correct: str = "", unique: str = "") -> Table:
    """Return a row for each metric and cell, or only for cells with these numbers, if given."""
    design = found.experiment.design
    second = "unique" if design.draw == "even" else "pool"
    heads = {
        "metric": "Metric",
        "correct": "Correct",
        second: second.capitalize(),
        "value": "Value",
        "standard_error": "Standard error",
        "n": "n",
        "people_different": "People, different",
    }

    def frame() -> pd.DataFrame:
        shown = places(design, correct, unique)
        return pd.DataFrame(
            [
                {
                    "dataset": study.name,
                    "draw": design.draw,
                    "correct": design.cells[place, 0],
                    second: design.cells[place, 1],
                    "metric": metric.name,
                    "signature": metric.signature,
                    "value": surface.mean[place],
                    "standard_error": surface.error[place],
                    "n": len(found.experiment.items),
                    "people_different": found.people,
                }
                for metric, surface in found.both
                for place in shown
            ]
        )

    return Table(frame, heads, "unique correct", brief=[name for name in heads if name != "people_different"])


def share_table(found: VarianceShares) -> Table:
    """Return a row for each metric and part: percentage of the variance, range of 95 % of resamples, and p."""
    heads = {
        "metric": "Metric",
        "explained_by": "Explained by",
        "percent": "Percent",
        "resampled_from": "Resampled from",
        "resampled_to": "Resampled to",
        "p_value": "Corrected p",
    }

    def frame() -> pd.DataFrame:
        parts = PARTS[found.experiment.design.draw]
        return pd.DataFrame(
            [
                (metric.name, part, 100 * share.value, 100 * share.low, 100 * share.high, share.p_holm)
                for metric, s in found.both
                for part, share in zip(parts, (s.correct, s.unique, s.remainder))
            ],
            columns=list(heads),
        )

    return Table(frame, heads, "variance explained", {"p_value": P_VALUE}, 1)
