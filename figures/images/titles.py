"""The name under which an image appears everywhere: its title, else a text that belongs to it, else its id."""

from __future__ import annotations

from collections.abc import Iterator

from data.fields.names import GIVEN, leaf
from data.study import Item, Run, Study, of_study
from figures.style.escaping import short

CUT = 46
"""Maximum length in characters of a name in lists and tables."""
WHOLE = 110
"""Maximum length in characters of a name in the heading above an image."""


def title(study: Study, item: Item, most: int = CUT) -> str:
    """Return a short name for an item of a study.

    The name is the first of these that exists: the item's title, its first reference, what its captions respond to
    (such as a prompt), an id of several words, the first caption by a run that tells the items apart, and the id; of an
    id that is an address, only the last part.
    """
    named = item.id.rstrip("/").rpartition("/")[2] if "://" in item.id else ""
    return short(next(filter(None, map(str.strip, _texts(study, item))), named or item.id), most)


def _texts(study: Study, item: Item) -> Iterator[str]:
    yield str(item.metadata.get("title") or "")
    yield from item.references
    yield asked(study, item)
    if " " not in item.id and (run := _telling(study)) is not None:
        yield from run.candidates.get(item.id, ())


def asked(study: Study, item: Item) -> str:
    """Return what the captions of an item respond to, such as a prompt; "" if the study does not state it.

    A text that all items have in common is not returned: such a text does not distinguish items.
    """
    return next((text for name in _given(study) if (text := str(item.metadata.get(name) or "").strip())), "")


@of_study
def _telling(study: Study) -> Run | None:
    """Return the first run whose first captions are all different; None if there is none."""
    for run in study.runs:
        first = [next(iter(run.candidates.get(item.id, ())), "") for item in study.items]
        if len(set(first)) == len(first):
            return run
    return None


@of_study
def _given(study: Study) -> list[str]:
    """Return the metadata fields that differ between items and contain what the captions respond to, surest first."""
    known: dict[str, set[str]] = {}
    for item in study.items:
        for name, value in item.metadata.items():
            if leaf(name) in GIVEN:
                known.setdefault(name, set()).add(str(value))
    differ = [name for name, texts in known.items() if len(texts) > 1 or len(study.items) == 1]
    return sorted(differ, key=lambda name: GIVEN.index(leaf(name)))
