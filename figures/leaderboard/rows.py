"""The rows and columns of a leaderboard, built from what `metrics.analysis.leaderboard` knows of runs or settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from data.study import Study
from figures.leaderboard.board import NAN, Board, Cell, Column, Row
from figures.notes.hazards import carried_by, hazards_of, not_compared, ties
from figures.notes.people import departures, joint_test
from figures.notes.seeds import seed_words, short_settings
from figures.style.numbers import at_floor, count, decimals, defined, num, rank_text
from figures.style.palette import styles_of
from figures.style.run_names import shared_model, short_names
from figures.style.wording import direction_arrow, heading, item_noun, no_resamples, reserved, too_few
from metrics.analysis import claims
from metrics.analysis import human_line as people
from metrics.analysis.chance import has_chance
from metrics.analysis.feasibility import has_references
from metrics.analysis.leaderboard import LeaderboardChoice, RunStanding, SettingStanding, Standing, Standings
from metrics.base import Estimate, Metric
from metrics.bootstrap import LEAST
from metrics.engine.result import PENDING, Result
from metrics.guide.cards import card
from metrics.guide.documentation import frequencies
from metrics.mathematics.arrays import Floats
from metrics.permutation.pvalues import ALPHA

APART = "differs from people's own score"
"""The reason why a run is not outlined although p is above ALPHA."""


def of_runs(found: Standings[RunStanding]) -> Board:
    """Return the board of the chosen runs and metrics, ranked as chosen; people, no difference and chance are apart."""
    study, choice = found.study, found.choice
    columns = tuple(column_of(of.metric, of.values) for of in found.found)
    cells = [_of_runs(study, choice, of, column) for of, column in zip(found.found, columns)]
    order, low, high = _order(found, len(choice.runs))
    if choice.ranked is None:
        order.sort(key=lambda k: sum(not (defined(of[k].value) or of[k].waiting) for of in cells))
    styles, short, tested = styles_of(study), short_names(study.runs), found.by(choice.tested)
    no_model = bool(shared_model(study.runs))
    rows = []
    for k in order:
        run, own = choice.runs[k], {column.key: of[k] for column, of in zip(columns, cells)}
        odd, p = hazards_of(study, run.name), _p(tested, choice.harmonic, k)
        style = styles[run.model]
        rows.append(
            Row(run.name, own, style, low[k], high[k], anomaly=odd, short=short[run.name], no_model=no_model, **p)
        )
    made = _board(found, columns, rows)
    return replace(made, p_label=_p_label(choice), p_key=tested.metric.name if tested else "")


def of_settings(found: Standings[SettingStanding]) -> Board:
    """Return the board of the chosen settings; it has no p against people, which belongs to single runs."""
    study, settings = found.study, found.choice.settings
    base = next((k for k, of in enumerate(settings) if of.name == found.choice.baseline), None)
    columns = tuple(column_of(of.metric, of.values) for of in found.found)
    cells = [_of_settings(of, column.digits, base) for of, column in zip(found.found, columns)]
    order, low, high = _order(found, len(settings))
    styles, short, no_model = styles_of(study), short_settings(study, settings), bool(shared_model(study.runs))
    rows = []
    for k in order:
        name, style = settings[k].name, styles[study.run(settings[k].runs[0]).model]
        own = {column.key: of[k] for column, of in zip(columns, cells)}
        rows.append(Row(name, own, style, low[k], high[k], short=short[name], no_model=no_model))
    return replace(_board(found, columns, rows), baseline=found.choice.baseline if base is not None else None)


def _board(found: Standings[Any], columns: tuple[Column, ...], rows: Sequence[Row]) -> Board:
    ranked, baseline = found.choice.ranked.name if found.choice.ranked else None, found.choice.baseline
    of_people, of_none = (apart_row(found, name) for name in (people.PEOPLE, people.NO_DIFFERENCE))
    return Board(columns, tuple(rows), ranked, of_people, of_none, baseline, chance=_chance_row(found))


def _order(found: Standings[Any], size: int) -> tuple[list[int], list[int | None], list[int | None]]:
    ranked: Standing | None = found.ranked
    if ranked is None:
        told = found.described
        return list(range(size)) if told is None else list(told.order), [None] * size, [None] * size
    ranks = ranked.ranks
    if ranks is None:
        return list(ranked.order), [None] * size, [None] * size
    return list(ranked.order), [k or None for k in ranks.low.tolist()], [k or None for k in ranks.high.tolist()]


def _chance_row(found: Standings[Any]) -> Row | None:
    """The row of values expected by chance; None if it was not requested."""
    cells = {}
    for of in found.found:
        off = f"does not depend on which {item_noun(found.study)} is described"
        reason = "being computed" if has_chance(of.metric) else off
        cells[of.metric.name] = Cell(*of.floor) if of.floor is not None else Cell(NAN, reason=reason)
    return Row(reserved("Chance", found.study.runs), cells) if found.numbers.chance else None


def _with_floor(cell: Cell, floor: Estimate | None) -> Cell:
    return replace(cell, chance=(floor.value, floor.low, floor.high)) if floor is not None else cell


def _rank(of: Standing, k: int) -> str:
    return rank_text(int(of.ranks.low[k]) or None, int(of.ranks.high[k]) or None) if of.ranks else ""


def _of_runs(study: Study, choice: LeaderboardChoice, of: RunStanding, column: Column) -> list[Cell]:
    base = next((k for k, run in enumerate(of.runs) if run.name == choice.baseline), None)
    cells = []
    for k, (run, result) in enumerate(zip(of.runs, of.results)):
        if result is None:
            cell = Cell(NAN, reason=PENDING, waiting=True)
        elif run.name in of.left_out and defined(result.corpus):
            own = num(result.corpus, column.digits)
            cell = Cell(NAN, reason=not_compared(study, of.left_out[run.name], own))
        else:
            note = "; ".join(filter(None, [ties(result) or carried_by(study, of.metric, run.name), of.missing[k]]))
            cell = Cell(result.corpus, result.low, result.high, reason=result.why() or "", note=note)
            cell = _with_floor(cell, of.floors[k])
            if base is not None:
                cell = _against_run(study, cell, of, k, base)
            elif why := result.why_no_interval():
                cell = replace(cell, no_interval=too_few(study, result.n) if result.n < LEAST else why)
        cells.append(replace(_beside_people(study, cell, of, k), rank=_rank(of, k)))
    return cells


def _against_run(study: Study, cell: Cell, of: RunStanding, k: int, base: int) -> Cell:
    gaps, first, second = of.differences, of.results[base], of.results[k]
    if gaps is None:
        return cell
    delta, low, high = (float(end[k]) for end in (gaps.value, gaps.low, gaps.high))
    cell = replace(cell, delta=delta, delta_low=low, delta_high=high)
    if k == base or not defined(delta) or defined(low) or first is None or second is None:
        return cell
    return replace(cell, no_interval=no_gap(study, first, second))


def _beside_people(study: Study, cell: Cell, of: RunStanding, k: int) -> Cell:
    """The cell with its p against people, and whether a difference from people is detected.

    For a pooled metric, p tests the mean over captions, not the displayed value, so its cell has no p.
    """
    result, found = of.results[k], of.people
    if found is None or of.metric.pooled:
        return cell
    if result is not None:
        cell = replace(cell, p=result.p_people, p_floor=result.p_people_floor)
    p = float(found.p[k])
    least = p if at_floor(cell.p, cell.p_floor) and p < 1 else np.nan
    how = departures(of.metric, found, k)
    cell = replace(cell, holm_p=p, holm_floor=least, alike=k in found.alike, departs=how)
    return replace(cell, not_alike=_why_not_alike(study, found, k)) if p > ALPHA and not cell.alike else cell


def _of_settings(of: SettingStanding, digits: int, base: int | None) -> list[Cell]:
    cells = []
    for k, one in enumerate(of.estimates):
        if not one.runs:
            cells.append(Cell(NAN, reason=one.reason, waiting=one.reason == PENDING))
            continue
        seeds = tuple(one.values.tolist()) if one.runs > 1 else ()
        note = seed_words(one, digits)
        cell = Cell(one.mean, one.low, one.high, note=note, rank=_rank(of, k), seeds=seeds, sd=one.sd)
        cells.append(_with_floor(cell if base is None else _against_setting(cell, of, k, base), of.floors[k]))
    return cells


def _against_setting(cell: Cell, of: SettingStanding, k: int, base: int) -> Cell:
    pairs = of.pairs
    if k == base:
        return replace(cell, delta=0.0, seeds=())
    delta, low, high, p = (float(ends[k, base]) for ends in (pairs.value, pairs.low, pairs.high, pairs.p))
    why = "" if defined(low) else (of.metric.no_interval or "no common resamples")
    seeds = tuple(value - of.estimates[base].mean for value in cell.seeds)
    sure = bool(pairs.sure[k, base])
    return replace(
        cell, delta=delta, delta_low=low, delta_high=high, delta_p=p, sure=sure, no_interval=why, seeds=seeds
    )


def _why_not_alike(study: Study, found: claims.PeopleComparison, run: int) -> str:
    if run in found.other_score:
        return f"{APART}, paired t-test over {item_noun(study)}s"
    if run in found.mixed:
        why = "with one reference each people have no score" if found.one_reference else "people have no score"
        return f"undecided, as swapping sets of captions shows too little and {why} to compare with"
    if run in found.saturated:
        return "undecided, as too many distances are at their maximum"
    return "undecided, as there is too little data"


def apart_row(found: Standings[Any], name: str) -> Row | None:
    """Return the row of people or of no difference.

    None for people if the study has no references, and so no human captions; None for no difference if no metric has a
    value for it.
    """
    of_no_difference = name == people.NO_DIFFERENCE
    if not of_no_difference and not has_references(found.study):
        return None
    cells = {}
    for of in found.found:
        if people.is_no_difference(of.metric) != of_no_difference:
            why = "a score, not a distance" if of_no_difference else of.human.reason
            said = why or f"a distance from people: see {people.NO_DIFFERENCE}"
            cells[of.metric.name] = Cell(NAN, reason=said, waiting=why == PENDING)
        else:
            cells[of.metric.name] = _human_cell(of, of_no_difference)
    known = any(defined(cell.value) for cell in cells.values())
    return Row(reserved(name, found.study.runs), cells) if known or not of_no_difference else None


def _human_cell(of: Standing, of_no_difference: bool) -> Cell:
    human = of.human
    delta, waiting = human.value - of.baseline, human.reason == PENDING
    cell = Cell(human.value, delta=delta, reason=human.reason, waiting=waiting)
    if not of_no_difference:
        return replace(cell, low=human.low, high=human.high)
    # The row of no difference has the least and the greatest value of the runs, not an interval.
    digits = decimals([human.low, human.high])
    spread = f"the runs' own: {num(human.low, digits)} to {num(human.high, digits)}" if human.low < human.high else ""
    return replace(cell, note=spread)


def joint_metric(metrics: Sequence[Metric], ranked: Metric | None) -> Metric | None:
    """Return the metric whose joint test the board describes; None if no metric has a joint test.

    It is the metric of the p column if that has a joint test, else the first metric with one.
    """
    tested = next((one for one in (ranked, *metrics) if one is not None and one.tested), None)
    return next((one for one in (tested, *metrics) if one is not None and one.joint), None)


def column_of(metric: Metric, values: Floats) -> Column:
    """Return the column of a metric, with decimals that suit its (rows,) values."""
    digits = decimals(values.tolist())
    return Column(
        metric.name,
        heading(metric),
        metric.higher_is_better,
        metric.has_better_side,
        direction_arrow(metric),
        digits,
        metric.signature,
        frequencies(metric),
        card(metric),
        people.is_no_difference(metric),
    )


def _p_label(choice: LeaderboardChoice) -> str:
    metric = choice.tested
    if metric is None:
        return ""
    if choice.harmonic:
        tail = ", lower tail" if metric.two_sided else ""
        return f"{metric.label}, against people, harmonic mean{tail}"
    test = joint_test(metric) if metric.joint else metric.label
    return f"{test}, against people{', two-sided' if metric.two_sided else ''}"


def _p(of: RunStanding | None, harmonic: bool, run: int) -> dict[str, Any]:
    result = of.results[run] if of is not None else None
    if result is None:
        return {"p_reason": PENDING}
    found: dict[str, Any] = {"p_n": result.p_n, "p_reason": result.why_no_p() or ""}
    if harmonic:
        return found | {"p_value": result.p_hmp, "p_raw": result.p_hmp_raw}
    return found | {"p_value": result.p_people, "p_floor": result.p_people_floor}


def no_gap(study: Study, first: Result, second: Result) -> str:
    """Return why the difference between two runs that both have a value has no interval."""
    metric = first.metric
    if why := no_resamples(metric):
        return why
    if not metric.of_items:
        return too_few(study, len(study.items))
    known, others = (~np.isnan(of.items) for of in (first, second))
    shared = int((known & others).sum())
    if shared < LEAST:
        return too_few(study, shared, "" if shared == len(known) else " with a value in both")
    if (known != others).any():
        return f"the runs have values for different {item_noun(study)}s"
    return f"some resamples contain none of the {count(shared, item_noun(study))} with a value"
