"""Finite probabilistic grammars: sampling, greedy, beam and nucleus decoding, and exact log-probabilities.

A grammar is an acyclic graph of three kinds of nodes: fixed words, sequences, and choices. Every choice has one logit
per option; at temperature T its probabilities are softmax(logit / T), as in a language model.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

Tokens = tuple[str, ...]
Tags = tuple[str, ...]
Floats = npt.NDArray[np.float64]
START: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class Words:
    """Fixed tokens, possibly none."""

    tokens: Tokens

    @cached_property
    def first(self) -> frozenset[str]:
        """Tokens that the node's text can begin with."""
        return frozenset(self.tokens[:1])

    @cached_property
    def nullable(self) -> bool:
        """Whether the node's text can be empty."""
        return not self.tokens


@dataclass(frozen=True, eq=False)
class Sequence_:
    """Parts that follow one another."""

    parts: tuple[Node, ...]

    @cached_property
    def first(self) -> frozenset[str]:
        """Tokens that the node's text can begin with."""
        found = START
        for part in self.parts:
            found |= part.first
            if not part.nullable:
                break
        return found

    @cached_property
    def nullable(self) -> bool:
        """Whether the node's text can be empty."""
        return all(part.nullable for part in self.parts)


@dataclass(frozen=True, eq=False)
class Choice:
    """One of several options; `tags` give the kind of each option, for models that prefer some kinds."""

    options: tuple[Node, ...]
    logits: tuple[float, ...]
    tags: tuple[str, ...]

    @cached_property
    def first(self) -> frozenset[str]:
        """Tokens that the node's text can begin with."""
        return START.union(*(option.first for option in self.options))

    @cached_property
    def nullable(self) -> bool:
        """Whether the node's text can be empty."""
        return any(option.nullable for option in self.options)


Node = Words | Sequence_ | Choice


@dataclass(frozen=True, eq=False)
class Distribution:
    """A model's choices: softmax((scale * logit + bonus[tag]) / temperature), cut to a nucleus if top_p is below 1.

    The nucleus of a choice is the smallest set of most probable options whose probabilities total at least top_p;
    Holtzman et al., The Curious Case of Neural Text Degeneration.
    """

    scale: float = 1.0
    bonus: Mapping[str, float] = field(default_factory=dict)
    temperature: float = 1.0
    top_p: float = 1.0
    _known: dict[Choice, tuple[float, ...]] = field(default_factory=dict, repr=False)

    def probabilities(self, choice: Choice) -> tuple[float, ...]:
        """Return the probabilities of the options, which sum to 1."""
        if choice not in self._known:
            self._known[choice] = self._decide(choice)
        return self._known[choice]

    def _decide(self, choice: Choice) -> tuple[float, ...]:
        scores = [
            (self.scale * logit + self.bonus.get(tag, 0.0)) / self.temperature
            for logit, tag in zip(choice.logits, choice.tags, strict=True)
        ]
        top = max(scores)
        weights = [math.exp(score - top) for score in scores]
        total = math.fsum(weights)
        chances = [weight / total for weight in weights]
        return tuple(chances) if self.top_p >= 1 else nucleus(chances, self.top_p)


def nucleus(chances: Sequence[float], top_p: float) -> tuple[float, ...]:
    """Return the probabilities of the smallest set of most probable options that total at least top_p, rescaled to sum
    to 1.

    The other options have the probability 0.
    """
    kept: list[int] = []
    mass = 0.0
    for index in sorted(range(len(chances)), key=lambda i: (-chances[i], i)):
        kept.append(index)
        mass += chances[index]
        if mass >= top_p:
            break
    return tuple(chance / mass if index in kept else 0.0 for index, chance in enumerate(chances))


def sample(node: Node, distribution: Distribution, rng: np.random.Generator) -> Tokens:
    """Return a text drawn from the grammar; each choice on the way is drawn from its own probabilities."""
    return tagged_sample(node, distribution, rng)[0]


def tagged_sample(node: Node, distribution: Distribution, rng: np.random.Generator) -> tuple[Tokens, Tags]:
    """Return a text drawn as by `sample`, and the tags of the options chosen for it."""
    if isinstance(node, Words):
        return node.tokens, ()
    if isinstance(node, Sequence_):
        drawn = [tagged_sample(part, distribution, rng) for part in node.parts]
        return sum((tokens for tokens, _ in drawn), ()), sum((tags for _, tags in drawn), ())
    taken = _drawn(distribution.probabilities(node), rng)
    tokens, tags = tagged_sample(node.options[taken], distribution, rng)
    return tokens, (node.tags[taken], *tags)


