"""The parts of a page. All text is escaped here: callers pass plain text, except to `block`, which takes markup."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from figures.style import html as style_html
from figures.style.escaping import Strong as Strong
from figures.style.escaping import breakable, esc, with_code
from figures.style.full_names import FullNames
from figures.style.html import Caption as Caption
from figures.style.html import Markup as Markup
from figures.style.palette import Mode
from figures.style.terms import with_cards
from ui.frame.wording import own_words, plain

CSS = Path(__file__).with_name("style.css")
_title: ContextVar[str] = ContextVar("title", default="")
_beside: ContextVar[DeltaGenerator | None] = ContextVar("beside", default=None)
_names: ContextVar[FullNames | None] = ContextVar("names", default=None)
_room: ContextVar[Room | None] = ContextVar("room", default=None)
_verdict: ContextVar[tuple[str, ...]] = ContextVar("verdict", default=())


@dataclass(frozen=True)
class Room:
    """The head of several pages that share a menu entry: a title, and the function that shows tabs."""

    title: str
    show_tabs: Callable[[], None]


@dataclass(frozen=True)
class Key:
    """One entry of a legend: a mark and its meaning; `colour` is None for the text colour.

    `kind`: line, dashed, dotted, dashdot, dash, ring, square, box, cross, dot, a value of `hollow` or `marked`, or
    "dot" and the name of a marker.
    """

    text: str
    kind: str = "line"
    colour: str | None = None


@dataclass(frozen=True)
class Stat:
    """A large number, with a label above it and its meaning below."""

    label: str
    value: str
    note: str = ""
    help: str = ""


@dataclass(frozen=True)
class StudyCard:
    """The description of the study in the sidebar; `warning` is for synthetic or partial data."""

    name: str
    lines: tuple[str, ...] = ()
    warning: str = ""


@dataclass(frozen=True)
class TextLine:
    """A text after a short tag such as "r1", in a given colour."""

    tag: str
    text: str
    colour: str = "inherit"


def mode() -> Mode:
    """Return the theme that the browser currently shows."""
    return "dark" if st.context.theme.type == "dark" else "light"


def block(html: str) -> None:
    """Show the app's own markup with its data already escaped, such as that of `figures.leaderboard.html.board_html`.

    Hovering over the short name of a run shows the full one.
    """
    st.html(full_names().in_markup(html))


def name_runs(short: Mapping[str, str]) -> None:
    """Register the short names of the study's runs by full name; hovering over a short name shows the full one."""
    _names.set(FullNames(short))


def full_names() -> FullNames:
    """Return the full names of the study's runs."""
    return _names.get() or FullNames({})


def style() -> None:
    """Add the style sheet of all pages; it takes no space on the page."""
    st.html(CSS)


def enter(room: Room | None) -> None:
    """Register the room of the page that is about to be shown."""
    _room.set(room)


def header(title: str, question: str) -> None:
    """Show the page's title and the question it answers.

    In a room, show the room's title instead of the page's, and its pages as tabs.
    """
    room = _room.get()
    with st.container(gap=None):
        st.title(plain(own_words(room.title if room else title)), anchor=False)
        block(f'<div class="tl-head">{esc(own_words(question))}</div>')
    if room:
        room.show_tabs()


def section(title: str) -> None:
    """Show a heading within a page."""
    st.subheader(plain(title), anchor=False)


def verdict(*parts: str, kicker: str = "", more: Iterable[str] = ()) -> None:
    """Show a verdict: its beginning is visible (at most two sentences or 35 words), and the rest and `more` are folded.

    `Strong` parts are bold. Names of metrics open their cards.
    """
    parts = tuple(map(own_words, parts))
    if not _verdict.get():
        _verdict.set(parts)
    block(with_cards(style_html.folding_verdict(parts, map(own_words, more), kicker)))


def begin_page() -> None:
    """Begin a page, which has no verdict yet."""
    _verdict.set(())


def page_verdict() -> tuple[str, ...]:
    """Return the first verdict that the page has shown; () before there is one."""
    return _verdict.get()


def note(*parts: str) -> None:
    """Show a message that is not a finding; `Strong` parts are bold."""
    block(with_cards(style_html.note(tuple(map(own_words, parts)))))


def pending(*names: str, height: int | None = None, shape: style_html.Shape = "rows") -> None:
    """Show the skeleton of a figure whose numbers are being computed: a bar for each of `names`, or its shape.

    The skeleton is `height` px high, or as high as one row if `height` is None.
    """
    block(style_html.pending(names, height, shape))


def figure() -> DeltaGenerator:
    """Return a context manager that keeps a title and its chart together."""
    _title.set("")
    _beside.set(None)
    return st.container(gap="xsmall")


def figure_title(title: str, sub: str = "", arrow: str = "", *, cards: bool = True) -> None:
    """Show, above a chart, its title, the better direction (`arrow`) and one line on how to read it (`sub`).

    Without `cards`, names of metrics do not open their cards; this is for a line that explains the metrics itself.
    """
    title, sub, arrow = map(own_words, (title, sub, arrow))
    # A figure on paper cannot be clicked.
    _title.set(f"{title} · {arrow}" if arrow and not arrow.startswith("click ") else title)
    line = st.container(horizontal=True, wrap=False, vertical_alignment="top", gap="small")
    _beside.set(line)
    with line:
        made = style_html.figure_title(title, sub, arrow)
        block(with_cards(made) if cards else made)


