"""All images as an HTML table: a row for each image, with the values and the most frequent caption of each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from figures.images.caption_cells import Said, caption, others, values
from figures.style.escaping import esc
from figures.style.numbers import num
from figures.style.wording import heading
from metrics.base import Metric

_ENDS = {"ascending": "▴", "descending": "▾"}


@dataclass(frozen=True)
class Sort:
    """A heading: its text, and the link that sorts by it.

    `end` is "ascending" or "descending" if rows are sorted by this heading; `about` explains the heading on hover and
    to screen readers.
    """

    text: str
    link: str = ""
    end: str = ""
    about: str = ""


@dataclass(frozen=True)
class RunHead:
    """A run's name and colour, and a heading for each of its metrics."""

    name: str
    colour: str
    sorts: Sequence[Sort] = ()


@dataclass(frozen=True)
class Row:
    """An image: its name, the link that opens it, captions by people, what runs `said`, its small picture and its mark.

    `number` is a value of the image itself, such as the gap between runs; None if there is none.
    """

    name: str
    link: str
    people: Sequence[str]
    said: Sequence[Said]
    picture: str = ""
    mark: str = ""
    number: float | None = None


@dataclass(frozen=True)
class Heads:
    """The headings: of the images, of their numbers (None if there are none), and of each run."""

    image: Sort
    number: Sort | None
    runs: Sequence[RunHead] = field(default_factory=tuple)


def items_table(heads: Heads, rows: Sequence[Row], metrics: Sequence[Metric], label: str) -> str:
    """Return the table; `label` describes it to screen readers. A click on a row opens its image."""
    number = f'<th scope="col" class="num">{_sort(heads.number)}</th>' if heads.number else ""
    of_runs = "".join(_run_head(run) for run in heads.runs)
    body = "".join(_row(row, metrics, heads) for row in rows)
    return (
        f'<div class="tl-items" tabindex="0" role="region" aria-label="{esc(label)}" style="--n:{len(heads.runs)}">'
        f'<table><thead><tr><th scope="col">{_sort(heads.image)}</th>{number}{of_runs}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _run_head(run: RunHead) -> str:
    sorts = "".join(_sort(one) for one in run.sorts)
    name = f'<b dir="auto" style="color:{esc(run.colour)}">{esc(run.name)}</b>'
    return f'<th scope="col">{name}<span class="vs">{sorts}</span></th>'


def _sort(head: Sort) -> str:
    said = f"{esc(head.text)}{f'<i>{_ENDS[head.end]}</i>' if head.end else ''}"
    about = f' title="{esc(head.about)}" aria-label="{esc(head.about)}"' if head.about else ""
    return f'<a class="tl-go" href="{esc(head.link)}"{about}>{said}</a>' if head.link else f"<span>{said}</span>"


def _row(row: Row, metrics: Sequence[Metric], heads: Heads) -> str:
    image = f'<img src="{esc(row.picture)}" alt="" loading="lazy">' if row.picture else ""
    mark = f"<small>{esc(row.mark)}</small>" if row.mark else ""
    people = f"<p>{caption(row.people)}</p>" if row.people else ""
    name = f'<a class="tl-go" href="{esc(row.link)}" dir="auto">{esc(row.name)}</a>'
    number = "" if heads.number is None or row.number is None else _number(heads.number.text, row.number)
    cells = "".join(_cell(one, metrics, of) for one, of in zip(row.said, values(metrics, row.said)))
    return f'<tr class="go"><th scope="row">{image}<div>{name}{mark}{people}</div></th>{number}{cells}</tr>'


def _number(text: str, value: float) -> str:
    return f'<td class="num" data-of="{esc(text)}">{num(value, 2)}</td>'


def _cell(said: Said, metrics: Sequence[Metric], numbers: Sequence[str]) -> str:
    of = "".join(f'<span data-of="{esc(heading(metric))}">{text}</span>' for metric, text in zip(metrics, numbers))
    name, colour = esc(said.name), esc(said.colour)
    shown = f'<span class="vs">{of}{others(said.texts)}</span><p>{caption(said.texts)}</p>'
    return f'<td data-run="{name}" style="--ct:{colour}">{shown}</td>'
