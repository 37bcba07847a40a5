"""The report's page about unique and correct captions: how a metric responds to correctness and to variety."""

from __future__ import annotations

from functools import partial

from figures.report import commands
from figures.report import html as report_html
from figures.report.compare import single_numbers
from figures.report.html import LeftOut, Page, Section
from figures.report.request import Request
from figures.style import html as style_html
from figures.style.wording import item_noun
from figures.unique_correct import words as unique_correct_words
from figures.unique_correct.heatmaps import heatmap, share_bars
from metrics.analysis import artifacts
from metrics.analysis.unique_correct import experiment as sets
from metrics.analysis.unique_correct.variance_shares import VarianceShares, variance_shares
from metrics.distances.words import CiderDDistance
from metrics.distribution import Trm
from metrics.documentation import direction
from metrics.registry import TRMS, given_to

DOING = f"Comparing sets of captions by {CiderDDistance.label}"


def unique_correct(request: Request) -> Page:
    """Return heatmaps and shares of variance, with the default settings of the page."""
    found = _measured(request)
    if isinstance(found, LeftOut):
        return found
    blocks, lines = [*_blocks(request, found)], [_line(request, found)]
    if (theirs := _drawn_as_in_the_paper(request, found)) is not None:
        blocks += [
            style_html.figure_title("The same by the draw of the paper", "".join(unique_correct_words.verdict(theirs)))
        ]
        blocks += _blocks(request, theirs)
        lines.append(_line(request, theirs))
    blocks += single_numbers(request)
    said = tuple(unique_correct_words.verdict(found))
    return Section(
        "Unique vs correct", "Does a metric see both correctness and variety?", said, tuple(blocks), tuple(lines)
    )


def _line(request: Request, found: VarianceShares) -> str:
    return commands.unique_correct(request.named, found.trm, found.experiment.design)


def _blocks(request: Request, found: VarianceShares) -> list[str]:
    """The figures and the table of one experiment."""
    design, study = found.experiment.design, request.study
    maps = [
        request.charts.block(
            partial(heatmap, found, metric, surface),
            unique_correct_words.heatmap_alt(metric, surface, found),
            metric.label,
            f"{unique_correct_words.draw_note(design)} The stronger a cell, the better.",
            direction(metric),
        )
        for metric, surface in found.both
    ]
    bars = partial(share_bars, [(metric.label, surface) for metric, surface in found.both], draw=design.draw)
    name = "unique correct" if design.draw == "even" else "unique correct, the paper's draw"
    return [
        report_html.grid(maps),
        request.charts.block(bars, unique_correct_words.shares_alt(found), "What explains the variance between cells"),
        report_html.footer(unique_correct_words.footer(study, found), (found.base.signature, found.trm.signature)),
        request.table(unique_correct_words.cell_table(found), name, "Every cell as a table"),
    ]


def _drawn_as_in_the_paper(request: Request, found: VarianceShares) -> VarianceShares | None:
    """The experiment with the paper's draw beside the even one, if the page has computed it."""
    if found.experiment.design.draw == "paper":
        return None
    design = sets.default_design(sets.pools_of(request.study, "paper"), found.trm, draw="paper")
    arrays = artifacts.experiment(request.study, design, found.trm, request.cache).stored(request.cache)
    if not arrays or not len(arrays["items"]):
        return None
    return variance_shares(sets.experiment_from(design, arrays), found.trm, request.study)


def _measured(request: Request) -> VarianceShares | LeftOut:
    """The experiment by the first triangle-rank metric's distance if the page has computed it, else by CIDEr-D."""
    study = request.study
    draw = next(iter(sets.possible(study)), sets.DRAWS[0])
    pools = sets.pools_of(study, draw)
    own = next((metric for metric in request.metrics if isinstance(metric, Trm)), None)
    if own is not None:
        design = sets.default_design(pools, own, draw=draw)
        arrays = artifacts.experiment(study, design, own, request.cache).stored(request.cache)
        if arrays is not None and len(arrays["items"]):
            return variance_shares(sets.experiment_from(design, arrays), own, study)
    first = given_to(TRMS[CiderDDistance.label], request.idf, study.tokenizer)
    design = sets.default_design(pools, first, draw=draw)
    if not len(sets.usable(pools, design.needed)):
        return LeftOut(f"it needs {design.needed} captions by people, and no {item_noun(study)} has them")
    arrays = request.arrays(artifacts.experiment(study, design, first, request.cache), DOING)
    if arrays is None:
        return LeftOut("its sets have not been compared: open the page first")
    experiment = sets.experiment_from(design, arrays)
    return variance_shares(experiment, first, study) if len(experiment.items) else LeftOut(experiment.failed[0])
