"""The plan of questions to a judge: the number of calls and tokens, and the cost at given prices."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from itertools import chain

from data.judge_answers import Answer
from data.study import Study
from metrics.cache.disk import Cache
from metrics.judging import answers
from metrics.judging.endpoint import Endpoint
from metrics.judging.questions import Ask, Question, checks, questions

TOKENS_PER_WORD = 1.3
"""Tokens per word or punctuation mark of a prompt, as common tokenizers count English; a server's count may differ."""
_WORD = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True)
class Plan:
    """The numbers of wanted answers, of calls needed for them, and of replies already in the cache.

    `tokens_in` is estimated from the words of the prompts; `tokens_out` is the maximum for all answers. Identical
    prompts share a call.
    """

    wanted: int
    calls: int
    kept: int
    tokens_in: int
    tokens_out: int

    def cost(self, price_in: float, price_out: float) -> float:
        """Return the maximum cost, at prices per million tokens."""
        return (self.tokens_in * price_in + self.tokens_out * price_out) / 1e6


def plan(study: Study, asks: Sequence[Ask], endpoint: Endpoint, cache: Cache, repeats: int = 1) -> Plan:
    """Return the plan of these questions to a judge, without sending anything.

    If facts have not been listed yet, the captions from which they will be listed are counted instead.
    """
    stored = frozenset(cache.keys(answers.KIND))
    every = chain.from_iterable(_expected(study, ask, endpoint, cache, repeats, stored) for ask in asks)
    return _counted(every, endpoint, stored)


def _expected(
    study: Study, ask: Ask, endpoint: Endpoint, cache: Cache, repeats: int, stored: frozenset[str]
) -> Iterator[Question]:
    """Yield all questions one at a time: the texts of a large study's pairs would fill the memory."""
    listed = []
    for one in questions(study, ask, repeats):
        yield one
        if ask == "facts":
            listed.append(_listed(one, endpoint, cache, stored))
    if listed:
        yield from checks(study, listed, repeats)


def _listed(question: Question, endpoint: Endpoint, cache: Cache, stored: frozenset[str]) -> Answer:
    """Return the answer with the facts that were listed before, or with the captions as a stand-in."""
    key = answers.key(endpoint, question.text, question.repeat) if stored else ""
    reply = answers.kept(cache, key) if key in stored else None
    answer = question.answer(endpoint, reply)
    return answer if reply is not None else replace(answer, facts=answer.captions)


def _counted(every: Iterable[Question], endpoint: Endpoint, stored: frozenset[str]) -> Plan:
    wanted, words, kept, seen = 0, 0, 0, set[tuple[bytes, int]]()
    for one in every:
        wanted += 1
        prompt = sha256(one.text.encode("utf-8", "surrogatepass")).digest(), one.repeat
        if prompt in seen:
            continue
        seen.add(prompt)
        if stored and answers.key(endpoint, one.text, one.repeat) in stored:
            kept += 1
        else:
            words += sum(map(_words, one.text.split("\n")))
    new = len(seen) - kept
    return Plan(wanted, new, kept, round(words * TOKENS_PER_WORD), new * endpoint.longest)


@lru_cache(maxsize=1024)
def _words(line: str) -> int:
    """Return the number of words and punctuation marks of a line; most lines recur in many prompts."""
    return len(_WORD.findall(line))


def in_words(made: Plan, endpoint: Endpoint, price_in: float | None = None, price_out: float | None = None) -> str:
    """Return sentences on where the captions are sent, the numbers of calls and tokens and, given prices, the cost."""
    of = f"{made.wanted:,} answers of {endpoint.model} at {endpoint.shown}"
    took = f"{made.calls:,} calls ({made.kept:,} prompts are already answered)"
    size = (
        f"about {made.tokens_in:,} tokens sent ({TOKENS_PER_WORD:g} per word or punctuation mark) and at most "
        f"{made.tokens_out:,} received"
    )
    said = f"{of}: {took}, {size}."
    if price_in is None and price_out is None:
        return said
    return f"{said} The cost is at most about {made.cost(price_in or 0.0, price_out or 0.0):,.2f} at the stated prices."
