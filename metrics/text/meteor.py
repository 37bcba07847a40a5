"""METEOR 1.5 with the jar of the COCO evaluation: additive statistics of pairs, and the score computed from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from pathlib import Path

import numpy as np

from metrics.arrays import Floats
from metrics.progress import check_stop
from metrics.text.java import JavaDied, JavaProgram
from metrics.text.java import missing as java_missing
from metrics.text.tokens import clean

Pair = tuple[str, str]

METEOR_JAR = ("meteor", "meteor-1.5.jar")
STATISTICS = 23
WORDS_PER_BATCH = 25_000
SECONDS_PER_BATCH = 120.0
LONGEST = 400
ALPHA, BETA, GAMMA, DELTA = 0.85, 0.2, 0.6, 0.75
MODULES = np.array([1.0, 0.6, 0.8, 0.6])

_BARS = re.compile(r"\|(?=\|\|)|(?<=\|)\|(?=\|)")


def missing() -> str | None:
    """What has to be installed for METEOR, or None."""
    return java_missing(*METEOR_JAR)


def statistics(
    pairs: Sequence[Pair],
    progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    reasons: MutableMapping[int, str] | None = None,
) -> Floats:
    """(n_pairs, 23) sufficient statistics of each (hypothesis, one reference), tokens joined by a space.

    Columns: words of both sides; function words of both; for each matcher (exact, stem, synonym, paraphrase) matched
    content words of both sides and function words of both; chunks, 0 where both texts match in one piece (the jar
    counts no fragments then, nor in its sums); matched words of both sides. Equal pairs are sent once. A pair that
    cannot be scored is a row of NaN and `reasons[index]` says why: a text of more than `LONGEST` words (aligning takes
    time with the square and more; a cut text would be another text), or one that ends the jar. `progress(done, of)` is
    called after every batch. Raises Cancelled when `should_stop()`, and JavaMissing. Safe to call from several
    threads: one program serves the process.
    """
    cleaned = [(clean(hypothesis), clean(reference)) for hypothesis, reference in pairs]
    distinct = {pair: row for row, pair in enumerate(dict.fromkeys(cleaned))}
    rows = np.full((len(distinct), STATISTICS), np.nan)
    why = {row: _too_long(pair) for pair, row in distinct.items() if _too_long(pair)}
    wanted = [(row, pair) for pair, row in distinct.items() if row not in why]
    done = 0
    for batch in _batches(wanted):
        check_stop(should_stop)
        with _program.lock:
            _fill(rows, why, batch)
        done += len(batch)
        if progress:
            progress(done, len(wanted))
    places = [distinct[pair] for pair in cleaned]
    if reasons is not None:
        reasons.update({index: why[row] for index, row in enumerate(places) if row in why})
    return rows[places]


def score(statistics: Floats) -> Floats:
    """METEOR 1.5 (...) of statistics (..., 23), summed over a corpus or not, in 0..1; NaN stays NaN.

    Denkowski and Lavie 2014, equations 1-4, with the parameters of `-l en`: alpha .85, beta .2, gamma .6, delta .75 and
    weights 1, .6, .8, .6 of the matchers. The jar's corpus value is the score of the sum of the
    statistics of each caption with its best reference, the first one where several are best.
    """
    statistics = np.asarray(statistics, dtype=float)
    words, function_words = statistics[..., :2], statistics[..., 2:4]
    matches = statistics[..., 4:20].reshape(*statistics.shape[:-1], 4, 4)
    weighted = DELTA * (words - function_words) + (1 - DELTA) * function_words
    matched = np.einsum("m,...mk->...k", MODULES, DELTA * matches[..., :2] + (1 - DELTA) * matches[..., 2:])
    chunks, matched_words = statistics[..., 20], statistics[..., 21:23]
    with np.errstate(divide="ignore", invalid="ignore"):
        precision, recall = np.moveaxis(matched / weighted, -1, 0)
        mean = 1.0 / ((1 - ALPHA) / precision + ALPHA / recall)
        value = np.maximum(mean * (1 - GAMMA * (chunks / matched_words.mean(axis=-1)) ** BETA), 0.0)
    # Without a match the formula divides 0 by 0; the jar says 0. Missing statistics are something else.
    undefined = np.isnan(statistics).any(axis=-1)
    return np.where(undefined, np.nan, np.where(np.isnan(value), 0.0, value))


def _batches(wanted: Sequence[tuple[int, Pair]]) -> Iterator[list[tuple[int, Pair]]]:
    """About a thousand pairs of captions at a time, fewer for long texts."""
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
    """Score a batch; the pair at which the program fails is known by the number of answers before it."""
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
        # Ended from outside, it works the second time; a pair that takes all the time would do so again.
        failures = 1 if answers else failures + 1
        if failures > 1 or (died.late and not answers):
            why[batch[done][0]] = f"METEOR failed at this pair: {died}"
            done, failures = done + 1, 0


def _exchange(pairs: Sequence[Pair], answers: list[bytes]) -> None:
    """Send all pairs at once and append the answers as they come."""

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
    """The text without the protocol's separator: three bars in a row are spaced."""
    return _BARS.sub("| ", text)


def _too_long(pair: Pair) -> str:
    most = max(len(text.split()) for text in pair)
    return f"{most:,} words: METEOR is not computed above {LONGEST}" if most > LONGEST else ""


def _command(jar: Path) -> list[str]:
    return ["-jar", str(jar), "-", "-", "-stdio", "-l", "en", "-norm"]


# Aligning makes short-lived objects only: a large nursery raises the rate by half.
_program = JavaProgram(METEOR_JAR, ["-Xmx1G", "-Xmn512m", "-XX:+UseSerialGC"], _command)
