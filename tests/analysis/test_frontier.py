"""Test the mathematics of the frontier against loops: dominance, shares, agreement, gaps, and paths."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from data.study import Run, Settings, Study
from metrics.analysis import dominance, frontier
from metrics.analysis.numbers import Numbers, score_with_people
from metrics.analysis.sweeps import settings_of, sweeps_of
from metrics.bootstrap import RESAMPLES, bootstrap_weights, percentiles
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS
from tests.studies import study as random_study

QUALITY, DIVERSITY, SINGLES = (
    METRICS["rouge_l"],
    METRICS["self_bleu_2"],
    ("trm_bow", "ms_jaccard_2", "corpus_ms_jaccard_2"),
)


def beats(a: tuple[float, float], b: tuple[float, float]) -> bool:
    return a[0] >= b[0] and a[1] >= b[1] and a != b


def slow_front(points: list[tuple[float, float]]) -> list[bool]:
    return [not any(beats(other, point) for other in points) for point in points]


def slow_agreement(points: list[tuple[float, float]], score: list[float]) -> tuple[float, int]:
    alike, pairs = 0.0, 0
    for a, first in zip(points, score):
        for b, second in zip(points, score):
            if beats(a, b) and not (np.isnan(first) or np.isnan(second)):
                pairs += 1
                alike += 1.0 if first > second else 0.5 if first == second else 0.0
    return alike, pairs


def numbers_of(study: Study, names: tuple[str, ...] = ("rouge_l", "self_bleu_2", *SINGLES)) -> Numbers:
    return Numbers(scoring.score(study, [METRICS[name] for name in names], Options(p_values=False)))


grid = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=9)


@given(grid)
@settings(deadline=None)
def test_dominance_front_gap_and_agreement_by_loops(rows: list[tuple[int, int, int]]) -> None:
    """Small integers produce ties on one axis, on both, and in the score."""
    points = [(float(q), float(d)) for q, d, _ in rows]
    score = [np.nan if s == 3 else float(s) for _, _, s in rows]
    q, d = np.array(points).T
    above = dominance.dominates(q, d)
    assert above.tolist() == [[beats(a, b) for b in points] for a in points]
    assert dominance.on_front(above, q, d).tolist() == slow_front(points)
    best = [max(a[0] for a in points if a[1] >= b[1]) - b[0] for b in points]
    assert dominance.gaps(q, d).tolist() == best
    alike, pairs = slow_agreement(points, score)
    found = dominance.agreement(above, np.array(score))
    assert np.isnan(found) if pairs == 0 else found == pytest.approx(alike / pairs)


def test_laws_of_the_front() -> None:
    """The front is never empty; increasing transformations of an axis do not change it; copies of its runs are on it,
    too.
    """
    source = np.random.default_rng(0)
    for _ in range(50):
        q, d = source.normal(size=(2, 8))
        front = dominance.on_front(dominance.dominates(q, d), q, d)
        assert front.any()
        assert front[np.argmax(q)] or (q == q.max()).sum() > 1
        bent = dominance.on_front(dominance.dominates(np.exp(q), d**3), np.exp(q), d**3)
        assert (bent == front).all()
        twice = dominance.on_front(dominance.dominates(np.r_[q, q], np.r_[d, d]), np.r_[q, q], np.r_[d, d])
        assert (twice == np.r_[front, front]).all()


def test_a_run_without_a_value_is_nowhere() -> None:
    q, d = np.array([1.0, np.nan, 0.5]), np.array([0.0, 9.0, np.nan])
    above = dominance.dominates(q, d)
    assert not above[1].any()
    assert not above[2].any()
    assert dominance.on_front(above, q, d).tolist() == [True, False, False]
    assert np.array_equal(dominance.gaps(q, d), [0.0, np.nan, np.nan], equal_nan=True)
    lower = dominance.gaps(np.array([1.0, np.nan, 0.5]), np.array([0.0, 9.0, -1.0]))
    assert np.array_equal(lower, [0.0, np.nan, 0.5], equal_nan=True)


def test_shares_of_resamples_by_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same draws are processed one by one in plain Python; the block size does not matter."""
    monkeypatch.setattr(dominance, "_CELLS_AT_ONCE", 5 * 5 * 7)
    source = np.random.default_rng(1)
    q, d, s = source.integers(0, 6, size=(3, 5, 40)).astype(float)
    d[4] = np.nan
    found = dominance.resample(q, d, [s])
    known = range(4)
    fronts, beaten, agreed = np.zeros(4), np.zeros((4, 4)), []
    for b in range(40):
        points = [(q[k, b], d[k, b]) for k in known]
        fronts += slow_front(points)
        beaten += [[beats(x, y) for y in points] for x in points]
        alike, pairs = slow_agreement(points, [s[k, b] for k in known])
        agreed.append(alike / pairs if pairs else np.nan)
    assert np.allclose(found.share[:4], fronts / 40)
    assert np.isnan(found.share[4])
    assert np.allclose(found.dominance[:4, :4], beaten / 40)
    assert np.allclose(found.agreed[0], agreed, equal_nan=True)


