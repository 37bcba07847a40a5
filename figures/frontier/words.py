"""Sentences and tables of the frontier: verdict, footer and the description of a run."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from data.study import Study
from figures.export.column_metrics import better_ends
from figures.export.table import Table
from figures.frontier import trades_words
from figures.frontier.drawing import alone_crossed, few_models, human_shown
from figures.notes import flags
from figures.notes.hazards import few_texts
from figures.style import html, wording
from figures.style.escaping import Strong
from figures.style.line_styles import label_of_run, line_of, model_names
from figures.style.numbers import count, defined, num, temperature_format
from figures.style.numbers import percent as spaced
from figures.style.run_names import decoder_name, short_names
from figures.style.wording import (
    bootstrap,
    item_noun,
    n_items,
    names_in_a_row,
    sizes,
    skewed,
    so_far,
    too_few,
    whole_run,
)
from metrics.analysis.frontier import FIT_POINTS, Axis, Frontier
from metrics.analysis.sweeps import decoder_of
from metrics.bootstrap import LEAST, RESAMPLES

RUN, SURE, BEATEN_BY = "Run", "On the front", "Beaten by"
ON_FRONT = "On the front with images redrawn, %"
_NAMED = 3
"""Maximum number of runs or models on the front at which all are named; if there are more, only the two ends are."""
STANDING = {1: "yes", 0: "undecided", -1: "no"}


def percent(share: float) -> str:
    """Return a share with a percent sign that stays on the same line."""
    return spaced(share).replace(" ", "\u00a0")


def noun(view: Frontier) -> str:
    """Return the noun for what a mark represents."""
    return "setting" if view.seeds else "run"


def reading(view: Frontier) -> str:
    """Return the meaning of the lines and marks of the chart."""
    bars = " Thick marks: where a model is as diverse as people." if view.trades.reaching else ""
    coloured = "" if few_models(view) else " Coloured: the two ends of the front, and the chosen run."
    return f"{_lines(view)}{bars}{coloured}".strip()


def _lines(view: Frontier) -> str:
    if any(len(path) > 1 for path in view.paths):
        drawn = {line_of(view.runs[path[0]]) for path in view.paths if len(path) > 1}
        each = "model and decoder" if len(drawn) > len({model for model, _ in drawn}) else "model"
        return f"One line per {each}; small numbers: temperature."
    return ""


def verdict(study: Study, view: Frontier) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return how models trade quality for diversity and, as folded text, which runs are on the front, and how surely.

    If models cannot be compared, the runs on the front are the verdict, and no text is folded.
    """
    if not view.runs:
        return ("No run has values for both metrics.",), ()
    if len(view.runs) == 1:
        only = f" is the only {noun(view)} with both values, so there is nothing to compare it with."
        return (Strong(short_names(study.runs)[view.runs[0].name]), only), ()
    if view.pending:
        come = f"{count(view.pending, noun(view))} {'is' if view.pending == 1 else 'are'} still to come."
        return (*_who(study, view), come), ()
    on_front = _on_front(study, view)
    if trade := trades_words.verdict(view):
        return trade, (" ".join(["".join(on_front).strip(), *trades_words.more(view)]),)
    return on_front, ()


def _on_front(study: Study, view: Frontier) -> tuple[str, ...]:
    """How many runs are on the front, and how many of these surely are.

    If none surely is, the number of runs that may be on the front comes first.
    """
    if equal_on_front(view) and view.front.all():
        return _who(study, view)
    on, may, every = int(view.front.sum()), int((view.sure == 0).sum()), len(view.runs)
    if on > 1 and _is_tested(view) and not (view.sure > 0).any():
        head = Strong(f"{f'{may} of' if may < every else 'Any of the'} {every} {noun(view)}s")
        sure = f"{_both(view)} may be on the front: at 95 %, none certainly is. "
        return (head, f"{sure}As measured, {on} are{_where(study, view)}. ")
    return (*_who(study, view), *_sure(study, view))


def _is_tested(view: Frontier) -> bool:
    return view.resampled and any(defined(float(view.share[k])) for k in view.order)


def _both(view: Frontier) -> str:
    return " with both values" if view.missing else ""


def _where(study: Study, view: Frontier) -> str:
    listed = _listed(study, view)
    return f": {listed}" if listed else f", {_ends_of(view)}"


