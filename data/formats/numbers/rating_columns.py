"""Columns of ratings by people, found by their names and contents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from data.fields.criteria import BESIDE, CHALLENGE, COUNTED, CRITERIA, ENDS, HINTS, PERHAPS, VALUE, can_be_person
from data.fields.directions import OF_METRICS, is_error
from data.fields.names import ASKED_OF, IDS, NEUTRAL, NO_CAPTION, REFERENCES, TOLD_OF, base, leaf, norm, whose, words
from data.fields.names import first as first_of
from data.fields.word_lists import in_name
from data.findings import TrustedText, named
from data.formats.columns import caption_columns, rating_words, roles
from data.formats.columns.assigned_roles import called_ids, with_stated
from data.formats.columns.contents import is_source, is_written, values
from data.formats.columns.run_columns import named_caption
from data.formats.columns.shared_ids import shared_by_runs
from data.formats.numbers import scales, scores
from data.formats.numbers.rater_columns import rater_column
from data.ratings.human_ratings import UNNAMED
from data.records import Columns, Source, as_id

SCORE = ("score", "value")
"""Names for a column of ratings, if there is also a column of criteria or raters."""
LABEL = ("coherence_label", "coherence")
"""Names for a column of coherence labels, if it has no numbers; RaCCoon's is `source`."""
CRITERION = ("criterion", "aspect", "dimension", "question", "criteria")

_SOURCES = frozenset([*TOLD_OF, *ASKED_OF, "original", "complex", "reference"])
_RATED_TEXTS = frozenset([*NEUTRAL, "result", "simplification", "paraphrase", "rewrite", "continuation"])
_RATERS = frozenset(["expert", "rater", "annotator", "worker", "judge", "human", "rating"])
_MARKED = re.compile(r"^(?:human|rating)[_: ]\s*(.+)$|^(.+)[_: ]rating$", re.IGNORECASE)
_LONGEST_SCALE = 10
_NUMBER = re.compile(r"^(.*?)_?(\d{1,2})$")
_OF_RATER = re.compile(r"(expert|rater|annotator|worker|judge|bewerter)_([^\W\d_]+)")
_RATER_FIRST = re.compile(r"(?=[a-z]+\d{1,2}_(.+))([a-z]+\d{1,2})_.+")
"""A numbered rater before a criterion, which is the first group: `a1_fluency`."""
_IN_BRACKETS = re.compile(r"(.+?)[(\[]([^()\[\]\d][^()\[\]]*)[)\]]")
_PARTS = re.compile(r"[\s_:.|()\[\]–-]+")
_A_RATER = re.compile(r"(expert|rater|annotator|worker|judge|evaluator|bewerter) ?(\d{1,2}|[a-z])", re.IGNORECASE)
_INITIAL = re.compile(r"[ar]\d{1,2}", re.IGNORECASE)  # annotator 1, rater 1
_UNNAMED_PARTS = frozenset([*VALUE, "human"])


@dataclass
class Meaning:
    """The column number of each role; -1 for none. `wide` has the criterion and rater of each column."""

    item: int = -1
    run: list[int] = field(default_factory=list)
    settings: dict[str, int] = field(default_factory=dict)
    index: int = -1
    caption: int = -1
    value: int = -1
    criterion: int = -1
    rater: int = -1
    label: int = -1
    wide: dict[int, tuple[str, str]] = field(default_factory=dict)

    @property
    def used(self) -> set[int]:
        """All columns with a role."""
        rest = (self.item, self.index, self.caption, self.value, self.criterion, self.rater, self.label)
        return {*self.run, *self.settings.values(), *self.wide, *rest}


def recognised(header: Sequence[str], rows: Sequence[Sequence[Any]], stem: str) -> bool:
    """Return whether a table contains ratings."""
    names = [norm(name) for name in header]
    if {"metric", "value"} <= set(names):
        return False
    meaning = meaning_of(header, rows, stem)
    texts = [k for k in range(len(header)) if k not in meaning.used - {meaning.caption} and is_written(rows, k)]
    if meaning.item < 0 and texts:
        return False  # ratings of texts rather than of whole systems
    if not meaning.run and sum(named_caption(header[k]) for k in texts) > 1:
        return False  # captions of several runs beside the ratings of each
    return (meaning.value >= 0 or bool(meaning.wide)) and (meaning.item >= 0 or bool(meaning.run))


