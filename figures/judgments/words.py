"""Sentences and tables about the agreement of metrics with people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import factorial

import numpy as np
import pandas as pd

from data.ratings.human_ratings import METADATA
from data.study import Study
from figures.judgments.footer import MARKS, PANEL_MARKS, compared_with, criterion_label
from figures.judgments.ranking import Row
from figures.style.escaping import Strong
from figures.style.numbers import count, defined, num, percent
from figures.style.wording import item_noun, names_in_a_row
from metrics.analysis.judgments.best_metric import Ranking
from metrics.analysis.judgments.caption_agreement import WITHIN, CaptionAgreement
from metrics.analysis.judgments.correlation import Estimate
from metrics.analysis.judgments.floors import Floor
from metrics.analysis.judgments.system_groups import Group, Pull, differences, pull
from metrics.analysis.judgments.systems import EXACT
from metrics.analysis.judgments.trivial_baselines import names
from metrics.analysis.run_differences import equal_to
from metrics.base import Metric
from metrics.bootstrap import LEAST
from metrics.permutation.pvalues import ALPHA, holm

STATISTIC = {
    "kendall_tau_b": "Kendall tau-b",
    "kendall_tau_c": "Kendall tau-c",
    "spearman": "Spearman",
    "pearson": "Pearson",
}
BY = {"each": "each rating by itself", "mean": "the mean of the raters"}
HOW_RATED = (
    "Bars are 95 % bootstrap intervals over images, as ratings of one image are not independent of each other. Better "
    "of two: of all pairs of {}s of one image that people rate differently, the share that the metric orders as people "
    "do; a tie of the metric counts half. All values are oriented so that more is better. With 20 to 250 images, such "
    "an interval holds the true value in 93 to 95 % of samples, and p falsely rejects in 5 to 7 % (docs/proof.md)."
)
HOW_METADATA = (
    "Bars are 95 % bootstrap intervals over images. Metrics are compared with numbers in the images' "
    "metadata, as nobody rated anything here. All metrics are oriented so that more is better, or more diverse."
)
HOW_BEST = (
    "Shaded and filled: may be the best (multiple comparisons with the best, max-t over the same draws of images, Hsu "
    "1996). A metric is left out only if another leads it by more than chance would give the largest of all leads. "
    "The verdict claims more, namely that the best metric differs from others, and uses Holm's correction over all "
    "pairs."
)
HOW_TRIVIAL = (
    "Trivial baselines: diamonds. Length: the number of words, with the sign that agrees with the ratings. Run and "
    "label: the rank of the caption's run, or coherence label, by mean rating on the other images. Shared words: "
    "the number of different words that also occur in the image's references. A metric is ahead of all baselines if "
    "its paired lead over each of them is significant after Holm's correction over the metrics. People with each "
    "other: each rating against the mean of the caption's other ratings."
)
HOW_SYSTEMS = (
    "Few systems prove little. p comes from all permutations of the ratings over up to nine systems, and from 99,999 "
    "random permutations over more. One system can sway a correlation: the bar shows the range of r without any one "
    "system, and the ring shows r without the system named. Williams' test decides whether one metric agrees better "
    "than another, over the systems that have values of both (Graham and Baldwin 2014), with Holm's correction over "
    "all pairs of the metrics shown; it needs four systems."
)


def by_unit(criterion: str, unit: str, item: str) -> str:
    """Return a title such as "Caption by caption", with the `item` if the criterion is metadata, else the `unit`."""
    of = item if criterion.startswith(METADATA) else unit
    return f"{of.capitalize()} by {of}"


def how(criterion: str, unit: str) -> tuple[str, ...]:
    """Return how the ranking is computed."""
    first = HOW_METADATA if criterion.startswith(METADATA) else HOW_RATED.format(unit)
    return first, HOW_BEST, HOW_TRIVIAL


def verdict(
    found: CaptionAgreement,
    metrics: Sequence[Metric],
    ranked: Ranking,
    statistic: str,
    criterion: str = "",
    unit: str = "caption",
    item: str = "image",
) -> list[str]:
    """Return the best metric, which others may be as good, and how often the best misses the better of two captions or
    sets.

    A `criterion` from the items' metadata is named instead of people; `item` is the noun for the study's items. The
    best metric counts as agreeing only if its p is significant after Holm's correction across the metrics.
    """
    known = [k for k in ranked.order if defined(found.of(k, statistic).value)]
    if not known:
        return [f"No chosen metric has a value for the rated {unit}s."]
    best = known[0]
    estimates = {k: found.of(k, statistic) for k in known}
    estimate, whom = estimates[best], compared_with(criterion)
    nearest = _nearest({metrics[k].label: one.value for k, one in estimates.items()}, num(estimate.value))
    if _disagrees(estimate):
        return [f"No chosen metric agrees with {whom}: ", *nearest]
    if not defined(estimate.p_value):
        images = int(found.clusters[best])
        few = f": {count(images, item)} {'is' if images == 1 else 'are'} too few" if images < LEAST else ""
        return [f"Whether any metric agrees with {whom}, or one better than another, cannot be tested{few}; ", *nearest]
    corrected = float(holm([one.p_value for one in estimates.values()])[0])
    around_zero = estimate.value <= 0 or estimate.low <= 0
    if around_zero or corrected > ALPHA:
        after = f" after correction for {len(known)} metrics" if not around_zero and estimate.p_value <= ALPHA else ""
        return [f"No agreement with {whom} is detected{after}; ", *nearest]
    behind = _not_ahead(found, best, statistic, "the ratings" if whom == "people" else "these numbers")
    missed = np.nan if criterion.startswith(METADATA) else 1 - found.inside(best, "pair_accuracy").value
    over = f" over all {unit}s" if defined(missed) else ""
    said = [Strong(metrics[best].label), f" agrees best with {whom}{over}", _lead(ranked, metrics, known), behind]
    if behind or not defined(missed):
        return said
    return [*said, f" It misses the better of two {unit}s in {percent(missed)} of pairs."]


def _nearest(values: Mapping[str, float], said: str) -> list[str]:
    """A clause that names the metrics with the highest value, written as `said`, or states that all metrics have it."""
    named, of = list(values), np.array(list(values.values()))
    first = [named[k] for k in equal_to(of, int(of.argmax()))]
    if len(named) > 1 and len(first) == len(named):
        return [f"{'both' if len(named) == 2 else 'all'} have the same value ({said})."]
    return [Strong(names_in_a_row(first, 3)), f" {'comes' if len(first) == 1 else 'come'} nearest ({said})."]


_BASELINES = (
    "the number of words in a caption",
    "knowing which run wrote a caption",
    "knowing a caption's coherence label",
    "the number of words that a caption shares with people's",
)
"""The trivial baselines in a sentence, in the order of `TRIVIAL`."""


def _not_ahead(found: CaptionAgreement, metric: int, statistic: str, what: str) -> str:
    """A sentence if a metric is behind the strongest trivial baseline, or is not shown to be ahead of it; else ""."""
    lead = found.leads(statistic)[metric]
    if lead.over < 0 or lead.p_value <= ALPHA:
        return ""
    name, gap = _BASELINES[lead.over], lead.difference
    value = num(found.of(found.metrics + lead.over, statistic).value)
    if gap.value < 0 and gap.p_value <= ALPHA:
        return f" But {name} predicts {what} significantly better ({value})."
    if not defined(lead.p_value):
        return ""
    return f" It is not significantly ahead of {name} ({value})."


def _disagrees(estimate: Estimate) -> bool:
    if defined(estimate.high):
        return estimate.high < 0
    return estimate.value < 0 and estimate.p_value <= ALPHA


def _lead(ranked: Ranking, metrics: Sequence[Metric], known: Sequence[int]) -> str:
    apart, ties, unknown = ranked.behind(known[0], known[1:])
    if len(known) == 1:
        return ", but there is no other metric to compare it with."
    if ties:
        named = listed([metrics[k].label for k in ties]) if len(ties) <= 3 else count(len(ties), "other metric")
        return f", but no difference from {named} is detected."
    if apart:
        return f", significantly better than {led(len(apart), len(unknown))}."
    return (
        f", but whether {'the other metric does' if len(known) == 2 else 'other metrics do'} as well cannot be tested."
    )


def listed(names: Sequence[str]) -> str:
    """Return names as words: "A", "A and B", "A, B and C"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def led(apart: int, unknown: int) -> str:
    """Return words for the `apart` metrics that the best one beats, and the `unknown` ones that cannot be compared."""
    if unknown:
        return f"{count(apart, 'other metric')}; {unknown} cannot be compared"
    return "the other metric" if apart == 1 else "all other metrics"


