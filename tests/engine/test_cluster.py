"""Test schedulers and workers in separate processes and folders, each started as a user would, and what stops them."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest

from data.convert import to_jsonl_bytes
from metrics.cache.disk import Cache
from metrics.engine import cluster, scoring, source_code
from metrics.engine.remote import missing_requirement
from metrics.engine.scores_table import scores
from metrics.engine.scoring import Callbacks
from metrics.engine.tasks import Options
from metrics.engine.workers import Backend
from metrics.extensions import plugins
from metrics.progress import Unable
from metrics.registry import resolve
from tests.command_line import trilens
from tests.engine.test_plugins import CODED, DISTANCE, METRIC
from tests.studies import study
from ui.jobs.jobs import Jobs

distributed = pytest.importorskip("distributed", reason="Dask is not installed: requirements-cluster.txt")

WORDS = resolve(["mmd_bow", "distinct_2", "self_bleu_3", "vocabulary"], "whitespace")
COUNTS = (WORDS[1], WORDS[3])
OPTIONS = Options(p_values=True, draws=99, resamples=50, chunk=4)
LEVELS = ("corpus", "item", "candidate")
OWN = """
from dataclasses import dataclass
from trilens import ItemMetric
@dataclass(frozen=True)
class Captions(ItemMetric):
    '''The number of captions.'''
    name, label, family, higher_is_better = "captions", "Captions", "diversity", True
    bounds, source, formula = (0.0, float("inf")), "tests", "|C|"
    summary, scores_empty_captions = "The number of captions.", True
    def value(self, context, chunk, index):
        return float(len(chunk.candidates[index]))
METRICS = (Captions(),)
"""
"""A plug-in as users write it, which works whether Trilens is installed or not."""
ROOT = Path(__file__).resolve().parents[2]
Start = Callable[..., subprocess.Popen[bytes]]
Workers = Callable[[int], list[subprocess.Popen[bytes]]]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Yield a function that starts a process in its own folder with its own cache; all end with the last test.

    All processes share one temporary folder, for compiled source.
    """
    started: list[subprocess.Popen[bytes]] = []
    hidden = {"PYTHONPATH", "PYTEST_CURRENT_TEST", "TRILENS_CACHE"}
    clean = {name: value for name, value in os.environ.items() if name not in hidden}
    clean["DASK_TEMPORARY_DIRECTORY"] = str(tmp_path_factory.getbasetemp())

    def process(*arguments: str, cwd: Path | None = None) -> subprocess.Popen[bytes]:
        folder = tmp_path_factory.mktemp("machine")
        environment = {**clean, "TRILENS_CACHE": str(folder / "cache")}
        with (folder / "log").open("wb") as log:
            command = [sys.executable, "-m", "dask", *arguments]
            started.append(subprocess.Popen(command, cwd=cwd or folder, env=environment, stdout=log, stderr=log))
        return started[-1]

    yield process
    for one in started:
        one.kill()
        one.wait()


