"""Ratings whose rater is a language model, which are scores and not ratings by people."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from statistics import fmean
from typing import Any

from data.fields.criteria import BESIDE
from data.fields.models import WITH_REASONS, is_model, names_judge
from data.fields.names import norm
from data.findings import named
from data.formats.numbers.scores import clean
from data.records import Part, RatingRow, ScoreRow, Source


def as_scores(part: Part, source: Source) -> None:
    """Turn ratings by models into scores, with a finding, unless a person stated that the file has ratings.

    A score is the mean of one model's ratings of a caption by one criterion. It is named after the criterion, and after
    the model if several raters used the criterion. Numbers with reasons beside them count as a model's if nothing names
    the rater, all numbers by the criterion have reasons, and captions have one such number each. If the file, but none
    of its runs, has the name of a model, a finding asks whether the model gave the ratings.
    """
    stated = source.reading.columns.ratings or source.reading.format == "ratings"
    part.ratings = _of_people(part.ratings, bool(stated))
    if stated:
        return
    judges = dict.fromkeys(filter(None, map(_judge, part.ratings)))
    runs = {(row.run or source.stem).lower() for row in part.ratings if not row.rater and not _judge(row)}
    if runs and is_model(source.stem) and not any(run in source.stem.lower() for run in runs):
        source.log.add("rated_by_model_perhaps", source.name, name=source.stem)
    if not judges:
        return
    raters: dict[str, set[str]] = {}
    given: dict[tuple[Any, ...], list[RatingRow]] = {}
    for row in part.ratings:
        raters.setdefault(row.metric, set()).add(row.rater)
        if _judge(row):
            given.setdefault((row.metric, row.rater, row.run, row.item, row.index, row.caption), []).append(row)
    for (criterion, judge, run, item, index, caption), rows in given.items():
        name = clean(criterion if len(raters[criterion]) == 1 else f"{criterion}_{judge}")
        numbers = [row.value for row in rows if row.value is not None]
        higher = True if norm(criterion) in BESIDE else None
        value = fmean(numbers) if numbers else None
        part.scores.append(ScoreRow(rows[0].where, name, value, run, item, index, caption, higher))
    part.ratings = [row for row in part.ratings if not _judge(row)]
    if not part.ratings:
        source.log.forget(source.name, "ratings_read")
        part.format = "scores" if part.format == "ratings" else part.format
    if judges.pop(WITH_REASONS, ...) is None:
        source.log.add("rated_with_reasons", source.name)
    if judges:
        source.log.add("rated_by_model", source.name, names=named([*judges]))


def _of_people(rows: list[RatingRow], stated: bool) -> list[RatingRow]:
    """Return the rows, with numbered raters in place of `WITH_REASONS` for each criterion that people used.

    People used all criteria if that is `stated`, else those with a number without a reason or with several numbers for
    every caption.
    """
    times: dict[str, Counter[tuple[Any, ...]]] = {}
    for row in rows:
        times.setdefault(row.metric, Counter())[row.run, row.item, row.caption or row.index] += 1
    lacking = {row.metric for row in rows if not row.rater}
    people = {name for name, of in times.items() if stated or name in lacking or min(of.values()) > 1}
    seen: Counter[tuple[Any, ...]] = Counter()
    made = []
    for row in rows:
        if row.rater == WITH_REASONS and row.metric in people:
            place = (row.metric, row.run, row.item, row.index, row.caption)
            seen[place] += 1
            row = replace(row, rater=str(seen[place]) if seen[place] > 1 else "")
        made.append(row)
    return made


def _judge(row: RatingRow) -> str:
    """Return the model that gave a rating, as named by the rater or else by the criterion; "" for people."""
    return row.rater if is_model(row.rater) else row.metric if names_judge(row.metric) and not row.rater else ""
