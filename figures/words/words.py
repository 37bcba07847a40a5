"""Sentences and tables about the words of a run compared with people's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pandas as pd

from data.study import Study
from figures.export.table import Table
from figures.style.escaping import Strong, short
from figures.style.numbers import P_VALUE, count, p_text
from figures.style.wording import item_noun
from figures.words.chart import Row, how_often, rate
from metrics.analysis.words.usage import Usage, Use
from metrics.permutation.pvalues import ALPHA
from metrics.text.content_words import FUNCTION_WORDS

COLUMNS = (
    *("run", "unit", "term", "run_per_1000", "people_per_1000", "run_images", "people_images", "images"),
    *("log_odds", "ci_low", "ci_high", "times", "times_low", "times_high"),
    *("statistic", "p_value", "p_adjusted", "signature"),
)
SIDE, LEAST = 10, 5
"""Words per side in the figure: at most SIDE significant content words; fewer than LEAST are filled up with others."""
_NAMED = 3
FEW = 10
"""The number of words below which the verdict begins with it: so few words do not describe a run."""
HOW = (
    "How often: the share of all words, with each {0} counting once; times: the run's share divided by people's. Bars: "
    "for each word by itself, the ratios that the test of p does not reject at 5 %. A bar therefore excludes 1 exactly "
    "where p without correction is at most 0.05. Files also have the log-odds of Monroe, Colaresi and Quinn (2008), "
    "shrunk by a prior of 500 words.",
    "p: captions by people and by the run swap sides at random within each {0}, so both sides are compared on the "
    "same {0}s. This is done with all captions and, as a run may repeat itself, also with only one of the run's "
    "captions per {0}; the larger p counts. p is corrected over all words of the list (step-down maximum), so the "
    "chance of any false finding is at most 5 %. A phrase and its parts are found together.",
)


def how(study: Study) -> tuple[str, ...]:
    """Return how the numbers were computed, with the study's own noun."""
    return tuple(text.format(item_noun(study)) for text in HOW)


def as_row(one: Use) -> Row:
    """Return a word as a row of the figure."""
    times, low, high = (_log(of) for of in (one.times, one.times_low, one.times_high))
    return Row(one.term, times, low, high, one.run, one.people, one.adjusted, one.significant)


def _log(times: float) -> float:
    return math.log(times) if times > 0 else -math.inf


def shown(found: Usage) -> tuple[list[Row], list[Row]]:
    """Return the words of the figure: the surest of each side, content words first, sorted by descending ratio.

    Of phrases that contain each other, only one is shown.
    """
    over, under = _sides(found)
    return [as_row(one) for one in over], [as_row(one) for one in under]


def _sides(found: Usage) -> tuple[list[Use], list[Use]]:
    sides = [row for row in found.rows if row.statistic > 0], [row for row in found.rows[::-1] if row.statistic < 0]
    over, under = (_drawn(rows) for rows in sides)
    if over or under:
        return over, under
    return _surest(sorted(sides[0], key=_is_function), LEAST), _surest(sorted(sides[1], key=_is_function), LEAST)


def _drawn(rows: Sequence[Use]) -> list[Use]:
    """Content words that differ, then function words that do, which say little, then content words whose bars exclude
    1."""
    content, function = ([row for row in rows if _is_function(row) == is_one] for is_one in (False, True))
    kept = _surest([row for row in content if row.significant], SIDE)
    kept += [row for row in function if row.significant][: max(LEAST - len(kept), 0)]
    return _surest(
        [*kept, *(row for row in content if not row.significant and row.p_value <= ALPHA)], max(LEAST, len(kept))
    )


def _surest(rows: Sequence[Use], side: int) -> list[Use]:
    """The first `side` rows that do not overlap, sorted by descending ratio."""
    kept: list[Use] = []
    for one in rows:
        if len(kept) == side:
            break
        if not any(_overlap(one.term, other.term) for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: (-round(_log(one.times), 6), -one.statistic))


def _overlap(one: str, other: str) -> bool:
    if " " not in one:
        return False
    return f" {one} " in f" {other} " or f" {other} " in f" {one} "


def verdict(found: Usage, run: str) -> list[str]:
    """Return the surest significant words that the run uses more or less often than people, if any."""
    unit = found.design.unit
    over, under = _told(found)
    rows = count(len(found.rows), unit[:-1])
    few = [Strong(f"Only {rows} can be compared"), ". "] if len(found.rows) < FEW else []
    if not over and not under:
        none = f"No {unit[:-1]} is used significantly more or less often by {run} than by people"
        return [*few, f"{none}."] if few else [Strong(none), f" after correction for {rows}."]
    small = all(map(_is_function, (*over, *under)))
    parts: list[str] = [*few, *(["Only small words clearly differ: "] if small else []), Strong(run), " says "]
    if over:
        parts += [_listed(over), " more often than people"]
    if under:
        parts += [" and " if over else "", _listed(under[::-1]), " less often" if over else " less often than people"]
    told = len(found.over) + len(found.under)
    return [*parts, "." if few or small else f". {told:,} of {rows} {'differs' if told == 1 else 'differ'}."]


