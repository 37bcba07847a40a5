"""Test the facts of the overview: orders, ties, tau, the representative image and its triangle, against plain
numbers.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import kendalltau

from data.study import Item, Run, Settings, Study
from metrics.analysis import overview as facts
from metrics.analysis import overview_image, run_differences
from metrics.analysis.defaults import first_to_rank
from metrics.analysis.numbers import Numbers, of_results
from metrics.analysis.overview_image import typical
from metrics.analysis.replicates.grouping import replicates
from metrics.analysis.replicates.setting_differences import standing
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS
from tests.studies import study as random_study

CIDER, TRM = METRICS["cider_d"], METRICS["trm_bow"]
OPTIONS = Options(p_values=True)


@pytest.fixture(scope="module")
def study() -> Study:
    return random_study(items=12, references=5, candidates=5, runs=6, seed=4)


@pytest.fixture(scope="module")
def numbers(study: Study) -> Numbers:
    return scored(study)


def scored(study: Study) -> Numbers:
    return of_results(scoring.score(study, [CIDER, TRM], OPTIONS, Cache(None)), {})


def test_ranks_are_those_of_the_corpus_values(study: Study, numbers: Numbers) -> None:
    seen = facts.overview(study, numbers, CIDER, TRM)
    for order, sign in ((seen.quality, -1), (seen.other, 1)):
        values = np.array([numbers.results[run.name, order.metric.name].corpus for run in study.runs])
        assert order.values.tolist() == values.tolist()
        assert [int(k) for k in np.argsort(order.rank)] == [int(k) for k in np.argsort(sign * values)]
        assert sorted(order.rank) == list(range(1, 7))
        assert study.runs[order.first or 0].name == study.runs[int(np.argmin(sign * values))].name
        assert order.at(7) is None
    assert not seen.waiting


def test_tau_is_that_of_the_values_each_in_its_better_direction(study: Study, numbers: Numbers) -> None:
    seen = facts.overview(study, numbers, CIDER, TRM)
    assert seen.tau == pytest.approx(kendalltau(seen.quality.values, -seen.other.values).statistic)
    assert facts.kendall_tau(seen.quality, seen.quality) == pytest.approx(1)


def test_who_may_be_first_are_those_that_no_sure_difference_parts(study: Study, numbers: Numbers) -> None:
    seen = facts.overview(study, numbers, CIDER, TRM)
    pairs = numbers.pairs(study, CIDER, study.runs)
    first = seen.quality.first
    assert first is not None
    assert set(seen.quality.tied) == {k for k in range(6) if k != first and not pairs.sure[k, first]}
    low, high = seen.quality.span(first)
    assert low == 1 <= high <= 1 + len(seen.quality.tied)


def test_a_run_of_another_number_of_captions_has_no_rank_and_a_reason(study: Study) -> None:
    short = replace(study.runs[0], candidates={id_: texts[:1] for id_, texts in study.runs[0].candidates.items()})
    mixed = replace(study, runs=(short, *study.runs[1:]))
    seen = facts.overview(mixed, scored(mixed), CIDER, TRM)
    assert seen.quality.rank[0] > 0
    assert (seen.other.rank[0], seen.other.ranked) == (0, 5)
    assert "captions of the run" in seen.other.reasons[0]
    assert not any(seen.other.reasons[1:])


def test_what_is_not_computed_is_waited_for(study: Study, numbers: Numbers) -> None:
    some = {key: result for key, result in numbers.results.items() if key[1] == CIDER.name}
    seen = facts.overview(study, Numbers(some), CIDER, TRM)
    assert (seen.waiting, seen.quality.waiting, seen.other.waiting) == (True, False, True)
    assert (seen.people, seen.other.first, seen.shown) == (None, None, (seen.quality.first,))


@pytest.mark.parametrize(
    ("first", "second", "change"),
    [
        ([4, 3, 2, 1], [4, 3, 2, 1], "stays"),
        ([4, 3, 2, 1], [4, 1, 2, 3], "below"),
        ([4, 3, 2, 1], [3, 4, 2, 1], "changes"),
        ([4, 3, 2, 1], [1, 2, 3, 4], "turns"),
    ],
)
def test_what_becomes_of_the_order(first: list[float], second: list[float], change: str) -> None:
    seen = made(first, second)
    assert seen.change == change


def test_only_pairs_that_are_sure_by_both_change_an_order() -> None:
    """Runs that may be equal swap places only by chance."""
    seen = made([4, 3, 2, 1], [1, 2, 3, 4])
    assert (seen.kept, seen.swapped) == (0, 6)
    none = np.zeros((4, 4), dtype=bool)
    unsure = replace(seen, other=replace(seen.other, ahead=none))
    assert (unsure.kept, unsure.swapped, unsure.change) == (0, 0, "unsure")
    one = none.copy()
    one[0, 3] = True
    assert replace(seen, other=replace(seen.other, ahead=one)).change == "stays"
    assert replace(seen, other=replace(seen.other, ahead=one.T)).change == "changes", "one pair of six"
    most = seen.other.ahead & (np.arange(4) < 3)[:, None]
    assert replace(seen, other=replace(seen.other, ahead=most)).change == "changes", "three of six"
    most[3, 0] = True
    assert replace(seen, other=replace(seen.other, ahead=most)).change == "turns", "four of six"


def test_the_order_of_equal_runs_hardly_ever_turns_around() -> None:
    """All four runs draw from the same captions; without the tests, 6 of 20 titles claimed a change."""
    titles = []
    for seed in range(20):
        equal = random_study(20, 5, 4, 4, seed=seed)
        found = of_results(scoring.score(equal, [METRICS["rouge_l"], METRICS["trm_bow"]], OPTIONS, Cache(None)), {})
        titles.append(facts.overview(equal, found, METRICS["rouge_l"], METRICS["trm_bow"]).change)
    assert titles.count("turns") + titles.count("changes") <= 1


def made(first: list[float], second: list[float], models: str = "abcd") -> facts.Overview:
    runs = tuple(Run(f"run {k}", model, Settings(), {}) for k, model in zip(range(len(first)), models))
    empty = facts.order(Study("s", (), runs), Numbers({}), CIDER)
    sides = []
    for values in (first, second):
        rank = np.empty(len(values), dtype=np.int64)
        rank[np.argsort([-value for value in values])] = np.arange(1, len(values) + 1)
        ahead = rank[:, None] < rank
        sides.append(replace(empty, values=np.array(values, dtype=float), rank=rank, ahead=ahead, waiting=False))
    return facts.Overview(Study("s", (), runs), sides[0], sides[1], "", None, facts.kendall_tau(*sides))


def test_shown_are_both_firsts_or_the_first_and_the_last() -> None:
    assert made([4, 3, 2, 1], [1, 2, 3, 4]).shown == (0, 3)
    assert made([4, 3, 2, 1], [4, 1, 2, 3]).shown == (0, 1), "run 1 is last by the other"
    assert made([1], [1]).shown == (0,)


def test_runs_without_a_distance_explain_none() -> None:
    both = made([4, 3, 2, 1], [1, 2, 3, 4])
    assert (both.taught, both.too_few) == (both.shown, False)
    without = replace(both, other=replace(both.other, rank=np.array([0, 0, 2, 1])))
    assert without.shown == (0, 3)
    assert without.taught == (3, 2), "the first by quality has no distance: the first and the last by it"
    assert without.measured == (3, 2)
    assert without.too_few
    assert without.emphasised == (0, 3, 2)
    one = replace(both, other=replace(both.other, rank=np.array([0, 1, 0, 0])))
    assert (one.taught, one.too_few) == ((1,), True)
    three = replace(both, other=replace(both.other, rank=np.array([0, 3, 2, 1])))
    assert (three.taught, three.too_few) == ((3, 1), False)
    assert not replace(one, unmeasured="no distance").too_few
    assert not replace(one, other=replace(one.other, waiting=True)).too_few


def test_emphasised_are_the_firsts_and_the_farthest_mover_of_each_other_model() -> None:
    first, second = [9, 8, 7, 6, 5, 4, 3, 2, 1], [1, 2, 3, 9, 8, 4, 5, 6, 7]
    seen = made(first, second, "aabbccddd")
    moves = np.abs(seen.quality.rank - seen.other.rank)
    assert seen.emphasised[:2] == (0, 3)
    assert set(seen.emphasised[2:]) == {4, 8}
    assert moves[4] == max(moves[4:6])
    assert moves[8] == max(moves[6:9])
    many = made(list(range(20, 0, -1)), list(range(1, 21)), "abcdefghijklmnopqrst")
    assert len(many.emphasised) == facts.EMPHASISED
    alike = replace(seen, other=replace(seen.other, ahead=seen.other.ahead & False))
    assert alike.emphasised == (0, 3), "no run changes places significantly"
    one = np.zeros((9, 9), dtype=bool)
    one[6, 0] = True
    assert replace(alike, other=replace(alike.other, ahead=one)).emphasised == (0, 3, 6)


def test_the_image_is_nearest_to_both_runs_values_of_the_study(study: Study, numbers: Numbers) -> None:
    seen = facts.overview(study, numbers, CIDER, TRM)
    found = facts.representative_image(numbers, seen)
    results = [numbers.results[study.runs[k].name, TRM.name] for k in seen.shown]
    gaps = [sum(abs(result.items[k] - result.corpus) for result in results) for k in range(len(study.items))]
    assert gaps[found] == min(gaps)


def test_shares_and_values_of_the_image_are_the_engine_s(study: Study, numbers: Numbers) -> None:
    seen = facts.overview(study, numbers, CIDER, TRM)
    position = facts.representative_image(numbers, seen)
    found = overview_image.steps(study, seen.shown, position, TRM, Cache(None), OPTIONS)  # type: ignore[arg-type]
    assert found is not None
    for shares in found.shares:
        result = numbers.results[study.runs[shares.run].name, TRM.name]
        assert shares.value == pytest.approx(result.items[position])
        assert shares.shares.sum(axis=1) == pytest.approx([1, 1])
        assert shares.triangles == 10 * 5 + 10 * 5


def test_the_triangle_has_two_captions_by_people_and_three_lengths(study: Study, numbers: Numbers) -> None:
    seen = facts.overview(study, numbers, CIDER, TRM)
    for position, item in enumerate(study.items):
        found = overview_image.steps(study, seen.shown, position, TRM, Cache(None), OPTIONS)  # type: ignore[arg-type]
        if found is None:
            continue
        drawn, run = found.triangle, study.runs[seen.shown[0]]
        assert set(drawn.pair) <= set(item.references)
        assert drawn.point in run.candidates[item.id]
        assert min(drawn.inside, *drawn.edges) > 0
        assert drawn.inside < min(drawn.edges) if drawn.rank == 0 else drawn.inside > max(drawn.edges)


def test_sets_begin_with_the_triangle_and_count_repeats() -> None:
    item = Item("i", ("One.", "Two.", "Three.", "Two."))
    run = Run("r", "m", Settings(), {"i": ("Same.", "Other.", "Same.")})
    triangle = overview_image.Triangle(("Two.", "Three."), "Other.", 0.5, (0.4, 0.3), 2)
    drawn = overview_image.Steps(TRM, 0, triangle, ())  # type: ignore[arg-type]
    people, said = overview_image.caption_sets(Study("s", (item,), (run,)), (0,), 0, drawn)
    assert [(s.text, s.times, s.letter) for s in people.said] == [("Two.", 2, "A"), ("Three.", 1, "B"), ("One.", 1, "")]
    assert [(s.text, s.times, s.letter) for s in said.said] == [("Other.", 1, "C"), ("Same.", 2, "")]
    assert (people.total, said.total) == (4, 3)


def test_the_letter_of_the_third_caption_is_at_its_own_run() -> None:
    item = Item("i", ("One.", "Two.", "Three."))
    runs = tuple(Run(name, name, Settings(), {"i": ("Said.", f"By {name}.")}) for name in "ab")
    triangle = overview_image.Triangle(("Two.", "Three."), "Said.", 0.5, (0.4, 0.3), 2)
    drawn = overview_image.Steps(TRM, 1, triangle, ())  # type: ignore[arg-type]
    sets = overview_image.caption_sets(Study("s", (item,), runs), (0, 1), 0, drawn)
    assert [[said.letter for said in of.said] for of in sets] == [["A", "B", ""], ["", ""], ["C", ""]]
    away = overview_image.caption_sets(Study("s", (item,), runs), (0,), 0, drawn)
    assert [[said.letter for said in of.said] for of in away] == [["A", "B", ""], ["", ""]]


def test_metrics_to_begin_with_are_quick_or_there(study: Study) -> None:
    qualities = {name: METRICS[name] for name in ("bleu_4", "cider_d", "meteor")}
    distances = {name: METRICS[name] for name in ("trm_bert", "trm_cider_d", "trm_meteor")}
    first = first_to_rank(study, list(qualities.values()))
    assert first is METRICS["meteor"], "sets of captions"
    assert facts.quality_metric(study, qualities, lambda metric: False) == "meteor"
    large = random_study(items=9000, references=10, candidates=10, runs=3)
    assert facts.distance_metric(study, distances, lambda metric: False) == "trm_meteor"  # type: ignore[arg-type]
    assert facts.distance_metric(large, distances, lambda metric: False) == "trm_cider_d"  # type: ignore[arg-type]
    assert facts.distance_metric(large, distances, lambda metric: metric.name == "trm_meteor") == "trm_meteor"  # type: ignore[arg-type]


def test_seeds_of_a_setting_are_ranked_together_by_their_mean_as_on_the_leaderboard(
    study: Study, numbers: Numbers
) -> None:
    first = {"run 0": "a", "run 1": "a", "run 4": "b", "run 5": "b"}
    grouped = replace(study, runs=tuple(replace(run, setting=first.get(run.name, "")) for run in study.runs))
    seen = facts.overview(grouped, numbers, CIDER, TRM)
    assert [run.name for run in seen.study.runs] == ["a", "run 2", "run 3", "b"]
    assert [[run.name for run in seen.seeds(k)] for k in (0, 1, 3)] == [
        ["run 0", "run 1"],
        ["run 2"],
        ["run 4", "run 5"],
    ]
    for order in (seen.quality, seen.other):
        own = [numbers.results[run.name, order.metric.name].corpus for run in study.runs]
        assert order.values == pytest.approx([np.mean(own[:2]), own[2], own[3], np.mean(own[4:])])
    of = standing(grouped, numbers, CIDER, replicates(grouped.runs))
    leads = run_differences.verdict(of.values, of.pairs, True)
    assert leads is not None
    assert (seen.quality.first, seen.quality.tied) == (leads.best, leads.tied)
    assert seen.people is None
    assert seen.every is grouped
    assert seen.unit == "setting"
    assert seen.study.runs[0].candidates == study.runs[0].candidates


def test_the_item_on_which_runs_share_as_many_words_as_usual() -> None:
    said = {
        "a": ("one red cat", "a dog runs", "no", "a dog runs"),
        "b": ("the blue sea", "a dog sits", "", "a dog runs"),
    }
    items = tuple(Item(str(k), ()) for k in range(4))
    runs = [Run(name, name, Settings(), {str(k): (text,) for k, text in enumerate(of)}) for name, of in said.items()]
    study = Study("s", items, tuple(runs))
    assert typical(study, (0, 1)) == 1, "neither an extreme nor where a run says nothing"
    alone = Run("c", "c", Settings(), {"0": ("a dog", "a dog"), "1": ("a dog", "the sea"), "2": ("a dog", "a cat")})
    assert typical(Study("s", items[:3], (alone,)), (0,)) == 2


def test_pairs_of_captions_are_few_however_many_a_run_has() -> None:
    same, other = tuple(f"a dog {k}" for k in range(5)), tuple(f"the sea {k}" for k in range(5))
    many = tuple(f"word {k}" for k in range(2000))
    items = tuple(Item(str(k), ()) for k in range(2))

    def chosen(more: tuple[str, ...]) -> int:
        said = {"a": same + more, "b": other + more}
        runs = [Run(name, name, Settings(), {"0": ("a b",), "1": of}) for name, of in said.items()]
        return typical(Study("s", items, tuple(runs)), (0, 1))

    start = time.perf_counter()
    assert chosen(many) == chosen(()) == 0
    assert time.perf_counter() - start < 1.0
