"""All views by name; each view's module is imported only when it is shown, because menus need only titles."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from figures.views.view import View


COMPARE, LOOK, TRUST = "Compare runs", "Look closer", "Trust: metrics, judges, size of the study"


class Entry(NamedTuple):
    """A view in menus: its title, the Material symbol beside it, and the page or view that it comes `after`.

    `trilens --help` lists it under the heading `group` with the line `summary`. `command` is its name on the command
    line if this is not the name of the view.
    """

    title: str
    icon: str
    after: str
    group: str
    summary: str
    command: str = ""


VIEWS: dict[str, Entry] = {
    "frontier": Entry("Frontier", "show_chart", "sweeps", COMPARE, "Runs that no other beats in quality and diversity"),
    "words": Entry("Words", "text_fields", "cloud", LOOK, "What runs say more, or less, often than people"),
    "unique_correct": Entry(
        "Unique vs correct",
        "grid_on",
        "robustness",
        TRUST,
        "Whether a metric sees correctness and variety",
        command="unique-correct",
    ),
    "central": Entry(
        "Central captions", "adjust", "words", LOOK, "How close runs stay to the middle of what people say"
    ),
    "arena": Entry("Arena", "swords", "judgments", COMPARE, "Which run is preferred in pairs of captions"),
    "slices": Entry("Slices", "content_cut", "paired", COMPARE, "Kinds of items on which two runs differ unusually"),
    "judging": Entry("Judge", "gavel", "judgments", TRUST, "How far a judge's answers can be trusted"),
}

COMMANDS = {entry.command or name: name for name, entry in VIEWS.items()}
"""The views by the names of their commands."""


def with_views(pages: Iterable[str]) -> list[str]:
    """Return pages in order, each followed by the views that come after it."""
    found: list[str] = []
    for page in pages:
        found += [page, *with_views(name for name, entry in VIEWS.items() if entry.after == page)]
    return found


def command_of(name: str) -> str:
    """Return the name of a view's command. Raises KeyError for an unknown view."""
    return VIEWS[name].command or name


def view(name: str) -> View[Any]:
    """Return the view with that name. Raises KeyError if there is none."""
    if name not in VIEWS:
        raise KeyError(name)
    found: View[Any] = import_module(f"{__package__}.{name}").VIEW
    return found
