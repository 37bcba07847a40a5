"""One card of a contact sheet: an image's name and picture, and what people and each run say about it."""

from __future__ import annotations

from collections.abc import Sequence

from figures.images.caption_cells import Said, caption, others, values
from figures.style.escaping import esc
from metrics.base import Metric


def card(
    title: str, link: str, picture: str, people: Sequence[str], said: Sequence[Said], metric: Metric | None
) -> str:
    """Return a card whose picture and title open the image at `link`; `picture` is a data URI, or "" without one.

    Only a card without a picture shows people's caption, above those of the runs, since nothing else shows the image:
    if it names the image, whole and in the place of the title.
    """
    begin = title.removesuffix("…")
    whole = next((text.strip() for text in people if not picture and text.strip().startswith(begin)), "")
    name = _name(whole or title, link, picture)
    shown = people and not (picture or whole)
    by_people = f"<p><i>People</i><br>{caption(people)}{others(people)}</p>" if shown else ""
    numbers = values([metric] if metric else [], said)
    rows = "".join(_row(one, "".join(of)) for one, of in zip(said, numbers))
    return f'<div class="tl-card">{name}{by_people}{rows}</div>'


def small(title: str, link: str, picture: str) -> str:
    """Return an image's small picture and its title, which open the image."""
    return f'<div class="tl-card tl-small">{_name(title, link, picture)}</div>'


def _name(title: str, link: str, picture: str) -> str:
    image = f'<img src="{esc(picture)}" alt="">' if picture else ""
    return f'<a class="tl-go" href="{esc(link)}">{image}<b dir="auto">{esc(title)}</b></a>'


def _row(one: Said, number: str) -> str:
    name = f'<i dir="auto" style="color:{esc(one.colour)}">{esc(one.name)}</i>'
    value = f"<em>{number}</em>" if number else ""
    return f"<p>{name}{value}<br>{caption(one.texts)}{others(one.texts)}</p>"
