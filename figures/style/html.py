"""HTML parts of a page with the app's own classes (`tl-*`), for the app and for the report.

Callers pass plain text; all text is escaped here, so captions are never markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import pairwise
from typing import Literal

from figures.style.escaping import Strong, esc
from figures.style.numbers import COMPUTING


class Markup(str):
    """The app's own HTML, with its data already escaped."""


class Mark(Markup):
    """A mark with its meaning in words, which can be understood without the mark."""


SHOWN, FEW = 12, 3
"""Number of captions in a list that are always visible, and maximum number of others that are not folded."""
SENTENCES, WORDS = 2, 35
"""Maximum numbers of sentences and of words of a verdict that are visible before it is opened."""
HOW = "How this is computed"
FEWER = "Show fewer"
_TAG = re.compile(r'^<i class="tl-mk [a-z]+"></i>')
_END = re.compile(r"(?<=[.!?])\s+")
HYPHENATED = re.compile(r"\w{1,12}(?:-\w{1,12}){1,3}")
_KEPT = re.compile(HYPHENATED.pattern + r"|\bp [=≤≥] \d[\d.×⁻⁰¹²³⁴⁵⁶⁷⁸⁹]*|(?:(?:[=≤≥]|&[lg]t;) )?\d[\d.,]* %")
UNBROKEN = '<span class="tl-unbroken">'
"""The tag of words that stay on one line; a name in HTML may contain it (see `name_pattern`)."""


@dataclass(frozen=True)
class Caption:
    """A caption in a list: its text, its number of occurrences, short marks after it, a mark before it, its values.

    Spaces at its ends are not shown, because they would look like indentation.
    """

    text: str
    count: int = 1
    marks: tuple[str, ...] = ()
    lead: str = ""
    values: str = ""


def card_head(title: str, link: str, why: str = "") -> str:
    """Return the title of an item as a link to it, for the space beside its picture, and why the item is shown."""
    reason = f"<small>{esc(why)}</small>" if why else ""
    return f'<div class="tl-top">{reason}<b dir="auto"><a class="tl-go" href="{esc(link)}">{esc(title)}</a></b></div>'


def alike(texts: Iterable[str]) -> list[list[str]]:
    """Return the texts in groups that are equal except for spaces at their ends, the largest group first."""
    groups: dict[str, list[str]] = {}
    for text in texts:
        groups.setdefault(text.strip(), []).append(text)
    return sorted(groups.values(), key=len, reverse=True)


def sentence(parts: Iterable[str]) -> str:
    """Return the parts escaped and joined, with `Strong` ones in bold."""
    return "".join(f"<b>{esc(part)}</b>" if isinstance(part, Strong) else esc(part) for part in parts)


def _unbroken(markup: str) -> str:
    """The markup with "CIDEr-D", "p = 0.006" or "95 %" kept on one line; text copied from it is unchanged."""
    return _KEPT.sub(rf"{UNBROKEN}\g<0></span>", markup)


