"""Test the Caption cloud with embeddings from a file and from an encoder in a plug-in."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from data.study import ImportedVectors, Study
from figures.style.numbers import num
from metrics import registry
from metrics.analysis.cloud.captions import Projection, lay_out, layout, points
from metrics.cache.disk import Cache
from metrics.distances.embeddings import BertDistance
from metrics.extensions import plugins
from metrics.progress import Hooks
from tests.engine.test_plugins import CODED
from tests.studies import study as random_study
from tests.ui.shown import page
from tests.ui.test_cloud import prepared, said


def of_embeddings(study: Study, lacking: int = 0) -> Study:
    """Return the study with imported embeddings of all texts except, in alphabetical order, the first `lacking`."""
    texts = sorted({t for i in study.items for t in i.references} | {t for r in study.runs for of in
                    r.candidates.values() for t in of})  # fmt: skip
    rows = np.random.default_rng(0).normal(size=(len(texts), 8)).astype(np.float32)
    return replace(study, vectors=(ImportedVectors("clip", tuple(texts)[lacking:], rows[lacking:]),))


def test_embeddings_from_elsewhere_and_of_plugins_are_laid_out(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(CODED)
    plugin = plugins.load(tmp_path / "mine.py")
    study = of_embeddings(random_study(items=6, references=4, seed=3))
    own = registry.with_imported(registry.OWN, study).trms["clip (imported)"].space
    try:
        for label, space in (("clip (imported)", own), ("Letters", registry.DISTANCES["Letters"])):
            assert isinstance(space, BertDistance)
            projection = Projection("pca", centred=True, encoder=space.encoder)
            at = page("cloud", prepared(study, projection), encoder=label, method="pca")
            assert f"PCA of {label} embeddings for the whole study" in said(at)
            assert projection.signature in said(at)
            wanted = layout(points(study), projection, lay_out(study, projection, Cache(None), Hooks()))
            assert num(wanted.trust) in said(at)
    finally:
        plugins.unload(plugin)


def test_a_cloud_of_embeddings_that_lack_a_caption_says_so() -> None:
    study = of_embeddings(random_study(items=6, references=4, seed=4), lacking=2)
    at = page("cloud", study, encoder="clip (imported)", method="pca")
    for _ in range(100):
        shown = " ".join(one.value for one in (*at.error, *at.warning, *at.info)).replace("\\", "")
        if "has no vector for" in shown:
            break
        time.sleep(0.1)
        at.run()
    assert not at.exception
    assert re.search(r"clip .imported. has no vector for \d+ of 84 captions, and a cloud needs all", shown)
