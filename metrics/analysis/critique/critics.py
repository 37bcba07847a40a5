"""The scores that critiques give to runs, people and artificial captions, and their training losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from data.study import Run, Study
from metrics.bootstrap import LEAST, RESAMPLES, bootstrap_totals, interval
from metrics.cache.disk import Cache
from metrics.chunk import Chunk, StudyDigests
from metrics.learned.critique_metric import Critique, joint, key_of, trained
from metrics.learned.critique_result import PROBES, Measured
from metrics.mathematics.arrays import Floats
from metrics.permutation.pvalues import ALPHA, holm
from metrics.progress import Hooks
from metrics.units import Units, by_unit, count_units, of_items

if TYPE_CHECKING:
    import pandas as pd

RUN, PEOPLE, GAP, PERFORMANCE = "run", "people", "people_less_run", "performance"


class Score(NamedTuple):
    """The mean over items of their captions' mean score, with its 95 % bootstrap interval over `n` items.

    `spread` is the standard deviation of the mean over repeats, NaN for a single repeat. `p_value` is from a two-sided
    paired t-test over items of whether the mean is 0 (see `halves_test`), NaN except for GAP.
    """

    value: float
    low: float
    high: float
    n: int
    spread: float
    p_value: float = np.nan


@dataclass(frozen=True)
class Critic:
    """A critique of `run`: the `scores` of the run, of people and of each kind of artificial caption, by name.

    GAP is people's score minus the run's, averaged over items; PERFORMANCE is the mean probability of the right answer
    when half of the captions are people's and half the run's.

    `one_for_all` is true if the critique is trained on all runs. `run_scores` and `people_scores` (captions,) are means
    over repeats, by item in study order; the captions of an item are sorted by text.
    """

    run: str
    one_for_all: bool
    scores: dict[str, Score]
    run_scores: tuple[Floats, ...]
    people_scores: tuple[Floats, ...]
    losses: Floats


def critics(study: Study, metric: Critique, cache: Cache, hooks: Hooks, one_for_all: bool = False) -> list[Critic]:
    """Return the critique of each run, from the cache or newly trained; if `one_for_all`, all runs share one critique.

    Raises TooFew if a critique has too few items to learn from.
    """
    found = measured(study, metric, cache, hooks, one_for_all)
    told = metric.learns_of_runs
    return [critic(study, run, one, one_for_all, told) for run, one in zip(study.runs, found, strict=True)]


def measured(study: Study, metric: Critique, cache: Cache, hooks: Hooks, one_for_all: bool = False) -> list[Measured]:
    """Return, for each run, the scores by its own critique, or by the one critique for all runs.

    In the progress that `hooks` receive, each critique that is not in the cache is an equal share of the work;
    `hooks.finished` is called after each of them. Raises TooFew if a critique has too few items to learn from.
    """
    if one_for_all:
        found = joint(study, metric, cache, hooks)
        starts = np.cumsum([0, *(sum(_sizes(study, run)) for run in study.runs)])
        return [replace(found, runs=found.runs[:, start:end]) for start, end in pairwise(starts)]
    digests = {run.name: StudyDigests.of(study, run) for run in study.runs}
    new = [name for name, texts in digests.items() if not cache.has(key_of(metric, texts))]
    made = []
    for run in study.runs:
        k = new.index(run.name) if run.name in new else 0
        part = hooks.part(k / len(new), (k + 1) / len(new)) if run.name in new else Hooks()
        named = Hooks(lambda text, name=run.name: hooks.progress(f"{name}, {text}"), hooks.should_stop, part.share)  # type: ignore[misc]
        made.append(trained(study.only(runs=[run.name]), run, metric, Chunk((), (), cache, named, digests[run.name])))
        if run.name in new:
            part.share(1.0)
            hooks.finished()
    return made


def critic(study: Study, run: Run, found: Measured, one_for_all: bool, learned: bool = True) -> Critic:
    """Return a critique's scores; `learned` is true if the critique was trained on the run's captions."""
    people = [len(item.references) for item in study.items]
    own, theirs = _item_means(found.runs, _sizes(study, run)), _item_means(found.people, people)
    unit = study.unit
    named = {
        RUN: _score(own, unit),
        PEOPLE: _score(theirs, unit),
        **{name: _score(found.probes[:, k], unit) for k, name in enumerate(PROBES)},
        GAP: _tested(theirs - own, unit, learned),
        PERFORMANCE: _score((1 + theirs - own) / 2, unit),
    }
    return Critic(
        *(run.name, one_for_all, named),
        *(_split(found.runs, _sizes(study, run)), _split(found.people, people), found.losses),
    )


def below_people(every: Sequence[Critic]) -> list[bool]:
    """Return whether each run scores significantly below people, by paired t-tests, Holm-corrected across runs."""
    return [gap > 0 and p <= ALPHA for gap, p in _corrected(every)]


def above_people(every: Sequence[Critic]) -> list[bool]:
    """Return whether each run scores significantly above people, by the tests of `below_people`."""
    return [gap < 0 and p <= ALPHA for gap, p in _corrected(every)]


def _corrected(every: Sequence[Critic]) -> list[tuple[float, float]]:
    gaps = [one.scores[GAP] for one in every]
    return [(gap.value, float(p)) for gap, p in zip(gaps, holm([gap.p_value for gap in gaps]), strict=True)]


def table(every: Sequence[Critic]) -> pd.DataFrame:
    """Return one row per critique and kind of caption."""
    import pandas as pd

    rows = [
        {
            "critique": "one for all runs" if one.one_for_all else f"of {one.run}",
            "run": one.run,
            "captions": name,
            **score._asdict(),
            "epochs": int(np.isfinite(one.losses[..., 0]).sum(axis=2).max()),
            "held_out_loss": _least(one.losses),
        }
        for one in every
        for name, score in one.scores.items()
    ]
    return pd.DataFrame(rows)


def _least(losses: Floats) -> float:
    held = losses[..., 1]
    return float(np.nanmin(held, axis=2).mean()) if np.isfinite(held).any(axis=2).all() else float("nan")


def _sizes(study: Study, run: Run) -> list[int]:
    return [len(run.candidates.get(item.id, ())) for item in study.items]


def _split(scores: Floats, sizes: Sequence[int]) -> tuple[Floats, ...]:
    return tuple(np.split(scores.mean(axis=0), np.cumsum(sizes)[:-1]))


def _item_means(scores: Floats, sizes: Sequence[int]) -> Floats:
    """(repeats, items) mean score of each item's captions; NaN if it has no captions or one of them has no score."""
    owner = np.repeat(np.arange(len(sizes)), sizes)
    sums = np.array([np.bincount(owner, row, len(sizes)) for row in scores])
    with np.errstate(invalid="ignore"):
        return np.asarray(sums / np.array(sizes))