def meaning_of(header: Sequence[str], rows: Sequence[Sequence[Any]], stem: str) -> Meaning:
    """Return the role of each column, by its name and the first rows."""
    names, answers = bare_names(header)
    first = partial(first_of, names)
    found = Meaning(run=roles.run_columns(header, rows))
    found.settings = roles.setting_columns(names, rows)
    found.index = next((k for name in scores.INDEX if (k := first([name])) >= 0 and scores.counts(rows, k)), -1)
    found.caption = first(scores.CAPTION, {found.index, *found.run})
    found.criterion = first(CRITERION)
    beside = [k for k in range(len(header)) if k not in {*found.run, found.criterion}]
    found.rater = rater_column(header, rows, beside, by_run=bool(found.run))
    found.label = _label_column(names, rows)
    taken = {*found.run, found.index, found.caption, found.criterion, found.rater, found.label}
    found.item = first(IDS, taken)
    found.item = roles.instead_of_uuid(header, rows, found.item, taken)
    if found.item < 0 and min(found.criterion, found.rater) >= 0:  # one row per item, criterion and rater
        found.item = next((k for k in called_ids(header, rows, of_items=True) if k not in taken), -1)
    if found.item < 0 and (shared := shared_by_runs(rows, [], found.run, taken)) is not None:
        found.item = shared
    if found.criterion >= 0 and names[found.criterion] == "question" and found.caption >= 0 <= found.item:
        # What a model was asked once about each item is not a criterion by which people rated its answer.
        told = [str(row[found.item]) for row in rows if found.item < len(row)]
        found.criterion = -1 if len(set(told)) == len(told) else found.criterion
    known = (*VALUE, *SCORE) if max(found.criterion, found.rater) >= 0 else VALUE
    unrated = {k for k in range(len(header)) if is_written(rows, k) or not scales.are_ratings(rows, k)}
    found.value = first(known, unrated)
    taken |= {found.item}
    wide = _wide(header, rows, stem, taken, systems=found.item < 0 and bool(found.run))
    if wide and found.item >= 0 and max(found.caption, found.criterion) < 0:
        wide |= _alike(header, rows, wide, {*wide, *taken, *found.settings.values()})
    wide |= {k: (names[k], "") for k in answers if scales.are_ratings(rows, k) and found.caption >= 0}
    if found.rater >= 0 <= found.item and found.value < 0:  # numbers that people gave, such as `esa_score`
        free = [k for k, name in enumerate(names) if k not in taken and words(name)[-1:] == ["score"]]
        free = [k for k in free if not OF_METRICS.match(names[k]) and scales.are_ratings(rows, k)]
        wide |= {k: (names[k], "") for k in free}
    if found.criterion < 0 and (found.value not in wide or len(wide) > 1):
        found.value, found.wide = (-1, wide) if wide else (found.value, {})
    elif found.value < 0 and all(rater for _, rater in wide.values()):
        found.wide = wide
    if max(found.caption, found.index) < 0 <= found.item and (found.value >= 0 or found.wide):
        found.caption = _text_column(header, rows, found)
    return found


def item_of_runs(header: Sequence[str], rows: Sequence[Sequence[Any]], found: Meaning) -> int:
    """Return the column of items: the one in `found`, or another column if runs share ids only in the other column.

    In Label Studio, for example, each task has a single caption.
    """
    beside = [k for k in caption_columns.ranked(header, IDS) if k not in found.used]
    shared = shared_by_runs(rows, [found.item, *beside], found.run, found.used) if found.item >= 0 else None
    return found.item if shared is None else shared


