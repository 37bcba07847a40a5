"""The menu as data: groups of rooms, and the pages of each room. Nothing is imported, so a new server can show it."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """A room of the menu: its title, its Material symbol, and the names of its pages in pages/.

    Views follow the pages after which they are registered, so they are not named here.
    """

    title: str
    icon: str
    pages: tuple[str, ...]


MENU: dict[str, tuple[Place, ...]] = {
    "": (Place("Overview", "insights", ("overview",)), Place("Data", "folder_open", ("dataset",))),
    "Compare": (
        Place("Leaderboard", "format_list_numbered", ("leaderboard",)),
        Place("Two runs", "compare_arrows", ("paired",)),
        Place("Settings", "tune", ("sweeps",)),
    ),
    "Look closer": (
        Place("Images", "image", ("images", "triangles")),
        Place("Language", "forum", ("cloud", "critique")),
    ),
    "Trust": (
        Place("Metrics", "shield", ("judgments", "robustness", "coherence")),
        Place("Study size", "troubleshoot", ("sensitivity", "references")),
    ),
    "About": (Place("Methods", "functions", ("methods",)),),
}
"""The rooms by group; a room opens at its first page that has something to show."""
