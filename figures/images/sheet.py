"""One card of a contact sheet: an image's name and picture, and what each run says about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from figures.style.escaping import esc
from figures.style.numbers import decimals, defined, num


class Said(NamedTuple):
    """A run's name and colour, its captions on one line, and its value on the image (NaN if undefined)."""

    name: str
    colour: str
    text: str
    value: float


def card(title: str, picture: str, said: Sequence[Said]) -> str:
    """Return a card; `picture` is a data URI, or "" if there is none."""
    image = f'<img src="{esc(picture)}" alt="{esc(title)}">' if picture else ""
    digits = min(decimals(one.value for one in said if defined(one.value)), 2)
    rows = "".join(_row(one, digits) for one in said)
    return f'<div class="tl-card">{image}<b dir="auto">{esc(title)}</b>{rows}</div>'


def _row(one: Said, digits: int) -> str:
    value = f"<em>{num(one.value, digits)}</em>" if defined(one.value) else ""
    text = f'<q dir="auto">{esc(one.text)}</q>' if one.text else '<q class="tl-none">nothing</q>'
    return f'<p><i dir="auto" style="color:{esc(one.colour)}">{esc(one.name)}</i>{value}<br>{text}</p>'
