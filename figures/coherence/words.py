"""Sentences and tables about coherence labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from data.study import Study
from figures.style.escaping import Strong
from figures.style.numbers import count, num, p_phrase, percent
from figures.style.wording import item_noun, names_in_a_row
from metrics.analysis.coherence.asserted_labels import AS_LABELLED, Asserted, OneCaption, Side, Spread
from metrics.analysis.coherence.label_scores import COLUMNS, LabelScore, spread
from metrics.analysis.judgments.correlation import Estimate
from metrics.base import Metric
from metrics.bootstrap import LEAST

MEANING = {
    "Visible": "what is seen",
    "Meta": "how and when it was taken",
    "Subjective": "what somebody thinks",
    "Story": "what happens around it",
}
"""What the captions with a label say."""
HOW = (
    "A label states how a caption relates to what it describes (Alikhani et al. 2020). The mean is over the captions "
    "of a label; 95 % intervals are percentiles of the bootstrap over images, each with all of its captions. Labels "
    "are compared by a t test over images, corrected for all pairs of labels (Holm).",
    "Share: how many of the run's labelled captions have this label; people: how many of people's do. Grey dots are "
    "the other runs.",
)
SIDES: dict[Side, str] = {"candidates": "captions of runs", "references": "captions by people"}
AS_LABELLED_SHORT = "own"
HOW_ASSERTED = (
    "COSMic if all captions of a run, or all captions by people, had the label of the column; the other side keeps its "
    "own labels. Captions without a label thus have a value, too. Rows are runs.",
)
NOTHING = "This study has no coherence labels"
REMEDY = (
    "A label says how a caption relates to its image, such as Visible or Story; with labels, this page shows how a "
    "metric scores captions of each. Each image of the file can have a label for each caption: "
    '`"coherence": {"candidates": {"my run": ["Visible", "Story"]}}`'
)

NO_METRIC = (
    "No metric has a value for each caption of this study: most compare it with captions by people. Add these, or a "
    "COSMic network that reads images."
)


def meaning(scores: Sequence[LabelScore]) -> str:
    """Return what the captions with these labels say; "" if no label has a known meaning."""
    said = [f"{one.label}: {MEANING[one.label]}" for one in scores if one.label in MEANING]
    return f"{'; '.join(said)}." if said else ""


def ordered(scores: Sequence[LabelScore], run: str) -> list[LabelScore]:
    """Return a run's labels by score, highest first, without labels that no run uses."""
    used = {one.label for one in scores if one.captions}
    mine = [one for one in scores if one.run == run and one.label in used]
    return sorted(mine, key=lambda one: (-one.value if one.value == one.value else 1e9, one.label))


def one_label_each(scores: Sequence[LabelScore]) -> bool:
    """Return whether several runs have labels, but none has two, so that labels can be compared only between runs."""
    used = [one.run for one in scores if one.captions]
    return len(used) > 1 and len(set(used)) == len(used)


def rows(scores: Sequence[LabelScore], run: str, names: Mapping[str, str]) -> list[LabelScore]:
    """Return the rows of the figure: a run's labels or, if every run has one label, every run, sorted by label."""
    if not one_label_each(scores):
        return ordered(scores, run)
    used = sorted((one for one in scores if one.captions), key=lambda one: (one.label, -one.value))
    return [replace(one, label=f"{one.label}: {names[one.run]}") for one in used]


def title(scores: Sequence[LabelScore], name: str) -> tuple[str, str]:
    """Return the title of the figure, and what its grey dots are."""
    return ("Each run by its label", "") if one_label_each(scores) else (f"{name}, label by label", "grey: other runs")


