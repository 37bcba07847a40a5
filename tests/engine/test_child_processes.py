"""Test processes that watch their parent, and programs wrapped in such a process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from data.convert import to_jsonl_bytes
from metrics.child_processes import wrapped
from tests.studies import study as random_study

ROOT = Path(__file__).resolve().parents[2]
SLEEPS = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
UMAP = "metrics.analysis.cloud.umap_program"


def test_a_wrapped_program_ends_when_its_standard_input_is_closed() -> None:
    with subprocess.Popen(wrapped([sys.executable, "-c", SLEEPS]), stdin=-1, stdout=-1) as process:
        assert process.stdout is not None
        program = int(process.stdout.readline())
    assert process.returncode != 0
    with pytest.raises(ProcessLookupError):
        os.kill(program, 0)


def test_a_wrapped_program_is_heard_and_its_status_is_passed_on() -> None:
    says = "print('done'); raise SystemExit(3)"
    with subprocess.Popen(wrapped([sys.executable, "-c", says]), stdin=-1, stdout=-1) as process:
        assert process.stdout is not None
        assert process.stdout.read() == b"done\n"
        assert process.wait() == 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_a_command_as_an_interrupt_does(number: int, tmp_path: Path) -> None:
    path = tmp_path / "study.jsonl"
    os.mkfifo(path)
    process = subprocess.Popen([sys.executable, "-m", "metrics", "check", str(path)], cwd=ROOT, stderr=-1)
    with path.open("wb"):  # as soon as the command reads it
        process.send_signal(number)
        said = process.communicate(timeout=60)[1]
        assert b"Traceback" not in said
        assert b"the same command resumes from there" in said
    assert process.returncode == 130


WAITS = """
import time
from dataclasses import dataclass
from metrics import ItemMetric

@dataclass(frozen=True)
class Waits(ItemMetric):
    '''Wait.'''
    name, label, family, higher_is_better = "waits", "Waits", "quality", True
    bounds, source, formula, summary, scores_empty_captions = (0.0, 1.0), "here", "w", "Waits.", True

    def value(self, context, chunk, index):
        print("waiting", flush=True)
        time.sleep(40)
        return 1.0

METRICS = (Waits(),)
"""


def test_a_command_that_waits_for_a_thread_ends_soon_after_a_signal(tmp_path: Path) -> None:
    (tmp_path / "waits.py").write_text(WAITS)
    (tmp_path / "study.jsonl").write_bytes(to_jsonl_bytes(random_study(items=4, runs=1)))
    asked = ["score", "study.jsonl", "--plugin", "waits.py", "--metrics", "waits", "--no-cache"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "metrics", *asked]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=-1, stderr=-1, env=environment)
    assert process.stdout is not None
    assert process.stdout.readline() == b"waiting\n"
    process.send_signal(signal.SIGINT)
    begun = time.monotonic()
    said = process.communicate(timeout=60)[1]
    assert time.monotonic() - begun < 15
    assert process.returncode == 130
    assert said.count(b"the same command resumes from there") == 1


def test_the_program_of_umap_ends_with_its_parent(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "points.npy")  # reading this pipe would block
    with subprocess.Popen([sys.executable, "-m", UMAP, str(tmp_path)], cwd=ROOT, stdin=-1) as process:
        pass
    assert process.returncode == 1
