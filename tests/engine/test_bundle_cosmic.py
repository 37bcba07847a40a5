"""Test that a bundle with COSMic's files reopens with the same numbers, or that a finding names the unusable file."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd
import pytest

from data.bundle import writing as format_of
from data.bundle.writing import FEATURES, NETWORK
from data.check import GivenFile, Loaded
from data.load import load_study
from metrics.analysis import bundle_cosmic
from metrics.analysis.bundle import checked, study_bundle
from metrics.analysis.coherence import asserted_labels
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.learned.cosmic_metric import Cosmic, with_given
from tests.command_line import trilens
from tests.engine.damage import damaged
from tests.learned.small import small_networks
from tests.learned.test_cosmic_metric import labelled, saved
from tests.ui.shown import markup, page

STUDY = labelled(8, rated=False)
OPTIONS = Options(p_values=False)
Given = bundle_cosmic.Given


@pytest.fixture(scope="module", autouse=True)
def short() -> Iterator[None]:
    with small_networks(epochs=2):
        yield


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Given:
    folder = tmp_path_factory.mktemp("network")
    saved(folder / "n.safetensors", Cache(folder / "cache"), images=5)
    features = io.BytesIO()
    rng = np.random.default_rng(0)
    np.savez(features, names=[item.image or "" for item in STUDY.items], features=rng.normal(size=(8, 5)))
    network = (folder / "n.safetensors").read_bytes()
    return GivenFile("ours.safetensors", network), GivenFile("ours.npz", features.getvalue())


def metric(given: Given, folder: Path) -> Cosmic:
    paths = [folder / "n.safetensors", folder / "f.npz"]
    for path, one in zip(paths, given):
        assert one is not None
        path.write_bytes(one.content)
    return with_given(Cosmic(), STUDY, *map(str, paths))


@pytest.fixture(scope="module")
def packed(given: Given, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    cache, made = Cache(None), metric(given, tmp_path_factory.mktemp("weights"))
    scoring.score(STUDY, list(asserted_labels.metrics(STUDY, made, "candidates").values()), OPTIONS, cache)
    return study_bundle(STUDY, cache, given=given)


def opened(content: bytes) -> Loaded:
    return checked(load_study([("b.zip", content)]))


def changed(content: bytes, members: dict[str, bytes], said: dict[str, object] | None = None) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            raw = members.get(name, old.read(name))
            if name == format_of.MARK and said is not None:
                raw = json.dumps({**json.loads(raw), "given": said}).encode()
            new.writestr(name, raw)
    return out.getvalue()


def findings(loaded: Loaded) -> str:
    return " ".join(one.problem for one in loaded.findings if one.code == "bundle_given")


def test_it_opens_elsewhere_with_the_network_and_all_its_numbers(packed: bytes, given: Given, tmp_path: Path) -> None:
    loaded = opened(packed)
    assert (loaded.network, loaded.images) == given
    assert not findings(loaded)
    assert len(loaded.numbers) == len(STUDY.runs) * 5, "as labelled, and under four labels"
    assert loaded.study is not None
    mine = metric((loaded.network, loaded.images), tmp_path)
    cache = Cache(None, given=loaded.numbers)
    for one in asserted_labels.metrics(loaded.study, mine, "candidates").values():
        for run in loaded.study.runs:
            assert scoring.stored(cache, one, run, loaded.study, OPTIONS) is not None
    again = study_bundle(loaded.study, cache, given=(loaded.network, loaded.images))
    assert again == packed


def test_the_page_of_an_opened_bundle_is_that_of_the_study(packed: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "score", lambda *given, **named: pytest.fail("nothing is computed"))
    at = page("coherence", opened(packed), scored_by="cosmic")
    assert not at.exception
    assert at.selectbox(key="scored_by_select").value == "cosmic"
    assert "ours.safetensors" in markup(at)
    assert "Under every label" in markup(at)


def test_scores_under_labels_are_read_where_nothing_may_be_scored(given: Given, tmp_path: Path) -> None:
    made, cache = metric(given, tmp_path), Cache(None)
    by = asserted_labels.metrics(STUDY, made, "candidates")
    assert asserted_labels.results(STUDY, made, by, cache, may_score=False) is None
    found = asserted_labels.results(STUDY, made, by, cache)
    assert found is not None
    again = asserted_labels.results(STUDY, made, by, cache, may_score=False)
    assert again is not None
    assert {key: one.corpus for key, one in again.items()} == {key: one.corpus for key, one in found.items()}


def test_commands_take_the_network_of_a_bundle(packed: bytes, given: Given, tmp_path: Path) -> None:
    """Commands also use the bundle's features, even if they recompute its numbers."""
    bundle, out = tmp_path / "b.zip", tmp_path / "o.csv"
    bundle.write_bytes(packed)
    expected = scoring.score(STUDY, [metric(given, tmp_path)], OPTIONS, Cache(None))
    for more in ([], ["--recompute"]):
        line = ["score", str(bundle), "--metrics", "cosmic", "--no-cache", "--out", str(out), *more]
        done = trilens(*line)
        assert "COSMic takes the network of the bundle, ours.safetensors" in " ".join(done.output.split())
        made = pd.read_csv(out).set_index("run").value
        assert made.to_dict() == pytest.approx({name: one.corpus for (name, _), one in expected.items()})
    trilens("coherence", bundle, "--metric", "cosmic", "--asserted", "candidates")


