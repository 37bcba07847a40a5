"""Sentences and tables about the strengths of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from data.imported.judge_answers import judge_of
from data.study import Study
from figures.arena.chart import Cell, Row
from figures.export.table import Table
from figures.style.escaping import Strong
from figures.style.numbers import P_VALUE, count, defined, num, p_phrase, percent, rank_text
from figures.style.palette import ModelStyle
from figures.style.wording import item_noun, names_in_a_row
from metrics.analysis import run_differences
from metrics.analysis.arena.agreement import OrderAgreement
from metrics.analysis.arena.cycles import Cycles
from metrics.analysis.arena.strengths import Standing, enough
from metrics.analysis.letters import letters
from metrics.mathematics.arrays import Floats
from metrics.permutation.pvalues import ALPHA

COLUMNS = (
    *("run", "rank_low", "rank_high", "win_rate", "win_rate_low", "win_rate_high", "strength", "ci_low", "ci_high"),
    *("letters", "won", "tied", "lost", "items", "note", "criterion", "category", "signature"),
)
PAIR_COLUMNS = (
    *("run", "against", "won", "tied", "lost", "items", "observed", "expected", "p_model", "p_even"),
    *("difference", "ci_low", "ci_high", "p_value", "criterion", "category", "signature"),
)
WHY = {
    "above": "never beaten by a ranked run: no upper limit",
    "below": "never beat a ranked run: no lower limit",
    "apart": "no chain of wins links it to the ranked runs",
}
"""Reasons why a run has no strength, by its position relative to the ranked runs.

