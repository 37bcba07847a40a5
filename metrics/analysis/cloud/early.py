"""The part of a large study that the caption cloud shows first, while the captions of the whole are embedded."""

from __future__ import annotations

from data.study import Study, of_study

EARLY, FEWER = 1_000, 3
"""The approximate number of captions in the part, and how many times as many a study must have for a part."""


@of_study
def some_items(study: Study) -> Study | None:
    """Return the study with about EARLY captions, of evenly spaced items; None if it has fewer than FEWER * EARLY."""
    captions = sum(len(item.references) for item in study.items)
    captions += sum(len(said) for run in study.runs for said in run.candidates.values())
    step = captions // EARLY
    return study.only(items=[item.id for item in study.items[::step]]) if step >= FEWER else None