def _drawn(chances: Sequence[float], rng: np.random.Generator) -> int:
    point, mass = rng.random(), 0.0
    for index, chance in enumerate(chances):
        mass += chance
        if point < mass:
            return index
    return max(range(len(chances)), key=chances.__getitem__)  # the sum fell short of 1 by rounding


def greedy(node: Node, distribution: Distribution) -> Tokens:
    """Return the text of the most probable option at every choice, taking the first of equally probable ones."""
    if isinstance(node, Words):
        return node.tokens
    if isinstance(node, Sequence_):
        return sum((greedy(part, distribution) for part in node.parts), ())
    chances = distribution.probabilities(node)
    return greedy(node.options[max(range(len(chances)), key=chances.__getitem__)], distribution)


@dataclass(frozen=True)
class Partial:
    """A derivation, possibly unfinished: log-probability so far, the tokens written, and the nodes still to come."""

    logprob: float
    tokens: Tokens
    todo: tuple[Node, ...]

    def advanced(self) -> Partial:
        """Return the same derivation, written out up to its next choice."""
        tokens, todo = self.tokens, self.todo
        while todo and not isinstance(todo[0], Choice):
            head = todo[0]
            if isinstance(head, Words):
                tokens, todo = tokens + head.tokens, todo[1:]
            else:
                todo = head.parts + todo[1:]
        return Partial(self.logprob, tokens, todo)

    def expanded(self, distribution: Distribution) -> list[Partial]:
        """Return one derivation per option of the next choice that has a probability above 0.

        If the derivation is finished, return only the derivation itself.
        """
        if not self.todo or not isinstance(head := self.todo[0], Choice):
            return [self]
        chances = distribution.probabilities(head)
        return [
            Partial(self.logprob + math.log(chance), self.tokens, (option, *self.todo[1:])).advanced()
            for option, chance in zip(head.options, chances, strict=True)
            if chance > 0
        ]


def beam(node: Node, distribution: Distribution, width: int) -> list[Tokens]:
    """Return the texts of the derivations kept by a beam of this width, most probable first.

    Each step makes the next choice, left to right, in every unfinished derivation; finished derivations stay and
    compete. Derivations of the same text count as one.
    """
    beams = [Partial(0.0, (), (node,)).advanced()]
    while any(partial.todo for partial in beams):
        grown = [child for partial in beams for child in partial.expanded(distribution)]
        beams = heapq.nlargest(width, grown, key=lambda partial: (partial.logprob, partial.tokens))
    return list(dict.fromkeys(partial.tokens for partial in beams))


def inside(nodes: Sequence[Node], tokens: Tokens, distributions: Sequence[Distribution]) -> Floats:
    """Return the natural logarithms, (len(nodes), len(distributions)), of the probability of a text.

    The probability is summed over all derivations by the inside algorithm (Baker 1979), exactly; its logarithm is -inf
    if a node cannot produce the text.
    """
    chart = _Inside(tokens, distributions)
    none = np.zeros(len(distributions))
    with np.errstate(divide="ignore"):
        return np.log([chart.spans(node, 0).get(len(tokens), none) for node in nodes])


class _Inside:
    """Probabilities of all spans of tokens that a node can produce from a position, under all distributions."""

    def __init__(self, tokens: Tokens, distributions: Sequence[Distribution]) -> None:
        self.tokens = tokens
        self.distributions = distributions
        self.one = np.ones(len(distributions))
        self.known: dict[tuple[int, int], dict[int, Floats]] = {}

    def spans(self, node: Node, start: int) -> dict[int, Floats]:
        """Return the positions where the node's text may end if it begins at `start`, with their probabilities."""
        ahead = self.tokens[start] if start < len(self.tokens) else None
        if not node.nullable and ahead not in node.first:
            return {}
        if isinstance(node, Words):
            end = start + len(node.tokens)
            return {end: self.one} if self.tokens[start:end] == node.tokens else {}
        key = (id(node), start)
        if key not in self.known:
            self.known[key] = self._sequence(node, start) if isinstance(node, Sequence_) else self._choice(node, start)
        return self.known[key]

    def _sequence(self, node: Sequence_, start: int) -> dict[int, Floats]:
        reached = {start: self.one}
        for part in node.parts:
            following: dict[int, Floats] = {}
            for middle, before in reached.items():
                for end, chance in self.spans(part, middle).items():
                    following[end] = following.get(end, 0.0) + before * chance
            reached = following
        return reached

    def _choice(self, node: Choice, start: int) -> dict[int, Floats]:
        reached: dict[int, Floats] = {}
        for index, option in enumerate(node.options):
            ends = self.spans(option, start)
            if ends:
                weight = np.array([model.probabilities(node)[index] for model in self.distributions])
                for end, chance in ends.items():
                    reached[end] = reached.get(end, 0.0) + weight * chance
        return reached
