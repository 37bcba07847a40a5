"""Sentences and tables about p by the number of captions, power to distinguish two runs, and speed of metrics."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from data.study import Study
from figures.overview.first_run import few
from figures.sensitivity import too_few_items
from figures.sensitivity.averages import AVERAGE, averaged, title_of
from figures.sensitivity.curve import Curves, Line
from figures.style.escaping import Strong, capital
from figures.style.numbers import count, defined, num, p_phrase, p_text, percent
from figures.style.wording import item_noun
from metrics.analysis.sensitivity.curve import Curve, tested_whole
from metrics.analysis.sensitivity.enough_captions import enough
from metrics.analysis.sensitivity.power import ALPHA, Need, Power
from metrics.analysis.sensitivity.sets import Case, Row
from metrics.analysis.sensitivity.speed import Speed
from metrics.base import Metric
from metrics.bootstrap import FEW

HOW_CURVE = (
    "Sets of a run's captions are drawn at random, each within the next larger one, and tested against the same "
    "captions by people, with captions swapped between the two. The line is the median p of the images, and "
    "the band holds the middle half of them; each image is tested separately. The joint test on the Overview tests "
    "all images together. Scores are tested one-sided: worse than people."
)
HOW_PEOPLE = (
    "People against people: other captions by people take the place of the run's, so every p should be equally likely. "
    "D is the largest departure from that; its p comes from simulated images (Kolmogorov-Smirnov, for discrete "
    "p-values)."
)
HOW_POWER = (
    "Studies of other sizes are drawn from this one: images with replacement, and random captions by people for "
    "each. A draw shows the difference if a paired t test has p ≤ 0.05 with the same sign. The difference seen "
    "here is taken as the true one, so the cell with this study's own size only restates its p."
)
HOW_NEED = (
    "The number of images for 80 % power, with an 80 % interval from the difference in standard deviations (Student's "
    "t). Where the interval has no upper end, the difference may be 0. A single number is stated only if the "
    "difference is significant by a paired t test over images, as a chance difference would seem to need some number, "
    "too. Nothing is stated for fewer than 20 images."
)
HOW_PAIR = (
    "Unless chosen, the two runs are the best and the runner-up by the metric that ranks the runs. Runs chosen by "
    "their scores may differ less in another study, which would then need more images."
)
READING_NEED = "Dot: estimate; bar: likely (80 %); filled: this study is large enough."
READING_OPEN = "Bar: likely (80 %), if the difference is real; here it is not significant."
MOST_NEEDS = 4
WIDE = 20
"""Ratio of the ends of an interval above which sentences state only the lower one; the table has both."""
MOST_WORDS = 35


def verdict(
    run: str, found: Curve | None, pair: tuple[str, str], power: Power | None, noun: str, by: str = ""
) -> list[str]:
    """Return how many items distinguish the pair, and how many captions per item distinguish the run from people.

    The captions are left out if the verdict would have more than MOST_WORDS words. `by` is the metric that compares
    the pair.
    """
    captions = _captions(run, found, noun) if found is not None and found.design.of("run") else []
    if power is None:
        return captions
    images = [_images(pair, power, noun, whole, by) for whole in (True, False)]
    every = [*([*said, " ", *captions] for said in images if captions), *images]
    return next((one for one in every if len("".join(one).split()) <= MOST_WORDS), every[-1])


def title_of_captions(run: str, found: Curve, noun: str) -> str:
    """Return how many captions per item distinguish the run from people, or why none do, as the title of the curves."""
    return "".join(_captions(run, found, noun)).removesuffix(".")


def _captions(run: str, found: Curve, noun: str) -> list[str]:
    least, most = enough(found), found.design.of("run")[-1].candidates
    if least is None:
        return _not_enough(run, found, most, noun)
    verb = "is" if least == 1 else "are"
    return [
        Strong(capital(_captions_of(least, noun))),
        f" {verb} enough to distinguish {run} from people on one typical {noun} by {_by_all(found)}.",
    ]


def _by_all(found: Curve) -> str:
    """A phrase for the metrics that have a p: a metric's name, "both metrics" or "all three metrics"."""
    cases = found.design.of("run")
    known = [m for m in found.metrics if any(defined(found.summary(case, m.name).median) for case in cases)]
    if len(known) == 1:
        return known[0].label
    return "both metrics" if len(known) == 2 else f"all {few(len(known))} metrics"