def test_the_view_of_a_study_by_loops() -> None:
    """Values, signs, the front, shares and agreement are recomputed from public numbers only."""
    study = random_study(items=8, references=4, candidates=4, runs=5)
    numbers = numbers_of(study)
    singles = [METRICS[name] for name in SINGLES]
    view = frontier.frontier(study, numbers, QUALITY, DIVERSITY, study.runs, singles)
    q, boot_q = numbers.corpus(study, QUALITY, study.runs)
    d, boot_d = numbers.corpus(study, DIVERSITY, study.runs)
    points = list(zip(q, -d))
    assert view.front.tolist() == slow_front(points)
    share = np.mean([slow_front(list(zip(boot_q[:, b], -boot_d[:, b]))) for b in range(RESAMPLES)], axis=0)
    assert np.allclose(view.share, share)
    order = [view.runs[k].name for k in view.order]
    assert order == [run.name for run, on, _ in sorted(zip(study.runs, view.front, q), key=lambda r: -r[2]) if on]
    for single, sign in zip(view.singles, (-1, 1, 1)):
        alike, pairs = slow_agreement(points, list(sign * single.value))
        assert (single.agreed, single.pairs) == (alike, pairs)
        assert single.best == int(np.argmax(sign * single.value))
        assert single.rank[single.best] == 1
        assert sorted(single.rank) == [1, 2, 3, 4, 5]
    for single, metric, sign in zip(view.singles[:2], singles, (-1, 1)):
        boot = sign * numbers.corpus(study, metric, study.runs)[1]
        told = [slow_agreement(list(zip(boot_q[:, b], -boot_d[:, b])), list(boot[:, b])) for b in range(RESAMPLES)]
        shares = [alike / pairs for alike, pairs in told if pairs]
        assert (single.low, single.high) == pytest.approx(tuple(np.quantile(shares, percentiles(len(study.items)))))
    assert np.isnan(view.singles[2].low), "one value of a whole run cannot be resampled"


def test_an_axis_of_which_less_is_more_agrees_with_its_own_dominance() -> None:
    study = random_study(items=8, references=4, candidates=4, runs=5)
    (single,) = frontier.frontier(study, numbers_of(study), QUALITY, DIVERSITY, study.runs, [DIVERSITY]).singles
    assert not DIVERSITY.higher_is_better
    assert single.share == 1
    assert np.isnan([single.low, single.high]).all(), "all resamples agree: no interval without a width"


def test_both_metrics_draw_the_same_items_where_their_items_differ() -> None:
    """An item with one candidate per run has quality but no diversity; resamples are recomputed from their weights."""
    study = random_study(items=6, references=3, candidates=3, runs=3)
    first = study.items[0].id
    runs = tuple(replace(r, candidates={**r.candidates, first: r.candidates[first][:1]}) for r in study.runs)
    study = replace(study, runs=runs)
    numbers = numbers_of(study, ("rouge_l", "self_bleu_2"))
    _, boots = frontier.paired(study, numbers, (QUALITY, DIVERSITY), study.runs)
    weights = np.concatenate(list(bootstrap_weights(6, RESAMPLES, 0)))
    for metric, boot in zip((QUALITY, DIVERSITY), boots):
        for run, drawn in zip(study.runs, boot):
            result = numbers.get(run, metric)
            assert result is not None
            assert np.allclose(drawn, metric.finish(weights @ result.totals), equal_nan=True)


