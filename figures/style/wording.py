"""Wording shared by pages and report: the noun for an item, the sizes of its sets, and footers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from data.study import Run, Study, of_study
from figures.style.escaping import capital
from figures.style.numbers import count
from metrics.analysis.human_line import run_sizes
from metrics.base import Metric
from metrics.bootstrap import FEW, LEAST
from metrics.guide.documentation import direction
from metrics.suite.ratings import RatedByPeople

OF_FEW = (
    f"With fewer than {FEW} {{}}, 93 to 95 % of such intervals hold the true value, or 83 to 93 % if values are skewed."
)
"""Caution for small samples; measured in docs/decisions/008-intervals.md."""

ENOUGH = 200
"""Number of items from which Student's t rejects at most 6 % of true nulls, even if runs differ in skewness (decision
016).
"""
_ONE_VALUE = "one value of a whole run, not a sum over its parts, so runs cannot be resampled together"


def heading(metric: Metric) -> str:
    """Return the label of a metric as a heading, which begins with a capital for people's ratings."""
    return capital(metric.label) if isinstance(metric, RatedByPeople) else metric.label


def names_in_a_row(names: Sequence[str], most: int = 4) -> str:
    """Return names as a list in words: all of up to `most` + 1, else the first `most`, as in "a, b and 5 more"."""
    if len(names) <= most + 1:
        return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else list(names))
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def sharing(names: Sequence[str], of: int, metric: Metric, one: str = "run", without: int = 0) -> tuple[str, str]:
    """Return who has the best value, if several do, and what they share: "Both runs", " have the same CIDEr-D".

    `names` are those of the runs with that value, `of` is the number of runs with any value, `without` the number of
    runs without a value.
    """
    if len(names) < of:
        end = "highest" if metric.higher_is_better else "lowest"
        return names_in_a_row(names, 2), f" share the {end} {metric.label}"
    every = f"{'Both' if of == 2 else f'All {of:,}'} {one}s{' with a value' if without else ''}"
    return every, f" have the same {metric.label}"


def may_be_as_good(tied: Sequence[str], apart: Sequence[str], others: int) -> tuple[str, ...]:
    """Return the end of a sentence on which of the `others` may be as good as the best: those `tied` by a test.

    If only one or two of several are `apart`, these are named.
    """
    if 0 < len(apart) <= 2 < len(tied) and len(tied) + len(apart) == others:
        also = (" and ", apart[1]) if len(apart) == 2 else ()
        return (", significantly ahead only of ", apart[0], *also, "; the others may be as good.")
    return (", but ", tied[0] if len(tied) == 1 else of_others(len(tied), others), " may be as good.")


def of_others(n: int, of: int) -> str:
    """Return words for `n` of the others: "the other", "both others", "all 3 others" or "2 of 3 others"."""
    every = {1: "the other", 2: "both others"}.get(of, f"all {of:,} others")
    return every if n == of else f"{n:,} of {of:,} others"


def not_drawn(reasons: Iterable[tuple[str, str]], most: int = 6) -> str:
    """Return what a figure lacks, and why: "Not drawn: a and b (no value); c (too few images)"; "" without reasons."""
    groups: dict[str, list[str]] = {}
    for name, why in reasons:
        groups.setdefault(why, []).append(name)
    said = "; ".join(f"{names_in_a_row(names, most)} ({why})" for why, names in groups.items())
    return f"Not drawn: {said}" if said else ""


def labels(metrics: Sequence[Metric], most: int = 6) -> str:
    """Return the labels of some metrics as a list in words."""
    return names_in_a_row([metric.label for metric in metrics], most)


def direction_arrow(metric: Metric) -> str:
    """Return the direction of a metric: "↓ lower is better", "↑ more diverse"."""
    means = direction(metric) if metric.has_better_side else metric.more_means
    return f"{'↑' if metric.higher_is_better else '↓'} {means}"


BETTER = "better"
"""The meaning of a lead by a metric of which one direction is better."""


