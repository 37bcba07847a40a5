"""Test Self-CIDEr as scored by the engine against its definition."""

from __future__ import annotations

import math

import numpy as np
import pytest

from metrics.engine import scoring
from metrics.engine.workers import Workers
from metrics.registry import resolve
from metrics.text.cider import DocumentFrequencies, cider_d_pairs
from tests.studies import study as random_study


def test_self_cider_is_the_spectrum_of_the_kernel_scaled_to_one():
    study = random_study(items=5, candidates=6, runs=1)
    found = scoring.score(study, resolve(["self_cider"], "whitespace"), workers=Workers(jobs=1))["run 0", "self_cider"]
    frequencies = DocumentFrequencies.fit([[text.split() for text in item.references] for item in study.items])
    for item, value in zip(study.items, found.items):
        texts = [text.split() for text in study.runs[0].candidates[item.id]]
        kernel = cider_d_pairs(texts, frequencies) / 10
        for i, one in enumerate(texts):
            for j, other in enumerate(texts):
                kernel[i, j] = 1.0 if one == other else kernel[i, j]
        roots = np.sqrt(np.clip(np.linalg.eigvalsh((kernel + kernel.T) / 2), 0, None))
        assert value == pytest.approx(-math.log(roots.max() / roots.sum()) / math.log(6), abs=1e-6)
