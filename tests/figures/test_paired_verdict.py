"""Test the verdict on all pairs: a difference that was not tested is no win, and no run leads a tie."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from data.study import Run, Settings
from figures.paired import verdict, words
from figures.paired.matrix import Matrix
from figures.style.html import split_verdict
from metrics.analysis.paired import Comparison, Effect, Family
from metrics.permutation.sign_flips import SignFlip
from metrics.registry import METRICS
from tests.studies import study

STUDY = study(12, 3, 2, 3)
NAN = float("nan")


def said(values: list[float], p: dict[tuple[int, int], float]) -> str:
    """Return the verdict on runs with these values, the best first; pairs without a p-value in `p` have NaN."""
    runs = tuple(Run(name, name, Settings(), {}) for name in "ABCDEFGH"[: len(values)])
    gaps, full = np.array(values), np.full((len(values), len(values)), NAN)
    for (i, j), of in p.items():
        full[i, j] = full[j, i] = of
    none = np.full_like(full, NAN)
    letters = tuple("" for _ in runs)
    found = Matrix(METRICS["rouge_l"], runs, gaps[:, None] - gaps, full, none, none, letters)
    named = type(STUDY)("s", STUDY.items, runs)
    return "".join(verdict.pairs(named, found))


@pytest.mark.parametrize(
    ("values", "p", "expected"),
    [
        (
            [0.9, 0.5, 0.4],
            {(1, 2): 0.2},
            "A is first by ROUGE-L; it cannot be compared with the others, as they have values for other items.",
        ),
        (
            [0.9, 0.5, 0.4],
            {(0, 1): 0.001, (1, 2): 0.2},
            "A is first by ROUGE-L, significantly ahead of 1 of the 2 others; 1 run cannot be compared with it. "
            "In 1 of 2 pairs, no difference is detected.",
        ),
        (
            [0.9, 0.5, 0.4],
            {(0, 1): 0.4, (1, 2): 0.2},
            "A is first by ROUGE-L, but no difference from it is detected for B; 1 run cannot be compared with it. "
            "In 2 of 2 pairs, no difference is detected.",
        ),
        (
            [0.9, 0.5, 0.4],
            {(0, 1): 0.01, (0, 2): 0.01, (1, 2): 0.01},
            "A is first by ROUGE-L, significantly ahead of every other run. In all 3 pairs, a difference is detected.",
        ),
        ([0.9, 0.5], {(0, 1): 0.01}, "A is first by ROUGE-L, significantly ahead of the other."),
        (
            [0.9, 0.9, 0.4],
            {(0, 1): 1.0, (0, 2): 0.01, (1, 2): 0.01},
            "A and B share the highest ROUGE-L. In 1 of 3 pairs, no difference is detected.",
        ),
        (
            [0.9, 0.9, 0.9],
            {(0, 1): 1.0, (0, 2): 1.0, (1, 2): 1.0},
            "3 runs share the highest ROUGE-L. In 3 of 3 pairs, no difference is detected.",
        ),
    ],
)
def test_what_was_not_tested_is_not_won(values: list[float], p: dict[tuple[int, int], float], expected: str) -> None:
    assert said(values, p) == expected


def against(p: float, low: float = NAN, tried: int = 999, floor: float = 0.001) -> Family:
    test = SignFlip(p, floor, tried < 999, tried)
    none = Effect(NAN, NAN, NAN)
    one = Comparison(METRICS["rouge_l"], "run 0", "run 1", (0.5, 0.4), 0.1, low, -low, test, none, n=20)
    return Family((one,), np.array([p]))


def test_one_comparison_is_not_corrected() -> None:
    assert words.holm_words(STUDY, against(0.2)).replace("\u00a0", " ") == "A difference is significant where p ≤ 0.05"


def test_the_footer_names_the_test_that_was_made() -> None:
    """Without resamples that the runs share, there is no Student's t; if nothing can be swapped, p is 1."""
    led = replace(against(0.2), over_all_pairs=True)
    assert "cannot be resampled together; corrected p is p times the number of pairs" in words.footer(STUDY, led)
    assert "Student's t" in words.footer(STUDY, replace(against(0.2, low=-0.1), over_all_pairs=True))
    alone = words.footer(STUDY, against(1.0, tried=1, floor=1.0))
    assert "(no other assignment, p = 1)." in alone


@pytest.mark.parametrize(("side", "text"), [(1, "run 0 scores better"), (-1, "run 1 scores better")])
def test_the_images_counted_are_those_that_the_winner_wins(side: int, text: str) -> None:
    gaps = side * np.array([*[0.3] * 7, *[-0.1] * 2, *[0.0] * 3])
    sides, gap, test = np.stack([gaps, np.zeros(12)]), float(gaps.mean()), SignFlip(0.001, 0.001, False, 999)
    one = Comparison(METRICS["rouge_l"], "run 0", "run 1", (gap, 0.0), gap, gap, gap, test, sides=sides, n=12)
    said = "".join(verdict.two(STUDY, Family((one,), np.array([0.001]))))
    assert said == f"{text} by ROUGE-L on 7 items, worse on 2."
    picked = "".join(verdict.two(STUDY, Family((one,), np.array([0.001]), over_all_pairs=True)))
    assert picked == said, "how p is corrected is for the line below the figure"


@pytest.mark.parametrize(
    ("for_first", "for_second", "words_of", "begins"),
    [
        (("trm_meteor",), ("cider_d",), 2, "The metrics disagree. "),
        (("unique_captions",), ("distinct_1", "distinct_2"), 2, "None of these metrics"),
        (("trm_meteor", "trm_bow", "mmd_bert"), ("ms_jaccard_4", "bleu_4", "meteor", "cider_d"), 5, ""),
    ],
)
def test_who_leads_by_what_stays_in_sight_where_metrics_disagree(for_first, for_second, words_of, begins) -> None:
    runs = tuple(Run(name * words_of, name, Settings(), {}) for name in (" blue", " green"))
    named = type(STUDY)("s", STUDY.items, runs)
    test, none = SignFlip(0.001, 0.001, False, 999), Effect(NAN, NAN, NAN)

    def won(key: str, side: int) -> Comparison:
        gap = (0.1 if METRICS[key].higher_is_better else -0.1) * side
        return Comparison(METRICS[key], runs[0].name, runs[1].name, (0.5, 0.4), gap, gap, gap, test, none, n=20)

    every = (*(won(key, 1) for key in for_first), *(won(key, -1) for key in for_second))
    family = Family(every, np.full(len(every), 0.001))
    shown, _ = split_verdict(verdict.two(named, family))
    text = "".join(shown)
    assert len("".join(verdict.two(named, replace(family, over_all_pairs=True))).split()) <= 35
    assert text.startswith(begins or runs[0].name.strip())
    assert all(run.name.strip() in text for run in runs)
    assert len(text.split()) <= 35


def test_of_many_runs_the_verdict_counts_those_that_may_be_as_good_and_those_behind() -> None:
    p = {(i, j): 0.01 if (i, j) in ((0, 6), (0, 7)) else 0.4 for i in range(8) for j in range(i + 1, 8)}
    assert said([0.9, *np.linspace(0.8, 0.2, 7)], p).startswith(
        "A is first by ROUGE-L: 5 of the 7 others may be as good, and two are significantly behind. In 26 of 28 pairs,"
    )
