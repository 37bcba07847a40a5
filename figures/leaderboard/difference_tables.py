"""The differences of a board from its baseline as tables: difference, interval, p, p after Holm's correction, and n."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from data.study import Study
from figures.export.latex import Marks, booktabs
from figures.leaderboard.board import NAN, Board, Column
from figures.paired.forest import adjusted_text
from figures.style.escaping import file_stem, whole
from figures.style.numbers import at_floor, count, defined, p_text
from figures.style.run_names import short_names
from figures.style.wording import item_noun, too_few
from metrics.analysis.leaderboard import RunStanding, Standings
from metrics.analysis.paired import Comparison, Family, family, over_all_pairs
from metrics.bootstrap import LEAST
from metrics.permutation.pvalues import ALPHA

DIFFERENCE, LOW, HIGH = "Difference", "95 % from", "95 % to"
COLUMNS = (
    "Metric",
    "Run",
    "Baseline",
    DIFFERENCE,
    LOW,
    HIGH,
    "p",
    "Smallest possible p",
    "Corrected p",
    "n",
    "Note",
    "Signature",
)

AT_ONCE = "the data chose the baseline, so the interval and corrected p allow for all pairs of runs (Student's t)"


def families(found: Standings[RunStanding], shown: Board, against: str) -> dict[str, Family]:
    """Return, for each chosen metric, the comparisons of the board's other rows, in order, with the run `against`.

    If that run leads the ranking, intervals and corrected p are over all pairs of runs.
    """
    study, numbers, choice = found.study, found.numbers, found.choice
    runs = {run.name: run for run in choice.runs}
    others = [runs[row.name] for row in shown.rows if row.name != against]
    tested = {
        metric.name: family(study, numbers, [(run, runs[against], metric) for run in others])
        for metric in choice.in_order
    }
    if not found.chosen_on_data(against):
        return tested
    return {key: over_all_pairs(study, numbers, of, choice.runs) for key, of in tested.items()}


def with_tests(shown: Board, found: Mapping[str, Family]) -> Board:
    """Return the board with each difference's corrected p and whether it is significant; `found` are the families."""
    p = {
        (key, c.first): (float(adjusted), NAN if of.over_all_pairs else _floor(c, float(adjusted)))
        for key, of in found.items()
        for c, adjusted in zip(of.comparisons, of.adjusted)
    }
    rows = []
    for row in shown.rows:
        cells = dict(row.cells)
        for key, cell in row.cells.items():
            if (key, row.name) in p:
                adjusted, floor = p[key, row.name]
                cells[key] = replace(cell, delta_p=adjusted, delta_floor=floor, sure=adjusted <= ALPHA)
        rows.append(replace(row, cells=cells))
    return replace(shown, rows=tuple(rows))


def _floor(c: Comparison, adjusted: float) -> float:
    return adjusted if at_floor(c.test.p_value, c.test.floor) and adjusted < 1 else NAN


def table(standings: Standings[RunStanding], shown: Board) -> pd.DataFrame:
    """Return a row for each metric and run at full precision; p is corrected across a metric's runs or for all pairs.

    Raises ValueError without a baseline, as does `latex`.
    """
    found = families(standings, shown, _baseline(shown))
    rows = [row for column in shown.columns for row in _rows(standings.study, column, found[column.key])]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def latex(standings: Standings[RunStanding], shown: Board) -> str:
    """Return one `table` environment per metric."""
    against = _baseline(shown)
    found = families(standings, shown, against)
    return "\n".join(_latex(standings.study, column, found[column.key], against) for column in shown.columns)


def _baseline(shown: Board) -> str:
    if shown.baseline is None or shown.baseline not in [row.name for row in shown.rows]:
        raise ValueError("differences need a baseline among the rows")
    return shown.baseline


def _rows(study: Study, column: Column, found: Family) -> list[tuple[object, ...]]:
    return [
        (
            column.label,
            whole(c.first),
            whole(c.second),
            c.difference,
            c.low,
            c.high,
            c.test.p_value,
            c.test.floor,
            adjusted,
            c.n,
            _note(study, c, found.over_all_pairs),
            column.signature,
        )
        for c, adjusted in zip(found.comparisons, found.adjusted)
    ]


def _note(study: Study, found: Comparison, of_all: bool) -> str:
    """Return why a difference or its interval is missing. If neither is, return AT_ONCE if the data chose the baseline,
    else "".
    """
    if found.reason:
        return found.reason
    if found.n < LEAST:
        return f"{too_few(study, found.n)} for a bootstrap interval"
    if of_all and not defined(found.low):
        return f"the runs have values for different {item_noun(study)}s"
    if not defined(found.low):
        return f"no interval: {found.no_interval}"
    return AT_ONCE if of_all else ""


def _latex(study: Study, column: Column, found: Family, against: str) -> str:
    short = short_names(study.runs)
    frame = pd.DataFrame(
        {
            "Run": [short[c.first] for c in found.comparisons],
            DIFFERENCE: [c.difference for c in found.comparisons],
            LOW: [c.low for c in found.comparisons],
            HIGH: [c.high for c in found.comparisons],
            "p": [p_text(c.test.p_value, c.test.floor) for c in found.comparisons],
            "Corrected p": [adjusted_text(c, p) for c, p in zip(found.comparisons, found.adjusted)],
            "n": [c.n for c in found.comparisons],
        }
    )
    known = any(defined(c.low) for c in found.comparisons)
    marks = Marks(
        intervals={DIFFERENCE: (LOW, HIGH)} if known else {}, daggers={DIFFERENCE: found.significant().tolist()}
    )
    return booktabs(
        frame if known else frame.drop(columns=[LOW, HIGH]),
        digits=column.digits,
        caption=_caption(study, column, found, short[against]),
        marks=marks,
        label=f"tab:differences-{file_stem(column.label)}",
        signatures=[column.signature],
    )


def _caption(study: Study, column: Column, found: Family, against: str) -> str:
    one = item_noun(study)
    said = [
        f"{study.name}: {column.label} ({column.direction}), difference from {against} over the n of "
        f"{count(len(study.items), one)} that both runs have."
    ]
    if found.tests and found.over_all_pairs:
        said.append(
            f"{against} {'shares the lead' if found.shared else 'leads the ranking'}, so brackets and corrected p "
            "allow for all pairs of runs (Student's t of bootstrap errors). "
            f"p: two-sided paired randomisation test of the pair. †: corrected p ≤ {ALPHA}."
        )
    elif found.tests:
        said.append(
            "p: two-sided paired randomisation test. Corrected p: for "
            f"the {count(found.tests, 'comparison')} of the table (Holm). †: corrected p ≤ {ALPHA}."
        )
    notes = dict.fromkeys(_note(study, c, found.over_all_pairs) for c in found.comparisons)
    notes = {note: None for note in notes if note not in ("", AT_ONCE)}
    return " ".join([*said, *([f"Dashes, or no brackets: {'; '.join(notes)}."] if notes else [])])
