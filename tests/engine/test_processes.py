"""Test word metrics in processes: when these are used, that they equal threads, and what happens if a process dies."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
import pytest

from data.convert import to_jsonl_bytes
from metrics.cache.disk import Cache
from metrics.chunk import Chunk
from metrics.engine import scoring, workers
from metrics.engine.scores_table import scores
from metrics.engine.tasks import Options
from metrics.engine.workers import Workers
from metrics.registry import METRICS
from metrics.suite.diversity import Distinct
from tests.studies import study as random_study

WORDS = [
    METRICS[name] for name in ("cider_d", "bleu_4", "trm_bow", "corpus_ms_jaccard_4", "vocabulary", "consensus_cider_d")
]
OPTIONS = Options(p_values=True, resamples=50, chunk=4)
PARENT = "TRILENS_TEST_PARENT"


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let any study use processes; return a list to which the number of tasks of each such call is added."""
    monkeypatch.setattr(workers, "LEAST_ITEMS", 1)
    seen, real = [], workers._by_processes

    def noted(tasks: Any, *rest: Any) -> Any:
        seen.append(len(tasks))
        return real(tasks, *rest)

    monkeypatch.setattr(workers, "_by_processes", noted)
    return seen


def test_the_numbers_are_those_of_threads(processes: list[int], tmp_path: Path) -> None:
    study = random_study(10, runs=2)
    here = scoring.score(study, WORDS, OPTIONS, Cache(tmp_path / "a"), workers=Workers())
    assert not processes
    cache = Cache(tmp_path / "b")
    there = scoring.score(study, WORDS, OPTIONS, cache, workers=Workers(spread=True))
    assert len(processes) == 1
    tables = [scores(study, found, ("corpus", "item", "candidate")) for found in (here, there)]
    pd.testing.assert_frame_equal(*tables, check_exact=True)
    assert not scoring.plan(study, WORDS, OPTIONS, cache).todo


def test_ends_of_intervals_are_those_of_threads_to_the_last_digit(processes: list[int], tmp_path: Path) -> None:
    study = random_study(600, runs=1)
    metrics = [METRICS[name] for name in ("distinct_2", "caption_length", "self_bleu_4")]
    spread = Workers(spread=True)
    here, there = (
        scoring.score(study, metrics, Options(), Cache(tmp_path / name), workers=how)
        for name, how in (("a", Workers()), ("b", spread))
    )
    assert processes
    assert [(one.low, one.high) for one in here.values()] == [(one.low, one.high) for one in there.values()]


def test_only_many_words_whose_numbers_are_kept_go_to_processes(
    processes: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, cache = random_study(6, runs=1), Cache(tmp_path)
    scoring.score(study, [METRICS["bert"]], OPTIONS, cache, workers=Workers(spread=True))
    scoring.score(study, WORDS[:1], OPTIONS, Cache(None), workers=Workers(spread=True))
    scoring.score(study, WORDS[:1], OPTIONS, cache.with_bundle({"x": b""}), workers=Workers(spread=True))
    scoring.score(study, WORDS[1:2], OPTIONS, cache, workers=Workers(jobs=1, spread=True))
    monkeypatch.setenv(PARENT, str(os.getpid()))
    scoring.score(study, [_Deadly()], OPTIONS, cache, workers=Workers(spread=True))
    monkeypatch.setattr(workers, "LEAST_ITEMS", 7)
    scoring.score(study, WORDS[2:3], OPTIONS, cache, workers=Workers(spread=True))
    assert not processes


@dataclass(frozen=True)
class _Deadly(Distinct):
    """A metric that ends any process except that of the test."""

    name: ClassVar[str] = "deadly"  # type: ignore[misc]

    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        if os.environ.get(PARENT) != str(os.getpid()):
            os._exit(1)
        return super().value(context, chunk, index)


def test_what_a_process_leaves_that_dies_is_done_by_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PARENT, str(os.getpid()))
    study, metrics = random_study(9), [*WORDS[:2], _Deadly()]
    done = scoring.score(study, metrics, replace(OPTIONS, p_values=False), Cache(tmp_path), workers=Workers("loky", 2))
    assert not [found.error for found in done.values() if found.error]
    assert done["run 0", "deadly"].corpus == scoring.score(study, [Distinct()])["run 0", "distinct_1"].corpus


@dataclass(frozen=True)
class _Unlearned(Distinct):
    """A metric that cannot learn from any study."""

    name: ClassVar[str] = "unlearned"  # type: ignore[misc]

    def prepare(self, study: Any) -> Any:
        raise ValueError("nothing to learn")


def test_a_metric_that_cannot_learn_costs_the_others_nothing(tmp_path: Path) -> None:
    study, metrics = random_study(5, runs=1), [WORDS[0], _Unlearned()]
    done = scoring.score(study, metrics, Options(), Cache(tmp_path), workers=Workers("loky", 2))
    assert done["run 0", "unlearned"].error == "ValueError: nothing to learn"
    assert done["run 0", "cider_d"].corpus > 0


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [("SIGTERM", 130), ("SIGKILL", -9)])
def test_processes_end_with_the_command_however_it_ends(number: str, status: int, tmp_path: Path) -> None:
    (tmp_path / "big.jsonl").write_bytes(to_jsonl_bytes(random_study(workers.LEAST_ITEMS)))
    command = [sys.executable, "-m", "metrics", "score", str(tmp_path / "big.jsonl"), "--metrics", "cider_d,trm_bow"]
    with (tmp_path / "said").open("w") as said:
        started = subprocess.Popen(
            [*command, "--p-values", "--cache-dir", str(tmp_path)], stdout=said, stderr=said, start_new_session=True
        )
    _until(lambda: len(_of_group(started.pid)) >= 6)  # two workers, the first one's Java process and two trackers
    group = _of_group(started.pid)
    os.kill(started.pid, getattr(signal, number))
    assert started.wait(20) == status
    _until(lambda: not _of_group(started.pid))
    assert not [one for one in Path("/dev/shm").glob("*") if re.search(rf"[-_]({'|'.join(group)})[-_]", one.name)]
    assert "Traceback" not in (tmp_path / "said").read_text()


def _until(true: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not true():
        assert time.monotonic() < until
        time.sleep(0.1)


def _of_group(group: int) -> list[str]:
    return subprocess.run(["pgrep", "-g", str(group)], check=False, capture_output=True, text=True).stdout.split()
