"""Which layer of an encoder gives the BERTScore that agrees best with people.

The authors of BERTScore choose in this way (Zhang et al. 2020, appendix B): they take the layer with the highest
correlation on ratings of translations (WMT16).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from metrics.analysis.judgments.caption_agreement import CaptionAgreement
from metrics.analysis.judgments.correlation import Estimate
from metrics.base import Metric
from metrics.distances.bertscore import BertScoreDistance
from metrics.parameters import parse_instance, plain_name
from metrics.registry import METRICS
from metrics.suite.quality import BertScore
from metrics.text.token_states import layer_count

STATISTIC = "kendall_tau_b"


class Layer(NamedTuple):
    """A layer with the Kendall tau-b of its BERTScore, and whether it may be the best with 95 % confidence."""

    number: int
    agreement: Estimate
    may_be_best: bool


def every_layer(name: str = "bertscore") -> tuple[BertScore, ...]:
    """Return a BERTScore, such as `bertscore(part=recall)`, at every layer of its encoder, starting from layer 0.

    Raises ValueError for another metric, an unknown parameter, or a layer among the parameters, and EncoderMissing.
    """
    if plain_name(name) != "bertscore":
        raise ValueError(f"layers are those of bertscore, not of {name!r}")
    inner = name.partition("(")[2].rstrip(")")
    given = [part.strip() for part in inner.split(",") if part.strip()]
    if any(part.partition("=")[0].strip() == "layer" for part in given):
        raise ValueError("all layers are compared, so leave out the parameter layer")
    plain = _one(given) if given else _plain()
    return tuple(_one([*given, f"layer={k}"]) for k in range(layer_count(space_of(plain).encoder) + 1))


def space_of(metric: BertScore) -> BertScoreDistance:
    """Return the distance of a BERTScore."""
    assert isinstance(metric.space, BertScoreDistance)
    return metric.space


def _plain() -> BertScore:
    plain = METRICS["bertscore"]
    assert isinstance(plain, BertScore)
    return plain


def _one(parts: Sequence[str]) -> BertScore:
    found = parse_instance(_plain(), f"bertscore({','.join(parts)})", METRICS.values())
    assert isinstance(found, BertScore)
    return found


def layers(found: CaptionAgreement, metrics: Sequence[Metric]) -> list[Layer]:
    """Return the layer of each BERTScore among the metrics, in their order, with its agreement over all captions."""
    best = found.ranking(STATISTIC).best
    return [
        Layer(space_of(metric).layer, found.of(k, STATISTIC), bool(best[k]))
        for k, metric in enumerate(metrics)
        if isinstance(metric, BertScore)
    ]


def best_layer(known: Sequence[Layer]) -> Layer | None:
    """Return the layer with the highest agreement, the lowest layer if tied; None if no agreement has a value."""
    defined = [layer for layer in known if layer.agreement.value == layer.agreement.value]
    return max(defined, key=lambda layer: (layer.agreement.value, -layer.number), default=None)
