"""The image that a page shows: chosen from a list, by previous and next, or by search; the address stores its id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data.study import Item, Run, Study
from figures.images import pictures
from figures.images.titles import title as title
from figures.notes import flags
from figures.style import html as style_html
from figures.style.palette import ModelStyle
from figures.style.run_names import short_names
from figures.style.wording import item_noun, item_title, text_noun, without_captions
from metrics.analysis.central.medoid import centrality
from metrics.analysis.feasibility import has_references
from metrics.distances.base import ItemDistances
from ui.frame import errors, look
from ui.frame.wording import plain, with_typed_spaces
from ui.session import address, slices, state, visit
from ui.session.pictures import picture_of

_MISSING = "_missing_picture"
_NOTHING: Mapping[str, str] = MappingProxyType({})
PAGE = 100
"""Maximum number of images in one list; thousands of options make a select box slow."""


@dataclass(frozen=True)
class CaptionValues:
    """Values of a run's captions of an item by text, formatted for display, and the heading that names them."""

    of: Mapping[str, str] = field(default_factory=dict)
    head: str = ""


def position(study: Study, order: Sequence[int], default: int | None = None, keep: bool = True) -> int:
    """Return the position in the study of the chosen image if it is in `order`, else `default`, else `order[0]`.

    Without `keep`, a default is not remembered: it may change once the numbers on which it depends exist. An image
    chosen by the reader or a link stays chosen while a slice excludes it. `address.show_unknown` reports an id in the
    address that the study or the slice does not have.
    """
    found = order[0] if default is None else default
    first = study.items[found].id
    asked = address.value_or("image", first)
    known = next((k for k, item in enumerate(study.items) if item.id == asked), None)
    if known is None:
        if any(item.id == asked for item in state.unsliced_study().items):
            address.report_unknown("image", asked)
            visit.settle("image")
        if visit.leave("image"):
            return found
        address.select_one("image", (), first, keep)
    elif known in order:
        found = known
    if keep or found != (order[0] if default is None else default):
        address.keep("image", study.items[found].id, first)
    return found


def picker(study: Study, order: Sequence[int], here: int, width: int = 304) -> None:
    """Show buttons for the previous and next image, which arrow keys press, too, and the list; call it inside a row.

    With more than PAGE images, the list contains those around this one, between lines that open the others.
    """
    place = order.index(here)
    _step("chevron_left", f"Previous {item_noun(study)}", "Left", study.items[order[place - 1]].id)
    _step("chevron_right", f"Next {item_noun(study)}", "Right", study.items[order[(place + 1) % len(order)]].id)
    first = place - place % PAGE
    numbers = {k: first + i + 1 for i, k in enumerate(order[first : first + PAGE])}
    before, after = (
        [_page(start) for start in range(*span, PAGE)] for span in ((0, first), (first + PAGE, len(order)))
    )
    st.session_state["image_select"] = here
    stars = state.loaded().marks.stars

    def line(k: int) -> str:
        if k < 0:
            start = _start(k)
            return f"{start + 1:,} to {min(start + PAGE, len(order)):,} …"
        return f"{numbers[k]:,}. {'★ ' if study.items[k].id in stars else ''}{title(study, study.items[k])}"

    st.selectbox(
        item_title(study),
        [*before, *numbers, *after],
        key="image_select",
        width=width,
        on_change=errors.callback(_to_image),
        args=(study, order),
        format_func=lambda k: with_typed_spaces(line(k)),
    )


def _page(start: int) -> int:
    """The option of the list that opens the images from position `start`; it is negative, unlike those of images."""
    return -1 - start


def _start(option: int) -> int:
    return -1 - option


def row(width: Literal["stretch", "content"] = "stretch") -> DeltaGenerator:
    """Return a container for controls that aligns them in one row, with or without labels."""
    return st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall", width=width)


