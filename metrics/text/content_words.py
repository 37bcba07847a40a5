"""Content words: the words of a caption that are not function words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from data.study import Study, of_study
from metrics.text.tokens import Tokens

_WORDS = """
a an the this that these those some any each every all both either neither no such another other others its his her
hers their theirs our ours my mine your yours i me we us you he him she it they them who whom whose which what one ones
there here and or but nor so yet if as than then while when where whereas because though although until unless that
of in on at by for with from to into onto upon out off up down over under above below behind beside besides between
among amongst around across along through throughout during before after near next about against within without
toward towards beyond past per via like
is are was were be been being am do does did done doing have has had having can could will would shall should may might
must get gets got getting
not n't very too also just only even still again more most much many few several lot lots as well own same
's 're 've 'll 'd 'm s t
"""
FUNCTION_WORDS = frozenset(_WORDS.split())
"""Determiners, pronouns, prepositions, conjunctions, auxiliaries and a few adverbs; numbers above one are content
words.
"""


ENGLISH = 0.3
"""Minimum share of function words in English text; in captions of images it is 46 %."""
_LETTERS = re.compile(r"[^\W\d_]+(?:'\w+)?")


@of_study
def english_share(study: Study) -> float:
    """Return the share (0..1) of words of all references that are English function words; NaN if there are no words."""
    words = [word for item in study.items for text in item.references for word in _LETTERS.findall(text.lower())]
    return sum(word in FUNCTION_WORDS for word in words) / len(words) if words else float("nan")


def content_words(tokens: Sequence[str]) -> frozenset[str]:
    """Return the distinct content words of a caption: lower-case tokens with a letter or digit, except function words.

    The list is English: in another language nearly every word counts (`english_share`).
    """
    lower = (token.lower() for token in tokens)
    return frozenset(t for t in lower if t not in FUNCTION_WORDS and any(c.isalnum() for c in t))


def lost_words(centre: Iterable[Tokens], others: Iterable[Tokens]) -> tuple[tuple[str, int], ...]:
    """Return the content words of `others` that no central caption has, with numbers of captions, the largest first.

    Words with equal numbers are in order of first mention.
    """
    kept = frozenset[str]().union(*(content_words(tokens) for tokens in centre))
    said: Counter[str] = Counter()
    for tokens in others:
        known = content_words(tokens)
        first = dict.fromkeys(token.lower() for token in tokens)
        said.update([t for t in first if t in known and t not in kept])
    return tuple(said.most_common())
