"""Parse lists of captions that Python, NumPy or JSON printed in a cell or within another text."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import orjson

TEXT_KEYS = ("caption", "text", "raw", "sentence", "tokens")
"""The keys under which an object may have its caption."""
MARKS = (
    "is_rejected",
    "is_precanned",
    "rejected",
    "precanned",
    "was_cancelled",
    "AssignmentStatus",
    "assignmentstatus",
    "foil",
)
"""Fields by which VizWiz, Label Studio, Mechanical Turk and FOIL withdraw a caption; only captions by
people have them.
"""
_CORRECT, _INCORRECT = "correct", "incorrect"
"""The tag of HELM's correct references, and the field that findings name for a reference without this tag."""
_REVIEWS = ("status", "review_status", "answer", "decision")
_APPROVALS = ("valid", "is_valid", "approved", "is_approved")
STATES = (*_REVIEWS, *_APPROVALS)
"""Fields that also withdraw captions if all captions in the file are by people."""
_GLUE = frozenset(["a", "an", "the", "of", "in", "on", "is", "are", "with", "and", "to", "at", ".", ","])
"""Words that occur in lists of tokens but not in lists of one-word captions."""
_JOINED = re.compile(r"(?<=\S)&&(?=\S)")
"""The separator that OFA puts between captions in a cell."""
_OPENS = ("[", "(", "{", "array(", "np.array(", "numpy.array(")
_ARRAY = re.compile(r"(?:np\.|numpy\.)?array\((\[.*\])\s*(?:,\s*dtype=[^()\[\]]*)?\)", re.DOTALL)
QUOTED = r"""[uUbB]?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_ELEMENT = re.compile(rf"\s*(?:(?:np\.|numpy\.)?str_\(({QUOTED})\)|({QUOTED})|None|nan|null)(\s*,|\s+|$)", re.DOTALL)
_LIKE_A_LIST = re.compile(r"""\[\s*(?:['"]|\{\s*['"])""")


def listed(text: str) -> list[Any] | None:
    """Return the captions in a printed list, with None for a gap; return None for any other text.

    The list may be JSON, a Python list, tuple or set, or a printed NumPy array, in which spaces or line breaks serve as
    commas. Only single string literals are evaluated.
    """
    bare = text.strip()
    if not bare.startswith(_OPENS) or bare[-1] not in "])}":
        return None
    if bare[0] == "[":
        try:
            value = orjson.loads(bare)
        except orjson.JSONDecodeError:
            pass
        else:
            return value if all(_is_caption(one) for one in value) else None
    return _printed(bare)


def has_data(values: list[Any]) -> bool:
    """Return whether a list contains a caption and then data about it, such as a score or a list of positions."""
    first, *others = values or [None]
    told = len(others) == 1 and isinstance(others[0], float)
    return isinstance(first, str) and (told or any(isinstance(one, list) for one in others))


def looks_listed(text: str) -> bool:
    """Return whether a text begins and ends like a list, so that it is suspicious if `listed` cannot parse it."""
    bare = text.strip()
    return bare.endswith("]") and _LIKE_A_LIST.match(bare) is not None


def withdrawn(row: Mapping[str, Any]) -> str | None:
    """Return the field by which a record withdraws its caption, or None if there is no such field."""
    marked = (key for key in (*MARKS, _INCORRECT) if key in row and (is_true(row[key]) or _is_no(row[key])))
    reviewed = (key for key in _REVIEWS if key in row and _is_no(row[key]))
    refused = (key for key in _APPROVALS if key in row and (_is_no(row[key]) or _is_false(row[key])))
    return next((key for found in (marked, reviewed, refused) for key in found), None)


def marked(fields: Iterable[str]) -> bool:
    """Return whether any of the fields withdraws captions; only captions by people have such fields."""
    return any(field in MARKS for field in fields)


def without_withdrawn(value: Any, is_withdrawn: Callable[[Mapping[str, Any]], bool], depth: int = 6) -> Any:
    """Return a JSON value whose lists of objects, down to the given depth, are reduced as by `kept`; only objects with
    a field of MARKS may be withdrawn.
    """
    if depth and isinstance(value, dict):
        return {key: without_withdrawn(one, is_withdrawn, depth - 1) for key, one in value.items()}
    if not depth or not isinstance(value, list) or not any(isinstance(one, dict) for one in value):
        return value
    return [without_withdrawn(one, is_withdrawn, depth - 1) for one in kept(value, is_withdrawn, marked)]


def kept(
    values: list[Any],
    is_withdrawn: Callable[[Mapping[str, Any]], bool],
    may_be: Callable[[Mapping[str, Any]], bool] = bool,
) -> list[Any]:
    """Return a list without withdrawn objects and, if any object has the tag "correct", without the objects that lack
    it.

    `is_withdrawn`, which reports the withdrawn objects, is called only for objects that satisfy `may_be`, and for
    objects without the tag.
    """
    graded = any(_CORRECT in _tags(one) for one in values)

    def is_out(one: dict[str, Any]) -> bool:
        wrong = graded and _CORRECT not in _tags(one)
        return is_withdrawn({_INCORRECT: True}) if wrong else may_be(one) and is_withdrawn(one)

    return [one for one in values if not (isinstance(one, dict) and is_out(one))]


def _tags(one: Any) -> list[Any]:
    tags = one.get("tags") if isinstance(one, dict) else None
    return tags if isinstance(tags, list) else []


def without_marked(
    found: Iterable[Any], marks: Mapping[str, Any], is_withdrawn: Callable[[Mapping[str, Any]], bool]
) -> list[Any]:
    """Return cells without the captions that are withdrawn by lists of marks: each mark belongs to the caption at its
    position.

    Only lists of marks with as many entries as the list of captions in a cell count.
    """
    lists = {name: of for name, one in marks.items() if isinstance(of := _as_list(one), list)}
    kept = []
    for cell in found:
        texts = _as_list(cell)
        beside = {name: of for name, of in lists.items() if isinstance(texts, list) and len(of) == len(texts)}
        told = [is_withdrawn({name: of[k] for name, of in beside.items()}) for k in range(len(texts) if beside else 0)]
        kept.append([text for text, out in zip(texts, told) if not out] if beside else cell)
    return kept


def _as_list(cell: Any) -> Any:
    """Return a list that is written in a cell, such as "[True, False]"; any other cell is returned unchanged."""
    if not isinstance(cell, str) or not cell.startswith("["):
        return cell
    if (texts := listed(cell)) is not None:
        return texts
    try:
        return orjson.loads(cell.lower())
    except orjson.JSONDecodeError:
        return cell


def has_caption(row: Mapping[str, Any]) -> bool:
    """Return whether an object has a caption under a usual key."""
    return any(key in row for key in TEXT_KEYS)


def is_true(value: Any) -> bool:
    """Return whether a value means "true" as written by JSON, Python or spreadsheets."""
    return str(value).strip().lower() in ("true", "1", "1.0", "yes")


def _is_false(value: Any) -> bool:
    return str(value).strip().lower() in ("false", "0", "0.0", "no")


def _is_no(value: Any) -> bool:
    return isinstance(value, str) and value.strip().lower() in ("rejected", "reject")


def captions_of(value: Any, alone: bool = True) -> list[Any]:
    """Return the captions in a text, a list or an object, parsing printed lists; return any other value as the only
    element.

    `alone` states that the value is a whole cell or field, in which `&&` may separate captions.
    """
    if isinstance(value, dict):
        within = next((one for one in value.values() if isinstance(one, dict) and has_caption(one)), value)
        value = next((value[key] for key in TEXT_KEYS if key in value), within)
        if isinstance(value, dict):
            value = next((value[key] for key in TEXT_KEYS if key in value), None)
        if isinstance(value, list):
            return _joined(value)
    if isinstance(value, str) and (found := listed(value)) is not None:
        return [text for one in untokenised(found) for text in captions_of(one, alone=False)]
    if alone and isinstance(value, str) and _JOINED.search(value.strip()):
        return [text for text in _JOINED.split(value) if text.strip()]
    if isinstance(value, list) and value and isinstance(value[0], str):
        return value[:1] if has_data(value) else _joined(value)  # a caption with its score or other data, or its tokens
    return [value]


def untokenised(values: list[Any]) -> list[Any]:
    """Return a list that looks like the tokens of one caption as a list of only that caption; return other lists
    unchanged.
    """
    if len(values) < 3 or not all(isinstance(one, str) and one and not re.search(r"\s", one) for one in values):
        return values
    longer = sum(len(one) > 1 for one in values) > 1
    return [" ".join(values)] if longer and _GLUE & {one.lower() for one in values} else values


def _joined(values: list[Any]) -> list[Any]:
    tokens = all(isinstance(one, str) and one and not re.search(r"\s", one) for one in values)
    return [" ".join(values)] if tokens else values


def unknown(known: Counter[str], texts: Iterable[str]) -> list[str]:
    """Return the texts that occur more often than `known` counts, as often as they exceed it, and add them to
    `known`.
    """
    seen: Counter[str] = Counter()
    new = []
    for text in texts:
        seen[text] += 1
        if seen[text] > known[text]:
            new.append(text)
    known.update(new)
    return new


def _is_caption(value: Any) -> bool:
    return value is None or isinstance(value, str) or (isinstance(value, dict) and any(k in value for k in TEXT_KEYS))


def _printed(bare: str) -> list[Any] | None:
    if (array := _ARRAY.fullmatch(bare)) is not None:
        bare = array[1]
    if (bare[:1], bare[-1:]) not in {("[", "]"), ("(", ")"), ("{", "}")}:
        return None
    inner, found, place = bare[1:-1].strip(), [], 0
    commas = False
    while place < len(inner):
        match = _ELEMENT.match(inner, place)
        if match is None:
            return None
        found.append(unquoted(match[1] or match[2]))
        place, commas = match.end(), commas or "," in match[3]
    # A single text in round brackets is a caption in brackets, and empty braces are not a set.
    return None if (bare[0] == "(" and not commas) or (bare[0] == "{" and not found) else found


def unquoted(literal: str | None) -> str | None:
    """Return the value of a Python or JSON string literal; None for None.

    The characters of an invalid literal are returned unchanged.
    """
    if literal is None:
        return None
    if literal[0] in "\"'" and literal[:3] not in ('"""', "'''") and "\\" not in literal:
        return literal[1:-1]
    try:
        value = ast.literal_eval(literal.replace("\n", "\\n").replace("\r", "\\r"))
    except (SyntaxError, ValueError):  # such as "\x" at its end
        return literal[literal.index(literal[-1]) + 1 : -1]
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
