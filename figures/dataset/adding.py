"""Sentences about adding files to an open study: the consequences beforehand, and the result afterwards."""

from __future__ import annotations

from collections.abc import Sequence

from data.adding import new_runs
from data.check import Loaded
from data.study import Study
from figures.style.escaping import Strong, short
from figures.style.numbers import count
from figures.style.wording import item_noun, names_in_a_row

_NAMED, _LONGEST = 3, 60


def question(study: Study, new: Loaded, old: Loaded, added: Loaded | None) -> tuple[str, ...]:
    """Return the effect of adding the `new` files to the study; `added` is None if they add nothing."""
    name, noun = Strong(short(study.name, _LONGEST)), item_noun(study)
    if added is None or added.study is None:
        known = {item.id for item in study.items}
        there = new.study is not None and any(item.id in known for item in new.study.items)
        return ("These files hold nothing new for " if there else f"These captions belong to no {noun} of ", name, ".")
    runs, items = new_runs(study, added.study), len(added.study.items)
    if not runs:
        return ("These files hold no other runs, but scores, vectors or ratings of captions in ", name, ".")
    first = f"{_runs(runs)} can be added to "
    if items == len(study.items):
        rest = f": all {count(items, noun)} have captions by {_them(runs)}."
    else:
        rest = (
            f", but only {items:,} of its {count(len(study.items), noun)} {'has' if items == 1 else 'have'} captions "
            f"by {_them(runs)}. Every run would then be compared on {'it' if items == 1 else 'these'} alone, and its "
            "numbers would change."
        )
    return (first, name, f"{rest}{_renamed(old, added)}")


def done(before: Study, now: Study) -> str:
    """Return a sentence about what was added to a study."""
    runs = new_runs(before, now)
    return f"Added {_runs(runs)}." if runs else "Added what these files hold on the captions of this study."


def _runs(names: Sequence[str]) -> str:
    shown = [short(name, _LONGEST) for name in names]
    return f"{count(len(names), 'run')} ({names_in_a_row(shown, _NAMED)})"


def _them(names: Sequence[str]) -> str:
    return "it" if len(names) == 1 else "them"


def _renamed(old: Loaded, added: Loaded) -> str:
    code = "run_name_taken"
    known = {one.problem for one in old.findings if one.code == code}
    return "".join(f" {one.problem}" for one in added.findings if one.code == code and one.problem not in known)
