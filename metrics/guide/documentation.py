"""Documentation of the registry: rows for `list`, and docs/metrics.md."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from metrics.aliases import ALIASES
from metrics.base import Metric
from metrics.distances.document_frequencies import describe_frequencies
from metrics.extensions import plugins
from metrics.needs import metric_needs
from metrics.registry import LEARNED, METRICS, SETS, frequencies_of

FAMILIES = {
    "quality": "Quality: each caption against people's captions",
    "distribution": "Distribution: a run's captions as a group against people's captions",
    "diversity": "Diversity: how much a run's captions differ from each other",
    "references": "References: how well people's captions agree with each other",
}
GRAINS = {"candidate": "a candidate", "item": "an item", "run": "a run"}


def direction(metric: Metric) -> str:
    """Return which direction is better or, for diversity, which is more diverse."""
    word = "higher" if metric.higher_is_better else "lower"
    return f"{word} is better" if metric.has_better_side else f"{word} is {metric.more_means}"


def bounds(metric: Metric) -> str:
    """Return the range of values, such as `0 to 2.667`."""
    low, high = (f"{b:.4g}" if math.isfinite(b) else "" for b in metric.bounds)
    if low and high:
        return f"{low} to {high}"
    return f"{low} or more" if low else f"{high} or less" if high else "no bounds"


def how_tested(metric: Metric) -> str:
    """Return whether the metric has permutation tests, and, if not, the reason if one is stated."""
    if metric.tested:
        return "permutation test, exact wherever all relabellings can be tried"
    return f"none ({metric.no_test})" if metric.no_test else "none"


def sets_of(metric: Metric) -> str:
    """Return the names of the sets that include a metric, or a note that it is only available by name."""
    return ", ".join(name for name, members in SETS.items() if metric.name in members) or "none; ask for it by name"


ON = ("TRM", "MMD²", "Consensus")
"""First words of the labels of metrics that are based on a distance or score, whose name follows."""


@dataclass(frozen=True)
class Entry:
    """Metrics that share a description and a formula, such as BLEU-1 to BLEU-4."""

    metrics: tuple[Metric, ...]

    @property
    def first(self) -> Metric:
        """The metric that represents the entry."""
        return self.metrics[0]

    @property
    def title(self) -> str:
        """The labels of the metrics, without repeating a common first word, such as "Corpus BLEU-2, BLEU-3".

        For metrics based on a distance or score, its name follows "on": "TRM on METEOR, on CIDEr-D".
        """
        labels = [metric.label for metric in self.metrics]
        first = labels[0].partition(" ")[0]
        if len(labels) < 2 or not all(label.startswith(f"{first} ") for label in labels):
            return ", ".join(labels)
        on = "on " if first in ON else ""
        return f"{first} " + ", ".join(f"{on}{label.removeprefix(first).strip()}" for label in labels)

    @property
    def summary(self) -> str:
        """A description in a sentence or two."""
        return summary(self.first)


def entries(metrics: Iterable[Metric]) -> list[Entry]:
    """Return metrics grouped by kind, in registry order."""
    groups: dict[tuple[type[Metric], str, str, str], list[Metric]] = {}
    for metric in metrics:
        groups.setdefault((type(metric), metric.formula, metric.summary, frequencies(metric)), []).append(metric)
    return [Entry(tuple(group)) for group in groups.values()]


def matching(metrics: Iterable[Metric], words: str) -> list[Metric]:
    """Return the metrics whose name, label, summary, signature, source and family together have all words."""
    wanted = words.casefold().split()

    def text(metric: Metric) -> str:
        said = (metric.name, metric.label, summary(metric), metric.signature, metric.source, metric.family)
        return " ".join(said).casefold()

    return [metric for metric in metrics if all(word in text(metric) for word in wanted)]


def summary(metric: Metric) -> str:
    """Return a description of a metric in a sentence or two, with its document frequencies and plug-in file, if any."""
    first = (type(metric).__doc__ or "").strip().splitlines()[0]
    return " ".join(filter(None, [first, metric.summary, frequencies(metric), from_file(metric)]))


def from_file(metric: Metric) -> str:
    """Return a sentence that names the plug-in file of a metric; "" for a built-in metric."""
    found = plugins.of_metric(metric)
    return "" if found is None else f"From the plug-in {found.path.name}."


def frequencies(metric: Metric) -> str:
    """Return a sentence about the document frequencies supplied to a metric; "" if it takes none or counts its own."""
    found = frequencies_of(metric)
    return "" if found is None else f"Document frequencies: {describe_frequencies(found)}."


def markdown() -> str:
    """Return the text of docs/metrics.md."""
    lines = [
        "# Metrics",
        "",
        "Generated from the registry by `make docs`. A *signature* determines a number: two numbers with the",
        "same signature on the same captions are equal.",
    ]
    for family, title in FAMILIES.items():
        lines += ["", f"## {title}"]
        for metric in (METRICS | LEARNED).values():
            if metric.family == family:
                lines += _entry(metric)
    lines += [
        "",
        "## Other names",
        "",
        "Names that papers use, and the metric that computes each here; tables show the name used here.",
        "",
    ]
    lines += [f"- `{name}` is `{one.metric}`: {one.relation}." for name, one in ALIASES.items()]
    return "\n".join(lines) + "\n"


def _entry(metric: Metric) -> list[str]:
    return [
        "",
        f"### `{metric.name}`: {metric.label}",
        "",
        summary(metric),
        "",
        f"$${metric.formula}$$",
        "",
        f"- signature: `{metric.signature}`",
        f"- one value per {metric.grain}; {direction(metric)}; range {bounds(metric)}",
        f"- test: {how_tested(metric)}; in the sets: {sets_of(metric)}",
        f"- needs: {', '.join(metric_needs(metric)) or 'nothing'}",
        f"- source: {metric.source}",
    ]