def test_damaged_and_forged_files_are_not_used(packed: bytes, given: Given) -> None:
    network, features = given
    assert network is not None
    assert features is not None
    source = Random(5)
    for member, one in ((NETWORK, network), (FEATURES, features)):
        for _ in range(3):
            broken = damaged(one.content, source)
            loaded = opened(changed(packed, {member: broken}))
            assert loaded.study is not None
            assert {NETWORK: loaded.network, FEATURES: loaded.images}[member] is None
            assert "it is not the one that was packed" in findings(loaded)
    for raw, said in ((b"no network", "not a network of COSMic"), (features.content, "not a network of COSMic")):
        with_digest = format_of.pack(STUDY, {}, b"", {}, None, {NETWORK: ("evil", raw)})
        loaded = opened(with_digest)
        assert loaded.network is None
        assert said in findings(loaded)
        assert "/tmp" not in findings(loaded)
    loaded = opened(format_of.pack(STUDY, {}, b"", {}, None, {FEATURES: ("evil", network.content)}))
    assert loaded.images is None
    for said in ([], {NETWORK: []}, {NETWORK: {"sha256": 3}}, None, {}):
        loaded = opened(changed(packed, {}, said))  # type: ignore[arg-type]
        assert loaded.study is not None
        assert loaded.network is None or said is None


def test_numbers_of_another_network_are_not_believed(packed: bytes, given: Given, tmp_path: Path) -> None:
    other = saved(tmp_path / "o.safetensors", Cache(tmp_path / "cache"), images=5, seed=3)
    content = Path(other.weights).read_bytes()
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        numbers = {n.removesuffix(".npz"): archive.read(n) for n in archive.namelist() if n.startswith("results/")}
    features = given[1]
    assert features is not None
    swapped = {NETWORK: ("o", content), FEATURES: (features.name, features.content)}
    loaded = opened(format_of.pack(STUDY, numbers, b"", {}, None, swapped))
    assert loaded.network is not None
    assert not loaded.numbers
    assert any(one.code == "bundle_unknown" for one in loaded.findings)


def test_what_is_too_large_or_given_twice_is_said(
    packed: bytes, given: Given, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = saved(tmp_path / "o.safetensors", Cache(tmp_path / "cache"), images=5, seed=3)
    twice = study_bundle(STUDY, Cache(None), given=(GivenFile("o", Path(other.weights).read_bytes()), given[1]))
    loaded = load_study([("a.zip", packed), ("b.zip", twice)])
    assert loaded.network is None
    assert "another bundle brought a different one" in findings(loaded)
    assert loaded.images == given[1]
    monkeypatch.setattr("data.bundle.reading.LARGEST_GIVEN", 1 << 10)
    assert "it is larger than 0 MB" in findings(opened(packed))
    monkeypatch.setattr(bundle_cosmic, "LARGEST_GIVEN", 1 << 4)
    assert not bundle_cosmic.members(given)


def test_commands_pack_it_again(packed: bytes, tmp_path: Path) -> None:
    source, out = tmp_path / "b.zip", tmp_path / "again.zip"
    source.write_bytes(packed)
    line = ["bundle", str(source), "--metrics", "rouge_l", "--out", str(out), "--cache-dir", str(tmp_path / "cache")]
    trilens(*line)
    before, after = opened(packed), opened(out.read_bytes())
    assert after.network == before.network
    assert set(before.numbers) <= set(after.numbers)
