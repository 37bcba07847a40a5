"""The leaderboard's content: the board made of the numbers, the sentence on top and the notes below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from data.study import Run, Study
from figures.board import Board, Cell, Column, Row
from figures.numbers import at_floor, count, decimals, defined, interval, num, p_phrase
from figures.palette import model_styles
from figures.texts import Strong
from figures.words import UNEVEN, arrow, bootstrap, human_row, no_resamples, noun, sizes, so_far, some, too_few, uneven
from metrics import compare
from metrics import human as people
from metrics.arrays import Floats
from metrics.base import Metric
from metrics.bootstrap import LEAST
from metrics.pvalues import ALPHA
from metrics.result import NOT_YET, Result
from metrics.scored import Numbers


@dataclass(frozen=True)
class Choice:
    """What the controls say: metrics, the one that ranks (None if none can), the runs, the baseline, the p-value."""

    metrics: tuple[Metric, ...]
    ranked: Metric | None
    runs: tuple[Run, ...]
    baseline: str | None
    harmonic: bool = False


def board(study: Study, numbers: Numbers, choice: Choice) -> Board:
    """The board of the chosen runs and metrics, ranked as chosen, with the human row last."""
    runs = choice.runs
    columns, cells, human_cells = [], [], {}
    # The ranking column comes first, where a narrow screen shows it.
    metrics = sorted(choice.metrics, key=lambda metric: metric is not choice.ranked)
    for metric in metrics:
        values, boot = numbers.corpus(study, metric, runs)
        columns.append(_column(metric, values))
        human = numbers.human(study, metric)
        cells.append(_cells(study, numbers, metric, choice, values, boot, human))
        human_cells[metric.name] = _human_cell(human, cells[-1].pop())
    order, ranks = _ranked(study, numbers, choice)
    styles = model_styles([run.model for run in study.runs])
    rows = []
    for k in order:
        found = {metric.name: column[k] for metric, column in zip(metrics, cells)}
        low, high = int(ranks.low[k]) or None, int(ranks.high[k]) or None
        p, floor, n, why = _p(numbers, choice, runs[k])
        rows.append(Row(runs[k].name, found, styles[runs[k].model], low, high, p, floor, n, why))
    p_label = f"{tested.label}, vs references" if (tested := p_metric(choice)) else ""
    ranked = choice.ranked.name if choice.ranked else None
    return Board(tuple(columns), tuple(rows), ranked, Row(human_row(study.runs), human_cells), choice.baseline, p_label)


def p_metric(choice: Choice) -> Metric | None:
    """The metric whose permutation test fills the p column: the ranking one, else the first that has one."""
    tested = [m for m in (choice.ranked, *choice.metrics) if m is not None and m.tested]
    return tested[0] if tested else None


def _ranked(study: Study, numbers: Numbers, choice: Choice) -> tuple[list[int], compare.Ranks]:
    metric, runs = choice.ranked, choice.runs
    if metric is None:
        none = np.zeros(len(runs), dtype=np.int64)
        return list(range(len(runs))), compare.Ranks(none, none)
    values, boot = numbers.corpus(study, metric, runs)
    order = compare.ranking(values, metric.higher_is_better)
    return order, compare.rank_ranges(boot, metric.higher_is_better)


def _column(metric: Metric, values: Floats) -> Column:
    digits = decimals(values.tolist())
    return Column(
        metric.name, metric.label, metric.higher_is_better, metric.judged, arrow(metric), digits, metric.signature
    )


def _cells(
    study: Study, numbers: Numbers, metric: Metric, choice: Choice, values: Floats, boot: Floats, human: people.Human
) -> list[Cell]:
    """A cell a run, and at the end one of the human value's difference to the baseline."""
    runs, names = choice.runs, [run.name for run in choice.runs]
    base = names.index(choice.baseline) if choice.baseline in names else None
    sets = numbers.item_sets(metric, choice.runs)
    gaps = compare.differences(values, boot, base, sets) if base is not None else None
    cells = []
    for k, name in enumerate(names):
        result = numbers.results.get((name, metric.name))
        if result is None:
            cells.append(Cell(np.nan, reason=NOT_YET))
            continue
        cell = Cell(result.corpus, result.low, result.high, reason=result.why() or "")
        if gaps is not None and base is not None:
            delta, low, high = (float(end[k]) for end in (gaps.value, gaps.low, gaps.high))
            cell = replace(cell, delta=delta, delta_low=low, delta_high=high)
            if k != base and defined(delta) and not defined(low):
                cell = replace(cell, no_interval=_no_gap(study, numbers, metric, runs[base], runs[k]))
        elif defined(cell.value) and not defined(cell.low) and result.n < LEAST:
            cell = replace(cell, no_interval=too_few(study, result.n))
        cells.append(cell)
    return [*cells, Cell(human.value, delta=human.value - values[base] if base is not None else np.nan)]


def _human_cell(human: people.Human, difference: Cell) -> Cell:
    return Cell(human.value, human.low, human.high, delta=difference.delta, reason=human.reason)


