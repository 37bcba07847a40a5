"""`trilens layers`: how far BERTScore agrees with people at every layer of its encoder."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from cli import output, reading, table_output
from cli.progress_bar import working
from cli.reading import Given, with_given
from metrics.engine.tasks import Options

if TYPE_CHECKING:
    import pandas as pd

    from data.study import Study
    from metrics.analysis.judgments.layers import Layer
    from metrics.cache.disk import Cache
    from metrics.engine.scoring import Results
    from metrics.suite.quality import BertScore

COLUMNS = ("criterion", "layer", "kendall_tau_b", "low", "high", "n", "may_be_best")


@with_given("Captions and what people rated.", "idf", "plugin", "scores_direction", "vectors")
def layers(
    given: Given,
    metric: Annotated[str, typer.Option(help="BERTScore with its parameters: `bertscore(part=recall)`.")] = "bertscore",
    criterion: Annotated[list[str] | None, typer.Option(help="What people rated; repeat for several.")] = None,
) -> None:
    """Print Kendall's tau-b between ratings of captions and BERTScore at every layer, and name the best layer.

    Intervals are a bootstrap over items. The best layer on one study is a guess for another: choose it on ratings other
    than those you report.
    """
    from metrics.analysis.judgments.layers import best_layer

    study, _, cache = given.study()
    wanted = _criteria(study, criterion)
    metrics = _every_layer(metric)
    results: Results = {}
    for one in metrics:  # layer by layer, so that states of references stay in memory from run to run
        results = {**results, **reading.compute_results(study, (one,), Options(seed=given.seed), cache)}
    reading.exit_if_failed(results)
    found = {name: _of_criterion(study, results, metrics, name, given.seed, cache) for name in wanted}
    table_output.give_table(_table(found), COLUMNS, given.out, "kendall_tau_b")
    for name, known in found.items():
        if (best := best_layer(known)) is not None:
            print(_sentence(name, best, known), file=sys.stderr)


def _every_layer(metric: str) -> tuple[BertScore, ...]:
    """Return the metric at each of its layers.

    Exit with status 2 if it is not a BERTScore, if its encoder is missing, or if a parameter is unknown or sets the
    layer.
    """
    from metrics.analysis.judgments.layers import every_layer
    from metrics.text.encoder import EncoderMissing

    try:
        return every_layer(metric)
    except (ValueError, EncoderMissing) as why:
        output.fail(str(why))
        raise


def _criteria(study: Study, wanted: list[str] | None) -> list[str]:
    from metrics.analysis.judgments.points import criteria

    known = criteria(study)
    if not known:
        output.fail("no ratings of captions by people: add a file of ratings (docs/formats.md, section 11)")
    for name in wanted or ():
        if name not in known:
            output.fail(f"there is no criterion {name!r}; there are {', '.join(known)}")
    return wanted or known


def _of_criterion(
    study: Study, results: Results, metrics: Sequence[BertScore], criterion: str, seed: int, cache: Cache
) -> list[Layer]:
    from metrics.analysis import artifacts
    from metrics.analysis.judgments.caption_agreement import Design, from_arrays
    from metrics.analysis.judgments.layers import layers as of_layers

    work = artifacts.agreement(study, results, metrics, Design(criterion, seed=seed))
    with working("Comparing with people") as hooks:
        return of_layers(from_arrays(work.arrays(cache, hooks)), metrics)


def _table(found: dict[str, list[Layer]]) -> pd.DataFrame:
    import pandas as pd

    rows = [
        (name, one.number, one.agreement.value, one.agreement.low, one.agreement.high, one.agreement.n, one.may_be_best)
        for name, known in found.items()
        for one in known
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _sentence(criterion: str, best: Layer, known: Sequence[Layer]) -> str:
    from metrics.analysis.judgments.layers import space_of
    from metrics.registry import METRICS

    default = space_of(METRICS["bertscore"]).layer  # type: ignore[arg-type]
    others = [str(layer.number) for layer in known if layer.may_be_best and layer is not best]
    also = f"; it could equally be {' or '.join(others)}" if others else ""
    plain = next((layer for layer in known if layer.number == default and layer is not best), None)
    beside = f"; layer {default}, the default: {plain.agreement.value:.3f}" if plain else ", the default"
    return f"{criterion}: layer {best.number} agrees best, {best.agreement.value:.3f}{beside}{also}"