def icons(key: str) -> DeltaGenerator:
    """Return the container for a figure's icons: to the right of the title above it, else on a separate line."""
    line = _beside.get() or st.container(horizontal=True, horizontal_alignment="right")
    _beside.set(None)
    return line.container(horizontal=True, wrap=False, width="content", gap=None, key=f"tl-icons-{key}")


def take_title() -> str:
    """Return the title above the next chart, for its saved files, and clear it."""
    title = _title.get()
    _title.set("")
    return title


def footer(said: str, *signatures: str) -> None:
    """Show the first sentence of `said` on one line; the others and the signatures of the numbers above are folded."""
    first, *rest = style_html.sentences(said)
    figure_footer([first], [" ".join(rest)] if rest else [], signatures)


def figure_footer(facts: Iterable[str], how: Iterable[str] = (), signatures: Iterable[str] = ()) -> None:
    """Show the sample size, the interval and the marks on one line; the rules (`how`) and signatures are folded."""
    block(style_html.figure_footer(map(own_words, facts), map(own_words, how), signatures))


def hollow(symbol: str) -> str:
    """Return the kind of legend entry for a hollow marker, or for a filled one if there is no hollow form."""
    return {"circle": "ring", "square": "square", "diamond": "square turned"}.get(symbol, f"dot {symbol}")


def marked(line: str, symbol: str) -> str:
    """Return the kind of legend entry for a line with markers."""
    return f"{line} on on-{symbol}"


def key_line(entries: Sequence[Key]) -> None:
    """Show a legend on one line above the figures that share it."""
    block(f'<div class="tl-keys">{"".join(_key(entry) for entry in entries)}</div>')


def captions(
    title: str,
    items: Sequence[Caption],
    colour: str = "currentColor",
    title_colour: str = "inherit",
    most: int = style_html.SHOWN,
    sub: str = "",
    mark: str = "",
) -> None:
    """Show a list of captions behind a bar in their author's colour; one much longer than `most` is partly folded."""
    block(style_html.captions(title, items, colour, title_colour, most, sub, mark))


def folded_captions(title: str, items: Sequence[Caption]) -> None:
    """Show a list of captions folded under its title."""
    block(style_html.folded_captions(title, items))


def chips(words: Iterable[tuple[str, int]]) -> None:
    """Show words in small frames, each with its count."""
    block(style_html.chips(words))


def stats(*items: Stat) -> None:
    """Show a row of large numbers."""
    cells = "".join(
        f'<div title="{esc(s.help)}"><small>{esc(s.label)}</small><b>{esc(s.value)}</b><span>{esc(s.note)}</span></div>'
        for s in items
    )
    block(f'<div class="tl-stats">{cells}</div>')


def drawn_texts(image: str, alt: str, lines: Sequence[TextLine], note: str = "") -> None:
    """Show a small drawing (a data URI) beside the texts that it illustrates."""
    said = "".join(_line(line) for line in lines)
    drawing = f'<img src="{esc(image)}" alt="{esc(alt)}">'
    block(f'<div class="tl-tri">{drawing}<div>{said}<small>{esc(note)}</small></div></div>')


def facts(rows: Iterable[tuple[str, str]], codes: Mapping[str, Sequence[str]] | None = None) -> None:
    """Show names and values in two columns; `codes` has further rows of short technical texts."""
    block(style_html.facts(rows, codes))


def empty(title: str, text: str) -> DeltaGenerator:
    """Show what is missing; the returned container is for buttons with the remedy."""
    title, text = own_words(title), own_words(text)
    block(f'<div class="tl-empty"><b>{esc(title)}</b><p>{with_code(text)}</p></div>')
    return st.container(horizontal=True)


def failed() -> None:
    """Show in plain words that the page failed with an error, without its details."""
    st.error(
        "Something went wrong on this page. The reason is in the log of the server. Other pages still work; if it "
        "happens here again, close the study and reopen it."
    )


def study_card(card: StudyCard) -> None:
    """Show the study in the sidebar."""
    lines = "<br>".join(" · ".join(f"<span>{esc(part)}</span>" for part in line.split(" · ")) for line in card.lines)
    warning = f'<p class="tl-warn">{esc(card.warning)}</p>' if card.warning else ""
    name = f'<b dir="auto">{breakable(card.name)}</b>'
    block(f'<div class="tl-study"><small>Study</small>{name}<p>{lines}</p>{warning}</div>')


def _key(entry: Key) -> str:
    colour = f' style="color:{esc(entry.colour)}"' if entry.colour else ""
    return f'<span><i class="tl-key {entry.kind}"{colour}></i>{esc(entry.text)}</span>'


def _line(line: TextLine) -> str:
    return f'<p style="--c:{esc(line.colour)}"><i>{esc(line.tag)}</i><q dir="auto">{esc(line.text)}</q></p>'