def _score(items: Floats, unit: Units) -> Score:
    means = items.mean(axis=0)
    finite = np.isfinite(means)
    known, of_known = means[finite], of_items(unit, finite)
    if not len(known):
        return Score(np.nan, np.nan, np.nan, 0, np.nan)
    totals = np.column_stack([known, np.ones(len(known))])
    drawn = bootstrap_totals(totals, RESAMPLES, 0, of_known)
    low, high = interval(drawn[:, 0] / drawn[:, 1], count_units(unit, finite))
    each = items[:, np.isfinite(means)].mean(axis=1)
    spread = float(each.std(ddof=1)) if len(each) > 1 else np.nan
    return Score(float(known.mean()), low, high, len(known), spread)


def _tested(items: Floats, unit: Units, learned: bool) -> Score:
    """The score of differences (repeats, items), with the p of a t-test of mean 0: NaN for few or equal differences.

    If the critique `learned` from the run, the interval is that of the test.
    """
    from scipy.stats import ttest_1samp

    found, means = _score(items, unit), items.mean(axis=0)
    known = by_unit(means[np.isfinite(means)], of_items(unit, np.isfinite(means)))
    if len(known) < LEAST or np.ptp(known) == 0:
        return found
    if not learned:
        return found._replace(p_value=float(ttest_1samp(known, 0).pvalue))
    p, reach = halves_test(known)
    return found._replace(p_value=p, low=found.value - reach, high=found.value + reach)


def halves_test(items: Floats) -> tuple[float, float]:
    """Return the p of mean 0 for differences (n,), n >= 2, and half the width of the 95 % interval of their mean, if a
    critique trained on one half scores the other half.

    Both critiques see the same contrast between the halves: if both sides are captions by people, the two half means
    rise and fall together, and n items carry only as much information as n / 2. The two-sided test therefore uses the
    standard error and degrees of freedom of n / 2 items, which is valid however strongly the half means are correlated.
    """
    from scipy.stats import t

    half = len(items) / 2
    error, freedom = float(items.std(ddof=1)) / np.sqrt(half), max(half - 1, 1)
    return float(2 * t.sf(abs(float(items.mean())) / error, freedom)), float(t.ppf(0.975, freedom)) * error
