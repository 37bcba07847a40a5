"""The items behind a paired comparison: their differences in order, two metrics against each other, the captions."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from data.study import Run, Study
from figures.images import pictures
from figures.paired import items as paired_items
from figures.paired import words as paired_words
from figures.paired.forest import digits
from figures.paired.html import card, card_html
from figures.style.numbers import count
from figures.style.palette import model_styles
from figures.style.wording import direction_arrow, item_noun
from metrics.analysis.paired import Comparison
from ui.frame import look
from ui.session import address, state
from ui.widgets import image_picker, show

CARDS = 3
DISAGREEING = 2


def show_items(study: Study, a: Run, b: Run, main: Comparison, other: Comparison | None) -> None:
    """Figures, then the captions of the items that differ most and of those that two metrics judge differently."""
    here = _here(study)
    look.section(f"{item_noun(study).capitalize()} by {item_noun(study)}")
    with st.grid(2, min_column_width=380, gap=("medium", "medium")) as two:
        with two.cell(), look.figure():
            _waterfall(study, main, here)
        if other is not None and not other.reason:
            with two.cell(), look.figure():
                _scatter(study, main, other, here)
    if here is not None:
        look.section("The one you chose")
        _card(study, here, a, b, main, other)
    _largest(study, a, b, main, other)
    if other is not None and not other.reason:
        _opposed(study, a, b, main, other)
    _listing(study, main, other)


def _here(study: Study) -> int | None:
    asked = address.asked("image")
    if not asked:
        return None
    found = next((k for k, item in enumerate(study.items) if item.id == asked), None)
    if found is None:
        address.forget("image")
    return found


def _waterfall(study: Study, main: Comparison, here: int | None) -> None:
    n = len(paired_items.in_order(main))
    shown = (
        f"{paired_items.BARS} of {count(n, item_noun(study))}" if n > paired_items.BARS else f"every {item_noun(study)}"
    )
    sub = f"A bar for {shown}, sorted; up is in favour of A."
    look.figure_title(f"{main.metric.label}, A minus B", sub, direction_arrow(main.metric))
    sides = paired_words.sides(main, study)
    name = f"{main.metric.label} by {item_noun(study)}, {main.first} minus {main.second}"
    show.chart(
        lambda on: paired_items.waterfall(main, sides, on.mode, digits(main), on.on_screen(here)),
        "paired_bars",
        paired_words.items_alt(main, study),
        name,
        footer=_footer(study, main),
        on_select=lambda: _to_item(study, "paired_bars"),
    )


def _scatter(study: Study, main: Comparison, other: Comparison, here: int | None) -> None:
    n = len(paired_items.drawn(main, other))
    shown = f" {n:,} of {main.n:,} drawn." if n < main.n else ""
    look.figure_title(
        f"{main.metric.label} against {other.metric.label}",
        f"Right and up: in favour of A. Diamonds: the two name different winners.{shown}",
    )
    labels = (f"{main.metric.label}, A minus B", f"{other.metric.label}, A minus B")
    sides = paired_words.sides(main, study)
    alt = "".join(paired_words.disagreement_words(main, other, study))
    name = f"{main.metric.label} against {other.metric.label}, {main.first} minus {main.second}"
    show.chart(
        lambda on: paired_items.scatter(main, other, sides, labels, on.mode, on.on_screen(here)),
        "paired_scatter",
        alt,
        name,
        footer=_footer(study, main, other),
        on_select=lambda: _to_item(study, "paired_scatter"),
    )


def _footer(study: Study, *found: Comparison) -> str:
    return f"n = {count(found[0].n, item_noun(study))}. {' '.join(c.metric.signature for c in found)}"


def _largest(study: Study, a: Run, b: Run, main: Comparison, other: Comparison | None) -> None:
    look.section(f"Largest differences by {main.metric.label}")
    sides = paired_items.largest(main, CARDS)
    if not all(map(len, sides)):
        sides = paired_items.largest(
            main, CARDS + 1
        )  # where one run is ahead everywhere, an even number fills both columns
    how = "better" if main.has_better_side else main.metric.more_means
    titles = [f"A {how}: {a.name}", f"B {how}: {b.name}"]
    _two_columns(study, a, b, main, other, sides, titles)


def _opposed(study: Study, a: Run, b: Run, main: Comparison, other: Comparison) -> None:
    sides = paired_items.disagreeing(main, other, DISAGREEING)
    if not any(map(len, sides)):
        return
    look.section("Where the two metrics disagree")
    look.verdict(*paired_words.disagreement_words(main, other, study), kicker="Disagreement")
    titles = [
        f"{one.metric.label} says {x}, {two.metric.label} says {y}"
        for one, two, x, y in ((main, other, "A", "B"), (main, other, "B", "A"))
    ]
    _two_columns(study, a, b, main, other, sides, titles)


def _two_columns(
    study: Study,
    a: Run,
    b: Run,
    main: Comparison,
    other: Comparison | None,
    sides: Sequence[paired_items.Places],
    titles: Sequence[str],
) -> None:
    filled = [k for k, places in enumerate(sides) if len(places)]
    if len(filled) == 1:
        look.figure_title(f"{titles[filled[0]]}, on every {item_noun(study)} here")
    with st.grid(2, min_column_width=380, gap=("medium", "medium")) as two:
        if len(filled) == 1:
            for place in sides[filled[0]]:
                with two.cell():
                    _card(study, int(place), a, b, main, other)
            return
        for title, places in zip(titles, sides):
            with two.cell():
                look.figure_title(title)
                for place in places:
                    _card(study, int(place), a, b, main, other)


def _card(study: Study, place: int, a: Run, b: Run, main: Comparison, other: Comparison | None) -> None:
    """One item: its picture, numbers, captions that differ word by word, and the ways to the other pages."""
    item = study.items[place]
    styles = model_styles([run.model for run in study.runs])
    path = pictures.picture(item, state.is_demo())
    with st.container(border=True, gap="small"):
        shown = [c for c in (main, other) if c is not None]
        html = card_html(
            card(study, place, a, b, shown, image_picker.title(item)), (styles[a.model], styles[b.model]), look.mode()
        )
        if path is None:
            look.block(html)
        else:
            picture, said = st.columns([1, 3], gap="small")
            picture.image(str(path), width="stretch", alt=image_picker.title(item))
            with said:
                look.block(html)
        with st.container(horizontal=True, gap="small"):
            image_picker.page_link(
                "images", "Images", "image", image=item.id, beside=[a.name, b.name], **_order(main, place)
            )
            image_picker.page_link("triangles", "Triangles of A", "change_history", image=item.id, run=a.name)
            image_picker.page_link("triangles", "of B", "change_history", image=item.id, run=b.name)


def _order(main: Comparison, place: int) -> dict[str, str]:
    """The order of Images in which the next one is the next card: by the difference, from the side of this item."""
    side = "high" if main.items[place] > 0 else "low"
    return {"order": "difference", "by": main.metric.name, "of": main.first, "against": main.second, "from": side}


def _listing(study: Study, main: Comparison, other: Comparison | None) -> None:
    """Every item as a table; a row that is chosen is shown above."""

    def body() -> None:
        frame, order = paired_words.items_table(study, main, other), paired_items.in_order(main)
        show.listing(frame, "paired_list", lambda row: address.put("image", study.items[int(order[row])].id))
        signed = [c.metric.signature for c in (main, other) if c is not None]
        n = count(main.n, item_noun(study))
        title = f"{study.name}: {main.first} (A) against {main.second} (B), n = {n}"
        show.downloads(
            frame, "paired_items", name=f"differences by {item_noun(study)}", caption=f"{title}.", signatures=signed
        )

    show.folded(f"All {item_noun(study)}s, A's best first", "paired_list_folded", body)


def _to_item(study: Study, key: str) -> None:
    for place, *_ in show.picked(key)[:1]:
        address.put("image", study.items[int(place)].id)
