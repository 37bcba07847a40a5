"""Names that papers use for metrics that have another name here."""

from __future__ import annotations

from typing import NamedTuple

from metrics.parameters import plain_name


class Alias(NamedTuple):
    """The metric that a name stands for, with its parameters, and how it relates to what papers compute."""

    metric: str
    relation: str


_MEAN = (
    "Shetty et al. 2017 sum the counts of all images before they divide, and smooth as the COCO evaluation does; here "
    "each image has its value, and an order without a match counts 0.1 matches"
)
_PAC = "as in Sarto et al. 2023, if `features` has the vectors of their model and of their words before captions"
ALIASES: dict[str, Alias] = {
    "div_1": Alias("distinct_1", "as in Shetty et al. 2017: different words over words"),
    "div_2": Alias("distinct_2(over=words)", "as in Shetty et al. 2017: different pairs of words over words"),
    "mbleu_2": Alias("self_bleu_2", _MEAN),
    "mbleu_3": Alias("self_bleu_3", _MEAN),
    "mbleu_4": Alias("self_bleu_4", _MEAN),
    "novelty": Alias("novel_captions", "as in Shetty et al. 2017: captions that the training data does not have"),
    "pac_s": Alias("clipscore(scale=2)", _PAC),
    "refpac_s": Alias("refclipscore(scale=2)", _PAC),
}
"""Other names of metrics. They are taken wherever metrics are named by hand; tables have the metric's own name."""


def own_name(name: str) -> str:
    """Return the name here of a metric that is named as papers do, parameters included; any other name as it is."""
    plain = plain_name(name)
    if plain not in ALIASES:
        return name
    metric, given = ALIASES[plain].metric, name[len(plain) :]
    if not given or not metric.endswith(")"):
        return metric + given
    return f"{metric.removesuffix(')')},{given.removeprefix('(')}"


def explained(name: str) -> str:
    """Return what a name of papers stands for, in a sentence."""
    return f"{plain_name(name)} is {own_name(name)} here: {ALIASES[plain_name(name)].relation}."
