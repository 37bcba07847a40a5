"""Test the trade-offs of models in the frontier's chart, sentences and table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from data.demo import CACHE_LAYER, load
from figures.frontier import single_numbers_words, trades_words
from figures.frontier import words as frontier_words
from figures.frontier.chart import frontier_figure
from figures.frontier.trades import trade_figure
from figures.style.text_width import text_width
from metrics.analysis.frontier import Apart, Frontier, Single, frontier
from metrics.analysis.numbers import of_results, score_with_people
from metrics.analysis.trades import Estimate, ModelTrade, Trades
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS, TRMS
from tests.figures.test_frontier import human, marks, said, study, traces, view
from tests.studies import study as random_study

__all__ = ["study", "view"]


def traded(
    view: Frontier, kept: list[float], behind: list[bool | None], people: float = 0.4, short: bool = True
) -> Frontier:
    """Return the view with models A, B and so on, each with one run, and with the values `kept` at people's diversity.

    A model whose value is NaN is significantly less diverse than people if `short`.
    """
    named = tuple(replace(run, name=f"{'ABCDEF'[k]} one", model="ABCDEF"[k]) for k, run in enumerate(view.runs))
    models = tuple(
        ModelTrade(
            "ABCDEF"[k],
            (k,),
            Estimate(value, value - 0.01, value + 0.01),
            Estimate(0.6 - k / 10, 0, 1),
            sure,
            sure,
            short and bool(np.isnan(value)),
        )
        for k, (value, sure) in enumerate(zip(kept, behind))
    )
    return replace(view, runs=named, trades=Trades(models, people, False, ()))


@pytest.mark.parametrize(
    ("kept", "behind", "people", "expected"),
    [
        (
            [0.5, 0.4, np.nan],
            [None, True, None],
            0.4,
            "At people's diversity (Self-BLEU-2 0.400), A keeps the best ROUGE-L, 0.500 (0.490 to 0.510), "
            "significantly "
            "better than B. C is significantly less diverse than people.",
        ),
        ([0.5, 0.4], [None, False], 0.4, "(Self-BLEU-2 0.400), no difference in ROUGE-L between A and B is detected."),
        (
            [0.5, 0.4, 0.3],
            [None, False, True],
            0.4,
            "(0.490 to 0.510), significantly better than C; B may do as well.",
        ),
        ([0.5, 0.4], [None, None], 0.4, "(Self-BLEU-2 0.400), whether A and B differ in ROUGE-L cannot be tested."),
        (
            [0.5, np.nan, np.nan],
            [None, None, None],
            0.4,
            "A keeps ROUGE-L 0.500 (0.490 to 0.510). B and C are significantly less diverse than people.",
        ),
        (
            [np.nan, np.nan],
            [None, True],
            0.4,
            "All models are significantly less diverse than people (Self-BLEU-2 0.400). "
            "A covers the greatest area, 60\u00a0% (0 to 100), "
            "significantly more than B.",
        ),
        (
            [np.nan, np.nan],
            [None, False],
            np.nan,
            "No difference in the area covered between A and B is detected.",
        ),
    ],
)
def test_the_verdict_says_who_trades_best_and_no_more_than_was_judged(study, view, kept, behind, people, expected):
    of = traded(view, kept, behind, people)
    shown, more = frontier_words.verdict(replace(study, runs=of.runs), of)
    assert expected in said(shown)
    assert len(said(shown).split()) <= 35
    assert "on the front" in said(more)


def test_what_models_miss_by_chance_is_not_said_of_them(study, view):
    """By chance, half of all models that are as diverse as people have a slightly lower measured diversity."""
    of = traded(view, [0.5, np.nan, np.nan], [None, None, None], short=False)
    first = replace(of.trades.models[0], kept=Estimate(0.5, np.nan, np.nan))
    nobody = replace(of, trades=replace(of.trades, models=(first, *of.trades.models[1:])))
    shown, _ = frontier_words.verdict(replace(study, runs=of.runs), of)
    assert said(shown).endswith("A keeps ROUGE-L 0.500 (0.490 to 0.510). B and C may be less diverse.")
    shown, _ = frontier_words.verdict(replace(study, runs=of.runs), nobody)
    assert (
        said(shown).replace("\u00a0", " ")
        == "A covers the greatest area, 60 % (0 to 100); whether B and C cover as much cannot be tested."
    )
    assert "as measured" in trades_words.alt(of, "kept")


def test_who_is_as_diverse_as_people_may_differ_from_them_all_the_same(study, view):
    """Captions may differ from people's in more than diversity, so the verdict also states what the joint test
    finds.
    """
    alone = traded(view, [0.5, np.nan, np.nan], [None, None, None], short=False)
    by = "By the joint test with TRM METEOR,"

    def shown(of: Frontier, *apart: int) -> str:
        found = replace(of, apart=Apart(TRMS["METEOR"], frozenset(of.runs[k].name for k in apart)))
        return said(frontier_words.verdict(replace(study, runs=of.runs), found)[0])

    assert f"(0.490 to 0.510). {by} A differs from people. B and C" in shown(alone, 0, 1)
    assert "joint test" not in shown(alone, 1, 2), "of those that are less diverse nothing is said"
    level = traded(view, [0.5, 0.4], [None, False])
    assert shown(level, 1).endswith(f"between A and B is detected. {by} B differs from people.")
    assert shown(level, 0, 1).endswith(f"{by} A and B differ from people.")
    path = replace(alone.trades.models[0], runs=(0, 1, 2))
    several = replace(alone, trades=replace(alone.trades, models=(path, *alone.trades.models[1:])))
    near = int(np.argmin(abs(several.diversity.value[:3] - several.trades.people)))
    assert f"{by} A differs from people at its nearest setting." in shown(several, near)
    assert "joint test" not in shown(several, *({0, 1, 2} - {near})), "of other settings nothing is said"
    assert len(shown(alone, 0).split()) <= 35


def test_the_joint_test_comes_from_the_numbers_that_there_are() -> None:
    study = random_study(items=6, references=3, candidates=3, runs=2)
    chosen = METRICS["rouge_l"], METRICS["distinct_2"], METRICS["trm_rouge_l"]
    for options, tested in ((Options(), False), (Options(p_values=True, draws=19), True)):
        numbers = of_results(scoring.score(study, chosen, options), {})
        found = frontier(study, numbers, chosen[0], chosen[1], study.runs).apart
        assert (found is not None) == tested
    differ = numbers.against_people(study, chosen[2], study.runs).differ
    assert found == (chosen[2], frozenset(study.runs[k].name for k in differ))


@pytest.mark.parametrize(("low", "high", "ends"), [(0, 1, "too few to tell"), (0.33, 1, "33\u00a0% to 100\u00a0%")])
def test_an_interval_of_everything_is_none(low: float, high: float, ends: str) -> None:
    one = Single(METRICS["trm_meteor"], np.zeros(2), np.ones(2), 4, 4.0, low, high, 0, False)
    assert single_numbers_words.agreed(one) == f"TRM METEOR: 4 of 4 pairs ({ends})"


def test_one_model_has_nobody_to_trade_against(study, view):
    of = traded(view, [0.5], [None])
    shown, more = frontier_words.verdict(replace(study, runs=of.runs), of)
    assert "on the front" in said(shown)
    assert not more


def test_the_charts_and_the_table_of_models_are_the_numbers(study, view):
    of = traded(view, [0.5, 0.4, np.nan], [None, True, None])
    figure = trade_figure(of, marks(of), "kept", "light")
    assert [trace.x[0] for trace in figure.data] == [0.5, 0.4]
    assert [shape.x0 for shape in figure.layout.shapes] == pytest.approx([0.49, 0.39])
    assert "significantly less diverse than people" in [note.text for note in figure.layout.annotations]
    area = trade_figure(of, marks(of), "area", "light")
    assert [trace.x[0] for trace in area.data] == pytest.approx([0.6, 0.5, 0.4])
    table = trades_words.table(study, of).readable()
    assert list(table["Model"]) == ["A", "B", "C"]
    assert list(table["Area covered"]) == pytest.approx([0.6, 0.5, 0.4])
    assert trades_words.shown(of) == ["kept", "area"]
    assert trades_words.shown(traded(view, [np.nan], [None])) == ["area"]
    assert "C significantly less diverse than people" in trades_words.alt(of, "kept")


def test_a_long_name_ends_before_the_axis_begins(view: Frontier) -> None:
    of = traded(view, [0.5, 0.4, 0.3], [None, True, True])
    long = "llava-v1.6-mistral-7b-hf"
    models = tuple(replace(one, model=long) if one.model == "A" else one for one in of.trades.models)
    runs = tuple(replace(run, model=long) if run.model == "A" else run for run in of.runs)
    of = replace(of, runs=runs, trades=replace(of.trades, models=models))
    figure = trade_figure(of, marks(of), "kept", "light")
    (name,) = (note for note in figure.layout.annotations if note.text == long)
    assert name.x == 0
    assert -figure.layout.margin.l <= name.xshift < -text_width(long, 12)


def test_where_models_are_as_diverse_as_people_is_marked(view):
    of = human(traded(view, [0.5, 0.4, np.nan], [None, True, None]), None, float(view.diversity.value.mean()))
    here = replace(of, trades=replace(of.trades, people=of.diversity.human.value))
    figure = frontier_figure(here, marks(here), "light")
    found = traces(figure, "at people's diversity")
    assert [(t.x[0], t.y[0]) for t in found] == [(of.diversity.human.value, 0.5), (of.diversity.human.value, 0.4)]
    assert found[0].error_y.array[0] == pytest.approx(0.01)
    bare = frontier_figure(here, marks(here), "light", intervals=False)
    assert traces(bare, "at people's diversity")[0].error_y.visible is False


def test_the_demo_s_oracle_keeps_most_at_people_s_diversity():
    """People's captions are drawn from Oracle itself, and Peaked is never as diverse."""
    demo, cache = load(), Cache(None, (CACHE_LAYER,))
    pair = METRICS["meteor"], METRICS["self_bleu_4"]
    numbers = score_with_people(demo, pair, lambda s, ms: scoring.score(s, list(ms), Options(p_values=False), cache))
    found = frontier(demo, numbers, *pair, demo.runs).trades
    assert [one.model for one in found.models] == ["Oracle", "Loose", "Peaked"]
    assert found.models[1].behind
    assert np.isnan(found.models[2].kept.value)
    assert [one.short for one in found.models] == [False, False, True]
    assert not found.fixed
    assert found.temperatures == (0.3, 0.5, 0.7, 1.0, 1.3, 1.6)
    oracle = [
        numbers.results[f"Oracle T={t}", name].corpus for t in ("1.0", "1.3") for name in ("meteor", "self_bleu_4")
    ]
    share = (found.people - oracle[1]) / (oracle[3] - oracle[1])
    assert found.models[0].kept.value == pytest.approx(oracle[0] + share * (oracle[2] - oracle[0]), abs=1e-12)


def test_a_single_number_puts_first_only_what_it_surely_does(study, view):
    """A report on equal runs once said that TRM puts one of them first."""
    surely, not_surely = (
        said(single_numbers_words.singles_verdict(study, replace(view, singles=singles)))
        for singles in ([replace(one, sure=sure) for one in view.singles] for sure in (True, False))
    )
    assert all(name in surely for name in single_numbers_words.singles_table(view)["Puts first"])
    assert not_surely.endswith(". By TRM bag of words and MS-Jaccard-2, no run is clearly first.")
    assert " first (" not in not_surely
