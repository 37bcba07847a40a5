"""The column that names who rated each caption, and the rater in each of its cells."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from data.fields.models import RATER, as_model, is_model, names_judge, names_judge_model, reasons_for
from data.fields.names import norm, plain, words
from data.files import printed_lists
from data.findings import clip, named
from data.formats.columns.contents import cell_of, tells_apart, values
from data.judge_answers import JUDGE
from data.records import PreferenceRow, Source, as_id

_BY = ("source", "by", "origin", "rater_type", "annotator_type", "rating_source")
"""Names for a column of raters if all of its cells are names of models or words for people."""
USERS = ("user", "user_id", "userid", "participant", "participant_id", "subject_id")
"""Names for a column of raters beside a column of runs."""
_ANYBODY = frozenset(["human", "humans", "people", "expert", "experts", "crowd", "annotator", "worker"])


def rater_column(
    header: Sequence[str], rows: Sequence[Sequence[Any]], able: Collection[int], by_run: bool, same: Sequence[int] = ()
) -> int:
    """Return the column that names raters, or -1: by its name or, if another column names the runs, by its cells or a
    vaguer name.

    A column with a vaguer name has to differ within an item, in rows with equal cells in the columns `same`, if any.
    """
    names = {k: norm(plain(header[k])) for k in able}
    known = (k for name in RATER for k in able if names[k] == name)
    judges = (k for k in able if names_judge_model(header[k]))
    told = (k for k in able if by_run and names[k] in _BY and _are_anybody(rows, k))
    users = (k for k in able if by_run and names[k] in USERS and (not same or tells_apart(rows, same, [k])))
    return next(chain(known, judges, told, users), -1)


def _are_anybody(rows: Sequence[Sequence[Any]], place: int) -> bool:
    said = {str(cell).strip().lower() for cell in values(rows, place)}
    return any(map(is_model, said)) and all(is_model(one) or one in _ANYBODY for one in said)


def rater_of(row: Sequence[Any], column: int, header: Sequence[str]) -> str:
    """Return the rater in a row, or "" if there is none. If the cell is a list, such as a judge and its prompt in
    MT-Bench, return its first element.
    """
    cell = cell_of(row, column)
    listed = printed_lists.listed(cell) if isinstance(cell, str) and cell.startswith("[") else cell
    name = as_id(listed[0] if isinstance(listed, list) and listed else cell) or ""
    return as_model(name) if column >= 0 and names_judge_model(header[column]) else name


def rated_with_reasons(header: Sequence[str], rows: Sequence[tuple[str, Sequence[Any]]], place: int) -> bool:
    """Return whether each number in a column has a reason in another column, unless the column's name states people."""
    told = [row for _, row in rows if cell_of(row, place) not in (None, "")]
    beside = [k for k, name in enumerate(header) if reasons_for(name) in ("", norm(header[place]))]
    whole = any(all(str(cell_of(row, k) or "").strip() for row in told) for k in beside)
    return bool(told) and whole and "human" not in words(header[place])


def named_judge(column: str) -> str:
    """Return the name of a column of verdicts, `gpt4_winner`, as that of the model that judged; "" for other names."""
    return as_model(clip(column)) if names_judge(column) else ""


def say_judges(
    source: Source,
    header: Sequence[str],
    rows: Sequence[Sequence[Any]],
    rater: int,
    judges: Collection[str] = (),
) -> None:
    """Report pairs that models judged: the `judges`, or the models that the column `rater` names."""
    judges = judges or dict.fromkeys(who for row in rows if is_model(who := rater_of(row, rater, header)))
    if judges:
        source.log.add("pairs_by_model", source.name, names=named([*judges]))


def as_judged(pair: PreferenceRow, who: str) -> PreferenceRow:
    """Return a pair with the name of the rater `who` in its criterion, if that is a model; return other pairs
    unchanged.
    """
    return replace(pair, criterion=f"{JUDGE}{who} {pair.criterion}") if is_model(who) else pair


def judged_by(
    source: Source,
    header: Sequence[str],
    rows: Sequence[tuple[str, Sequence[Any]]],
    rater: int,
    pairs: Iterable[PreferenceRow],
) -> list[PreferenceRow]:
    """Return the pairs of rows of a table, with the models that the column `rater` names as judges; report these."""
    raters = {where: rater_of(row, rater, header) for where, row in rows}
    made = [as_judged(pair, raters[pair.first.where]) for pair in pairs]
    if made:
        say_judges(source, header, [row for _, row in rows], rater)
    return made
