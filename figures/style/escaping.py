"""Escaping of untrusted text for screens and files: shown literally, never interpreted as markup."""

from __future__ import annotations

import html
import re


def whole(text: str) -> str:
    """Return the text with lone surrogates replaced, which UTF-8, and thus browsers, files and tables, cannot hold."""
    return re.sub(r"[\ud800-\udfff]", "\ufffd", text)


def esc(text: str) -> str:
    """Return the text escaped for HTML, inside elements and inside quoted attributes."""
    return html.escape(whole(text))


class Strong(str):
    """A part of a sentence that is set in bold."""


def short(text: str, most: int) -> str:
    """Return the text cut to at most this many characters, the last of them an ellipsis."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def capital(text: str) -> str:
    """Return the text with a capital first letter; names keep their spelling."""
    return text[:1].upper() + text[1:]


def file_stem(text: str) -> str:
    """Return a file name of plain letters made from any text."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-").lower() or "table"
