"""`trilens coherence`: how a metric scores captions of each coherence label, as on the Coherence page."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from cli import output, reading, table_output
from cli.options import Network
from cli.reading import Given, with_given
from cli.score_directions import check_metrics
from metrics.engine.tasks import Options

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from data.study import Study
    from metrics.base import Metric
    from metrics.engine.scoring import Results

SHOWN = ("run", "label", "value", "low", "high", "captions", "images", "share", "people")
SWEPT = ("asserted", "run", "label", "value", "low", "high", "n")


class Side(StrEnum):
    """Whose captions are given each label in turn: those of runs (candidates) or of people (references)."""

    candidates = "candidates"
    references = "references"


Asserted = Annotated[
    Side | None, typer.Option(help="COSMic when each label in turn is given to all candidates, or all references.")
]


@with_given("Files with captions and their coherence labels, or a bundle.")
def coherence(
    given: Given,
    metric: Annotated[
        str | None, typer.Option(help="A metric with a score for each caption; by default that of the page.")
    ] = None,
    asserted: Asserted = None,
    cosmic: Network = None,
) -> None:
    """Print the mean score of each run's captions with each coherence label, and how often runs and people use each
    label.

    Intervals are over images, each drawn with all of its captions. With --asserted, print the mean COSMic of each run
    under each label instead.
    """
    if metric is not None:
        check_metrics(metric, given.files)
    study, loaded, cache, frequencies = given.study_and_frequencies()
    named = metric or _default(study)
    chosen = _one(study, reading.chosen_metrics(named, study, cosmic=cosmic, loaded=loaded), asserted)
    swept = _under_labels(study, chosen, asserted)
    wanted = reading.with_frequencies_of(tuple(swept.values()) or (chosen,), frequencies)
    results = reading.compute_results(study, wanted, Options(seed=given.seed), cache)
    made = _table(study, results, wanted[0], swept, asserted)
    table_output.print_table(made, SHOWN if asserted is None else SWEPT)
    if given.out is not None:
        table_output.write_table(made, given.out)
    reading.exit_if_failed(results)


def _default(study: Study) -> str:
    from metrics.analysis.defaults import scoring_captions
    from metrics.analysis.feasibility import why_impossible
    from metrics.needs import unmet
    from metrics.registry import METRICS

    able = [one for one in METRICS.values() if not why_impossible(study, one) and not any(map(unmet, one.needs))]
    found = scoring_captions(study, able)
    return found.name if found else "cider_d"


def _one(study: Study, metrics: tuple[Metric, ...], asserted: Side | None) -> Metric:
    """Return the only metric; exit with status 2 if there are several, or if it cannot be used.

    It must score each caption and, with --asserted, be COSMic; without --asserted, the study needs coherence labels.
    """
    from metrics.learned.cosmic_metric import Cosmic

    if asserted is not None and (len(metrics) != 1 or not isinstance(metrics[0], Cosmic)):
        output.fail("--asserted takes --metric cosmic, the one metric here that reads labels")
    if asserted is None and not any(run.coherence for run in study.runs):
        output.fail("no caption has a coherence label: give `coherence` with the captions, as docs/formats.md says")
    if len(metrics) != 1 or metrics[0].grain != "candidate":
        output.fail("--metric takes one metric with a score for each caption, such as cider_d")
    return metrics[0]


def _under_labels(study: Study, metric: Metric, asserted: Side | None) -> Mapping[str, Metric]:
    """Return COSMic by label: with the captions' own labels, and with each label asserted; {} if nothing is asserted.

    Exit with status 2 if the network reads no labels.
    """
    from metrics.analysis.coherence import asserted_labels
    from metrics.learned.cosmic_metric import Cosmic

    if asserted is None or not isinstance(metric, Cosmic):
        return {}
    return asserted_labels.metrics(study, metric, asserted.value) or output.fail(
        "--asserted: this network reads no labels, so none can be asserted"
    )


def _table(
    study: Study, results: Results, metric: Metric, swept: Mapping[str, Metric], asserted: Side | None
) -> pd.DataFrame:
    from metrics.analysis.coherence import asserted_labels, label_scores

    if asserted is None:
        return label_scores.table(label_scores.by_label(study, results, metric))
    return asserted_labels.table(asserted_labels.sweep(study, results, swept), asserted.value)
