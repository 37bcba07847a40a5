"""The notation for frames and scenes: `a [red|bright red|!blue] {thing} ~lean on a wall`.

`[x|y]` is a choice, the likelier option first; an empty option adds nothing; `!` marks an option that is untrue of the
scene, and `^9` gives an option rank 9. `{name}` is a slot, `{name.form}` is a slot with its verbs in that form, and
`~verb` is a verb to be inflected.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from tools.demo.grammar import Choice, Node, Sequence_, Words
from tools.demo.inflect import verb

SALIENCE = 1.2  # the k-th option has the logit -SALIENCE * log(k): Zipf's law at temperature 1
WRONG = -4.7  # logit of an untrue option: people are wrong now and then
ARTICLES = {"a", "an", "the"}
PART = re.compile(r"\[|\]|\||\{[^}]*\}|~[\w'-]+|\^\d+|,|[^\s\[\]|{},~^]+")


@dataclass(frozen=True)
class Context:
    """The properties of a sentence on which a fragment depends: number, verb form, and whether articles are dropped."""

    many: bool = False
    form: str = "fin"
    bare: bool = False

    def with_form(self, form: str) -> Context:
        """Return the same context with verbs in another form."""
        return Context(self.many, form, self.bare)


Slots = Callable[[str, Context], Node]
EMPTY = Words(())


def words(text: str) -> Words:
    """Return the fixed words of a text in lower case, with "an" as "a" until the text is rendered."""
    tokens = re.findall(r",|[^\s,]+", text.lower())
    return Words(tuple("a" if token == "an" else token for token in tokens))


def choice(*options: tuple[float, str, Node]) -> Node:
    """Return a choice between (logit, tag, node) triples; if there is only one, return its node."""
    if len(options) == 1:
        return options[0][2]
    logits, tags, nodes = zip(*options, strict=True)
    return Choice(nodes, logits, tags)


def maybe(node: Node, logit: float, tag: str = "detail") -> Node:
    """Return a choice between the node and nothing; `logit` is the node's logit; nothing has the logit 0."""
    return choice((0.0, "", EMPTY), (logit, tag, node))


def parse(text: str, context: Context, slots: Slots) -> Node:
    """Return the grammar that a text in the notation describes. Raises ValueError for malformed text."""
    parts = PART.findall(text)
    node, position = _options(parts, 0, context, slots)
    if position != len(parts):
        raise ValueError(f"unbalanced bracket in {text!r}")
    return node


def _options(parts: list[str], position: int, context: Context, slots: Slots) -> tuple[Node, int]:
    right: list[tuple[float, str, Node]] = []
    wrong: list[tuple[float, str, Node]] = []
    while True:
        untrue = position < len(parts) and parts[position].startswith("!")
        if untrue:
            parts[position] = parts[position][1:]
        node, position = _run(parts, position, context, slots)
        if untrue:
            wrong.append((WRONG, "wrong", node))
        elif not _written(node, right):
            rank = len(right) + 1
            if position < len(parts) and parts[position].startswith("^"):
                rank = int(parts[position][1:])
                position += 1
            right.append((-SALIENCE * math.log(rank), "", node))
        if position >= len(parts) or parts[position] == "]":
            break
        position += 1
    return choice(*right, *wrong), position


def _run(parts: list[str], position: int, context: Context, slots: Slots) -> tuple[Node, int]:
    nodes: list[Node] = []
    while position < len(parts) and parts[position][:1] not in ("]", "|", "^"):
        part = parts[position]
        position += 1
        if part == "[":
            node, position = _options(parts, position, context, slots)
            position += 1
            nodes.append(node)
        elif part:
            nodes.append(_single(part, context, slots))
    return joined(nodes), position


def _single(part: str, context: Context, slots: Slots) -> Node:
    if part.startswith("{"):
        name, _, form = part[1:-1].partition(".")
        return slots(name, context.with_form(form or "fin"))
    if part == "~be" and context.form == "ing":
        return EMPTY  # "is parked", "a truck parked outside"
    if part.startswith("~"):
        return words(verb(part[1:], context.form, context.many))
    return EMPTY if context.bare and part.lower() in ARTICLES else words(part)


def joined(nodes: list[Node]) -> Node:
    """Return the nodes as a sequence, with neighbouring words merged."""
    merged: list[Node] = []
    for node in nodes:
        if isinstance(node, Words) and merged and isinstance(merged[-1], Words):
            merged[-1] = Words(merged[-1].tokens + node.tokens)
        else:
            merged.append(node)
    return merged[0] if len(merged) == 1 else Sequence_(tuple(merged)) if merged else EMPTY


def likeliest(text: str) -> str:
    """Return the first option of a list of options, in the notation."""
    depth, first = 0, ""
    for letter in text:
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and depth == 0:
            break
        first += letter
    return first


def _written(node: Node, options: list[tuple[float, str, Node]]) -> bool:
    """Return whether these fixed words are already among the options; "a" and "an" count as the same word."""
    return isinstance(node, Words) and any(isinstance(o, Words) and o.tokens == node.tokens for _, _, o in options)
