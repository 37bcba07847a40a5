"""Test that the engine's numbers equal those of COCO's evaluation on real files, if these exist."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from pycocoevalcap.bleu.bleu_scorer import BleuScorer
from pycocoevalcap.cider.cider_scorer import CiderScorer
from pycocoevalcap.rouge.rouge import Rouge

from data.load import load_study
from data.study import Run, Study
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import resolve
from metrics.text.tokens import tokenize

FILES = ("thumb_coco_500.jsonl", "GENERATED_coco_ngram_tempsweep_200.jsonl")
"""A file with one caption per image, and one with several; `tests/text/test_meteor.py` compares METEOR."""
NGRAM = ("bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l", "cider_d")


VALUES = Options(p_values=False)


@cache
def opened(path: Path) -> Study:
    study = load_study([path]).study
    assert study is not None
    return study


def flat(study: Study, run: Run) -> tuple[list[str], list[list[str]]]:
    hypotheses = [text for item in study.items for text in run.candidates[item.id]]
    references = [[" ".join(t) for t in tokenize(i.references)] for i in study.items for _ in run.candidates[i.id]]
    return [" ".join(tokens) for tokens in tokenize(hypotheses)], references


def others(hypotheses: list[str], references: list[list[str]], per_item: int) -> dict[str, float]:
    """Return corpus values by the scorers of pycocoevalcap, by metric.

    CIDEr-D is the mean over `per_item` scorers with one candidate per item each, since a scorer counts all references
    that it is given.
    """
    bleu = BleuScorer(n=4)
    ciders = [CiderScorer(n=4, sigma=6.0) for _ in range(per_item)]
    for k, (hypothesis, own) in enumerate(zip(hypotheses, references, strict=True)):
        bleu += (hypothesis, own)
        ciders[k % per_item] += (hypothesis, own)
    rouge = np.mean([Rouge().calc_score([h], own) for h, own in zip(hypotheses, references, strict=True)])
    found = dict(zip(("bleu_1", "bleu_2", "bleu_3", "bleu_4"), bleu.compute_score(option="closest", verbose=0)[0]))
    return found | {"rouge_l": float(rouge), "cider_d": float(np.mean([c.compute_score()[0] for c in ciders]))}


@pytest.mark.parametrize("name", FILES)
def test_ngram_scores_equal_pycocoevalcap(realdata: Path, name: str) -> None:
    study = opened(realdata / name)
    study = study.only(items=[item.id for item in study.items[:80]], runs=[run.name for run in study.runs[:2]])
    results = scoring.score(study, resolve(NGRAM), VALUES, Cache(None))
    for run in study.runs:
        counts = {len(run.candidates[item.id]) for item in study.items}
        assert len(counts) == 1, "the comparison takes runs of equally many candidates an item"
        expected = others(*flat(study, run), counts.pop())
        assert {n: results[run.name, n].corpus for n in expected} == pytest.approx(expected, abs=1e-9), run.name
