"""`compare --fail-if`: conditions on the rows of the table, in a small language that is never run as Python."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

FAILED = 3
"""Exit status if a condition holds."""
BASELINE = "baseline"
COLUMNS = ("difference", "ci_low", "ci_high", "p_value", "p_holm", "effect", "wins", "ties", "losses", "n")
EXAMPLE = "cider_d < baseline - 0.02 and p_holm < .05"
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


@dataclass(frozen=True)
class Condition:
    """A condition on one run and one metric.

    In its text, the name of the metric stands for the value of the run, and `baseline` for the value of the baseline.
    """

    text: str
    metric: str
    tree: ast.expr

    @classmethod
    def of(cls, text: str, metrics: list[str]) -> Condition:
        """Parse a condition on one of `metrics`. Raises ValueError for any other text."""
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            raise ValueError(f"--fail-if cannot read {text!r}: write it as {EXAMPLE!r}") from None
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        unknown = sorted(names - {BASELINE, *COLUMNS, *metrics})
        if unknown:
            known = ", ".join([*metrics, BASELINE, *COLUMNS])
            raise ValueError(f"--fail-if does not know {unknown[0]!r}; it knows {known}")
        chosen = sorted(names & set(metrics)) or (metrics if len(metrics) == 1 else [])
        if len(chosen) != 1:
            raise ValueError(f"--fail-if needs one metric in {text!r}, such as {EXAMPLE!r}; repeat it for another")
        made = cls(text, chosen[0], tree)
        if not isinstance(made._truth(dict.fromkeys((*COLUMNS, BASELINE, chosen[0]), 1.0)), bool):
            raise ValueError(f"--fail-if needs a comparison, not {text!r}: write it as {EXAMPLE!r}")
        return made

    def holds(self, row: Mapping[str, Any], value: float, baseline: float) -> bool:
        """Return whether the condition holds for a row of the table of `compare`.

        It does not hold if it compares a missing number, or divides by 0.
        """
        return bool(self._truth(self._numbers(row, value, baseline)))

    def unknown(self, row: Mapping[str, Any], value: float, baseline: float) -> str:
        """Return why the condition cannot be evaluated for this row; "" if it can.

        It cannot if it names a missing number, or divides by 0.
        """
        numbers = self._numbers(row, value, baseline)
        named = (node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name))
        lacking = [name for name in dict.fromkeys(named) if math.isnan(numbers[name])]
        if lacking:
            return f"{' and '.join(lacking)} is not a number"
        try:
            _value(self.tree, numbers)
        except ZeroDivisionError:
            return "it divides by 0"
        return ""

    def _numbers(self, row: Mapping[str, Any], value: float, baseline: float) -> dict[str, float]:
        numbers = {name: math.nan if row[name] is None else float(row[name]) for name in COLUMNS}
        return {**numbers, self.metric: value, BASELINE: baseline}

    def _truth(self, numbers: Mapping[str, float]) -> Any:
        try:
            return _value(self.tree, numbers)
        except ZeroDivisionError:
            return False
        except (TypeError, OverflowError, RecursionError):
            raise ValueError(f"--fail-if cannot read {self.text!r}: write it as {EXAMPLE!r}") from None


def _value(node: ast.expr, numbers: Mapping[str, float]) -> Any:
    """Return the number or truth value of an expression.

    Raises TypeError for a kind of expression that is not allowed, and ZeroDivisionError for a division by 0.
    """
    match node:
        case ast.Name(id=name):
            return numbers[name]
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return float(number)
        case ast.UnaryOp(op=ast.USub(), operand=part):
            return -_number(part, numbers)
        case ast.UnaryOp(op=ast.Not(), operand=part):
            return not _is_true(part, numbers)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _BINARY:
            return _BINARY[type(sign)](_number(left, numbers), _number(right, numbers))
        case ast.BoolOp(op=sign, values=parts):
            found = [_is_true(part, numbers) for part in parts]
            return all(found) if isinstance(sign, ast.And) else any(found)
        case ast.Compare(left=left, ops=signs, comparators=rest) if all(type(sign) in _COMPARISONS for sign in signs):
            values = [_number(part, numbers) for part in (left, *rest)]
            return all(_COMPARISONS[type(sign)](a, b) for sign, a, b in zip(signs, values, values[1:]))
    raise TypeError(f"{type(node).__name__} is not allowed")


def _number(node: ast.expr, numbers: Mapping[str, float]) -> float:
    found = _value(node, numbers)
    if isinstance(found, bool):
        raise TypeError("true or false is not a number")
    return float(found)


def _is_true(node: ast.expr, numbers: Mapping[str, float]) -> bool:
    found = _value(node, numbers)
    if not isinstance(found, bool):
        raise TypeError("a number is not true or false")
    return found


def met(
    conditions: list[Condition], table: pd.DataFrame, values: Mapping[tuple[str, str], float]
) -> tuple[list[str], list[str]]:
    """Return sentences about the runs that meet a condition, and about conditions that cannot be evaluated.

    `values` are keyed by the names of run and metric.
    """
    found, unknown = [], []
    clean = table.astype(object).where(table.notna(), None)
    for condition in conditions:
        rows: list[Any] = clean[table.metric == condition.metric].to_dict("records")
        if not rows:
            unknown.append(f"{condition.text}: no run was compared by {condition.metric}")
        for row in rows:
            value, base = (values[row[who], condition.metric] for who in ("run", "baseline"))
            if why := condition.unknown(row, value, base):
                unknown.append(f"{row['run']}: {condition.text} is not known, since {why}")
            elif condition.holds(row, value, base):
                found.append(_sentence(condition, row, value, base))
    return found, unknown


def _sentence(condition: Condition, row: Mapping[str, Any], value: float, base: float) -> str:
    p = "" if row["p_holm"] is None else f", p_holm {row['p_holm']:.4g}"
    return f"{row['run']}: {condition.text} ({condition.metric} {value:.4g}, {row['baseline']} {base:.4g}{p})"
