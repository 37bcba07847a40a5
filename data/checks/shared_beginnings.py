"""Find sentences before most captions of a run, such as a prompt that is repeated before each answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from data.checks.not_captions import is_plain

_LOOKED_AT = 200
_FEWEST, _SHARE, _WORDS = 4, 0.8, 4
"""Minimum number and share of captions with the same beginning, and minimum number of words in it."""
_MOST = 5
"""Maximum number of sentences in a prompt."""
_FIRST = re.compile(r"\s*[^\n.:?!。：？！]{3,400}[.:?!。：？！]+(?:\s+|(?<=[。：？！])\s*)(?=\S)")
"""A sentence, or words followed by a colon, with more text after it."""


def shared(captions: Iterable[Sequence[str]], references: Iterable[Sequence[str]]) -> str:
    """Return the sentences with which most captions of a run and no references begin; "" if there are none.

    Captions with thoughts, tokens or talk, which other checks report, do not count.
    """
    given = list(islice((text for of in captions for text in of), _LOOKED_AT))
    texts = [text for text in given if _FIRST.match(text) and is_plain(text)]
    start = ""
    for _ in range(_MOST):
        firsts = (_FIRST.match(text, len(start)) for text in texts if text.startswith(start))
        found, count = next(iter(Counter(match[0] for match in firsts if match).most_common(1)), ("", 0))
        if count < max(_FEWEST, _SHARE * len(given)):
            break
        start += found
    if len(start.split()) < _WORDS or len({text for text in texts if text.startswith(start)}) < _FEWEST:
        return ""
    people = any(text.startswith(start.strip()) for of in islice(references, _LOOKED_AT) for text in of)
    return "" if people else start
