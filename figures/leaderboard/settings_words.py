"""Sentences of the leaderboard with one row per setting."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from data.study import Study
from figures.leaderboard.board import Board
from figures.leaderboard.rows import column_of
from figures.leaderboard.words import break_words, dash_words, unranked_verdict, without_value
from figures.notes.hazards import unranked
from figures.notes.seeds import seed_words, short_settings
from figures.style.escaping import Strong
from figures.style.escaping import short as cut
from figures.style.numbers import count, defined, percent
from figures.style.wording import bootstrap, item_noun, may_be_as_good, names_in_a_row, of_others, sharing, sizes
from metrics.analysis.leaderboard import SettingStanding, Standings
from metrics.analysis.replicates.grouping import Replicates
from metrics.analysis.replicates.spread_of_seeds import Estimate
from metrics.engine.result import PENDING
from metrics.permutation.pvalues import ALPHA

Parts = tuple[str, ...]
_NAME = 40
"""Maximum length in characters of a setting's name in a verdict."""


def verdict(standings: Standings[SettingStanding]) -> tuple[Parts, Parts]:
    """Return which setting leads, whether significantly over items and seeds, and what is known about its seeds."""
    study, of = standings.study, standings.ranked
    short = short_settings(study, standings.choice.settings)
    if of is None:
        return unranked_verdict(standings, [cut(name, _NAME) for name in short.values()], "setting"), ()
    metric, leads = of.metric, of.verdict
    names = {k: Strong(cut(name, _NAME)) for k, name in enumerate(short.values())}
    if leads is None:
        return (f"No setting has a value of {metric.label} yet.",), ()
    best, others = of.estimates[leads.best], leads.compared - 1
    word = "highest" if metric.higher_is_better else "lowest"
    head: Parts = (names[leads.best], f" ({_seeds(best.runs)}) has the {word} {metric.label}")
    alone = ": no other setting has a value."
    if leads.equal:
        first = [names[k] for k in (leads.best, *leads.equal)]
        who, have = sharing(first, leads.compared, metric, "setting", len(names) - leads.compared)
        head, leads, alone = (Strong(who), have), leads.rest, "."
        others = leads.compared - 1
    if not others:
        tail: Parts = (alone,)
    elif len(leads.unknown) == others:
        tail = ("; whether that is significant cannot be tested.",)
    elif leads.tied:
        tail = may_be_as_good([names[k] for k in leads.tied], [names[k] for k in leads.apart], others)
    else:
        ahead = of_others(len(leads.apart), others)
        tail = (f", significantly ahead of {ahead}, {_over(study, [best, *(of.estimates[k] for k in leads.apart)])}.",)
    said = seed_words(best, column_of(metric, of.values).digits)
    return (*head, *tail, *_shares(of)), (names[leads.best], f": {said}.")


def _over(study: Study, compared: Sequence[Estimate]) -> str:
    """The units over which settings were compared: items and seeds, or only items if every setting has a single run."""
    items, several = f"{item_noun(study)}s", [one.runs > 1 for one in compared]
    if all(several):
        return f"over {items} and seeds"
    return f"over {items}, and seeds where a setting has several" if any(several) else f"over {items} only"


def _seeds(runs: int) -> str:
    return "one run" if runs == 1 else f"{runs} seeds"


def _shares(of: SettingStanding) -> Parts:
    """The seeds' share of a run's variance: the median over the settings, and the lowest and highest end of their
    intervals.

    () if it is unknown.
    """
    known = [one for one in of.estimates if defined(one.share)]
    if not known:
        return ()
    median, low = percent(float(np.median([one.share for one in known]))), min(one.share_low for one in known)
    ends = f"{percent(low)} to {percent(max(one.share_high for one in known))}"
    which = f"median of {len(known)}, 95 % intervals from " if len(known) > 1 else ""
    return (f" Seeds account for {median} of a run's variance ({which}{ends}).",)


