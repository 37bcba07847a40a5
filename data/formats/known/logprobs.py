"""Log-probabilities of captions, in the records of Trilens JSON or in a text file with one number per line."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from data.findings import clip
from data.records import Record, Source
from data.study import DataError

FIELDS = ("logprobs", "reference_logprobs", "oracle_logprobs")
ROUNDED = 1e-6
"""Maximum excess over 0 that counts as a rounding error."""


def read_logprobs(source: Source, row: Mapping[str, Any], record: Record) -> None:
    """Add all log-probabilities of a row to its record; drop an invalid list, with a finding."""
    lists = _Lists(source, record)
    record.logprobs = lists.of_candidates("logprobs", row.get("logprobs"), may_be_zero=False)
    record.reference_logprobs = lists.of_references("reference_logprobs", row.get("reference_logprobs"))
    oracle = row.get("oracle_logprobs")
    if oracle is None:
        return
    if not isinstance(oracle, dict) or set(oracle) - {"candidates", "references"}:
        lists.ignore("oracle_logprobs", "it is not an object of `references` and, by run, `candidates`")
        return
    record.oracle_logprobs = lists.of_candidates("oracle_logprobs", oracle.get("candidates"))
    if (values := oracle.get("references")) is not None:
        size = len(record.references)
        record.references_oracle_logprobs = lists.numbers("oracle_logprobs", values, size, "reference") or []


@dataclass(frozen=True)
class _Lists:
    source: Source
    record: Record

    def of_candidates(self, field: str, value: Any, may_be_zero: bool = True) -> dict[str, list[float]]:
        sizes = {run: len(texts) for run, texts in self.record.candidates.items()}
        found = {}
        for run, values in self._by_run(value).items():
            if run in sizes:
                found[run] = self.numbers(field, values, sizes[run], f"candidate (run {clip(run)})", may_be_zero)
            else:
                self.ignore(field, f"there is no run {clip(run)}")
        return {run: numbers for run, numbers in found.items() if numbers is not None}

    def of_references(self, field: str, value: Any) -> dict[str, list[float]]:
        size = len(self.record.references)
        found = {
            run: self.numbers(field, values, size, f"reference (run {clip(run)})")
            for run, values in self._by_run(value).items()
        }
        return {run: numbers for run, numbers in found.items() if numbers is not None}

    def numbers(self, field: str, values: Any, size: int, what: str, may_be_zero: bool = True) -> list[float] | None:
        """Return the log-probabilities in a list; None, with a finding, for an invalid list.

        If `may_be_zero`, null means -inf.
        """
        known = [x for x in values if x is not None or not may_be_zero] if isinstance(values, list) else []
        if not isinstance(values, list) or len(values) != size or not all(map(_is_number, known)):
            self.ignore(field, f"it is not one finite number per {what}")
            return None
        if (high := max(known, default=0.0)) > ROUNDED:
            self.ignore(field, f"it holds {high:g}, but no log-probability is above 0")
            return None
        return [-math.inf if value is None else min(float(value), 0.0) for value in values]

    def ignore(self, field: str, why: str) -> None:
        self.source.log.add("ignored_field", self.source.name, self.record.where, self.record.id, field=field, why=why)

    def _by_run(self, value: Any) -> dict[str, Any]:
        """Return the lists by run name, as in `candidates`; a value that names no run belongs to the file's run."""
        if value is None:
            return {}
        given = value if isinstance(value, dict) else {self.source.run: value}
        return {self.source.run_name(run) or "": values for run, values in given.items()}


def from_lines(lines: Sequence[str], file: str) -> tuple[float, ...]:
    """Return the natural logarithm on each line that is not blank; `-inf` and `null` are probability 0.

    Raises DataError, which names the file and the line, for anything else.
    """
    return tuple(_of_line(line.strip(), f"{file}, line {place}") for place, line in enumerate(lines, 1) if line.strip())


def _of_line(line: str, where: str) -> float:
    if line.lower() in {"-inf", "-infinity", "null"}:
        return -math.inf
    try:
        value = float(line)
    except ValueError:
        value = math.nan
    if not _is_number(value):
        raise DataError(f"{where}: {clip(line)} is not a log-probability, which is one finite number, or -inf.")
    if value > ROUNDED:
        raise DataError(
            f"{where}: {value:g} is above 0, as no natural logarithm of a probability is. Write ln p, not -ln p."
        )
    return min(value, 0.0)


def _is_number(value: Any) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return abs(value) < 10**300 and math.isfinite(value)