def verdict(scores: Sequence[LabelScore], run: str, name: str, metric: Metric, noun: str = "image") -> list[str]:
    """Return which labels have the highest and the lowest score, and whether these differ, or why this is unknown."""
    if one_label_each(scores):
        unsure = f", so whether {metric.label} scores labels alike cannot be told: the runs differ, too."
        return [Strong("Every run has captions of only one label"), unsure]
    ends = spread(scores, run)
    if ends is None:
        return [Strong(name), f" has too few captions of any label that {metric.label} scores."]
    most, least = ends
    if most is least:
        others = "too few captions of other labels to compare"
        return [Strong(name), f" has {others}; {metric.label} scores its {most.label} captions {num(most.value, 2)}."]
    alike = num(most.value, 2) == num(least.value, 2)
    differ = least.label in most.apart
    beyond = any(one.run == run and not least.value <= one.value <= most.value for one in scores if one.captions)
    if alike and not differ:
        both = [Strong(most.label), " and ", Strong(least.label)]
        return [
            f"{metric.label} scores ",
            *both,
            f" captions of {name} {num(most.value, 2)}; no difference is detected.",
        ]
    of = f"Among labels on {LEAST} or more {noun}s, " if beyond else ""
    sure = ", a significant difference" if differ else ", but no difference is detected"
    return [
        f"{of}{metric.label} scores ",
        Strong(most.label),
        f" captions of {name} highest ({num(most.value, 2)}) and ",
        Strong(least.label),
        f" captions lowest ({num(least.value, 2)}){sure}.",
    ]


def facts(study: Study, mine: Sequence[LabelScore]) -> list[str]:
    """Return the facts below the figure: n, the kind of interval, and the labels too rare to compare."""
    labelled = sum(one.captions for one in mine)
    noun = item_noun(study)
    few = [one.label for one in mine if 0 < one.images < LEAST]
    left_out = [f"hollow: {names_in_a_row(few)}, on fewer than {LEAST} {noun}s, so not compared"] if few else []
    return [f"n = {count(len(study.items), noun)}, {count(labelled, 'labelled caption')}", "95 % bootstrap", *left_out]


def people_facts(found: Sequence[tuple[str, Estimate]]) -> list[str]:
    """Return how well the order of the runs agrees with people's ratings, one fact per criterion."""
    return [
        f"tau-b over {one.n} runs with people's {name}: {num(one.value, 2)} ({p_phrase(one.p_value)})"
        for name, one in found
    ]


def alt(mine: Sequence[LabelScore], metric: Metric) -> str:
    """Return the text alternative of the figure."""
    said = "; ".join(f"{one.label} {num(one.value, 2)}, {percent(one.share)} of captions" for one in mine)
    return f"{metric.label} by coherence label: {said}"


def table(scores: Sequence[LabelScore], metric: Metric) -> pd.DataFrame:
    """Return a row for each run and label."""
    heads = {"run": "Run", "label": "Label", "value": metric.label, "low": "Low", "high": "High"}
    more = {"captions": "Captions", "images": "Images", "share": "Share", "people": "People's share"}
    frame = pd.DataFrame([vars(one) for one in scores], columns=COLUMNS)
    return frame.rename(columns=heads | more)


def asserted_line(found: Spread | None, names: Mapping[str, str]) -> str:
    """Return how much another label and another run each change COSMic; "" if this is not known."""
    if found is None:
        return ""
    mine, theirs = num(found.label, 2), num(found.runs, 2)
    return (
        f"with other labels, the score of {names[found.run]} changes by up to {mine}; with {found.under} for all, "
        f"scores of runs differ by up to {theirs}"
    )


def asserted_alt(found: Sequence[Asserted], side: Side) -> str:
    """Return the text alternative of the matrix."""
    said = "; ".join(f"{one.run} {one.label} {num(one.value, 2)}" for one in found if one.value == one.value)
    return f"COSMic by run and label of {SIDES[side]}: {said}"


def asserted_table(found: Sequence[Asserted], side: Side) -> pd.DataFrame:
    """Return a row for each run and asserted label."""
    heads = {
        "run": "Run",
        "label": f"Label of {SIDES[side]}",
        "value": "COSMic",
        "low": "Low",
        "high": "High",
        "n": "n",
    }
    return pd.DataFrame([vars(one) for one in found]).rename(columns=heads)


def captions_table(captions: Sequence[OneCaption]) -> pd.DataFrame:
    """Return the captions of one image with their own labels and their scores under every label."""
    return pd.DataFrame(
        [
            {"Caption": one.text, "Own label": one.label, **{k: v for k, v in one.scores.items() if k != AS_LABELLED}}
            for one in captions
        ]
    )
