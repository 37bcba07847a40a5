"""`trilens sensitivity`: how many captions, references and items it takes to show a difference."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from cli import output, progress_bar, reading, required, table_output
from cli.reading import Given, with_given

if TYPE_CHECKING:
    from data.study import Study
    from metrics.analysis.sensitivity.curve import Curve
    from metrics.analysis.sensitivity.power import Power
    from metrics.analysis.sensitivity.sets import Design
    from metrics.base import Metric
    from metrics.cache.disk import Cache

ALL = "trm_cider_d,trm_bert,mmd_bert,frechet_bert"
SHOWN = (
    *("metric", "row", "candidates", "references", "n", "p_median", "least_p", "p_mean", "p_mean_uniform"),
    *("ln_p_mean", "ln_p_mean_uniform", "p_hmp_raw", "p_hmp_raw_uniform", "p_hmp", "p_corpus", "ks", "p_ks"),
)


@with_given("Files with candidates and references, or a study bundle.", "idf", "scores_direction")
def sensitivity(
    given: Given,
    metrics: Annotated[str, typer.Option(help="Metrics with a permutation test, separated by commas.")] = ALL,
    run: Annotated[
        str | None, typer.Option(help="Run whose captions are drawn; by default the one with the most.")
    ] = None,
    sizes: Annotated[str, typer.Option(help="Numbers of captions per item: `1-10` or `2,5,10`.")] = "1-10",
    against: Annotated[int, typer.Option(min=1, help="References per item that sets are compared with.")] = 5,
    items: Annotated[int, typer.Option(min=1, help="Maximum number of items that are tested.")] = 1000,
    splits: Annotated[int, typer.Option(min=1, help="Number of times to redraw captions; means are printed.")] = 1,
    gains: Annotated[Path | None, typer.Option(help="Write how much more sensitive each metric is.")] = None,
    power: Annotated[tuple[str, str] | None, typer.Option(metavar="RUN RUN", help="Two runs to tell apart.")] = None,
    by: Annotated[str | None, typer.Option(help="Metric of --power; by default that of the page.")] = None,
    images: Annotated[str, typer.Option(help="Numbers of items for --power; by default 50 to 2,000.")] = "",
    draws: Annotated[int, typer.Option(min=2, help="Draws of each size for --power.")] = 600,
    power_out: Annotated[Path | None, typer.Option(help="Write the power by items, candidates, references.")] = None,
    speeds: Annotated[
        Path | None, typer.Option(help="Time every metric on this machine, including those without a test.")
    ] = None,
) -> None:
    """Test nested sets of a run's captions against references and, as a check, sets of people's, for which p is
    uniform.
    """
    for path in (gains, power_out, speeds):
        table_output.check_out(path, given.paths)
    out, seed = given.out, given.seed
    if splits > 1 and gains is not None:
        output.fail("--gains takes one split")
    numbers, at = _numbers(sizes, "--sizes", 1), _numbers(images, "--images", 2) if images else ()
    study, loaded, cache = given.study()
    named = _computable(reading.chosen_metrics(metrics, study, loaded=loaded, default=ALL))
    chosen = _testable(named, timed=speeds is not None, written=not (out is None and gains is None))
    study = study if study.runs or run or power or speeds else _of_people(study)
    name = _run(study, run, power or ())
    if chosen:
        designs = [_design(study, name, numbers, (against, items, k)) for k in range(seed, seed + splits)]
        _give([_curve(study, made, chosen, cache) for made in designs], out, gains, seed)
    if power is not None:
        _power(study, power, by, (at, draws, seed), cache, power_out)
    if speeds is not None:
        _speeds(study, name, named, seed, speeds)


def _design(study: Study, run: str, sizes: Sequence[int], taken: tuple[int, int, int]) -> Design:
    """Return the sets of captions that the study has; exit with status 2 if there are none.

    `taken` gives the numbers of references and items, and the seed.
    """
    from metrics.analysis.sensitivity import sets

    made = sets.design(study, study.run(run), sizes, *taken)
    if not made.cases:
        output.fail("no item has captions on both sides")
    return made


def _give(found: Sequence[Curve], out: Path | None, gains: Path | None, seed: int) -> None:
    """Print the p-values of all sets, or their means over several splits.

    Write the p-values to `out`, and the gains of the first split to `gains`, if these are given.
    """
    from metrics.analysis.sensitivity import tables

    table = tables.splits_table(found) if len(found) > 1 else tables.curve_table(found[0])
    table_output.print_table(table, [*SHOWN, *(column for column in tables.OF_SPLITS if column in table)])
    if out is not None:
        table_output.write_table(table, out, "p_corpus")
    if gains is not None:
        table_output.write_table(tables.gain_table(found[0], seed), gains, "percent")


def _numbers(said: str, option: str, least: int) -> tuple[int, ...]:
    """Parse numbers of at least `least`, such as `1-10` or `2,5,10`; exit with status 2 if a part cannot be read."""
    found: set[int] = set()
    for part in said.split(","):
        first, _, last = part.strip().partition("-")
        numbers = first.isdecimal() and (last or first).isdecimal() and len(last or first) <= 5
        if not numbers or not least <= int(first) <= int(last or first):
            output.fail(f"{option} takes numbers from {least}, as in `1-10` or `2,5,10`, not {said!r}")
        found |= set(range(int(first), int(last or first) + 1))
    return tuple(sorted(found))


def _computable(metrics: tuple[Metric, ...]) -> tuple[Metric, ...]:
    from metrics.needs import unmet

    for metric in metrics:
        for need in sorted(metric.needs):
            if why := unmet(need):
                output.fail(f"{metric.name}: {why}")
    return metrics


def _testable(metrics: tuple[Metric, ...], timed: bool, written: bool) -> tuple[Metric, ...]:
    """Return the metrics that can test any set of captions.

    Exit with status 2 for other metrics, unless they are to be `timed`. A warning names metrics that are only timed.
    The result may be empty only if no tests are to be `written`.
    """
    from metrics.analysis.sensitivity.curve import testable, tested_whole

    found = tuple(metric for metric in metrics if metric in (*testable(metrics), *tested_whole(metrics)))
    if others := [metric.name for metric in metrics if metric not in found]:
        why = f"{', '.join(others)}: there is no permutation test of any set of captions"
        if not timed or (written and not found):
            output.fail(f"{why}; take {ALL}")
        output.warn(f"{why}; timed only.")
    return found


def _of_people(study: Study) -> Study:
    """Return the study with one empty run, so that people's captions are tested against other people's."""
    from dataclasses import replace

    from data.study import Run, Settings

    return replace(study, runs=(Run("none", "none", Settings(), {item.id: () for item in study.items}),))


def _run(study: Study, run: str | None, others: Sequence[str]) -> str:
    """Return the run `run`, or else the run with the most captions.

    Exit with status 2 if `run` or one of `others` does not exist, or if there are no runs.
    """
    for other in others:
        required.require_run(other, study)
    if run is not None:
        required.require_run(run, study)
        return run
    if not study.runs:
        output.fail("--speeds takes a run")
    return max(study.runs, key=lambda one: sum(map(len, one.candidates.values()))).name


def _curve(study: Study, made: Design, metrics: Sequence[Metric], cache: Cache) -> Curve:
    from metrics.analysis import artifacts
    from metrics.analysis.sensitivity import curve

    work = artifacts.sensitivity(study, made, metrics, cache)
    with progress_bar.working(work.title) as hooks:
        return curve.from_arrays(made, metrics, work.arrays(cache, hooks))


def _power(
    study: Study,
    runs: tuple[str, str],
    by: str | None,
    drawn: tuple[Sequence[int], int, int],
    cache: Cache,
    out: Path | None,
) -> None:
    """Print how many items are needed to distinguish two runs, and write the power for every size to `out`, if given.

    Exit with status 2 if both runs are the same, if the metric has no values of items, if neither direction of it is
    better, or if no item has references.
    """
    from metrics.analysis import artifacts
    from metrics.analysis.sensitivity import defaults, power, tables
    from metrics.registry import METRICS

    first = defaults.judge(study, METRICS)
    metric = reading.chosen_metrics(by or (first.name if first else "cider_d"), study)[0]
    if not (metric.of_items and metric.has_better_side and metric.reads_candidates) or runs[0] == runs[1]:
        output.fail("--power takes two runs, --by takes a metric of items for which more, or less, is better")
    made = power.design(study, runs, metric, *drawn)
    if made is None:
        output.fail("power takes items with references")
    assert made is not None
    work = artifacts.power_map(study, made, metric)
    with progress_bar.working(work.title) as hooks:
        found = power.from_arrays(made, work.arrays(cache, hooks))
    for size in made.references.sizes:
        print(_advice(found, size))
    if out is not None:
        table_output.write_table(tables.power_table(found, metric), out, "power")


def _advice(found: Power, references: int) -> str:
    from metrics.bootstrap import FEW

    need = found.needed(references, found.design.candidates[-1])
    start = f"{references} reference{'s' if references > 1 else ''}: "
    if not np.isfinite(need.low):
        return f"{start}no number of items can be given for fewer than {FEW} items or clusters, or for no difference."
    interval = f"{need.low:,.0f} {f'to {need.high:,.0f}' if np.isfinite(need.high) else 'or more'}"
    if np.isnan(need.items):
        return f"{start}the difference is not significant; if it is real and this large, {interval} items show it."
    beyond = ", more than were drawn from" if found.beyond(need.items) else ""
    return f"{start}{interval} items (80 % interval, estimate {need.items:,.0f}{beyond})."


def _speeds(study: Study, run: str, metrics: Sequence[Metric], seed: int, out: Path) -> None:
    from metrics.analysis.sensitivity import speed, tables

    with progress_bar.working("Timing metrics") as hooks:
        found = tables.speed_table(speed.measure(study, study.run(run), metrics, seed=seed, hooks=hooks))
    table_output.print_table(found, ["metric", "items_per_second", "captions_per_second", "items", "error"])
    table_output.write_table(found, out, "items_per_second")
