"""Marks that people add to a study: new names for runs, hidden runs, stars, and notes on images.

Numbers do not depend on marks; without its hidden runs, a study is simply one with fewer runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from data.study import Preference, Study, SystemRatings

LONGEST_NAME, LONGEST_NOTE, MOST_NOTES = 100, 2_000, 5_000
MOST_FORMER = 1_000
"""Maximum number of former names of runs that links can still use."""
LARGEST = 32 << 20
"""Maximum number of bytes of marks in a bundle."""
_A_MARK = 200
_KEPT = 8


@dataclass(frozen=True)
class Marks:
    """The marks of a study.

    `names` are the names that people gave to runs, by the run's name in the files. `hidden` are names of runs, `stars`
    are ids of items, and `notes` are texts by item id. `formerly` maps each former name of a run to its present one,
    for links, and `models` does the same for models.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    stars: frozenset[str] = frozenset()
    notes: Mapping[str, str] = field(default_factory=dict)
    formerly: Mapping[str, str] = field(default_factory=dict, compare=False)
    models: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __bool__(self) -> bool:
        return bool(self.names or self.hidden or self.stars or self.notes)

    @property
    def in_bundles(self) -> bool:
        """Whether there is anything to write to a bundle: marks, or former names that links still use."""
        return bool(self.n or self.formerly or self.models)

    @property
    def n(self) -> int:
        """The number of marks on runs and items."""
        return len(self.hidden) + len(self.stars) + len(self.notes)

    @property
    def size(self) -> int:
        """The approximate size of the marks in memory, in bytes."""
        texts = [*self.hidden, *self.stars, *self.names, *self.names.values(), *self.notes, *self.notes.values()]
        texts += [*self.formerly, *self.formerly.values(), *self.models, *self.models.values()]
        return sum(_A_MARK + len(text) for text in texts)

    def called(self, names: Mapping[str, str], new: Mapping[str, str]) -> Marks:
        """Return the marks with `names` as names that people gave, after the renames of runs in `new` (old name to
        new).
        """
        return replace(self, names=names, formerly=_formerly(self.formerly, new))

    def remodelled(self, new: Mapping[str, str]) -> Marks:
        """Return the marks after the renames of models in `new` (old name to new)."""
        return replace(self, models=_formerly(self.models, new))

    def present(self, runs: Iterable[str]) -> dict[str, str]:
        """Return the present names of runs by former name, for names among `runs`; former names that a run has now are
        left out.
        """
        return _present(self.formerly, runs)

    def present_models(self, models: Iterable[str]) -> dict[str, str]:
        """Return the present names of models by former name, for names among `models`; former names in use are left
        out.
        """
        return _present(self.models, models)

    def starred(self, item: str, on: bool) -> Marks:
        """Return the marks with or without a star on an item."""
        return replace(self, stars=self.stars | {item} if on else self.stars - {item})

    def noted(self, item: str, text: str) -> Marks:
        """Return the marks with a note on an item, or without one if the text is empty or there are too many notes."""
        rest = {id: note for id, note in self.notes.items() if id != item}
        text = clean_note(text)
        return replace(self, notes={**rest, item: text} if text and len(rest) < MOST_NOTES else rest)


