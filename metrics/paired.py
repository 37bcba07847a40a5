"""Two runs item by item: difference, interval, randomisation test, effect size, and who wins how many items.

Everything is of the items that have a value in both runs. The corpus difference is resampled and tested on the
sufficient statistics of the items, so that pooled values (BLEU, METEOR) are as exact as means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from data.study import Run, Study
from metrics.arrays import Floats, Labels
from metrics.base import Metric
from metrics.bootstrap import LEAST, RESAMPLES, bootstrap_totals, known_interval
from metrics.compare import LEVEL
from metrics.kept import Kept
from metrics.ordering import disagreement
from metrics.permutation import BUDGET, DRAWS
from metrics.pvalues import ALPHA, holm
from metrics.result import NOT_YET, Result
from metrics.scored import Numbers

TIED = 1e-9
"""Values of an item that are closer than this tie."""
_CELLS_AT_ONCE = 1 << 22
Finish = Callable[[Floats], Floats]


@dataclass(frozen=True)
class SignFlip:
    """p of the randomisation test, its floor, whether every assignment was tried, and how many were."""

    p_value: float = np.nan
    floor: float = np.nan
    exact: bool = False
    tried: int = 0


@dataclass(frozen=True)
class Effect:
    """Cohen's d_z, the mean of the paired differences over their standard deviation, with its 95 % interval."""

    value: float = np.nan
    low: float = np.nan
    high: float = np.nan


@dataclass(frozen=True)
class Comparison:
    """Run `first` against run `second` by one metric; differences are first minus second.

    `values` are the two corpus values over the `n` items that both have, `difference` their difference with the 95 %
    interval `low`, `high` of a paired bootstrap. `sides` (2, n_items) are the values of the items in both, `items`
    (n_items,) their differences, NaN where one has none: `left_out` counts those of which only one has a value.
    `reason` says why there is nothing to compare.
    """

    metric: Metric
    first: str
    second: str
    values: tuple[float, float] = (np.nan, np.nan)
    difference: float = np.nan
    low: float = np.nan
    high: float = np.nan
    test: SignFlip = SignFlip()
    effect: Effect = Effect()
    sides: Floats = field(default_factory=lambda: np.empty((2, 0)))
    n: int = 0
    left_out: int = 0
    reason: str = ""

    @cached_property
    def items(self) -> Floats:
        """(n_items,) difference of each item."""
        return self.sides[0] - self.sides[1]

    @property
    def sign(self) -> int:
        """+1 where more is better (of a diversity metric: more diverse), else -1."""
        return 1 if self.metric.higher_is_better else -1

    @property
    def judged(self) -> bool:
        """Whether there is a better side at all: diversity has none."""
        return self.metric.judged

    @property
    def winner(self) -> int:
        """+1 if the first run is ahead, -1 if the second is, 0 if neither."""
        return int(np.sign(self.sign * self.difference)) if abs(self.difference) > TIED else 0

    @property
    def sure(self) -> bool:
        """Whether the interval of the difference excludes zero."""
        return bool(self.low > 0 or self.high < 0)

    @property
    def pooled(self) -> bool:
        """Whether the corpus difference is another number than the mean over the items."""
        return self.n > 0 and abs(self.difference - float(np.nanmean(self.items))) > TIED

    @property
    def counts(self) -> tuple[int, int, int]:
        """Items that the first run wins, ties and loses."""
        ahead = self.sign * self.items[~np.isnan(self.items)]
        wins, losses = int((ahead > TIED).sum()), int((ahead < -TIED).sum())
        return wins, len(ahead) - wins - losses, losses


@dataclass(frozen=True)
class Family:
    """Comparisons that are read together, and their p after Holm's correction, (comparisons,)."""

    comparisons: tuple[Comparison, ...]
    adjusted: Floats

    @property
    def tests(self) -> int:
        """How many tests the correction is over."""
        return int((~np.isnan(self.adjusted)).sum())

    def firm(self) -> Labels:
        """(comparisons,) True where the corrected p is at most ALPHA."""
        return self.adjusted <= ALPHA

    def ahead(self, winner: int, firm: bool, judged: bool = True) -> list[Comparison]:
        """Comparisons that side wins (+1 first, -1 second), with certainty or without."""
        return [
            c
            for c, sure in zip(self.comparisons, self.firm())
            if c.winner == winner and c.judged == judged and bool(sure) == firm
        ]


_kept: Kept[tuple[str, ...], Comparison] = Kept(512)