def _p(numbers: Numbers, choice: Choice, run: Run) -> tuple[float, float, int, str]:
    """p of a run, its floor, the number of items that it is of, why there is none."""
    metric = p_metric(choice)
    result = numbers.results.get((run.name, metric.name)) if metric else None
    if result is None:
        return np.nan, np.nan, 0, NOT_YET
    why = result.why_no_p() or ""
    return (result.p_hmp, np.nan, result.p_n, why) if choice.harmonic else (
        result.p_value, result.p_floor, result.p_n, why
    )  # fmt: skip


def verdict(study: Study, numbers: Numbers, choice: Choice) -> tuple[str, ...]:
    """What the data say of the ranking metric, as parts of a sentence."""
    metric, runs = choice.ranked, choice.runs
    if metric is None:
        return ("No chosen metric has a better side, so there is no ranking: more diversity is not better as such.",)
    values, boot = numbers.corpus(study, metric, runs)
    found = compare.verdict(values, boot, metric.higher_is_better, len(study.items), numbers.item_sets(metric, runs))
    if found is None:
        return (_nothing(numbers, metric, runs),)
    best = numbers.results[runs[found.best].name, metric.name]
    word = "highest" if metric.higher_is_better else "lowest"
    digits = _column(metric, values).digits
    said = num(best.corpus, digits)
    if defined(best.low):
        said += f" ({interval(best.low, best.high, digits)})"
    sofar = so_far(numbers.waiting(metric, runs))
    if found.compared == 1:
        alone = f", and is the only run with a value{sofar}: there" if len(runs) > 1 else ". With one run there"
        head: tuple[str, ...] = (
            Strong(runs[found.best].name),
            f" has {metric.label} {said}{alone} is nothing to compare it with.",
        )
    else:
        whys = dict.fromkeys(_no_gap(study, numbers, metric, runs[found.best], runs[k]) for k in found.unknown)
        what = f" has the {word} {metric.label}{sofar}, {said}, {_tail(study, found, runs, '; '.join(whys))}"
        head = (Strong(runs[found.best].name), what)
    return (*head, _apart_from_people(numbers, choice), _missing(found.compared, runs, metric))


def _nothing(numbers: Numbers, metric: Metric, runs: Sequence[Run]) -> str:
    whys = {why for _, run in numbers.of(metric, runs) if (why := numbers.results[run.name, metric.name].why())}
    if not whys:
        return f"{metric.label} is not computed yet; the ranking appears with its first numbers."
    return f"No run has a value of {metric.label}: {sorted(whys)[0]}. Rank by another metric."


def _tail(study: Study, found: compare.Verdict, runs: Sequence[Run], why: str = "") -> str:
    others, items = found.compared - 1, count(len(study.items), noun(study))
    if len(found.unknown) == others:
        return f"but its differences to the other runs have no interval ({why}), so their order is not sure."
    if not found.tied:
        which = "the other run" if others == 1 else f"all {others} other runs"
        if found.unknown:
            which = f"{len(found.apart)} of {others} other runs; the rest has no interval: {why}"
        return f"and the 95 % interval of the difference excludes zero for {which} ({items})."
    names = [runs[k].name for k in found.tied]
    who = (
        names[0] if len(names) == 1 else some(names) if len(names) <= 2 else f"{len(names)} of the other {others} runs"
    )
    return f"but {who} cannot be told apart from it with {items}."


def _no_gap(study: Study, numbers: Numbers, metric: Metric, one: Run, other: Run) -> str:
    """Why the difference of two runs that have values has no interval."""
    if why := no_resamples(metric):
        return why
    if not metric.of_items:
        return too_few(study, len(study.items))
    known, others = (~np.isnan(numbers.results[run.name, metric.name].items) for run in (one, other))
    shared = int((known & others).sum())
    if shared < LEAST:
        return too_few(study, shared, "" if shared == len(known) else " with a value in both")
    if (known != others).any():
        return f"not the same {noun(study)}s have a value"
    return f"some resamples hold none of the {count(shared, noun(study))} with a value"


def _apart_from_people(numbers: Numbers, choice: Choice) -> str:
    metric = p_metric(choice)
    tested = [
        (p, floor)
        for run in choice.runs
        for p, floor, *_ in [_p(numbers, choice, run)]
        if metric is not None and defined(p)
    ]
    if metric is None or not tested:
        return ""
    small = [p for p, _ in tested if p <= ALPHA]
    sofar = so_far(numbers.waiting(metric, choice.runs))
    kind = "harmonic mean p" if choice.harmonic else "corpus permutation test"
    by = f"by {metric.label}" if metric is not choice.ranked else "by this metric"
    if len(small) == len(tested):
        lowest = all(at_floor(p, floor) for p, floor in tested if defined(floor))
        worst, floor = max(tested)
        said = p_phrase(worst, floor) + (", its floor" if lowest and defined(floor) else " at most")
        every = {1: "It differs", 2: f"Both runs{sofar} differ"}
        who = every.get(len(tested), f"All {len(tested)} runs{sofar} differ")
        return f" {who} from the references {by} ({kind}, {said})."
    if not small:
        none = f"No run{sofar} can" if len(tested) > 1 else "It cannot"
        return f" {none} be told from the references {by} ({kind}, p > {ALPHA})."
    differ = "differs" if len(small) == 1 else "differ"
    return f" {len(small)} of {len(tested)} runs{sofar} {differ} from the references {by} at p ≤ {ALPHA} ({kind})."


