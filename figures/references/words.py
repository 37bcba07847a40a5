"""Sentences and tables of the References page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from data.study import Study
from figures.references.agreement import AgreementRow, Cell
from figures.references.budget_map import BudgetMap, columns, rows
from figures.references.curves import Line, Panel
from figures.style.escaping import Strong
from figures.style.numbers import count, decimals, defined, num, percent
from figures.style.wording import n_items
from metrics.analysis.references.own_scores import ScoredItem
from metrics.analysis.references.stability import Stability
from metrics.analysis.references.summary import Summary
from metrics.analysis.references.tables import PUBLISHED
from metrics.base import Metric
from metrics.bootstrap import LEAST
from metrics.engine.result import Result
from metrics.suite.consensus import Consensus

FEW_PAIRS = 5
"""Number of significantly different pairs of runs below which the order says little, unless there are no more pairs.

If the two sets of references ordered each pair by chance, five independent pairs would all agree in one draw in 32.
"""
HOW_CURVES = (
    "Each draw takes some references of every image at random, and as many of its other references, the same for all "
    "runs, and scores the runs with each of the two sets. A pair of runs changes places if the two orders differ; a "
    "tie in one order counts half. Only pairs that differ significantly with all references count (t test over images "
    "or their clusters, all pairs at once), or all pairs if none does. The winners differ if they are such a pair. At "
    "most half of the references can be compared with others. The two sets share their images; new images would change "
    "the order more."
)
HOW_BUDGET = (
    "An image's part of a score varies between images and with its references. Both variances are measured by drawing "
    "references from this study. The error is inversely proportional to the square root of the number of images. "
    "Errors are shares of the difference between runs with that number of references (root mean squares over pairs) "
    "or, for a single run, of its score; some scores rise with the number of references, while differences need not. "
    "Numbers in italics are for more images than the study has. What to buy first is stated only if the order is "
    "significant and the 95 % interval of the ratio of the two errors, over images or their clusters, excludes 1."
)
HOW_AGREEMENT = (
    "Each reference is scored against the others of its image, and the scores are averaged over images. An image with "
    "more than five references is scored by ten samples of five. The published values are those of Zhu et al. 2020, "
    "table 2, for images with five references. Each metric has its own scale."
)
LONGEST = 150
"""Maximum number of characters of a verdict with both sentences, which are two lines on a tablet."""
SAME = 1e-12
"""Scores count as the same if they differ by no more than this share of the largest."""
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def verdict(found: Summary, what: str, images: int, label: str) -> list[str]:
    """Return how many references make the order of the runs by a metric stable, and how to spend a budget.

    If this has more than LONGEST characters, the share of pairs is left out, as the figure shows it; if that is not
    enough, the budget is left out instead, as a map shows it.
    """
    one = found.chosen
    spending = _spending(found, what, images) if one.pairs or found.runs < 2 else []
    if found.runs > 2 and one.pairs == found.runs * (found.runs - 1) // 2 and one.steady == one.sizes[0]:
        spending = [f"All {one.pairs:,} pairs differ significantly: this order needs no more captions."]
    order = [f"By {label}, ", *_order(one, found.count, found.runs, what)]
    if not spending:
        return order
    *start, end = order
    brief = [*start, f"{end.partition(': ')[0].removesuffix('.')}."]
    every = ([*said, " ", *spending] for said in (order, brief))
    return next((said for said in every if len("".join(said)) <= LONGEST), order)


def _order(one: Stability, full: int, runs: int, what: str) -> list[str]:
    if runs < 2:
        return [
            "a single run has no order; with one reference, its score varies by ",
            percent(float(one.spread[0]), 1),
            ".",
        ]
    if np.ptp(one.full) <= SAME * np.abs(one.full).max():
        return [
            Strong(f"all {runs:,} runs" if runs > 2 else "both runs"),
            f" score the same with all {_references(full)}.",
        ]
    if one.n < LEAST:
        return [f"{count(one.n, what)} are too few to test the order of the runs."]
    if not one.pairs:
        return [
            "the order is ",
            Strong("not significant"),
            f"; more {what}s would settle it sooner than more references.",
        ]
    pairs = runs * (runs - 1) // 2
    if one.pairs < min(FEW_PAIRS, pairs):
        differ = f" {_s(one.pairs, 'differ')} significantly, too few to tell whether other references change the order."
        return ["only ", Strong(f"{one.pairs} of {pairs:,} pairs of runs"), differ]
    if one.steady is not None:
        place = one.sizes.index(one.steady)
        share = percent(float(one.swapped[place]), 1)
        of = "all pairs" if one.pairs == pairs else f"{one.pairs:,} significant pairs"
        moved = f"in {share} of draws, the two change places." if runs == 2 else f"of {of}, {share} change places."
        if not one.swapped[place]:
            moved = f"no {'' if one.pairs == pairs else 'significant '}pair changes places in any draw."
        others = _others(one.steady, "does", "do")
        whom = "the runs" if one.pairs == pairs else f"the {one.pairs:,} significant pairs"
        return [
            Strong(_references(one.steady)),
            f" {_s(one.steady, 'rank')} {whom} {'almost ' if one.swapped[place] else ''}as {others}: {moved}",
        ]
    if one.same_winner is not None:
        same = 1 - float(one.winner_differs[one.sizes.index(one.same_winner)])
        agree = f" {_s(one.same_winner, 'agree')} with {_others(one.same_winner)} on the winner in {percent(same)} of "
        return [Strong(_references(one.same_winner)), f"{agree}draws, but lower places still move."]
    last = one.sizes[-1]
    other = percent(float(one.winner_differs[-1]))
    verb = "gives" if last == 1 else "give"
    return [
        Strong(f"{_references(last)} may be too few:"),
        f" {_others(last)} {verb} another winner in {other} of draws.",
    ]


def _others(n: int, *verb: str) -> str:
    words = ["another" if n == 1 else f"{_word(n)} others", *(verb[n > 1 :][:1])]
    return " ".join(words)


def _spending(found: Summary, what: str, images: int) -> list[str]:
    """Whether to spend captions on one reference per image or on all references of fewer images; [] if unknown."""
    less, ratio = images // found.count, found.compared
    if not less or not defined(ratio.value):
        return []
    most, few = (
        f"{count(less * found.count, what)} with one reference",
        f"{less:,} with {_word(found.count)}",
    )
    if np.isnan(ratio.low):
        are = "is" if images == 1 else "are"
        return [f"{count(images, what)} {are} too few to test what to buy first."]
    if ratio.low <= 0 <= ratio.high:
        return [f"No difference in error is detected between {most} and {few}."]
    if ratio.value < 0:
        return ["Buy ", Strong(f"{what}s first"), f": {most} beat {few}."]
    return ["Buy ", Strong("references first"), f": {few} {_s(less, 'beat')} {most}."]


def _word(n: int) -> str:
    return NUMBERS[n] if n < len(NUMBERS) else f"{n:,}"


def _references(n: int) -> str:
    return f"{_word(n)} {'reference' if n == 1 else 'references'}"


def _s(n: int, verb: str) -> str:
    return f"{verb}s" if n == 1 else verb


def panels(found: Summary, metrics: Sequence[Metric]) -> tuple[Panel, ...]:
    """Return the curves by the number of references: swapped pairs, if there are several runs, and a score's spread."""
    label = {metric.name: metric.label for metric in metrics}
    one = found.chosen
    score = one.mean.mean(axis=1)
    digits = decimals(score.tolist())
    spread = tuple(Line(m.metric, label[m.metric], m.spread) for m in found.moved)
    means = (("mean score", tuple(num(float(value), digits) for value in score)),)
    second = Panel("Spread of a run's score, as a share of the score", spread, means)
    if found.runs < 2:
        return (second,)
    swapped = tuple(Line(m.metric, label[m.metric], m.swapped) for m in found.moved)
    shares = tuple(
        (name, tuple(percent(float(share)) for share in of))
        for name, of in (("order differs", one.order_differs), ("winner differs", one.winner_differs))
        if _changes(one)
    )
    claimed = one.sizes.index(one.steady) if one.steady is not None else None
    return Panel("Pairs of runs that change places", swapped, shares, claimed), second


