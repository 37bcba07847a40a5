"""Central captions: how close do models stay to the middle of what people say?"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from data.study import Study
from figures.central import chart, standings, verdict, words
from figures.style.numbers import num
from figures.style.palette import styles_of
from figures.style.wording import item_noun
from figures.views.controls import distance, leader, of_quality, one_of
from figures.views.view import Chart, Choice, Known, Panel, Presentation, Refusal, View, without_references
from metrics.analysis import artifacts
from metrics.analysis.artifacts import Artifact
from metrics.analysis.central.study import CentralitySummary, PairedDifference, across, signature
from metrics.base import Metric
from metrics.cache.entry import Arrays
from metrics.distances.base import Distance
from metrics.distances.words import BowDistance
from metrics.needs import unmet
from metrics.registry import METRICS

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from figures.export.paper import Ground

ROLES = {"candidate": "candidate", "reference": "reference"}


def chosen(known: Known, choice: Choice) -> tuple[Distance, bool]:
    """Return the chosen distance, and whether captions are treated as references."""
    return known.trm(choice["distance"]).space.of_references, choice["as"] == "reference"


class Central(View[CentralitySummary]):
    """Find people's most central captions, and how far each run stays from them, in units of people's own distance.

    The most central caption of an item has the smallest mean distance to the others on its side. A run's captions are
    compared with the same centres as each person's caption: those of the other people's captions.
    """

    name, title, pick, kept = "central", "Central captions", "run", True
    question = "How close do models stay to the middle of what people say?"
    parts = {"cards": "Captions of a run", "lengths": "Are central captions longer or shorter?"}  # noqa: RUF012
    controls = (
        distance(),
        one_of(
            "as",
            "A caption is",
            "candidate: it is scored against the others; reference: the others are scored against it.",
            ROLES,
            folded=True,
            matters=lambda known, choice: not known.trm(choice["distance"]).space.symmetric,
        ),
    )

    def refuses(self, study: Study) -> Refusal | None:
        """Return why a study has no centres: no item has three human captions, and of two, neither is more central;
        else None.
        """
        if any(len(item.references) > 2 for item in study.items):
            return None
        if none := without_references(study, "The centre is the middle of what people wrote."):
            return none
        lacking = f"a centre needs three captions by people, and no {item_noun(study)} has three"
        remedy = f"A{lacking[1:]}; of two, each is as central as the other. Add captions on the Data page."
        return Refusal(f"{lacking}: add some", "This study has no centres", remedy)

    def optional(self, known: Known) -> tuple[Metric, ...]:
        """Return the metrics that decide, if they are scored, with which distance and run the view begins."""
        return (*known.distances.values(), METRICS["bert"], *of_quality(known))

    def work(self, known: Known, choice: Choice) -> Artifact | Refusal:
        """Return the work that computes the distances of all captions from the centres, or why it cannot be done."""
        space, as_reference = chosen(known, choice)
        if missing := [why for need in sorted({*space.needs, *BowDistance().needs}) if (why := unmet(need))]:
            return Refusal(f"{space.label} cannot be computed here: {missing[0]}")
        return artifacts.centres(known.study, space, known.cache, as_reference)

    def result(self, known: Known, choice: Choice, arrays: Arrays) -> CentralitySummary:
        """Return the centres, the lengths of central captions, and the distance of every run."""
        return across(known.study, arrays, seed=known.seed)

    def picked(self, known: Known, result: CentralitySummary, asked: str) -> str:
        """Return `asked` if it names a run in the result, else the leader; "" without runs."""
        names = [run.run for run in result.runs]
        return asked if asked in names else leader(known) if names else ""

    def present(
        self,
        known: Known,
        choice: Choice,
        result: CentralitySummary,
        others: Mapping[str, CentralitySummary] | None = None,
    ) -> Presentation:
        """Return a row for each run, the lengths of central captions, and every item."""
        space, as_reference = chosen(known, choice)
        facts, how = words.facts(known.study, result), words.how(known.study, result, as_reference)
        signed = (signature(space, as_reference),)
        panels = (
            *([self._runs(known.study, result, facts, how, signed)] if result.runs else []),
            self._lengths(known.study, result, facts, how, signed),
            self._items(known.study, result, choice.get(self.pick, ""), signed),
        )
        return Presentation(verdict.study_verdict(known.study, result, space.label), panels)

    def _runs(
        self, study: Study, found: CentralitySummary, facts: list[str], how: list[str], signed: tuple[str]
    ) -> Panel:
        rows = words.standings(study, found, styles_of(study))
        said = "; ".join(f"{row.name} {num(row.ratio, 2)}" for row in rows)
        return Panel(
            "runs",
            "How far are models from the centre?",
            words.runs_table(found),
            lambda on: standings.standings(rows, on.mode, on.width, on.narrower(standings.NARROW)),
            f"Distance to the centre over people's own: {said}.",
            facts=facts,
            how=how,
            signatures=signed,
            name="distance to the centre",
            responsive=True,
            sub=" ".join(
                [
                    "The centre: people's caption nearest to all the others. Left: nearer than people.",
                    standings.left_out(rows),
                ]
            ).rstrip(),
        )

    def _lengths(
        self, study: Study, found: CentralitySummary, facts: list[str], how: list[str], signed: tuple[str]
    ) -> Panel:
        noun = item_noun(study)

        def histogram(of: PairedDifference, unit: str, on: Ground) -> go.Figure:
            return chart.difference_histogram(of.difference, of.mean, *of.interval, unit, noun, on.mode)

        counted = [("words", found.words), ("content words", found.content)][
            : 2 if words.reads_as_english(found) else 1
        ]
        charts = tuple(
            Chart(
                f"central_{unit.replace(' ', '_')}",
                f"In {unit}",
                partial(histogram, of, unit),
                f"Central minus others, {unit}: mean {num(of.mean, 2)}.",
                words.difference_words(study, of),
                name=f"central {unit}",
            )
            for unit, of in counted
            if of.n
        )
        title = self.parts["lengths"]
        return Panel(
            "lengths",
            title,
            words.lengths_table(found),
            charts=charts,
            facts=facts,
            how=how,
            signatures=signed,
            part="lengths",
        )

    def _items(self, study: Study, found: CentralitySummary, run: str, signed: tuple[str]) -> Panel:
        title = f"Every {item_noun(study)}"
        return Panel("items", title, words.items_table(study, found, run), signatures=signed, folded=title)


VIEW = Central()
