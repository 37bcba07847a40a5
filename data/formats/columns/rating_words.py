"""Ratings in words, such as yes and no or strongly agree, and the numbers that these stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from data.findings import TrustedText
from data.formats.columns.contents import cell_of
from data.records import Source, as_id

Rows = Sequence[tuple[str, Sequence[Any]]]


def _ranked(text: str, start: float = 0.0, step: float = 1.0) -> dict[str, float]:
    """Return the number of each word, from the lowest up; words of the same rank are separated by slashes."""
    ranks = [part.strip().split("/") for part in text.split(",")]
    return {word: start + step * k for k, words in enumerate(ranks) for word in words}


_SCALES = (
    _ranked("no/n, yes/y"),
    _ranked("false, true"),
    _ranked("fail/failed, pass/passed"),
    _ranked("bad/not good, good"),
    _ranked("incorrect/not correct/wrong, correct/right"),
    _ranked("reject/rejected, accept/accepted"),
    _ranked("unacceptable/not acceptable, acceptable"),
    _ranked("irrelevant/not relevant, relevant"),
    _ranked("negative, positive"),
    _ranked("no, partly/partially/somewhat/maybe, yes", 0.0, 0.5),
    _ranked("incorrect/wrong, partly correct/partially correct, correct/right", 0.0, 0.5),
    _ranked("low, medium/moderate, high", 1.0),
    _ranked(
        "strongly disagree, disagree/somewhat disagree, neutral/neither agree nor disagree/undecided, "
        "agree/somewhat agree, strongly agree",
        1.0,
    ),
    _ranked("very poor/terrible/awful, poor, fair/average/ok/okay/acceptable, good, excellent/very good/perfect", 1.0),
    _ranked("very bad/terrible/awful, bad, fair/average/ok/okay/neutral, good, very good/excellent/perfect", 1.0),
    _ranked("nein, teilweise/teils, ja", 0.0, 0.5),
    _ranked("sehr schlecht/mangelhaft, schlecht, mittel/mittelmäßig/befriedigend, gut, sehr gut", 1.0),
    _ranked("not at all, slightly/a little, moderately/somewhat, very, extremely/completely", 1.0),
)
_AGREEMENT = next(scale for scale in _SCALES if "strongly agree" in scale)
_KNOWN: frozenset[str] = frozenset(word for scale in _SCALES for word in scale)
_SHOWN = 6


def is_word(cell: Any) -> bool:
    """Return whether a cell contains a word of a scale, or is true or false."""
    return _word(cell) in _KNOWN


def states_agreement(rows: Sequence[Sequence[Any]], place: int) -> bool:
    """Return whether a column has words from "strongly disagree" to "strongly agree", which judge statements."""
    told = {_word(cell_of(row, place)) for row in rows} - {""}
    return len(told) > 1 and told <= _AGREEMENT.keys() and not told.isdisjoint(("agree", "disagree"))


def in_numbers(
    rows: Rows, criteria: Mapping[int, str], source: Source, by: int = -1
) -> list[tuple[str, Sequence[Any]]]:
    """Return rows with numbers in place of words in the columns of `criteria`, with a finding that states the numbers.

    Column `by` may name the criterion of each row. All words of a criterion are read on the scale that contains the
    most of them. Words that are not on that scale stay, as do all words of a criterion that also has numbers.
    """
    told: dict[str, set[str]] = {}
    for _, row in rows:
        for place, name in criteria.items():
            told.setdefault(_of(row, by) or name, set()).update(map(_word, _every(cell_of(row, place))))
    found = {name: scale for name, words in told.items() if (scale := _scale(words))}
    for name, scale in found.items():
        words = ", ".join(f"{word} {value:g}" for word, value in sorted(scale.items(), key=lambda one: one[1])[:_SHOWN])
        source.log.add("rating_words", source.name, name=name, words=TrustedText(words))

    def numbered(row: Sequence[Any]) -> Sequence[Any]:
        scales = {place: found.get(_of(row, by) or name, {}) for place, name in criteria.items()}
        return [_numbered(cell, scales[k]) if scales.get(k) else cell for k, cell in enumerate(row)]

    return [(where, numbered(row)) for where, row in rows] if found else list(rows)


def _scale(words: set[str]) -> dict[str, float]:
    """Return the number of each word that the best-fitting scale has; {} if a word begins with a digit."""
    words = words - {""}
    if any(word[:1].isdigit() for word in words):
        return {}
    best = max(_SCALES, key=lambda scale: len(words & scale.keys()))
    return {word: value for word, value in best.items() if word in words}


def _word(cell: Any) -> str:
    return str("" if cell is None else cell).strip().rstrip(".!").lower().replace("_", " ")


def _of(row: Sequence[Any], by: int) -> str:
    return as_id(cell_of(row, by)) or ""


def listed(cell: Any) -> list[Any]:
    """Return the ratings in a cell: the elements of a list, which may be written as JSON, or else only the cell
    itself.
    """
    read = _read(cell)
    return read if isinstance(read, list) else [read]


def _every(cell: Any) -> list[Any]:
    return [one for of in cell.values() for one in _every(of)] if isinstance(cell, dict) else listed(cell)


def _read(cell: Any) -> Any:
    if isinstance(cell, str) and cell.startswith("[") and cell.endswith("]"):
        try:
            return orjson.loads(cell)
        except orjson.JSONDecodeError:
            return cell
    return cell


def _numbered(cell: Any, scale: Mapping[str, float]) -> Any:
    if isinstance(cell, dict):
        return {name: _numbered(of, scale) for name, of in cell.items()}
    read = _read(cell)
    if isinstance(read, list):
        return [_numbered(one, scale) for one in read]
    return scale.get(_word(read), read)