def _formerly(before: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    """Return the present names by former name after the renames in `new`, keeping only the latest MOST_FORMER."""
    every = {**{old: new.get(now, now) for old, now in before.items()}, **new}
    present = set(new.values())
    return dict([(old, now) for old, now in every.items() if old not in present][-MOST_FORMER:])


def _present(formerly: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    taken = set(names)
    return {old: now for old, now in formerly.items() if old not in taken and now in taken}


def clean_note(text: str) -> str:
    """Return a note that can be displayed and saved: of limited length, without control characters."""
    kept = "".join(c for c in text[:LONGEST_NOTE] if c in "\n\t" or ord(c) >= 32)
    return kept.encode("utf-8", "replace").decode().strip()


def merged(some: Iterable[Marks]) -> Marks:
    """Merge the marks of several bundles; the first takes precedence for a note and for a former name."""
    found = Marks()
    for one in some:
        notes = {**one.notes, **found.notes}
        formerly, models = {**one.formerly, **found.formerly}, {**one.models, **found.models}
        found = Marks({}, found.hidden | one.hidden, found.stars | one.stars, notes, formerly, models)
    return found


def of_study(marks: Marks, study: Study) -> Marks:
    """Return the marks on items, runs and models of this study; if they would hide all runs, none is hidden."""
    runs, items = {run.name for run in study.runs}, {item.id for item in study.items}
    hidden = marks.hidden & runs
    notes = {id: note for id, note in marks.notes.items() if id in items}
    formerly, models = _present(marks.formerly, runs), _present(marks.models, (run.model for run in study.runs))
    hidden = frozenset() if hidden == runs else hidden
    return Marks(marks.names, hidden, marks.stars & items, notes, formerly, models)


def to_json(marks: Marks) -> bytes:
    """Return the marks as a file for a bundle, in which runs have the names that people gave them."""
    said = {"hidden": sorted(marks.hidden), "stars": sorted(marks.stars), "notes": dict(sorted(marks.notes.items()))}
    former = {"former_runs": marks.formerly, "former_models": marks.models}
    said |= {name: dict(of) for name, of in former.items() if of}
    return json.dumps(said, indent=1).encode()


def from_json(content: bytes) -> Marks:
    """Return the marks in a bundle's file. Raises ValueError, with the reason, for an invalid file."""
    if len(content) > LARGEST:
        raise ValueError(f"they are larger than {LARGEST >> 20} MB")
    try:
        said = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValueError("they are not valid JSON") from error
    if not isinstance(said, dict):
        raise ValueError("they are not an object")
    notes = said.get("notes", {})
    if not isinstance(notes, dict) or not all(isinstance(note, str) for note in notes.values()):
        raise ValueError("`notes` is not texts by the id of an item")
    if len(notes) > MOST_NOTES or any(len(note) > LONGEST_NOTE for note in notes.values()):
        raise ValueError(f"there are more than {MOST_NOTES:,} notes, or one has more than {LONGEST_NOTE:,} characters")
    kept = {id: text for id, note in notes.items() if (text := clean_note(note))}
    former = _former(said, "former_runs"), _former(said, "former_models")
    return Marks({}, _texts(said, "hidden"), _texts(said, "stars"), kept, *former)


def _former(said: Mapping[str, Any], name: str) -> dict[str, str]:
    found = said.get(name, {})
    if not isinstance(found, dict) or not all(isinstance(now, str) for now in found.values()):
        raise ValueError(f"`{name}` is not present names by former ones")
    if len(found) > MOST_FORMER:
        raise ValueError(f"`{name}` has more than {MOST_FORMER:,} names")
    return found


def _texts(said: Mapping[str, Any], name: str) -> frozenset[str]:
    found = said.get(name, [])
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise ValueError(f"`{name}` is not a list of texts")
    return frozenset(found)


def shown(study: Study, hidden: Collection[str]) -> Study:
    """Return the study without the hidden runs (cached), or the study itself if none or all of its runs are hidden.

    Imported scores that only hidden runs have are dropped, too, as are judgments and answers that concern any hidden
    run.
    """
    gone = frozenset(hidden) & {run.name for run in study.runs}
    if not gone or len(gone) == len(study.runs):
        return study
    known: dict[frozenset[str], Study] = vars(study).setdefault("_shown", {})
    if gone not in known:
        while len(known) >= _KEPT:
            known.pop(next(iter(known)))
        known[gone] = _without(study, gone)
    return known[gone]


def _without(study: Study, gone: frozenset[str]) -> Study:
    left = [run.name for run in study.runs if run.name not in gone]
    systems = (_systems_without(one, gone) for one in study.systems)
    return replace(
        study.only(runs=left),
        scores=tuple(one for one in study.scores if one.values.keys() - gone),
        preferences=tuple(one for one in study.preferences if not {one.first[0], one.second[0]} & gone),
        systems=tuple(one for one in systems if one.systems),
        answers=tuple(one for one in study.answers if not gone & {*one.runs}),
    )


def _systems_without(ratings: SystemRatings, gone: frozenset[str]) -> SystemRatings:
    places = [place for place, name in enumerate(ratings.systems) if name not in gone]

    def of(values: Mapping[str, tuple[float, ...]]) -> dict[str, tuple[float, ...]]:
        return {name: tuple(row[place] for place in places) for name, row in values.items()}

    names = tuple(ratings.systems[place] for place in places)
    return SystemRatings(ratings.name, names, of(ratings.criteria), of(ratings.metrics), ratings.lower)


def distinct_names(runs: Iterable[str], by_hand: Mapping[str, str]) -> dict[str, str]:
    """Return the new name of each run that needs one: the name in `by_hand`, or a numbered name if its own is taken."""
    runs, found, taken = list(runs), dict[str, str](), set[str]()
    for run in runs:
        if (name := by_hand.get(run, "")) and name not in taken:
            found[run] = name
            taken.add(name)
    for run in (run for run in runs if run not in found):
        name, number = run, 2
        while name in taken:
            name, number = f"{run} ({number})", number + 1
        taken.add(name)
        found[run] = name
    return {run: name for run, name in found.items() if run != name}


def renamed(study: Study, names: Mapping[str, str]) -> Study:
    """Return the study with some runs renamed wherever they are mentioned; the names must stay distinct."""
    if not names:
        return study

    def new(name: str) -> str:
        return names.get(name, name)

    return replace(
        study,
        runs=tuple(replace(run, name=new(run.name)) for run in study.runs),
        scores=tuple(replace(one, values={new(run): of for run, of in one.values.items()}) for one in study.scores),
        distances=tuple(
            replace(one, matrices={new(run): of for run, of in one.matrices.items()}) for one in study.distances
        ),
        preferences=tuple(_renamed_pair(one, new) for one in study.preferences),
        systems=tuple(replace(one, systems=tuple(map(new, one.systems))) for one in study.systems),
        answers=tuple(replace(one, runs=tuple(map(new, one.runs))) for one in study.answers),
        lacking={new(run): n for run, n in study.lacking.items()},
        astray={new(run): clause for run, clause in study.astray.items()},
    )


def _renamed_pair(pair: Preference, new: Callable[[str], str]) -> Preference:
    """Return the pair with its runs' new names, in the order in which it would be read from a file."""
    first, second = (new(pair.first[0]), pair.first[1]), (new(pair.second[0]), pair.second[1])
    if first <= second:
        return pair._replace(first=first, second=second)
    return pair._replace(first=second, second=first, first_votes=pair.second_votes, second_votes=pair.first_votes)