def split_verdict(parts: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the visible part of a verdict, which has whole sentences and a limited total length, and the rest.

    A first sentence that exceeds the limit is visible as a whole.
    """
    said = _sentences(parts)
    shown = 1
    while shown < min(len(said), SENTENCES) and _words(said[: shown + 1]) <= WORDS:
        shown += 1
    return _joined(said[:shown]), _joined(said[shown:])


def _sentences(parts: Iterable[str]) -> list[list[str]]:
    whole, said = "", list(parts)
    ends: list[int] = []
    for part in said:
        begin, whole = len(whole), whole + part
        if not isinstance(part, Strong):
            ends += [match.end() for match in _END.finditer(whole) if match.end() > begin]
    return [found for one, two in pairwise([0, *dict.fromkeys(ends), len(whole)]) if (found := _cut(said, one, two))]


def _cut(parts: Sequence[str], begin: int, end: int) -> list[str]:
    found, at = [], 0
    for part in parts:
        piece = part[max(begin - at, 0) : max(end - at, 0)]
        if piece:
            found.append(Strong(piece) if isinstance(part, Strong) else piece)
        at += len(part)
    return found if "".join(found).strip() else []


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; an empty text is one empty sentence."""
    return _END.split(text)


def _joined(sentences: Sequence[Sequence[str]]) -> list[str]:
    return [part for said in sentences for part in said]


def _words(sentences: Sequence[Sequence[str]]) -> int:
    """The number of words; the T of a temperature in a name does not count."""
    return len(" ".join("".join(said) for said in sentences).replace("\u00a0T\u00a0", "\u00a0").split())


def verdict(parts: Iterable[str], kicker: str = "Verdict") -> str:
    """Return a verdict behind a vertical bar, fully visible, for print."""
    return f'<div class="tl-verdict"><span>{esc(kicker)}</span><p>{_unbroken(sentence(parts))}</p></div>'


def folding_verdict(parts: Iterable[str], more: Iterable[str] = (), kicker: str = "") -> str:
    """Return a verdict of which the first part of `split_verdict` is visible; the rest and `more` are folded."""
    shown, rest = split_verdict(parts)
    rest = [*rest, " ", *more]
    small = f"<span>{esc(kicker)}</span>" if kicker else ""
    opens = f"<details><summary>More</summary><div>{sentence(rest)}</div></details>" if "".join(rest).strip() else ""
    return f'<div class="tl-verdict">{small}<p>{_unbroken(sentence(shown))}</p> {opens}</div>'


def answer(parts: Iterable[str]) -> str:
    """Return the visible part of a verdict without a frame, for a list of findings."""
    return _unbroken(sentence(split_verdict(parts)[0]))


def note(parts: Iterable[str]) -> str:
    """Return a message that is not a finding, for example that a linked run does not exist."""
    return f'<div class="tl-note">{unbroken(sentence(parts))}</div>'


def figure_title(title: str, sub: str = "", arrow: str = "") -> str:
    """Return a chart's title, which direction is better, and one line on how to read it."""
    way = f'<i class="tl-dir">{esc(arrow)}</i>' if arrow else ""
    return f'<div class="tl-fig"><b>{unbroken(esc(title))}</b>{way}<small>{unbroken(esc(sub))}</small></div>'


def footer(n: str, signatures: Iterable[str] = ()) -> str:
    """Return a footer: the text `n`, such as the sample size and the method, and the signatures of the numbers."""
    signed = "".join(f"<code>{esc(signature)}</code>" for signature in signatures)
    return f'<div class="tl-foot"><span>{esc(n)}</span><span class="tl-sig">{signed}</span></div>'


def figure_footer(facts: Iterable[str], how: Iterable[str] = (), signatures: Iterable[str] = ()) -> str:
    """Return the line below a figure: facts such as n and the meaning of marks, and, folded, how it was computed.

    A fact given as `Markup` is not escaped again.
    """
    line = "".join(f"<span>{fact if isinstance(fact, Markup) else unbroken(esc(fact))}</span>" for fact in facts)
    rules = "".join(f"<p>{esc(rule)}</p>" for rule in how)
    signed = "".join(f"<code>{esc(signature)}</code>" for signature in signatures)
    inside = f'<div class="tl-rules">{rules}{signed}</div>'
    opens = f'<details class="tl-how"><summary>{HOW}</summary>{inside}</details>' if rules or signed else ""
    return f'<div class="tl-foot">{line}{opens}</div>'


def key(kind: str, said: str) -> Markup:
    """Return a mark of a figure with its meaning, for the line below it; saved pictures print only the words.

    `kind` is hollow, dark or ring.
    """
    return Mark(f'<i class="tl-mk {kind}"></i>{esc(said)}')


def printed(fact: str) -> str:
    """Return a fact as saved pictures print it: "" for markup that only a page can show."""
    if isinstance(fact, Mark):
        return unescape(_TAG.sub("", fact))
    return "" if isinstance(fact, Markup) else fact


ROW, OFFSETS = 44, ((30, 34), (22, 22), (48, 26), (16, 38), (60, 20))
"""Height in px of a row of a skeleton, and the left ends and widths of its bars in percent."""
Shape = Literal["rows", "points", "lines", "cells", "half"]
"""The shape of a figure that is being computed: rows with a bar each, points or lines in a plane, or a grid."""
_POINTS = 24
_CURVES = ((16, 70), (42, 60), (82, 34))
"""The heights of the two ends of each line, in percent."""


def pending(names: Iterable[str], height: int | None = None, shape: Shape = "rows") -> str:
    """Return the skeleton of a figure in its `shape`: a moving bar per named row, or shapes that fill its height."""
    rows = [f"<div><span>{esc(name)}</span>{waiting(150)}</div>" for name in names]
    count = 1 if height is None else max(1, round(height / ROW))
    tall = f' style="min-height:{height}px"' if height else ""
    said = "" if rows else f'<span class="tl-said">{COMPUTING}</span>'
    drawn = rows or _SKELETONS[shape](count)
    return f'<div class="tl-pending {shape}"{tall} role="status">{"".join(drawn)}{said}</div>'


def _bars(count: int) -> list[str]:
    ends = (OFFSETS[k % len(OFFSETS)] for k in range(count))
    name = '<i class="tl-name"></i>'
    return [f'<div>{name}<i class="tl-wait" style="margin-left:{a}%;width:{b}%"></i></div>' for a, b in ends]


def _points(count: int) -> list[str]:
    at = ((37 * k % 97 + 1, (61 * k + 23) % 89 + 4) for k in range(1, _POINTS + 1))
    return [f'<i class="tl-wait" style="left:{x}%;top:{y}%"></i>' for x, y in at]


def _lines(count: int) -> list[str]:
    return [f'<i class="tl-wait" style="clip-path:polygon({_corners(path)})"></i>' for path in _CURVES]


def _corners(ends: tuple[int, int]) -> str:
    first, last = ends
    return f"0 {first}%,100% {last}%,100% {last + 2}%,0 {first + 2}%"


def _cells(count: int) -> list[str]:
    return ['<i class="tl-wait"></i>'] * (6 * count)


def _half(count: int) -> list[str]:
    return [f'<i class="tl-wait" style="grid-area:{i}/{j}"></i>' for i in range(1, count + 1) for j in range(1, i + 1)]


_SKELETONS: dict[Shape, Callable[[int], list[str]]] = {
    "rows": _bars,
    "points": _points,
    "lines": _lines,
    "cells": _cells,
    "half": _half,
}


def waiting(width: int = 30) -> str:
    """Return the mark shown in place of a number while it is computed; a dash or a zero would be a result."""
    return (
        f'<i class="tl-wait" style="width:{width}px" title="{COMPUTING}"></i><span class="tl-said">{COMPUTING}</span>'
    )


def unbroken(html: str) -> str:
    """Return escaped text whose hyphenated names, such as MS-Jaccard-4, stay on one line."""
    return HYPHENATED.sub(rf"{UNBROKEN}\g<0></span>", html)


def name_pattern(name: str) -> str:
    """Return a pattern that finds an escaped name in HTML, with or without the tags that `unbroken` puts around it."""
    found = re.escape(name)
    for word in dict.fromkeys(HYPHENATED.findall(name)):
        plain = re.escape(word)
        found = found.replace(plain, f"(?:{re.escape(UNBROKEN)}{plain}</span>|{plain})")
    return found


def folded(closed: str, inside: str) -> str:
    """Return content that opens on a click on a line such as "7 more"; once open, the line says how to close it."""
    line = f'<summary><span>{esc(closed)}</span><span class="tl-fewer">{FEWER}</span></summary>'
    return f'<details class="tl-fold">{line}{inside}</details>'


def folded_captions(title: str, items: Sequence[Caption]) -> str:
    """Return a list of captions that opens on a click on its title."""
    rows = "".join(map(_caption, items)) or '<li class="tl-none">none</li>'
    return f'<div class="tl-caps"><details><summary>{esc(title)}</summary><ol>{rows}</ol></details></div>'


def captions(
    title: str,
    items: Sequence[Caption],
    colour: str = "currentColor",
    title_colour: str = "inherit",
    most: int = SHOWN,
    sub: str = "",
    mark: str = "",
) -> str:
    """Return a list of captions behind a bar in their author's colour.

    Of a list that is longer than `most` by more than a few, only the first `most` and the marked ones are visible. The
    title is followed by `mark`, which is HTML, and by `sub`, such as the meaning of the captions' values.
    """
    shown, others = _divided(items, most)
    rows = "".join(map(_caption, shown)) or '<li class="tl-none">none</li>'
    colours = f"--c:{esc(colour)};--ct:{esc(title_colour)}"
    more = "".join(map(_caption, others))
    more = folded(f"Show all {len(items):,}", f"<ol>{more}</ol>") if others else ""
    said = f'<b dir="auto">{unbroken(esc(title))}</b>{mark}{f"<small>{esc(sub)}</small>" if sub else ""}'
    return f'<div class="tl-caps" style="{colours}">{said}<ol>{rows}</ol>{more}</div>'


def _divided(items: Sequence[Caption], most: int) -> tuple[list[Caption], list[Caption]]:
    if len(items) <= most + (FEW if most == SHOWN else 1):
        return list(items), []
    kept = [k < most or bool(item.marks) for k, item in enumerate(items)]
    return [i for i, keep in zip(items, kept) if keep], [i for i, keep in zip(items, kept) if not keep]


def chips(words: Iterable[tuple[str, int]]) -> str:
    """Return words in small frames, each with its number."""
    rows = "".join(f'<li><bdi dir="auto">{esc(word)}</bdi><em>{n:,}</em></li>' for word, n in words)
    return f'<ul class="tl-chips">{rows or "<li>none</li>"}</ul>'


def row_list(rows: Iterable[tuple[str, Sequence[tuple[str, str]]]]) -> str:
    """Return a table for a screen too narrow for its columns: the name of each row, and below it its named values."""
    said = "".join(
        f'<dt dir="auto">{esc(name)}</dt><dd>'
        + "".join(f"<span><small>{esc(title)}</small> {esc(value)}</span>" for title, value in cells)
        + "</dd>"
        for name, cells in rows
    )
    return f'<dl class="tl-rowlist">{said}</dl>'


def facts(rows: Iterable[tuple[str, str]], codes: Mapping[str, Sequence[str]] | None = None) -> str:
    """Return names and values in two columns, as HTML without backticks; `codes` adds rows of short technical texts."""
    said = "".join(f"<dt>{esc(name)}</dt><dd>{esc(value.replace('`', ''))}</dd>" for name, value in rows)
    for name, texts in (codes or {}).items():
        said += f"<dt>{esc(name)}</dt><dd>{''.join(f'<code>{esc(text)}</code>' for text in texts)}</dd>"
    return f'<dl class="tl-facts">{said}</dl>'


def _caption(item: Caption) -> str:
    times = f'<em title="said {item.count} times">×{item.count}</em>' if item.count > 1 else ""
    marks = "".join(f'<em class="tl-mark">{esc(mark)}</em>' for mark in item.marks)
    text = f'<q dir="auto">{esc(item.text.strip())}</q>' if item.text.strip() else '<q class="tl-none">(empty)</q>'
    lead = f'<i class="tl-lead">{esc(item.lead)}</i>' if item.lead else ""
    values = f"<small>{esc(item.values)}</small>" if item.values else ""
    return f'<li dir="auto">{lead}{text}{times}{values}{marks}</li>'
