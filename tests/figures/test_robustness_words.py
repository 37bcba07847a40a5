"""Sentences about what fools a metric: who notices a fault best, and who does not notice it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from figures.robustness import words
from metrics.analysis.robustness.curves import Curve
from metrics.registry import METRICS
from metrics.transformations import TRANSFORMATIONS

CASE, TYPOS = TRANSFORMATIONS["letter_case"], TRANSFORMATIONS["typos"]
NAMES = ("rouge_l", "cider_d", "bleu_1")


def said(*kept: float, typos: float | None = None) -> str:
    """The verdict about metrics that keep these shares of their score, of which NaN is none."""

    def curve(value: float) -> Curve:
        return cast(Curve, SimpleNamespace(summary=SimpleNamespace(value=value)))

    names = NAMES[: len(kept)]
    curves = {("letter_case", name): curve(value) for name, value in zip(names, kept)}
    if typos is not None:
        curves |= {("typos", name): curve(typos) for name in names}
    faults = [CASE] if typos is None else [CASE, TYPOS]
    return "".join(words.verdict(faults, [METRICS[name] for name in names], curves))


def test_nobody_is_best_at_noticing_nothing() -> None:
    assert said(1.0, 1.0) == (
        "ROUGE-L and CIDEr-D hardly notice changed letter case. Damaged captions keep 1.00 of their score."
    )
    assert said(1.0, 0.97).endswith(". At best, damaged captions keep 0.97 of their score.")


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        ((0.5,), "ROUGE-L notices changed letter case: damaged captions keep 0.50 of their score."),
        ((0.5, 0.7), "ROUGE-L notices changed letter case best: damaged captions keep 0.50 of their score."),
        ((0.5, 0.5), "Both metrics notice changed letter case alike: damaged captions keep 0.50 of their score."),
        ((0.5, 0.5, 0.7), "ROUGE-L and CIDEr-D notice changed letter case best: damaged captions keep 0.50 of"),
    ],
)
def test_best_takes_another_metric_that_is_worse(kept: tuple[float, ...], expected: str) -> None:
    assert said(*kept).split(". ", 1)[1].startswith(expected)


def test_a_metric_without_a_value_is_not_called_seeing() -> None:
    assert said(0.5, 0.6).startswith("No metric is blind to any chosen fault. ")
    assert said(0.5, np.nan).startswith("No metric is blind to any chosen fault that it has a value for. ")
    assert said(0.5, 0.6, typos=np.nan).startswith("No metric is blind to any chosen fault that it has a value for. ")
