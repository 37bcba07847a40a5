"""The name under which an image appears everywhere: its title, else a human caption, else its id."""

from __future__ import annotations

from data.study import Item, Study
from figures.style.escaping import short
from figures.style.wording import ASKED

CUT = 46
"""Maximum length in characters of a name in lists and tables."""
WHOLE = 110
"""Maximum length in characters of a name in the heading above an image."""


def title(item: Item, most: int = CUT) -> str:
    """Return a short name for an item.

    It is the item's title, else the beginning of its first reference or of what it responds to (such as a prompt), else
    its id.
    """
    own = str(item.metadata.get("title") or "")
    text = next(text for text in (own, *item.references, asked(item), item.id) if text.strip() or text == item.id)
    return short(text.strip() or text, most)


def asked(item: Item) -> str:
    """Return what the captions of an item respond to, such as a prompt; "" if the study does not state it."""
    return next((text for name in ASKED if (text := str(item.metadata.get(name) or "")).strip()), "")


def title_in(study: Study, item: Item, most: int = CUT) -> str:
    """Return the name of an item of a study; without a human caption, it may be the first caption by a run."""
    said = (text.strip() for run in study.runs for text in run.candidates.get(item.id, ()) if text.strip())
    named = title(item, most)
    return short(next(said, named), most) if named == short(item.id, most) else named
