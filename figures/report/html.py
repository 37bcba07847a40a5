"""A report as one HTML file that has the contents of the pages and needs no network."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pandas as pd
from plotly.offline import get_plotlyjs

from data.files import safe_csv
from figures.images.pictures import Picture
from figures.report import charts
from figures.style import html as style_html
from figures.style.escaping import esc, file_stem, whole
from figures.style.fonts import font_css
from figures.style.numbers import DASH, num, p_text
from figures.style.palette import tone
from figures.style.run_names import with_short_names

ROOT = Path(__file__).resolve().parents[2]
_P = re.compile(r"(Corrected )?p\b")
COLOURS = (("paper", "paper"), ("ink", "ink"), ("edge", "line"))
ROWS = 200
"""Maximum number of rows of a table that are shown; its download has all."""
FEW = 2
"""In a report of up to this many pages, all are open."""
OPEN_ALL = "Open all pages"
CSS = Path(__file__).with_name("report.css")
MONO, SERIF = "IBM Plex Mono", "Source Serif 4"


class Care(str):
    """A sentence of a verdict about a fault of a run, which the front page states in its own words."""


@dataclass(frozen=True)
class Section:
    """One page of the report: a title, the question it answers, its verdict, and blocks of HTML with data escaped.

    `verdict` contains the parts of its sentences, `Strong` ones in bold; `more` contains sentences folded below the
    verdict; `commands` print the same numbers.
    """

    title: str
    question: str
    verdict: tuple[str, ...]
    blocks: tuple[str, ...]
    commands: tuple[str, ...] = ()
    more: tuple[str, ...] = ()

    @property
    def anchor(self) -> str:
        """The anchor of the page in the file."""
        return re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")


@dataclass(frozen=True)
class LeftOut:
    """Why a page is not in the report, as a clause such as "no model has two temperatures"."""

    why: str


Page = Section | LeftOut


def grid(blocks: Iterable[str], least: int = 0) -> str:
    """Return blocks side by side where there is room for two, or for blocks that are `least` px wide."""
    style = f' style="--least:{least}px"' if least else ""
    return f'<div class="tl-two"{style}>{"".join(blocks)}</div>'


def together(*blocks: str) -> str:
    """Return blocks that stay on one sheet in print, such as a title and the charts below it."""
    return f'<div class="tl-whole">{"".join(blocks)}</div>'


def table(
    frame: pd.DataFrame, name: str, title: str, names: Mapping[str, str], whole_frame: pd.DataFrame | None = None
) -> str:
    """Return the first ROWS rows, with numbers rounded as on screen, and an embedded CSV file of all at full precision.

    Runs have short `names` in the table and full names in the file, which has the columns of any `whole_frame`.
    """
    shown = with_short_names(frame.head(ROWS), names)
    numeric = [pd.api.types.is_numeric_dtype(shown[column]) for column in shown.columns]
    head = "".join(f'<th scope="col"{_right(n)}>{esc(str(c))}</th>' for c, n in zip(shown.columns, numeric))
    cells = [[_cell(str(column), value) for value in shown[column]] for column in shown.columns]
    rows = "".join(
        f"<tr>{''.join(f'<td{_right(n)}>{esc(text)}</td>' for text, n in zip(row, numeric))}</tr>"
        for row in zip(*cells)
    )
    data = base64.b64encode(safe_csv.to_csv(frame if whole_frame is None else whole_frame)).decode()
    more = f" ({len(frame):,} rows, {ROWS} shown)" if len(frame) > ROWS else ""
    link = f'<a class="tl-take" download="{file_stem(name)}.csv" href="data:text/csv;base64,{data}">CSV{more}</a>'
    return (
        f"<details><summary>{esc(title)}</summary>"
        f'<div class="tl-wide" tabindex="0" role="region" aria-label="{esc(title)}"><table class="tl-data">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>{link}</details>"
    )


def picture(shown: Picture, alt: str) -> str:
    """Return an embedded picture."""
    data = base64.b64encode(shown.content).decode()
    return f'<img class="tl-picture" src="data:image/{shown.kind};base64,{data}" alt="{esc(alt)}">'


def code(text: str) -> str:
    """Return commands or BibTeX, verbatim."""
    return f"<pre>{esc(text)}</pre>"


def footer(text: str, signatures: Sequence[str], facts: Sequence[str] = ()) -> str:
    """Return the first sentence of a footer with `facts`; other sentences and the signatures are folded."""
    first, *rules = style_html.sentences(text)
    return style_html.figure_footer([first, *facts], [" ".join(rules)] if rules else [], signatures)


def heading(text: str, hover: str = "") -> str:
    """Return a heading within a section, with `hover` as its hover text."""
    return f'<h3 dir="auto" title="{esc(hover)}">{esc(text)}</h3>' if hover else f"<h3>{esc(text)}</h3>"


@dataclass(frozen=True)
class Front:
    """The front of a report: the study's name, the headline, lines about the study, and its findings as HTML."""

    title: str
    headline: str
    lines: tuple[str, ...]
    findings: str = ""