def _missing(compared: int, runs: Sequence[Run], metric: Metric) -> str:
    absent = len(runs) - compared
    return f" {count(absent, 'run')} without {metric.label} not ranked." if absent and compared > 1 else ""


def footer(study: Study, numbers: Numbers, choice: Choice, shown: Board) -> str:
    """How many, and what every mark of the board means."""
    words = [f"n = {count(len(study.items), noun(study))}, {sizes(study, choice.runs)}."]
    words += [*_partial(study, numbers, choice), *_without_interval(study, shown)]
    words.append(bootstrap(study, "Whiskers", len(study.items), ", the same for every run"))
    if choice.baseline is None:
        words.append("Bold: best. Shade: nearer the best of its column, for diversity nearer the human value.")
    else:
        words.append(f"Differences from {choice.baseline}; coloured where the interval excludes zero.")
    if uneven(study, choice.runs):
        words.append(UNEVEN)
    if (tested := p_metric(choice)) is not None:
        words.append(_p_words(study, tested, numbers, choice))
    return " ".join([*words, *_human_words(study, numbers, choice)])


def _p_words(study: Study, tested: Metric, numbers: Numbers, choice: Choice) -> str:
    found = [numbers.results[run.name, tested.name] for _, run in numbers.of(tested, choice.runs)]
    known = next((result for result in found if defined(result.p_floor)), None)
    if known is None:
        return f"p: permutation tests, {next((why for r in found if r.tested and (why := r.why_no_p())), NOT_YET)}."
    said = f"p: corpus permutation test of {tested.label}, {_draws(known)}, floor {known.p_floor:.4g}"
    if choice.harmonic:
        said = f"p: calibrated harmonic mean of the tests of each {noun(study)}, {tested.label}"
    return f"{said}, {_p_n(study, found)}."


def _draws(result: Result) -> str:
    """How many relabellings the p of a run is of: those that were drawn, or fewer where there are no more."""
    many = round(1 / result.p_floor)
    floors = None if result.item_floor is None else result.item_floor[~np.isnan(result.item_floor)]
    few = floors is not None and float(np.prod(floors)) >= result.p_floor
    return f"{many:,} different relabellings at most" if few else f"{many - 1:,} draws"


def _p_n(study: Study, results: Sequence[Result]) -> str:
    """How many items p is of, and why it is not of all that have a value."""
    sizes = sorted({result.p_n for result in results if result.p_n})
    said = f"n = {sizes[0]:,}" + (f" to {sizes[-1]:,}" if len(sizes) > 1 else "")
    why = next((why for result in results for why in result.untested.values()), "")
    return f"{said} (some {noun(study)}s have a value and no p: {why})" if why else said


def _partial(study: Study, numbers: Numbers, choice: Choice) -> list[str]:
    """Metrics whose means leave items out."""
    said = []
    for metric in choice.metrics:
        found = [numbers.results[run.name, metric.name].n for _, run in numbers.of(metric, choice.runs)]
        short = [n for n in found if 0 < n < len(study.items)]
        if short:
            said.append(f"{metric.label} of {count(len(short), 'run')}: n from {min(short)}.")
    return said


def _without_interval(study: Study, shown: Board) -> list[str]:
    """Numbers of the board that have no interval, equal reasons together; that a study is too small is said of all."""
    if len(study.items) < LEAST:
        return []
    found: dict[tuple[str, str], list[str]] = {}
    for row in shown.rows:
        for column in shown.columns:
            if why := row.cell(column.key).no_interval:
                found.setdefault((column.label, why), []).append(row.name)
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (label, why), names in found.items():
        groups.setdefault((why, tuple(names)), []).append(label)
    what = "No interval" if shown.baseline is None else "Differences without interval"
    said = [f"{some(of)} of {some(names, 3)} ({why})" for (why, names), of in groups.items()]
    return [f"{what}: {'; '.join(said)}."] if said else []


def _human_words(study: Study, numbers: Numbers, choice: Choice) -> list[str]:
    """What the human row is, metrics with equal words together."""
    groups: dict[str, list[str]] = {}
    for metric in choice.metrics:
        if about := numbers.human(study, metric).about:
            groups.setdefault(about, []).append(metric.label)
    if not groups:
        waits = any(numbers.human(study, metric).reason == NOT_YET for metric in choice.metrics)
        return [] if waits else ["Human: no value at these sizes; the dashes say why."]
    return ["Human, not ranked: " + "; ".join(f"{', '.join(names)}: {about}" for about, names in groups.items()) + "."]
