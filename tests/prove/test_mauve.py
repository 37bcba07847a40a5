"""Measure MAUVE under relabelling within images: its level if people wrote both sides, and its power against damage."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from data.load import load_study
from metrics.cache.disk import Cache, text_vectors
from metrics.chunk import Chunk
from metrics.suite.corpus_embeddings import Mauve
from tests.levels import ALPHA, Written, by_grammar, most
from tests.prove.conftest import Proof
from tests.prove.test_joint import HARMS, Harm, made


def rejected(written: Written, harm: Harm, items: int, repeats: int, kept: Cache) -> tuple[float, float]:
    """Return the share of studies with this harm in which MAUVE finds a difference at 5 %, and the mean MAUVE."""
    rng, metric, found = np.random.default_rng(13), Mauve(), []
    for seed in range(repeats):
        study = made(written, harm, items, rng)
        test = metric.test_run(Chunk.of(study.items, study.runs[0], kept), seed=seed, draws=999)
        found.append((test.p_value <= ALPHA, test.statistic))
    share, value = np.mean(found, axis=0).tolist()
    return share, value


@pytest.mark.prove
@pytest.mark.parametrize("source", ["grammar", "people"])
@pytest.mark.parametrize("items", [40, 200])
def test_level_and_power_of_mauve(proof: Proof, realdata: Path, source: str, items: int) -> None:
    written: Written = by_grammar()
    if source == "people":
        study = load_study([], references=[realdata / "abstract48s_500.jsonl"]).study
        assert study is not None
        written = [item.references[:24] for item in study.items[:200]]
    kept = Cache(None).with_text_vectors(text_vectors())
    for name, harm in HARMS.items():
        repeats = (300 if items == 40 else 100) if name == "none" else 40
        share, value = rejected(written, harm, items, repeats, kept)
        proof.row(
            "MAUVE, relabelled within images: share of studies distinguished from people at 5 %",
            harm=name,
            source=source,
            design=f"{items} images, {'10' if name.startswith('two') else '5'} v 5",
            rejected=share,
            mean_value=value,
            repeats=repeats,
        )
        assert name != "none" or share <= most(repeats)
        assert name != "one caption for all" or share >= 0.8
