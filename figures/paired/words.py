"""Words of a paired comparison: verdicts, when differences are significant, footers, text alternatives, tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import numpy as np
import pandas as pd

from data.study import Run, Study
from figures.images.titles import title
from figures.paired.forest import adjusted_text, digits, ordered
from figures.paired.items import SideNames, in_order
from figures.style.escaping import Strong, short, whole
from figures.style.numbers import count, defined, interval, num, p_bound, percent, signed
from figures.style.run_names import short_names
from figures.style.wording import (
    bootstrap,
    item_noun,
    item_title,
    labels,
    less_means,
    n_items,
    names_in_a_row,
    sizes,
    too_few,
)
from metrics.analysis.paired import TIED, Comparison, Family, opposed
from metrics.base import Metric
from metrics.bootstrap import LEAST
from metrics.permutation.pvalues import ALPHA

_NAME = 24
"""Maximum length in characters of a run's name in a figure."""
_JUDGED = "of quality or distance to people"
"""A phrase for the metrics by which one direction is better."""


def verdict_two(study: Study, family: Family, main: Comparison) -> tuple[str, ...]:
    """Return which of two runs is better, by which metrics, and by how much by the `main` one, or why this is open."""
    if not family.tests:
        whys = sorted({c.reason for c in family.comparisons if c.reason})
        return (f"There is nothing to compare yet: {'; '.join(whys[:2]) or 'no metric is chosen'}.",)
    short = short_names(study.runs)
    first, second = Strong(short[main.first]), Strong(short[main.second])
    head = _better(first, second, family)
    varied = chain.from_iterable(diverse(first, second, family))
    body = (*head, *_unsure(family), *varied, *_main(study, main, first, second))
    picked = ""
    if len(study.runs) > 2 and not family.over_all_pairs:
        picked = ", if the runs were picked before seeing the results"
    return (*body, f" {holm_words(study, family)}{picked}.")


def _runs(study: Study, family: Family) -> list[Run]:
    return [run for run in study.runs if any(run.name in (c.first, c.second) for c in family.comparisons)]


def _better(first: Strong, second: Strong, family: Family) -> tuple[str, ...]:
    wins, losses = family.ahead(1, significant=True), family.ahead(-1, significant=True)
    if wins and losses:
        by = labels([c.metric for c in wins], 4), labels([c.metric for c in losses], 4)
        return ("The metrics disagree: ", first, f" is better by {by[0]}, ", second, f" by {by[1]}.")
    if wins or losses:
        one, other = (first, second) if wins else (second, first)
        found = [c.metric for c in wins or losses]
        every = (
            _every(family)
            if len(found) == sum(c.has_better_side and not c.reason for c in family.comparisons) > 1
            else ""
        )
        return (one, " is better than ", other, f" by {every or labels(found, 5)}.")
    return no_winner(first, second, family)


def no_winner(first: Strong, second: Strong, family: Family) -> tuple[str, ...]:
    """Return a sentence: no metric that can name a better run shows a significant difference, or there is no such
    metric.
    """
    if not any(c.has_better_side for c in family.comparisons):
        return ("None of these metrics can name the better run: more diversity is not better in itself.",)
    of = f"metric {_JUDGED}" if any(not c.has_better_side for c in family.comparisons) else "metric"
    return (f"No {of} shows a significant difference between ", first, " and ", second, ".")


def _every(family: Family) -> str:
    judged = [c for c in family.comparisons if c.has_better_side]
    valued = sum(not c.reason for c in judged)
    if valued == len(judged):
        return f"every metric {_JUDGED}"
    none = len(judged) - valued
    return f"all {valued} metrics {_JUDGED} that have a value; {none} {'has' if none == 1 else 'have'} none"


def _unsure(family: Family) -> tuple[str, ...]:
    found = [
        c.metric
        for c, sure in zip(family.comparisons, family.significant())
        if c.has_better_side and not sure and defined(c.test.p_value)
    ]
    decided = any(c.has_better_side for c, sure in zip(family.comparisons, family.significant()) if sure)
    return (f" Not significant: {labels(found, 4)}.",) if found and decided else ()


def diverse(first: Strong, second: Strong, family: Family) -> list[tuple[str, ...]]:
    """Return which run is more diverse and which writes more, a sentence each; with both runs if metrics disagree."""
    sentences: list[tuple[str, ...]] = []
    ahead = [family.ahead(side, significant=True, has_better_side=False) for side in (1, -1)]
    for how in dict.fromkeys(c.metric.more_means for found in ahead for c in found):
        mine = [[c.metric for c in found if c.metric.more_means == how] for found in ahead]
        said: list[str] = []
        for one, metrics in zip((first, second), mine):
            if metrics:
                said += [", " if said else " ", one, f"{'' if said else f' is {how}'} by {labels(metrics, 3)}"]
        sentences.append((*said, "."))
    return sentences


