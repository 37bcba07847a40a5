"""Test embeddings of a caption cloud: scoring uses the cloud's, and vice versa; a layout that was stopped keeps
them.
"""

from __future__ import annotations

import numpy as np
import pytest

from metrics.analysis.cloud import captions as cloud_captions
from metrics.analysis.cloud.captions import Projection, lay_out
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.progress import Cancelled, Hooks
from metrics.registry import METRICS
from tests import studies
from tests.analysis.test_cloud import embedded  # noqa: F401


def texts_encoded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which every text that is encoded from then on is added."""
    asked: list[str] = []
    encode = cloud_captions.Encoder.encode

    def counted(self: cloud_captions.Encoder, texts: list[str], **more: object) -> np.ndarray:
        asked.extend(texts)
        return encode(self, texts)

    monkeypatch.setattr(cloud_captions.Encoder, "encode", counted)
    return asked


@pytest.mark.usefixtures("embedded")
def test_what_scoring_has_embedded_is_not_embedded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    study, cache = studies.study(items=12, references=3, candidates=3, runs=3), Cache(None)
    alone = lay_out(study, Projection("pca"), Cache(None), Hooks())
    scoring.score(study.only(runs=["run 0", "run 2"]), [METRICS["bert"]], Options(p_values=False), cache)
    asked = texts_encoded(monkeypatch)
    found = lay_out(study, Projection("pca"), cache, Hooks())
    people = {text for item in study.items for text in item.references}
    said = [{text for texts in run.candidates.values() for text in texts} for run in study.runs]
    assert sorted(asked) == sorted(said[1] - said[0] - said[2] - people)
    for name, array in alone.items():
        np.testing.assert_array_equal(found[name], array)
    asked.clear()
    lay_out(study, Projection("pca", centred=True), cache, Hooks())
    assert asked == []


@pytest.mark.usefixtures("embedded")
def test_what_the_cloud_has_embedded_is_not_embedded_again_by_scoring(monkeypatch: pytest.MonkeyPatch) -> None:
    study, cache = studies.study(items=12, references=3, candidates=3, runs=2), Cache(None)
    alone = scoring.score(study, [METRICS["bert"]], Options(p_values=False), Cache(None))
    lay_out(study, Projection("pca"), cache, Hooks())
    asked = texts_encoded(monkeypatch)
    found = scoring.score(study, [METRICS["bert"]], Options(p_values=False), cache)
    assert asked == []
    for key, result in alone.items():
        assert found[key].corpus == result.corpus


@pytest.mark.usefixtures("embedded")
def test_a_layout_that_was_stopped_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cloud_captions, "PART", 30)
    study, cache = studies.study(items=12, references=3, candidates=3, runs=3), Cache(None)
    whole = lay_out(study, Projection("pca"), Cache(None), Hooks())
    asked: list[str] = []
    stops = [False, False, True]
    encode = cloud_captions.Encoder.encode

    def counted(self: cloud_captions.Encoder, texts: list[str], **more: object) -> np.ndarray:
        if stops and stops.pop(0):
            raise Cancelled
        asked.extend(texts)
        return encode(self, texts)

    monkeypatch.setattr(cloud_captions.Encoder, "encode", counted)
    with pytest.raises(Cancelled):
        lay_out(study, Projection("pca"), cache, Hooks())
    before = set(asked)
    asked.clear()
    shares: list[float] = []
    found = lay_out(study, Projection("pca"), cache, Hooks(share=shares.append))
    texts = {text for run in study.runs for said in run.candidates.values() for text in said}
    texts |= {text for item in study.items for text in item.references}
    assert len(before) == 60
    assert set(asked) == texts - before
    assert shares == sorted(shares)
    for name, array in whole.items():
        np.testing.assert_array_equal(found[name], array)


@pytest.mark.usefixtures("embedded")
def test_a_layout_stops_when_nobody_wants_it() -> None:
    with pytest.raises(Cancelled):
        lay_out(studies.study(), Projection("pca"), Cache(None), Hooks(should_stop=lambda: True))