def lead_means(metric: Metric) -> str:
    """Return what a lead by a metric means: "better" or, if no direction is better, "more varied", "longer" and so
    on.
    """
    return BETTER if metric.has_better_side else metric.more_means.replace("diverse", "varied")


def common_lead(means: Iterable[str]) -> str:
    """Return what a lead means in a figure of several metrics.

    It is "better" if that is one of its `means`, else the meaning that all share, else "more varied".
    """
    found = set(means)
    return BETTER if BETTER in found else found.pop() if len(found) == 1 else "more varied"


def every_lead(means: Iterable[str]) -> str:
    """Return what a lead means in the rows of a figure, such as "better, more varied or longer"."""
    *most, last = dict.fromkeys(means)
    return f"{', '.join(most)} or {last}" if most else last


def less_means(metric: Metric) -> str:
    """Return what the other direction of a metric means for a run: "less diverse", "shorter" or otherwise "behind"."""
    more = metric.more_means
    return more.replace("more ", "less ", 1) if more.startswith("more ") else {"longer": "shorter"}.get(more, "behind")


_ASKED = ("prompt", "context", "question", "topic", "passage", "document", "article", "dialogue", "sentence")
_OWN = (*_ASKED, "title", "video", "clip", "scene")
"""Metadata fields that name the items of a study if these are not images and the values differ."""
_SAME = 0.1
"""Share of items that may have the value of another item in such a field."""
_OF_IMAGES = frozenset(("image", "image_id", "image_url", "file_name", "filename", "thumbnail"))
_IMAGE = re.compile(r"\.(jpe?g|png|gif|webp|bmp|tiff?)$|(^|_)(train|val|test)\d{4}_\d+$", re.IGNORECASE)
_TEXT = re.compile(r"(?<!Unique )(?<!Novel )\b(caption)(?=s?\b)(?! length)", re.IGNORECASE)
_SAID = re.compile(r"\b(an )?image(s?)\b", re.IGNORECASE)


@of_study
def item_noun(study: Study) -> str:
    """Return the noun for the items of a study: "image", a metadata field that names the items, or "item".

    It is "image" if the study has pictures, or if metadata or ids point to images.
    """
    items = study.items
    if study.pictured or any(
        item.image or _IMAGE.search(item.id) or _OF_IMAGES & item.metadata.keys() for item in items
    ):
        return "image"
    return next(
        (own for own in _OWN if items and all(own in item.metadata for item in items) and _each(study, own)), "item"
    )


@of_study
def text_noun(study: Study) -> str:
    """Return the noun for a text of a run: "response" in a study of prompts without references, else "caption".

    It is "caption", too, if names, ids or metadata of the study contain this word: a sentence may quote them, and
    `of_texts` must not change what the user wrote.
    """
    if item_noun(study) not in _ASKED or any(item.references for item in study.items):
        return "caption"
    named = [*study.every_model, *(run.name for run in study.runs), *(of.name for of in study.scores)]
    quoted = chain(named, (str(part) for item in study.items for part in (item.id, *chain(*item.metadata.items()))))
    return "caption" if any("caption" in text.lower() for text in quoted) else "response"


def of_texts(noun: str, text: str) -> str:
    """Return the app's own text with the noun for a text of a run in place of "caption", except in names of metrics."""
    return text if noun == "caption" else _TEXT.sub(lambda found: _alike(noun, found[1]), text)


def _alike(noun: str, word: str) -> str:
    return capital(noun) if word[0].isupper() else noun


def without_captions(study: Study) -> str:
    """Return a clause on what a study without items or runs lacks."""
    if study.preferences and not study.items:
        return f"This study has {count(len(study.preferences), 'judged pair')} but no captions of every run"
    return f"This study has {'captions by people but none by a model' if study.items else f'no {item_noun(study)}s'}"


def _each(study: Study, field: str) -> bool:
    """Whether a field can name the items: all its values must differ if items are clustered; otherwise nearly all.

    Any other field may group the items, as a video does its frames, or be a prompt that they share.
    """
    different, items = len({str(item.metadata[field]) for item in study.items}), len(study.items)
    return different == items if study.clustering else different >= (1 - _SAME) * items


