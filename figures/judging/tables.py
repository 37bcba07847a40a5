"""Tables about a judge: all numbers of each kind of question, and the answers themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from data.judge_answers import RANGES, Answer
from data.study import Study
from figures.export.table import Table
from figures.judging.words import TITLES, labels
from figures.style.numbers import P_VALUE
from metrics.analysis.judging.answers import NONE, Kind
from metrics.analysis.judging.trust import Bias, Trust
from metrics.analysis.judgments.correlation import Estimate

_PARTS = ("", "_low", "_high")
_SHARES = ("orders_agree", "first_wins", "longer_wins", "people_longer")
_ADJUSTED: dict[str, Bias] = {"first_p_adjusted": "place", "length_p_adjusted": "length", "own_p_adjusted": "own"}
"""Columns of p-values after Holm's correction across all kinds of question."""
COLUMNS = (
    *("judge", "prompt", "items", "questions", "answers", "unreadable", "unreadable_why", "state"),
    *("repeated_questions", "changed", *(f"icc{part}" for part in _PARTS), "answer_error"),
    *(f"{name}{part}" for name in _SHARES for part in (*_PARTS, "_p")),
    *("ties", *(f"per_10_words{part}" for part in (*_PARTS, "_p"))),
    *("own_run", "own_against", *(f"own_preference{part}" for part in (*_PARTS, "_p")), "own_why_not"),
    *(f"people_agree{part}" for part in (*_PARTS, "_p")),
    *("people_ceiling", "baseline", *(f"over_baseline{part}" for part in (*_PARTS, "_p")), "found"),
    *(*_ADJUSTED, "signature"),
)
HEADS = {
    "asked": "Asked",
    "questions": "Questions",
    "unreadable": "Unreadable",
    "icc": "Repeats, ICC",
    "icc_low": "95 % from",
    "icc_high": "to",
    "answer_error": "Standard error",
    "changed": "Changed",
    "orders_agree": "Orders agree",
    "orders_agree_p": "p, agree",
    "first_wins": "First wins",
    "first_wins_p": "p, first",
    "first_p_adjusted": "Corrected p, first",
    "longer_wins": "Longer wins",
    "longer_wins_p": "p, longer",
    "per_10_words": "Per 10 words",
    "per_10_words_p": "p, words",
    "length_p_adjusted": "Corrected p, length",
    "own_preference": "Own model",
    "own_preference_p": "p, own",
    "own_p_adjusted": "Corrected p, own",
    "own_why_not": "Own model: why not",
    "people_agree": "Agrees with people",
    "people_agree_p": "p, people",
    "people_ceiling": "People among themselves",
    "over_baseline": "Lead over baseline",
}
BRIEF = ("asked", "questions", "unreadable", "icc", "orders_agree", "first_wins", "longer_wins", "per_10_words")


def table(found: Sequence[Trust]) -> Table:
    """Return a row for each kind of question; `_p` columns are uncorrected, `_p_adjusted` corrected for all kinds."""

    def frame() -> pd.DataFrame:
        made = pd.DataFrame([_row(one) for one in found], columns=list(COLUMNS))
        made.insert(0, "asked", labels(found))
        return made

    formats = {name: P_VALUE for name in HEADS if name.endswith(("_p", "_p_adjusted"))}
    return Table(frame, HEADS, "judging", formats, 3, BRIEF)


def _row(one: Trust) -> tuple[object, ...]:
    kind, repeats, own, people = one.kind, one.kind.repeats, one.own, one.people
    pairs = kind.pairs
    shares = (NONE, NONE, NONE) if pairs is None else (pairs.agree, pairs.first, pairs.longer)
    return (
        *(kind.judge, kind.prompt, kind.items, kind.questions, kind.answers, kind.unreadable),
        *("; ".join(f"{why}: {n}" for why, n in kind.faults.items()), one.state),
        *(repeats.repeated, repeats.changed, *repeats.icc[:3], repeats.error),
        *(cell for share in (*shares, one.longer_by_people) for cell in _cells(share)),
        *(pairs.ties if pairs is not None else 0, *_cells(kind.slope)),
        *(own.run, own.by, *_cells(own.estimate), own.why),
        *_cells(people.agree),
        *(people.ceiling.value, people.baseline, *_cells(people.lead), ", ".join(one.biases)),
        *(one.adjusted.get(bias, np.nan) for bias in _ADJUSTED.values()),
        kind.signature,
    )


def _cells(of: Estimate) -> tuple[float, float, float, float]:
    return of.value, of.low, of.high, of.p_value


def of_answers(study: Study, kinds: Sequence[Kind], wanted: str = "") -> Table:
    """Return a table of the questions that contain `wanted`, with captions, the score of each repeat and the
    reasons.
    """
    heads = {
        "prompt": "Asked",
        "item": "Item",
        "captions": "Captions, as shown",
        "scores": "Scores",
        "reasons": "Reasons",
        "judge": "Judge",
    }
    known = {kind.signature for kind in kinds}

    def frame() -> pd.DataFrame:
        asked: dict[tuple[object, ...], list[Answer]] = {}
        for one in study.answers:
            if one.signature in known and one.prompt in RANGES:
                asked.setdefault(one.question[:-1], []).append(one)
        made = (_answered(group) for group in asked.values())
        columns = ["judge", "prompt", "item", "runs", "captions", "scores", "reasons", "signature"]
        return pd.DataFrame(matching(made, wanted), columns=columns)

    return Table(frame, heads, "answers of the judge")


def matching(rows: Iterable[tuple[str, ...]], wanted: str) -> list[tuple[str, ...]]:
    """Return the rows that contain every word of `wanted` somewhere, ignoring case."""
    sought = wanted.casefold().split()
    return [row for row in rows if all(word in " ".join(row).casefold() for word in sought)]


def _answered(group: Sequence[Answer]) -> tuple[str, ...]:
    group = sorted(group, key=lambda one: one.repeat)
    first = group[0]
    scores = [f"{one.score:.3g}" if one.score == one.score else f"none: {one.fault}" for one in group]
    reasons = dict.fromkeys(one.reason for one in group if one.reason)
    whose = [f"{run or 'people'} {place + 1}" for run, place in zip(first.runs, first.places, strict=True)]
    captions, asked = " / ".join(first.captions), TITLES[first.prompt]
    listed = (", ".join(whose), captions, ", ".join(scores), " / ".join(reasons))
    return (first.judge, asked, first.item, *listed, first.signature)
