"""Escaping of untrusted text for screens and files: shown literally, never interpreted as markup."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable


def whole(text: str) -> str:
    """Return the text without lone surrogates, which UTF-8 (browsers, files, tables) cannot encode: they are
    replaced.
    """
    return re.sub(r"[\ud800-\udfff]", "\ufffd", text)


def esc(text: str) -> str:
    """Return the text escaped for HTML, inside elements and inside quoted attributes."""
    return html.escape(whole(text))


def with_code(text: str) -> str:
    """Return a sentence of the program escaped for HTML, with commands between backticks set as code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", esc(text))


def breakable(name: str) -> str:
    """Return a name escaped for HTML that may break after a joint such as "_"."""
    return re.sub(r"(?<=[@_=/+])(?=\w)", "<wbr>", esc(name))


class Strong(str):
    """A part of a sentence that is set in bold."""


_REACH = 0.6
"""A text is cut at the end of a word if what is left fills at least this share of the room."""
_JOINTS = " \u00a0\t\n_@,;|/+&~=:.·-"


def short(text: str, most: int, among: Iterable[str] = ()) -> str:
    """Return the text cut to at most this many characters with an ellipsis: at the end of a word, if one is near.

    `among` are the names shown beside it. A name is also cut at a joint such as "_" and, if another begins alike,
    within its last word or in its middle.
    """
    if len(text) <= most:
        return text
    others, whole_room = [one for one in among if one != text], text[: most - 1].rstrip()
    for kept in (_to_word(text, most - 1, _JOINTS if others else " "), whole_room):
        if not any(one.startswith(kept) for one in others):
            return f"{kept}…"
    tail = (most - 1) * 2 // 5
    return f"{text[: most - 1 - tail].rstrip()}…{text[len(text) - tail :].lstrip()}" if others else f"{whole_room}…"


def _to_word(text: str, room: int, joints: str) -> str:
    """The beginning of a text up to the last end of a word that fits, or as much as fits if no word ends near there."""
    end = next((k for k in range(room, int(_REACH * room), -1) if text[k] in joints), room)
    return text[:end].rstrip(_JOINTS) or text[:room].rstrip()


def capital(text: str) -> str:
    """Return the text with its first letter capitalised."""
    return text[:1].upper() + text[1:]


def file_stem(text: str) -> str:
    """Return a file name of lower-case letters, digits and hyphens for any text; "table" if nothing is left of it."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-").lower() or "table"
