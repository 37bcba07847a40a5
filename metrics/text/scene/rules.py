"""Rules that derive objects, attributes and relations from a dependency tree, as parsed by spaCy's English models.

The tuples are those of SPICE (Anderson et al. 2016, section 3.1): (object), (object, attribute) and (subject, relation,
object). Nouns are objects. Adjectives, numbers and nouns before them, predicative adjectives, and verbs without an
object are attributes. Verbs with an object, prepositions and possessives are relations. Subjects of relative clauses,
participles and coordinated verbs are found along the tree, passives are turned into actives, "a group of people" is
people, and "on top of" is one preposition. Pronouns are not resolved, and negation is ignored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

SceneTuple = tuple[str, ...]
"""One to three words: (object,), (object, attribute) or (subject, relation, object)."""

QUANTITIES = frozenset("group bunch couple pair lot number variety crowd herd flock series row piece slice".split())  # noqa: SIM905
"""Nouns that quantify what follows "of", which is then the object."""
PLACES = frozenset("top front back side middle edge bottom center centre left right end inside outside".split())  # noqa: SIM905
"""Nouns that form a preposition with the words around them: "on top of", "in the middle of"."""
SUBJECTS = ("nsubj", "nsubjpass", "csubj")
_RELATIVE = frozenset(("who", "which", "that"))
_VOWELS = frozenset("aeiouy")


def tuples_of(sentence: Any) -> frozenset[SceneTuple]:
    """Return the tuples of a parsed text, with words in their base forms, in lower case."""
    found: set[SceneTuple] = {(word(token),) for token in sentence if is_object(token)}
    found |= {(word(noun), word(said)) for token in sentence for noun, said in _attributes(token)}
    for token in sentence:
        found |= {(word(a), _printable(relation), word(b)) for a, relation, b in _relations(token)}
    return frozenset(found)


def word(token: Any) -> str:
    """Return the base form of a token, in printable characters."""
    base = _printable(token.lemma_.lower())
    return _with_e(base, token.lower_) if token.pos_ == "VERB" else base


def _printable(text: str) -> str:
    return "".join(c for c in text if c.isprintable()).strip() or "?"


def _with_e(base: str, said: str) -> str:
    """Return the base with the "e" that spaCy dropped: "rid" from "riding", where English would double a final d."""
    if said in (base + "ing", base + "ed") and len(base) > 2:
        short = base[-1] not in "wxy" and base[-1] not in _VOWELS and base[-2] in _VOWELS and base[-3] not in _VOWELS
        if short and not _VOWELS & set(base[:-2]):
            return base + "e"
    return base


def is_object(token: Any) -> bool:
    """Return whether a token is a noun that names a thing, not a quantity, a modifier or part of a preposition."""
    if token.pos_ not in ("NOUN", "PROPN") or token.dep_ in ("compound", "nmod", "npadvmod", "amod"):
        return False
    return not _is_quantity(token) and not _is_place(token)


def _child(token: Any, *relations: str) -> Any:
    return next((child for child in token.children if child.dep_ in relations), None)


def _of(token: Any) -> Any:
    """Return the preposition "of" attached to a token; None if there is none."""
    return next((child for child in token.children if child.dep_ == "prep" and child.lower_ == "of"), None)


def _is_quantity(token: Any) -> bool:
    return token.lemma_.lower() in QUANTITIES and _has_of(token)


def _is_place(token: Any) -> bool:
    return token.lower_ in PLACES and token.dep_ == "pobj" and _has_of(token)


def _has_of(token: Any) -> bool:
    return (of := _of(token)) is not None and _child(of, "pobj") is not None


def _named(token: Any) -> list[Any]:
    """Return the objects that a noun stands for, including those coordinated with it by "and"."""
    found, waiting = [], [token]
    while waiting:
        one = waiting.pop(0)
        waiting += [child for child in one.children if child.dep_ == "conj"]
        if _is_quantity(one):
            waiting.append(_child(_of(one), "pobj"))
        elif is_object(one):
            found.append(one)
    return found


def _joined(token: Any) -> list[Any]:
    found = [token]
    for one in found:
        found += [child for child in one.children if child.dep_ == "conj"]
    return found


def subjects(verb: Any) -> list[Any]:
    """Return the objects that are the subject of a verb, or of the verb or noun that it depends on."""
    while True:
        own = _child(verb, *SUBJECTS)
        if own is not None and not (own.lower_ in _RELATIVE and own.pos_ in ("PRON", "DET")):
            return _named(own)
        if _child(verb, "expl") is not None:
            there = _child(verb, "attr", "dobj")
            return _named(there) if there is not None else []
        if verb.dep_ in ("acl", "relcl"):
            return _named(verb.head)[:1]
        if verb.dep_ not in ("conj", "advcl", "xcomp", "ccomp") or verb.head is verb:
            return []
        verb = verb.head
        if verb.pos_ not in ("VERB", "AUX"):
            return _named(verb)[:1]


def _attributes(token: Any) -> Iterator[tuple[Any, Any]]:
    """Yield objects with their attributes: modifiers, predicative adjectives, and verbs without an object."""
    if token.dep_ in ("amod", "nummod", "compound", "nmod") and token.pos_ != "DET":
        head = token.head
        yield from ((noun, one) for noun in _named(head)[:1] for one in _joined(token) if one.pos_ != "PUNCT")
    elif token.dep_ in ("acomp", "oprd") and _preposition_of(token) is None:
        yield from ((noun, one) for noun in subjects(token.head) for one in _joined(token) if one.pos_ == "ADJ")
    elif token.dep_ == "acl" and token.pos_ == "ADJ":
        yield from ((noun, token) for noun in _named(token.head)[:1])
    elif token.pos_ == "VERB" and _child(token, "dobj", "agent", "acomp", "xcomp", "ccomp") is None:
        yield from ((noun, token) for noun in subjects(token) if token.lemma_ != "be")


def _relations(token: Any) -> Iterator[tuple[Any, str, Any]]:
    """Yield the relations that a token expresses: as a verb, as a preposition, or as an owner."""
    if token.pos_ in ("VERB", "AUX"):
        yield from _of_verb(token)
    if token.dep_ in ("prep", "agent") and (found := _preposition(token)) is not None:
        name, thing = found
        things = _named(thing)
        if token.dep_ == "agent":
            yield from ((a, word(token.head), b) for a in things for b in subjects(token.head))
        else:
            yield from ((a, name, b) for a in _bearers(token.head) for b in things if a is not b)
    if token.dep_ == "poss" and is_object(token) and is_object(token.head):
        yield token, "have", token.head


def _of_verb(verb: Any) -> Iterator[tuple[Any, str, Any]]:
    thing = _child(verb, "dobj")
    particle = _child(verb, "prt")
    name = word(verb) + (f" {particle.lower_}" if particle is not None else "")
    if thing is None and verb.lemma_ == "be" and _child(verb, "expl") is None:
        thing = _child(verb, "attr")
    if thing is not None and _child(verb, "expl") is None:
        yield from ((a, name, b) for a in subjects(verb) for b in _named(thing) if a is not b)


def _preposition_of(token: Any) -> Any:
    return next((child for child in token.children if child.dep_ == "prep" and _child(child, "pobj")), None)


def _preposition(token: Any) -> tuple[str, Any] | None:
    """Return the words and object of a preposition, "on" or "on top of".

    None if it has no object, is part of another preposition, or is the "of" after a quantity or a place.
    """
    inner = next((child for child in token.children if child.dep_ in ("prep", "pobj")), None)
    name = token.lower_
    while inner is not None:
        if inner.dep_ == "prep":
            name, inner = f"{name} {inner.lower_}", _child(inner, "pobj", "prep")
        elif _is_place(inner):
            name, inner = f"{name} {inner.lower_} of", _child(_of(inner), "pobj")
        elif token.lower_ == "of" and (_is_quantity(token.head) or _is_place(token.head)):
            return None
        else:
            before = token.head
            if before.dep_ in ("advmod", "acomp", "amod") and before.pos_ in ("ADV", "ADJ", "SCONJ"):
                name = f"{before.lower_} {name}"
            return (name, inner) if token.head.dep_ != "prep" else None
    return None


def _bearers(head: Any) -> list[Any]:
    """Return the objects that a preposition attached to this token refers to."""
    while head.dep_ in ("advmod", "acomp", "amod") and head.pos_ in ("ADV", "ADJ", "SCONJ") and head.head is not head:
        head = head.head
    if head.pos_ in ("VERB", "AUX"):
        return subjects(head)
    if _is_quantity(head):
        return _named(_child(_of(head), "pobj"))
    return [head] if is_object(head) else []
