"""Test COSMic's network in the app: from a file, from a refused file, and trained on ratings by a job."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from cli.app import app
from data.check import GivenFile
from data.convert import to_jsonl_bytes
from data.load import Loaded
from data.study import DataError
from figures.coherence import network as words
from metrics.analysis.coherence import cosmic_training
from metrics.analysis.coherence.cosmic_training import Agreement, of_arrays, trained, training
from metrics.cache.disk import Cache
from metrics.engine.scoring import score
from metrics.learned import cosmic, cosmic_file
from metrics.learned.cosmic_metric import Cosmic
from metrics.progress import Cancelled, Hooks
from tests.engine.test_damage import other_shapes
from tests.learned.test_cosmic_metric import labelled, saved
from tests.ui.shown import markup, page
from ui.jobs import jobs
from ui.session import state
from ui.views import coherence_network

STUDY = labelled(12, rated=False)
RATINGS = to_jsonl_bytes(labelled(60))


@pytest.fixture(scope="module", autouse=True)
def short() -> Iterator[None]:
    before, cosmic.RECIPE = cosmic.RECIPE, replace(cosmic.RECIPE, epochs=1)
    yield
    cosmic.RECIPE = before


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> GivenFile:
    folder = tmp_path_factory.mktemp("network")
    saved(folder / "tiny.safetensors", Cache(folder / "cache"))
    return GivenFile("tiny.safetensors", (folder / "tiny.safetensors").read_bytes())


def give(at: AppTest, name: str, content: bytes) -> AppTest:
    return at.get("file_uploader")[0].upload(name, content, "application/octet-stream").run()


def opened(at: AppTest) -> Loaded:
    token = at.query_params["study"]
    found = state.library().get(token if isinstance(token, str) else token[0])
    assert found is not None
    return found


def test_a_network_is_given_scores_and_is_taken_back(network: GivenFile, tmp_path: Path) -> None:
    at = page("coherence", STUDY)
    assert "COSMic" not in at.selectbox(key="scored_by_select").options
    at = give(at, network.name, network.content)
    assert not at.exception
    assert not at.error
    assert opened(at).network == network
    assert at.selectbox(key="scored_by_select").value == "cosmic"
    assert "60 captions of 60 images" in markup(at)
    path = tmp_path / "tiny.safetensors"
    path.write_bytes(network.content)
    expected = score(STUDY, [Cosmic(str(path))], cache=Cache(None))["plain", "cosmic"]
    shown = score(STUDY, [replace(Cosmic(), weights=_path(network))], jobs.OPTIONS, jobs.jobs().cache)
    assert shown["plain", "cosmic"].corpus == pytest.approx(expected.corpus)
    assert shown["plain", "cosmic"].metric.signature == expected.metric.signature
    at.button(key="network_undo").click().run()
    assert not at.exception
    assert "COSMic" not in at.selectbox(key="scored_by_select").options


def _path(network: GivenFile) -> str:
    directory = jobs.jobs().cache.directory
    assert directory is not None
    return cosmic_file.store(network, directory / "weights" / "cosmic")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("broken.safetensors", b"\x10" + bytes(60), "broken.safetensors: not a network of COSMic"),
        ("few.jsonl", to_jsonl_bytes(labelled(12)), "few.jsonl: 12 images have a rated caption"),
        ("odd.tsv", b"a\tb\n1\t2\n", "odd.tsv: line 1 has no column"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_remedy(name: str, content: bytes, said: str) -> None:
    at = give(page("coherence", STUDY), name, content)
    assert not at.exception
    assert any(said in error.value.replace("\\", "") for error in at.error)
    assert not any("weights" in error.value for error in at.error), "no path of the server"
    assert "network_train" not in [one.key for one in at.button]


def test_a_file_that_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch, network: GivenFile) -> None:
    monkeypatch.setitem(coherence_network.LARGEST, "network", 1 << 20)
    at = give(page("coherence", STUDY), network.name, network.content)
    assert any("larger than 1 MB" in error.value for error in at.error)


def test_ratings_are_trained_on_as_a_job_whose_network_is_that_of_the_command(tmp_path: Path) -> None:
    at = give(page("coherence", STUDY), "ours.jsonl", RATINGS)
    assert not at.error
    at.button(key="network_train").click().run()
    assert not at.exception
    until = time.monotonic() + 90
    while (given := opened(at).network) is None and time.monotonic() < until:
        time.sleep(0.5)
        at.run()
    assert given is not None
    assert given.name == "network of ours.jsonl"
    assert "COSMic learned from ours.jsonl: tau-b" in markup(at)
    ratings, save, out = tmp_path / "ours.jsonl", tmp_path / "net.safetensors", tmp_path / "t.csv"
    ratings.write_bytes(RATINGS)
    line = ["train", "cosmic", str(ratings), "--save", str(save), "--out", str(out), "--no-cache"]
    done = CliRunner().invoke(app, line)
    assert done.exit_code == 0, done.output
    mine = tmp_path / "app.safetensors"
    mine.write_bytes(given.content)
    shown, expected = (cosmic_file.read(str(path)).weights for path in (mine, save))
    assert shown.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_allclose(shown[name], array, rtol=0, atol=1e-5)
    _, agreement = of_arrays(jobs.jobs().cache.get(training("ours.jsonl", RATINGS).key) or {})
    table = pd.read_csv(out).query("label == 'all'").set_index("metric")
    assert agreement.value == pytest.approx(table.value["COSMic Vanilla without image"])
    assert agreement.alone == pytest.approx(table.value["label alone"])
    assert agreement.difference_low == pytest.approx(table.difference_low["label alone"])


def test_what_is_stored_is_checked_and_work_can_be_cancelled(tmp_path: Path) -> None:
    cache, work = Cache(tmp_path), training("ours.jsonl", RATINGS)
    artifact = trained(work, cache)
    said: list[str] = []
    stop = Hooks(said.append, lambda: any("loss" in one for one in said))
    with pytest.raises(Cancelled):
        artifact.run(stop)
    assert any("loss" in one for one in said)
    assert not any("left" in one for one in said), "who shows the share of the work states the time left for all of it"
    arrays = artifact.compute(cache, Hooks())
    assert artifact.fits(arrays)
    assert artifact.stored(cache) is not None
    for other in other_shapes(arrays):
        assert not artifact.fits(other)
    assert not artifact.fits({**arrays, "network": arrays["network"][:-9]})
    assert replace(work, augmented=True).key != work.key
    with pytest.raises(DataError, match="COSMic needs at least 50"):
        training("few.jsonl", to_jsonl_bytes(labelled(12)))


def test_the_sentence_says_whether_the_label_alone_does_as_well() -> None:
    work = cosmic_training.Training("r.tsv", ())
    better = Agreement(0.4, 0.3, 0.5, 0.2, 0.2, 0.1, 0.3)
    assert "tau-b 0.400 (0.300 to 0.500)" in words.agreement(work, better)
    assert "better than the label alone (0.200)" in words.agreement(work, better).replace("detectably better", "")
    assert "not detectably better than the label" in words.agreement(work, replace(better, difference_low=-0.1))
    assert "worse than the label" in words.agreement(work, replace(better, difference_low=-0.3, difference_high=-0.1))