def test_paths_go_by_temperature_and_decoder() -> None:
    def run(name: str, model: str, **of: float | str) -> Run:
        return Run(name, model, Settings(**of), {})  # type: ignore[arg-type]

    runs = [
        run("hot", "A", temperature=1.0),
        run("cold", "A", temperature=0.2),
        run("greedy", "A", decoder="greedy"),
        run("nucleus", "A", temperature=0.5, top_p=0.9),
        run("other", "B", temperature=0.7),
        run("bare", "B"),
        run("bare too", "B"),
    ]
    assert frontier.paths(runs) == ((1, 0), (2,), (3,), (4,), (5,), (6,))
    seeds = [run("s1", "A", temperature=1.0, decoder="sample"), run("top_p 1", "A", temperature=0.1, top_p=1.0)]
    assert frontier.paths([*runs, *seeds])[0] == (8, 1, 0, 7), "what samples from the whole distribution is one line"


def test_paths_are_the_lines_of_the_sweeps() -> None:
    study = random_study(items=4, references=3, candidates=3, runs=6)
    lines = sweeps_of(settings_of(study.runs))
    names = [tuple(study.runs[k].name for k in path) for path in frontier.paths(study.runs)]
    assert sorted(names) == sorted(tuple(name for stop in line.settings for name in stop.runs) for line in lines)


def test_models_are_compared_by_their_longest_path() -> None:
    """A decoder that only one model has tried does not affect the comparison."""
    study = random_study(items=8, references=4, candidates=4, runs=4)
    greedy = Run("greedy", "model 0", Settings(decoder="greedy"), study.runs[0].candidates)
    study = replace(study, runs=(*study.runs, greedy))
    view = frontier.frontier(study, numbers_of(study), QUALITY, DIVERSITY, study.runs)
    assert {one.model: one.runs for one in view.trades.models} == {"model 0": (0, 2), "model 1": (1, 3)}
    few = study.only([item.id for item in study.items[:5]])
    alone = frontier.frontier(few, numbers_of(few), QUALITY, DIVERSITY, few.runs).trades
    assert all(one.behind is None and one.smaller is None for one in alone.models), "too few items to resample"


def test_people_are_resampled_with_the_runs_where_they_have_the_same_items() -> None:
    study = random_study(items=12, references=4, candidates=4, runs=4)
    numbers = score_with_people(
        study, (QUALITY, DIVERSITY), lambda s, ms: scoring.score(s, list(ms), Options(p_values=False))
    )
    view = frontier.frontier(study, numbers, QUALITY, DIVERSITY, study.runs)
    assert not view.trades.fixed
    assert view.trades.people == view.diversity.human.value
    bare = frontier.frontier(study, numbers_of(study), QUALITY, DIVERSITY, study.runs)
    assert bare.trades.fixed
    assert np.isnan(bare.trades.people)


def test_the_curve_is_the_least_squares_parabola() -> None:
    x = np.array([0.9, 0.7, 0.4, 0.1, 0.05])
    y = np.array([0.3, 0.31, 0.2, 0.12, 0.1])
    found = frontier.fit(x, y)
    assert found is not None
    at, curve = found
    assert (at.min(), at.max()) == (x.min(), x.max())
    assert np.allclose(curve, np.polyval(np.polyfit(x, y, 2), at))
    assert frontier.fit(x[:3], y[:3]) is None
    assert frontier.fit(np.array([1.0, 1, 1, 2, 3]), y) is None, "three places are no four points"


