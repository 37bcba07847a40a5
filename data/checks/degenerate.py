"""Detect degenerate runs: copied references, one caption for everything, loops, truncated captions, another
language, identical samples, and runs with the same captions.

docs/decisions/017-hazards.md gives the measurements behind the thresholds.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from data.checks.copied_references import References, split
from data.findings import Log, TrustedText, named
from data.matching.merge import Pool
from data.study import Captions, Settings, Study, of_study

Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]

MIN_COUNT = 5
"""Minimum number of items, captions or endings for which a habit is reported."""
SAME_CAPTION, TIMES_REFERENCES = 0.01, 10.0
"""Minimum share of item pairs with the same caption, and minimum ratio of this share to the same share for
references.
"""
MAX_LOOPING, MAX_UNFINISHED = 0.05, 0.05
"""Minimum share of captions with a phrase that repeats itself, and minimum share of captions that break off within a
phrase, for which a run is reported.
"""
MIN_USES, MAX_ENDINGS = 40, 0.005
"""A word is taken not to end captions if the references use it at least this often, and at most this share of its uses
end a reference.
"""
KNOWN_WORDS, REFERENCES_KNOWN_WORDS, FEWEST_WORDS = 0.5, 0.4, 50
"""A run is reported if its share of known words is below the first of these, relative to the share for references.

The check applies only if the share for references is at least the second, and the run has at least the third number of
words.
"""
SAME_SAMPLES = 0.9
"""Minimum share of items whose captions are all equal, among items with several, for a run to be reported."""
LONGEST_PHRASE = 20
COPIES = "repeats a reference"

_Clause = tuple[str, float]
"""A clause that follows the name of a run, and the share of items or captions that it concerns."""
_NONE: _Clause = ("", 0.0)
_CLOSED = (".", "!", "?", "…", "。", "！", "？", '"', "'", ")", "”")


class Habit(str):
    """A clause that follows the name of a run; `kind` ranks the gravity of the habit, and `share` is the share of items
    or captions concerned.

    The clause may contain the placeholder `{one}` for the noun that stands for an item.
    """

    kind: float
    share: float

    def __new__(cls, clause: str, kind: float, share: float) -> Habit:
        made = super().__new__(cls, clause)
        made.kind, made.share = kind, share
        return made


class _Texts:
    """The distinct texts of a study.

    `words` are the words of all texts in sequence, as numbers; `sizes` (texts,) are the texts' numbers of words;
    `alike` (texts,) is equal for texts with the same words.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.place = {text: k for k, text in enumerate(dict.fromkeys(texts))}
        self.texts = list(self.place)
        numbers: dict[str, int] = defaultdict(count().__next__)
        of: dict[bytes, int] = defaultdict(count().__next__)
        words, sizes, alike = array("i"), array("i"), array("i")
        for text in self.texts:
            # The words of millions of captions fit into memory only as numbers.
            said = array("i", map(numbers.__getitem__, split(text)))
            words += said
            sizes.append(len(said))
            alike.append(of[said.tobytes()])
        self.words, self.sizes, self.alike = (np.array(column, np.int64) for column in (words, sizes, alike))
        self.different = len(numbers)
        self.ends = np.cumsum(self.sizes)
        self.looping = _looping(self.words, np.repeat(np.arange(len(self.texts)), self.sizes), len(self.texts))

    def side(self, captions: Sequence[Captions]) -> _Side:
        text = np.array([self.place[text] for of_item in captions for text in of_item], np.int64)
        return _Side(self, text, np.repeat(np.arange(len(captions)), [len(of) for of in captions]), len(captions))


