"""Test the sentences and figures about critiques, and that all text of a study is only data in them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from data.study import Run, Settings, Study
from figures.critique import words
from figures.critique.chart import learning, scores
from figures.critique.word_use import word_use
from figures.report.critique import critique
from figures.report.html import LeftOut
from figures.report.request import Request
from figures.style.drawing import ROWS
from figures.style.palette import ModelStyle
from metrics.analysis import artifacts
from metrics.analysis.critique.critics import GAP, PEOPLE, RUN, Critic, Score, table
from metrics.analysis.critique.stored import Design
from metrics.analysis.critique.words import WordUse
from metrics.analysis.numbers import of_results
from metrics.cache.disk import Cache
from metrics.learned.critique_metric import Critique
from metrics.learned.critique_result import PROBES
from metrics.progress import Hooks
from tests.report_text import whole
from tests.studies import study as random_study

NAMES = ("<b>one</b>", "a run of a very long name indeed, with a part that is left out")


def spoken(*names: str) -> Study:
    made = random_study(items=4, references=2, candidates=1, runs=1)
    runs = tuple(Run(name, name, Settings(), made.runs[0].candidates) for name in names)
    return Study("said", made.items, runs)


def critic(
    run: str, own: float, people: float, probe: float = 0.2, gap: float | None = None, p: float = 0.001
) -> Critic:
    def score(value: float) -> Score:
        return Score(value, value - 0.05, value + 0.05, 40, np.nan)

    named = {RUN: score(own), PEOPLE: score(people), **dict.fromkeys(PROBES, score(probe))}
    named[GAP] = score(people - own if gap is None else gap)._replace(p_value=p)
    losses = np.array([[[[0.7, 0.6], [0.5, 0.55]], [[0.6, 0.7], [np.nan, np.nan]]]])
    return Critic(run, False, named, (), (), losses)


@pytest.mark.parametrize(
    ("found", "augmented", "said"),
    [
        ([critic("A", 0.2, 0.8), critic("B", 0.4, 0.7)], True, "Both runs score significantly below people."),
        (
            [critic("A", 0.2, 0.8), critic("B", 0.4, 0.7, p=0.2)],
            True,
            "1 of 2 runs scores significantly below people. No difference from people is detected for B.",
        ),
        (
            [critic("A", 0.2, 0.8, p=0.04), critic("B", 0.4, 0.7, p=0.04)],
            True,
            "No difference from people is detected for any of 2 runs; with 40 items, this test has little power.",
        ),
        (
            [critic("A", 0.2, 0.8, gap=-0.1), critic("B", 0.4, 0.7)],
            True,
            "1 of 2 runs scores significantly below people, 1 above.",
        ),
        ([critic("A", 0.2, 0.8, 0.1), critic("B", 0.4, 0.7)], False, "Both runs score significantly below people."),
        ([critic("A", 0.2, 0.8, 0.75)], False, "Without augmentation, captions of other items 0.75 and shuffled words"),
    ],
)
def test_the_verdict_says_only_what_is_tested(found: list[Critic], augmented: bool, said: str) -> None:
    text = "".join(words.verdict(spoken("A", "B"), found, augmented))
    assert said in text
    assert len(text.split()) <= 35


def test_a_run_alone_passes_no_better_than_others() -> None:
    text = "".join(words.verdict(spoken("A"), [critic("A", 0.2, 0.8)], True))
    assert text == "A: captions score 0.20, people's 0.80. The run scores significantly below people."


@pytest.mark.parametrize(
    ("p", "n", "said"),
    [
        (np.nan, 1, "Whether they differ from people's cannot be tested: 1 item is too few."),
        (np.nan, 40, "Whether they differ from people's cannot be tested."),
        (0.06, 6, "No difference from people is detected; with 6 items, this test has little power."),
        (0.06, 100, "No difference from people is detected."),
    ],
)
def test_what_is_not_tested_is_not_called_alike(p: float, n: int, said: str) -> None:
    one = critic("A", 0.1, 0.9, p=p)
    one.scores[GAP] = one.scores[GAP]._replace(n=n)
    assert "".join(words.verdict(spoken("A"), [one], True)) == f"A: captions score 0.10, people's 0.90. {said}"
    both = [one, replace(one, run="B")]
    if np.isnan(p):
        assert "Whether runs differ from people cannot be tested" in "".join(
            words.verdict(spoken("A", "B"), both, True)
        )


def test_a_run_above_people_is_said_to_be_above() -> None:
    found = [critic("A", 0.9, 0.5, gap=-0.4)]
    assert "".join(words.verdict(spoken("A"), found, True)).endswith("The run scores significantly above people.")
    found += [critic("B", 0.4, 0.5, p=0.5)]
    assert "".join(words.verdict(spoken("A", "B"), found, True)) == (
        "1 of 2 runs scores significantly above people. No difference from people is detected for B."
    )


def test_runs_are_compared_by_how_far_they_are_from_people_under_their_own_critique() -> None:
    found = [critic("A", 0.61, 0.66), critic("B", 0.5, 0.49), critic("C", np.nan, 0.9)]
    assert [row.key for row in words.rows(spoken("A", "B", "C"), found)] == ["B", "A", "C"]
    assert [row.said for row in words.rows(spoken("A", "B", "C"), found)] == ["+0.01", "−0.05", "–"]


@pytest.mark.parametrize(("own", "too"), [(0.1, ""), (0.85, " too")])
def test_made_captions_pass_too_only_where_the_run_passes(own: float, too: str) -> None:
    said = "".join(words.verdict(spoken("A"), [critic("A", own, 0.9, 0.9)], False))
    assert said.endswith(
        f"Without augmentation, captions of other items 0.90 and shuffled words 0.90 pass for people's{too}."
    )


def test_the_runs_that_come_first_are_named_with_their_roles() -> None:
    text = words.untrained(spoken("A", "B", "C", "D"), "all", 3, ["A", "B", "C"], "CIDEr-D")
    assert "Begin with A, B and C, first, second and last by CIDEr-D. 3 critiques are" in text
    assert "Begin" not in words.untrained(spoken("A", "B"), "all", 2, [], "CIDEr-D")


def test_long_names_and_markup_stay_text_and_the_verdict_short() -> None:
    study = spoken(*NAMES)
    found = [critic(name, 0.3 + 0.1 * k, 0.8, 0.75) for k, name in enumerate(NAMES)]
    assert len("".join(words.verdict(study, found, False)).split()) <= 40
    drawn = scores(words.rows(study, found), NAMES[0], "light").to_json()
    assert "<b>one</b>" not in drawn.replace("<b>&lt;b&gt;", "")
    assert "&lt;b&gt;one" in drawn
    shown = words.table(study, table(found))
    assert shown.Run.tolist() == [name for name in NAMES for _ in range(7)]
    assert shown["P(person)"].tolist()[:2] == [0.3, 0.8]
    assert shown.Epochs.unique().tolist() == [2]


def test_rows_are_differences_from_people_filled_if_they_are_significant() -> None:
    study = spoken("A", "B")
    rows = words.rows(study, [critic("A", 0.2, 0.8), critic("B", 0.6, 0.7, p=0.3)])
    assert [row.key for row in rows] == ["B", "A"]
    assert [(mark.value, mark.low, mark.high) for row in rows for mark in row.marks] == [
        pytest.approx((-0.1, -0.15, -0.05)),
        pytest.approx((-0.6, -0.65, -0.55)),
    ]
    assert [row.marks[0].open for row in rows] == [True, False]
    chart = scores(rows, None, "light", differences=True)
    assert [(one.x0, one.x1) for one in chart.layout.shapes if one.line.dash] == [(0, 0)], "people"
    low, high = chart.layout.xaxis.range
    assert low < -0.65 < 0 < high
    assert [one.value for row in words.compared(study, critic("A", 0.2, 0.8), None) for one in row.marks][:2] == [
        0.8,
        0.2,
    ]
    pair = words.compared(study, critic("A", 0.2, 0.8), critic("A", 0.3, 0.9, 0.85))
    assert [(row.marks[0].value, row.marks[1].value) for row in pair][:3] == [(0.9, 0.8), (0.3, 0.2), (0.85, 0.2)]
    drawn = scores(pair, None, "dark", narrow=True)
    assert drawn.layout.height > scores(pair, None, "dark").layout.height, "long names are above the marks"
    short = scores([replace(row, label=row.label[:8]) for row in pair], None, "dark", narrow=True)
    assert short.layout.height < drawn.layout.height, "short ones beside them"
    assert drawn.layout.meta == ROWS, "a row can be clicked anywhere"


def test_losses_are_means_over_trainings_as_far_as_half_of_them_went() -> None:
    (one,) = words.losses(spoken("A"), [critic("A", 0.2, 0.8)])
    assert one.learned == pytest.approx((0.65, 0.5))
    assert one.held == pytest.approx((0.65, 0.55))
    assert len(learning([one], "A", "light").data) == 2
    assert words.loss_facts([one], "A") == ["A: 2 epochs", "lowest held-out loss 0.550"]
    assert words.loss_table([one])["Loss on held-out captions"].tolist() == pytest.approx([0.65, 0.55])


def test_words_of_one_side_alone_are_drawn_and_escaped() -> None:
    use = WordUse(("<i>", "dog"), np.array([9, 0]), np.array([0, 7]), (100, 50))
    drawn = word_use(use, "A", ModelStyle(0), "light")
    assert "&lt;i&gt;" in {one.text for one in drawn.layout.annotations}
    assert np.isfinite(np.array([drawn.data[0].x, drawn.data[0].y], dtype=float)).all()
    assert words.word_table(use).Word.tolist() == ["dog", "<i>"]


def asked(study: Study, cache: Cache) -> Request:
    return Request(study, of_results({}, {}), (), ("critique",), "2026-01-31", cache=cache)


def test_the_report_shows_critiques_that_are_trained_and_trains_none() -> None:
    study, cache = random_study(items=24, references=2, candidates=1, runs=1, seed=5), Cache(None)
    left = critique(asked(study, cache))
    assert isinstance(left, LeftOut)
    assert "no critique has been trained" in left.why
    artifacts.critiques(study, Design(Critique()), cache).compute(cache, Hooks())
    made = critique(asked(study, cache))
    assert not isinstance(made, LeftOut)
    page = whole(made)
    assert "run 0" in page
    assert 'download="critique.csv"' in page
    assert "train critique study.jsonl --context reference --network mlp" in page