def choose_runs(
    study: Study, name: str, first: Sequence[Run], label: str = "Runs", shortcuts: bool = False, keep: bool = True
) -> tuple[Run, ...]:
    """Show a small panel of runs to choose, `first` by default; return the choice.

    With `shortcuts`, buttons choose all runs of a model, or all runs. Without `keep`, the default is not remembered: it
    may change once the numbers on which it depends exist.
    """
    names = [run.name for run in study.runs]
    if not names:
        return ()
    by_default = [run.name for run in first]
    chosen = address.select_several(name, names, by_default, keep)
    with st.popover(f"Runs: {len(chosen)} of {len(names)}", icon=":material/groups:", key=f"{name}_panel"):
        chosen = address.pills(label, name, names, by_default, keep, format_func=plain)
        if shortcuts:
            _whole_models(study, name)
    return tuple(study.run(one) for one in chosen)


def _whole_models(study: Study, name: str) -> None:
    models = list(dict.fromkeys(run.model for run in study.runs))
    with row():
        for k, model in enumerate(models if len(models) > 1 else ()):
            mine = [run.name for run in study.runs if run.model == model]
            st.button(
                f"All of {plain(model)}", key=f"{name}_{k}", on_click=errors.callback(address.store), args=(name, *mine)
            )
        st.button(
            "All",
            key=f"{name}_all",
            on_click=errors.callback(address.store),
            args=(name, *(run.name for run in study.runs)),
        )


def page_link(file: str, label: str, icon: str = "", **query: str | list[str]) -> None:
    """Show a link to a view on another page, which also works in a new tab."""
    st.page_link(
        str(address.page_file(file)),
        label=label,
        icon=f":material/{icon}:" if icon else None,
        query_params=_of_study(query),
    )


def card_head(item: Item, title: str, why: str = "", opens: str = "", **query: str | list[str]) -> None:
    """Show a small picture of an item beside its title, and why the item is shown.

    The title `opens` an address, by default that of the item on Images.
    """
    opens = opens or href("images", image=item.id, **query)
    with st.container(horizontal=True, wrap=False, gap="small"):
        if (picture := picture_of(item)) is not None:
            st.image(picture.shown, width=96, alt=title)
        look.block(style_html.card_head(title, opens, why))


def href(file: str, **query: str | list[str]) -> str:
    """Return the unescaped address of a view on another page, for links in the app's own HTML."""
    return f"{file}?{urlencode(_of_study(query), doseq=True)}"


def here(**query: str | list[str]) -> str:
    """Return the unescaped address of this view with other choices, for links in the app's own HTML."""
    return f"?{urlencode({**address.query(), **query}, doseq=True)}"


def _of_study(query: Mapping[str, str | list[str]]) -> dict[str, str | list[str]]:
    token = {} if state.token() == state.DEMO else {"study": state.token()}
    return {**query, **token, **slices.query()}


def data_link() -> None:
    """Show a link to the page for adding files and stating settings, for use where something is missing."""
    page_link("dataset", "Open Data", "folder_open")


def nothing(study: Study, needs_runs: bool = True) -> bool:
    """Return True, and show a message with the remedy, if there is no image or, with `needs_runs`, no run to show."""
    if study.items and (study.runs or not needs_runs):
        return False
    with look.empty("Nothing to look at", f"{without_captions(study)}: add files on the Data page."):
        data_link()
    return True


def no_references(study: Study, why: str) -> bool:
    """Return True, and show a message that says `why` the page needs references, if a study has none."""
    if has_references(study):
        return False
    with look.empty(
        "This study has no captions by people", f"{why} Add a file of captions by people on the Data page."
    ):
        data_link()
    return True


def search_words() -> str:
    """Show the field for searching captions and return its text."""
    label = f"Search {text_noun(state.study())}s"
    return address.text(
        label,
        "find",
        width=190,
        placeholder=label,
        icon=":material/search:",
        label_visibility="collapsed",
    )


