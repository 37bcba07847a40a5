"""The name under which an image is shown everywhere: its title, else a caption by people, else its id."""

from __future__ import annotations

from data.study import Item, Study
from figures.style.escaping import short
from figures.style.wording import ASKED

CUT = 46
"""Most characters of a name in lists and tables."""
WHOLE = 110
"""Most characters of a name in the heading above an image."""


def title(item: Item, most: int = CUT) -> str:
    """Return a short name of an item: its own title, else the beginning of its first reference, of what it is a
    response to, such as a prompt, or its id.
    """
    own = str(item.metadata.get("title") or "")
    text = next(text for text in (own, *item.references, asked(item), item.id) if text.strip() or text == item.id)
    return short(text.strip() or text, most)


def asked(item: Item) -> str:
    """Return what the captions of an item respond to, such as a prompt; "" where the study does not state it."""
    return next((text for name in ASKED if (text := str(item.metadata.get(name) or "")).strip()), "")


def title_in(study: Study, item: Item, most: int = CUT) -> str:
    """Return the name of an item of a study: if people wrote no caption of it, the first caption by a run."""
    said = (text.strip() for run in study.runs for text in run.candidates.get(item.id, ()) if text.strip())
    named = title(item, most)
    return short(next(said, named), most) if named == short(item.id, most) else named