def _not_enough(run: str, found: Curve, most: int, noun: str) -> list[str]:
    """Why no number of captions is enough: no test, p cannot get small, or not all metrics find a difference."""
    every = [found.summary(found.design.of("run")[-1], metric.name) for metric in found.metrics]
    known = [one for one in every if defined(one.median)]
    if not known and (whole := _by_whole(run, found, most, noun)):
        return whole
    if not known:
        return [f"Whether {run} differs from people ", Strong("cannot be tested"), ": no metric has a p."]
    floor = min(one.floor for one in known)
    start = ["With ", Strong(_captions_of(most, noun)), ", "]
    if floor > ALPHA:
        return [*start, f"p on a single {noun} cannot reach {num(ALPHA, 2)}."]
    some = sum(one.median <= ALPHA for one in known)
    if some:
        tells = "distinguishes" if some == 1 else "distinguish"
        return [
            *start,
            f"{few(some)} of {few(len(known))} metrics {tells} {run} from people on one typical {noun}.",
        ]
    return [*start, f"one typical {noun} is not enough to distinguish {run} from people."]


def _by_whole(run: str, found: Curve, most: int, noun: str) -> list[str]:
    case = found.design.of("run")[-1]
    tested = [(one.label, found.summary(case, one.name).corpus) for one in tested_whole(found.metrics)]
    every = [one for one in tested if defined(one[1])]
    if not every:
        return []
    label, p = max(every, key=lambda one: one[1])  # the largest p: every metric has to find it
    tells = Strong("distinguish") if p <= ALPHA else "do not distinguish"
    return [
        f"With {_captions_of(most, noun)}, all {noun}s together ",
        tells,
        f" {run} from people by {label} (p {p_text(p)}).",
    ]


def _captions_of(n: int, noun: str) -> str:
    return f"{few(n)} caption{'' if n == 1 else 's'} per {noun}"


def _images(pair: tuple[str, str], power: Power, noun: str, whole: bool, by: str = "") -> list[str]:
    """How many items distinguish the pair, and whether the study has as many; briefly unless `whole`."""
    references = power.design.references.sizes[-1]
    need, names = power.needed(references, power.design.candidates[-1]), f"{pair[0]} from {pair[1]}"
    if power.small:
        return too_few_items.verdict(power.units, noun)
    if np.isnan(need.low):
        return [f"How many {noun}s it takes to distinguish {names} is not estimated: fewer than {FEW} are scored."]
    if not defined(need.low):
        return [f"Whether {pair[0]} differs from {pair[1]} is open: both score the same on each {noun}."]
    of_most = f" with {_references(references)}" if whole else ""
    of, has = f" by {by}" if by else "", power.design.has
    if not defined(need.items):
        long = f"{pair[0]} and {pair[1]} do not differ significantly{of}; if the difference is real and this large, "
        short = f"The difference between {pair[0]} and {pair[1]} is not significant; if it is real and this large, "
        return [long if whole else short, "showing it takes ", Strong(f"{interval(need)} {noun}s"), f"{of_most}."]
    if has >= need.high:
        of_seen = ": for a difference as large as seen here, about" if whole else "; about"
        needed = f"{of_seen} {_estimate(need)} are needed"
        return [Strong(f"{has:,} {noun}s are enough"), f" to distinguish {names}{of}{of_most}{needed}."]
    start = "If the difference is as large as seen here, " if whole else "If the difference is this large, "
    many, wide = f"about {rounded(need.items)} {noun}s", _estimate(need).removeprefix(rounded(need.items))
    takes = f"{start}it takes "
    return [takes, Strong(many), f"{wide} to distinguish {names}{of}{of_most}; this study has {has:,}."]


def _estimate(need: Need) -> str:
    """The estimate with its interval: "82 (57 to 130)"."""
    said = rounded(need.items)
    return said if interval(need) == said else f"{said} ({interval(need)})"


def open_ended(need: Need) -> bool:
    """Return whether only the lower end of the interval is stated and drawn: the upper is far or undefined."""
    return not defined(need.high) or need.high > WIDE * need.low


def interval(need: Need) -> str:
    """Return the interval of a number of items: "120 to 340", "120 or more" if its upper end is far or undefined."""
    if open_ended(need):
        return f"{rounded(need.low)} or more"
    low, high = rounded(need.low), rounded(need.high)
    return low if low == high else f"{low} to {high}"


def _references(n: int) -> str:
    return f"{few(n)} caption{'' if n == 1 else 's'} by people"


