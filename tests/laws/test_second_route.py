"""Test that every class of metric has a slow version that agrees with the engine on random captions with ties."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from data.study import Captions, Item, Run, Settings, Study
from metrics.base import Metric
from metrics.distances.bertscore import BertScoreDistance
from metrics.distances.embeddings import BertDistance
from metrics.distances.rouge_score import RougeLsumDistance, RougeNDistance
from metrics.distances.words import BowDistance, RougeLDistance
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import with_parameters
from metrics.suite.consensus import SAMPLE
from metrics.suite.corpus_embeddings import CorpusFrechet
from metrics.suite.distribution import Frechet, Mmd, MsJaccard, Trm
from metrics.suite.diversity import Distinct
from metrics.suite.quality import BertScore, Bleu, CiderD
from metrics.suite.rouge import RougeLsum, RougeN
from tests.second_route.registry import EVERY, SLOW
from tests.studies import captions

OTHERS: dict[str, Metric] = {
    "trm_rouge_l with ties as in the paper": Trm(RougeLDistance(), ties="paper"),
    "biased mmd": Mmd(BowDistance(), biased=True, bandwidth=1.5),
    "mmd with words of the references": Mmd(BowDistance(vocabulary="study")),
    "root frechet": Frechet(BertDistance(), squared=False),
    "squared corpus frechet": CorpusFrechet(squared=True),
    "bleu of words apart": Bleu(3, tokenizer="whitespace"),
    "ms_jaccard of words apart": MsJaccard(3, tokenizer="whitespace"),
    "bertscore precision by frequencies": BertScore(BertScoreDistance(part="precision", weight="idf", layer=2)),
    "bertscore recall rescaled": BertScore(BertScoreDistance(part="recall", rescaled=True)),
    "distinct_2 over words": Distinct(n=2, over="words"),
    "rouge_3 of stems": RougeN(RougeNDistance(n=3, stemmer=True)),
    "rouge_lsum of stems": RougeLsum(RougeLsumDistance(stemmer=True)),
    "cider_d of pooled frequencies": with_parameters(CiderD(), {"idf": "pooled"}),
}
CASES = EVERY | OTHERS


def study_with_ties(metric: Metric, seed: int) -> Study:
    """Make random captions of few words, some of which are equal within a side or across sides.

    Set sizes differ if the metric allows it.
    """
    source = random.Random(seed)
    slow_work = metric.work != "words"
    count = 13 if slow_work and not metric.of_items else 3
    items, said = [], {}
    for k in range(count):
        references, own = list(captions(source, 4)), list(captions(source, 4))
        own[1], own[2] = own[0], references[0]
        references[2] = references[1] if k == 1 else references[2]
        items.append(Item(str(k), tuple(references[: SAMPLE if count > 3 else 3 + k % 2])))
        said[str(k)] = tuple(own if count > 3 else own[: 3 + (k + 1) % 2])
    if count > 3:
        items = [replace(item, references=captions(source, 4)) for item in items]
    found = Study("random captions", tuple(items), (Run("run", "model", Settings(), said),))
    return with_random_logprobs(found, source) if metric.learns == "logprobs" else found


def with_random_logprobs(study: Study, source: random.Random) -> Study:
    def draw(texts: Captions) -> tuple[float, ...]:
        return tuple(-source.expovariate(0.1) for _ in texts)

    (run,) = study.runs
    own, oracle = ({id: draw(texts) for id, texts in run.candidates.items()} for _ in range(2))
    people = {item.id: draw(item.references) for item in study.items}
    items = tuple(replace(item, oracle_logprobs=draw(item.references)) for item in study.items)
    stated = replace(run, logprobs=own, oracle_logprobs=oracle, reference_logprobs=people)
    return replace(study, items=items, runs=(stated,))


def differences(metric: Metric, seed: int) -> list[str]:
    study = study_with_ties(metric, seed)
    slow_items, slow_corpus = SLOW[type(metric)](metric, study, study.runs[0])
    ((_, found),) = scoring.score(study, [metric], Options(resamples=10)).items()
    # Texts are encoded in other batches, and roots of vanishing eigenvalues are good to half of the digits.
    slack = 1e-4 if metric.work == "encoder" else 1e-7 if metric.name == "self_cider" else 1e-9
    pairs = {"run": (found.corpus, slow_corpus)} | {
        f"item {k}": pair for k, pair in enumerate(zip(found.items, slow_items, strict=True)) if metric.of_items
    }
    return [
        f"{where}: {fast!r}, but slowly {slowly!r}"
        for where, (fast, slowly) in pairs.items()
        if not np.isclose(fast, slowly, rtol=slack, atol=slack)
    ]


def test_every_class_has_a_slow_version() -> None:
    missing = {type(metric).__name__ for metric in EVERY.values()} - {cls.__name__ for cls in SLOW}
    assert not missing, f"write slow versions in tests/second_route/registry.py for {missing}"


# Embeddings and METEOR one caption at a time are slow: one study will do.
@pytest.mark.parametrize(
    ("name", "seed"), [(name, seed) for name in CASES for seed in ((0, 1, 2) if CASES[name].work == "words" else (0,))]
)
def test_the_engine_says_what_the_slow_version_says(name: str, seed: int) -> None:
    assert differences(CASES[name], seed) == []