def trivial_rows(found: CaptionAgreement, statistic: str) -> list[Row]:
    """Return the trivial baselines that have a value, in their order, as rows."""
    out = []
    for k, name in enumerate(names(bool(found.longer[0])), found.metrics):
        across, inside = found.of(k, statistic), found.inside(k, "pair_accuracy")
        if defined(across.value):
            out.append(Row("", name.capitalize(), across, inside, False, False, trivial=True))
    return out


def rows(
    found: CaptionAgreement,
    metrics: Sequence[Metric],
    statistic: str,
    reasons: Mapping[str, str],
    unit: str = "caption",
    floor: Sequence[Floor | None] = (),
) -> list[Row]:
    """Return the metrics from best to worst; those without a value are last, with the reason.

    `floor` is the chance level of each metric, if known.
    """
    ranked, within = found.ranking(statistic), found.ranking_within("pair_accuracy")
    out = []
    for k in ranked.order:
        metric = metrics[k]
        across, inside = found.of(k, statistic), found.inside(k, "pair_accuracy")
        why = reasons.get(metric.name, f"no value for the rated {unit}s")
        best = bool(ranked.best[k]), bool(within.best[k])
        chance = floor[k] if floor else None
        by = (None, None) if chance is None else (chance.of(statistic), chance.of("within_pair_accuracy"))
        out.append(Row(metric.name, metric.label, across, inside, *best, why, False, *by))
    return out


