"""The plan of questions to a judge: the number of calls and tokens, and the cost at stated prices."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from data.answers import Answer
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
    """The numbers of answers wanted, of calls needed for them, and of replies already in the cache.

    `tokens_in` is estimated from the words of the prompts, `tokens_out` is the most that the answers can have.
    Identical prompts share a call.
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
    """Return the plan; nothing is sent.

    Where facts have not been listed yet, the captions that they will come from stand in for them.
    """
    every = chain.from_iterable(_expected(study, ask, endpoint, cache, repeats) for ask in asks)
    return _counted(every, endpoint, cache)


def _expected(study: Study, ask: Ask, endpoint: Endpoint, cache: Cache, repeats: int) -> Iterable[Question]:
    first = list(questions(study, ask, repeats))
    if ask != "facts":
        return first
    listed = [_listed(one, endpoint, cache) for one in first]
    return [*first, *checks(study, listed, repeats)]


def _listed(question: Question, endpoint: Endpoint, cache: Cache) -> Answer:
    """The facts that were listed before, else the captions as a stand-in."""
    reply = answers.kept(cache, answers.key(endpoint, question.text, question.repeat))
    answer = question.answer(endpoint, reply)
    return answer if reply is not None else replace(answer, facts=answer.captions)


def _counted(every: Iterable[Question], endpoint: Endpoint, cache: Cache) -> Plan:
    wanted, words, new, kept = 0, 0, set(), set()
    for one in every:
        wanted += 1
        key = answers.key(endpoint, one.text, one.repeat)
        if key in new or key in kept:
            continue
        if cache.has(key):
            kept.add(key)
        else:
            new.add(key)
            words += len(_WORD.findall(one.text))
    return Plan(wanted, len(new), len(kept), round(words * TOKENS_PER_WORD), len(new) * endpoint.longest)


def in_words(made: Plan, endpoint: Endpoint, price_in: float | None = None, price_out: float | None = None) -> str:
    """Return a sentence that says where the captions go, and how many calls and tokens it takes."""
    of = f"{made.wanted:,} answers of {endpoint.model} at {endpoint.url}"
    took = f"{made.calls:,} calls ({made.kept:,} prompts are already answered)"
    size = (
        f"about {made.tokens_in:,} tokens sent ({TOKENS_PER_WORD:g} per word or punctuation mark) and at most "
        f"{made.tokens_out:,} received"
    )
    said = f"{of}: {took}, {size}."
    if price_in is None and price_out is None:
        return said
    return f"{said} The cost is at most about {made.cost(price_in or 0.0, price_out or 0.0):,.2f} at the stated prices."