def _main(study: Study, main: Comparison, first: str, second: str) -> tuple[str, ...]:
    if main.reason:
        return (f" {main.metric.label}: {main.reason}.",)
    wins, ties, losses = main.counts
    turn = main.sign * (main.winner or 1)
    low, high = sorted((turn * main.low, turn * main.high))
    gap = num(abs(main.difference), digits(main))
    ends = f" ({interval(low, high, digits(main))})" if defined(low) else ""
    how = "better" if main.has_better_side else main.metric.more_means
    ahead = f" in favour of {first if main.winner > 0 else second}" if main.winner else ""
    said = f" {main.metric.label} differs by {gap}{ends}{ahead}; {first} is {how} on {wins:,} "
    tied = f", with {count(ties, 'tie')}" if ties else ""
    return (f"{said}and {second} on {losses:,} of {count(main.n, item_noun(study))}{tied}.",)


CHOSEN = (
    "Intervals and p hold for runs picked before seeing results; the Leaderboard judges those picked for their rank."
)


def verdict_all(study: Study, family: Family) -> tuple[str, ...]:
    """Return how many runs differ from the baseline, and in which direction."""
    if not family.tests:
        whys = sorted({c.reason for c in family.comparisons if c.reason})
        return (f"There is nothing to compare yet: {'; '.join(whys[:2]) or 'there is no other run'}.",)
    some_one, short = family.comparisons[0], short_names(study.runs)
    base = short[some_one.second]
    word = (
        ("better", "worse") if some_one.has_better_side else (some_one.metric.more_means, less_means(some_one.metric))
    )
    ahead, behind = (family.ahead(side, significant=True, has_better_side=some_one.has_better_side) for side in (1, -1))
    rest = family.tests - len(ahead) - len(behind)
    than: tuple[str, ...] = (" than ", Strong(base))
    parts: list[str] = []
    for found, how in ((ahead, word[0]), (behind, word[1])):
        if found:
            parts += [
                "; " if parts else "",
                _who(found, family, short),
                f" {_is(found)} {how}",
                *(() if parts else than),
            ]
    if not parts:
        # Five items of the same sign give p = .06; equal runs have p = 1 for another reason.
        least = min(c.test.floor for c in family.comparisons if defined(c.test.p_value))
        could = least <= ALPHA or max(c.n for c in family.comparisons) >= LEAST
        sure = (
            "is significant" if could else f"can be significant: {too_few(study, max(c.n for c in family.comparisons))}"
        )
        parts += ["no difference from ", Strong(base), f" {sure}"]
    elif rest:
        parts += [f"; {count(rest, 'other')} {'is' if rest == 1 else 'are'} not significantly different"]
    return (f"By {some_one.metric.label}, ", *parts, f". {holm_words(study, family)}.")


def _who(found: Sequence[Comparison], family: Family, short: Mapping[str, str]) -> Strong:
    if len(found) == len(family.comparisons) > 3:
        return Strong(f"all {len(found)} other runs")
    nearest = sorted(found, key=lambda c: abs(c.difference))
    return Strong(names_in_a_row([short[c.first] for c in nearest], 3))


def _is(found: Sequence[Comparison]) -> str:
    return "is" if len(found) == 1 else "are"


def holm_words(study: Study, family: Family) -> str:
    """Return when a difference is significant, and for which tests p is corrected, without a full stop."""
    tested = [c for c in family.comparisons if defined(c.test.p_value)]
    pair = len({(c.first, c.second) for c in family.comparisons}) == 1
    if family.over_all_pairs and pair:
        metrics = f" and {family.tests} metrics" if family.tests > 1 else ""
        return (
            f"One of the two runs leads all, so p is corrected for all pairs of runs{metrics}: a difference is "
            f"significant where corrected p\u00a0≤\u00a0{ALPHA}"
        )
    if family.over_all_pairs:
        of, metric = family.comparisons[0].second, family.comparisons[0].metric
        leads = "leads" if metric.has_better_side else f"has the highest {metric.label}"
        leads = "shares the lead" if family.shared else leads
        return (
            f"{short_names(study.runs)[of]} {leads}, so p is corrected for all pairs of runs: a difference is "
            f"significant where corrected p\u00a0≤\u00a0{ALPHA}"
        )
    if family.tests == 1:
        return f"A difference is significant where p\u00a0≤\u00a0{ALPHA}"
    what = count(family.tests, "comparison")
    if pair:
        of = f"{what} of the two runs, one for each metric"
    else:
        of = (
            f"{what} of runs with {short_names(study.runs)[tested[0].second]} by {tested[0].metric.label}"
            if tested
            else what
        )
    return f"A difference is significant where p\u00a0≤\u00a0{ALPHA}, corrected for {of} (Holm)"


