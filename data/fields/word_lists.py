"""Lists of words, each written as a single text, and the words in the name of a file."""

from __future__ import annotations

import re


def word_list(text: str) -> list[str]:
    """Return the words of a text in order."""
    return text.split()


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


def in_name(name: str) -> list[str]:
    """Return the words in a name, such as a file's, in lower case and without punctuation."""
    return re.split(r"[\W_]+", name.lower())


_STEPS = word_set(
    "caption captions eval evals evaluation exp experiment experiments files generated generation generations infer "
    "inference json jsonl log logs out output outputs pred predict prediction predictions preds res response responses "
    "result results run runs sample samples"
)


def says_step(name: str) -> bool:
    """Return whether the name of a file or folder states only the step of an experiment in which it was written."""
    words = {word for word in in_name(name) if not word.isdecimal()}
    return bool(words) and words <= _STEPS
