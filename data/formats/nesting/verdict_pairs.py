"""Records that are lists of two objects, a judge's verdict and the answer judged, as Video-ChatGPT writes them.

They look like `{"v1": [{"pred": "yes", "score": 4}, {"q": .., "a": .., "pred": ..}]}`.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

VERDICT = "verdict"
"""The field for the piece of a record that has no sentence."""
_LOOKED_AT = 20
_SENTENCE = 3


def whole(value: Any) -> Any:
    """Return a value with each list of an answer and its verdict joined into one object; return other
    values unchanged.
    """
    if isinstance(value, dict) and _are_pieces(list(islice(value.values(), _LOOKED_AT))):
        return {key: _joined(one) for key, one in value.items()}
    if isinstance(value, list) and _are_pieces(value[:_LOOKED_AT]):
        return [_joined(row) for row in value]
    return value


def _are_pieces(rows: list[Any]) -> bool:
    """Return whether all rows are lists of two objects with the same fields, of which the same one has sentences."""
    pairs = [row for row in rows if isinstance(row, list) and len(row) == 2 and all(isinstance(x, dict) for x in row)]
    said = {tuple(map(_says, pair)) for pair in pairs}
    shapes = [len({frozenset(pair[k]) for pair in pairs}) for k in (0, 1)]
    return len(pairs) == len(rows) > 0 and said in ({(True, False)}, {(False, True)}) and max(shapes) == 1


def _says(piece: dict[str, Any]) -> bool:
    return any(isinstance(one, str) and len(one.split()) >= _SENTENCE for one in piece.values())


def _joined(row: Any) -> Any:
    if not isinstance(row, list) or len(row) != 2 or not all(isinstance(piece, dict) for piece in row):
        return row
    answer, verdict = row if _says(row[0]) else row[::-1]
    return {**answer, VERDICT: verdict}
