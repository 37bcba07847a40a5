"""Judge: can a judge's answers be trusted?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from data.study import Study
from figures.judging import tables, words
from figures.judging.chart import NARROW, chart
from figures.style.run_names import short_names
from figures.style.wording import item_noun, of_items
from figures.views.view import Choice, Control, Known, Panel, Presentation, Refusal, View
from metrics.analysis import artifacts
from metrics.analysis.artifacts import Artifact
from metrics.analysis.feasibility import why_impossible
from metrics.analysis.judging.agreement import (
    by_preferences,
    by_ratings,
    judged_scores,
    own_run,
    preference_for,
)
from metrics.analysis.judging.answers import kinds, longer_by_people
from metrics.analysis.judging.trust import Trust, trusts
from metrics.analysis.judgments.caption_agreement import Design, from_arrays
from metrics.analysis.judgments.points import criteria, suited
from metrics.base import Metric
from metrics.cache.entry import Arrays
from metrics.registry import METRICS
from metrics.suite.imported_scores import score_metrics

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from figures.export.paper import Ground

OWN, NOBODY, NAMED = "own-model", "-", "="
BESIDE = ("cider_d", "rouge_l")
"""Metrics to compare a lead with; the first that can be computed is used."""


def _own(known: Known, choice: Choice) -> str:
    return NAMED if any(own_run(known.study, kind.judge) for kind in kinds(known.study)) else NOBODY


def _runs(known: Known, choice: Choice) -> dict[str, str]:
    return {NOBODY: "no run", NAMED: "the run with its name", **short_names(known.study.runs)}


def _judged(study: Study) -> dict[str, Metric]:
    names = {scores.name for kind in kinds(study) if (scores := judged_scores(study, kind))}
    return {one.scores.name: one for one in score_metrics(study, METRICS).values() if one.scores.name in names}


def _rated(study: Study) -> str:
    return next(iter(criteria(study)), "")


class Judging(View[tuple[Trust, ...]]):
    """Show how far a judge's answers can be trusted: whether they repeat, and whether position or length decides.

    This needs a judge's answers with the captions, as written by `trilens ask`. One row per kind of question: the
    intraclass correlation of repeats, pairs in both orders, the length of captions, agreement with people's ratings,
    and whether the judge prefers its own model.
    """

    name, title, question = "judging", "Judge", "Can a judge's answers be trusted?"
    controls = (
        Control(
            OWN,
            "Its own model",
            "The run of the judge's own model; by default, for each judge, the run with its name.",
            "run",
            _runs,
            _own,
            option="own",
        ),
    )

    def refuses(self, study: Study) -> Refusal | None:
        """Return a refusal if the study has no answers of a judge; None if it has some."""
        if kinds(study):
            return None
        remedy = "Ask a judge with `trilens ask`, and add the file of its answers on the Data page."
        said = (
            "these files have no answers of a judge; `trilens ask` writes a file of answers to give together with these"
        )
        return Refusal(said, "No judge was asked about this study", remedy)

    def needs(self, known: Known, choice: Choice) -> tuple[Metric, ...]:
        """Return the judge's metrics and, if people rated nothing, any metric to compare the lead of the judge's
        model with.
        """
        beside = self._beside(known, choice)
        return (*_judged(known.study).values(), *([beside] if beside else []))

    def _beside(self, known: Known, choice: Choice) -> Metric | None:
        if choice[OWN] == NOBODY or _rated(known.study):
            return None
        return next((METRICS[name] for name in BESIDE if why_impossible(known.study, METRICS[name]) is None), None)

    def work(self, known: Known, choice: Choice) -> Artifact | Arrays | None:
        """Return the work that computes how judged scores agree with people's ratings; {} if none can be compared.

        Return None while scores are missing.
        """
        scored = {name for _, name in known.numbers.results}
        if not known.complete and any(metric.name not in scored for metric in self.needs(known, choice)):
            return None
        if not (rated := self._rated(known)):
            return {}
        return artifacts.agreement(known.study, known.numbers.results, rated, self._design(known))

    def _rated(self, known: Known) -> tuple[Metric, ...]:
        criterion = _rated(known.study)
        return suited(known.study, criterion, tuple(_judged(known.study).values())) if criterion else ()

    def _design(self, known: Known) -> Design:
        return Design(_rated(known.study), seed=known.seed)

    def result(self, known: Known, choice: Choice, arrays: Arrays) -> tuple[Trust, ...]:
        """Return the statistics of every kind of question."""
        study, results, criterion = known.study, known.numbers.results, _rated(known.study)
        metrics, rated = _judged(study), self._rated(known)
        agreement = from_arrays(arrays) if arrays else None
        people, own = [], []
        chosen, beside = "" if choice[OWN] == NOBODY else choice[OWN], self._beside(known, choice)
        for kind in kinds(study):
            run = own_run(study, kind.judge) if chosen == NAMED else chosen
            scores = judged_scores(study, kind)
            if agreement is not None and scores is not None and metrics[scores.name] in rated:
                people.append(by_ratings(agreement, rated.index(metrics[scores.name]), criterion))
            else:
                people.append(by_preferences(study, kind, criterion))
            own.append(preference_for(study, kind, run, results, beside, criterion))
        return trusts(kinds(study), people, own, longer_by_people(study))

    def present(
        self,
        known: Known,
        choice: Choice,
        result: tuple[Trust, ...],
        others: Mapping[str, tuple[Trust, ...]] | None = None,
    ) -> Presentation:
        """Return a panel with one row per kind of question."""
        study, noun = known.study, item_noun(known.study)
        rows = [words.row(one, name) for one, name in zip(result, words.labels(result), strict=True)]

        def draw(on: Ground) -> go.Figure:
            return chart(rows, words.COLUMNS, on.mode, on.narrower(NARROW))

        panel = Panel(
            "judging",
            "How far the answers can be trusted",
            tables.table(result),
            draw,
            words.alt(result),
            "one row per kind of question; dotted: no effect",
            words.facts(result, noun),
            of_items(study, words.HOW),
            tuple(one.kind.signature for one in result),
            name="trust in the judge",
            responsive=True,
            least=760,
        )
        return Presentation(words.verdict(result), (panel,))


VIEW = Judging()
