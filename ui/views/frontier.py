"""The part that only the Frontier page has: the run whose mark was clicked."""

from __future__ import annotations

from figures.frontier import words as frontier_words
from figures.style.numbers import defined, interval, num
from figures.style.run_names import short_names
from figures.style.wording import heading
from metrics.analysis.frontier import Axis, Frontier
from metrics.analysis.replicates.grouping import replicates
from metrics.analysis.triangles_defaults import has_enough
from ui.frame import look
from ui.render import Shown
from ui.session import address, state
from ui.widgets import image_picker


def one_run(page: Shown) -> None:
    """Show the chosen run: its numbers, whether it is on the frontier, and links to its captions."""
    study, view = page.result.study, page.result.view
    names, short = [run.name for run in view.runs], short_names(study.runs)
    with image_picker.row():
        about = "Or click its mark in the chart."
        run = address.select(
            "Run",
            "run",
            names,
            page.marked,
            keep=page.known.complete,  # the default may change once all runs have both values
            format_func=short.__getitem__,
            width=260,
            help=about,
        )
        image_picker.page_link("leaderboard", "Against the others", "format_list_numbered", base=run, show="Difference")
        first = next((of.runs[0] for of in replicates(state.study().runs) if of.name == run), run)
        image_picker.page_link("images", "Its captions", "image", beside=first)
        one = state.study().run(first)
        if any(has_enough(item, one) for item in state.study().items):
            image_picker.page_link("triangles", "Its triangles", "change_history", run=first)
    k = names.index(run)
    look.note(*frontier_words.about_run(study, view, k))
    look.stats(*_stats(view, k))


def _stats(view: Frontier, k: int) -> list[look.Stat]:
    found = [_stat(axis, k) for axis in (view.quality, view.diversity)]
    note = "corrected for all pairs of runs" if defined(view.share[k]) else "not tested"
    found.append(look.Stat("On the front, at 95 %", frontier_words.standing(view, k) or num(None), note))
    return found


def _stat(axis: Axis, k: int) -> look.Stat:
    return look.Stat(heading(axis.metric), num(axis.value[k]), interval(axis.low[k], axis.high[k]))
