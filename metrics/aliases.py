"""Other names that papers use for metrics of this package."""

from __future__ import annotations

from typing import NamedTuple

from metrics.parameters import plain_name


class Alias(NamedTuple):
    """The metric that an alias stands for, with its parameters, and how its values relate to those in papers."""

    metric: str
    relation: str


_MEAN = (
    "Shetty et al. 2017 sum the counts of all images before they divide, and smooth as the COCO evaluation does; here "
    "each image has its own value, and an n-gram order without a match counts as 0.1 matches"
)
_PAC = "as in Sarto et al. 2023, if `features` has vectors by their model, with their prefix before captions"
ALIASES: dict[str, Alias] = {
    "div_1": Alias("distinct_1", "as in Shetty et al. 2017: distinct words divided by all words"),
    "div_2": Alias("distinct_2(over=words)", "as in Shetty et al. 2017: distinct bigrams divided by all words"),
    "mbleu_2": Alias("self_bleu_2", _MEAN),
    "mbleu_3": Alias("self_bleu_3", _MEAN),
    "mbleu_4": Alias("self_bleu_4", _MEAN),
    "novelty": Alias("novel_captions", "as in Shetty et al. 2017: captions that are not in the training data"),
    "pac_s": Alias("clipscore(scale=2)", _PAC),
    "refpac_s": Alias("refclipscore(scale=2)", _PAC),
}
"""Aliases of metrics. They are accepted wherever a user names metrics; tables show the metric's own name."""


def own_name(name: str) -> str:
    """Return this package's name, with parameters, for a name from papers; return any other name unchanged."""
    plain = plain_name(name)
    if plain not in ALIASES:
        return name
    metric, given = ALIASES[plain].metric, name[len(plain) :]
    if not given or not metric.endswith(")"):
        return metric + given
    return f"{metric.removesuffix(')')},{given.removeprefix('(')}"


def explained(name: str) -> str:
    """Return a sentence that explains what a name from papers stands for."""
    return f"{plain_name(name)} is {own_name(name)} here: {ALIASES[plain_name(name)].relation}."
