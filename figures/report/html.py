"""A report as one HTML file that shows the same as the pages and needs no network."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from data import safe_csv
from figures.style import html as style_html
from figures.style.escaping import esc, file_stem, whole
from figures.style.fonts import font_css
from figures.style.numbers import DASH, num, p_text
from figures.style.palette import tone

ROOT = Path(__file__).resolve().parents[2]
_P = re.compile(r"(Holm )?p\b")
# A chart is drawn before what comes beside it is there: once all is, every chart takes the width it has then.
_FIT = "<script>addEventListener('load', () => dispatchEvent(new Event('resize')))</script>"
COLOURS = (("paper", "paper"), ("ink", "ink"), ("edge", "line"))
ROWS, FEW = 200, 8
"""Rows of a table that are printed (its download has all), and the number up to which rows are not folded."""
CSS = Path(__file__).with_name("report.css")
MONO, SERIF = "IBM Plex Mono", "Source Serif 4"


@dataclass(frozen=True)
class Section:
    """One page of the report: a title, the question it answers, and blocks of HTML with all data escaped."""

    title: str
    question: str
    blocks: tuple[str, ...]

    @property
    def anchor(self) -> str:
        """The anchor of the page in the file."""
        return re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")


@dataclass(frozen=True)
class LeftOut:
    """Why a page is not in the report, as a clause such as "no model has two temperatures"."""

    why: str


Page = Section | LeftOut


@dataclass
class Charts:
    """The charts of one report, with ids counted within it, so that equal reports are identical files."""

    count: int = field(default=0)

    def block(
        self, figure: go.Figure, alt: str, title: str = "", sub: str = "", arrow: str = "", height: int | None = None
    ) -> str:
        """Return an interactive chart below its title."""
        self.count += 1
        if height is not None:
            figure.update_layout(height=height)
        drawn = figure.to_html(
            full_html=False,
            include_plotlyjs=False,
            div_id=f"chart-{self.count}",
            default_width="100%",
            config={"displaylogo": False, "displayModeBar": False, "responsive": True},
        )
        head = style_html.figure_title(title, sub, arrow) if title or sub else ""
        return f'<div>{head}<div role="img" aria-label="{esc(alt)}">{drawn}</div></div>'


def grid(blocks: Iterable[str]) -> str:
    """Return blocks side by side where there is room."""
    return f'<div class="tl-two">{"".join(blocks)}</div>'


def table(frame: pd.DataFrame, name: str, title: str, digits: int | Mapping[str, int] = 3) -> str:
    """Return a table with numbers rounded as on screen, and a CSV file of it at full precision embedded."""
    numeric = [pd.api.types.is_numeric_dtype(frame[column]) for column in frame.columns]
    head = "".join(f'<th scope="col"{_right(n)}>{esc(str(c))}</th>' for c, n in zip(frame.columns, numeric))
    shown = frame.head(ROWS)
    cells = [
        [
            _cell(str(column), value, digits if isinstance(digits, int) else digits.get(str(column), 3))
            for value in shown[column]
        ]
        for column in frame.columns
    ]
    rows = "".join(
        f"<tr>{''.join(f'<td{_right(n)}>{esc(text)}</td>' for text, n in zip(row, numeric))}</tr>"
        for row in zip(*cells)
    )
    data = base64.b64encode(safe_csv.to_csv(frame)).decode()
    more = f" ({len(frame):,} rows, {ROWS} shown)" if len(frame) > ROWS else ""
    link = f'<a class="tl-take" download="{file_stem(name)}.csv" href="data:text/csv;base64,{data}">CSV{more}</a>'
    unfolded = " open" if len(frame) <= FEW else ""
    return (
        f"<details{unfolded}><summary>{esc(title)}</summary>"
        f'<div class="tl-wide" tabindex="0" role="region" aria-label="{esc(title)}"><table class="tl-data">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>{link}</details>"
    )


def picture(path: Path, alt: str) -> str:
    """Return an embedded picture."""
    kind = {".jpg": "jpeg", ".jpeg": "jpeg", ".png": "png", ".gif": "gif", ".webp": "webp"}[path.suffix.lower()]
    data = base64.b64encode(path.read_bytes()).decode()
    return f'<img class="tl-picture" src="data:image/{kind};base64,{data}" alt="{esc(alt)}">'


def code(text: str) -> str:
    """Return commands or BibTeX, verbatim."""
    return f"<pre>{esc(text)}</pre>"


def heading(text: str) -> str:
    """Return a heading within a section."""
    return f"<h3>{esc(text)}</h3>"


def document(title: str, lines: Sequence[str], head: str, sections: Sequence[Section]) -> str:
    """Return the whole file; `lines` below the title describe the study, `head` (HTML) what the file was made from."""
    links = "".join(f'<a href="#{s.anchor}">{esc(s.title)}</a>' for s in sections)
    body = "".join(_section(section) for section in sections)
    said = "".join(f'<div class="tl-head">{esc(line)}</div>' for line in lines)
    script = f"<script>{get_plotlyjs()}</script>" if "Plotly.newPlot" in body else ""
    colours = "".join(f"--{name}:{tone(role, 'light')};" for name, role in COLOURS)
    css = f":root{{{colours}}}{CSS.read_text(encoding='utf-8')}"
    text = head + body + title
    fonts = font_css(text) + font_css(f"<code>{text}", family=MONO) + font_css(text, family=SERIF)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{esc(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{fonts}{own_css()}{css}</style>{script}</head><body><main>"
        f"<h1>{esc(title)}</h1>{said}{head}<nav>{links}</nav>{body}</main>{_FIT}</body></html>\n"
    )


def own_css() -> str:
    """Return the style sheets of the app's own classes."""
    sheets = ("frame/style.css", "views/overview.css")
    return "".join((ROOT / "ui" / sheet).read_text(encoding="utf-8") for sheet in sheets)


def _section(section: Section) -> str:
    head = f'<h2>{esc(section.title)}</h2><div class="tl-head">{esc(section.question)}</div>'
    return f'<section id="{section.anchor}">{head}{"".join(section.blocks)}</section>'


def _right(numeric: bool) -> str:
    return ' class="r"' if numeric else ""


def _cell(column: str, value: object, digits: int) -> str:
    if isinstance(value, float):
        return p_text(value) if _P.match(column) else num(value, digits)
    return DASH if value is None or value is pd.NA else whole(str(value))
