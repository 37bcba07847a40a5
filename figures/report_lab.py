"""The pages of a report that try a metric out: what it sees of correctness and of variety."""

from __future__ import annotations

from figures import markup, report, unique_correct_words
from figures.report import Section
from figures.report_request import Request
from figures.unique_correct import heatmap, share_bars
from metrics import unique_correct as sets
from metrics.distribution import Trm
from metrics.explained import Measured, measured

QUICK = "CIDEr-D"
FEW = 500
"""Items whose sets are compared for a report alone; of more, only what a page has compared before is shown."""


def unique_correct(request: Request) -> Section | None:
    """Heatmaps and shares of variance, as first shown by the page; none where items have too few references."""
    found = _measured(request)
    if found is None:
        return None
    study, cells = request.study, found.experiment.cells
    maps = [
        request.charts.block(
            heatmap(surface, cells, metric.label, metric.higher_is_better, "light"),
            unique_correct_words.heatmap_alt(metric, surface, found), metric.label, "The stronger a cell, the better.",
            unique_correct_words.way(metric),
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
    )
    return Section("Unique vs correct", "Does the metric see both?", blocks)


def _measured(request: Request) -> Measured | None:
    study = request.study
    pools = sets.distinct_references(study)
    own = next((metric for metric in request.metrics if isinstance(metric, Trm)), None)
    for trm in (*((own,) if own else ()), sets.TRMS[QUICK]):
        design = sets.first_design(pools, trm)
        arrays = request.cache.get(sets.experiment_key(study, design, trm))
        if arrays is not None:
            return measured(sets.restored(design, arrays), trm)
    if not 0 < len(sets.usable(pools, design.needed)) <= FEW:
        return None
    experiment = sets.experiment(study, design, trm, request.cache)
    return measured(experiment, trm) if len(experiment.items) else None
