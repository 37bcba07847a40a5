"""Test metrics of log-probabilities on the demo, whose source is known, and on studies without some
log-probabilities.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from data.demo import load
from data.study import Settings, Study
from figures.notes.hazards import carried_by, few_texts
from metrics.analysis.effective_samples import FEW, effective_samples
from metrics.analysis.feasibility import why_impossible
from metrics.analysis.human_line import human, human_requirements
from metrics.analysis.numbers import score_with_people
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.scoring import Results, result_key
from metrics.engine.tasks import Options
from metrics.registry import METRICS, resolve
from tests.studies import study as random_study

NAMES = ("nll", "entropy", "oracle_nll", "bhattacharyya")
FOUR = tuple(METRICS[name] for name in NAMES)


@pytest.fixture(scope="module")
def demo() -> Study:
    return load()


@pytest.fixture(scope="module")
def results(demo: Study) -> Results:
    return scoring.score(demo, FOUR, Options(resamples=200))


def test_the_oracle_itself_is_at_0(demo: Study, results: Results) -> None:
    assert results["Oracle T=1.0", "bhattacharyya"].corpus == 0.0
    others = [run.name for run in demo.runs if run.name != "Oracle T=1.0" and run.settings.decoder == "sample"]
    assert all(results[name, "bhattacharyya"].low > 0 for name in others)
    own, of_oracle = (results["Oracle T=1.0", name].corpus for name in ("entropy", "oracle_nll"))
    assert own == of_oracle


def test_hotter_samples_have_more_entropy_and_are_less_probable(results: Results) -> None:
    """This agrees with figure 1d of Montahaei et al."""
    for model in ("Oracle", "Peaked", "Loose"):
        for name in ("entropy", "oracle_nll"):
            path = [results[f"{model} T={heat}", name].corpus for heat in (0.3, 0.5, 0.7, 1.0, 1.3, 1.6)]
            assert path == sorted(path)


def test_no_run_explains_the_references_better_than_their_source(demo: Study, results: Results) -> None:
    """The source explains them best on average, though by chance an oracle at a slightly different temperature
    could.
    """
    best = results["Oracle T=1.0", "nll"].corpus
    known = [results[run.name, "nll"].corpus for run in demo.runs]
    assert np.nanmin(known) == best


def test_mean_weights_of_references_are_1(demo: Study) -> None:
    """For x drawn from q, the mean of p(x) / q(x) is 1 if q covers p and both come from the same source of numbers."""
    for name in ("Oracle T=0.7", "Oracle T=1.3", "Loose T=1.0"):
        run = demo.run(name)
        assert run.reference_logprobs is not None
        ratios = [
            math.exp(p - q)
            for item in demo.items
            for p, q in zip(run.reference_logprobs[item.id], item.oracle_logprobs or (), strict=True)
        ]
        error = np.std(ratios) / math.sqrt(len(ratios))
        assert np.mean(ratios) == pytest.approx(1, abs=4 * error), name
        assert error < 0.25


def test_searched_captions_are_no_sample(results: Results) -> None:
    for decoder in ("greedy", "beam"):
        for name in ("entropy", "bhattacharyya"):
            why = results[f"Oracle {decoder}", name].why()
            assert why == f"its captions were found by {decoder} decoding, so they are not a sample of a distribution"
        assert results[f"Oracle {decoder}", "oracle_nll"].corpus < results["Oracle T=1.0", "oracle_nll"].corpus


def test_a_cut_nucleus_has_no_nll_but_a_distance(results: Results) -> None:
    cut = results["Oracle top_p=0.8", "nll"]
    assert cut.why() == "infinite: the run gives 387 of 480 captions by people probability 0"
    assert cut.n == 0
    assert 0 < results["Oracle top_p=0.8", "bhattacharyya"].corpus < 2


def test_the_lines_of_people_are_those_of_the_oracle(demo: Study) -> None:
    numbers = score_with_people(demo, FOUR, lambda study, metrics: scoring.score(study, metrics, Options(resamples=99)))
    truth = -np.mean([item.oracle_logprobs for item in demo.items])
    lines = {name: numbers.human(demo, METRICS[name]) for name in NAMES}
    assert lines["bhattacharyya"].value == 0.0
    for name in ("nll", "entropy", "oracle_nll"):
        assert lines[name].value == pytest.approx(truth, abs=1e-9)
        assert lines[name].about == "the oracle itself: people's captions under their own source"
    assert lines["entropy"].low < truth < lines["entropy"].high


def test_without_a_source_there_is_no_line(demo: Study) -> None:
    unknown = replace(demo, items=tuple(replace(item, oracle_logprobs=None) for item in demo.items))
    assert human_requirements(unknown, FOUR).study is None
    assert human(unknown, METRICS["entropy"], {}, None, None).reason == (
        "the files do not state oracle_logprobs of references (docs/formats.md)"
    )


def test_what_is_not_stated_is_named() -> None:
    study = random_study(items=6, references=3, candidates=3, runs=2)
    for metric in FOUR:
        lacking = ", ".join(sorted(metric.needs))
        assert why_impossible(study, metric) == f"the files do not state {lacking} (docs/formats.md)"
        result = scoring.score(study, [metric], Options(resamples=9))["run 0", metric.name]
        assert result.why().startswith("the files do not state")
    names = [metric.name for metric in resolve(["fast"], study=study)]
    assert not set(names) & set(NAMES)
    assert [metric.name for metric in resolve(["nll"], study=study)] == ["nll"]


def test_one_list_is_enough_for_its_own_metric(demo: Study) -> None:
    bare = replace(demo, runs=tuple(replace(r, oracle_logprobs=None, reference_logprobs=None) for r in demo.runs))
    assert {metric.name for metric in FOUR if why_impossible(bare, metric) is None} == {"entropy"}
    assert {m.name for m in resolve(["fast"], study=bare)} & set(NAMES) == {"entropy"}


def test_log_probabilities_are_part_of_the_keys_of_these_metrics_alone(demo: Study) -> None:
    run = demo.runs[0]
    assert run.reference_logprobs is not None
    first = demo.items[0].id
    changed = {**run.reference_logprobs, first: (-1.0, *run.reference_logprobs[first][1:])}
    other = replace(demo, runs=(replace(run, reference_logprobs=changed), *demo.runs[1:]))
    hot = replace(run, settings=Settings(decoder="beam"))
    searched = replace(demo, runs=(hot, *demo.runs[1:]))
    for metric in (*FOUR, METRICS["bleu_4"], METRICS["trm_bow"]):
        keys = {result_key(metric, study.runs[0], study, Options()) for study in (demo, other, searched)}
        assert len(keys) == (3 if metric in FOUR else 1)


def test_a_changed_number_is_not_read_from_the_cache(demo: Study, tmp_path: Path) -> None:
    small = demo.only(items=[item.id for item in demo.items[:8]], runs=["Oracle T=0.7"])
    (run,) = small.runs
    cache = Cache(tmp_path)
    before = scoring.score(small, FOUR, Options(resamples=50), cache)
    assert run.reference_logprobs is not None
    lower = {id: tuple(value - 1 for value in values) for id, values in run.reference_logprobs.items()}
    after = scoring.score(
        replace(small, runs=(replace(run, reference_logprobs=lower),)), FOUR, Options(resamples=50), cache
    )
    moved = {name: after[run.name, name].corpus - before[run.name, name].corpus for name in NAMES}
    assert moved == pytest.approx({"nll": 1, "entropy": 0, "oracle_nll": 0, "bhattacharyya": 0.25}, abs=1e-9)


def test_items_count_alike_in_an_effective_sample_whatever_their_captions(demo: Study) -> None:
    (run,) = demo.only(runs=["Loose T=1.6"]).runs
    sizes = {item.id: 1 + k % 10 for k, item in enumerate(demo.items)}
    assert run.logprobs is not None
    assert run.oracle_logprobs is not None
    captions, own, oracle = (
        {id: of[id][:n] for id, n in sizes.items()} for of in (run.candidates, run.logprobs, run.oracle_logprobs)
    )
    fewer = replace(run, candidates=captions, logprobs=own, oracle_logprobs=oracle)
    found = effective_samples(replace(demo, runs=(fewer,)))[run.name]
    weights = [math.exp((q - p) / 2) / n for id, n in sizes.items() for p, q in zip(own[id], oracle[id])]
    assert (found.side, found.texts) == ("candidates", sum(sizes.values()))
    assert found.size == pytest.approx(sum(weights) ** 2 / sum(weight**2 for weight in weights))


def test_a_distance_that_few_texts_carry_is_said(demo: Study) -> None:
    samples = effective_samples(demo)
    assert samples["Oracle T=1.0"].size == pytest.approx(480)
    assert samples["Peaked T=0.3"].size < 30
    assert "Oracle beam" not in samples
    few = [run for run in demo.runs if run.name in samples and samples[run.name].size < FEW]
    (said,) = few_texts(demo, FOUR, demo.runs)
    assert said.startswith("Bhattacharyya of ")
    least = min(samples.values(), key=lambda one: one.size)
    assert f"the smallest effective sample is {least.size:.0f} of 480 {least.side}, below 100." in said
    tip = carried_by(demo, METRICS["bhattacharyya"], "Peaked T=0.3")
    assert tip.startswith(f"an effective sample of {samples['Peaked T=0.3'].size:.0f} of 480 ")
    assert carried_by(demo, METRICS["bhattacharyya"], "Oracle T=1.0") == ""
    assert carried_by(demo, METRICS["nll"], "Peaked T=0.3") == ""
    assert few_texts(demo, FOUR, [demo.run("Oracle T=1.0")]) == []
    assert few_texts(demo, FOUR[:3], demo.runs) == []
    assert len(few) < len(demo.runs) / 2