@pytest.fixture(scope="module")
def address(start: Start, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of a scheduler, which has no worker until `workers` starts some."""
    told = tmp_path_factory.mktemp("told") / "scheduler.json"
    start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(told))
    until(lambda: told.is_file() and told.stat().st_size > 0)
    return str(json.loads(told.read_text())["address"])


@pytest.fixture
def scheduler(address: str) -> str:
    """Return the address of the scheduler as soon as it has noticed that earlier tests are no longer connected."""
    own = {"fire-and-forget"}  # a client that every scheduler has
    with distributed.Client(address, set_as_default=False) as client:
        until(lambda: client.run_on_scheduler(lambda dask_scheduler: {*dask_scheduler.clients}) == own | {client.id})
    return address


@pytest.fixture(scope="module")
def workers(start: Start, address: str) -> Workers:
    """Return a function that starts workers until there are so many; the second has the modules of its checkout."""
    there: list[subprocess.Popen[bytes]] = []
    own: tuple[tuple[list[str], Path | None], ...] = (([], None), (["--preload", "metrics.registry"], ROOT))

    def at_least(count: int) -> list[subprocess.Popen[bytes]]:
        for options, cwd in own[len(there) : count]:
            options = ["--no-nanny", "--nthreads", "1", "--no-dashboard", *options]
            there.append(start("worker", address, *options, cwd=cwd))
        return there

    return at_least


def until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def table(
    workers: Backend | None = None, cache: Cache | None = None, callbacks: Callbacks | None = None
) -> pd.DataFrame:
    of = study(items=24, runs=3)
    found = scoring.score(of, WORDS, OPTIONS, cache, callbacks, workers)
    return scores(of, found, LEVELS)  # type: ignore[arg-type]


# The first tests need a scheduler without workers; later ones keep what workers there are.
def test_a_cluster_without_a_worker_ends_with_a_sentence(scheduler: str) -> None:
    heard: list[str] = []
    with cluster.connected(scheduler, heard.append, patience=1.0) as workers:
        with pytest.raises(Unable, match=f"no worker for 1 s. Start one with `dask worker {scheduler}`"):
            table(workers)
        assert heard == ["The cluster has no worker: waiting 1 s for one"]


def test_two_versions_never_meet_on_a_worker(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with cluster.connected(scheduler):
        archive = source_code.packed()[1]
        monkeypatch.setattr(source_code, "packed", lambda: ("0123456789abcdef", archive))
        with pytest.raises(Unable, match="another version of Trilens"), cluster.connected(scheduler):
            raise AssertionError("connected")
    with cluster.connected(scheduler) as alone:
        assert alone.plugin.startswith("trilens-0123456789abcdef-")


def test_a_worker_that_comes_ends_the_word_of_waiting_for_one(workers: Workers, scheduler: str, tmp_path: Path) -> None:
    said: list[tuple[str, int]] = []

    def hear(step: scoring.Progress) -> None:
        if not said and step.detail:
            workers(1)
        if step.detail or said:
            said.append((step.detail, step.tasks_done))

    with cluster.connected(scheduler) as machines:
        table(machines, Cache(tmp_path / "home"), Callbacks(progress=hear))
    assert said[0][0].startswith("no worker: waiting")
    assert ("", 0) in said, "as soon as one is there, and not with the first part that it has done"


def test_workers_of_a_cluster_take_plugins_with_the_source(
    tmp_path: Path, workers: Workers, scheduler: str, request: pytest.FixtureRequest
) -> None:
    request.addfinalizer(lambda: [plugins.unload(one) for one in plugins.loaded()])
    for name, text in (("near", METRIC), ("far", DISTANCE), ("coded", CODED)):
        (path := tmp_path / f"{name}.py").write_text(text)
        plugins.load(path)
    metrics = resolve(["length_gap", "length_gap(most=3)", "trm_shared", "trm_letters", "vendi_letters"])
    options = Options(p_values=True, draws=99, resamples=50, chunk=4)
    (alone,) = workers(1)
    of = study(items=8, runs=2)
    with cluster.connected(scheduler) as machines:
        until(lambda: len(machines.look()) == 1)
        found = scoring.score(of, metrics, options, Cache(tmp_path / "home"), None, machines)
    assert alone.poll() is None
    assert not machines.unfit
    for key, here in scoring.score(of, metrics, options).items():
        assert found[key].error is None
        assert found[key].items.tolist() == here.items.tolist()
        assert found[key].p_value == here.p_value or here.p_value != here.p_value


def test_workers_take_one_job_after_another_wherever_they_were_started(
    workers: Workers, scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Three jobs of the command line and three of the app are run."""
    workers(2)
    until(lambda: len(usable(scheduler)) == 2)
    request.addfinalizer(lambda: [plugins.unload(one) for one in plugins.loaded()])
    studies = [study(items=24, runs=2, seed=seed) for seed in range(6)]
    (own := tmp_path / "own.py").write_text(OWN)
    for k, of in enumerate(studies[:3]):
        file, out = tmp_path / f"{k}.jsonl", tmp_path / f"{k}.csv"
        file.write_bytes(to_jsonl_bytes(of))
        what = ["--metrics", "distinct_2,vocabulary,captions", "--tokenizer", "whitespace", "--no-cache"]
        done = trilens("score", file, *what, "--plugin", own, "--out", out, "--scheduler", scheduler)
        assert "left out" not in done.stderr
        assert set(pd.read_csv(out).query("metric == 'captions'").value) == {len(of.runs[0].candidates[of.items[0].id])}
    monkeypatch.setenv("TRILENS_SCHEDULER", scheduler)
    queue = Jobs(Cache(tmp_path / "home"))
    for of in studies[3:]:
        until(lambda of=of: queue.view(of, COUNTS, "somebody").job is None)
        assert not queue.view(of, COUNTS, "somebody").failures
    assert usable(scheduler) == ["", ""]


def usable(scheduler: str) -> list[str]:
    """Connect to the scheduler, and return, for each worker, why it cannot use the source; "" if it can."""
    with cluster.connected(scheduler) as machines:
        name = machines.plugin
        return list(machines.client.run(lambda dask_worker: dask_worker.plugins[name].problem).values())


def test_a_cluster_that_loses_a_worker_gives_the_same_bytes(workers: Workers, scheduler: str, tmp_path: Path) -> None:
    first = workers(2)[0]
    finished, home = 0, Cache(tmp_path / "home")

    def lose(step: scoring.Progress) -> None:
        nonlocal finished
        if step.tasks_done > finished == 0:
            first.send_signal(signal.SIGKILL)
        finished = step.tasks_done

    with cluster.connected(scheduler) as machines:
        until(lambda: len(machines.look()) == 2)
        found = table(machines, home, Callbacks(progress=lose))
    assert first.poll() == -signal.SIGKILL
    assert finished == 21
    assert len(home.keys("tests")) == 18, "every chunk of a tested metric is kept at home, for a run that is killed"
    assert found.to_csv().encode() == table().to_csv().encode()


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "silent"])
def test_a_scheduler_that_is_not_there_is_a_sentence(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "study.json"
    file.write_text(json.dumps({"items": [{"id": "1", "references": ["a dog"], "candidates": {"run": ["a cat"]}}]}))
    with socket.create_server(("127.0.0.1", 0)) as listens:
        address = f"tcp://127.0.0.1:{listens.getsockname()[1]}" if address == "silent" else address
        monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
        said = trilens("score", file, "--metrics", "vocabulary", "--scheduler", address, expect=2)
    assert ("not the address" if address == "nonsense" else "No Dask scheduler answers") in said.output


def test_a_scheduler_that_fell_silent_is_not_asked_again() -> None:
    asked: list[object] = []

    class Silent:
        status = "running"
        scheduler = type("Scheduler", (), {"ncores": "ncores", "unregister_worker_plugin": "unregister"})

        def sync(self, question: object, **about: object) -> None:
            asked.append(question)
            raise TimeoutError

        def close(self, timeout: float) -> None:
            asked.append("close")

    lost = cluster.Cluster(Silent(), "tcp://127.0.0.1:1", print, 1.0, plugin="trilens")
    with pytest.raises(Unable, match="no longer answers"):
        lost.look()
    lost.disconnect()
    assert asked == ["ncores", "close"]


def test_a_package_that_this_machine_lacks_may_have_any_version() -> None:
    light = cluster.Cluster(None, "tcp://127.0.0.1:1", print, 1.0)
    light.here = {"scikit-learn": None, "numpy": "2.4.6"}
    assert light._same_package("scikit-learn", {"scikit-learn": "1.9.1"})
    assert not light._same_package("numpy", {"numpy": "2.4.5"})


def test_a_worker_that_would_compute_another_number_says_so() -> None:
    metric = WORDS[0]
    assert missing_requirement((metric,), (metric.signature,)) is None
    assert missing_requirement((metric,), ("mmd_bow|v0",)) == f"it would compute {metric.signature}, not mmd_bow|v0"
    assert "no encoder" in str(missing_requirement(resolve(["mmd_bert"], "whitespace", "nowhere"), ("mmd_bert",)))
