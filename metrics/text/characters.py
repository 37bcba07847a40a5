"""Tokens of languages written without spaces: characters, as in sacreBLEU's `zh` and `char` (Post 2018)."""

from __future__ import annotations

import re

_CHARACTERS = re.compile(
    "([\u2001-\u2a6d\u2e80-\u2fdf\u2ff0-\u303f\u3100-\u312f\u31a0-\u31ef\u3200-\u4db5\u4e00-\u9fbb\uf900-\ufa2d"
    "\ufa30-\ufa6a\ufa70-\ufad9\ufe10-\ufe1f\ufe30-\ufe4f\uff00-\uffef])"
)
"""Characters that sacreBLEU 2.6 treats as Chinese: Han, its punctuation and most other signs, but no kana."""
_WESTERN = (
    (re.compile(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])"), r" \1 "),
    (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),
    (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)


def zh(text: str) -> list[str]:
    """Return Chinese characters one by one, and other words and signs as split by mteval-13a; case is kept."""
    text = _CHARACTERS.sub(r" \1 ", text.strip())
    for pattern, parted in _WESTERN:
        text = pattern.sub(parted, text)
    return text.split()


def char(text: str) -> list[str]:
    """Return all characters except white space, also those of Latin words."""
    return [character for character in text if not character.isspace()]