def rounded(items: float) -> str:
    """Return a number of items rounded to two significant digits, or to a tenth of a million: "1.2 million"."""
    if items >= 999_500:
        return f"{num(items / 1e6, 1)} million"
    step = 10 ** max(0, int(np.floor(np.log10(max(items, 1)))) - 1)
    return f"{int(round(items / step) * step):,}"


def sizes_shown(found: Power) -> list[int]:
    """Return the numbers of references to show: all if few, else a selection with the smallest and the largest."""
    sizes = found.design.references.sizes
    at = np.linspace(0, len(sizes) - 1, min(MOST_NEEDS, len(sizes))).round().astype(int)
    return [sizes[k] for k in at]


def needed_text(need: Need, noun: str) -> str:
    """Return HTML: the estimate with its interval, the interval alone if there is no estimate, or "no number"."""
    if not defined(need.low):
        return "no number"
    if not defined(need.items):
        return f"{interval(need)} {noun}s"
    likely = f" ({interval(need)})" if need.low < need.high else ""
    return f"<b>{rounded(need.items)} {noun}s</b>{likely}"


def reading(found: Power) -> str:
    """Return how to read the figure of the items needed."""
    return READING_NEED if found.significant else READING_OPEN


def curves(found: Curve, chosen: str, noun: str = "image", average: str = "median") -> Curves | None:
    """Return the data of the figure, with the p of images averaged by one of AVERAGES; None if no metric has a p."""
    lines = [line for metric in found.metrics if (line := _line(found, metric, "run", average)).candidates]
    if not lines:
        return None
    own = next((metric for metric in found.metrics if metric.name == chosen), found.metrics[0])
    people = next((line for row in ("people", "halves") if (line := _line(found, own, row, average)).candidates), None)
    floors: dict[int, float] = {}
    for case in found.design.of("run"):
        least = [found.summary(case, metric.name).floor for metric in found.metrics]
        if any(defined(p) for p in least):
            floors[case.candidates] = float(np.nanmin(least))
    reach, title = tuple(sorted(floors.items())), title_of(average, noun)
    if average == "median":
        return Curves(tuple(lines), people, reach, noun, title)
    cases = [(case, one) for case in found.design.of("run") if (one := found.summary(case, own.name)).n]
    uniform = tuple((case.candidates, averaged(one.uniform, average)) for case, one in cases)
    return Curves(tuple(lines), people, reach, noun, title, uniform)


def _line(found: Curve, metric: Metric, row: Row, average: str) -> Line:
    known = [(case, one) for case in found.design.of(row) if (one := found.summary(case, metric.name)).n]
    at = tuple(case.candidates for case, _ in known)
    if average != "median":
        return Line(metric.name, metric.label, at, (), tuple(averaged(one.averages, average) for _, one in known), ())
    columns = [tuple(getattr(one, name) for _, one in known) for name in ("low", "median", "high")]
    return Line(metric.name, metric.label, at, *columns)


def curve_facts(study: Study, found: Curve, chosen: str, average: str = "median") -> list[str]:
    """Return the facts below the curves: n, whether p is uniform for people's own captions, and `whole_facts`."""
    cases = found.design.of("run")
    n = max((found.summary(case, metric.name).n for case in cases for metric in found.metrics), default=0)
    noun = item_noun(study)
    said = [
        f"n = {count(n, noun)}, {count(cases[0].references, 'caption')} by people each, {AVERAGE[average]} over {noun}s"
    ]
    uniform = (text for case in _people_cases(found) if (text := _uniform(found, case, chosen)))
    return [*said, *uniform, *whole_facts(found, noun)]


def whole_facts(found: Curve, noun: str) -> list[str]:
    """Return p by the number of captions for metrics that test all items together, which have no curve."""
    said = []
    for metric in tested_whole(found.metrics):
        known = [(case.candidates, found.summary(case, metric.name).corpus) for case in found.design.of("run")]
        some = [(n, f"p {p_text(p)} with {n}") for n, p in known if defined(p)]
        if some:
            each, what = ", ".join(text for _, text in some), "caption" if some[-1][0] == 1 else "captions"
            said.append(f"{metric.label}, one test of all {noun}s together: {each} {what}")
    return said


def _people_cases(found: Curve) -> list[Case]:
    return [*found.design.of("one left out"), *(found.design.of("halves") or found.design.of("people")[-1:])]


def _uniform(found: Curve, case: Case, chosen: str) -> str:
    even = found.uniformity(case, chosen)
    if not defined(even.p_value):
        return ""
    what = (
        "one person against the others"
        if case.row == "one left out"
        else f"people, {case.candidates} against {case.references}"
    )
    verb = (
        "p is not spread evenly, though it should be"
        if even.p_value <= ALPHA
        else "p is spread evenly, as it should be"
    )
    return f"{what}: {verb} (D {num(even.statistic, 2)}, p {p_text(even.p_value)})"


