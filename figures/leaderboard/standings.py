"""The leaderboard's content, built from the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from data.study import Run, Study
from figures.leaderboard.board import Board, Cell, Column, Row
from figures.notes.hazards import carried_by, hazards_of, not_compared, ties
from figures.notes.people import departures, joint_test
from figures.style.numbers import at_floor, count, decimals, defined, num, rank_text
from figures.style.palette import styles_of
from figures.style.run_names import short_names
from figures.style.wording import direction_arrow, item_noun, no_resamples, reserved, too_few
from metrics.analysis import claims, compare
from metrics.analysis import human as people
from metrics.analysis.chance import has_chance
from metrics.analysis.comparable import unequal
from metrics.analysis.feasibility import has_references
from metrics.analysis.numbers import Numbers
from metrics.analysis.replicates.grouping import Replicates
from metrics.base import Metric
from metrics.bootstrap import LEAST
from metrics.engine.missing import missing_note
from metrics.engine.result import PENDING
from metrics.guide.cards import card
from metrics.guide.documentation import frequencies
from metrics.mathematics.arrays import Floats
from metrics.permutation.pvalues import ALPHA

APART = "differs from people's own score"
"""The reason why a run is not outlined although p is above ALPHA."""


@dataclass(frozen=True)
class LeaderboardChoice:
    """State of the controls: metrics, the one that ranks (None if none can), runs, baseline, and kind of p-value.

    With `settings` there is a row for each of them, over its seeds, and the baseline is one of them. `by_chance`
    asks for the values against other items' references beside the real ones.
    """

    metrics: tuple[Metric, ...]
    ranked: Metric | None
    runs: tuple[Run, ...]
    baseline: str | None
    harmonic: bool = False
    settings: tuple[Replicates, ...] = ()
    by_chance: bool = False


def board(study: Study, numbers: Numbers, choice: LeaderboardChoice) -> Board:
    """Return the board of the chosen runs and metrics, ranked as chosen; people and no difference come last."""
    runs, columns, cells = choice.runs, [], []
    order, ranks = list(range(len(runs))), None
    chosen = chosen_on_data(study, numbers, choice, choice.baseline)
    # The ranking column comes first, where a narrow screen shows it.
    metrics = sorted(choice.metrics, key=lambda metric: metric is not choice.ranked)
    for metric in metrics:
        values, boot = numbers.corpus(study, metric, runs)
        pairs = numbers.pairs(study, metric, runs) if chosen or metric.has_better_side else None
        own = compare.rank_ranges(pairs, metric.higher_is_better) if pairs and metric.has_better_side else None
        if metric == choice.ranked:
            order, ranks = compare.ranking(values, metric.higher_is_better), own
        found = _cells(study, numbers, metric, choice, values, boot, pairs if chosen else None)
        columns.append(column_of(metric, values))
        cells.append(_standing(study, numbers, metric, runs, found, own))
    if choice.ranked is None:
        order.sort(key=lambda k: sum(not (defined(of[k].value) or of[k].waiting) for of in cells))
    styles, short = styles_of(study), short_names(study.runs)
    rows = []
    for k in order:
        of_run = {metric.name: column[k] for metric, column in zip(metrics, cells)}
        low, high = (int(ranks.low[k]) or None, int(ranks.high[k]) or None) if ranks else (None, None)
        anomaly = hazards_of(study, runs[k].name)
        said = _p(numbers, choice, runs[k])
        name = runs[k].name
        rows.append(Row(name, of_run, styles[runs[k].model], low, high, anomaly=anomaly, short=short[name], **said))
    ranked = choice.ranked.name if choice.ranked else None
    of_people = apart_row(study, numbers, choice, metrics, people.PEOPLE)
    of_none = apart_row(study, numbers, choice, metrics, people.NO_DIFFERENCE)
    tested = p_metric(choice)
    p_key = tested.name if tested else ""
    made = Board(tuple(columns), tuple(rows), ranked, of_people, of_none, choice.baseline, _p_label(choice), p_key)
    return replace(made, chance=chance_row(study, numbers, choice, metrics))


def chance_row(study: Study, numbers: Numbers, choice: LeaderboardChoice, metrics: Sequence[Metric]) -> Row | None:
    """Return the row of what other items' references give; None if no metric has a value."""
    names, cells = [run.name for run in choice.runs], {}
    for metric in metrics:
        floor = numbers.floor(metric, names)
        reason = "being computed" if has_chance(metric) else f"does not depend on which {item_noun(study)} is described"
        cells[metric.name] = Cell(*floor) if floor is not None else Cell(np.nan, reason=reason)
    return Row(reserved("Chance", study.runs), cells) if numbers.chance else None


