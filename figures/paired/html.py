"""One item of a paired comparison as HTML: its numbers, and both runs' captions with the words marked that only one
has.

Every text is escaped in here. Marked words are underlined, solid for the first run and dotted for the second, so that
colour is not needed to see them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from data.study import Run, Study
from figures.paired.words import item_words
from figures.style.escaping import esc
from figures.style.palette import Mode, ModelStyle, tone
from metrics.analysis.paired import Comparison
from metrics.text.word_diff import Piece, best_matches, differing

PAIRS = 2
COMPARED = 40
"""Different captions of a side that are matched with the other's: an item may have thousands."""
_CLASSES = ("tl-ins", "tl-del")
TAGS = ("A", "B")


@dataclass(frozen=True)
class Card:
    """An item: its title, what is said of its numbers, a reference, pairs of captions, how many are said by both."""

    title: str
    numbers: Sequence[str]
    reference: str
    pairs: Sequence[tuple[str, str]]
    shared: int = 0
    note: str = ""


def card(study: Study, place: int, a: Run, b: Run, comparisons: Sequence[Comparison], title: str) -> Card:
    """What two runs say of an item, as far as they say different things, and its values in these comparisons."""
    item = study.items[place]
    said = [list(dict.fromkeys(run.candidates.get(item.id, ()))) for run in (a, b)]
    both = [text for text in said[0] if text in set(said[1])]
    own = [[text for text in side if text not in set(both)] for side in said]
    cut = [side[:COMPARED] for side in own]
    found = best_matches(cut[0], cut[1], PAIRS)
    found = [match for match in found if match is found[0] or match.common > 0]
    pairs = [(cut[0][m.first], cut[1][m.second]) for m in found] or [(text, text) for text in both[:1]]
    numbers = [item_words(c, place) for c in comparisons if not c.reason]
    note = f"nearest of the first {COMPARED} captions of each" if cut != own else ""
    return Card(title, numbers, "".join(item.references[:1]), pairs, len(both), note)


def card_html(card: Card, styles: tuple[ModelStyle, ModelStyle], mode: Mode) -> str:
    """The markup of one item."""
    numbers = "".join(f"<span>{esc(words)}</span>" for words in card.numbers)
    said = f'<p><i>ref</i><q dir="auto">{esc(card.reference)}</q></p>' if card.reference else ""
    said += "".join(_pair(pair, styles, mode) for pair in card.pairs)
    notes = [f"{card.shared} said by both alike" if card.shared else "", card.note]
    below = f"<small>{esc('; '.join(filter(None, notes)))}</small>" if any(notes) else ""
    return f'<div class="tl-pair"><b dir="auto">{esc(card.title)}</b><div>{numbers}</div>{said}{below}</div>'


def _pair(pair: tuple[str, str], styles: tuple[ModelStyle, ModelStyle], mode: Mode) -> str:
    rows = zip(TAGS, _CLASSES, differing(*pair), side_colours(styles, mode))
    return "".join(
        f'<p style="--c:{colour}"><i>{tag}</i><q dir="auto">{marked(pieces, name)}</q></p>'
        for tag, name, pieces, colour in rows
    )


def marked(pieces: Sequence[Piece], name: str) -> str:
    """A caption with its own words in `<mark class=name>`; an empty one says so."""
    if not any(piece.text.strip() for piece in pieces):
        return "<em>(empty)</em>"
    return "".join(f'<mark class="{name}">{esc(p.text)}</mark>' if p.own else esc(p.text) for p in pieces)


def side_colours(styles: tuple[ModelStyle, ModelStyle], mode: Mode) -> tuple[str, str]:
    """Colours of the two tags; ink for both where one model made both runs, since colour would tell nothing."""
    if styles[0] == styles[1]:
        return tone("ink", mode), tone("ink", mode)
    return styles[0].text(mode), styles[1].text(mode)