def footer(study: Study, family: Family) -> str:
    """Return the number of items, how differences were resampled and tested, and the definition of d_z."""
    n = _n(study, family)
    words = [f"n = {n}, {sizes(study, _runs(study, family))}."]
    short = [c for c in family.comparisons if c.left_out and c.n]
    if short:
        most = max(c.left_out for c in short)
        words.append(f"Left out: up to {count(most, item_noun(study))} for which only one run has a value.")
    words.append(_interval_words(study, family))
    if not family.over_all_pairs:
        words.append(CHOSEN)
    return " ".join([*words, _test_words(study, family), _effect_words(study, family)]).strip()


def _interval_words(study: Study, family: Family) -> str:
    most = max((c.n for c in family.comparisons), default=0)
    if not family.over_all_pairs:
        return bootstrap(study, "Intervals", most, ", with the same draws for both runs")
    if not any(defined(c.low) for c in family.comparisons):
        why = f"{too_few(study, most)} for intervals"
        if most >= LEAST:
            ones = f"{item_noun(study)}s"
            why = f"No intervals: runs have values for different {ones}, so they cannot be resampled together"
        return f"{why}; corrected p is p times the number of pairs of runs (Bonferroni)."
    return (
        "Intervals and corrected p: Student's t of bootstrap errors, for all pairs of runs at once. p comes from "
        "another test, of the pair alone, so corrected p can be smaller than p."
    )


def _n(study: Study, family: Family) -> str:
    found = sorted({c.n for c in family.comparisons if c.n})
    if not found:
        return count(0, item_noun(study))
    low, high = found[0], found[-1]
    return n_items(study, low) if low == high else f"{low:,} to {high:,} {item_noun(study)}s"


def _test_words(study: Study, family: Family) -> str:
    tests = [c.test for c in family.comparisons if defined(c.test.p_value)]
    if not tests:
        return ""
    exact, drawn = [t for t in tests if t.exact], [t for t in tests if not t.exact]
    most = max((t.tried for t in exact), default=0)
    ways = [f"all {most:,} assignments" if most > 1 else "no other assignment"] if exact else []
    ways += [f"{drawn[0].tried:,} draws"] if drawn else []
    floors = sorted({t.floor for t in tests})
    least = "p = 1"
    if floors[0] < 1:
        least = f"p ≥ {' to '.join(map(p_bound, (floors[0], floors[-1])[: len(floors)]))}"
    return (
        f"p: two-sided sign-flip test ({' or '.join(ways)}, {least}). Without a difference, the two runs could have "
        f"swapped their captions of any {item_noun(study)}. Differences that are skewed and zero on average are called "
        "significant too often: strongly skewed ones (log-normal) in 15 % of cases with 10 to 20 "
        f"{item_noun(study)}s and in 10 % with 100, not in 5 %."
    )


def _effect_words(study: Study, family: Family) -> str:
    words = "d_z: mean of the paired differences divided by their standard deviation (Cohen 1988)."
    if any(defined(c.effect.low) for c in family.comparisons):
        words += " Its interval: d_z corrected for the bootstrap's bias, plus or minus t bootstrap errors."
    if pooled := _metrics(c for c in family.comparisons if c.pooled):
        words += (
            f" {labels(pooled)}: difference, p and d_z refer to the pooled score, and d_z uses what each "
            f"{item_noun(study)} adds to the difference (jackknife)."
        )
    if noisy := _metrics(c for c in family.comparisons if c.metric.tie > TIED):
        words += (
            f" By {labels(noisy)}, a difference of up to {noisy[0].tie:g} is a tie, as it is only noise from smoothing."
        )
    if ragged := _metrics(c for c in family.comparisons if c.unequal_weights):
        words += (
            f" {labels(ragged)}: the two runs give different numbers of captions from {item_noun(study)} to "
            f"{item_noun(study)}, which affects the pooled difference; p weighs both runs alike."
        )
    return words


