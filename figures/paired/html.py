"""One item of a paired comparison as HTML: its numbers, and the captions of both runs word by word.

All text is escaped here. Words have two marks: a dotted underline if no caption by people has the word, tint and bold
if the other run never uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from data.study import Run, Study
from figures.paired.forest import digits
from figures.style.escaping import esc
from figures.style.html import folded
from figures.style.numbers import count, defined, num, percent
from figures.style.palette import Mode, ModelStyle, pair_colours
from figures.style.wording import heading
from metrics.analysis.paired import Comparison
from metrics.text.word_marks import Mark, MarkedCaption, marked_captions, unmatched_share

SHOWN = 2
"""Maximum number of captions of a side that are visible at first; the others are folded."""
LONG = 100
"""Maximum number of characters of several visible captions in all; if they have more, only the first is visible."""
MARKED = 200
"""Maximum number of captions of a side whose words are compared: an item may have thousands of captions."""
TAGS = ("A", "B")


@dataclass(frozen=True)
class Numbers:
    """A metric on one item: the values of both runs, and which is better (0, 1; None if neither)."""

    label: str
    values: tuple[str, str]
    better: int | None = None


@dataclass(frozen=True)
class Side:
    """One run's captions of an item, and the share of their words that people do not use.

    `left_out` is the number of captions whose words are not compared.
    """

    tag: str
    name: str
    captions: Sequence[MarkedCaption]
    unmatched: float
    left_out: int = 0


@dataclass(frozen=True)
class Card:
    """An item: its numbers and both sides."""

    numbers: Sequence[Numbers]
    sides: tuple[Side, Side]


def card(
    study: Study,
    place: int,
    runs: tuple[Run, Run],
    names: tuple[str, str],
    shown: Sequence[Comparison],
) -> Card:
    """Return the captions of two runs for an item, and the item's values in these comparisons."""
    item = study.items[place]
    texts = [run.candidates.get(item.id, ()) for run in runs]
    sides = [
        Side(
            tag,
            name,
            marked_captions(mine[:MARKED], item.references, other[:MARKED]),
            unmatched_share(mine[:MARKED], item.references),
            len(mine[MARKED:]),
        )
        for tag, name, mine, other in zip(TAGS, names, texts, texts[::-1])
    ]
    return Card([_numbers(c, place) for c in shown if not c.reason], (sides[0], sides[1]))


def _numbers(c: Comparison, place: int) -> Numbers:
    a, b = (num(float(side[place]), digits(c)) for side in c.sides)
    won = c.sides_won[place] if c.has_better_side else 0
    return Numbers(heading(c.metric), (a, b), None if not won else 0 if won > 0 else 1)


def card_html(card: Card, styles: tuple[ModelStyle, ModelStyle], mode: Mode) -> str:
    """Return the numbers and the captions of one item."""
    rows = "".join(_row(numbers) for numbers in card.numbers)
    numbers = f'<div class="tl-nums"><span></span><span>A</span><span>B</span>{rows}</div>' if rows else ""
    sides = "".join(_side(side, colours) for side, colours in zip(card.sides, pair_colours(styles, mode)))
    return f'<div class="tl-card">{numbers}{sides}</div>'


def _row(numbers: Numbers) -> str:
    cells = [
        f"<b>{value}</b>" if numbers.better == k else f"<span>{value}</span>" for k, value in enumerate(numbers.values)
    ]
    return f"<span>{esc(numbers.label)}</span>{''.join(cells)}"


def _side(side: Side, colours: tuple[str, str]) -> str:
    different = len(side.captions)
    how = "1 caption" if different == 1 else f"{different:,} different"
    share = f", {percent(side.unmatched)} unmatched" if side.unmatched > 0 else ", all matched"
    about = f"{how}{share if defined(side.unmatched) else ''}"
    head = f'<div class="who" dir="auto"><b>{side.tag} &nbsp;{esc(side.name)}</b> <span>· {about}</span></div>'
    first = side.captions[:SHOWN]
    first = first if sum(len(mark.text) for one in first for mark in one.parts) <= LONG else first[:1]
    shown = "".join(map(_caption, first)) or '<p class="tl-none">no caption</p>'
    rest = side.captions[len(first) :]
    notes = f"<p>and {count(side.left_out, 'other caption')}</p>" if side.left_out else ""
    more = "".join(map(_caption, rest)) + notes
    opened = folded(f"{len(rest):,} more", f"<div>{more}</div>") if rest else notes
    mark, text = colours
    dashed = " b" if side.tag == TAGS[1] else ""
    return f'<div class="tl-side{dashed}" style="--c:{mark};--ct:{text}">{head}{shown}{opened}</div>'


def _caption(one: MarkedCaption) -> str:
    text = "".join(_word(mark) for mark in one.parts)
    times = f"<em>× {one.times:,}</em>" if one.times > 1 else ""
    return f'<p dir="auto">{text.strip() or "<em>(empty)</em>"}{times}</p>'


def _word(mark: Mark) -> str:
    kinds = ["w2"] * (mark.matched is False) + ["wo"] * mark.own
    if not kinds:
        return esc(mark.text)
    word = mark.text.strip()
    before, after = mark.text.split(word, 1) if word else (mark.text, "")
    return f'{esc(before)}<span class="{" ".join(kinds)}">{esc(word)}</span>{esc(after)}'


def legend(styles: tuple[ModelStyle, ModelStyle], mode: Mode, people: bool = True) -> str:
    """Return the meaning of the marks on words; if there are no captions by `people`, only of those that tell runs
    apart.
    """
    (a, _), (b, _) = pair_colours(styles, mode)
    by_people = '<span><span class="w2">word</span><small>unmatched: in no caption by people</small></span>'
    return (
        f'<div class="tl-words">{by_people if people else ""}'
        f'<span style="--c:{a}"><span class="wo">word</span><small>only A says it</small></span>'
        f'<span style="--c:{b}"><span class="wo">word</span><small>only B says it</small></span></div>'
    )