def with_floor(cell: Cell, numbers: Numbers, metric: Metric, runs: Sequence[str]) -> Cell:
    """Return the cell with what chance gives these runs, where that is known."""
    floor = numbers.floor(metric, runs)
    return replace(cell, chance=(floor.value, floor.low, floor.high)) if floor is not None else cell


def _standing(
    study: Study,
    numbers: Numbers,
    metric: Metric,
    runs: Sequence[Run],
    cells: Sequence[Cell],
    ranks: compare.Ranks | None,
) -> list[Cell]:
    """Return the cells with rank range, p against people, and whether a difference from people is detected.

    The p of a pooled score tests the mean of its captions, not the value shown, so such a cell has none.
    """
    results = [numbers.get(run, metric) for run in runs]
    against = metric.tested and not metric.pooled
    people_by_p = numbers.against_people(study, metric, runs) if against else None
    found = []
    for k, (cell, result) in enumerate(zip(cells, results)):
        if against and result is not None:
            cell = replace(cell, p=result.p_people, p_floor=result.p_people_floor)
        if people_by_p is not None:
            p = float(people_by_p.p[k])
            least = p if at_floor(cell.p, cell.p_floor) and p < 1 else np.nan
            how = departures(metric, people_by_p, k)
            cell = replace(cell, holm_p=p, holm_floor=least, alike=k in people_by_p.alike, departs=how)
            if p > ALPHA and not cell.alike:
                cell = replace(cell, not_alike=_why_not_alike(study, people_by_p, k))
        rank = rank_text(int(ranks.low[k]) or None, int(ranks.high[k]) or None) if ranks else ""
        found.append(replace(cell, rank=rank))
    return found


def _why_not_alike(study: Study, found: claims.PeopleComparison, run: int) -> str:
    """Why a run with a p above ALPHA is not claimed to be like people, by `docs/decisions/016-claims.md`."""
    if run in found.other_score:
        return f"{APART}, paired t-test over {item_noun(study)}s"
    if run in found.mixed:
        why = "with one reference each people have no score" if found.one_reference else "people have no score"
        return f"undecided, as swapping sets of captions shows too little and {why} to compare with"
    if run in found.saturated:
        return "undecided, as too many distances are at their maximum"
    return "undecided, as there is too little data"


def apart_row(
    study: Study, numbers: Numbers, choice: LeaderboardChoice, metrics: Sequence[Metric], name: str
) -> Row | None:
    """Return the row of people or of no difference; None for the latter if no metric has a value for it.

    None for people, too, where the study has no references, and so no captions by people.
    """
    of_no_difference = name == people.NO_DIFFERENCE
    if not of_no_difference and not has_references(study):
        return None
    cells = {}
    for metric in metrics:
        if people.is_no_difference(metric) != of_no_difference:
            why = "a score, not a distance" if of_no_difference else numbers.human(study, metric).reason
            waiting = why == PENDING
            said = why or f"a distance from people: see {people.NO_DIFFERENCE}"
            cells[metric.name] = Cell(np.nan, reason=said, waiting=waiting)
        else:
            cells[metric.name] = _human_cell(study, numbers, choice, metric, of_no_difference)
    known = any(defined(cell.value) for cell in cells.values())
    return Row(reserved(name, study.runs), cells) if known or not of_no_difference else None


def _human_cell(
    study: Study, numbers: Numbers, choice: LeaderboardChoice, metric: Metric, of_no_difference: bool
) -> Cell:
    human = numbers.human(study, metric)
    base = next((run for run in choice.runs if run.name == choice.baseline), None)
    result = numbers.get(base, metric) if base is not None else None
    waiting = human.reason == PENDING
    delta = human.value - result.corpus if result else np.nan
    cell = Cell(human.value, delta=delta, reason=human.reason, waiting=waiting)
    if not of_no_difference:
        return replace(cell, low=human.low, high=human.high)
    # Its low and high are the ends over the runs, not an interval.
    digits = decimals([human.low, human.high])
    spread = f"the runs' own: {num(human.low, digits)} to {num(human.high, digits)}" if human.low < human.high else ""
    return replace(cell, note=spread)


def p_metric(choice: LeaderboardChoice) -> Metric | None:
    """Return the metric whose permutation test fills the p column: the ranking one, else the first with a test."""
    tested = [m for m in (choice.ranked, *choice.metrics) if m is not None and m.tested]
    return tested[0] if tested else None


def joint_metric(metrics: Sequence[Metric], ranked: Metric | None) -> Metric | None:
    """Return the metric whose joint test states what it would detect: that of the p column, else the first with one."""
    tested = next((one for one in (ranked, *metrics) if one is not None and one.tested), None)
    return next((one for one in (tested, *metrics) if one is not None and one.joint), None)