def _metrics(comparisons: Iterable[Comparison]) -> list[Metric]:
    return list(dict.fromkeys(c.metric for c in comparisons))


def forest_alt(study: Study, family: Family) -> str:
    """Return the text alternative of the forest plot."""
    named = short_names(study.runs)
    rows = []
    for c, p in zip(family.comparisons, family.adjusted):
        text = adjusted_text(c, float(p), family.over_all_pairs)
        said = c.reason or f"{signed(c.difference, digits(c))}, corrected p {text}"
        rows.append(f"{c.metric.label}, {named[c.first]} against {named[c.second]}: {said}")
    return f"Differences and corrected p. {'; '.join(rows)}."


def items_alt(main: Comparison, study: Study) -> str:
    """Return the text alternative of the sorted item differences."""
    wins, ties, losses = main.counts
    named = short_names(study.runs)
    return (
        f"Differences of {main.metric.label} for each {item_noun(study)}, sorted: {named[main.first]} ahead on {wins}, "
        f"{ties} ties, {named[main.second]} ahead on {losses}."
    )


def sides(main: Comparison, study: Study) -> SideNames:
    """Return the names of the two sides and of the items, for figures."""
    how = "better" if main.has_better_side else main.metric.more_means
    named = short_names(study.runs)
    first, second = (short(named[one], _NAME, named.values()) for one in (main.first, main.second))
    return SideNames(f"{first} {how}", f"{second} {how}", [title(study, item) for item in study.items])


def disagreement_words(one: Comparison, other: Comparison, study: Study) -> tuple[str, ...]:
    """Return the number of items on which two metrics name different winners, as a sentence."""
    both = ~np.isnan(one.items) & ~np.isnan(other.items)
    apart = int((~np.isnan(opposed(one, other))).sum())
    n = int(both.sum())
    share = percent(apart / n) if n else ""
    return (
        f"{one.metric.label} and {other.metric.label} name different winners on ",
        Strong(f"{apart:,}"),
        f" of {count(n, item_noun(study))} ({share}).",
    )


def note(c: Comparison) -> str:
    """Return why a comparison or its interval is missing; "" if neither is missing."""
    return c.reason or (f"no interval: {c.no_interval}" if c.no_interval else "")


def table(family: Family) -> pd.DataFrame:
    """Return all numbers of a family at full precision: one row per metric for two runs, else one row per run."""
    two = len({(c.first, c.second) for c in family.comparisons}) == 1
    frame = pd.DataFrame([_record(c, p, two) for c, p in ordered(family)])
    counted = ("Ahead", "Ties", "Behind", "n", "Left out")
    return frame.astype({name: "Int64" for name in counted if name in frame})


def _record(c: Comparison, adjusted: float, two: bool) -> dict[str, object]:
    wins, ties, losses = c.counts if not c.reason else (None, None, None)
    heads = (
        (f"{whole(c.first)} (A)", f"{whole(c.second)} (B)") if two else (c.metric.label, f"{whole(c.second)} (base)")
    )
    return {
        **({"Metric": c.metric.label} if two else {"Run": whole(c.first)}),
        heads[0]: c.values[0],
        heads[1]: c.values[1],
        "Difference": c.difference,
        "95 % from": c.low,
        "95 % to": c.high,
        "p": c.test.p_value,
        "Smallest possible p": c.test.floor,
        "Corrected p": adjusted,
        "d_z": c.effect.value,
        "d_z from": c.effect.low,
        "d_z to": c.effect.high,
        "Ahead": wins,
        "Ties": ties,
        "Behind": losses,
        "n": c.n,
        "Left out": c.left_out,
        "Note": note(c),
    }


def items_table(study: Study, main: Comparison, other: Comparison | None = None) -> pd.DataFrame:
    """Return a row for each item, the first run's best first: scores, difference, winner, and disagreement with any
    `other`.
    """
    order = in_order(main)
    columns: dict[str, object] = {
        item_title(study): [title(study, study.items[k]) for k in order],
        f"{main.metric.label}, A": main.sides[0][order],
        f"{main.metric.label}, B": main.sides[1][order],
        "A minus B": main.items[order],
        "Ahead": ["A" if won > 0 else "B" if won < 0 else "tie" for won in main.sides_won[order]],
    }
    if other is not None and len(other.items):
        columns[f"{other.metric.label}, A minus B"] = other.items[order]
        columns["Disagreement"] = opposed(main, other)[order]
    columns["Id"] = [study.items[k].id for k in order]
    return pd.DataFrame(columns)