def curves_alt(found: Summary, label: str) -> str:
    """Return the text alternative of the curves: the first curve of the chosen metric."""
    one = found.chosen
    if found.runs < 2:
        said = [f"{percent(float(v), 1)} with {size}" for size, v in zip(one.sizes, one.spread)]
        return f"Spread of the score of {label} by the number of references: {', '.join(said)}."
    said = [f"{percent(float(v), 1)} with {size}" for size, v in zip(one.sizes, one.swapped)]
    return f"Pairs of runs that change places by {label}, by the number of references: {', '.join(said)}."


def curves_facts(study: Study, found: Summary) -> list[str]:
    """Return the footer of the curves: n, the draws, what they are compared with, and which pairs count."""
    one = found.chosen
    return [
        f"n = {n_items(study, one.n)}, {count(found.runs, 'run')}, {count(one.draws, 'draw')} of references",
        f"compared with as many of the other references, of {found.count} in all",
        *(_judged(one, found.runs) if found.runs > 1 else []),
    ]


def _judged(one: Stability, runs: int) -> list[str]:
    all_pairs = count(runs * (runs - 1) // 2, "pair")
    which = (
        f"only significant pairs count, {one.pairs:,} of {all_pairs}" if one.pairs else f"{all_pairs}, none significant"
    )
    return [
        which,
        *(["differs: in this share of draws"] if len(one.sizes) > 1 and _changes(one) else []),
    ]


def _changes(one: Stability) -> bool:
    """Whether the order or the winner ever changes: rows of zeros would say no more than the curve."""
    return bool(np.any(one.order_differs > 0) or np.any(one.winner_differs > 0))


def curves_table(found: Summary, metrics: Sequence[Metric]) -> pd.DataFrame:
    """Return one row per metric and number of references."""
    label = {metric.name: metric.label for metric in metrics}
    return pd.DataFrame(
        [
            {
                "Metric": label[one.metric],
                "References": size,
                "Pairs that differ significantly": one.pairs,
                "Pairs that change places": one.swapped[k],
                "Order differs": one.order_differs[k],
                "Winner differs": one.winner_differs[k],
                "Spread of the score": one.spread[k],
                "Mean score": one.mean[k].mean(),
                "Draws": one.draws,
            }
            for one in found.moved
            for k, size in enumerate(one.sizes)
        ]
    )


def budget_map_of(found: Summary, what: str) -> BudgetMap:
    """Return the numbers of items and references that the map shows, with their errors."""
    items = found.costs.items
    images = _with_compared(columns(items), items, items // found.count, found.count)
    sizes = tuple(found.costs.sizes[k] for k in rows(found.costs.sizes))
    of = "difference" if found.runs > 1 else "score"
    return BudgetMap(sizes, images, found.errors(images, sizes), images.index(items), what, of)


def _with_compared(columns: Sequence[int], items: int, less: int, full: int) -> tuple[int, ...]:
    if not less:
        return tuple(columns)
    kept = {items, less, less * full}
    far = [n for n in columns if all(not 0.7 < n / one < 1.5 for one in kept)]
    return tuple(sorted({*kept, *far}))


def budget_facts(found: Summary) -> list[str]:
    """Return the footer of the map: what its numbers are, and the meaning of italics."""
    of, share = ("the difference between two runs", "difference") if found.runs > 1 else ("the run's score", "score")
    return [
        f"standard error of {of}, in % of the {share}",
        "italics: extrapolated",
    ]


def budget_alt(shown: BudgetMap) -> str:
    """Return the map in words: the errors for the study's own images, with one reference and with all."""
    first, last = float(shown.error[0, shown.own]), float(shown.error[-1, shown.own])
    n = count(shown.images[shown.own], shown.what)
    return f"Standard error with {n}: {100 * first:.1f} % with one reference, {100 * last:.1f} % with all."


def budget_table(shown: BudgetMap) -> pd.DataFrame:
    """Return one row per number of references, and one column per number of images."""
    table = pd.DataFrame({"References": shown.sizes})
    for k, n in enumerate(shown.images):
        table[count(n, shown.what)] = shown.error[:, k]
    return table


def agreement_rows(results: Sequence[Result]) -> tuple[list[AgreementRow], list[str]]:
    """Return the metrics with the study's numbers and the published ones, and the names of the columns."""
    published = list(PUBLISHED)
    out = []
    for result in results:
        metric = result.metric
        of = metric.of if isinstance(metric, Consensus) else None
        key, label = (of.name, of.label) if of is not None else (metric.name, "BLEU 1 to 4")
        known = [PUBLISHED[name].get(key) for name in published]
        cells = [Cell(result.corpus, result.sd), *(Cell(*pair) if pair else Cell(np.nan, np.nan) for pair in known)]
        ends = [c.mean + c.sd for c in cells if defined(c.mean) and defined(c.sd)]
        bounded = metric.bounds[1] <= 1
        out.append(AgreementRow(key, label, tuple(cells), 1.0 if bounded else float(np.ceil(max([*ends, 1e-9])))))
    return out, ["This study", *(f"{name}*" for name in published)]


def agreement_table(rows: Sequence[AgreementRow], columns: Sequence[str], n: int) -> pd.DataFrame:
    """Return the mean and standard deviation of each metric and column."""
    lines = []
    for row in rows:
        line: dict[str, object] = {"Metric": row.label}
        for name, cell in zip(columns, row.cells):
            line |= {name: cell.mean, f"{name} sd": cell.sd}
        lines.append({**line, "n": n})
    return pd.DataFrame(lines)


def agreement_facts(study: Study, n: int) -> list[str]:
    """Return the footer of the table: n, and the source of the published numbers."""
    return [f"n = {n_items(study, n)}", "* Zhu et al. 2020"]


def agreement_alt(rows: Sequence[AgreementRow], what: str) -> str:
    """Return the study's column in words."""
    said = [f"{row.label} {num(row.cells[0].mean, 2)} ± {num(row.cells[0].sd, 2)}" for row in rows]
    return f"Mean and standard deviation over {what}s: {', '.join(said)}."


def item_table(study: Study, label: str, most: Sequence[ScoredItem], least: Sequence[ScoredItem]) -> pd.DataFrame:
    """Return every reference of the listed items with its own score."""
    return pd.DataFrame(
        [
            {
                "Agreement": name,
                "Item": study.items[one.place].id,
                f"{label} of all": one.agreement,
                "Reference": text,
                f"{label} of this one": float(score),
            }
            for name, some in (("most", most), ("least", least))
            for one in some
            for text, score in zip(study.items[one.place].references, one.scores)
        ]
    )