def chosen_on_data(study: Study, numbers: Numbers, choice: LeaderboardChoice, name: str | None) -> bool:
    """Return whether a run leads a ranking of three or more: the data chose it then, whoever selected it.

    Two runs are the same pair whichever leads, and a two-sided test of one pair needs no correction.
    """
    if choice.ranked is None or name is None or len(choice.runs) < 3:
        return False
    values, _ = numbers.corpus(study, choice.ranked, choice.runs)
    return choice.runs[compare.ranking(values, choice.ranked.higher_is_better)[0]].name == name


def column_of(metric: Metric, values: Floats) -> Column:
    """Return the column of a metric, with decimals that suit its values."""
    digits = decimals(values.tolist())
    return Column(
        metric.name,
        metric.label,
        metric.higher_is_better,
        metric.has_better_side,
        direction_arrow(metric),
        digits,
        metric.signature,
        frequencies(metric),
        card(metric),
        people.is_no_difference(metric),
    )


def _cells(
    study: Study,
    numbers: Numbers,
    metric: Metric,
    choice: LeaderboardChoice,
    values: Floats,
    boot: Floats,
    pairs: compare.Pairs | None,
) -> list[Cell]:
    """Return one cell per run; `pairs` are given where the data chose the baseline: all pairs are judged together."""
    runs, names = choice.runs, [run.name for run in choice.runs]
    base = names.index(choice.baseline) if choice.baseline in names else None
    sets, left_out = numbers.item_sets(metric, choice.runs), unequal(study, metric, runs)
    gaps = None
    if base is not None and pairs is not None:
        gaps = pairs.against(base)
    elif base is not None:
        found = numbers.results.get((names[base], metric.name))
        gaps = compare.differences(values, boot, base, found.n_units if found else 0, sets)
    cells = []
    for k, name in enumerate(names):
        result = numbers.results.get((name, metric.name))
        if result is None:
            cells.append(Cell(np.nan, reason=PENDING, waiting=True))
            continue
        if name in left_out and defined(result.corpus):
            own = num(result.corpus, column_of(metric, values).digits)
            cells.append(Cell(np.nan, reason=not_compared(study, left_out[name], own)))
            continue
        every = [one for (_, of), one in numbers.results.items() if of == metric.name]
        missing = missing_note(study, runs[k], result, every)
        note = "; ".join(filter(None, [ties(result) or carried_by(study, metric, name), missing]))
        cell = Cell(result.corpus, result.low, result.high, reason=result.why() or "", note=note)
        cell = with_floor(cell, numbers, metric, [name])
        if gaps is not None and base is not None:
            delta, low, high = (float(end[k]) for end in (gaps.value, gaps.low, gaps.high))
            cell = replace(cell, delta=delta, delta_low=low, delta_high=high)
            if k != base and defined(delta) and not defined(low):
                cell = replace(cell, no_interval=no_gap(study, numbers, metric, runs[base], runs[k]))
        elif why := result.why_no_interval():
            cell = replace(cell, no_interval=too_few(study, result.n) if result.n < LEAST else why)
        cells.append(cell)
    return cells


def _p_label(choice: LeaderboardChoice) -> str:
    """The label below "p": its metric and its tails."""
    metric = p_metric(choice)
    if metric is None:
        return ""
    if choice.harmonic:
        tail = ", lower tail" if metric.two_sided else ""
        return f"{metric.label}, against people, harmonic mean{tail}"
    test = joint_test(metric) if metric.joint else metric.label
    return f"{test}, against people{', two-sided' if metric.two_sided else ''}"


def _p(numbers: Numbers, choice: LeaderboardChoice, run: Run) -> dict[str, Any]:
    """Return the p of a row: two-sided where both tails have a meaning, or the harmonic mean with the raw one."""
    metric = p_metric(choice)
    result = numbers.get(run, metric) if metric else None
    if metric is None or result is None:
        return {"p_reason": PENDING}
    found: dict[str, Any] = {"p_n": result.p_n, "p_reason": result.why_no_p() or ""}
    if choice.harmonic:
        return found | {"p_value": result.p_hmp, "p_raw": result.p_hmp_raw}
    return found | {
        "p_value": result.p_people,
        "p_floor": result.p_people_floor,
    }


def no_gap(study: Study, numbers: Numbers, metric: Metric, one: Run, other: Run) -> str:
    """Return why the difference of two runs that both have a value has no interval."""
    if why := no_resamples(metric):
        return why
    if not metric.of_items:
        return too_few(study, len(study.items))
    known, others = (~np.isnan(numbers.results[run.name, metric.name].items) for run in (one, other))
    shared = int((known & others).sum())
    if shared < LEAST:
        return too_few(study, shared, "" if shared == len(known) else " with a value in both")
    if (known != others).any():
        return f"not the same {item_noun(study)}s have a value"
    return f"some resamples hold none of the {count(shared, item_noun(study))} with a value"
