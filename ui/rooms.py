"""The menu: ten rooms in groups, each with its pages as tabs, and which pages have nothing to show for a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from data.study import Study, of_study
from figures.style.wording import item_noun, item_title, of_texts, text_noun
from figures.views.registry import VIEWS, with_views
from metrics.analysis.arena.votes import criteria as preferred
from metrics.analysis.feasibility import has_references, possible, runs_with_sets
from metrics.analysis.judgments.points import criteria
from metrics.analysis.judgments.preferences import criteria as compared
from metrics.analysis.slices.groups import divisible
from metrics.analysis.sweeps import settings_of
from metrics.analysis.sweeps_defaults import varies
from metrics.analysis.triangles_defaults import any_enough
from metrics.analysis.unique_correct.experiment import FEWEST
from metrics.learned.critique_result import LEAST_ITEMS
from ui.jobs import judge_job
from ui.menu import MENU


@dataclass(frozen=True)
class Entry:
    """A page: `file` in pages/ gives its address ("/" for the default page); `icon` is a Material symbol."""

    file: str
    title: str
    icon: str
    default: bool = False


@dataclass(frozen=True)
class Room:
    """One entry of the menu: pages that answer one question from several sides, shown as tabs."""

    title: str
    icon: str
    entries: tuple[Entry, ...]


_PAGES = {
    entry.file: entry
    for entry in (
        Entry("overview", "Overview", "insights", default=True),
        Entry("dataset", "Data", "folder_open"),
        Entry("leaderboard", "Leaderboard", "format_list_numbered"),
        Entry("paired", "Paired comparison", "compare_arrows"),
        Entry("sweeps", "Sweeps", "thermostat"),
        Entry("images", "Images", "image"),
        Entry("triangles", "Triangles", "change_history"),
        Entry("cloud", "Caption cloud", "scatter_plot"),
        Entry("critique", "Critique", "rate_review"),
        Entry("judgments", "Judgments", "how_to_vote"),
        Entry("robustness", "Robustness", "shield"),
        Entry("coherence", "Coherence", "category"),
        Entry("sensitivity", "Sensitivity", "troubleshoot"),
        Entry("references", "References", "reviews"),
        Entry("methods", "Methods", "functions"),
    )
} | {name: Entry(name, view.title, view.icon) for name, view in VIEWS.items()}


IMAGES, JUDGMENTS = _PAGES["images"], _PAGES["judgments"]
ROOMS: dict[str, tuple[Room, ...]] = {
    group: tuple(
        Room(place.title, place.icon, tuple(_PAGES[page] for page in with_views(place.pages))) for place in places
    )
    for group, places in MENU.items()
}
"""The rooms of the menu by group, with the entries of their pages."""
ENTRIES = tuple(entry for rooms in ROOMS.values() for room in rooms for entry in room.entries)
"""Every page, in menu order."""


def title(of: Room | Entry, study: Study) -> str:
    """Return the title of a room or page in words of the study.

    Images is named after the items, such as "Prompts"; without judgments, Judgments is about metrics: "Agreement".
    """
    if of.title == JUDGMENTS.title and not (criteria(study) or study.systems or compared(study)):
        return "Agreement"
    named = of.title == IMAGES.title and item_noun(study) not in ("item", "title")
    return f"{item_title(study)}s" if named else of_texts(text_noun(study), of.title)


def _also_called() -> dict[str, str]:
    found: dict[str, str] = {}
    for room in (room for rooms in ROOMS.values() for room in rooms):
        titles = [(room.title, room.entries[0].file), *((entry.title, entry.file) for entry in room.entries)]
        for title, file in titles:
            words = title.lower().split()
            for name in (words[0], "-".join(words)):
                found.setdefault(name, file)
    files = {entry.file for entry in ENTRIES if not entry.default}
    return {name: file for name, file in found.items() if name not in files}


ALSO_CALLED: Mapping[str, str] = _also_called()
"""Other addresses that lead to a page, such as "data": the titles of pages and rooms, and their first words."""


def _no_items(study: Study) -> bool:
    return not study.items


def _no_runs(study: Study) -> bool:
    return not study.runs


def _one_run(study: Study) -> bool:
    return len(study.runs) < 2


def _no_references(study: Study) -> bool:
    return not (study.runs and has_references(study))


def _no_two_references(study: Study) -> bool:
    return all(len(item.references) < 2 for item in study.items)


def _no_settings(study: Study) -> bool:
    return not varies(settings_of(study.runs))


def _no_pair(study: Study) -> bool:
    return _no_runs(study) or not (possible(study, "quality") and possible(study, "diversity"))


def _too_few_for_a_critique(study: Study) -> bool:
    usable = (bool(item.references) and any(run.candidates.get(item.id) for run in study.runs) for item in study.items)
    return sum(usable) < 2 * LEAST_ITEMS


def _nothing_by_size(study: Study) -> bool:
    return _no_references(study) or (_one_run(study) and not runs_with_sets(study))


def _nothing_to_agree(study: Study) -> bool:
    return not (study.runs or criteria(study) or study.systems or compared(study))


def _no_answers(study: Study) -> bool:
    return not (study.answers or (study.runs and judge_job.configured()))


LACKS: Mapping[str, Callable[[Study], bool]] = {
    "leaderboard": _no_runs,
    "paired": _one_run,
    "slices": lambda study: _no_runs(study) or not divisible(study),
    "sweeps": _no_settings,
    "frontier": _no_pair,
    "images": _no_items,
    "cloud": _no_items,
    "triangles": lambda study: not any_enough(study),
    "words": _no_references,
    "central": lambda study: all(len(item.references) < 3 for item in study.items),
    "critique": _too_few_for_a_critique,
    "judgments": _nothing_to_agree,
    "arena": lambda study: not preferred(study),
    "judging": _no_answers,
    "robustness": _no_two_references,
    "unique_correct": lambda study: all(len(item.references) < 2 * FEWEST for item in study.items),
    "coherence": lambda study: not any(run.coherence for run in study.runs),
    "sensitivity": _nothing_by_size,
    "references": _no_two_references,
}
"""For each page, whether it has nothing to show for a study, whatever is chosen. The page itself says what to add."""


@of_study
def lacking(study: Study) -> frozenset[str]:
    """Return the pages that have nothing to show for a study."""
    return frozenset(page for page, lacks in LACKS.items() if lacks(study))


def tabs(room: Room, lacking: frozenset[str], here: str) -> tuple[Entry, ...]:
    """Return the pages of a room that have something to show, and the page `here`, which says why if it has nothing."""
    return tuple(entry for entry in room.entries if entry.file not in lacking or entry.file == here)


def entrance(room: Room, lacking: frozenset[str], here: str) -> str:
    """Return the page that the menu opens for a room: `here` if it is a tab of the room, else the first tab, if any."""
    files = [entry.file for entry in tabs(room, lacking, here)]
    return here if here in files else next(iter(files), "")


def in_menu(page: str, lacking: frozenset[str]) -> str:
    """Return the name under which the menu shows a page: that of its room, or its own if it is the room's only tab."""
    room = room_of(page)
    return room.title if len(tabs(room, lacking, page)) > 1 else _PAGES[page].title


def room_of(page: str) -> Room:
    """Return the room of a page. Raises KeyError for an unknown page."""
    for rooms in ROOMS.values():
        for room in rooms:
            if any(entry.file == page for entry in room.entries):
                return room
    raise KeyError(page)
