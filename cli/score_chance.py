"""`score --chance`: each score as it would be against the references of other items, as columns of SCORES."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from cli.output import fail
from cli.progress_bar import working
from data.study import DataError, Study
from metrics.cache.disk import Cache
from metrics.engine.scoring import Results

if TYPE_CHECKING:
    import pandas as pd

    from metrics.analysis.chance import Chance, Design

COLUMNS = ("chance", "chance_low", "chance_high")
_CHANCE = (
    "Add `chance`, `chance_low` and `chance_high`: the value against the references of other items, as the mean of 39 "
    "pairings and the range of 95 % of them. Takes about 39 times as long as the scores."
)
_WITHIN = "Pair only items that are alike: by `length` (of references) or a field of their metadata."
WithChance = Annotated[bool, typer.Option("--chance", help=_CHANCE)]
Within = Annotated[str | None, typer.Option("--chance-within", help=_WITHIN)]


def asked(chance: bool, within: str | None) -> str | None:
    """Return the field within which chance values are computed, "" for all items, or None if they are not requested.

    Exit with status 2 for a field without `--chance`.
    """
    if within is not None and not chance:
        fail("--chance-within goes with --chance")
    return (within or "") if chance else None


def with_chance(
    table: pd.DataFrame, study: Study, results: Results, within: str | None, seed: int, cache: Cache
) -> pd.DataFrame:
    """Return SCORES with the chance values of runs and items after their intervals.

    If `within` is None, the table is returned unchanged. Exit with status 2 for an unknown field.
    """
    if within is None:
        return table
    from metrics.analysis.chance import Design, strata

    design = Design(seed=seed, within=within)
    try:
        strata(study, design.within)
    except DataError as error:
        return fail(f"--chance-within: {error}")
    found = _measured(study, results, design, cache)
    place = {item.id: k for k, item in enumerate(study.items)}
    rows = np.full((len(table), len(COLUMNS)), np.nan)
    for number, (run, metric, level, item) in enumerate(
        table[["run", "metric", "level", "item"]].itertuples(index=False)
    ):
        if (one := found.get((run, metric))) is None or level == "candidate":
            continue
        rows[number] = (one.value, one.low, one.high) if level == "corpus" else one.items[place[item]]
    for k, name in enumerate(COLUMNS):
        table.insert(list(table.columns).index("ci_high") + 1 + k, name, rows[:, k])
    return table


def _measured(study: Study, results: Results, design: Design, cache: Cache) -> Mapping[tuple[str, str], Chance]:
    from metrics.analysis import artifacts
    from metrics.analysis.chance import has_chance, of_arrays

    metrics = {one.metric.name: one.metric for one in results.values() if has_chance(one.metric) and not one.error}
    found: dict[tuple[str, str], Chance] = {}
    with working("chance") as hooks:
        for k, (name, metric) in enumerate(metrics.items()):
            work = artifacts.chance(study, metric, design, cache)
            arrays = work.arrays(cache, hooks.part(k / len(metrics), (k + 1) / len(metrics)))
            found |= {(run, name): one for run, one in of_arrays(study, arrays).items()}
    return found
