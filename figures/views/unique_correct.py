"""Unique vs correct: does a metric see both correctness and variety?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from data.study import Captions, Study
from figures.style.numbers import count
from figures.style.wording import item_noun
from figures.unique_correct import words
from figures.unique_correct.heatmaps import heatmap, share_bars
from figures.unique_correct.lines import FEW, lines
from figures.views.controls import distance_of_texts
from figures.views.view import Chart, Choice, Control, Known, Panel, Presentation, Refusal, View, without_references
from metrics.analysis import artifacts
from metrics.analysis.artifacts import Artifact
from metrics.analysis.feasibility import runs_with_sets
from metrics.analysis.unique_correct import experiment as sets
from metrics.analysis.unique_correct.experiment import FEWEST, LARGEST, Design
from metrics.analysis.unique_correct.variance_shares import Surface, VarianceShares, variance_shares
from metrics.base import Metric
from metrics.cache.entry import Arrays
from metrics.guide.documentation import direction
from metrics.needs import unmet

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from figures.export.paper import Ground
    from metrics.suite.distribution import Trm

LABELS: dict[sets.Draw, str] = {"even": "even repeats", "paper": "the paper's"}
REPEATS = (1, 2, 3, 5, 10, 20)
SEEDS = range(10)


def _numbers(values: Sequence[int]) -> dict[str, str]:
    return {str(value): str(value) for value in values}


def _draws(known: Known, choice: Choice) -> dict[str, str]:
    return {draw: LABELS[draw] for draw in sets.possible(known.study) or sets.DRAWS}


def pools(known: Known, choice: Choice) -> tuple[Captions, ...]:
    """Return, for every item, the human captions that the chosen draw uses."""
    return sets.pools_of(known.study, _draw(choice))


def _draw(choice: Choice) -> sets.Draw:
    return "paper" if choice["draw"] == "paper" else "even"


def _first(known: Known, choice: Choice) -> Design:
    return sets.default_design(pools(known, choice), known.distances[choice["distance"]], draw=_draw(choice))


def _upto(known: Known, choice: Choice, rest: int) -> Sequence[int]:
    most = max((len(pool) for pool in pools(known, choice)), default=0) - rest
    return range(FEWEST, max(min(LARGEST, most), FEWEST) + 1)


def _held(known: Known, choice: Choice) -> str:
    return str(min(_first(known, choice).references, _upto(known, choice, int(choice["size"]))[-1]))


def _repeats(known: Known, choice: Choice) -> str:
    size, held = int(choice["size"]), int(choice["held"])
    usable = len(sets.usable(pools(known, choice), size + held))
    return str(sets.default_repeats(usable, size, held, known.distances[choice["distance"]]))


def _only(name: str, label: str, said: str, least: int) -> Control:
    return Control(name, label, said, "number", lambda *_: {"": "all"}, lambda *_: "", least=least, shown=False)


def design(choice: Choice) -> Design:
    """Return the chosen design."""
    size, held, repeats, seed = (int(choice[name]) for name in ("size", "held", "repeats", "seed"))
    return Design(size, held, repeats, seed, _draw(choice))


class UniqueCorrect(View[VarianceShares]):
    """Compare sets of correct, foreign and repeated captions: does a metric see correctness, variety, or both?

    The sets consist of human captions: correct ones are those of an item, foreign ones those of other items. One row
    per cell and metric: the mean over items of TRM, or of the score of captions with the same distance.
    """

    name, title, pick, kept = "unique_correct", "Unique vs correct", "correct unique", True
    shape = "cells"
    question = "Does a metric see both correctness and variety?"
    parts: ClassVar[dict[str, str]] = {
        "captions": "Captions behind a score",
        "runs": "This study's runs",
        "variance": "Why scores differ",
        "cells": "Every cell",  # from older links; the table is now behind the figures
    }
    controls = (
        distance_of_texts(),
        Control(
            "draw",
            "Draw",
            "even repeats each unique caption equally often; paper draws as Chan et al. do.",
            "one of",
            _draws,
            lambda known, choice: next(iter(_draws(known, choice))),
            folded=True,
        ),
        Control(
            "size",
            "Captions in a set",
            "Captions in each set, of both kinds together, 2 to 12.",
            "number",
            lambda known, choice: _numbers(_upto(known, choice, FEWEST)),
            lambda known, choice: str(_first(known, choice).size),
            least=FEWEST,
            folded=True,
        ),
        Control(
            "held",
            "Captions by people held out",
            "References held out to compare the sets with, 2 to 12.",
            "number",
            lambda known, choice: _numbers(_upto(known, choice, int(choice["size"]))),
            _held,
            least=FEWEST,
            folded=True,
        ),
        Control(
            "repeats",
            "Repeats for each {noun}",
            "Draws per item; by default fewer for more items.",
            "number",
            lambda known, choice: _numbers(sorted({*REPEATS, int(_repeats(known, choice))})),
            _repeats,
            folded=True,
        ),
        Control(
            "seed",
            "Seed",
            "Seed of the draws, from 0.",
            "number",
            lambda *_: _numbers(SEEDS),
            lambda *_: "0",
            least=0,
            folded=True,
        ),
        _only("correct", "Correct", "List the cells with this many correct captions.", 0),
        _only("unique", "Unique", "List the cells with this many unique captions, or a pool of this size.", 1),
    )

    def refuses(self, study: Study) -> Refusal | None:
        """Return why no set can be made: too few human captions, or captions of only one item; else None."""
        if lacking := without_references(
            study, "Its sets are made of captions that people wrote about one item and about others."
        ):
            return lacking
        counts, what, title = [len(item.references) for item in study.items], item_noun(study), "Not enough captions"
        if not sets.possible(study):
            why = f"it needs {what}s with at least {2 * FEWEST} captions by people; the most here is {max(counts)}"
            return Refusal(why, f"{title} by people")
        if sum(map(bool, counts)) < 2:
            why = f"foreign captions come from other {what}s: two {what}s with captions by people are needed"
            return Refusal(why, f"{title} by people")
        return None

    def work(self, known: Known, choice: Choice) -> Artifact | Refusal:
        """Return the work that computes the scores of all sets, or why this is not possible as chosen."""
        chosen, trm = design(choice), known.distances[choice["distance"]]
        if lacking := self._lacking(known, choice, chosen, trm):
            return lacking
        usable = len(sets.usable(pools(known, choice), chosen.needed))
        title = f"Comparing sets of captions of {count(usable, item_noun(known.study))} by {trm.space.label}"
        work = artifacts.experiment(known.study, chosen, trm, known.cache)
        return replace(work, title=title, preemptible=trm.work != "words")

    def _lacking(self, known: Known, choice: Choice, chosen: Design, trm: Trm) -> Refusal | None:
        for need in sorted(trm.needs):
            if (why := unmet(need)) is not None:
                return Refusal(why)
        for number, name in ((chosen.size, "size"), (chosen.references, "held")):
            if number > LARGEST:
                return Refusal(f"{number} is too many captions: choose {FEWEST} to {LARGEST}", control=name)
        own = pools(known, choice)
        if not len(sets.usable(own, chosen.needed)):
            most, both = (
                max((len(pool) for pool in own), default=0),
                f"sets of {chosen.size} against {chosen.references}",
            )
            other = "paper" in _draws(known, choice) and len(
                sets.usable(sets.pools_of(known.study, "paper"), chosen.needed)
            )
            why = f"{both} take {chosen.needed} {chosen.counted}; the most here is {most}"
            return Refusal(why, control="draw" if other else "size")
        if not words.places(chosen, choice["correct"], choice["unique"]):
            why = f"sets of {chosen.size} have no such cell: one text is correct or foreign, not both"
            return Refusal(why, control="unique")
        return None

    def result(self, known: Known, choice: Choice, arrays: Arrays) -> VarianceShares | Refusal:
        """Return the means of all cells and the shares of variance that each axis explains, or why there are none."""
        experiment = sets.experiment_from(design(choice), arrays)
        if not len(experiment.items):
            why = f": {experiment.failed[0]}" if experiment.failed else ""
            return Refusal(f"no {item_noun(known.study)} has a value{why}", control="size")
        return variance_shares(experiment, known.distances[choice["distance"]], known.study)

    def picked(self, known: Known, result: VarianceShares, asked: str) -> str:
        """Return `asked` if it is a cell, such as "5 1", else the cell of one correct caption repeated throughout."""
        cells = {f"{correct} {unique}" for correct, unique in result.experiment.cells.tolist()}
        return asked if asked in cells else f"{result.experiment.design.size} 1"

    def present(
        self,
        known: Known,
        choice: Choice,
        result: VarianceShares,
        others: Mapping[str, VarianceShares] | None = None,
    ) -> Presentation:
        """Return both metrics over all cells, and what explains their variance."""
        study, both = known.study, [result.base.signature, result.trm.signature]
        marked = choice.get(self.pick)
        chosen = tuple(map(int, marked.split())) if marked else None
        cells = Panel(
            "unique_correct",
            words.title(result.experiment.design),
            words.cell_table(study, result, choice["correct"], choice["unique"]),
            charts=tuple(
                self._chart(study, result, place, metric, surface, chosen)
                for place, (metric, surface) in enumerate(result.both)
            ),
            facts=words.facts(study, result, chosen is not None),
            how=words.rules(study, result),
            signatures=both,
            metrics=(result.base, result.trm),
            name="unique correct",
        )
        rows, draw = [(metric.label, surface) for metric, surface in result.both], result.experiment.design.draw
        variance = Panel(
            "unique_correct_variance",
            "What explains the variance between cells",
            words.share_table(result),
            lambda on: share_bars(rows, on.mode, draw),
            words.shares_alt(result),
            sub=words.EXPLAINED[draw],
            how=[words.OVERLAP],
            signatures=both,
            name="variance explained",
            part="variance",
        )
        return Presentation(
            words.verdict(result, not study.runs or bool(runs_with_sets(study))),
            (cells, variance),
            words.notes(study, result),
        )

    def _chart(
        self,
        study: Study,
        found: VarianceShares,
        place: int,
        metric: Metric,
        surface: Surface,
        chosen: tuple[int, ...] | None,
    ) -> Chart:
        few = found.experiment.design.size <= FEW

        def draw(on: Ground) -> go.Figure:
            return (lines if few else heatmap)(found, metric, surface, on.mode, on.on_screen(chosen))

        return Chart(
            f"unique_correct_{place}",
            metric.label,
            draw,
            words.heatmap_alt(metric, surface, found),
            words.reading(found.experiment.design, few),
            direction(metric),
            f"{metric.name} unique correct",
            words.sampled(study, found),
        )


VIEW = UniqueCorrect()