def _who(study: Study, view: Frontier) -> tuple[str, ...]:
    on = int(view.front.sum())
    if on == len(view.runs) and equal_on_front(view):
        shared = f"{view.quality.metric.label} and {view.diversity.metric.label}"
        both = f"{'Both' if on == 2 else f'All {on}'} {noun(view)}s"
        none = "neither" if on == 2 else "none"
        return (Strong(both), f" have the same {shared}: {none} is better or more diverse. ")
    come, every = so_far(view.pending > 0), f"{len(view.runs)} {noun(view)}s"
    if on == 1:
        name = short_names(study.runs)[view.runs[view.order[0]].name]
        return (f"Of {every}{_both(view)}, only ", Strong(name), f" is on the front{come}. ")
    return (Strong(f"{on} of {every}"), f"{_both(view)} are on the front{come}{_where(study, view)}. ")


def _ends_of(view: Frontier) -> str:
    """The two ends of the front, which the figure colours."""
    short = short_names(view.runs)
    first, last = (short[view.runs[k].name] for k in (view.order[0], view.order[-1]))
    return f"from {first} to {last}"


def _listed(study: Study, view: Frontier) -> str:
    """The runs on the front, or how many each model has there; "" if these are too many to name."""
    on, models = int(view.front.sum()), model_names(map(line_of, view.runs))
    if on <= _NAMED:
        short = short_names(study.runs)
        return names_in_a_row([short[view.runs[k].name] for k in view.order])
    if len(models) == 1:
        return ""
    of = {m: sum(bool(f) and run.model == m for run, f in zip(view.runs, view.front)) for m in models}
    there = sorted((m for m in models if of[m]), key=lambda m: -of[m])
    if len(there) > _NAMED:
        return ""
    absent = [name for m, name in models.items() if _surely_none(view, m)]
    alone = {m for m in there if sum(run.model == m for run in view.runs) == 1}
    called = {m: models[m] for m in alone}
    if view.seeds:  # a model that is known from one setting may be named as one of its seeds
        called = {run.model: label_of_run(view.runs, run) for run in view.runs if run.model in alone}
    # A name after a count would seem to be counted with it: "13 of one and another".
    each = [called[m] for m in there if m in alone]
    each += [f"{of[m]} of {models[m]}" for m in there if m not in alone]
    return f"{names_in_a_row(each)}{f', none of {names_in_a_row(absent)}' if absent and len(absent) <= 4 else ''}"


def equal_on_front(view: Frontier) -> bool:
    """Return whether several runs are on the front, all with the same two values, so that one mark hides the others."""
    at = {(float(view.quality.value[k]), float(view.diversity.value[k])) for k in view.order}
    return len(at) == 1 < len(view.order)


def _surely_none(view: Frontier, model: str) -> bool:
    return all(sure < 0 for run, sure in zip(view.runs, view.sure.tolist()) if run.model == model)


def _sure(study: Study, view: Frontier) -> tuple[str, ...]:
    if not view.resampled:
        return (f"Whether that is significant cannot be tested: {no_resamples(study, view)}. ",)
    if not _is_tested(view):
        return (f"Whether that is significant cannot be tested: too few {item_noun(study)}s have both values. ",)
    on, many = int((view.sure[view.order] > 0).sum()), len(view.order)
    if on == many:
        return (f"At 95 %, this holds{' for each of them' if many > 1 else ''}{_others(view)}. ",)
    if many == 1:
        who = f"the other {noun(view)}" if len(view.runs) == 2 else f"other {noun(view)}s"
        return (f"At 95 %, this is open: {who} may be there too, or in its place. ",)
    short = short_names(study.runs)
    sure = [short[view.runs[k].name] for k in view.order if view.sure[k] > 0]
    who = f"{on} of them" if on > 2 else names_in_a_row(sure)
    return (f"At 95 %, this holds for {who}{_others(view)}. ",)


def _others(view: Frontier) -> str:
    """How many runs that are not on the measured front may be on it according to the test; "" if all runs are on it."""
    off, may = int((~view.front).sum()), int((~view.front & (view.sure == 0)).sum())
    if not off:
        return ""
    if not may:
        return f", and no other {noun(view)} can be there"
    which = "the other" if off == 1 else f"{may} of the {off} others" if may < off else f"any of the {off} others"
    return f", and {which} may be there too"


def no_resamples(study: Study, view: Frontier) -> str:
    """Return why it cannot be tested which runs are on the front."""
    if why := whole_run([view.quality.metric, view.diversity.metric]):
        return why
    if len(study.items) < LEAST:
        return too_few(study, len(study.items))
    return "there is nothing to resample"


