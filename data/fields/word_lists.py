"""Lists of words, written as one text, and the words in the name of a file."""

from __future__ import annotations

import re


def word_list(text: str) -> list[str]:
    """Return the words of a text in order."""
    return text.split()


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


def in_name(name: str) -> list[str]:
    """Return the words in the name of a file, or of anything else, in lower case and without its punctuation."""
    return re.split(r"[\W_]+", name.lower())