def _text_column(header: Sequence[str], rows: Sequence[Sequence[Any]], found: Meaning) -> int:
    """Return the only column of texts that may have been rated, or -1.

    If there is a column of runs, or if there are several columns of texts, its name must mean captions.
    """
    able = [k for k, name in enumerate(header) if k not in found.used and not set(words(name)) & NO_CAPTION]
    able = [k for k in able if leaf(header[k]) not in _SOURCES and whose(header[k]) != "people" and is_written(rows, k)]
    able = [k for k in able if not is_source(rows, k, [one for one in able if one != k])]
    named = [k for k in able if base(leaf(header[k])) in _RATED_TEXTS]
    chosen = named if found.run or len(able) != 1 else able
    return chosen[0] if len(chosen) == 1 else -1


def bare_names(header: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return the normalised names without Mechanical Turk's prefixes `Input.` and `Answer.`, and the columns of
    answers.
    """
    names = [norm(name) for name in header]
    answers = [k for k, name in enumerate(names) if name.startswith("answer.")]
    bare = [name.removeprefix("input.").removeprefix("answer.") for name in names]
    shown = any(name.startswith("input.") for name in names) and len(set(bare)) == len(bare)
    return (bare, answers) if answers and shown else (names, [])


def _label_column(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> int:
    found = first_of(list(names), LABEL)
    if found >= 0 and not scores.numbers(rows, found):
        return found
    return names.index("source") if "source" in names and {"human:visible", "human:story"} <= set(names) else -1


def _wide(
    header: Sequence[str], rows: Sequence[Sequence[Any]], stem: str, taken: set[int], systems: bool
) -> dict[int, tuple[str, str]]:
    """Return the criterion and rater of each column whose name means ratings; numbers in names denote raters.

    In a table of `systems`, without items, any one of M1 to M5 is enough; in a table with items, M1 and M2 must exist.
    """
    names = [norm(name) for name in header]
    several, people = by_rater(header, rows), by_person(header, rows)
    found: dict[int, tuple[str, str]] = {}
    sure = bool(HINTS & set(in_name(stem)))
    for place, name in enumerate(names):
        if place in taken or not scales.are_ratings(rows, place) or are_answers(header[place], rows, place):
            continue
        if name.startswith("human:") and (stated := as_id((as_id(header[place]) or "")[len("human:") :])):
            found[place], sure = (stated, ""), True
            continue
        said, rater = several.get(place, (name, ""))
        base = ENDS.sub("", norm(said))
        marked = None if base in CRITERIA else _MARKED.match(base if rater else (as_id(header[place]) or base))
        if base in CRITERIA or base in PERHAPS or marked or (rater and base in _RATERS) or place in people:
            known = next(group for group in marked.groups() if group) if marked else base
            written = as_id(header[place]) or known
            found[place] = (UNNAMED if base in _RATERS and rater else known if marked or rater else written, rater)
            sure |= base not in PERHAPS
    challenge = CHALLENGE & {criterion.lower() for criterion, _ in found.values()}
    sure |= bool(challenge) if systems else {"m1", "m2"} <= challenge
    if (HINTS & set(in_name(stem)) or set(names) & set(CRITERION)) and not (found or systems):
        return _of_no_name(header, rows, taken)
    return found if sure else {}


def by_rater(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[int, tuple[str, str]]:
    """Return the common name and the rater of each of the columns of ratings whose names differ only in a number or in
    brackets.

    Examples are `fluency_1` and `fluency_2`, `fluency (Ann)` and `fluency (Bob)`, and `a1_fluency` and `a2_fluency`.
    Names such as `rater1` become `rating`.
    """
    names = {k: norm(name) for k, name in enumerate(header) if norm(name) not in PERHAPS}
    told = {
        k: _IN_BRACKETS.fullmatch(header[k].strip()) or _NUMBER.match(name) or _OF_RATER.fullmatch(name)
        for k, name in names.items()
    }
    before = {k: match for k, name in names.items() if (match := _RATER_FIRST.fullmatch(name)) and match[1] in BESIDE}
    told |= before
    parts = {
        k: (match[1].strip(" _"), match[2].strip())
        for k, match in told.items()
        if match and scales.are_ratings(rows, k)
    }
    parts |= by_person(header, rows)
    counts = Counter(norm(name) for name, _ in parts.values())
    return {
        k: (UNNAMED if norm(name) in _RATERS else name, rater)
        for k, (name, rater) in parts.items()
        if counts[norm(name)] > 1
    }


def by_person(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[int, tuple[str, str]]:
    """Return the criterion and the rater of columns whose names join a criterion and a word that can be a person's.

    Examples are `Rating Ann` and `Rating Bob`, or `fluency_ann` and `accuracy_ann` beside `fluency_bob` and
    `accuracy_bob`. Every rater has every criterion; there must be two criteria if the words are in lower case or
    precede a criterion. Beside words for raters, as in `vividness_rater1` or `Vividness (Rater 1)`, any criterion is
    accepted.
    """
    found: dict[int, tuple[str, str]] = {}
    first, unknown = set[int](), set[str]()
    for k, name in enumerate(header):
        parts = [part for part in _PARTS.split(name) if part]
        for said, rest, before in _ends(parts):
            known = norm("_".join(rest))
            sure, counted = known in BESIDE.union(_UNNAMED_PARTS), _rater(said)
            who = counted or ("" if _IN_BRACKETS.fullmatch(name.strip()) else _person(said))
            if who and (sure or (counted and _may_be_criterion(known, who))) and scales.are_ratings(rows, k):
                found[k] = (" ".join(rest), who)
                unknown |= set() if sure else {known}
                first |= {k} if before and not counted and len(said) == 1 and known not in _UNNAMED_PARTS else set()
                break
    told: dict[str, set[str]] = {}
    for criterion, who in found.values():
        told.setdefault(norm(criterion), set()).add(who)
    sets = [of for name, of in told.items() if name not in unknown] or list(told.values())
    if not sets or len(sets[0]) < 2 or any(one != sets[0] for one in sets):
        return {}
    plain = not first and all(rater.istitle() for rater in sets[0])
    same = {k: of for k, of in found.items() if told[norm(of[0])] == sets[0]}
    return same if plain or len(sets) > 1 else {}


def _may_be_criterion(name: str, who: str) -> bool:
    """Return whether a name beside a word for raters can be a criterion; beside "Judge", it may be a metric's score."""
    counts = set(words(name)) & COUNTED or OF_METRICS.match(name) or is_error(name)
    return not counts and not who.startswith("Judge")


def is_rater(who: str) -> bool:
    """Return whether a rater is named by a word for raters and a number or letter: `Rater 1`."""
    return _A_RATER.fullmatch(who) is not None


def _rater(said: list[str]) -> str:
    match = _A_RATER.fullmatch(" ".join(said))
    return f"{match[1]} {match[2]}".title() if match else ""


def _ends(parts: list[str]) -> list[tuple[list[str], list[str], bool]]:
    """Return one or two words at either end of a name, the other words, and whether the ending words come first."""
    behind = [(parts[-n:], parts[:-n], False) for n in (1, 2) if n < len(parts)]
    return behind + [(parts[:n], parts[n:], True) for n in (1, 2) if n < len(parts)]


def _person(said: list[str]) -> str:
    """Return the rater: a word that can be a person's name (`Ann's`), or a word for raters with a number; else ""."""
    name = re.sub(r"['’]s$", "", said[-1])
    if len(said) == 1:
        return name if can_be_person(name) or _INITIAL.fullmatch(name) else ""
    return " ".join(said).title() if said[0].lower() in _RATERS - {"human", "rating"} and name.isalnum() else ""


def say_people(source: Source, header: Sequence[str], rows: Sequence[Sequence[Any]], read: Mapping[int, Any]) -> None:
    """Report which words in the names of the columns `read` were taken for raters, though they may be criteria."""
    whole = {k: of for k, of in read.items() if of == (UNNAMED, header[k].strip())}
    named_by = {k: of for k, of in (by_person(header, rows) | whole).items() if k in read}
    unsure = not all(is_rater(who) for _, who in named_by.values())
    if unsure and len({criterion for criterion, _ in named_by.values()}) == 1:
        option = "rating=" + "+".join(header[k] for k in named_by)
        names = TrustedText(named([rater for _, rater in named_by.values()]))
        source.log.add("raters_perhaps", source.name, names=names, option=option)


def are_answers(name: str, rows: Sequence[Sequence[Any]], place: int) -> bool:
    """Return whether a column contains people's answers rather than ratings, such as `human_answer` with yes and no."""
    told = {*words(name)}
    return scales.has_words(rows, place) and (told <= {"human", "expert"} or bool(told & {*NEUTRAL, *REFERENCES}))


def _of_no_name(header: Sequence[str], rows: Sequence[Sequence[Any]], taken: set[int]) -> dict[int, tuple[str, str]]:
    """Return the name of the ratings and the rater ("" for none) of each column of numbers, if the table has no texts.

    Columns of metrics and counts are left out. Each of several columns has the ratings of one person if all their names
    can be people's: if they are capitalised, or if there is also a column of criteria.
    """
    if any(is_written(rows, k) for k in range(len(header))):
        return {}
    able = [k for k in range(len(header)) if k not in taken and not set(words(header[k])) & COUNTED]
    able = [k for k in able if scales.are_ratings(rows, k) and not OF_METRICS.match(norm(header[k]))]
    named = {k: written for k in able if (written := as_id(header[k])) is not None}
    criteria = any(norm(name) in CRITERION for name in header)
    people = len(named) > 1 and all(can_be_person(one) and (criteria or one.istitle()) for one in named.values())
    return {k: (UNNAMED, name) if people else (name, "") for k, name in named.items()}


def _alike(
    header: Sequence[str], rows: Sequence[Sequence[Any]], found: Iterable[int], taken: Collection[int]
) -> dict[int, tuple[str, str]]:
    """Return further criteria: the columns of whole numbers on the scale of the ratings `found`, such as 1 to 5.

    This applies only to files without captions, in which counts are rare and recognised by their names.
    """
    scale = [value for k in found for value in _values(rows, k)]
    if (
        not scale
        or not all(value.is_integer() for value in scale)
        or not 0 <= min(scale) < max(scale) <= _LONGEST_SCALE
    ):
        return {}
    able = [k for k in range(len(header)) if k not in taken and not set(words(header[k])) & COUNTED]
    told = {k: _values(rows, k) for k in able if scales.are_ratings(rows, k)}
    ends = min(1.0, *scale), max(scale)
    same = [k for k, of in told.items() if all(one.is_integer() and ends[0] <= one <= ends[1] for one in of)]
    return {k: (written, "") for k in same if (written := as_id(header[k])) is not None}


def _values(rows: Sequence[Sequence[Any]], column: int) -> list[float]:
    cells = [one for cell in values(rows, column) for one in rating_words.listed(cell)]
    return [value for one in cells if (value := scales.parsed(one)[0]) is not None]


def stated(found: Meaning, header: Sequence[str], given: Columns) -> Meaning:
    """Return the roles of columns, changed by a person's roles if these include columns of ratings."""
    place = {name: k for k, name in enumerate(header)}
    if not given.ratings or not set(given.named) <= place.keys():
        return found
    wide = {k: of for k, of in found.wide.items() if header[k] not in given.named}
    wide |= {place[name]: (name.strip(), "") for name in given.ratings}
    apart = {place[name] for name in given.named}
    found = replace(found, value=-1, criterion=-1, wide=dict(sorted(wide.items())))
    for name in ("item", "index", "caption", "label", "rater"):
        if getattr(found, name) in apart:
            setattr(found, name, -1)
    found.settings = with_stated(found.settings, {norm(name): place[name] for name in given.settings})
    found.item = place[given.id[0]] if given.id else found.item
    found.run = [place[given.run]] if given.run else found.run
    found.rater = place[given.rater] if given.rater else found.rater
    found.caption = place[given.captions[0]] if given.captions else found.caption
    return found


def of_people(header: Sequence[str], rows: Sequence[Sequence[Any]], stem: str) -> tuple[str, ...]:
    """Return the names of all columns of numbers in a file named after people; () for other files and if any column is
    named after a metric.
    """
    if not HINTS & set(in_name(stem)):
        return ()
    names = [header[k] for k in scores.wide(header, rows)]
    return () if any(OF_METRICS.match(norm(name)) or is_error(norm(name)) for name in names) else tuple(names)
