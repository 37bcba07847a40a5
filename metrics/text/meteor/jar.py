"""METEOR 1.5 by the jar of the COCO evaluation: one process, kept alive, returns the statistics of pairs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from metrics.mathematics.arrays import Floats
from metrics.progress import check_stop
from metrics.text.java import JavaDied, JavaProgram
from metrics.text.java import missing as java_missing
from metrics.text.meteor.aligner import STATISTICS
from metrics.text.meteor.data import METEOR_JAR

Pair = tuple[str, str]

WORDS_PER_BATCH = 25_000
SECONDS_PER_BATCH = 120.0

_BARS = re.compile(r"\|(?=\|\|)|(?<=\|)\|(?=\|)")


def missing() -> str | None:
    """Return what must be installed for the jar; None if nothing is missing."""
    return java_missing(*METEOR_JAR)


def statistics(
    pairs: Sequence[Pair],
    progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> tuple[Floats, dict[int, str]]:
    """Return (n_pairs, 23) statistics of pairs of clean texts, NaN for pairs that fail, and the reasons by position.

    A pair is (hypothesis, reference). `progress(done, of)` is called after every batch. Raises Cancelled when
    `should_stop()`, and JavaMissing. Safe to call from several threads: one program serves the process.
    """
    rows, why = np.full((len(pairs), STATISTICS), np.nan), dict[int, str]()
    done = 0
    for batch in _batches(list(enumerate(pairs))):
        check_stop(should_stop)
        with _program.lock:
            _fill(rows, why, batch)
        done += len(batch)
        if progress:
            progress(done, len(pairs))
    return rows, why


def _batches(wanted: Sequence[tuple[int, Pair]]) -> Iterator[list[tuple[int, Pair]]]:
    """Yield about a thousand pairs of captions at a time, fewer for long texts."""
    batch, held = [], 0
    for row, pair in wanted:
        batch.append((row, pair))
        held += len(pair[0].split()) + len(pair[1].split()) + 2
        if held > WORDS_PER_BATCH:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


def _fill(rows: Floats, why: dict[int, str], batch: Sequence[tuple[int, Pair]]) -> None:
    """Score a batch; if the program fails, the number of previous answers identifies the pair."""
    done, failures = 0, 0
    while done < len(batch):
        answers: list[bytes] = []
        died: JavaDied | None = None
        try:
            _exchange([pair for _, pair in batch[done:]], answers)
        except JavaDied as error:
            died = error
        for (row, _), answer in zip(batch[done:], answers):
            rows[row], problem = _parsed(answer)
            if problem:
                why[row] = problem
        done += len(answers)
        if died is None:
            continue
        # A program ended from outside works on the second try; a pair that takes too long would fail again.
        failures = 1 if answers else failures + 1
        if failures > 1 or (died.late and not answers):
            why[batch[done][0]] = f"METEOR failed on this pair: {died}"
            done, failures = done + 1, 0


def _exchange(pairs: Sequence[Pair], answers: list[bytes]) -> None:
    """Send all pairs at once and append the answers as they arrive."""

    def read(next_line: Callable[[], bytes]) -> None:
        while len(answers) < len(pairs):
            answers.append(next_line())

    lines = (f"SCORE ||| {_apart(reference)} ||| {_apart(hypothesis)}\n" for hypothesis, reference in pairs)
    _program.ask("".join(lines).encode(), read, SECONDS_PER_BATCH)


def _parsed(answer: bytes) -> tuple[Floats, str | None]:
    try:
        row = np.array(answer.split(), dtype=float)
    except ValueError:
        row = np.empty(0)
    if len(row) == STATISTICS and np.isfinite(row).all():
        matched = row[4:20].reshape(8, 2).sum(axis=0)
        if row[20] == 1 and (matched == row[:2]).all():
            row[20] = 0
        return row, None
    return np.full(STATISTICS, np.nan), f"METEOR answered {answer[:80].decode('utf-8', 'replace')!r}"


def _apart(text: str) -> str:
    """Return the text without the protocol's separator: three consecutive bars are spaced."""
    return _BARS.sub("| ", text)


def _command(jar: Path) -> list[str]:
    return ["-jar", str(jar), "-", "-", "-stdio", "-l", "en", "-norm"]


# Aligning creates only short-lived objects: a large young generation makes it 1.5 times as fast.
_program = JavaProgram(METEOR_JAR, ["-Xmx1G", "-Xmn512m", "-XX:+UseSerialGC"], _command)
