"""Repeatability: the share of the variance of a judge's scores that is due to the captions, from repeated questions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics.analysis.judgments.correlation import Estimate
from metrics.bootstrap import LEAST, Interval, jackknife_interval
from metrics.mathematics.arrays import Floats, Integers


class Repeatability(NamedTuple):
    """How far repeated answers to the same question agree.

    `icc` is the share of the variance of single answers that lies between questions, with its 95 % interval; its p is
    NaN, because the interval serves as the test. `error` is the standard error of one answer (the standard deviation of
    answers to the same question) on the judge's scale. Of the `repeated` questions with two or more readable answers,
    `changed` have answers that differ, spread over `changed_items` units.
    """

    icc: Estimate
    error: float
    repeated: int
    changed: int
    changed_items: int


def repeatability(score: Floats, question: Integers, unit: Integers) -> Repeatability:
    """Return the repeatability of readable answers `score` (n,) to the questions numbered by `question` (n,).

    `unit` (n,) numbers the items, or clusters of items. The share is the intraclass correlation ICC(1,1) of a one-way
    random effects model, (MSB - MSW) / (MSB + (k - 1) MSW), with k for unequal numbers of answers. Questions with one
    answer are left out; the share is NaN if all answers are equal. Its interval is a jackknife of log(MSB / MSW) that
    leaves out one unit at a time, since captions of one image are dependent and answers with few values are not normal;
    it is NaN with fewer than LEAST units, or if answers change in at most one unit. Shrout and Fleiss 1979
    (Psychological Bulletin 86), Donner 1986 (International Statistical Review 54, the k), Arvesen and Schmitz 1970
    (Biometrics 26, the jackknife); Bland and Altman 1996 (BMJ 313, the standard error).
    """
    keep = np.bincount(question)[question] > 1
    if not keep.any():
        return Repeatability(Estimate(np.nan, np.nan, np.nan, np.nan, 0), np.nan, 0, 0, 0)
    of, unit_of, sums = _by_unit(score[keep], question[keep], unit[keep])
    spread = np.full((2, len(unit_of)), score[keep][0])
    np.maximum.at(spread[0], of, score[keep])
    spread[1] = np.inf
    np.minimum.at(spread[1], of, score[keep])
    differ = spread[0] > spread[1]
    between, inside, k = _squares(sums.sum(axis=0)[None])
    low, high = _interval(sums, float(k[0]))
    icc = Estimate(float(_icc(between, inside, k)[0]), low, high, np.nan, int(keep.sum()))
    changed = int(differ.sum())
    error = float(np.sqrt(inside[0])) if changed else 0.0
    return Repeatability(icc, error, len(unit_of), changed, len(np.unique(unit_of[differ])))


def _by_unit(score: Floats, question: Integers, unit: Integers) -> tuple[Integers, Integers, Floats]:
    """The question of each answer and the unit of each question, numbered from 0, and sums (units, 6) over questions.

    The summands of a question are 1, the number n of its answers, n squared, the sum of the answers, its square over n,
    and the sum of their squares, with answers taken as deviations from the overall mean.
    """
    _, first, of = np.unique(question, return_index=True, return_inverse=True)
    units, unit_of = np.unique(unit[first], return_inverse=True)
    of, unit_of = of.ravel(), unit_of.ravel()
    off = score - score.mean()
    n, total = np.bincount(of), np.bincount(of, off)
    columns = (np.ones(len(n)), n, n * n, total, total * total / n, np.bincount(of, off * off))
    return of, unit_of, np.stack([np.bincount(unit_of, column, len(units)) for column in columns], axis=1)


def _squares(sums: Floats) -> tuple[Floats, Floats, Floats]:
    """(rows,) mean squares between and within questions, and effective answers per question, from sums (rows, 6)."""
    questions, n, nn, total, between, squares = sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = np.maximum(squares - between, 0) / (n - questions)
        inside = np.where(inside <= 1e-12 * squares / n, 0.0, inside)
        return (between - total * total / n) / (questions - 1), inside, (n - nn / n) / (questions - 1)


def _icc(between: Floats, inside: Floats, k: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return (between - inside) / (between + (k - 1) * inside)


def _interval(sums: Floats, k: float) -> Interval:
    if len(sums) < LEAST:
        return Interval(np.nan, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = [np.log(between / inside) for between, inside, _ in map(_squares, (sums.sum(axis=0)[None],))]
        between, inside, _ = _squares(sums.sum(axis=0) - sums)
        without = np.log(between / inside)
    if not (np.isfinite(ratios[0]).all() and np.isfinite(without).all()):
        return Interval(np.nan, np.nan)
    ends = np.exp(jackknife_interval(float(ratios[0][0]), without, len(sums)))
    return Interval(*((ends - 1) / (ends + k - 1)).tolist())