def item_title(study: Study) -> str:
    """Return the heading for a column or control of items: "Image", "Item"."""
    return capital(item_noun(study))


def article(word: str) -> str:
    """Return the noun with its article: "an item", "a caption"."""
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def of_items(study: Study, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the app's sentences about images, with the study's own noun instead of "image"."""
    noun = item_noun(study)

    def named(found: re.Match[str]) -> str:
        word = article(noun) if found[1] else noun
        return f"{capital(word) if found[0][0].isupper() else word}{found[2]}"

    return tuple(_SAID.sub(named, text) for text in texts)


def sizes(study: Study, runs: Sequence[Run]) -> str:
    """Return the sizes of sets for footers, such as "10 captions by each run and 4 to 6 by people"."""
    by_run = run_sizes(study)
    ends = [end for run in runs for end in by_run.get(run.name, (0, 0))]
    counts = [len(item.references) for item in study.items]
    people = f" and {_span(counts)} by people" if any(counts) else ""
    return f"{_span(ends, 'caption')} by each run{people}"


def so_far(waiting: bool) -> str:
    """Return " so far" for a statement about the best run while other values are being computed; else ""."""
    return " so far" if waiting else ""


def whole_run(metrics: Sequence[Metric]) -> str:
    """Return a clause on which metrics have one value per run and so cannot be resampled; "" if all can."""
    found = [metric for metric in metrics if not metric.additive]
    if not found:
        return ""
    return f"{labels(found)} {'is' if len(found) == 1 else 'are each'} {_ONE_VALUE}"


def no_resamples(metric: Metric) -> str:
    """Return the end of `whole_run`, for a metric that has been named already; "" if the metric can be resampled."""
    return "" if metric.additive else _ONE_VALUE


def bootstrap(study: Study, marks: str, items: int, more: str = "") -> str:
    """Return the meaning of `marks` for footers: 95 % intervals over this many items, or why there are none.

    With few items, a caution is added.
    """
    items, one = _drawn(study, items)
    if items < LEAST:
        return f"{too_few(study, items)} for bootstrap intervals, which need {LEAST}."
    said = f"{marks}: 95 % bootstrap over {one}s{more}."
    return f"{said} {OF_FEW.format(f'{one}s')}" if items < FEW else said


def skewed(study: Study) -> str:
    """Return a caveat about the tests of all pairs of runs, for footers; "" with ENOUGH items (or clusters) or more."""
    if _drawn(study, len(study.items))[0] >= ENOUGH:
        return ""
    return " Where differences are strongly skewed, equal runs are called different too often."


def n_items(study: Study, n: int | None = None) -> str:
    """Return "60 images" or, if items are not independent, "60 images in 12 clusters"; all items by default.

    If `n` are not all items, the clusters are those of all: "40 images, of 12 clusters in all".
    """
    n = len(study.items) if n is None else n
    said = count(n, item_noun(study))
    if study.unit is None:
        return said
    clusters = count(*_drawn(study, len(study.items)))
    return f"{said} in {clusters}" if n == len(study.items) else f"{said}, of {clusters} in all"


def too_few(study: Study, items: int, which: str = "") -> str:
    """Return "1 image is too few" or "5 items are too few"; `which` follows the noun: " with a value in both"."""
    items, one = _drawn(study, items)
    return f"{count(items, one)}{which} {'is' if items == 1 else 'are'} too few"


def _drawn(study: Study, items: int) -> tuple[int, str]:
    if study.unit is None:
        return items, item_noun(study)
    return min(items, int(study.unit.max()) + 1), "cluster"


def reserved(name: str, runs: Sequence[Run]) -> str:
    """Return the name of a row that is not a run, modified if a run has that name."""
    return f"{name} (not a run)" if any(run.name.casefold() == name.casefold() for run in runs) else name


def _span(ends: Sequence[int], what: str = "") -> str:
    low, high = min(ends, default=0), max(ends, default=0)
    if not what:
        return f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return count(low, what) if low == high else f"{low:,} to {high:,} {what}s"
