"""Captions that contain a word or phrase, with its positions in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from data.study import Run, Study
from metrics.analysis.words.terms import shared_items
from metrics.text.split_words import is_word, tokens
from metrics.text.word_marks import words


class Part(NamedTuple):
    """A part of a caption, verbatim, and whether it belongs to the term."""

    text: str
    marked: bool


class Example(NamedTuple):
    """An item by its position, and the numbers of the run's captions and of people's that contain the term."""

    place: int
    run: int
    people: int


def holds(caption: str, term: str) -> bool:
    """Return whether a caption contains the word or phrase, ignoring case."""
    return any(part.marked for part in parts(caption, term))


def parts(caption: str, term: str) -> list[Part]:
    """Return the parts of a caption, whose concatenation is the caption; parts that belong to the term are marked."""
    pieces, wanted = tokens(caption), term.split(" ")
    places = [k for k, piece in enumerate(pieces) if is_word(piece)]
    said = [pieces[k].casefold() for k in places]
    inside = [False] * len(pieces)
    for at in range(len(said) - len(wanted) + 1):
        if said[at : at + len(wanted)] == wanted:
            first, last = places[at], places[at + len(wanted) - 1]
            inside[first : last + 1] = [True] * (last + 1 - first)
    found: list[Part] = []
    for piece, marked in zip(pieces, inside):
        if found and found[-1].marked == marked:
            found[-1] = Part(found[-1].text + piece, marked)
        else:
            found.append(Part(piece, marked))
    return found


def examples(study: Study, run: Run, term: str, over: bool, most: int = 3) -> list[Example]:
    """Return up to `most` items on which the run's use of a term exceeds people's most or, unless `over`, the reverse.

    Use is the share of the captions of a side that contain the term.
    """
    found = []
    for place in shared_items(study, run):
        item = study.items[place]
        ours, theirs = (_holding(texts, term) for texts in (run.candidates[item.id], item.references))
        if ours or theirs:
            gap = ours / len(run.candidates[item.id]) - theirs / len(item.references)
            found.append((-gap if over else gap, place, ours, theirs))
    return [Example(*row) for _, *row in sorted(found)[:most]]


def _holding(texts: Sequence[str], term: str) -> int:
    """Number of captions that contain the term; captions that lack one of its words are not split."""
    first = term.split(" ")
    near = (text for text in texts if all(word in text.casefold() for word in first))
    return sum(f" {term} " in f" {' '.join(words(text))} " for text in near)