def alt(study: Study, view: Frontier) -> str:
    """Return the text alternative of the chart."""
    on = [short_names(study.runs)[view.runs[k].name] for k in view.order]
    return (
        f"{len(view.runs)} runs by {view.quality.metric.label} and {view.diversity.metric.label}; on the front, from "
        f"the most quality to the most diverse: {names_in_a_row(on, 12)}. The table lists every run."
    )


def sample(study: Study, view: Frontier) -> str:
    """Return the numbers of images and captions."""
    return f"n = {n_items(study, len(study.items))}, {sizes(study, view.runs)}"


def facts(study: Study, view: Frontier, chosen: int | None, intervals: bool = True, curves: bool = False) -> list[str]:
    """Return the line below the chart: the sample size, the marks that occur, and which runs are not drawn."""
    crosses = "crosses" if few_models(view) else "crosses of coloured runs"
    if alone_crossed(view, chosen):
        crosses = "cross of the chosen run"
    said = [sample(study, view), *[f"{crosses}: 95 % bootstrap"] * intervals, *_of_seeds(view)]
    said += ["dotted: second-degree polynomials"] * curves
    said += [] if view.front.all() else [html.key("hollow", "hollow or shaded: matched or beaten on both axes")]
    if equal_on_front(view):
        names = [short_names(study.runs)[view.runs[k].name] for k in view.order]
        said.append(f"one mark: {names_in_a_row(names)}, with equal values")
    if chosen is not None:
        name = short_names(study.runs)[view.runs[chosen].name]
        said.append(html.Markup(html.key("ring", f"ring: {name}, shown below")))  # on paper no ring is drawn
    return list(filter(None, [*said, *flags.facts(study, view.runs), not_drawn(study, view)]))


def _of_seeds(view: Frontier) -> list[str]:
    sizes = sorted({len(diversity) for diversity, _ in view.seeds})
    if not sizes or sizes[-1] < 2:
        return ["small dots: seeds"] * bool(sizes)
    return [f"marks: means of {'up to ' if len(sizes) > 1 else ''}{sizes[-1]} seeds (small dots)"]


def rules(study: Study, view: Frontier, intervals: bool = True, curves: bool = False) -> list[str]:
    """Return the sentences on how the chart is computed and what its marks mean."""
    words = []
    if view.resampled:
        words.append(
            "Whether a run is on the front is tested at 95 %, corrected for all pairs of runs on both axes."
            f"{skewed(study)} In resamples: the share of {RESAMPLES:,} bootstrap resamples of the {item_noun(study)}s "
            "in which no run is at least as good on both axes and better on one; this is not the "
            "probability of being on the front."
        )
    if intervals:
        words.append(bootstrap(study, "Crosses", len(study.items)))
    if view.seeds:
        one = item_noun(study)
        words.append(
            f"One mark for each setting: the mean over its seeds (small dots). Tests are over {one}s and seeds; "
            f"crosses, shares of resamples and what models keep are over {one}s only."
        )
    words.append(
        "Hollow: another run is at least as good on both axes and better on one. The most diverse run is on the front "
        "whatever its quality."
    )
    if curves:
        words.append(
            f"Dotted: second-degree polynomial of quality on diversity, for models with {FIT_POINTS} runs or more."
        )
    words += [_human(axis, human_shown(axis)) for axis in (view.quality, view.diversity)]
    shown = [view.quality.metric, view.diversity.metric]
    return [*words, *_other_items(study, view), *few_texts(study, shown, view.runs)]


def _human(axis: Axis, shown: bool) -> str:
    label, human = axis.metric.label, axis.human
    if not defined(human.value):
        return f"People, {label}: none; {human.reason}."
    where = "" if shown else f" {num(human.value)}, far from all runs and not drawn;"
    return f"People, {label}:{where} {human.about}."


def not_drawn(study: Study, view: Frontier) -> str:
    """Return which runs lack either value, and why; "" if none does."""
    short = short_names(study.runs)
    return wording.not_drawn((short[name], why) for name, why in view.missing)


def _other_items(study: Study, view: Frontier) -> list[str]:
    if not view.other_items:
        return []
    others = [short_names(study.runs)[name] for name in view.other_items]
    have = "has" if len(others) == 1 else "have"
    what = f"values for other {item_noun(study)}s than most runs, so compare with care"
    return [f"{names_in_a_row(others)} {have} {what}."]


