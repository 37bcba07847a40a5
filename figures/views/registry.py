"""All views by name, in plain sight; the module of one is imported when it is shown, as menus need only titles."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from figures.views.view import View


class Entry(NamedTuple):
    """A view in menus: its title, the Material symbol beside it, and the page or view that it comes `after`."""

    title: str
    icon: str
    after: str


VIEWS: dict[str, Entry] = {
    "frontier": Entry("Frontier", "show_chart", after="sweeps"),
    "words": Entry("Words", "text_fields", after="cloud"),
    "arena": Entry("Arena", "swords", after="judgments"),
    "slices": Entry("Slices", "content_cut", after="paired"),
    "judging": Entry("Judge", "gavel", after="judgments"),
}


def with_views(pages: Iterable[str]) -> list[str]:
    """Return pages in order, each followed by the views that come after it."""
    found: list[str] = []
    for page in pages:
        found += [page, *with_views(name for name, entry in VIEWS.items() if entry.after == page)]
    return found


def view(name: str) -> View[Any]:
    """Return the view of that name. Raises KeyError."""
    if name not in VIEWS:
        raise KeyError(name)
    found: View[Any] = import_module(f"{__package__}.{name}").VIEW
    return found