def document(front: Front, sections: Sequence[Section]) -> str:
    """Return a report's file: front, contents and sections; if there are more than FEW, only the first is open."""
    folded = len(sections) > FEW
    body = "".join(
        section_html(section, not _said_above(front, section), folded and k > 0) for k, section in enumerate(sections)
    )
    if folded:
        body = f'<button class="tl-all" type="button">{OPEN_ALL}</button>{body}'
    opening = f"{_opening(front, sections)}{_contents(sections)}"
    plotly = f"<script>{get_plotlyjs()}</script>" if (drawn := charts.drawing(body)) else ""
    text = opening + body
    fonts = font_css(text) + font_css(f"<code>{text}", family=MONO) + font_css(text, family=SERIF)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{esc(front.title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<style>{fonts}{own_css()}{_colours()}{CSS.read_text(encoding='utf-8')}</style>{plotly}</head>"
        f"<body><main>{opening}<div>{body}</div></main>{drawn}</body></html>\n"
    )


def _opening(front: Front, sections: Sequence[Section]) -> str:
    kicker = f'<p class="tl-name">{esc(front.title)}</p>' if front.title != front.headline else ""
    said = "".join(f'<div class="tl-head">{esc(line)}</div>' for line in front.lines)
    answers = "".join(
        f'<li><a href="#{section.anchor}">{esc(section.title)}</a>'
        f"<span>{style_html.answer(_beside_findings(front, section))}</span></li>"
        for section in sections
        if section.verdict and not _said_above(front, section)
    )
    listed = f'<ol class="tl-answers">{answers}</ol>' if answers else ""
    return f"<header>{kicker}<h1>{esc(front.headline)}</h1>{said}{front.findings}{listed}</header>"


def _beside_findings(front: Front, section: Section) -> Sequence[str]:
    """The verdict without a run's fault, which is among the findings above, unless nothing else is left."""
    rest = [part for part in section.verdict if not isinstance(part, Care)]
    return rest if front.findings and "".join(rest).strip() else section.verdict


def _said_above(front: Front, section: Section) -> bool:
    return "".join(section.verdict) == front.headline


def _contents(sections: Sequence[Section]) -> str:
    links = "".join(f'<a href="#{section.anchor}">{esc(section.title)}</a>' for section in sections)
    return f'<nav aria-label="Contents">{links}</nav>'


def _colours() -> str:
    return f":root{{{''.join(f'--{name}:{charts.either(partial(tone, role))};' for name, role in COLOURS)}}}"


def own_css() -> str:
    """Return the style sheets of the app's own classes."""
    sheets = ("frame/style.css", "views/overview.css", "views/dataset.css", "widgets/steps.css")
    return "".join((ROOT / "ui" / sheet).read_text(encoding="utf-8") for sheet in sheets)


def section_html(section: Section, verdict: bool = True, folded: bool = False) -> str:
    """Return a page: its title, question, verdict and blocks; a folded one is a row with its title and verdict."""
    said = style_html.folding_verdict(section.verdict, section.more) if section.verdict and verdict else ""
    answer = style_html.answer(section.verdict) if said else esc(section.question)
    head = f"<summary><h2>{esc(section.title)}</h2><span>{answer}</span></summary>"
    question = f'<div class="tl-head">{esc(section.question)}</div>'
    opened = "" if folded else " open"
    body = f'<details class="tl-page"{opened}>{head}<div>{question}{said}{"".join(section.blocks)}</div></details>'
    return f'<section id="{section.anchor}">{body}</section>'


def _right(numeric: bool) -> str:
    return ' class="r"' if numeric else ""


def _cell(column: str, value: object) -> str:
    if isinstance(value, float):
        return p_text(value) if _P.match(column) else num(value, 3)
    return DASH if value is None or value is pd.NA else whole(str(value))