def test_what_is_missing_has_its_reason_and_what_waits_is_not_compared() -> None:
    study = random_study(items=4, references=3, candidates=3, runs=3)
    lone = replace(study.runs[2], candidates={i: texts[:1] for i, texts in study.runs[2].candidates.items()})
    study = replace(study, runs=(*study.runs[:2], lone))
    numbers = numbers_of(study, ("rouge_l", "self_bleu_2", "ms_jaccard_2"))
    half = {key: result for key, result in numbers.results.items() if key != ("run 1", "ms_jaccard_2")}
    view = frontier.frontier(study, Numbers(half), QUALITY, DIVERSITY, study.runs, [METRICS["ms_jaccard_2"]])
    assert [run.name for run in view.runs] == ["run 0", "run 1"]
    assert view.missing == (("run 2", "Self-BLEU-2: needs 2 captions of the run, has 1"),)
    assert view.waiting == (METRICS["ms_jaccard_2"],)
    assert view.singles == ()
    empty = frontier.frontier(study, Numbers({}), QUALITY, DIVERSITY, study.runs, [METRICS["ms_jaccard_2"]])
    assert empty.runs == ()
    assert empty.missing[0] == ("run 0", "ROUGE-L: not computed yet")
    assert empty.order == []


def test_runs_with_values_of_other_items_are_named() -> None:
    study = random_study(items=5, references=3, candidates=3, runs=3)
    last = study.items[-1].id
    short = replace(study.runs[1], candidates={**study.runs[1].candidates, last: ()})
    study = replace(study, runs=(study.runs[0], short, study.runs[2]))
    length = METRICS["caption_length"]
    view = frontier.frontier(study, numbers_of(study, (QUALITY.name, length.name)), QUALITY, length, study.runs)
    assert view.other_items == ("run 1",)


def test_one_item_cannot_be_resampled() -> None:
    study = random_study(items=1, references=3, candidates=3, runs=2)
    view = frontier.frontier(study, numbers_of(study), QUALITY, DIVERSITY, study.runs, [METRICS["trm_bow"]])
    assert not view.resampled
    assert np.isnan(view.share).all()
    assert view.front.any()
    assert np.isnan(view.singles[0].low)


def test_the_sure_front_by_loops() -> None:
    """A run is surely on the front if it leads every other run on some axis, and surely off it if one leads it on
    both.
    """
    source = np.random.default_rng(3)
    q, d = np.array([3.0, 2.0, 1.0, 1.97, 2.0]), np.array([1.0, 2.0, 3.0, 1.97, 0.5])
    boots = [axis[:, None] + source.normal(scale=0.03, size=(5, 1000)) for axis in (q, d)]
    items, sets = np.full(5, 100), np.zeros(5, dtype=int)
    found = dominance.on_front_for_sure((q, boots[0], sets), (d, boots[1], sets), items)
    assert found.tolist() == [1, 0, 1, 0, -1], "1 and 3 are too near each other to tell"
    wide = [axis[:, None] + source.normal(scale=3, size=(5, 1000)) for axis in (q, d)]
    assert not dominance.on_front_for_sure((q, wide[0], sets), (d, wide[1], sets), items).any()
    unknown = boots[0].copy()
    unknown[0] = np.nan
    assert dominance.on_front_for_sure((q, unknown, sets), (d, boots[1], sets), items)[0] == 0


@pytest.mark.parametrize(("p", "sure"), [(0.04, 0), (0.02, 1)])
def test_the_front_is_corrected_for_its_two_axes(p: float, sure: int) -> None:
    boot = np.stack([np.tile([-1.0, 1.0], 500), np.zeros(1000)])
    quality = np.array([stats.t.isf(p / 2, 99) * np.sqrt(100 / 99), 0.0])
    sets = np.zeros(2, dtype=int)
    found = dominance.on_front_for_sure((quality, boot, sets), (np.zeros(2), boot, sets), np.full(2, 100))
    assert found.tolist() == [sure, 0]


def test_a_front_of_equals_is_sure_of_nobody() -> None:
    """If all runs are equal on both axes, any claim of certainty is wrong: at most 5 % of studies may make one."""
    source, wrong, studies, items = np.random.default_rng(4), 0, 300, 60
    sets = np.zeros(6, dtype=int)
    for _ in range(studies):
        draws = source.normal(size=(2, 6, items))
        weights = source.multinomial(items, [1 / items] * items, size=400) / items
        axes = [(rows.mean(axis=1), rows @ weights.T, sets) for rows in draws]
        wrong += dominance.on_front_for_sure(axes[0], axes[1], np.full(6, items)).any()
    assert wrong / studies <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / studies)