UNCORRECTED = "(uncorrected)"
"""Marks p as uncorrected in tables of several metrics; sentences use p after Holm's correction."""


def table(
    found: CaptionAgreement, metrics: Sequence[Metric], statistic: str, more: Sequence[dict[str, object]] = ()
) -> pd.DataFrame:
    """Return every statistic of every metric, of the trivial baselines and of people with each other.

    Letters and the lead over a baseline are by `statistic`: metrics that share a letter do not differ significantly.
    `more` are additional columns of each metric.
    """
    letters, leads, trivial = found.ranking(statistic).letters, found.leads(statistic), names(bool(found.longer[0]))
    named = [*(metric.label for metric in metrics), *(name.capitalize() for name in trivial), "People with each other"]
    lines = []
    for k, name in enumerate(named):
        if k >= len(metrics) and not defined(found.of(k, statistic).value):
            continue
        line: dict[str, object] = {"Metric": name, "Letters": letters[k] if k < len(metrics) else ""}
        for key, title in STATISTIC.items():
            line |= _columns(title, found.of(k, key))
        accuracy = found.inside(k, WITHIN[0])
        line |= {**_columns("Better of two", accuracy), "Ratings": int(found.points[k]), "Pairs": accuracy.n}
        if k < len(metrics) and leads[k].over >= 0:
            gap = leads[k].difference
            line |= {"Trivial baseline": trivial[leads[k].over].capitalize(), "Lead over it": gap.value}
            line |= {"Lead 95 % from": gap.low, "Lead 95 % to": gap.high, "Ahead of all (Holm)": leads[k].p_value}
        lines.append(line | (more[k] if k < len(more) else {}))
    return pd.DataFrame(lines)


def _columns(title: str, one: Estimate) -> dict[str, object]:
    ends = {f"{title} 95 % from": one.low, f"{title} 95 % to": one.high}
    return {title: one.value, **ends, f"{title} p {UNCORRECTED}": one.p_value}


def beside_trivial(found: CaptionAgreement, metrics: Sequence[Metric], statistic: str) -> list[str]:
    """Return which metrics, if any, are not significantly ahead of all trivial baselines; [] if none was tested."""
    tested = [(metric, lead) for metric, lead in zip(metrics, found.leads(statistic)) if defined(lead.p_value)]
    behind = [metric.label for metric, lead in tested if lead.p_value > ALPHA]
    if not tested or not behind:
        return ["every metric is significantly ahead of every trivial baseline"] if tested else []
    if len(behind) == len(tested):
        return ["no metric is significantly ahead of every trivial baseline"]
    named = listed(behind) if len(behind) <= 3 else f"{len(behind)} of {len(tested)} metrics"
    return [f"not significantly ahead of every trivial baseline: {named}"]


def facts(
    study: Study, found: CaptionAgreement, by: str, several: bool, criterion: str = "", unit: str = "caption"
) -> list[str]:
    """Return the footer of the ranking: n, the interval and the marks."""
    of_metadata = criterion.startswith(METADATA)
    m = found.metrics
    ratings, items = int(found.points[:m].max(initial=0)), int(found.clusters[:m].max(initial=0))
    said = [
        f"n = {count(ratings, 'value' if of_metadata else 'rating')} of {count(items, item_noun(study))}, "
        f"95 % bootstrap over {item_noun(study)}s"
    ]
    if of_metadata:
        return [*said, criterion_label(criterion), *MARKS]
    of_several = BY[by] + (", so agreement among people is no ceiling" if by == "mean" else "")
    said.append(of_several if several else f"one rating per {unit}, so there is no ceiling")
    return [*said, *(PANEL_MARKS if np.isfinite(found.within[: found.metrics, 0]).any() else MARKS)]


def alt(shown: Sequence[Row], statistic: str, criterion: str = "") -> str:
    """Return the text alternative of the ranking."""
    said = [f"{row.label} {num(row.across.value)}" for row in shown if defined(row.across.value)]
    whose = compared_with(criterion) if criterion.startswith(METADATA) else "people's ratings"
    return f"{STATISTIC[statistic]} with {whose}: {', '.join(said)}."


