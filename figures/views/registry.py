"""All views by name, in plain sight; their modules are imported when one is shown, as menus need only their titles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from figures.views.view import View


class Entry(NamedTuple):
    """A view in menus: its title and the Material symbol beside it."""

    title: str
    icon: str


VIEWS: dict[str, Entry] = {
    "words": Entry("Words", "text_fields"),
    "slices": Entry("Slices", "content_cut"),
}


def view(name: str) -> View[Any]:
    """Return the view of that name. Raises KeyError."""
    from figures.views import slices, words

    found: dict[str, View[Any]] = {"words": words.VIEW, "slices": slices.VIEW}
    return found[name]
