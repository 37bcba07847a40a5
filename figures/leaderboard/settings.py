"""The leaderboard with one row per setting: means over seeds, judged over items and seeds together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from data.study import Study
from figures.leaderboard.board import Board, Cell, Row
from figures.leaderboard.standings import LeaderboardChoice, apart_row, chance_row, column_of, with_floor
from figures.notes.seeds import seed_words, short_settings
from figures.style.numbers import defined, rank_text
from figures.style.palette import styles_of
from metrics.analysis import compare
from metrics.analysis import human as people
from metrics.analysis.numbers import Numbers
from metrics.analysis.replicates.comparison import Standing, standing
from metrics.engine.result import PENDING


def standings_of(study: Study, numbers: Numbers, choice: LeaderboardChoice) -> list[Standing]:
    """Return the settings by each chosen metric, the ranking one first."""
    metrics = sorted(choice.metrics, key=lambda metric: metric is not choice.ranked)
    return [standing(study, numbers, metric, choice.settings) for metric in metrics]


def settings_board(study: Study, numbers: Numbers, choice: LeaderboardChoice, found: Sequence[Standing]) -> Board:
    """Return the board of the chosen settings; it has no p against people, which belongs to single runs."""
    settings = choice.settings
    base = next((k for k, of in enumerate(settings) if of.name == choice.baseline), None)
    columns = tuple(column_of(of.metric, of.values) for of in found)
    cells = [
        [with_floor(cell, numbers, of.metric, setting.runs) for cell, setting in zip(row, settings)]
        for of, row in zip(found, [_cells(of, column.digits, base) for of, column in zip(found, columns)])
    ]
    order, low, high = _order(found, choice)
    styles, short = styles_of(study), short_settings(study, settings)
    rows = []
    for k in order:
        style = styles[study.run(settings[k].runs[0]).model]
        of_row = {column.key: cell[k] for column, cell in zip(columns, cells)}
        rows.append(
            Row(settings[k].name, of_row, style, low[k] or None, high[k] or None, short=short[settings[k].name])
        )
    metrics = [of.metric for of in found]
    of_people = apart_row(study, numbers, choice, metrics, people.PEOPLE)
    of_none = apart_row(study, numbers, choice, metrics, people.NO_DIFFERENCE)
    ranked = choice.ranked.name if choice.ranked else None
    made = Board(columns, tuple(rows), ranked, of_people, of_none, choice.baseline if base is not None else None)
    return replace(made, chance=chance_row(study, numbers, choice, metrics))


def _order(found: Sequence[Standing], choice: LeaderboardChoice) -> tuple[list[int], list[int], list[int]]:
    size = len(choice.settings)
    if choice.ranked is None or not found:
        return list(range(size)), [0] * size, [0] * size
    higher = choice.ranked.higher_is_better
    ranks = compare.rank_ranges(found[0].pairs, higher)
    return compare.ranking(found[0].values, higher), ranks.low.tolist(), ranks.high.tolist()


def _cells(of: Standing, digits: int, base: int | None) -> list[Cell]:
    ranks = compare.rank_ranges(of.pairs, of.metric.higher_is_better)
    better = of.metric.has_better_side
    cells = []
    for k, one in enumerate(of.estimates):
        if not one.runs:
            cells.append(Cell(np.nan, reason=one.reason, waiting=one.reason == PENDING))
            continue
        rank = rank_text(int(ranks.low[k]) or None, int(ranks.high[k]) or None) if better else ""
        seeds = tuple(one.values.tolist()) if one.runs > 1 else ()
        cell = Cell(one.mean, one.low, one.high, note=seed_words(one, digits), rank=rank, seeds=seeds, sd=one.sd)
        cells.append(cell if base is None else _against(cell, of, k, base))
    return cells


def _against(cell: Cell, of: Standing, k: int, base: int) -> Cell:
    pairs = of.pairs
    delta, low, high, p = (float(ends[k, base]) for ends in (pairs.value, pairs.low, pairs.high, pairs.p))
    if k == base:
        return replace(cell, delta=0.0, seeds=())
    why = "" if defined(low) else (of.metric.no_interval or "no common resamples")
    seeds = tuple(value - of.estimates[base].mean for value in cell.seeds)
    sure = bool(pairs.sure[k, base])
    return replace(
        cell, delta=delta, delta_low=low, delta_high=high, delta_p=p, sure=sure, no_interval=why, seeds=seeds
    )