def show_picture(item: Item) -> None:
    """Show the item's picture, or how to make it available."""
    picture, study = picture_of(item), state.study()
    with look.figure():
        if picture is not None:
            st.image(picture.shown, width="stretch", alt=title(study, item))
            look.figure_title("", f"{title(study, item)}{' (synthetic illustration)' if study.synthetic else ''}")
        else:
            look.figure_title(title(study, item), missing_picture(item))


def missing_picture(item: Item) -> str:
    """Return why an item's picture cannot be shown, and what to do; "" if the item names no picture, or has one.

    The reason is given for only one item per session and study, so that it is not repeated for the others.
    """
    if not item.image or picture_of(item) is not None:
        return ""
    first = st.session_state.setdefault(_MISSING, {}).setdefault(state.study().digest, item.id)
    return pictures.why_missing(item) if first == item.id else ""


def show_references(
    item: Item,
    distances: ItemDistances | None = None,
    words: str = "",
    most: int = style_html.SHOWN,
    letters: Mapping[str, str] | None = None,
) -> None:
    """Show the human captions, each once with its count; central ones are marked if distances are given.

    Captions in `letters` are marked with their letter.
    """
    marks = _central(distances)
    mine = distinct_captions(item.references, marks[len(marks) - len(item.references) :], words, letters or {})
    look.captions("People", mine, most=most)


def show_candidates(
    item: Item,
    run: Run,
    style: ModelStyle,
    distances: ItemDistances | None = None,
    words: str = "",
    most: int = style_html.SHOWN,
    letters: Mapping[str, str] | None = None,
    values: CaptionValues = CaptionValues(),
) -> None:
    """Show a run's captions of an item in its model's colour, as `show_references` does, with their values."""
    texts, mode = run.candidates.get(item.id, ()), look.mode()
    marked = distinct_captions(texts, _central(distances)[: len(texts)], words, letters or {}, values.of)
    study = state.study()
    name, mark = short_names(study.runs).get(run.name, run.name), flags.mark(flags.flag(study, run))
    look.captions(name, marked, style.mark(mode), style.text(mode), most, values.head, mark)


def distinct_captions(
    texts: Sequence[str],
    central: Iterable[bool],
    words: str = "",
    letters: Mapping[str, str] = _NOTHING,
    values: Mapping[str, str] = _NOTHING,
) -> list[look.Caption]:
    """Return each text once, the most frequent first, with its count and marks.

    "central" marks central texts, unless all texts are central; "found" marks those that contain `words`; texts in
    `letters` are marked with their letter, and those in `values` are followed by their value.
    """
    groups = style_html.alike(texts)
    middle = {text.strip() for text, is_central in zip(texts, central) if is_central}
    telling = len(middle) < len(groups)

    def marks(same: Sequence[str]) -> tuple[str, ...]:
        text = same[0].strip()
        found = ("found",) if words and words.casefold() in text.casefold() else ()
        letter = tuple(dict.fromkeys(letters[one] for one in same if one in letters))
        return (*letter, *(("central",) if telling and text in middle else ()), *found)

    return [look.Caption(same[0], len(same), marks(same), "", values.get(same[0], "")) for same in groups]


def _central(distances: ItemDistances | None) -> list[bool]:
    if distances is None:
        return []
    return [bool(c) for c in centrality(distances.matrix, distances.is_candidate).central]


def _step(icon: str, words: str, key: str, goal: str) -> None:
    st.button(
        words,  # For screen readers: others see the icon.
        icon=f":material/{icon}:",
        help=f"{words} (key {'←' if key == 'Left' else '→'})",
        shortcut=key,
        key=f"image_{key}",
        on_click=errors.callback(address.store),
        args=("image", goal),
    )


def _to_image(study: Study, order: Sequence[int]) -> None:
    chosen = st.session_state.get("image_select")
    # A browser that still shows an earlier run of the page may send the label of an image that is no longer listed.
    if not isinstance(chosen, int):
        return
    if chosen < 0:
        chosen = order[_start(chosen)] if _start(chosen) < len(order) else len(study.items)
    if chosen in range(len(study.items)):
        address.store("image", study.items[chosen].id)