def family(study: Study, numbers: Numbers, asked: Sequence[tuple[Run, Run, Metric]]) -> Family:
    """Each (first, second, metric) compared, with Holm's correction over all of them."""
    keys = [_key(study, *one) for one in asked]
    found = {key: kept for key in keys if (kept := _kept.get(key)) is not None}
    ready = {key: _results(numbers, *one) for key, one in zip(keys, asked) if key not in found}
    pairs = {key: pair for key, pair in ready.items() if not isinstance(pair, str)}
    made = dict(zip(pairs, compare_all(list(pairs.values()))))
    for key, one in made.items():
        # A metric that failed may be asked again.
        if not one.reason:
            _kept.put(key, one)
    out = []
    for key, (a, b, metric) in zip(keys, asked):
        why = ready.get(key)
        done = found.get(key) or made.get(key) or Comparison(metric, a.name, b.name, reason=str(why))
        # What is kept is known by what the runs say: their names may differ from study to study.
        out.append(_named(done, a.name, b.name))
    return Family(tuple(out), holm([c.test.p_value for c in out]))


def compare_all(pairs: Sequence[tuple[Result, Result]]) -> list[Comparison]:
    """The comparisons of results of one metric each, on two runs of one study; runs are not named yet."""
    known = [~np.isnan(a.items) & ~np.isnan(b.items) for a, b in pairs]
    able = [k for k, both in enumerate(known) if both.any()]
    totals = [tuple(np.where(known[k][:, None], side.totals, 0.0) for side in pairs[k]) for k in able]
    tests = sign_flips([(a, b, pairs[k][0].metric.finish) for k, (a, b) in zip(able, totals)])
    spread = _resampled([pairs[k] for k in able], [known[k] for k in able])
    out = [_nothing(a, b) for a, b in pairs]
    for k, test, (boot, effect) in zip(able, tests, spread):
        out[k] = _comparison(*pairs[k], known[k], test, boot, effect)
    return out


def sign_flips(
    pairs: Sequence[tuple[Floats, Floats, Finish]], draws: int = DRAWS, budget: int = BUDGET, seed: int = 0
) -> list[SignFlip]:
    """Two-sided randomisation tests: under the null, which run said what of an item is a coin flip.

    `pairs` holds per test the sufficient statistics (n, k) of the two runs and what finishes a sum (.., k); all have
    the same n. The statistic is the difference of the two corpus values after swapping the rows of some items; of a
    mean this is the sign-flip test. All assignments are tried where there are at most `budget` (p = share at least as
    extreme, floor 2 / 2^m of m items that differ), else `draws` random ones (p = (b + 1) / (draws + 1)), the same for
    every test. Values closer than rounding errors count as equal.
    Fisher 1935, section 21; Noreen 1989, chapter 2 (approximate randomisation).
    """
    out = [SignFlip()] * len(pairs)
    gaps = [a - b for a, b, _ in pairs]
    moving = [np.flatnonzero(np.any(gap != 0, axis=1)) for gap in gaps]
    sampled = [k for k, rows in enumerate(moving) if len(rows) > np.log2(budget)]
    for k, rows in enumerate(moving):
        if k not in sampled:
            extreme = _extreme(pairs[k], _every_sign(len(rows)) @ gaps[k][rows])
            floor = 2.0 / 2 ** max(len(rows), 1)
            out[k] = SignFlip(float(extreme.mean()), floor, True, len(extreme))
    if sampled:
        wide = np.hstack([gaps[k] for k in sampled])
        swings = np.concatenate([signs @ wide for signs in _random_signs(len(wide), draws, seed)])
        ends = np.cumsum([gaps[k].shape[1] for k in sampled])[:-1]
        for k, swing in zip(sampled, np.split(swings, ends, axis=1)):
            extreme = _extreme(pairs[k], swing)
            out[k] = SignFlip((int(extreme.sum()) + 1) / (draws + 1), 1 / (draws + 1), False, draws)
    return out


def opposed(one: Comparison, other: Comparison) -> Floats:
    """(n_items,) how strongly two metrics disagree who wins an item: NaN where they do not.

    Near 1 the first metric places the item among those that speak most for the first run and the second metric among
    those that speak most for the second run; near -1 the reverse.
    """
    ahead, behind = one.sign * one.items, other.sign * other.items
    against = ((ahead > TIED) & (behind < -TIED)) | ((ahead < -TIED) & (behind > TIED))
    return np.where(against, disagreement(ahead, behind), np.nan)


def _extreme(pair: tuple[Floats, Floats, Finish], swing: Floats) -> Labels:
    """(assignments,) True where the difference is at least as large as observed; `swing` is sum of sign * (a - b)."""
    a, b, finish = pair
    both = (a + b).sum(axis=0)
    observed = abs(float(finish(a.sum(axis=0)) - finish(b.sum(axis=0))))
    values = np.abs(finish((both + swing) / 2) - finish((both - swing) / 2))
    guard = 1e-9 * observed + 1e-12 * float(values.max(initial=0.0))
    return np.asarray(values >= observed - guard)


def _every_sign(m: int) -> Floats:
    """(2^m, m) all assignments of +1 and -1."""
    bits = (np.arange(1 << m)[:, None] >> np.arange(m)) & 1
    return np.asarray(1 - 2 * bits, dtype=np.float64)


