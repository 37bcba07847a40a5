"""`trilens robustness`: how metrics react to damaged captions, as on the Robustness page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import output, reading, table_output
from cli.progress_bar import working
from cli.reading import Given, Metrics, with_given
from data.study import Study

if TYPE_CHECKING:
    from metrics.analysis.robustness.curves import Curve
    from metrics.analysis.robustness.design import Design
    from metrics.base import Metric
    from metrics.cache.disk import Cache
    from metrics.transformations import Transformation

QUALITY = "bleu_1,bleu_4,rouge_l,meteor,cider_d,bert"
SETS = "trm_cider_d,mmd_bert,distinct_2"
NEAREST = "random_caption"
GAMMAS = "0,0.2,0.4,0.6,0.8,1"


@with_given("Files with two references per item or more, or a study bundle.", "scores_direction")
def robustness(
    given: Given,
    metrics: Metrics = QUALITY,
    transformations: Annotated[str, typer.Option(help="all, or names separated by commas.")] = "all",
    gammas: Annotated[str, typer.Option(help="Strengths, 0 to 1; 0 and 1 are always among them.")] = GAMMAS,
    items: Annotated[int, typer.Option(help="Maximum number of items, drawn at random.", min=1)] = 1000,
) -> None:
    """Damage one caption of each item more and more, and print the share of its score that remains, by each metric.

    Metrics of sets are given half of an item's references, with a share gamma of them damaged. A share of 1 is the
    undamaged score; 0 is the score of another item's captions for a distribution metric, and a change as large as the
    value for a diversity metric. The area is 1 if a metric is blind, and small if it sees the damage at once; its
    interval is a bootstrap over items.
    """
    from metrics.analysis.robustness.design import Design

    strengths, named = _strengths(gammas), _transformations(transformations)
    study, loaded, cache, frequencies = given.study_and_frequencies()
    of_captions, of_sets = _suited(reading.metrics_in_force(metrics, study, loaded, frequencies, default=QUALITY))
    design = Design(named, strengths, items, given.seed)
    every: list[Curve] = []
    if of_captions:
        _tell_without_words(study, design)
        every += _curves(study, design, of_captions, cache)
    if of_sets:
        every += _curves(study, replace(design, sets=True), of_sets, cache)
    _give(every, given.out)


def _tell_without_words(study: Study, design: Design) -> None:
    from metrics.analysis.robustness.design import without_words

    if count := without_words(study, design):
        output.warn(f"left out: {count:,} item{'s' * (count > 1)} without spaces between words, as in Chinese")


def _give(every: Sequence[Curve], out: Path | None) -> None:
    """Write the table, or print the areas; exit with status 1 if a curve has no area."""
    from metrics.analysis.robustness import tables

    if out is not None:
        table_output.write_table(tables.as_table(every), out)
    else:
        areas = tables.areas(every)
        table_output.print_table(areas, [name for name in areas.columns if name != "error" or areas.error.any()])
    if any(one.reason for one in every):
        raise typer.Exit(1)


def _strengths(text: str) -> tuple[float, ...]:
    from metrics.analysis.robustness.design import strengths

    try:
        return strengths([float(part) for part in text.split(",") if part.strip()])
    except ValueError as why:
        return output.fail(f"--gammas takes numbers from 0 to 1 separated by commas: {why}")


def _transformations(text: str) -> tuple[Transformation, ...]:
    from metrics.needs import unmet
    from metrics.transformations import TRANSFORMATIONS

    names = [part.strip() for part in text.split(",") if part.strip()]
    if names == ["all"]:
        why = unmet("encoder")
        if why is not None:
            output.warn(f"left out: {NEAREST}, which orders captions by the sentence encoder. {why}")
        return tuple(one for name, one in TRANSFORMATIONS.items() if why is None or name != NEAREST)
    unknown = [name for name in names if name not in TRANSFORMATIONS]
    if unknown or not names:
        output.fail(
            f"there is no transformation {', '.join(unknown) or text!r}; there are {', '.join(TRANSFORMATIONS)}"
        )
    return tuple(TRANSFORMATIONS[name] for name in dict.fromkeys(names))


def _suited(metrics: tuple[Metric, ...]) -> tuple[tuple[Metric, ...], tuple[Metric, ...]]:
    """Return the metrics of single captions, and the metrics of sets; warn about all other metrics.

    Exit with status 2 if there are only others.
    """
    from metrics.analysis.robustness.design import suited, suited_sets

    of_sets = tuple(metric for metric in metrics if suited_sets(metric))
    of_captions = tuple(metric for metric in metrics if suited(metric) and metric not in of_sets)
    others = ", ".join(metric.name for metric in metrics if metric not in (*of_captions, *of_sets))
    if not of_captions and not of_sets:
        output.fail(f"{others}: robustness takes metrics of captions such as {QUALITY}, or of sets such as {SETS}")
    if others:
        output.warn(f"left out, since no value of a caption or of an item's set can be computed here: {others}")
    return of_captions, of_sets


def _curves(study: Study, design: Design, metrics: tuple[Metric, ...], cache: Cache) -> list[Curve]:
    from metrics.analysis import artifacts
    from metrics.analysis.robustness.curves import curves
    from metrics.analysis.robustness.measure import from_arrays
    from metrics.base import Undefined

    work = artifacts.damaged_captions(study, design, metrics, cache)
    try:
        with working(work.title) as hooks:
            arrays = work.arrays(cache, hooks)
    except Undefined as why:
        return output.fail(str(why))
    return list(curves(from_arrays(design, metrics, arrays, study.unit), metrics).values())
