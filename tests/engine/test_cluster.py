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
from tests.studies import study
from ui.jobs.jobs import Jobs

pytest.importorskip("distributed", reason="Dask is not installed: requirements-cluster.txt")

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


@pytest.fixture
def start(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Yield a function that starts a process in its own folder with its own cache.

    All processes share one temporary folder, for compiled source.
    """
    started: list[subprocess.Popen[bytes]] = []
    hidden = {"PYTHONPATH", "PYTEST_CURRENT_TEST", "TRILENS_CACHE"}
    clean = {name: value for name, value in os.environ.items() if name not in hidden}
    clean["DASK_TEMPORARY_DIRECTORY"] = str(tmp_path_factory.getbasetemp())

    def process(*arguments: str, cwd: Path | None = None) -> subprocess.Popen[bytes]:
        folder = tmp_path / f"machine {len(started)}"
        folder.mkdir()
        environment = {**clean, "TRILENS_CACHE": str(folder / "cache")}
        with (folder / "log").open("wb") as log:
            command = [sys.executable, "-m", "dask", *arguments]
            started.append(subprocess.Popen(command, cwd=cwd or folder, env=environment, stdout=log, stderr=log))
        return started[-1]

    yield process
    for one in started:
        one.kill()
        one.wait()


@pytest.fixture
def scheduler(start: Start, tmp_path: Path) -> str:
    told = tmp_path / "scheduler.json"
    start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(told))
    until(lambda: told.is_file() and told.stat().st_size > 0)
    return str(json.loads(told.read_text())["address"])


def worker(start: Start, scheduler: str, *options: str, cwd: Path | None = None) -> subprocess.Popen[bytes]:
    return start("worker", scheduler, "--no-nanny", "--nthreads", "1", "--no-dashboard", *options, cwd=cwd)


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


def test_a_worker_that_comes_ends_the_word_of_waiting_for_one(start: Start, scheduler: str, tmp_path: Path) -> None:
    said: list[tuple[str, int]] = []

    def hear(step: scoring.Progress) -> None:
        if not said and step.detail:
            worker(start, scheduler)
        if step.detail or said:
            said.append((step.detail, step.tasks_done))

    with cluster.connected(scheduler) as machines:
        table(machines, Cache(tmp_path / "home"), Callbacks(progress=hear))
    assert said[0][0].startswith("no worker: waiting")
    assert ("", 0) in said, "as soon as one is there, and not with the first part that it has done"


def test_a_cluster_that_loses_a_worker_gives_the_same_bytes(start: Start, scheduler: str, tmp_path: Path) -> None:
    workers = [worker(start, scheduler) for _ in range(2)]
    finished, home = 0, Cache(tmp_path / "home")

    def lose(step: scoring.Progress) -> None:
        nonlocal finished
        if step.tasks_done > finished == 0:
            workers[0].send_signal(signal.SIGKILL)
        finished = step.tasks_done

    with cluster.connected(scheduler) as machines:
        until(lambda: len(machines.look()) == 2)
        found = table(machines, home, Callbacks(progress=lose))
    assert workers[0].poll() == -signal.SIGKILL
    assert finished == 21
    assert len(home.keys("tests")) == 18, "every chunk of a tested metric is kept at home, for a run that is killed"
    assert found.to_csv().encode() == table().to_csv().encode()


def test_workers_take_one_job_after_another_wherever_they_were_started(
    start: Start, scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Three jobs of the command line and three of the app are run; the second worker has the modules of its
    checkout.
    """
    worker(start, scheduler)
    worker(start, scheduler, "--preload", "metrics.registry", cwd=ROOT)
    until(lambda: len(usable(scheduler)) == 2)
    request.addfinalizer(lambda: [plugins.unload(one) for one in plugins.loaded()])
    studies = [study(items=24, runs=2, seed=seed) for seed in range(6)]
    (own := tmp_path / "own.py").write_text(OWN)
    for k, of in enumerate(studies[:3]):
        file, out = tmp_path / f"{k}.jsonl", tmp_path / f"{k}.csv"
        file.write_bytes(to_jsonl_bytes(of))
        what = [
            "--plugin",
            str(own),
            "--metrics",
            "distinct_2,vocabulary,captions",
            "--tokenizer",
            "whitespace",
            "--no-cache",
            "--out",
            str(out),
        ]
        done = trilens("score", file, *what, "--scheduler", scheduler)
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


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "silent"])
def test_a_scheduler_that_is_not_there_is_a_sentence(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "study.json"
    file.write_text(json.dumps({"items": [{"id": "1", "references": ["a dog"], "candidates": {"run": ["a cat"]}}]}))
    with socket.create_server(("127.0.0.1", 0)) as listens:
        address = f"tcp://127.0.0.1:{listens.getsockname()[1]}" if address == "silent" else address
        monkeypatch.setattr(cluster, "CONNECT_SECONDS", 2.0)
        said = trilens("score", file, "--metrics", "vocabulary", "--scheduler", address, expect=2)
    assert ("not the address" if address == "nonsense" else "No Dask scheduler answers") in said.output


def test_a_cluster_without_a_worker_ends_with_a_sentence(scheduler: str) -> None:
    heard: list[str] = []
    with cluster.connected(scheduler, heard.append, patience=1.0) as workers:
        with pytest.raises(Unable, match=f"no worker for 1 s. Start one with `dask worker {scheduler}`"):
            table(workers)
        assert heard == ["The cluster has no worker: waiting 1 s for one"]


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


def test_two_versions_never_meet_on_a_worker(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with cluster.connected(scheduler):
        archive = source_code.packed()[1]
        monkeypatch.setattr(source_code, "packed", lambda: ("0123456789abcdef", archive))
        with pytest.raises(Unable, match="another version of Trilens"), cluster.connected(scheduler):
            raise AssertionError("connected")
    with cluster.connected(scheduler) as alone:
        assert alone.plugin.startswith("trilens-0123456789abcdef-")


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
