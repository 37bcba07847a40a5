"""Arena: which run do people, or a judge, prefer?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from data.study import Study
from figures.arena import words
from figures.arena.chart import forest, matrix
from figures.arena.words import Found
from figures.judgments.footer import criterion_label
from figures.style.wording import item_noun, of_items
from figures.views.view import Chart, Choice, Control, Known, Panel, Presentation, Refusal, View
from metrics.analysis.arena.agreement import agreements
from metrics.analysis.arena.cycles import cycles
from metrics.analysis.arena.strengths import standing
from metrics.analysis.arena.votes import by_run, categories, criteria, voted_on, votes_of
from metrics.base import Metric, Undefined
from metrics.cache.entry import Arrays

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from figures.export.paper import Ground

ALL = "all"
"""The choice of all categories together."""


def _criteria(known: Known, choice: Choice) -> dict[str, str]:
    return {one: criterion_label(one) for one in criteria(known.study)}


def _categories(known: Known, choice: Choice) -> dict[str, str]:
    criterion = choice.get("criterion") or criteria(known.study)[0]
    return {ALL: "All", **{one: one for one in categories(known.study, criterion)}}


class Arena(View[Found]):
    """Rank the runs by votes of people or a judge on pairs of their captions.

    Strengths come from the Bradley-Terry model with ties (Davidson 1970) and an effect of the order of captions, if
    known. Intervals over items hold for all runs and pairs simultaneously; each pair is compared with the model's
    expectation; cycles of runs that beat each other are listed.
    """

    name, title, question = "arena", "Arena", "Which run is preferred, and how surely?"
    controls = (
        Control(
            "criterion",
            "Criterion",
            "The criterion of the votes, as named in the files; judge:NAME for those of a judge. The first by default.",
            "named",
            _criteria,
            lambda known, choice: next(iter(_criteria(known, choice))),
            asked=lambda study: len(criteria(study)) > 1,
        ),
        Control(
            "category",
            "Category",
            "A category of pairs, as named in the files; all by default.",
            "named",
            _categories,
            lambda known, choice: ALL,
            place=1,
            asked=lambda study: any(categories(study, one) for one in criteria(study)),
        ),
    )

    def refuses(self, study: Study) -> Refusal | None:
        """Return why a study has no strengths: nobody compared captions of two runs. None if somebody did."""
        if criteria(study):
            return None
        add = "a table that says which of two captions is better: columns id, run_a, run_b and winner"
        said = f"these files have no preferences between runs: add {add}"
        return Refusal(said, "Nobody compared captions of these runs", f"On the Data page, add {add}.")

    def optional(self, known: Known) -> tuple[Metric, ...]:
        """Return all metrics: the order of runs by each scored metric is compared with their order by the votes."""
        return known.metrics

    def work(self, known: Known, choice: Choice) -> Arrays:
        """Return {}: strengths are quick to compute."""
        return {}

    def result(self, known: Known, choice: Choice, arrays: Arrays) -> Found | Refusal:
        """Return strengths and cycles from the chosen votes, or why there are none."""
        category = None if choice["category"] == ALL else choice["category"]
        votes = votes_of(known.study, choice["criterion"], category)
        try:
            found = standing(votes, known.seed)
        except Undefined as why:
            return Refusal(f"there are no strengths: {why}")
        return Found(choice["criterion"], category or "", found, cycles(found, known.seed), by_run(votes))

    def present(
        self, known: Known, choice: Choice, result: Found, others: Mapping[str, Found] | None = None
    ) -> Presentation:
        """Return panels of the runs' strengths with the observed pairs, of all pairs, and of any cycles.

        If scored metrics can be compared, a last panel shows whether they order the runs as the votes do.
        """
        known = replace(known, study=voted_on(known.study))
        names = [known.name(run.name) for run in known.study.runs]
        said, more = words.verdict(result, names, item_noun(known.study))
        panels = [self._runs(known, result, names), self._pairs(known, result)]
        if result.cycles.found:
            title = "Cycles: each run is preferred to the next, and the last to the first"
            panels.append(Panel("arena_cycles", title, words.cycle_table(known.study, result.cycles)))
        runs = [known.study.runs[run].name for run in result.standing.ranked]
        strengths = result.standing.fit.strengths
        if agreeing := agreements(runs, strengths, known.numbers, known.metrics):
            table = words.metric_table(result, agreeing)
            panels.append(Panel("arena_metrics", "Whether metrics order the runs as the votes do", table))
        return Presentation(said, tuple(panels), more=tuple(more))

    def _runs(self, known: Known, found: Found, names: list[str]) -> Panel:
        study, of = known.study, found.standing
        styles = [known.style(run.name) for run in study.runs]
        ranked = [names[run] for run in of.ranked]

        def strengths(on: Ground) -> go.Figure:
            return forest(words.rows(found, names, styles), on.mode)

        def pairs(on: Ground) -> go.Figure:
            return matrix(ranked, words.cells(found), on.mode)

        against = any(cell.against for cell in words.cells(found))
        won = f"percent of votes for the row; below: number of votes{_AGAINST if against else ''}"
        return Panel(
            "arena",
            "Strengths of runs from votes on pairs",
            words.table(study, found),
            charts=(
                Chart("arena_strengths", "Strength of each run", strengths, words.alt(found, names)),
                Chart("arena_matrix", "Who was preferred to whom", pairs, words.matrix_alt(found, names), won),
            ),
            facts=words.facts(study, found),
            how=of_items(study, [text.format(item_noun(study)) for text in words.HOW]),
            signatures=(found.signature,),
            name="arena",
        )

    def _pairs(self, known: Known, found: Found) -> Panel:
        return Panel("arena_pairs", "Every pair of runs", words.pair_table(known.study, found))


_AGAINST = "; red: more votes for the weaker run, ×: significantly more"

VIEW = Arena()
