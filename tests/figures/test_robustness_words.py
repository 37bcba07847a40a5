"""Test the sentences about robustness: which metric notices a fault best, and which ones do not notice it."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import replace

import numpy as np
import pytest

from figures.robustness import words
from figures.robustness.grid import drawn_points, grid, image
from metrics.analysis.robustness.curves import Curve, Estimate
from metrics.base import Metric
from metrics.bootstrap import known_interval
from metrics.registry import METRICS
from metrics.transformations import TRANSFORMATIONS, Transformation
from tests.studies import study as random_study

CASE, TYPOS = TRANSFORMATIONS["letter_case"], TRANSFORMATIONS["typos"]
NAMES = ("rouge_l", "cider_d", "bleu_1")


def said(*kept: float, typos: float | None = None, error: float = 0.01, sets: bool = False) -> str:
    """Return the verdict on metrics that keep these shares of their score (NaN: no value), with this standard `error`.

    With `typos`, there is a second fault, of which each metric keeps that share. If `sets`, the metrics are metrics of
    sets.
    """
    rng = np.random.default_rng(1)

    def curve(fault: Transformation, name: str, value: float) -> Curve:
        drawn = value + error * rng.normal(size=2_000)
        own = Estimate(value, *known_interval(drawn, 40))
        return Curve(fault, METRICS[name], (0.0, 1.0), np.ones(2), 40, own, own, own, sets=sets, units=40, drawn=drawn)

    names = NAMES[: len(kept)]
    curves = {("letter_case", name): curve(CASE, name, value) for name, value in zip(names, kept)}
    if typos is not None:
        curves |= {("typos", name): curve(TYPOS, name, typos) for name in names}
    faults = [CASE] if typos is None else [CASE, TYPOS]
    return "".join(words.verdict(faults, [METRICS[name] for name in names], curves))


def test_nobody_is_best_at_noticing_nothing() -> None:
    assert said(1.0, 1.0).startswith("Neither metric detectably notices changed letter case. Damaged")
    assert said(1.0, 1.0, error=0) == (
        "Neither metric detectably notices changed letter case. Damaged captions keep the least of their score by "
        "ROUGE-L: 1.00."
    )
    assert said(0.96, 0.97, error=0.1).startswith(
        "Neither metric detectably notices changed letter case. Damaged captions keep the least of their score by "
    ), "neither is sure"


def test_a_fault_that_no_metric_notices_comes_first_then_a_metric_that_misses_what_others_notice() -> None:
    assert said(0.4, 0.5, 1.02, typos=1.0) == (
        "None of the three metrics detectably notices typos. By BLEU-1, not even changed letter case is detected: it "
        "keeps 1.02 of its score."
    )
    assert said(0.4, 0.5, typos=0.99, error=0.06).startswith("Neither metric detectably notices typos. ROUGE-L notices")


def test_columns_keep_their_order_and_those_that_cannot_tell_come_last() -> None:
    own, none = Estimate(0.9, 0.8, 1.0), Estimate(0.1, np.nan, np.nan)
    metrics = [METRICS[name] for name in ("bleu_4", *NAMES)]

    def curve(metric: Metric, fault: Transformation, known: bool) -> Curve:
        value, drawn = (own, np.ones(3)) if known else (none, np.empty(0))
        return Curve(fault, metric, (0.0, 1.0), np.ones(2), 40, value, value, value, units=40, drawn=drawn)

    curves = {
        (fault.name, one.name): curve(one, fault, fault is CASE or one.name != "bleu_4")
        for one in metrics
        for fault in (CASE, TYPOS)
    }
    assert [one.name for one in words.columns(metrics, curves)] == [*NAMES, "bleu_4"]
    cell = grid([TYPOS], metrics, curves, dict.fromkeys(curves, "?"), None, "light")
    assert cell.count("<b>0.90 <small>± 0.10</small></b>") == 3
    assert cell.count("<b>too few</b>") == 1


def test_one_item_shows_nothing_of_a_metric() -> None:
    own = Estimate(1.0, np.nan, np.nan)
    curve = Curve(CASE, METRICS["rouge_l"], (0.0, 1.0), np.ones(2), 1, own, own, own, units=1, drawn=np.empty(0))
    text = "".join(words.verdict([CASE], [METRICS["rouge_l"]], {("letter_case", "rouge_l"): curve}))
    assert text == words.TOO_FEW


def test_a_curve_ends_where_too_little_matches_and_says_so() -> None:
    none, fault = Estimate(0.3, np.nan, np.nan), TRANSFORMATIONS["word_permutation"]
    one = Curve(fault, METRICS["bleu_4"], (0.0, 0.5, 1.0), np.array([1, 0.4, 0.1]), 40, none, none, none, scarce=True)
    ended = replace(one, reached=2, units=40)
    assert words.why_untold(one) == "too few matches to tell"
    assert words.why_untold(ended) == "from strength 1 too few matches to tell"
    assert words.table({("word_permutation", "bleu_4"): ended})["Not told"].tolist() == [words.why_untold(ended)]
    assert drawn_points(one) == ([], [])
    assert drawn_points(ended) == ([0.0, 0.5], [1.0, 0.4])
    pictures = [b64decode(image(curve, "light").partition(",")[2]).decode() for curve in (one, ended)]
    assert [picture.count("<path") for picture in pictures] == [0, 1], "a line, and no ink for an area"
    known = replace(one, transformation=TYPOS, area=Estimate(0.5, 0.4, 0.6), drawn=np.ones(3), scarce=False)
    facts = words.facts(random_study(items=40), {("typos", "bleu_4"): known, ("word_permutation", "bleu_4"): ended})
    assert "“too few”: too few matches to tell beyond the end of the curve, if any" in facts


@pytest.mark.parametrize(("kept", "error"), [(0.5, 0.4), (2.3, 0.3)])
def test_an_interval_with_room_for_lost_and_kept_tells_nothing(kept: float, error: float) -> None:
    assert said(kept, error=error) == words.TOO_FEW
    assert f"{kept:.2f}" in said(kept, error=0.01)


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        ((0.5,), "ROUGE-L notices changed letter case: damaged captions keep 0.50 (0.48 to 0.52) of their score."),
        ((0.5, 0.7), "ROUGE-L notices changed letter case best: damaged captions keep 0.50 (0.48 to 0.52) of"),
        ((0.5, 0.505), "0.50 (0.48 to 0.52) of their score; CIDEr-D may notice it equally well."),
        ((0.505, 0.5, 0.51), "CIDEr-D notices changed letter case: damaged captions keep 0.50 (0.48 to 0.52) of"),
    ],
)
def test_best_takes_another_metric_that_is_surely_worse(kept: tuple[float, ...], expected: str) -> None:
    assert expected in said(*kept).split(". ", 1)[1]


def test_less_than_nothing_is_nothing() -> None:
    assert said(-0.7, 0.5).endswith(
        "ROUGE-L notices changed letter case best: damaged captions keep nothing of their score."
    )


@pytest.mark.parametrize(("count", "many"), [(6, False), (7, True)])
def test_many_metrics_have_their_names_at_their_cells_on_a_tablet(count: int, many: bool) -> None:
    metrics = list(METRICS.values())[:count]
    assert ('class="tl-rb many"' in grid([CASE], metrics, {}, {}, None, "light")) == many


def test_a_metric_without_a_value_is_not_called_seeing() -> None:
    assert said(0.5, 0.6).startswith("Every metric notices every chosen fault. ")
    assert said(0.5, 0.6, sets=True).startswith("Every metric of sets notices every chosen fault. ")
    assert said(0.5, np.nan).startswith("Every metric notices every chosen fault that it has a value for. ")
    assert said(0.5, 0.6, typos=np.nan).startswith("Every metric notices every chosen fault that it has a value for. ")


def test_what_is_open_is_not_said() -> None:
    assert said(0.5, 0.94).startswith("ROUGE-L notices changed letter case best"), "0.94 may be above 0.95"
    assert said(0.5, 0.96).startswith("ROUGE-L notices changed letter case best")