def footer(standings: Standings[SettingStanding], shown: Board) -> str:
    """Return the sample size and the meaning of every mark on the board."""
    study, choice, found = standings.study, standings.choice, standings.found
    one, counted = item_noun(study), sizes(study, choice.runs)
    words = [f"n = {count(len(study.items), one)}, {counted}; {_numbers_of_seeds(choice.settings)}."]
    if any(of.metric.additive for of in found):
        words.append(bootstrap(study, "Bars", len(study.items), ", of the mean over seeds, which are not resampled"))
    words.append("Ticks: the runs of a setting, one per seed.")
    words.append(
        f"Ranks and differences: from the variance over {one}s plus what seeds add to it ({one}s crossed with runs, "
        f"seeds within settings; Student's t, Satterthwaite), corrected for all pairs of settings (Holm, p ≤ {ALPHA})."
    )
    if alone := [of.name for of in choice.settings if len(of.runs) == 1]:
        words.append(
            f"Only one run: {names_in_a_row(alone, 3)}. How much seeds differ is unknown there, so the comparison is "
            f"over {one}s only."
        )
    if whole := [of.metric.label for of in found if not np.isfinite(of.pairs.p).any() and _known(of)]:
        words.append(f"{names_in_a_row(whole)}: no intervals, so no ranks.")
    words.append("No p against people, which tests single runs; show one row per run to see it.")
    return " ".join([*words, *unranked(study, choice.metrics, choice.runs), *without_value(shown)])


def _known(of: SettingStanding) -> bool:
    return all(one.reason != PENDING for one in of.estimates)


def _numbers_of_seeds(settings: Sequence[Replicates]) -> str:
    sizes = sorted({len(of.runs) for of in settings})
    span = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    return f"{count(len(settings), 'setting')} of {span} run{'' if sizes == [1] else 's'}"


def facts(standings: Standings[SettingStanding], shown: Board) -> list[str]:
    """Return the line below the board: n, and the meaning of the bars, marks and dashes that occur."""
    study, choice, one = standings.study, standings.choice, item_noun(standings.study)
    bars = f"95 % interval of the difference, over {one}s and seeds" if choice.baseline else "95 % bootstrap"
    over = "" if choice.baseline else f" over {one}s"
    floor = ["shaded: chance, from the lowest to the highest end over a setting's seeds"] if choice.by_chance else []
    said = [f"n = {count(len(study.items), one)}", f"bars: {bars}{over}", "ticks: single seeds"]
    return [*said, *([] if choice.baseline else floor), *break_words(shown), *dash_words(shown)]


def difference_verdict(standings: Standings[SettingStanding]) -> Parts:
    """Return how many settings differ significantly from the baseline by the ranking metric."""
    study, choice, of = standings.study, standings.choice, standings.found[0]
    names = [setting.name for setting in choice.settings]
    base = names.index(str(choice.baseline))
    label = Strong(cut(list(short_settings(study, choice.settings).values())[base], _NAME))
    ahead = of.pairs.sure[:, base] & ((of.pairs.value[:, base] > 0) == of.metric.higher_is_better)
    known = np.isfinite(of.pairs.p[:, base])
    tested, better = int(known.sum()), int(ahead.sum())
    over = _over(study, [of.estimates[base], *(of.estimates[k] for k in np.flatnonzero(known))])
    behind = int(of.pairs.sure[:, base].sum()) - better
    if not tested:
        return ("No setting can be compared with ", label, f" by {of.metric.label} yet.")
    beat = "beat" if of.metric.has_better_side else "exceed"
    head = (
        f"{better} of {count(tested, 'setting')} significantly {beat}{'s' if better == 1 else ''} "
        if better
        else f"No setting significantly {beat}s "
    )
    rest = tested - better - behind
    return (
        head,
        label,
        f" by {of.metric.label}, {over}; {behind} {'is' if behind == 1 else 'are'} behind, and {rest} undecided.",
    )