Indirect wins count, and a tie counts as a win for both runs.
"""
HOW = (
    "Strengths come from the Bradley-Terry model with ties (Davidson 1970), fitted by maximum likelihood. A win rate "
    "is the share of votes that a run is expected to win against a run of mean strength; a tie counts half. If it is "
    "known which caption was shown first, the model includes an effect of the order (Davidson and Beaver 1977). A run "
    "that no ranked run ever beat, or that beat none, has no finite strength and is listed without one.",
    "Intervals are 95 % for all runs and pairs at once (max-t); all votes on one {0} are one unit. Ranks and letters "
    "follow from the pairs. On each pair, observed votes are tested against those that the model expects, with Holm's "
    "correction. Cycles are counted among majorities; how many noise alone makes is estimated from independent votes "
    "drawn from the model.",
)
_WORDS = 35


@dataclass(frozen=True, eq=False)
class Found:
    """Strengths and cycles from the votes on one criterion, in one category or, if `category` is "", in all categories.

    `votes` (runs, 4) are the wins, ties, losses and numbers of units of each run of the study.
    """

    criterion: str
    category: str
    standing: Standing
    cycles: Cycles
    votes: Floats

    @property
    def signature(self) -> str:
        """Everything that determines the numbers besides the votes."""
        fit = self.standing.fit
        ties, order = "davidson" if fit.tying else "none", "davidson-beaver" if fit.ordered else "none"
        return f"bradley_terry|v1|ties:{ties}|order:{order}|ci:sandwich+max-t|fit:holm"

    @property
    def departing(self) -> int:
        """The number of pairs that depart significantly from the model."""
        return int((self.standing.each.p_model <= ALPHA).sum())

    @property
    def order_matters(self) -> bool:
        """Whether the order effect is significant."""
        low, high = self.standing.order
        return low > 0 or high < 0


def verdict(found: Found, names: Sequence[str], noun: str) -> tuple[list[str], list[str]]:
    """Return the verdict, with as many sentences as fit into 35 words, and the sentences that did not fit."""
    first = _leader(found, names, noun)
    told, more = sum(len(part.split()) for part in first), []
    for clause in _clauses(found, names):
        words = len(clause.split())
        if told + words <= _WORDS:
            first.append(f" {clause}")
            told += words
        else:
            more.append(clause)
    return first, more


def _leader(found: Found, names: Sequence[str], noun: str) -> list[str]:
    of = found.standing
    said = run_differences.verdict(of.fit.strengths, of.pairs, higher_is_better=True)
    assert said is not None
    best, tied = names[of.ranked[said.best]], [names[of.ranked[k]] for k in said.tied]
    if said.equal:
        first, every = [names[of.ranked[k]] for k in (said.best, *said.equal)], said.compared
        if len(first) == every:
            return [Strong(f"{'Both' if every == 2 else f'All {every}'} runs are equally strong in these votes"), "."]
        rest = said.rest
        ahead = f", preferred to {count(len(rest.apart), 'other')}" if rest.apart and not rest.tied else ""
        return [Strong(f"{names_in_a_row(first, 2)} are equally strong, and the strongest in these votes"), f"{ahead}."]
    if said.unknown:
        least, units = f"{enough(len(of.ranked))} {noun}s", count(of.votes.units, noun)
        few = f": intervals need votes on {least} or more, and these are on {units}."
        return [Strong(f"{best} is strongest in these votes"), few]
    if not tied:
        others = len(said.apart)
        of_whom = f"each of {others} other runs" if others > 1 else names[of.ranked[said.apart[0]]]
        return [Strong(f"{best} is preferred to {of_whom}"), "."]
    if not said.apart:
        return [Strong(f"No difference is detected between {best}, the strongest run, and any other"), "."]
    return [Strong(f"{best} is strongest"), f"; no difference from {names_in_a_row(tied, 2)} is detected."]


def _clauses(found: Found, names: Sequence[str]) -> list[str]:
    of, said = found.standing, []
    if others := len(of.places.others):
        said.append(f"{count(others, 'run')} cannot be placed on the scale.")
    if sure := [cycle for cycle in found.cycles.found if cycle.p <= ALPHA]:
        a, b, c = (names[run] for run in sure[0].runs)
        said.append(f"{a} beats {b}, {b} beats {c}, and {c} beats {a}.")
    if found.departing:
        said.append(f"{found.departing:,} of {count(len(of.each.first), 'pair')} {_depart(found)} one scale.")
    if found.order_matters:
        said.append(f"Between equal runs, the caption shown {_place(found)} wins {percent(_advantage(found))}.")
    return said


def _depart(found: Found) -> str:
    return "does not fit" if found.departing == 1 else "do not fit"


def _place(found: Found) -> str:
    return "first" if found.standing.fit.order > 0 else "second"


def _advantage(found: Found) -> float:
    fit = found.standing.fit
    return float(fit.win_rate(np.array(abs(fit.order))))


def facts(study: Study, found: Found) -> list[str]:
    """Return the footer of the figure: n, votes, ties, marks, pairs that do not fit the model, cycles, order effect."""
    of, cycles, noun = found.standing, found.cycles, item_noun(study)
    votes = of.votes
    cast, tied = float(votes.total.sum()), float(votes.tied.sum())
    surest = float(np.nanmin(of.each.p_model)) if (~np.isnan(of.each.p_model)).any() else np.nan
    pairs, judge = count(len(of.each.first), "pair of runs", "pairs of runs"), judge_of(found.criterion)
    said = [
        f"n = {count(votes.units, noun)}, {cast:,.0f} votes{f' by {judge}' if judge else ''} on {pairs}",
        f"{percent(tied / cast)} ties" if tied else "no ties",
        "bars: 95 %, for all runs and pairs at once",
        "no difference is detected between runs that share a letter",
        (
            f"{found.departing:,} of {len(of.each.first):,} pairs {_depart(found)} one scale"
            if found.departing
            else "no departure from one scale is detected"
        )
        + (f" (smallest corrected {p_phrase(surest)})" if defined(surest) else ""),
    ]
    if cycles.triples:
        sure, triples = sum(cycle.p <= ALPHA for cycle in cycles.found), count(cycles.triples, "triple")
        said.append(
            f"{count(len(cycles.found), 'cycle')} in {triples} of runs, {sure:,} significant; noise alone makes "
            f"{num(cycles.expected, 1)} on average, this many or more with {p_phrase(cycles.p_value)}"
            if cycles.found
            else "no three runs beat one another in a circle"
        )
    if of.fit.ordered:
        low, high = (float(of.fit.win_rate(np.array(end))) for end in of.order)
        rate = float(of.fit.win_rate(np.array(of.fit.order)))
        said.append(f"shown first: wins {percent(rate)} between equal runs (95 % {percent(low)} to {percent(high)})")
    return said


def rows(found: Found, names: Sequence[str], styles: Sequence[ModelStyle]) -> list[Row]:
    """Return the rows of the figure, the strongest run first and runs without a strength last."""
    of, made = found.standing, []
    ranks, named = run_differences.rank_ranges(of.pairs, higher_is_better=True), _letters(of)
    rate = of.fit.win_rate
    for k, run in enumerate(of.ranked):
        value, low, high = (float(rate(ends[k : k + 1])[0]) for ends in (of.fit.strengths, of.low, of.high))
        ranked = f"rank {rank_text(int(ranks.low[k]), int(ranks.high[k]))}" if of.pairs.known[k] else ""
        said = ", ".join(filter(None, (percent(value), ranked, named[k])))
        made.append(Row(names[run], value, low, high, said, styles[run]))
    none = float("nan")
    made += [Row(names[k], none, none, none, "", styles[k], WHY[side]) for k, side in of.places.others.items()]
    return made


def _letters(of: Standing) -> list[str]:
    return letters(of.pairs.sure) if of.pairs.known.any() else [""] * len(of.ranked)


def cells(found: Found) -> list[Cell]:
    """Return a cell for each pair of ranked runs that were compared."""
    of = found.standing
    place, each = {int(run): k for k, run in enumerate(of.ranked)}, of.each
    votes = each.won + each.tied + each.lost
    return [
        Cell(place[int(one)], place[int(other)], *map(float, numbers))
        for one, other, *numbers in zip(
            each.first, each.second, each.observed, votes, each.expected, each.p_even, each.p_model
        )
    ]


def table(study: Study, found: Found) -> Table:
    """Return a row for each run, the strongest first."""
    heads = {
        "run": "Run",
        "win_rate": "Win rate",
        "win_rate_low": "95 % from",
        "win_rate_high": "95 % to",
        "rank_low": "Rank from",
        "rank_high": "Rank to",
        "letters": "Letters",
        "won": "Won",
        "tied": "Tied",
        "lost": "Lost",
        "note": "Note",
    }

    def frame() -> pd.DataFrame:
        of, made = found.standing, []
        ranks, named, rate = run_differences.rank_ranges(of.pairs, True), _letters(of), of.fit.win_rate
        asked = (found.criterion, found.category, found.signature)
        for k, run in enumerate(of.ranked):
            ends = (of.fit.strengths[k], of.low[k], of.high[k])
            ranged = (int(ranks.low[k]) or None, int(ranks.high[k]) or None)
            shares = (float(rate(np.array(end))) for end in ends)
            made.append((study.runs[run].name, *ranged, *shares, *ends, named[k], *found.votes[run], "", *asked))
        for run, side in of.places.others.items():
            nothing = (None, None, *[np.nan] * 6, "")
            made.append((study.runs[run].name, *nothing, *found.votes[run], WHY[side], *asked))
        return pd.DataFrame(made, columns=list(COLUMNS)).astype(
            {"rank_low": "Int64", "rank_high": "Int64", "items": "int64"}
        )

    brief = ("run", "win_rate", "win_rate_low", "win_rate_high", "letters", "won", "tied", "lost", "note")
    return Table(frame, heads, "arena", {"won": "%g", "tied": "%g", "lost": "%g"}, 3, brief)


def pair_table(study: Study, found: Found) -> Table:
    """Return a row for each pair of runs that were compared, the stronger run first."""
    heads = {
        "run": "Run",
        "against": "Against",
        "won": "Won",
        "tied": "Tied",
        "lost": "Lost",
        "observed": "Observed",
        "expected": "Expected",
        "p_model": "Corrected p, model",
        "p_even": "Corrected p, even",
        "p_value": "Corrected p, strengths",
    }

    def frame() -> pd.DataFrame:
        of = found.standing
        place, each, pairs = {int(run): k for k, run in enumerate(of.ranked)}, of.each, of.pairs
        columns = (each.won, each.tied, each.lost, each.items, each.observed, each.expected, each.p_model, each.p_even)
        made = []
        for one, other, *numbers in zip(each.first, each.second, *columns):
            at = place[int(one)], place[int(other)]
            ends = (column[at] for column in (pairs.value, pairs.low, pairs.high, pairs.p))
            asked = (found.criterion, found.category, found.signature)
            made.append((study.runs[one].name, study.runs[other].name, *numbers, *ends, *asked))
        return pd.DataFrame(made, columns=list(PAIR_COLUMNS))

    printed = {"won": "%g", "tied": "%g", "lost": "%g", "p_model": P_VALUE, "p_even": P_VALUE, "p_value": P_VALUE}
    brief = ("run", "against", "won", "tied", "lost", "observed", "expected", "p_model")
    return Table(frame, heads, "arena pairs", printed, 3, brief)


def cycle_table(study: Study, cycles: Cycles) -> Table:
    """Return a row for each cycle, most certain first: each run is preferred to the next, and the last to the first."""
    heads = {
        "run": "Run",
        "beats": "Beats",
        "which_beats": "Which beats",
        "share_1": "Share of the first",
        "share_2": "Share of the second",
        "share_3": "Share of the third",
        "p_value": "Corrected p",
    }

    def frame() -> pd.DataFrame:
        made = [(*(study.runs[run].name for run in one.runs), *one.shares, one.p) for one in cycles.found]
        return pd.DataFrame(made, columns=list(heads))

    return Table(frame, heads, "arena cycles", {"p_value": P_VALUE}, 3)


def metric_table(found: Found, agreeing: Sequence[OrderAgreement]) -> Table:
    """Return a row for each metric: how well its order of the ranked runs agrees with that of the votes."""
    heads = {
        "metric": "Metric",
        "kendall_tau_b": "Kendall tau-b",
        "p_value": "p",
        "p_adjusted": "Corrected p",
        "runs": "Runs",
    }

    def frame() -> pd.DataFrame:
        asked = (found.criterion, found.category)
        made = [
            (one.metric.label, one.tau, one.p_value, one.adjusted, one.runs, one.metric.signature, *asked)
            for one in agreeing
        ]
        return pd.DataFrame(made, columns=[*heads, "signature", "criterion", "category"])

    return Table(frame, heads, "arena metrics", {"p_value": P_VALUE, "p_adjusted": P_VALUE}, 3, tuple(heads))


def alt(found: Found, names: Sequence[str]) -> str:
    """Return the text alternative of the strengths."""
    of = found.standing
    said = (
        f"{names[run]} {percent(float(of.fit.win_rate(of.fit.strengths[k : k + 1])[0]))}"
        for k, run in enumerate(of.ranked)
    )
    return f"Win rates against a run of mean strength: {', '.join(said)}"


def matrix_alt(found: Found, names: Sequence[str]) -> str:
    """Return the text alternative of the matrix: how many pairs have votes that contradict the order, and the first
    five.
    """
    of = found.standing
    against = [cell for cell in cells(found) if cell.against]
    said = [f"{names[of.ranked[one.column]]} over {names[of.ranked[one.row]]}" for one in against[:5]]
    most, go = f": {', '.join(said)}" if said else "", "goes" if len(against) == 1 else "go"
    return f"Observed win rates of {len(of.each.first):,} pairs; {len(against):,} {go} against the order{most}"
