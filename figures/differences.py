"""The differences of a board from its baseline as tables: difference, interval, p, p after Holm's correction, and n."""

from __future__ import annotations

import pandas as pd

from data.study import Study
from figures.board import Board, Column
from figures.latex import Marks, booktabs
from figures.numbers import count, p_text
from figures.standings import Choice
from figures.texts import file_stem, whole
from figures.words import noun
from metrics.paired import ALPHA, Family, family
from metrics.scored import Numbers

DIFFERENCE, LOW, HIGH = "Difference", "95 % from", "95 % to"


def families(study: Study, numbers: Numbers, choice: Choice, shown: Board, against: str) -> dict[str, Family]:
    """Per column of the board its other rows, in their order, against the run of that name."""
    runs = {run.name: run for run in choice.runs}
    metrics = {metric.name: metric for metric in choice.metrics}
    others = [runs[row.name] for row in shown.rows if row.name != against]
    return {
        column.key: family(study, numbers, [(run, runs[against], metrics[column.key]) for run in others])
        for column in shown.columns
    }


def table(study: Study, numbers: Numbers, choice: Choice, shown: Board) -> pd.DataFrame:
    """A row a metric and run at full precision; Holm's correction is over the runs of a metric.

    Raises ValueError without a baseline, as the others below.
    """
    found = families(study, numbers, choice, shown, _baseline(shown))
    return pd.concat([_rows(column, found[column.key]) for column in shown.columns], ignore_index=True)


def latex(study: Study, numbers: Numbers, choice: Choice, shown: Board) -> str:
    """A `table` environment a metric."""
    against = _baseline(shown)
    found = families(study, numbers, choice, shown, against)
    return "\n".join(_latex(study, column, found[column.key], against) for column in shown.columns)


def _baseline(shown: Board) -> str:
    if shown.baseline is None or shown.baseline not in [row.name for row in shown.rows]:
        raise ValueError("differences need a baseline among the rows")
    return shown.baseline


def _rows(column: Column, found: Family) -> pd.DataFrame:
    rows = [
        {
            "Metric": column.label, "Run": whole(c.first), "Baseline": whole(c.second), DIFFERENCE: c.difference,
            LOW: c.low, HIGH: c.high, "p": c.test.p_value, "p floor": c.test.floor, "Holm p": adjusted, "n": c.n,
            "Note": c.reason, "Signature": column.signature,
        }
        for c, adjusted in zip(found.comparisons, found.adjusted)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def _latex(study: Study, column: Column, found: Family, against: str) -> str:
    frame = pd.DataFrame({
        "Run": [whole(c.first) for c in found.comparisons],
        DIFFERENCE: [c.difference for c in found.comparisons],
        LOW: [c.low for c in found.comparisons],
        HIGH: [c.high for c in found.comparisons],
        "p": [p_text(c.test.p_value, c.test.floor) for c in found.comparisons],
        "Holm p": [p_text(p) for p in found.adjusted],
        "n": [c.n for c in found.comparisons],
    })  # fmt: skip
    marks = Marks(intervals={DIFFERENCE: (LOW, HIGH)}, daggers={DIFFERENCE: found.firm().tolist()})
    return booktabs(
        frame, digits=column.digits, caption=_caption(study, column, found, against), marks=marks,
        label=f"tab:differences-{file_stem(column.label)}", signatures=[column.signature],
    )  # fmt: skip


def _caption(study: Study, column: Column, found: Family, against: str) -> str:
    one = noun(study)
    return (
        f"{study.name}: {column.label} ({column.direction}), difference from {against} over the n {one}s that both "
        f"runs have of {count(len(study.items), one)}. p: two-sided paired randomisation test. Holm p: corrected for "
        f"the {count(found.tests, 'comparison')} of the table. †: Holm p ≤ {ALPHA}."
    )