@dataclass(frozen=True)
class _Side:
    """The captions of a run, or the references: the numbers of the `text` and of the `item` of each, both (captions,).

    `items` counts the items of the study.
    """

    of: _Texts
    text: Integers
    item: Integers
    items: int

    def repetition(self) -> tuple[float, int]:
        """Return the share of equal captions among all pairs of captions of different items, and the largest number of
        items that have the same caption.
        """
        alike = self.of.alike[self.text]
        here, within = np.unique(alike * self.items + self.item, return_counts=True)
        pairs = len(alike) ** 2 - int((np.bincount(self.item) ** 2).sum())
        same = int((np.bincount(alike) ** 2).sum()) - int((within**2).sum())
        return (same / pairs if pairs else 0.0), int(np.bincount(here // self.items).max())

    def spread(self) -> Integers:
        """Return the (words,) numbers of items in which each word occurs."""
        item = np.repeat(self.item, self.of.sizes[self.text])
        pairs = np.unique(self.words() * self.items + item)
        return np.bincount(pairs // max(self.items, 1), minlength=self.of.different)

    def words(self) -> Integers:
        sizes, ends = self.of.sizes[self.text], self.of.ends[self.text]
        start = np.repeat(ends - np.cumsum(sizes), sizes)
        return np.asarray(self.of.words[start + np.arange(sizes.sum())])


@dataclass(frozen=True)
class _People:
    """Statistics of the references.

    `uses` (words,) marks the words that occur in them, and `endless` (words,) those of these words that hardly ever end
    a reference. `known` is the share of their words that also occur in other items, and `same` the share of equal pairs
    of references of different items.
    """

    uses: Mask
    endless: Mask
    known: float
    same: float

    @classmethod
    def of(cls, side: _Side) -> _People:
        texts, words = side.of, side.words()
        used = np.bincount(words, minlength=texts.different)
        filled = side.text[texts.sizes[side.text] > 0]
        last = np.bincount(texts.words[texts.ends[filled] - 1], minlength=texts.different)
        # A reference's words are looked up in other items, since in its own they would always be known.
        elsewhere = used[side.spread() > 1].sum()
        same = side.repetition()[0] if len(side.text) else 0.0
        endless = (used >= MIN_USES) & (last <= MAX_ENDINGS * used)
        return cls(used > 0, endless, elsewhere / max(len(words), 1), same)


def check(study: Study, pool: Pool, log: Log) -> dict[str, tuple[Habit, ...]]:
    """Report each kind of degenerate habit, with its worst run first, and runs with the same captions; return the
    `habits` of the study.

    Copied references are reported by `data.checks.run_checks`, with a repair.
    """
    found = habits(study)
    alike: dict[float, list[tuple[str, Habit]]] = defaultdict(list)
    for run, clauses in found.items():
        for what in clauses:
            if not what.startswith(COPIES):
                alike[what.kind].append((run, what))
    for of_kind in alike.values():
        (run, what), *more = sorted(of_kind, key=lambda one: -one[1].share)
        files = {pool.runs[name].file for name, _ in of_kind}
        others = [name for name, _ in more]
        one = len(more) == 1
        whose = f"Run {named(others)} has a similar fault" if one else f"Runs {named(others)} have similar faults"
        also = TrustedText(f" {whose}." if more else "")
        told, file = TrustedText(what.format(one="item")), files.pop() if len(files) == 1 else ""
        for name in (run, *others):
            log.add("degenerate_run", file, id=name, run=run, what=told, also=also)
    for names in twins(study):
        log.add("same_captions", pool.runs[names[0]].file, id="; ".join(names), names=TrustedText(named(names)))
    return found


@of_study
def twins(study: Study) -> tuple[tuple[str, ...], ...]:
    """Return groups of two or more runs, by name, that have the same captions for every item.

    Return () for fewer than MIN_COUNT items, whose captions may be equal by chance.
    """
    if len(study.items) < MIN_COUNT:
        return ()
    groups: dict[tuple[Captions, ...], list[str]] = {}
    for run in study.runs:
        groups.setdefault(tuple(run.candidates.get(item.id, ()) for item in study.items), []).append(run.name)
    return tuple(tuple(names) for names in groups.values() if len(names) > 1)


@of_study
def habits(study: Study) -> dict[str, tuple[Habit, ...]]:
    """Return the degenerate habits of each run; normal runs are absent.

    The habits of a run are sorted by gravity, and runs by their gravest habit: its kind, then its share.
    """
    captions = {run.name: [run.candidates.get(item.id, ()) for item in study.items] for run in study.runs}
    references = [item.references for item in study.items]
    said = References(references)
    texts = _Texts(text for side in (references, *captions.values()) for of_item in side for text in of_item)
    people = _People.of(texts.side(references))
    sides = {name: texts.side(side) for name, side in captions.items()}
    found = {name: [_copies(captions[name], said)] for name, side in sides.items() if len(side.text)}
    for name, clauses in found.items():
        clauses += [habit(sides[name], people) for habit in _HABITS]
    for run in study.runs:
        if run.name in found and _always_the_same(run.settings):
            found[run.name].pop()
    odd = {
        name: tuple(Habit(clause, kind, share) for kind, (clause, share) in enumerate(found[name]) if clause)
        for name in found
    }
    return dict(sorted(((n, of) for n, of in odd.items() if of), key=lambda one: (one[1][0].kind, -one[1][0].share)))


def _copies(captions: Sequence[Captions], references: References) -> _Clause:
    """Return the clause for a run that repeats references of its items far more often than people do."""
    how, items = references.copied(captions)
    of = sum(map(bool, captions))
    return (f"{COPIES} {how} on {_of_items(len(items), of)}", len(items) / of) if len(items) >= MIN_COUNT else _NONE


def _one_for_many(side: _Side, people: _People) -> _Clause:
    """Return the clause for a run that gives the same caption to all items, or to far more items than people do."""
    same, most = side.repetition()
    described = len(np.unique(side.item))
    if described < MIN_COUNT:
        return _NONE
    if same == 1:
        return f"gives one caption to all {described:,} {{one}}s", 1.0
    if most >= MIN_COUNT and same >= max(SAME_CAPTION, TIMES_REFERENCES * people.same):
        return (
            f"gives one caption to {most:,} of {described:,} {{one}}s, and the same caption to both {{one}}s in "
            f"{_percent(same)} of all pairs (references: {_percent(people.same)})",
            most / described,
        )
    return _NONE


def _other_words(side: _Side, people: _People) -> _Clause:
    words = side.words()
    known = float(people.uses[words].mean()) if len(words) else 0.0
    if len(words) < FEWEST_WORDS or people.known < REFERENCES_KNOWN_WORDS or known >= KNOWN_WORDS * people.known:
        return _NONE
    return (
        f"has other words than the references, as another language would: they use {_percent(known)} of its words, "
        f"and of their own {_percent(people.known)} in more than one {{one}}",
        1 - known,
    )


def _loops(side: _Side, people: _People) -> _Clause:
    looping = int(side.of.looping[side.text].sum())
    if looping < max(MIN_COUNT, MAX_LOOPING * len(side.text)):
        return _NONE
    share = looping / len(side.text)
    return f"says the same words again and again in {_percent(share)} of its captions", share


def _cut(side: _Side, people: _People) -> _Clause:
    unfinished = _unfinished(side, people)
    if unfinished * len(side.text) < MIN_COUNT or unfinished < MAX_UNFINISHED:
        return _NONE
    return f"ends {_percent(unfinished)} of its captions within a phrase, as cut or broken captions do", unfinished


def _same_samples(side: _Side, people: _People) -> _Clause:
    """Return the clause for a run whose captions are all equal within an item but differ between items."""
    several = np.bincount(side.item, minlength=side.items) > 1
    pairs = np.unique(side.of.alike[side.text] * side.items + side.item)
    different = np.bincount(pairs % side.items, minlength=side.items)
    same, many = int((several & (different == 1)).sum()), int(several.sum())
    if same < max(MIN_COUNT, SAME_SAMPLES * many) or side.repetition()[0] == 1:
        return _NONE
    return f"gives the same caption every time on {_of_items(same, many)} with several captions", same / many


def _always_the_same(settings: Settings) -> bool:
    """Return whether the decoding settings imply that all samples for an item are the same caption."""
    return settings.temperature == 0 or settings.decoder in ("greedy", "argmax", "beam")


_HABITS = (_one_for_many, _other_words, _loops, _cut, _same_samples)
"""Checks of a whole run that follow the check for copies, gravest first; the check of samples is last.

Each returns a clause, or `_NONE` if it does not apply.
"""


def _of_items(few: int, many: int) -> str:
    """Return a phrase such as "all 24 {one}s" or "96 % of {one}s"."""
    return f"all {many:,} {{one}}s" if few == many else f"{_percent(few / many)} of {{one}}s"


def _looping(words: Integers, text: Integers, texts: int) -> Mask:
    """(texts,) True if a phrase of up to three words occurs three times in a row, or a longer phrase twice."""
    found = np.zeros(texts, dtype=bool)
    for period in range(1, min(LONGEST_PHRASE, len(words) - 1) + 1):
        again = np.flatnonzero((words[:-period] == words[period:]) & (text[:-period] == text[period:]))
        needed = 2 * period if period <= 3 else period
        # Starts of sequences of `needed` consecutive positions whose words recur one period later in the same text.
        first = again[: max(len(again) - needed + 1, 0)]
        found[text[first[again[needed - 1 :] - first == needed - 1]]] = True
    return found


def _unfinished(side: _Side, people: _People) -> float:
    """Return the share of captions without a full stop whose last word hardly ever ends a reference."""
    texts = side.of
    filled = side.text[texts.sizes[side.text] > 0]
    ended = texts.words[texts.ends[filled] - 1]
    stopped = [k for k in filled[people.endless[ended]] if not texts.texts[k].rstrip().endswith(_CLOSED)]
    return len(stopped) / len(side.text)


def _percent(share: float) -> str:
    if 0 < share < 0.001:
        return "under 0.1 %"
    return f"{100 * share:.{0 if share >= 0.095 or not share else 1}f} %"
