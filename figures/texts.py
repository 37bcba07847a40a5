"""Other people's texts on their way to a screen: shown as they are, and never read as markup."""

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
