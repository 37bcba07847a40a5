"""Escaping of untrusted text for screens and files: shown literally, never read as markup."""

from __future__ import annotations

import html
import re


def whole(text: str) -> str:
    """The text with lone surrogates replaced: UTF-8, and so neither browser, file nor table, can hold them."""
    return re.sub(r"[\ud800-\udfff]", "\ufffd", text)


def esc(text: str) -> str:
    """Text made inert for HTML, inside elements and inside quoted attributes."""
    return html.escape(whole(text))


class Strong(str):
    """A part of a sentence to be set bold."""


def short(text: str, most: int) -> str:
    """The text cut to at most so many characters, the last of which is then an ellipsis."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def capital(text: str) -> str:
    """The text as the beginning of a sentence; names in it keep their letters."""
    return text[:1].upper() + text[1:]


def file_stem(text: str) -> str:
    """A file name of plain letters for any text."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-").lower() or "table"
