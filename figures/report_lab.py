"""The pages of a report that try a metric out: what it sees of correctness and of variety."""

from __future__ import annotations

from figures import commands, markup, report, unique_correct_words
from figures.report import LeftOut, Page, Section
from figures.report_request import Request
from figures.unique_correct import heatmap, share_bars
from figures.words import noun
from metrics import made
from metrics import unique_correct as sets
from metrics.describe import direction
from metrics.distances import CiderDDistance
from metrics.distribution import Trm
from metrics.explained import Measured, measured
from metrics.registry import TRMS

FIRST = TRMS[CiderDDistance.label]
DOING = f"Comparing sets of captions by {FIRST.space.label}"


def unique_correct(request: Request) -> Page:
    """Heatmaps and shares of variance, as first shown by the page."""
    found = _measured(request)
    if isinstance(found, LeftOut):
        return found
    study, cells = request.study, found.experiment.cells
    maps = [
        request.charts.block(
            heatmap(surface, cells, metric.label, metric.higher_is_better, "light"),
            unique_correct_words.heatmap_alt(metric, surface, found), metric.label, "The stronger a cell, the better.",
            direction(metric),
        )
        for metric, surface in found.both
    ]  # fmt: skip
    bars = share_bars([(metric.label, surface) for metric, surface in found.both], "light")
    blocks = (
        markup.verdict(unique_correct_words.verdict(found)),
        report.grid(maps),
        request.charts.block(bars, unique_correct_words.shares_alt(found), "What explains the variance between cells"),
        markup.footer(unique_correct_words.footer(study, found), (found.base.signature, found.trm.signature)),
        report.table(unique_correct_words.cell_table(found), "unique correct", "Every cell as a table"),
        markup.figure_title("The same from the command line"),
        report.code(commands.unique_correct(request.named, found.trm, found.experiment.design)),
    )
    return Section("Unique vs correct", "Does the metric see both?", blocks)


def _measured(request: Request) -> Measured | LeftOut:
    """The experiment by the distance of the first triangle-rank metric where the page has made it, else by CIDEr-D."""
    study = request.study
    pools = sets.distinct_references(study)
    own = next((metric for metric in request.metrics if isinstance(metric, Trm)), None)
    if own is not None:
        design = sets.first_design(pools, own)
        arrays = made.experiment(study, design, own, request.cache).found(request.cache)
        if arrays is not None and len(arrays["items"]):
            return measured(sets.restored(design, arrays), own)
    design = sets.first_design(pools, FIRST)
    if not len(sets.usable(pools, design.needed)):
        return LeftOut(f"it takes {design.needed} distinct references, and no {noun(study)} has them")
    arrays = request.arrays(made.experiment(study, design, FIRST, request.cache), DOING)
    if arrays is None:
        return LeftOut("its sets have not been compared: open the page first")
    experiment = sets.restored(design, arrays)
    return measured(experiment, FIRST) if len(experiment.items) else LeftOut(experiment.failed[0])
