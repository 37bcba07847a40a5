"""The leaderboard as a LaTeX table: intervals, best and second best, and the runs that differ from a baseline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from data.study import Study
from figures.export.latex import Marks, booktabs
from figures.leaderboard.board import Board, Column
from figures.leaderboard.difference_tables import families
from figures.notes.hazards import few_texts, hazard_note, unranked
from figures.style.escaping import whole
from figures.style.numbers import count, p_text, rank_text
from figures.style.wording import item_noun
from metrics.analysis.leaderboard import LeaderboardChoice, RunStanding, Standings
from metrics.permutation.pvalues import ALPHA


@dataclass(frozen=True)
class Differing:
    """For each metric, a flag for each row of a board: whether it differs significantly from the run `against`.

    `tests` is the largest number of comparisons in a column, for which p is corrected. `all_pairs` means that this run
    was chosen from the data, so every pair of runs in a column was tested.
    """

    against: str
    rows: Mapping[str, list[bool]]
    tests: int
    all_pairs: bool


def board_latex(standings: Standings[Any], shown: Board, label: str = "") -> str:
    """Return the board as a booktabs table; people, no difference and chance are below a rule."""
    found = None if standings.choice.settings else differing(standings, shown)
    heads = {column: f"{column.label} {'↑' if column.higher_is_better else '↓'}" for column in shown.columns}
    table = _table(shown, heads)
    ends = {head: (f"{head} from", f"{head} to") for head in heads.values() if f"{head} from" in table}
    marks = Marks(
        best={head: "max" if column.higher_is_better else "min" for column, head in heads.items() if column.judged},
        intervals=ends,
        daggers={head: found.rows[column.key] for column, head in heads.items()} if found else {},
        apart=len(shown.apart),
    )
    digits = {part: c.digits for c, head in heads.items() for part in (head, f"{head} from", f"{head} to")}
    return booktabs(
        table,
        digits=digits,
        caption=_caption(standings.study, standings.choice, shown, found),
        label=label,
        marks=marks,
        signatures=[column.signature for column in shown.columns],
    )


def differing(standings: Standings[RunStanding], shown: Board) -> Differing | None:
    """Return which runs differ from the baseline or, without one, from the leader; None if nothing was tested."""
    names = [run.name for run in standings.choice.runs]
    against = shown.baseline or (shown.rows[0].name if shown.ranked and shown.rows else None)
    if against is None or against not in names or len(names) < 2:
        return None
    rows: dict[str, list[bool]] = {}
    most = 0
    found = families(standings, shown, against)
    for key, tested in found.items():
        sure = {
            comparison.first for comparison, significant in zip(tested.comparisons, tested.significant()) if significant
        }
        rows[key] = [row.name in sure for row in (*shown.rows, *shown.apart)]
        most = max(most, tested.tests)
    return Differing(against, rows, most, standings.chosen_on_data(against)) if most else None


def _table(shown: Board, heads: Mapping[Column, str]) -> pd.DataFrame:
    rows = (*shown.rows, *shown.apart)
    table: dict[str, object] = {"Setting" if shown.over_seeds else "Run": [whole(row.shown) for row in rows]}
    if shown.ranked:
        table["Rank"] = [rank_text(row.rank_low, row.rank_high) for row in rows]
    for column, head in heads.items():
        cells = [row.cell(column.key) for row in rows]
        table[head] = [cell.value for cell in cells]
        if np.isfinite([cell.low for cell in cells]).any():
            table[f"{head} from"], table[f"{head} to"] = [c.low for c in cells], [c.high for c in cells]
    if shown.p_label:
        table["Corrected p" if shown.corrected else "p"] = [p_text(*shown.p_shown(row)) for row in rows]
    if shown.harmonic:
        table["Uncalibrated p"] = [p_text(row.p_raw) for row in rows]
    return pd.DataFrame(table)


def _caption(study: Study, choice: LeaderboardChoice, shown: Board, found: Differing | None) -> str:
    n = count(len(study.items), item_noun(study))
    said = [f"{study.name}: {n}."]
    if shown.ranked:
        by = choice.ranked.label if choice.ranked else shown.ranked
        what = "settings" if shown.over_seeds else "runs"
        said.append(f"Ranked by {by}; ranks are 95 % ranges, corrected for all pairs of {what}.")
    if shown.over_seeds:
        said.append(
            f"Means over seeds with intervals over {item_noun(study)}s; ranks over {item_noun(study)}s and seeds."
        )
    if shown.p_label:
        over = f", corrected for {count(len(shown.rows), 'run')} (Holm)" if shown.corrected else ""
        said.append(f"{'Corrected p' if over else 'p'}: {shown.p_label}{over}{_RAW if shown.harmonic else ''}.")
    if found:
        said.append(f"†: differs from {_short(shown, found.against)} ({_test(study, found)}, p ≤ {ALPHA}).")
    for row, what in ((shown.people, "what people wrote"), (shown.no_difference, _NO_DIFFERENCE)):
        if row is not None:
            said.append(f"{row.name}: {what}.")
    anomaly = [what.replace("Marked “check”: ", "") for what in hazard_note(study, choice.runs)]
    few = few_texts(study, choice.metrics, choice.runs)
    return " ".join([*said, *unranked(study, choice.metrics, choice.runs), *few, *anomaly])


def _short(shown: Board, name: str) -> str:
    return next(row.shown for row in shown.rows if row.name == name)


_RAW = ", calibrated for the number of tests (Wilson 2019); uncalibrated p is that mean itself"
_NO_DIFFERENCE = "the mean if runs wrote as people do; it has no interval"


def _test(study: Study, found: Differing) -> str:
    if found.all_pairs:
        return (
            "the first of the ranking, so corrected for all pairs of runs of a column: t of the bootstrap error, Holm"
        )
    over = count(found.tests, "comparison")
    return f"paired randomisation test over {item_noun(study)}s, Holm over the {over} of a column"
