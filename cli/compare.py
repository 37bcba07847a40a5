"""`trilens compare`: compare each run with a baseline, item by item, as on the Paired comparison page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import output, reading, required, table_output
from cli.bundle_numbers import report_foreign
from cli.fail_if import EXAMPLE, FAILED, Condition, met
from cli.metric_sets import with_ratings
from cli.options import Tokenizer
from cli.progress_bar import working
from cli.reading import Given, Metrics, with_given
from cli.score_directions import check_metrics
from data.study import Run, Study
from metrics.engine.tasks import Options

if TYPE_CHECKING:
    import pandas as pd

    from metrics.analysis.paired import Comparison, Family
    from metrics.base import Metric
    from metrics.engine.scoring import Results

COLUMNS = (
    "run",
    "baseline",
    "metric",
    "difference",
    "ci_low",
    "ci_high",
    "p_value",
    "p_holm",
    "effect",
    "wins",
    "ties",
    "losses",
    "n",
)
FAIL_IF = f"Exit 3 if this holds for a run: {EXAMPLE!r}. Names the metric, `baseline`, columns; repeatable."
_COUNTS = ("wins", "ties", "losses", "n")


@with_given("Prediction and reference files.")
def compare(
    given: Given,
    baseline: Annotated[str | None, typer.Option(help="Run to subtract; by default the first in FILES.")] = None,
    metrics: Metrics = "fast",
    tokenizer: Tokenizer = None,
    encoder: Annotated[str | None, typer.Option(help="SentenceTransformer by name or folder.")] = None,
    fail_if: Annotated[list[str] | None, typer.Option("--fail-if", help=FAIL_IF)] = None,
) -> None:
    """Compare every run in FILES with a baseline: difference, interval, p, effect size, items won and lost.

    The columns: run minus baseline, 95 % interval (paired bootstrap), two-sided p, p after Holm over the runs (in the
    app: over metrics), Cohen's d_z, items won, tied, lost, items. If the baseline leads three or more runs, the
    interval and the corrected p are from Student's t, corrected for all pairs of runs; p is from another test, so the
    corrected p can be smaller. Exit status: 0 if all was computed, 1 if some failed, 2 for bad input or an
    undefined --fail-if, 3 if it holds.
    """
    check_metrics(metrics, given.files)
    study, loaded, cache, frequencies = given.study_and_frequencies(baseline, tokenizer)
    chosen = reading.chosen_metrics(with_ratings(metrics, study), study, tokenizer, encoder, loaded=loaded)
    wanted = reading.with_frequencies_of(_of_items(chosen), frequencies)
    conditions = _conditions(fail_if, wanted)
    base = _baseline(study, baseline)
    results = reading.compute_results(study, wanted, Options(seed=given.seed), cache)
    report_foreign(study, cache, frequencies)
    families = list(_families(study, results, base, wanted, given.seed))
    _end(study, results, families, base, conditions, given.out)


def _end(
    study: Study,
    results: Results,
    families: Sequence[Family],
    base: Run,
    conditions: list[Condition],
    out: Path | None,
) -> None:
    """Print or write the table.

    Exit with status 3 if a condition holds, else 1 if a number failed, else 2 if a condition is undefined.
    """
    _warn(study, results, families, base)
    table_output.give_table(table := as_table(families), COLUMNS, out, "difference")
    values = {key: one.corpus for key, one in results.items()}
    meeting, unknown = met(conditions, table, values)
    for sentence in (*meeting, *unknown):
        output.warn(f"--fail-if: {sentence}")
    if meeting:
        raise typer.Exit(FAILED)
    reading.exit_if_failed(results)
    if unknown:
        raise typer.Exit(2)


def _conditions(texts: Sequence[str] | None, metrics: Sequence[Metric]) -> list[Condition]:
    try:
        return [Condition.of(text, [metric.name for metric in metrics]) for text in texts or ()]
    except ValueError as why:
        return output.fail(str(why))


def _warn(study: Study, results: Results, families: Sequence[Family], base: Run) -> None:
    """Warn about missing numbers and items, and about metrics whose p_holm and p_value are from different tests."""
    for c in (c for family in families for c in family.comparisons if c.reason):
        output.warn(f"{c.first}, {c.metric.name}: {c.reason}")
    led = [family.comparisons[0].metric.name for family in families if family.over_all_pairs]
    shared = any(family.shared for family in families if family.over_all_pairs)
    if led:
        output.warn(
            f"{base.name} {'leads or shares the lead' if shared else 'leads'} by {', '.join(led)}: for these, the "
            "interval and p_holm cover all pairs of runs "
            "(Student's t, Holm), and p_value one pair (sign flips): they are two tests, so p_holm can be the smaller"
        )
    _warn_of_missing(study, results)


def _warn_of_missing(study: Study, results: Results) -> None:
    """Warn about runs that lack items described by other runs; give the worst and best values that these runs could
    have.
    """
    from metrics.engine.missing_captions import missing_note

    for (run, metric), result in results.items():
        if run in study.lacking:
            every = [one for (_, name), one in results.items() if name == metric]
            output.warn(f"{run}, {metric}: {missing_note(study, study.run(run), result, every)}")


def as_table(families: Sequence[Family]) -> pd.DataFrame:
    """Return a row for each comparison, grouped by metric; runs are in the order of the files."""
    import pandas as pd

    rows = [_row(c, float(p)) for family in families for c, p in zip(family.comparisons, family.adjusted)]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(dict.fromkeys(_COUNTS, "Int64"))


def _row(c: Comparison, adjusted: float) -> dict[str, Any]:
    counts = dict(zip(_COUNTS, c.counts)) if not c.reason else {}
    return {
        "run": c.first,
        "baseline": c.second,
        "metric": c.metric.name,
        "difference": c.difference,
        "ci_low": c.low,
        "ci_high": c.high,
        "p_value": c.test.p_value,
        "p_holm": adjusted,
        "effect": c.effect.value,
        "n": c.n,
        **counts,
    }


def _families(study: Study, results: Results, base: Run, metrics: Sequence[Metric], seed: int) -> Iterator[Family]:
    from metrics.analysis.numbers import Numbers
    from metrics.analysis.paired import against

    numbers = Numbers(results)
    with working("Comparing") as hooks:
        for done, metric in enumerate(metrics):
            hooks.share(done / len(metrics))
            yield against(study, numbers, base, metric, study.runs, seed)


def _of_items(metrics: Sequence[Metric]) -> tuple[Metric, ...]:
    paired = tuple(metric for metric in metrics if _pairs(metric))
    if not paired:
        output.fail("choose a metric with a value for each item; `trilens list` shows all")
    if names := [metric.name for metric in metrics if not _pairs(metric)]:
        output.warn(f"no items to pair by {', '.join(names)}: one value belongs to the whole run or to the references")
    return paired


def _pairs(metric: Metric) -> bool:
    return metric.of_items and metric.family != "references"


def _baseline(study: Study, name: str | None) -> Run:
    """Return the run called `name` or, if `name` is None, the first run, with a message.

    Exit with status 2 for an unknown name or fewer than two runs.
    """
    names = [run.name for run in study.runs]
    if len(names) < 2:
        output.fail(f"a comparison needs two runs; there is {f'only {names[0]}' if names else 'none'}")
    if name is None:
        output.warn(f"baseline: {names[0]}, the first run; --baseline names another")
    else:
        required.require_run(name, study)
    return study.run(name or names[0])
