"""The items behind a paired comparison: sorted differences, two metrics against each other, the captions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from data.study import Run, Study
from figures.paired import items as paired_items
from figures.paired import words as paired_words
from figures.paired.forest import digits
from figures.paired.html import card, card_html, legend
from figures.style.numbers import count
from figures.style.palette import styles_of
from figures.style.run_names import pair_names, short_names
from figures.style.wording import article, direction_arrow, heading, item_noun, lead_means, n_items
from figures.triangles import words
from metrics.analysis.paired import Comparison
from metrics.analysis.replicates.grouping import Replicates
from ui.frame import look
from ui.session import address
from ui.widgets import figure, image_picker, parts, show

CARDS = 3


def show_items(
    study: Study, runs: tuple[Run, Run], main: Comparison, other: Comparison | None, beside: Comparison | None
) -> None:
    """Show up to three telling images with both runs' words, the chosen one first; all others are folded.

    The telling images are chosen by the `main` metric and, if any, the one `beside` it. The folded part compares all
    images by the `main` metric and, if any, the `other` one.
    """
    if main.reason:
        look.note(f"{main.metric.label}: {main.reason}.")
        return
    here, names = _here(study), short_names(study.runs)
    found = _chosen(study, main, beside, here, _differing(study, *runs))
    linked = runs[0].name, runs[1].name
    sides = _Sides(runs, pair_names(names, *linked), linked, ordered=True)
    _show_cards(study, sides, [one for one in (main, beside) if one is not None], found)
    _every(study, main, other, here)


def show_settings(study: Study, settings: Sequence[Replicates], names: tuple[str, str], main: Comparison) -> None:
    """Show up to three telling images of two settings with the captions of all their seeds."""
    a, b = (_all_seeds(study, of) for of in settings)
    found = _chosen(study, main, None, None, _differing(study, a, b))
    _show_cards(study, _Sides((a, b), names, tuple(of.runs[0] for of in settings)), [main], found)


def _all_seeds(study: Study, of: Replicates) -> Run:
    runs = [study.run(name) for name in of.runs]
    said = {item.id: tuple(text for run in runs for text in run.candidates.get(item.id, ())) for item in study.items}
    return replace(runs[0], name=of.name, candidates=said)


@dataclass(frozen=True)
class _Sides:
    """The two sides of cards and their names; `linked` are the runs that links open on the Images page.

    `ordered` states whether that page then sorts images by the difference.
    """

    runs: tuple[Run, Run]
    names: tuple[str, str]
    linked: tuple[str, ...]
    ordered: bool = False


def _show_cards(study: Study, sides: _Sides, shown: Sequence[Comparison], found: Sequence[tuple[int, str]]) -> None:
    if not found:
        return
    styles = styles_of(study)
    a, b = sides.runs
    people = any(study.items[place].references for place, _ in found)

    def cards() -> None:
        look.block(legend((styles[a.model], styles[b.model]), look.mode(), people))
        with parts.columns(len(found), 190, "where") as grid:
            for place, why in found:
                with grid.cell():
                    _card(study, place, sides, shown, why)

    one = item_noun(study)
    figure.figure(
        "paired_where",
        "Where it shows",
        f"{len(found)} of {count(len(study.items), one)}",
        body=cards,
        foot=figure.Foot(
            (f"words compared ignoring case, over all captions of {article(one)}",),
            ((_UNMATCHED if people else "") + _HOW,),
        ),
    )


_UNMATCHED = (
    "A word is unmatched, and counts in the share beside the run, if none of people's captions has that form of it; an "
    "inflected form or a synonym counts as missing. "
)
_HOW = (
    "A word is marked as one side's own if none of the other run's captions "
    "has it; articles, prepositions and auxiliaries are left unmarked. Captions that differ only in case or "
    "punctuation are shown once, with a count."
)


def _differing(study: Study, a: Run, b: Run) -> set[int]:
    def said(run: Run, item: str) -> set[str]:
        return {text.strip().casefold() for text in run.candidates.get(item, ())}

    return {k for k, item in enumerate(study.items) if said(a, item.id) != said(b, item.id)}


def _chosen(
    study: Study, main: Comparison, other: Comparison | None, here: int | None, differing: set[int]
) -> list[tuple[int, str]]:
    """The chosen image and, by the two metrics, the images with each run's largest lead and the middle image.

    Images that either metric ties are left out. If possible, the middle image is one on which the two runs' captions
    differ.
    """
    one, by = item_noun(study), other if other is not None and not other.reason else main
    apart = (main.sides_won != 0) & (by.sides_won != 0)
    order, theirs = ([k for k in paired_items.in_order(c) if apart[k]] for c in (main, by))
    found = [(here, f"The {one} you chose")] if here is not None else []
    if len(order):
        found.append((int(order[0]), _why(main, int(order[0]), 1)))
        middle = [int(k) for k in order if int(k) in differing] or [int(k) for k in order]
        found.append((middle[len(middle) // 2], f"The middle {one} by {main.metric.label}"))
    if len(theirs):
        found.append((int(theirs[-1]), _why(by, int(theirs[-1]), -1)))
    seen: dict[int, str] = {}
    for place, why in found:
        seen.setdefault(place, why)
    return list(seen.items())[:CARDS]


def _why(one: Comparison, place: int, side: int) -> str:
    """Why the best image for A (side 1) or B (side -1) is shown: who leads on it, or varies more, and how."""
    a, b = ("A", "B") if side > 0 else ("B", "A")
    behind = one.sides_won[place] * side < 0
    if one.metric.has_better_side:
        return f"{f'Smallest lead of {b}' if behind else f'Largest lead of {a}'} by {one.metric.label}"
    lead = lead_means(one.metric)
    most = "longest" if lead == "longer" else lead.replace("more ", "most ")
    return f"{f'{b} {lead}, but least' if behind else f'{a} {most} beside {b}'} by {one.metric.label}"


def _every(study: Study, main: Comparison, other: Comparison | None, here: int | None) -> None:
    one = item_noun(study)

    def body() -> None:
        with st.grid(2, min_column_width=380, gap=("medium", "medium")) as two:
            with two.cell(), look.figure():
                _waterfall(study, main, here)
            if other is not None and not other.reason:
                with two.cell(), look.figure():
                    _scatter(study, main, other, here)
        if other is not None and not other.reason:
            look.note(*paired_words.disagreement_words(main, other, study))
        _listing(study, main, other)

    show.folded(f"Every {one}, A's best first", "paired_list_folded", body)


def _here(study: Study) -> int | None:
    asked = address.value("image")
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
    sub = f"A bar for {shown}, sorted; up favours A."
    look.figure_title(f"{heading(main.metric)}, A minus B", sub, direction_arrow(main.metric))
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
    n = len(paired_items.drawn_items(main, other))
    shown = f" {n:,} of {main.n:,} drawn." if n < main.n else ""
    look.figure_title(
        f"{heading(main.metric)} against {other.metric.label}",
        f"Right and up favour A. Diamonds: the two name different winners.{shown}",
    )
    labels = (f"{heading(main.metric)}, A minus B", f"{heading(other.metric)}, A minus B")
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
    return f"n = {n_items(study, found[0].n)}. {' '.join(c.metric.signature for c in found)}"


def _card(study: Study, place: int, sides: _Sides, shown: Sequence[Comparison], why: str) -> None:
    item, (a, b) = study.items[place], sides.runs
    styles = styles_of(study)
    made = card(study, place, (a, b), sides.names, shown)
    with st.container(gap="xsmall"):
        order = _order(shown[0], place) if sides.ordered else {}
        image_picker.card_head(item, image_picker.title(study, item), why, beside=list(sides.linked), **order)
        look.block(card_html(made, (styles[a.model], styles[b.model]), look.mode()))
        with st.container(horizontal=True, gap="small"):
            runs = ((tag, study.run(name)) for tag, name in zip("AB", sides.linked))
            able = [(tag, run) for tag, run in runs if not words.too_few(item, run)]
            for k, (side, run) in enumerate(able):
                label = f"of {side}" if k else f"Triangles of {side}"
                image_picker.page_link("triangles", label, image=item.id, run=run.name)


def _order(main: Comparison, place: int) -> dict[str, str]:
    """The query that sorts Images by the difference, beginning at the end where this item lies."""
    side = "high" if main.items[place] > 0 else "low"
    return {"order": "difference", "by": main.metric.name, "of": main.first, "against": main.second, "from": side}


def _listing(study: Study, main: Comparison, other: Comparison | None) -> None:
    frame, order = paired_words.items_table(study, main, other), paired_items.in_order(main)
    seen = frame.drop(columns="Id")
    show.listing(seen, "paired_list", lambda row: address.store("image", study.items[int(order[row])].id))
    signed = [c.metric.signature for c in (main, other) if c is not None]
    n = count(main.n, item_noun(study))
    short = short_names(study.runs)
    title = f"{study.name}: {short[main.first]} (A) against {short[main.second]} (B), n = {n}"
    show.downloads(
        frame, "paired_items", name=f"differences by {item_noun(study)}", caption=f"{title}.", signatures=signed
    )


def _to_item(study: Study, key: str) -> None:
    for place, *_ in show.picked(key)[:1]:
        address.store("image", study.items[int(place)].id)