def about_run(study: Study, view: Frontier, k: int) -> tuple[str, ...]:
    """Return a sentence on a run: that it is on the front, or which runs match or beat it, how often and how far."""
    short = [short_names(study.runs)[run.name] for run in view.runs]
    name, label = Strong(short[k]), view.quality.metric.label
    below = [int(j) for j in np.flatnonzero(view.dominates[k])]
    above = view.dominators(k)
    if not above:
        beats = f"; it matches or beats {names_in_a_row([short[j] for j in below], 1)} on both axes" if below else ""
        return (name, f" is on the front as measured{beats}.")
    who = [f"{short[j]}{_how_often(view.dominance[j, k])}" for j in above]
    gap = float(view.gap[k])
    lost = f" The best {noun(view)} that is at least as diverse has {num(gap)} more {label}." if gap > 0 else ""
    return (name, f" is matched or beaten on both by {names_in_a_row(who, 3)}.{lost}")


def _how_often(share: float) -> str:
    return f" (in {percent(share)} of resamples)" if defined(share) else ""


def standing(view: Frontier, k: int) -> str:
    """Return whether a run is on the front: "yes", "undecided", "no"; "" without resamples."""
    return STANDING[int(view.sure[k])] if defined(float(view.share[k])) else ""


def table(study: Study, view: Frontier) -> Table:
    """Return one row per run, with those on the front in most resamples first."""
    metrics = {"quality": view.quality.metric, "diversity": view.diversity.metric}
    heads = {"run": RUN, "on_front": SURE, "percent_on_front": ON_FRONT, "decoder": "Decoder", "temperature": "T"}
    for name, metric in metrics.items():
        head = wording.heading(metric)
        heads |= {name: head, f"{name}_low": f"{head} 95 % from", f"{name}_high": f"{head} 95 % to"}
    heads |= {"behind": f"Behind the front, {view.quality.metric.label}", "beaten_by": BEATEN_BY}
    return Table(
        partial(_frame, view),
        heads,
        "frontier",
        {"temperature": temperature_format(run.settings.temperature for run in view.runs), "percent_on_front": "%.1f"},
        brief=("run", "on_front", "quality", "diversity", "behind"),
        best=better_ends(heads.values(), metrics.values()),
        caption=table_caption(study, view),
    )


def _frame(view: Frontier) -> pd.DataFrame:
    share = np.where(np.isfinite(view.share), view.share, -1.0)
    order = np.lexsort((view.gap, ~view.front, -share))
    runs = [view.runs[k] for k in order]
    columns: dict[str, object] = {
        "run": [run.name for run in runs],
        "on_front": [standing(view, int(k)) for k in order],
        "percent_on_front": np.round(100 * view.share[order], 9),
        "decoder": [decoder_name(decoder_of(run.settings), [run.name]) for run in runs],
        "temperature": [_temperature(run.settings.temperature) for run in runs],
    }
    for name, axis in (("quality", view.quality), ("diversity", view.diversity)):
        columns |= {f"{name}_metric": axis.metric.name, name: axis.value[order]}
        columns |= {f"{name}_low": axis.low[order], f"{name}_high": axis.high[order]}
    columns["behind"] = view.gap[order]
    columns["beaten_by"] = ["; ".join(view.runs[j].name for j in view.dominators(k)) for k in order]
    return pd.DataFrame(columns)


def table_caption(study: Study, view: Frontier) -> str:
    """Return the caption of the table, for a paper."""
    resamples = f"{RESAMPLES:,} bootstrap resamples of the {item_noun(study)}s"
    return (
        f"{by_axes(study, view)}. On the front: at 95 %, corrected for all pairs of runs on both axes. With "
        f"{item_noun(study)}s redrawn: percent of {resamples} in which no other run is at least as good on both axes "
        f"and better on one. Behind the front: how much more {view.quality.metric.label} the best run that is "
        "at least as diverse has."
    )


def by_axes(study: Study, view: Frontier) -> str:
    """Return what the chart shows, with n, as the start of a caption in a paper."""
    axes = f"{view.quality.metric.label} and {view.diversity.metric.label}"
    n = f"n = {n_items(study, len(study.items))}, {sizes(study, view.runs)}"
    return f"{study.name}: {count(len(view.runs), noun(view))} by {axes}; {n}"


def _temperature(value: float | None) -> float:
    return np.nan if value is None else value
