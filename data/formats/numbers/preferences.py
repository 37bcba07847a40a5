"""Tables of pairs: which of two captions of an item people preferred, as in PASCAL-50S.

Each row is a pair with its votes, or one judgment. Suffixes of column names distinguish the two sides: a and b, 1 and
2, first and second, left and right.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from data.fields.names import ASKED_OF, IDS, REFERENCES, base, norm, rank, words
from data.fields.names import first as first_of
from data.files.printed_lists import listed
from data.findings import PEEK, TrustedText, clip
from data.formats.columns import metadata
from data.formats.columns.contents import cell_of, columns_of, is_written, values
from data.formats.columns.run_labels import label_runs
from data.formats.nesting.value_kinds import are_objects
from data.formats.numbers import chosen_rejected, scores
from data.formats.numbers.rater_columns import USERS, as_judged, named_judge, rater_column, rater_of, say_judges
from data.formats.numbers.rating_columns import CRITERION, bare_names
from data.formats.tables.table import Table
from data.judge_answers import JUDGE
from data.ratings.human_ratings import UNNAMED
from data.records import Part, PreferenceRow, Record, ScoreRow, Source, as_id, kind, plain

WINNER = ("winner", "preferred", "preference", "better", "choice", "answer", "chosen")
VOTES = ("votes", "vote", "wins")
TIED = ("ties", "votes_tie", "votes_tied", "tie_votes", "tied_votes", "draws")
CATEGORY = ("category", "kind", "type", "pair_type", "group")
_TIE = re.compile(
    r"0|=|draw|undecided|(?:tie|ties|tied|both|neither|none|equal|equally|same|no[ _]preference)(?:[^\w].*|_.*)?",
    re.DOTALL,
)
"""A cell that prefers neither side, such as `tie (both bad)`."""
_SIDES = (frozenset(("a", "1", "first", "left")), frozenset(("b", "2", "second", "right")))
_ROLES = {
    "run": ("run", "system", "model", "source"),
    "index": ("candidate_from_0", "candidate_from_1", "candidate_index", "caption_index", "index", "place"),
    "caption": ("caption", "candidate", "text", "sentence", "hypothesis", "description"),
    "votes": (*VOTES, "count", "preferred"),
}
_BESIDE_A_WINNER = {
    "run": ("generator", "assistant"),
    "caption": ("output", "response", "completion", "generation", "conversation"),
}
"""Further names, used by AlpacaEval, which count only beside a column that surely names the better side."""
_SURE_WINNER = frozenset(("winner", "preferred", "preference", "chosen"))
_ROLE_WORDS = frozenset(word for group in _ROLES.values() for word in group)
_COLUMN = re.compile(r"^(.*?)[_ ]?(a|b|1|2|first|second|left|right)$")
_SIDE_FIRST = re.compile(rf"(a|b|1|2|first|second|left|right)_({'|'.join(sorted(_ROLE_WORDS))})$")
_BY_RATER = re.compile(r"^(?:[a-z]{1,9}_?\d{1,2}|(?:rater|judge|annotator)_[a-z])_")
"""A rater or game with a number or letter before a word such as `winner`: `rater1_winner`, `g1_winner` in FastChat."""
_VERDICT = re.compile(r"(\s+(?:is|was)\s+(?:better|preferred)|\s+wins)?\s*\.?$")
"""The end of a sentence that states which side is better."""
_BETTER = frozenset(["better", "best", "preferred", "prefer", "preference", "winner"])
"""Words in a question about two captions."""
_HALF = 0.5


@dataclass
class Meaning:
    """The column number of each role, -1 for none; `sides` has, for each of the two captions, its columns by role.

    If numbered columns each name the winner, `winners` are all of them, and `winner` is the first. Without a column of
    items, rows with the same request in `asked` belong to one item; if there are no requests either, each row is an
    item if `alone`.
    """

    item: int = -1
    asked: int = -1
    alone: bool = False
    winner: int = -1
    winners: tuple[int, ...] = ()
    ties: int = -1
    criterion: int = -1
    category: int = -1
    sides: tuple[dict[str, int], dict[str, int]] = field(default_factory=lambda: ({}, {}))

    @property
    def complete(self) -> bool:
        """Whether the columns show which captions are compared and with what result."""
        named = all("run" in side or "caption" in side for side in self.sides)
        return (
            (max(self.item, self.asked) >= 0 or self.alone)
            and named
            and (self.winner >= 0 or all("votes" in side for side in self.sides))
        )


def matches(value: Any) -> bool:
    """Return whether a value is a list of objects that are rows of pairs."""
    first = value[:PEEK] if isinstance(value, list) else None
    if not are_objects(first):
        return False
    header, rows = columns_of(first)
    return is_preferences(Table(header, (("", row) for row in rows)))


def is_tie(said: str) -> bool:
    """Return whether a cell, in lower case, prefers neither side."""
    return _TIE.fullmatch(said) is not None


def is_preferences(found: Table) -> bool:
    """Return whether a table contains pairs, judging by its columns."""
    seen = chosen_rejected.in_pairs(Table(found.header, iter(found.peek())))
    return _are_pairs(seen.header, seen.sample())


def _are_pairs(header: Sequence[str], sample: Sequence[Sequence[Any]]) -> bool:
    """Return whether columns define pairs; `model_a` and `model_b` do not if their cells are captions."""
    meaning = _meaning(header, sample)
    runs = [side["run"] for side in meaning.sides if "run" in side]
    return meaning.complete and not any(is_written(sample, k) for k in runs)


def _meaning(header: Sequence[str], sample: Sequence[Sequence[Any]]) -> Meaning:
    names = [_SIDE_FIRST.sub(r"\2_\1", name) for name in bare_names(header)[0]]
    first = partial(first_of, names)
    parts = [(name, _BY_RATER.sub("", base(name))) for name in names]
    winners = tuple(k for k, (name, said) in enumerate(parts) if name != said in ("winner", "preference", "choice"))
    winners = winners if first(WINNER) < 0 else ()
    winner = max(first(WINNER), *winners[:1], -1)
    winner = winner if winner >= 0 else next((k for k in range(len(names)) if _are_verdicts(header, sample, k)), -1)
    found = Meaning(first(IDS), -1, False, winner, winners, first(TIED), first(CRITERION), first(CATEGORY))
    more = _BESIDE_A_WINNER if found.winner >= 0 and base(names[found.winner]) in _SURE_WINNER else {}
    known = {role: (*of, *more.get(role, ())) for role, of in _ROLES.items()}
    for place, name in enumerate(names):
        match = _COLUMN.match(name)
        role = next((role for role, words in known.items() if match and match[1] in words), None)
        if match and role and place not in (found.item, found.winner, *found.winners):
            found.sides[match[2] in _SIDES[1]].setdefault(role, place)
    if all("run" in side for side in found.sides):
        for place, name in enumerate(names):
            for side, words in zip(found.sides, _SIDES):
                if name in words and "caption" not in side and is_written(sample, place):
                    side["caption"] = place
    own = _ROLES["caption"]
    if more and not all("run" in side for side in found.sides):  # other names for captions are those of AlpacaEval
        for side in found.sides:
            if "caption" in side and (match := _COLUMN.match(names[side["caption"]])) and match[1] not in own:
                del side["caption"]
    if found.item < 0 and all({"run", "caption"} <= side.keys() for side in found.sides):
        found.asked = first(ASKED_OF)
    found.alone = bool(more) and max(found.item, found.asked) < 0 and all("run" in side for side in found.sides)
    return found


def load(source: Source, found: Table) -> Part:
    """Return the pairs in a table; report judgments that name neither side, and a table without columns of pairs."""
    found = chosen_rejected.in_pairs(found, source)
    meaning = _meaning(found.header, sample := found.sample())
    part = Part(source.name, "preferences", [], 0, stem=source.run)
    if not meaning.complete:
        columns = TrustedText(", ".join(clip(name) for name in found.header[:12]))
        source.log.add("no_table_columns", source.name, what="pairs", columns=columns)
        return part
    people = [k for k, name in enumerate(found.header) if rank(name, REFERENCES) is not None]
    people = [k for k in people if is_written(sample, k) or any(isinstance(one, list) for one in values(sample, k))]
    said: dict[str, Record] = {}
    asked = _Asked(found.header, meaning, said)
    rater = rater_column(found.header, sample, range(len(found.header)), by_run=True)
    winners = [k for k in meaning.winners or (meaning.winner,) if k >= 0]
    unsure = rater < 0 or norm(found.header[rater]) in USERS
    judges = {k: judge for k in winners if unsure and (judge := named_judge(found.header[k]))}
    say_judges(source, found.header, sample, rater, judges.values())
    for where, row in map(asked.with_item, found.rows):
        part.n_records += 1
        _add_references(source, where, row, meaning.item, people, said)
        each = [replace(meaning, winner=k) for k in meaning.winners or (meaning.winner,)]
        for one in each:
            who = judges.get(one.winner) or rater_of(row, rater, found.header)
            part.preferences += [as_judged(made, who)] if (made := _row(source, where, row, one)) is not None else []
    asked.say(source)
    if not any("run" in side for side in meaning.sides):
        source.log.add("pairs_unnamed", source.name)
    used = {meaning.item, meaning.asked, meaning.winner, *meaning.winners, meaning.ties, meaning.criterion}
    used |= {meaning.category, *people, *(k for side in meaning.sides for k in side.values())}
    used |= {rater} if not judges and any(one.criterion.startswith(JUDGE) for one in part.preferences) else set()
    metadata.say(source.log, "ignored_columns", source.name, [n for k, n in enumerate(found.header) if k not in used])
    matches = (_COLUMN.match(norm(found.header[k])) for side in meaning.sides for k in side.values())
    sides = (side for row in part.preferences for side in (row.first, row.second))
    part.counts_from_zero = scores.count_from_zero((match[1] for match in matches if match), sides)
    part.records = _captions(part.preferences, said)
    part.labels = label_runs(source, dict.fromkeys(run for record in part.records for run in record.candidates))
    return part


class _Asked:
    """Adds a column of items to rows without one: the number of their request or, without requests, of the row.

    The request itself becomes metadata of the item.
    """

    def __init__(self, header: Sequence[str], meaning: Meaning, records: dict[str, Record]) -> None:
        self._place, self._records, self._known = meaning.asked, records, dict[str, str]()
        self._name = clip(header[meaning.asked]) if meaning.asked >= 0 else ""
        self._alone, self._rows = meaning.alone, 0
        if meaning.asked >= 0 or meaning.alone:
            meaning.item = len(header)

    def with_item(self, numbered: tuple[str, Sequence[Any]]) -> tuple[str, Sequence[Any]]:
        """Return a row with its place, and with its item as the last cell if no column has it."""
        where, row = numbered
        if self._alone:
            self._rows += 1
            return where, [*row, f"pair {self._rows}"]
        if self._place < 0:
            return numbered
        asked = str(row[self._place] if self._place < len(row) else "")
        id = self._known.setdefault(asked, str(len(self._known) + 1))
        record = self._records.setdefault(id, Record(id, where))
        if 0 < len(asked) <= metadata.LONGEST:
            record.metadata[self._name] = plain(asked)
        return where, [*row, id]

    def say(self, source: Source) -> None:
        """Report that rows were matched by their request, or that each row was taken for an item of its own."""
        if self._rows:
            source.log.add("pairs_numbered", source.name, n=self._rows)
        if self._known:
            source.log.add("told_by", source.name, column=f"`{self._name}`", n=len(self._known))


def _add_references(
    source: Source, where: str, row: Sequence[Any], item: int, people: list[int], said: dict[str, Record]
) -> None:
    id = as_id(cell_of(row, item)) if people else None
    if id is not None:
        record = said.setdefault(id, Record(id, where))
        cells = (cell for k in people for cell in values([row], k))
        texts = [text for cell in cells for text in source.captions(cell, "reference", where, id)]
        record.references += [text for text in texts if text not in record.references]


def _captions(rows: Sequence[PreferenceRow], records: dict[str, Record]) -> list[Record]:
    """Return the records, adding captions from pairs that name their runs, in case no other file has candidates."""
    for side in (side for row in rows for side in (row.first, row.second)):
        if side.run is None or side.caption is None or side.item is None:
            continue
        texts = records.setdefault(side.item, Record(side.item, side.where)).candidates.setdefault(side.run, [])
        if side.caption not in texts:
            texts.append(side.caption)
    return list(records.values())


def _row(source: Source, where: str, row: Sequence[Any], meaning: Meaning) -> PreferenceRow | None:
    cell = partial(cell_of, row)
    if cell(meaning.item) in (None, ""):
        source.log.add("missing_id", source.name, where)
        return None
    item = source.checked_id(cell(meaning.item), where)
    if item is None:
        return None
    sides = [{role: cell(column) for role, column in side.items()} for side in meaning.sides]
    first, second = (_caption(where, item, side) for side in sides)
    ties = scores.number(cell(meaning.ties)) or 0.0
    votes = _votes(sides, cell(meaning.winner), meaning.winner >= 0, ties)
    if votes is None:
        found = kind(cell(meaning.winner)) if meaning.winner >= 0 else "no pair of numbers"
        source.log.add("pair_unclear", source.name, where, item, found=TrustedText(found))
        return None
    criterion = as_id(cell(meaning.criterion)) or UNNAMED
    return PreferenceRow(first, second, *votes[:2], criterion, as_id(cell(meaning.category)) or "", votes[2])


def _caption(where: str, item: str, side: dict[str, Any]) -> ScoreRow:
    index, text = scores.whole(side.get("index")), side.get("caption")
    if turns := listed(text) if isinstance(text, str) else text if isinstance(text, list) else None:
        text = turns[-1].get("content") if isinstance(turns[-1], dict) else turns[-1]  # the last answer
    if index is None and "run" in side:
        index = scores.whole(text)  # `candidate_a` may be a position
    caption = text if index is None and isinstance(text, str) and text.strip() else None
    return ScoreRow(where, "", None, as_id(side.get("run")), item, index, caption)


def _votes(
    sides: Sequence[dict[str, Any]], winner: Any, stated: bool, ties: float
) -> tuple[float, float, float] | None:
    """Return the votes for each side, with half of the ties, and the number of ties; None if the row does not state
    them.

    Two counts that both end in a half include a tie.
    """
    one, other = (scores.number(side.get("votes")) for side in sides)
    if one is not None and other is not None and min(one, other, ties) >= 0 and one + other + ties > 0:
        return one + ties / 2, other + ties / 2, ties + (one % 1 == other % 1 == _HALF)
    if not stated:
        return None
    if (value := scores.number(winner)) is not None and 1 < value < len(_SIDES):
        return len(_SIDES) - value, value - 1, 0.0 if value % 1 != _HALF else 1.0
    said = _VERDICT.sub("", str("" if winner is None else winner).strip().lower())
    if isinstance(winner, float) and math.isfinite(winner) and winner == int(winner):
        said = str(int(winner))
    names = [str(side.get("run") or "").strip().lower() for side in sides]
    for place, votes in enumerate(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))):
        if said in _SIDES[place] or (said and said == names[place]) or _names_side(said, place):
            return votes
    return (_HALF, _HALF, 1.0) if is_tie(said) else None


def _are_verdicts(header: Sequence[str], sample: Sequence[Sequence[Any]], place: int) -> bool:
    """Return whether all cells of a column are verdicts: sentences such as "Caption 1 is better.", or ties.

    Below a question such as "Which is better?", the name of a side is enough.
    """
    told = [str(cell).strip().lower() for cell in values(sample, place)]
    asked = bool(_BETTER & {*words(header[place])})
    ends = [found[1] for one in told if (found := _VERDICT.search(one))]
    bare = [_VERDICT.sub("", one) for one in told]
    sides = _SIDES[0] | _SIDES[1] if asked else frozenset[str]()
    named = [is_tie(one) or one in sides or _names_side(one, 0) or _names_side(one, 1) for one in bare]
    return (any(ends) or (asked and bool(told))) and all(named)


def _names_side(said: str, place: int) -> bool:
    match = _COLUMN.match(said)
    return match is not None and match[1] in _ROLE_WORDS and match[2] in _SIDES[place]