def system_line(one: Pull, metric: str) -> str:
    """Return a metric's r with and without its most influential system, for the line beside the title."""
    said = f"{metric}: r = {num(one.value, 2)}"
    return f"{said}, without {one.left_out} {num(one.without, 2)}" if one.left_out else said


def system_verdict(rows: Mapping[str, tuple[str, Pull]]) -> list[str]:
    """Return which metric agrees best over systems, if any, and whose r changes most without one system.

    The best metric counts as agreeing only if its p is significant after Holm's correction across the metrics.
    """
    known = [(label, one) for label, one in rows.values() if defined(one.value)]
    if not known:
        return ["Fewer than three systems have a rating and a value."]
    label, best = max(known, key=lambda row: row[1].value)
    r, over = f"r = {num(best.value, 2)}", f"over {count(best.n, 'system')}"
    nearest = _nearest({name: one.value for name, one in known}, r)
    sure = holm([best.p_value, *(one.p_value for _, one in known if one is not best)])[0]
    if best.n <= EXACT and factorial(best.n) * ALPHA < len(known):
        # Even with all orders enumerated, p cannot be small enough.
        of = f" by one of {len(known)} metrics" if len(known) > 1 else ""
        few = f"{count(best.n, 'system')} are too few to detect agreement with people{of}; "
        return [few, *nearest]
    if best.value < 0:
        said = [f"No metric agrees with people {over}; ", *nearest]
    elif not sure <= ALPHA:
        after = f", corrected for {len(known)} metrics" if best.p_value <= ALPHA else ""
        said = [f"No agreement with people is detected {over}{after}; ", *nearest]
    else:
        said = [Strong(label), f" agrees best with people {over}: {r}."]
    moved = [(name, one) for name, one in known if one.left_out and num(one.without, 2) != num(one.value, 2)]
    moved = [(name, one) for name, one in moved if defined(one.without)]
    if moved:
        name, one = max(moved, key=lambda row: abs(row[1].without - row[1].value))
        said += [" One system, ", Strong(one.left_out), ", moves the r of "]
        said += [f"{name} from {num(one.without, 2)} without it to {num(one.value, 2)}."]
    return said


def system_facts(group: Group, n: int) -> list[str]:
    """Return the footer of the systems: n, how p was computed, and why there is no interval."""
    p = f"p from all orders of the {n}" if n <= EXACT else "p from 99,999 random orders"
    said = [f"n = {count(n, 'system')}, {group.name}", p]
    return [*said, f"no interval with fewer than {LEAST} systems"] if n < LEAST else said


def against_best(group: Group, criterion: str, metrics: Sequence[str]) -> dict[str, float]:
    """Return p for the difference between each metric's r and the best one's (Williams, Holm); {} if there is no
    best.
    """
    known = [(group.of(criterion, name).of["pearson"].value, name) for name in metrics]
    best = max((one for one in known if defined(one[0])), default=(np.nan, ""))[1]
    found = {}
    for one in differences(group, criterion, metrics):
        if best in (one.first, one.second):
            found[one.second if one.first == best else one.first] = one.p_holm
    return found


def led_by_best(group: Group, criterion: str, rows: Mapping[str, tuple[str, Pull]]) -> list[str]:
    """Return how many metrics differ significantly from the best one over systems, as a fact below the figure.

    [] if no single metric is best, or nothing was tested.
    """
    tested = {name: p for name, p in against_best(group, criterion, list(rows)).items() if defined(p)}
    best = [rows[name][0] for name in rows if name not in tested]
    if not tested or len(best) != 1:
        return []
    told = sum(p <= ALPHA for p in tested.values())
    return [f"{best[0]} differs from {told} of the {count(len(tested), 'other metric')} (Williams' test, corrected)"]


def system_table(group: Group, criterion: str, metrics: Sequence[str]) -> pd.DataFrame:
    """Return every statistic of every metric over systems."""
    lines, best = [], against_best(group, criterion, metrics)
    for name in metrics:
        found = group.of(criterion, name).of
        line: dict[str, object] = {"Metric": name}
        for statistic, one in found.items():
            title = STATISTIC.get(statistic, "Pairs in order")
            line |= {
                title: one.value,
                f"{title} 95 % from": one.low,
                f"{title} 95 % to": one.high,
                f"{title} p {UNCORRECTED}": one.p_value,
            }
        pulled = pull(group, criterion, name)
        line |= {"r without": pulled.left_out, "r without it": pulled.without}
        line |= {"r without any one, low": pulled.low, "r without any one, high": pulled.high}
        line |= {"p against the best, Williams": best.get(name, np.nan)}
        lines.append({**line, "Systems": found["pearson"].n})
    return pd.DataFrame(lines)