def curve_table(found: Curve) -> pd.DataFrame:
    """Return a row per case and metric: quartiles and averages of p, the p of all items, and whether p is uniform."""
    rows = []
    for case in found.design.cases:
        for metric in found.metrics:
            one, even = found.summary(case, metric.name), found.uniformity(case, metric.name)
            row: dict[str, object] = {
                "Metric": metric.label,
                "Captions of": found.design.run if case.row == "run" else case.row,
            }
            row |= {"Captions": case.candidates, "By people": case.references, "n": one.n}
            row |= {"p 25 %": one.low, "p": one.median, "p 75 %": one.high, "Smallest possible p": one.floor}
            row |= {
                "Mean p": one.averages.mean,
                "Mean p if uniform": one.uniform.mean,
                "Mean ln p": one.averages.log,
                "Mean ln p if uniform": one.uniform.log,
                "Raw harmonic mean p": one.averages.harmonic.raw,
                "Raw harmonic mean p if uniform": one.uniform.harmonic.raw,
                "Harmonic mean p": one.averages.harmonic.calibrated,
                "Harmonic mean p if uniform": one.uniform.harmonic.calibrated,
                "p of all images": one.corpus,
                "D": even.statistic,
                "p of D": even.p_value,
            }
            rows.append(row)
    return pd.DataFrame(rows)


def power_facts(found: Power, candidates: int, noun: str) -> list[str]:
    """Return the facts below the figure: n, the power at this study's size, and the p of the difference."""
    made = found.design
    of = "all captions" if candidates == made.candidates[-1] else count(candidates, "caption")
    share = float(found.share[-1, made.candidates.index(candidates), made.items.index(made.has)])
    whole = f" in {count(len(set(made.unit)), 'cluster')}, each drawn as a whole" if made.unit else ""
    return [
        f"n = {count(made.has, noun)}{whole}, {of} per {noun}, {made.draws:,} draws for each number",
        f"a difference this large is found (p ≤ 0.05) in {percent(share)} of draws of this study's size",
        f"test of these two runs alone: {p_phrase(float(found.p[-1, -1]))}",
    ]


def power_table(found: Power, noun: str) -> pd.DataFrame:
    """Return power by references, candidates and items, and the numbers of items for a power of 80 %."""
    made, rows = found.design, []
    for r, references in enumerate(made.references.sizes):
        for c, candidates in enumerate(made.candidates):
            need = found.needed(references, candidates)
            row: dict[str, object] = {"Captions by people": references, "Captions of a run": candidates}
            row |= {"p of the difference": found.p[r, c]}
            row |= {f"{items:,}": found.share[r, c, k] for k, items in enumerate(made.items)}
            rows.append(
                {**row, f"{noun.capitalize()}s needed": need.items, "80 % from": need.low, "80 % to": need.high}
            )
    return pd.DataFrame(rows)


def alt_curve(shown: Curves) -> str:
    """Return the text alternative of the curves."""
    ends = [f"{line.label} {p_text(line.p[-1])}" for line in shown.lines]
    most, least = shown.floors[-1]
    return f"{capital(shown.title)}, with {most} captions: {', '.join(ends)}; smallest possible {p_text(least)}."


def alt_power(found: Power, candidates: int, noun: str = "image") -> str:
    """Return the text alternative of the figure."""
    sizes = sizes_shown(found)
    said = [(size, needed_text(found.needed(size, candidates), noun)) for size in sizes]
    listed = "; ".join(f"{size} by people: {text}" for size, text in said)
    real = "" if found.significant else ", if the difference is real"
    return re.sub("</?b>", "", f"{capital(noun)}s needed{real}, this study has {found.design.has:,}. {listed}.")


def speed_table(found: Sequence[Speed], metrics: Sequence[Metric]) -> pd.DataFrame:
    """Return captions and items per second of every metric, fastest first."""
    labels = {metric.name: metric.label for metric in metrics}
    rows = [
        (labels[one.metric], one.captions_per_second, one.items_per_second, one.seconds, one.error) for one in found
    ]
    table = pd.DataFrame(rows, columns=["Metric", "Captions per second", "Images per second", "Seconds", "Not timed"])
    return table.sort_values("Captions per second", ascending=False, ignore_index=True)
