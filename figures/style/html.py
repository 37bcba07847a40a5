"""The parts of a page as HTML of our own classes (`tl-*`): the app shows them and the report holds them.

Callers pass plain text; every text is escaped in here, and captions stay data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from figures.style.escaping import Strong, esc

SHOWN, FEW = 12, 3
"""Captions of a list that are shown; the rest are folded if they are more than a few."""


@dataclass(frozen=True)
class Caption:
    """One caption as a list shows it: verbatim, how often it occurs, short marks behind it, a mark before it."""

    text: str
    count: int = 1
    marks: tuple[str, ...] = ()
    lead: str = ""


def sentence(parts: Iterable[str]) -> str:
    """Escaped parts in a row, the `Strong` ones bold."""
    return "".join(f"<b>{esc(part)}</b>" if isinstance(part, Strong) else esc(part) for part in parts)


def verdict(parts: Iterable[str], kicker: str = "Verdict") -> str:
    """What the data say, behind a bar."""
    return f'<div class="tl-verdict"><span>{esc(kicker)}</span><p>{sentence(parts)}</p></div>'


def figure_title(title: str, sub: str = "", arrow: str = "") -> str:
    """A chart's title, its direction and one line on how to read it."""
    way = f'<i class="tl-dir">{esc(arrow)}</i>' if arrow else ""
    return f'<div class="tl-fig"><b>{esc(title)}</b>{way}<small>{esc(sub)}</small></div>'


def footer(n: str, signatures: Iterable[str] = ()) -> str:
    """How many, of what, by which method; and the signatures of the numbers above."""
    signed = "".join(f"<code>{esc(signature)}</code>" for signature in signatures)
    return f'<div class="tl-foot"><span>{esc(n)}</span><span class="tl-sig">{signed}</span></div>'


def captions(title: str, items: Sequence[Caption], colour: str = "currentColor", title_colour: str = "inherit") -> str:
    """A list of captions behind a bar in the colour of who said them; of many the first and those with a mark.

    The others are there to be unfolded.
    """
    shown, folded = _folded(items)
    rows = "".join(map(_caption, shown)) or '<li class="tl-none">none</li>'
    colours = f"--c:{esc(colour)};--ct:{esc(title_colour)}"
    more = "".join(map(_caption, folded))
    more = f"<details><summary>Show all {len(items):,}</summary><ol>{more}</ol></details>" if folded else ""
    return f'<div class="tl-caps" style="{colours}"><b dir="auto">{esc(title)}</b><ol>{rows}</ol>{more}</div>'


def _folded(items: Sequence[Caption]) -> tuple[list[Caption], list[Caption]]:
    if len(items) <= SHOWN + FEW:
        return list(items), []
    kept = [k < SHOWN or bool(item.marks) for k, item in enumerate(items)]
    return [i for i, keep in zip(items, kept) if keep], [i for i, keep in zip(items, kept) if not keep]


def chips(words: Iterable[tuple[str, int]]) -> str:
    """Words in small frames, each with its number."""
    rows = "".join(f'<li><bdi dir="auto">{esc(word)}</bdi><em>{n:,}</em></li>' for word, n in words)
    return f'<ul class="tl-chips">{rows or "<li>none</li>"}</ul>'


def facts(rows: Iterable[tuple[str, str]], codes: Mapping[str, Sequence[str]] | None = None) -> str:
    """Names and what is true of them, in two columns; `codes` are further rows of short technical texts."""
    said = "".join(f"<dt>{esc(name)}</dt><dd>{esc(value)}</dd>" for name, value in rows)
    for name, texts in (codes or {}).items():
        said += f"<dt>{esc(name)}</dt><dd>{''.join(f'<code>{esc(text)}</code>' for text in texts)}</dd>"
    return f'<dl class="tl-facts">{said}</dl>'


def _caption(item: Caption) -> str:
    times = f'<em title="said {item.count} times">×{item.count}</em>' if item.count > 1 else ""
    marks = "".join(f'<em class="tl-mark">{esc(mark)}</em>' for mark in item.marks)
    text = f'<q dir="auto">{esc(item.text)}</q>' if item.text.strip() else '<q class="tl-none">(empty)</q>'
    lead = f'<i class="tl-lead">{esc(item.lead)}</i>' if item.lead else ""
    return f'<li dir="auto">{lead}{text}{times}{marks}</li>'
