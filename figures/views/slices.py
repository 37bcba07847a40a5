"""Slices: where is a run better or worse?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from data.study import Study
from figures.slices import words
from figures.slices.chart import NARROW, chart, lengths
from figures.style.run_names import pair_names
from figures.style.wording import item_noun, of_items
from figures.views.controls import metric_of_items, number, one_of, pair_of_runs, to_rank
from figures.views.view import Choice, Known, Panel, Presentation, Refusal, View, without_runs
from metrics.analysis import artifacts
from metrics.analysis.artifacts import Artifact
from metrics.analysis.slices import differences as analysis
from metrics.analysis.slices.differences import SliceDifferences, Values
from metrics.analysis.slices.groups import LEAST, divisible
from metrics.analysis.slices.lengths import length_curve
from metrics.base import Metric
from metrics.cache.entry import Arrays
from metrics.text import tokens

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from figures.export.paper import Ground


@dataclass(frozen=True)
class Sliced:
    """The values of the items, and how they differ between each slice and the other items."""

    of: Values
    found: SliceDifferences


class Slices(View[Sliced]):
    """Find slices on which the difference between two runs differs from that on the other items.

    A slice is a word that people use, a quarter of the items by the length or the agreement of their references, or a
    value of the metadata. p comes from permuting the differences over all items, and is corrected for all slices.
    """

    name, title, question, pick = "slices", "Slices", "Where is a run better or worse?", "within"
    controls = (
        metric_of_items("scored_by", place=2),
        *pair_of_runs("its own mean"),
        one_of(
            "correction", "Correction", "holm; or bh, which allows a few false findings.", words.CORRECTION, folded=True
        ),
        number(
            "fewest",
            "Fewest {noun}s in a slice",
            "Minimum number of items per slice: 10 by default, 5 below 100 items.",
            lambda study: analysis.fewest(len(study.items)),
            least=LEAST,
            suggested=(5, 10, 20, 50),
        ),
    )

    def refuses(self, study: Study) -> Refusal | None:
        """Return why a study has no slices: no run, nothing that divides the items, or too few items; else None."""
        least, noun, count = analysis.fewest(len(study.items)), item_noun(study), len(study.items)
        if lacking := without_runs(study):
            return lacking
        if not divisible(study):
            why = f"slices are made of people's captions or of fields of the {noun}s, and this study has neither"
            return Refusal(why, f"Nothing divides the {noun}s of this study", words.DIVIDE.format(noun=noun))
        if count >= 2 * least:
            return None
        why = f"a slice needs {least} {noun}s, and so do the {noun}s outside it; this study has {count}"
        return Refusal(why, f"Too few {noun}s", control="fewest")

    def needs(self, known: Known, choice: Choice) -> tuple[Metric, ...]:
        """Return the metric, and the agreement of references if it can be computed.

        Without a chosen pair, the metric that ranks the runs is needed, too.
        """
        read = analysis.needed(known.study, known.metric(choice["scored_by"]))
        chosen = {"a", "b"} <= choice.keys()
        return read if chosen else tuple(dict.fromkeys((*read, *to_rank(known))))

    def _values(self, known: Known, choice: Choice) -> Values | str:
        second = choice["b"] if choice["b"] != choice["a"] else None
        design = analysis.Design(choice["a"], second, int(choice["fewest"]), seed=known.seed)
        return analysis.values(known.study, known.numbers.results, known.metric(choice["scored_by"]), design)

    def work(self, known: Known, choice: Choice) -> Artifact | Refusal | None:
        """Return the work that compares the slices, or why they cannot be compared; None while numbers are missing."""
        of = self._values(known, choice)
        if isinstance(of, str):
            return Refusal(f"{known.metric(choice['scored_by']).label}: {of}")
        scored = {name for _, name in known.numbers.results}
        if not known.complete and any(metric.name not in scored for metric in self.needs(known, choice)):
            return None
        return artifacts.slices(known.study, of)

    def result(self, known: Known, choice: Choice, arrays: Arrays) -> Sliced | Refusal:
        """Return all slices with their tests, or a refusal without slices."""
        of = self._values(known, choice)
        assert not isinstance(of, str)
        found = analysis.differences(of, arrays, cast(analysis.Correction, choice["correction"]))
        if not found.rows:
            why = f"no slice has {of.design.fewest} {item_noun(known.study)}s inside it and as many outside"
            return Refusal(why, control="fewest")
        return Sliced(of, found)

    def picked(self, known: Known, result: Sliced, asked: str) -> str:
        """Return `asked` if it is the key of a slice, else that of the slice that the verdict names first; "" if none
        is significant.
        """
        if asked in {row.slice.key for row in result.found.rows}:
            return asked
        first = words.first(result.of, result.found)
        return first.slice.key if first else ""

    def present(
        self, known: Known, choice: Choice, result: Sliced, others: Mapping[str, Sliced] | None = None
    ) -> Presentation:
        """Return the slices and, where known, scores by the length of captions."""
        of, found = result.of, result.found
        runs = list(dict.fromkeys((choice["a"], choice["b"])))
        called = {run: known.name(run) for run in runs}
        names = list(pair_names(called, *runs)) if len(runs) > 1 else list(called.values())
        notes = [
            *(["words of references are left out: they need Java"] if found.without_words else []),
            *([words.AGREEMENT_LEFT_OUT] if of.agreement_decides else []),
        ]
        panels = (self._rows(known, choice, result, runs, names), *self._lengths(known, of, runs, names))
        noun = item_noun(known.study)
        return Presentation(words.verdict(of, found, names, noun), panels, tuple(notes), words.more(of, found, noun))

    def _rows(self, known: Known, choice: Choice, result: Sliced, runs: list[str], names: list[str]) -> Panel:
        of, found, study = result.of, result.found, known.study
        listed = words.rows(found)
        rows = [words.row(of, one) for one in listed]
        heads = words.heads(study, of.metric, [study.run(run) for run in runs], names)
        marked, noun, against = choice.get(self.pick), item_noun(study), " against ".join(names)

        def draw(on: Ground) -> go.Figure:
            return chart(rows, heads, on.on_screen(marked), on.mode, on.narrower(NARROW))

        return Panel(
            "slices",
            words.title(against, len(rows), found),
            words.table(of, found),
            draw,
            words.alt(of, found, listed),
            facts=words.facts(study, of, found, len(rows)),
            how=of_items(study, words.HOW),
            signatures=(of.metric.signature,),
            metrics=(of.metric,),
            name=f"slices, {against}",
            responsive=True,
            least=640,
            sub=f"dot: the mean of a slice, {noun}s that have something in common; tick: of the other {noun}s"
            + ("; click one for its captions" if self.pick in choice and not marked else ""),
            folded="" if found.found else words.nearest(len(rows), found),
        )

    def _lengths(self, known: Known, of: Values, runs: list[str], names: list[str]) -> tuple[Panel, ...]:
        study, label = known.study, of.metric.label
        if tokens.missing(study.tokenizer) is not None:
            return ()
        curves = [length_curve(study, study.run(run), values) for run, values in zip(runs, of.sides)]
        marks = [known.style(run) for run in runs]
        panel = Panel(
            "slices_lengths",
            f"{label} by words per caption",
            words.length_table(curves),
            lambda on: lengths(curves, names, marks, label, on.mode),
            f"{label} of {' and '.join(names)} in groups of {item_noun(study)}s by the length of the run's captions",
            facts=words.length_facts(study, curves, names),
            signatures=(of.metric.signature,),
            metrics=(of.metric,),
            name=f"caption length, {label}",
            folded="Caption length against score",
        )
        return (panel,)


VIEW = Slices()