def _random_signs(n: int, draws: int, seed: int) -> Iterator[Floats]:
    """(rows, n) random +1 and -1 in blocks, `draws` rows in all."""
    rng = np.random.default_rng(seed)
    rows = max(_CELLS_AT_ONCE // max(n, 1), 1)
    for start in range(0, draws, rows):
        size = min(rows, draws - start)
        bits = np.unpackbits(np.frombuffer(rng.bytes(-(-size * n // 8)), dtype=np.uint8), count=size * n)
        yield 1 - 2 * bits.reshape(size, n).astype(np.float64)


def _resampled(pairs: Sequence[tuple[Result, Result]], known: Sequence[Labels]) -> list[tuple[Floats, Floats]]:
    """Per pair (RESAMPLES,) corpus differences and effects over items drawn with replacement, the same for all."""
    none = np.full(RESAMPLES, np.nan)
    out = [(none, none)] * len(pairs)
    groups: dict[bytes, list[int]] = {}
    for k, both in enumerate(known):
        if both.sum() >= LEAST:
            groups.setdefault(both.tobytes(), []).append(k)
    for members in groups.values():
        both = known[members[0]]
        parts = [part for k in members for part in _columns(*pairs[k], both)]
        ends = np.cumsum([part.shape[1] for part in parts])[:-1]
        # One product for all: drawing the items is what takes the time.
        sums = np.split(bootstrap_totals(np.hstack(parts)), ends, axis=1)
        for j, k in enumerate(members):
            a, b, centred = sums[3 * j : 3 * j + 3]
            finish = pairs[k][0].metric.finish
            middle = float((pairs[k][0].items - pairs[k][1].items)[both].mean())
            out[k] = finish(a) - finish(b), _standardised(middle, centred, int(both.sum()))
    return out


def _columns(a: Result, b: Result, both: Labels) -> tuple[Floats, Floats, Floats]:
    """What is added up: the statistics of the two runs, and the centred item differences with their squares."""
    gap = (a.items - b.items)[both]
    centred = gap - gap.mean()
    return a.totals[both], b.totals[both], np.column_stack([centred, centred**2])


def _standardised(middle: float, sums: Floats, n: int) -> Floats:
    """(rows,) d_z from sums (rows, 2) of centred differences and of their squares over n items.

    NaN where all are equal but not zero: then there is nothing to standardise by.
    """
    mean = middle + sums[:, 0] / n
    variance = np.maximum(sums[:, 1] - sums[:, 0] ** 2 / n, 0.0) / (n - 1)
    spread = np.sqrt(variance)
    flat = spread <= TIED * np.maximum(np.abs(mean), TIED)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(flat, np.where(np.abs(mean) <= TIED, 0.0, np.nan), mean / spread)


def _comparison(a: Result, b: Result, both: Labels, test: SignFlip, boot: Floats, effects: Floats) -> Comparison:
    sides = np.vstack([a.items, b.items])
    n = int(both.sum())
    values = [float(side.metric.finish(side.totals[both].sum(axis=0))) for side in (a, b)]
    # Resamples of one item repeated have no spread: they are left out while they are few.
    low, high = known_interval(boot, LEVEL)
    effect = Effect()
    if n > 1:
        centred = _columns(a, b, both)[2].sum(axis=0, keepdims=True)
        value = float(_standardised(float((sides[0] - sides[1])[both].mean()), centred, n)[0])
        effect = Effect(value, *known_interval(effects, LEVEL))
    both_values, gap = (values[0], values[1]), values[0] - values[1]
    return Comparison(a.metric, "", "", both_values, gap, low, high, test, effect, sides, n, _left_out(a, b))


def _nothing(a: Result, b: Result) -> Comparison:
    why = a.why() or b.why() or "no item has a value in both runs"
    return Comparison(a.metric, "", "", sides=np.vstack([a.items, b.items]), left_out=_left_out(a, b), reason=why)


def _left_out(a: Result, b: Result) -> int:
    """Items that one run alone has a value for; those of neither are no items of the comparison."""
    return int((np.isnan(a.items) ^ np.isnan(b.items)).sum())


def _results(numbers: Numbers, first: Run, second: Run, metric: Metric) -> tuple[Result, Result] | str:
    a, b = numbers.get(first, metric), numbers.get(second, metric)
    if not metric.of_items:
        return "one value belongs to the whole run: there are no items to pair"
    if a is None or b is None:
        return NOT_YET
    return a, b


def _named(found: Comparison, first: str, second: str) -> Comparison:
    return found if (found.first, found.second) == (first, second) else replace(found, first=first, second=second)


def _key(study: Study, first: Run, second: Run, metric: Metric) -> tuple[str, ...]:
    contents = study.contents
    return study.references_digest, metric.signature, contents[first.name], contents[second.name]
