"""Words: what does a run say too often, and what too rarely?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from data.study import Study
from figures.style.wording import item_noun
from figures.views.controls import each_run, number, of_quality, one_of
from figures.views.view import Choice, Known, Panel, Presentation, Refusal, View, without_references, without_runs
from figures.words import words
from figures.words.chart import NARROW, chart
from metrics.analysis import artifacts
from metrics.analysis.artifacts import Artifact
from metrics.analysis.words import usage as analysis
from metrics.analysis.words.terms import UNITS, Unit, shared_items
from metrics.analysis.words.usage import Usage
from metrics.base import Metric
from metrics.cache.entry import Arrays
from metrics.permutation.word_tests import DRAWS

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from figures.export.paper import Ground


class Words(View[Usage]):
    """Find words and phrases that a run uses more, or less, often than people do for the same images.

    They are measured by log-odds with an informative prior (Monroe, Colaresi and Quinn 2008), with intervals whose unit
    is the image, and tested by permutation within images, corrected across all words of the run.
    """

    name, title, question, pick = "words", "Words", "What does a run say too often, and what too rarely?", "word"
    controls = (
        each_run(),
        one_of("unit", "Count", "words, or phrases of two or three words.", {one: one.capitalize() for one in UNITS}),
        number(
            "fewest",
            "Fewest {noun}s with a word",
            "Minimum number of images with a word: 10 by default, 5 below 100 images.",
            lambda study: analysis.fewest(len(study.items)),
            least=2,
            suggested=(5, 10, 20, 50),
        ),
        number("draws", "Random labellings", "Random labellings of the test.", lambda study: DRAWS, least=99),
    )

    def refuses(self, study: Study) -> Refusal | None:
        """Return why a study has no words to compare: no run, no human captions, or too few items; else None."""
        least, noun, count = analysis.fewest(len(study.items)), item_noun(study), len(study.items)
        lacking = without_runs(study) or without_references(study, "Words are compared with those of people.")
        if lacking or count >= least:
            return lacking
        why = f"a word counts if it occurs in at least {least} {noun}s; this study has {count}"
        return Refusal(why, f"Too few {noun}s", control="fewest")

    def optional(self, known: Known) -> tuple[Metric, ...]:
        """Return the metric whose leading run is shown first."""
        return of_quality(known)

    def _design(self, known: Known, choice: Choice) -> analysis.Design:
        unit, fewest, draws = cast(Unit, choice["unit"]), int(choice["fewest"]), int(choice["draws"])
        return analysis.Design(choice["run"], unit, fewest, draws, known.seed)

    def work(self, known: Known, choice: Choice) -> Artifact:
        """Return the work that compares the run's words with people's."""
        return artifacts.words(known.study, self._design(known, choice))

    def result(self, known: Known, choice: Choice, arrays: Arrays) -> Usage | Refusal:
        """Return all words with their tests, or a refusal without words."""
        design = self._design(known, choice)
        if (found := analysis.usage(design, arrays)).rows:
            return found
        few = len(shared_items(known.study, known.study.run(design.run))) < design.fewest
        why = f"no {design.unit} occur in {design.fewest} {item_noun(known.study)}s or more"
        return Refusal(why, control="" if few else "fewest")

    def picked(self, known: Known, result: Usage, asked: str) -> str:
        """Return `asked` if it is a word in the result, else the first word that is named, or "" for none."""
        if asked in {row.term for row in result.rows}:
            return asked
        first = words.first(result)
        return first.term if first else ""

    def present(
        self, known: Known, choice: Choice, result: Usage, others: Mapping[str, Usage] | None = None
    ) -> Presentation:
        """Return the words of the run and, given `others`, the findings for all runs."""
        study, name, every = known.study, known.name(choice["run"]), {choice["run"]: result}
        every |= others or {}
        panels = [self._rows(known, choice, result, name)]
        if others:
            listed = {run.name: every[run.name] for run in study.runs if run.name in every}
            panels.append(Panel("words_runs", "Words of every run", words.table_of_runs(listed)))
        return Presentation(words.verdict(result, name), tuple(panels))

    def _rows(self, known: Known, choice: Choice, result: Usage, name: str) -> Panel:
        study, (over, under), unit = known.study, words.shown(result), result.design.unit
        style, marked = known.style(choice["run"]), choice.get(self.pick)

        def draw(on: Ground) -> go.Figure:
            return chart(over, under, name, style, on.on_screen(marked), on.mode, on.narrower(NARROW))

        return Panel(
            "words",
            f"{unit.capitalize()} of {name} against people's",
            words.table(result),
            draw,
            words.alt(name, over, under),
            "click one for its captions" if self.pick in choice else "",
            words.facts(study, result, len(over) + len(under)),
            words.how(study),
            (result.design.signature,),
            name=f"{unit} of {name}",
            responsive=True,
            least=640,
        )


VIEW = Words()
