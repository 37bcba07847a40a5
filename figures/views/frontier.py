"""Frontier: which model best balances quality and diversity?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from data.study import Run, Study
from figures.export.table import Table
from figures.frontier import trades_words, words
from figures.frontier.chart import frontier_figure
from figures.frontier.drawing import shared_scales
from figures.frontier.trades import trade_figure
from figures.style.escaping import capital
from figures.style.html import sentences
from figures.style.line_styles import run_marks
from figures.style.numbers import defined
from figures.style.wording import heading
from figures.views.controls import metric_of_family, one_of, runs_together
from figures.views.view import Chart, Choice, Known, Panel, Presentation, Refusal, View, names_of, without_runs
from metrics.analysis.defaults import default_pair
from metrics.analysis.feasibility import why_impossible
from metrics.analysis.frontier import Frontier, frontier
from metrics.analysis.overview import distance_metric
from metrics.analysis.replicates.grouping import replicated, replicates
from metrics.analysis.replicates.settings_as_runs import by_setting
from metrics.base import Family, Metric
from metrics.cache.entry import Arrays
from metrics.suite.distribution import Trm

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from figures.export.paper import Ground

FAMILIES: tuple[Family, ...] = ("quality", "diversity")
QUALITY, DIVERSITY = "quality-metric", "diversity-metric"
MARKS = {
    "intervals": "Intervals",
    "fit": "Curve for each model",
    "both": "Intervals and curves",
    "points": "Points alone",
}


@dataclass(frozen=True)
class Drawn:
    """The frontier, and the study whose runs are drawn; these may be means over seeds if settings are chosen."""

    study: Study
    view: Frontier


def _first(of: int, known: Known, offered: Mapping[Family, Mapping[str, str]]) -> str:
    """The default metric of quality (`of` 0) or diversity (1)."""
    quality, diversity = ([known.metric(name) for name in offered[family]] for family in FAMILIES)
    return default_pair(known.study, quality, diversity)[of].name


def _lacking(known: Known) -> Refusal:
    for family in FAMILIES:
        own = [metric for metric in known.every_metric if metric.family == family]
        reasons = [why_impossible(known.study, metric) for metric in own]
        if all(reasons):
            because = f"{family} {reasons[0]}" if reasons else f"there is no {family} metric"
            both = f"The frontier needs a quality and a diversity metric. {capital(because)}."
            return Refusal(f"it needs a quality metric and a diversity metric: {because}", "No pair of metrics", both)
    raise ValueError("both can be computed")


def _beside_marks(choice: Choice) -> tuple[bool, bool]:
    return choice["marks"] in ("intervals", "both"), choice["marks"] in ("fit", "both")


class FrontierOf(View[Drawn]):
    """Find the runs that no other run matches or beats in both quality and diversity, and compare the models.

    Whether a run is on the front is tested at 95 %, over all pairs of runs and both metrics together; models are
    compared by the quality that they keep at people's diversity, and by the area that their settings cover.
    """

    name, title, pick, with_people = "frontier", "Frontier", "run", True
    shape = "points"
    side_by_side = True
    question = "Which model best balances quality and diversity?"
    parts: ClassVar[dict[str, str]] = {"models": "Models", "run": "One run"}
    controls = (
        metric_of_family(QUALITY, "Quality", FAMILIES, "quality", partial(_first, 0), _lacking),
        metric_of_family(DIVERSITY, "Diversity", FAMILIES, "diversity", partial(_first, 1), _lacking),
        runs_together(),
        one_of("marks", "Show", "What is drawn beside the marks.", MARKS, folded=True),
        one_of(
            "seeds",
            "One mark for each",
            "Runs that differ only in their seeds: one mark per setting, or per run.",
            {"settings": "Setting", "runs": "Run"},
            folded=True,
            asked=lambda study: replicated(replicates(study.runs)),
        ),
    )

    def refuses(self, study: Study) -> Refusal | None:
        """Return why a study has no frontier: it has no run; None if it has runs."""
        return without_runs(study)

    def needs(self, known: Known, choice: Choice) -> tuple[Metric, Metric]:
        """Return both metrics."""
        return known.metric(choice[QUALITY]), known.metric(choice[DIVERSITY])

    def optional(self, known: Known) -> tuple[Metric, ...]:
        """Return the metric by which Overview tests runs against people by default, if there is one."""
        trms = {metric.name: metric for metric in known.metrics if isinstance(metric, Trm)}
        return (trms[distance_metric(known.study, trms, lambda _: False)],) if trms else ()

    def work(self, known: Known, choice: Choice) -> Arrays | None:
        """Return {}, because there is nothing to compute; None until a run has both values or all numbers are there."""
        found = known.numbers.results.items()
        there = [
            {run for (run, name), result in found if name == metric.name and defined(result.corpus)}
            for metric in self.needs(known, choice)
        ]
        return {} if known.complete or there[0] & there[1] else None

    def result(self, known: Known, choice: Choice, arrays: Arrays) -> Drawn | Refusal:
        """Return the frontier of the chosen runs or, if settings are chosen, of their settings, or why it is empty."""
        runs: tuple[Run, ...] = tuple(known.study.run(name) for name in names_of(choice["runs"]))
        study, numbers, settings = known.study, known.numbers, replicates(runs)
        if choice["seeds"] == "settings" and replicated(settings):
            study, numbers = by_setting(study, numbers, settings)
            runs = study.runs
        quality, diversity = self.needs(known, choice)
        view = frontier(study, numbers, quality, diversity, runs)
        if view.runs:
            return Drawn(study, view)
        return Refusal("; ".join(["no run has both values", *dict.fromkeys(why for _, why in view.missing)][:2]))

    def picked(self, known: Known, result: Drawn, asked: str) -> str:
        """Return `asked` if it names a run in the result.

        Otherwise, return the setting nearest to people's diversity of the first model that reaches it; if no model
        does, the first run in the order of the view.
        """
        view, names = result.view, [run.name for run in result.view.runs]
        if asked in names:
            return asked
        models, people = view.trades.reaching, view.trades.people
        if not models:
            return names[view.order[0]]
        return names[min(models[0].runs, key=lambda k: abs(float(view.diversity.value[k]) - people))]

    def present(
        self, known: Known, choice: Choice, result: Drawn, others: Mapping[str, Drawn] | None = None
    ) -> Presentation:
        """Return a mark for each run and, if several can be compared, a comparison of the models."""
        said, more = words.verdict(result.study, result.view)
        return Presentation(said, (self._runs(choice, result), *self._models(result)), more=more)

    def _runs(self, choice: Choice, result: Drawn) -> Panel:
        study, view = result.study, result.view
        metrics = view.quality.metric, view.diversity.metric
        names, marked = [run.name for run in view.runs], choice.get(self.pick)
        chosen = names.index(marked) if marked in names else None
        marks = run_marks(study.runs, study.every_model)
        crosses, curves = _beside_marks(choice)

        def draw(on: Ground) -> go.Figure:
            drawn = partial(frontier_figure, view, marks, on.mode, intervals=crosses, curves=curves)
            return drawn(chosen=on.on_screen(chosen), width=on.width, cramped=on.cramped)

        return Panel(
            "frontier",
            f"{heading(metrics[0])} against {metrics[1].label}",
            words.table(study, view),
            draw,
            words.alt(study, view),
            facts=words.facts(study, view, chosen, crosses, curves),
            how=[" ".join(words.rules(study, view, crosses, curves))],
            signatures=[metric.signature for metric in metrics],
            metrics=metrics,
            name=f"{metrics[0].name} {metrics[1].name}",
            sub=words.reading(view),
            responsive=True,
            least=620,
        )

    def panels(self, choice: Choice, results: Mapping[str, Drawn]) -> Panel:
        """Return a frontier for each study, with the colours of all models of these studies."""
        crosses, curves = _beside_marks(choice)
        scales = shared_scales([one.view for one in results.values()], crosses)
        models = tuple(dict.fromkeys(model for one in results.values() for model in one.study.every_model))

        def draw(one: Drawn, on: Ground) -> go.Figure:
            marks = run_marks(one.study.runs, models)
            return frontier_figure(
                one.view, marks, on.mode, intervals=crosses, curves=curves, width=on.width, scales=scales
            )

        own, shared = {}, dict[str, None]()
        for name, one in results.items():
            own[name] = [words.sample(one.study, one.view), words.not_drawn(one.study, one.view)]
            facts = words.facts(one.study, one.view, None, crosses, curves)
            shared |= dict.fromkeys(fact for fact in facts if fact not in own[name])
        first = next(iter(results.values()))
        axes = [axis.metric for one in results.values() for axis in (one.view.quality, one.view.diversity)]
        return Panel(
            "frontier",
            f"{heading(axes[0])} against {axes[1].label}",
            Table.of_studies({name: words.table(one.study, one.view) for name, one in results.items()}),
            charts=tuple(
                Chart(f"frontier_{k}", name, partial(draw, one), words.alt(one.study, one.view))
                for k, (name, one) in enumerate(results.items())
            ),
            facts=[
                *(f"{name}: {'. '.join(filter(None, said))}" for name, said in own.items()),
                *shared,
                "all panels have the same axes",
            ],
            how=[" ".join(words.rules(first.study, first.view, crosses, curves))],
            signatures=list(dict.fromkeys(metric.signature for metric in axes)),
        )

    def _models(self, result: Drawn) -> tuple[Panel, ...]:
        study, view = result.study, result.view
        shown = trades_words.shown(view)
        if len(view.trades.models) < 2 or not shown:
            return ()
        marks, printed = run_marks(study.runs, study.every_model), trades_words.print_footer(study)

        def chart(how: trades_words.How) -> Chart:
            title, sub = trades_words.title(view, how)
            draw = lambda on: trade_figure(view, marks, how, on.mode)  # noqa: E731
            return Chart(f"frontier_{how}", title, draw, trades_words.alt(view, how), sub, printed=printed)

        first, *rules = sentences(trades_words.footer(study, view))
        charts = tuple(map(chart, shown))
        alone = charts[0] if len(charts) == 1 else None
        panel = Panel(
            "frontier_models",
            alone.title if alone else "Every model",
            trades_words.table(study, view),
            alone.draw if alone else None,
            alone.alt if alone else "",
            charts=() if alone else charts,
            sub=alone.sub if alone else "",
            facts=[first],
            how=[" ".join(rules)],
            signatures=(view.quality.metric.signature, view.diversity.metric.signature),
            part="models",
        )
        return (panel,)


VIEW = FrontierOf()
