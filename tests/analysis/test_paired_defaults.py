"""Test the default runs and metrics of a paired comparison."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from metrics.analysis import numbers as analysis_numbers
from metrics.analysis import paired_defaults, run_differences
from metrics.analysis.defaults import first_to_rank
from metrics.analysis.paired import family
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.permutation.pvalues import holm
from metrics.registry import METRICS
from tests.studies import study as random_study

ROUGE, TRM, DISTINCT, BLEU = (METRICS[name] for name in ("rouge_l", "trm_bow", "distinct_1", "bleu_1"))


def test_the_leader_against_the_best_of_another_model_by_the_same_metric() -> None:
    study = random_study(items=6, runs=4, seed=2)  # models 0, 1, 0, 1
    results = scoring.score(study, [ROUGE, TRM], Options(), Cache(None))
    numbers = analysis_numbers.Numbers(results)
    by_trm = sorted(study.runs, key=lambda run: results[run.name, "trm_bow"].corpus)
    assert paired_defaults.best_first(study, numbers, TRM) == [run.name for run in by_trm]
    other = [run for run in study.runs if run.model != by_trm[0].model]
    best = min(other, key=lambda run: results[run.name, "trm_bow"].corpus)
    assert paired_defaults.rival(study, numbers, TRM, by_trm[0]) == best.name
    alone = replace(study, runs=tuple(run for run in study.runs if run.model == by_trm[0].model))
    assert paired_defaults.rival(alone, numbers, TRM, alone.runs[0]) == alone.runs[1].name


def test_the_rival_has_items_to_show_by_the_main_metric() -> None:
    study = random_study(items=6, runs=4, seed=2)
    best = {name: captions[:1] for name, captions in study.runs[3].candidates.items()}
    study = replace(study, runs=(*study.runs[:3], replace(study.runs[3], candidates=best)))
    numbers = analysis_numbers.Numbers(scoring.score(study, [ROUGE, TRM], Options(), Cache(None)))
    assert paired_defaults.rival(study, numbers, TRM, study.runs[0]) == study.runs[1].name
    only = replace(study, runs=(study.runs[0], study.runs[3]))
    assert paired_defaults.rival(only, numbers, TRM, study.runs[0]) == study.runs[3].name


def test_the_metric_that_ranks_comes_first() -> None:
    study = random_study(items=3)
    for metrics, first in (((DISTINCT, TRM, ROUGE), TRM), ((DISTINCT,), DISTINCT), ((), None)):
        assert paired_defaults.main_metric(study, metrics) == first
        assert first == DISTINCT or first_to_rank(study, metrics) == first
    assert paired_defaults.others((DISTINCT, TRM, ROUGE), TRM) == (ROUGE,)
    assert paired_defaults.others((DISTINCT, TRM), DISTINCT) == (TRM,)


def test_the_second_metric_is_the_one_that_most_often_says_otherwise() -> None:
    study = random_study(items=12, seed=6)
    metrics = (TRM, ROUGE, BLEU)
    numbers = analysis_numbers.Numbers(scoring.score(study, metrics, Options(), Cache(None)))
    a, b = study.runs
    found = paired_defaults.most_opposed(study, numbers, metrics, TRM, a, b)

    def apart(metric) -> int:
        gaps = {m: numbers.get(a, m).items - numbers.get(b, m).items for m in (TRM, metric)}
        return sum(x * y > 0 for x, y in zip(gaps[TRM], gaps[metric]))  # lower is better for TRM, higher for the other

    assert found == max((ROUGE, BLEU), key=apart)
    assert paired_defaults.most_opposed(study, numbers, metrics, TRM, a, a) == ROUGE
    assert paired_defaults.most_opposed(study, numbers, (TRM,), TRM, a, b) is None


def test_seeds_of_a_setting_stand_together_by_their_mean_and_are_no_rivals() -> None:
    study = random_study(items=12, runs=4, seed=2)
    results = scoring.score(study, [ROUGE], Options(), Cache(None))
    numbers = analysis_numbers.Numbers(results)
    value = {run.name: results[run.name, "rouge_l"].corpus for run in study.runs}
    best, second, third, worst = sorted(value, key=lambda name: -value[name])
    apart = {best: "wide", worst: "wide"}
    seeded = replace(study, runs=tuple(replace(r, model="m", setting=apart.get(r.name, "")) for r in study.runs))
    found = paired_defaults.best_first(seeded, numbers, ROUGE)
    means = {best: (value[best] + value[worst]) / 2, second: value[second], third: value[third]}
    assert [name for name in found if name != worst] == sorted(means, key=lambda name: -means[name])
    assert abs(found.index(best) - found.index(worst)) == 1
    assert paired_defaults.rivals(seeded, seeded.run(best), found) == [second, third]
    alone = replace(seeded, runs=tuple(run for run in seeded.runs if run.setting))
    assert paired_defaults.rivals(alone, alone.run(best), [best, worst]) == [worst]


def test_two_settings_are_the_leader_and_its_runner_up_by_their_means() -> None:
    study = random_study(items=12, runs=6, seed=2)
    results = scoring.score(study, [ROUGE], Options(), Cache(None))
    numbers = analysis_numbers.Numbers(results)
    value = {run.name: results[run.name, "rouge_l"].corpus for run in study.runs}
    named = {name: f"setting {k // 2}" for k, name in enumerate(sorted(value, key=lambda name: value[name]))}
    seeded = replace(study, runs=tuple(replace(r, model="m", setting=named[r.name]) for r in study.runs))
    assert paired_defaults.pair_of_settings(seeded, numbers, ROUGE) == ("setting 2", "setting 1")
    alone = replace(seeded, runs=tuple(run for run in seeded.runs if run.setting == "setting 0"))
    assert paired_defaults.pair_of_settings(alone, numbers, ROUGE) == ("setting 0", "setting 0")
    single = {max(names, key=value.__getitem__) for names in (list(named)[2:4], list(named)[4:])}
    few = replace(seeded, runs=tuple(run for run in seeded.runs if run.setting == "setting 0" or run.name in single))
    found = paired_defaults.pair_of_settings(few, numbers, ROUGE)
    assert "setting 0" in found, "single runs have no distance between seeds"
    assert len(set(found)) == 2


def test_both_tabs_open_on_one_pair_of_settings() -> None:
    study = random_study(items=12, runs=6, seed=2)
    numbers = analysis_numbers.Numbers(scoring.score(study, [ROUGE], Options(), Cache(None)))
    order = paired_defaults.best_first(study, numbers, ROUGE)
    named = {name: f"setting {k // 2}" for k, name in enumerate(order[::-1])}
    for alone in ((), order[:2]):
        of = {name: "" if name in alone else setting for name, setting in named.items()}
        runs = tuple(
            replace(run, model=run.name if run.name in alone else "m", setting=of[run.name]) for run in study.runs
        )
        some = replace(study, runs=runs)
        first = some.run(paired_defaults.best_first(some, numbers, ROUGE)[0])
        pair = first.name, paired_defaults.rival(some, numbers, ROUGE, first)
        settings = paired_defaults.pair_of_settings(some, numbers, ROUGE)
        assert [of[name] or name for name in pair] == list(settings)


def test_a_pair_with_the_leader_is_judged_with_all_pairs_whoever_picked_it() -> None:
    study = random_study(items=20, runs=5, seed=4)
    numbers = analysis_numbers.Numbers(scoring.score(study, [ROUGE, TRM], Options(), Cache(None)))
    first, second, third = (study.run(name) for name in paired_defaults.best_first(study, numbers, ROUGE)[:3])
    place = {run.name: k for k, run in enumerate(study.runs)}
    for pair in ((first, second), (third, first)):
        found = paired_defaults.pair(study, numbers, pair, (ROUGE, TRM), (ROUGE,))
        assert found.over_all_pairs
        every = [numbers.pairs(study, metric, study.runs) for metric in (ROUGE, TRM)]
        at = place[pair[0].name], place[pair[1].name]
        assert found.adjusted == pytest.approx(holm([of.p[at] for of in every])), "all pairs, then the metrics"
        assert [c.low for c in found.comparisons] == pytest.approx([of.low[at] for of in every])
    for runs, pair in ((study.runs, (second, third)), ((first, second), (first, second))):
        plain = family(study, numbers, [(*pair, metric) for metric in (ROUGE, TRM)])
        found = paired_defaults.pair(replace(study, runs=runs), numbers, pair, (ROUGE, TRM), (ROUGE,))
        assert not found.over_all_pairs
        assert found.adjusted == pytest.approx(plain.adjusted)


def test_images_are_by_a_metric_that_the_verdict_names() -> None:
    study = random_study(items=12, seed=6)
    metrics = (TRM, ROUGE, BLEU, DISTINCT)
    numbers = analysis_numbers.Numbers(scoring.score(study, metrics, Options(), Cache(None)))
    found = family(study, numbers, [(*study.runs, metric) for metric in metrics])
    ties = {c.metric: c.counts[1] for c in found.comparisons}
    best = min((ROUGE, BLEU), key=lambda metric: ties[metric])
    for p, expected in (
        ([0.2, 0.01, 0.01, 0.01], best),
        ([0.2, 0.2, 0.01, 0.01], BLEU),
        ([0.01, 0.01, 0.2, 0.2], TRM),
        ([0.2, 0.2, 0.2, 0.01], TRM),
    ):
        assert paired_defaults.telling(replace(found, adjusted=np.array(p)), TRM) == expected


def test_pairs_are_tested_once_for_all_redraws_and_anew_for_new_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    study = random_study(items=12, runs=4, seed=8)
    results = scoring.score(study, [ROUGE], Options(), Cache(None))
    tested: list[int] = []
    whole = run_differences.all_pairs
    monkeypatch.setattr(run_differences, "all_pairs", lambda *given: (tested.append(1), whole(*given))[1])
    first, again = (analysis_numbers.Numbers(dict(results)).pairs(study, ROUGE, study.runs) for _ in range(2))
    assert first is again
    assert len(tested) == 1
    fewer = {key: result for key, result in results.items() if key[0] != study.runs[0].name}
    found = analysis_numbers.Numbers(fewer).pairs(study, ROUGE, study.runs)
    assert len(tested) == 2
    assert np.isnan(found.p[0]).all()
    turned = analysis_numbers.Numbers(results).pairs(study, ROUGE, study.runs[::-1])
    assert turned.value == pytest.approx(first.value[::-1, ::-1], nan_ok=True)