def first(found: Usage) -> Use | None:
    """Return the first content word of the verdict, or of the figure if it names none, or else the first word of the
    figure; None without any.
    """
    named, drawn = ([row for side in sides for row in side] for sides in (_told(found), _sides(found)))
    content = [row for rows in (named, drawn) for row in rows if not _is_function(row)]
    return next(iter([*content, *drawn]), None)


def _is_function(one: Use) -> bool:
    return FUNCTION_WORDS.issuperset(one.term.split())


def _told(found: Usage) -> tuple[list[Use], list[Use]]:
    """The surest words that differ, on each side: function words only if there are no content words on either."""
    content = [[row for row in side if not _is_function(row)] for side in (found.over, found.under)]
    over, under = content if any(content) else (found.over, found.under)
    return _surest(over, _NAMED), _surest(under, _NAMED)


def _listed(rows: Sequence[Use]) -> str:
    quoted = [f"“{short(one.term, 24)}”" for one in rows]
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def facts(study: Study, found: Usage, rows: int) -> list[str]:
    """Return the footer of the figure: n, the meaning of the marks and numbers, and how p is corrected."""
    others = f", but not for {count(len(study.runs) - 1, 'other run')}" if len(study.runs) > 1 else ""
    noun, unit = item_noun(study), found.design.unit
    return [
        f"n = {count(found.images, noun)}; {rows} of {count(len(found.rows), unit[:-1])} in {found.design.fewest} "
        f"{noun}s or more",
        "bars: 95 %, each word by itself",
        f"filled: p ≤ 0.05, corrected for all {unit}{others}",
        "run, people: per 1,000 words",
        *(["triangle: one side never uses the word"] if any(_one_sided(found)) else []),
    ]


def _one_sided(found: Usage) -> list[Use]:
    return [row for side in _sides(found) for row in side if not (row.run and row.people)]


def table(found: Usage) -> Table:
    """Return a row for each word, from the surest of those used more often to the surest of those used less often.

    `times` is the ratio of the two rates.
    """
    design = found.design
    heads = {
        "term": design.unit[:-1].capitalize(),
        "run_per_1000": "Run, per 1,000",
        "people_per_1000": "People, per 1,000",
        "times": "Times",
        "times_low": "95 % from",
        "times_high": "95 % to",
        "run_images": "Images, run",
        "people_images": "Images, people",
        "p_value": "p",
        "p_adjusted": "Corrected p",
    }

    def frame() -> pd.DataFrame:
        made = [
            (
                *(design.run, design.unit, one.term, one.run, one.people, one.run_images, one.people_images),
                *(found.images, one.log_odds, one.low, one.high),
                *(one.times, one.times_low, one.times_high),
                *(one.statistic, one.p_value, one.adjusted, design.signature),
            )
            for one in found.rows
        ]
        return pd.DataFrame(made, columns=list(COLUMNS))

    brief = ("term", "run_per_1000", "people_per_1000", "times", "run_images", "people_images", "p_adjusted")
    return Table(frame, heads, "words", {"p_value": P_VALUE, "p_adjusted": P_VALUE}, 2, brief)


def table_of_runs(found: Mapping[str, Usage]) -> Table:
    """Return a row for each run: how many words differ, and the most certain of them."""
    heads = {
        "run": "Run",
        "words": "Words",
        "over": "More often",
        "surest_over": "Surest, more often",
        "under": "Less often",
        "surest_under": "Surest, less often",
    }

    def frame() -> pd.DataFrame:
        made = [(run, len(of.rows), *_side(of.over), *_side(of.under)) for run, of in found.items()]
        return pd.DataFrame(made, columns=list(heads))

    return Table(frame, heads, "words by run")


def _side(rows: Sequence[Use]) -> tuple[int, str]:
    return len(rows), ", ".join(row.term for row in rows[:5])


def alt(run: str, over: Sequence[Row], under: Sequence[Row]) -> str:
    """Return the text alternative of the figure."""

    def said(rows: Sequence[Row]) -> str:
        return ", ".join(f"{row.term} {how_often(row)} (p {p_text(row.p)})" for row in rows[:3]) or "none"

    return f"Words of {run} against people's. Said more often: {said(over)}. Less often: {said(under[::-1])}"


def rates(one: Row, run: str) -> str:
    """Return how often both sides use a word, for the line above the captions that contain it."""
    return f"per 1,000 words: {run} {rate(one.run)}, people {rate(one.people)}"
