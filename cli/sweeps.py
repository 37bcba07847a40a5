"""`trilens sweeps`: metrics by temperature or by decoder, as on the Sweeps page."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import output, reading, table_output
from cli.options import Network
from cli.reading import Given, with_given
from cli.score_directions import check_metrics
from data.study import Study
from metrics.engine.tasks import Options

if TYPE_CHECKING:
    import pandas as pd

    from data.load import Loaded
    from metrics.analysis.sweeps import Setting, SweepView
    from metrics.base import Metric
    from metrics.engine.scoring import Results
    from metrics.text.cider import DocumentFrequencies


class Along(StrEnum):
    """The setting by which runs are compared."""

    temperature = "temperature"
    decoder = "decoder"


class Panel(StrEnum):
    """A table of the page."""

    numbers = "numbers"
    optima = "optima"
    off_axis = "off_axis"


_SETTING = (
    "Compare temperatures, or decoders with their top-p, top-k and beams; by default temperatures if a model has two."
)


@with_given("Files with captions of runs and references, or a study bundle.", "seed")
def sweeps(
    given: Given,
    metrics: Annotated[str | None, typer.Option(help="Names or sets, by default those of the page.")] = None,
    setting: Annotated[Along | None, typer.Option(help=_SETTING)] = None,
    panel: Annotated[Panel, typer.Option(help="All numbers, best temperatures, or settings without one.")] = (
        Panel.numbers
    ),
    cosmic: Network = None,
) -> None:
    """Compare the temperatures of each model, or its decoders, by several metrics.

    The table and the verdict are the page's; settings are averaged over their seeds.
    """
    if metrics is not None:
        check_metrics(metrics, given.files)
    study, loaded, cache, frequencies = given.study_and_frequencies()
    settings, by = _settings(study, setting)
    chosen = _metrics(metrics, study, loaded, frequencies, cosmic)
    from metrics.analysis.numbers import score_with_people
    from metrics.analysis.sweeps import sweep_view

    results: Results = {}

    def score(of: Study, some: tuple[Metric, ...]) -> Results:
        found = reading.compute_results(of, some, Options(), cache)
        results.update(found)
        return found

    numbers = score_with_people(study, chosen, score)
    views = [sweep_view(study, numbers, metric, settings) for metric in chosen]
    table = _table(study, views, by, panel)
    table_output.give_table(table, list(table.columns), given.out, "Value" if "Value" in table else None)
    _say(study, views, settings, by)
    reading.exit_if_failed(results)


def _settings(study: Study, asked: Along | None) -> tuple[tuple[Setting, ...], Along]:
    from figures.style.line_styles import marks_of
    from figures.style.wording import without_captions
    from figures.sweeps.no_lines import no_line
    from metrics.analysis.sweeps import settings_of, sweeps_of
    from metrics.analysis.sweeps_defaults import along

    if not study.runs:
        output.fail(f"{without_captions(study)}: add a file of a run")
    settings = settings_of(study.runs)
    by = asked or Along(along(settings))
    why, there = no_line(sweeps_of(settings), marks_of(study.runs, study.every_model))
    if by is Along.temperature and why:
        output.fail(f"{'. '.join(filter(None, [why, there]))}: compare decoders with --setting decoder")
    return settings, by


def _metrics(
    asked: str | None, study: Study, loaded: Loaded, idf: DocumentFrequencies | None, cosmic: Path | None
) -> tuple[Metric, ...]:
    """Return the metrics in the order of the page; exit with status 2 if none has a value for runs."""
    from metrics.analysis.defaults import by_family, first_by_family, ranking_first
    from metrics.analysis.sweeps_defaults import EACH
    from metrics.suite.ratings import ranking_ratings

    rated = ranking_ratings(study)
    names = (name for of in first_by_family(study, EACH).values() for name in of)
    default = ",".join([*([rated.name] if rated and "," not in rated.name else []), *names])
    named = default if asked is None else asked
    found = ranking_first(study, by_family(reading.metrics_in_force(named, study, loaded, idf, cosmic, default)))
    return found or output.fail(f"--metrics {named}: these are of captions by people, not of runs; name another")


def _table(study: Study, views: list[SweepView], by: Along, panel: Panel) -> pd.DataFrame:
    from figures.style.line_styles import marks_of
    from figures.sweeps import tables

    if panel is Panel.numbers:
        return tables.table(views)
    if by is Along.decoder:
        output.fail(f"there is no table {panel} where decoders are compared; it goes with --setting temperature")
    if panel is Panel.optima:
        found = tables.optima(views, marks_of(study.runs, study.every_model))
        why = "no line has values at two temperatures"
    else:
        found, why = tables.off_axis(views), "every setting has a temperature"
    return output.fail(f"there is no table {panel}: {why}") if found.empty else found


def _say(study: Study, views: list[SweepView], settings: tuple[Setting, ...], by: Along) -> None:
    from figures.style.line_styles import marks_of
    from figures.style.numbers import temperature
    from figures.sweeps import decoder_words, words
    from metrics.analysis.sweeps_defaults import common_temperature, decoders_of

    if by is Along.temperature:
        said, at = words.verdict(views, marks_of(study.runs, study.every_model)), None
    else:
        at = common_temperature(settings)
        said = decoder_words.verdict(views, decoders_of(settings, at)[0])
    among = f"Decoders at T {temperature(at)} or without a temperature: " if at is not None else ""
    print(f"{among}{''.join(said)}", file=sys.stderr)
    if why := words.reasons([(view.metric, point) for view in views for point in view.points]):
        output.warn(why)
