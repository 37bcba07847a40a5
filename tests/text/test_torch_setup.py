"""Test that encoders load and share processor cores in the same way whatever other threads do."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import joblib
import pytest
import torch

from metrics.text.torch_setup import batch_workers, cores

ROOT = Path(__file__).resolve().parents[2]


def test_a_thread_with_one_core_does_not_leave_others_with_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with ThreadPoolExecutor(1, initializer=torch.set_num_threads, initargs=(1,)) as alone:
        assert alone.submit(torch.get_num_threads).result() == 1
    with ThreadPoolExecutor(1) as later:
        assert later.submit(cores).result() == joblib.cpu_count()


@pytest.mark.parametrize(("stated", "wanted"), [("3", 3), ("0", None), ("all", None), ("", None)])
def test_the_environment_decides(monkeypatch: pytest.MonkeyPatch, stated: str, wanted: int | None) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", stated)
    assert cores() == (wanted or joblib.cpu_count())


def test_all_encoders_share_a_pool_whose_threads_take_one_core_each() -> None:
    assert batch_workers() is batch_workers()
    assert batch_workers().submit(torch.get_num_threads).result() == 1


BESIDE = """
import sys, threading, time
from metrics.text.torch_setup import load_transformers

other = threading.Thread(target=__import__, args=("transformers",))
other.start()
while "transformers" not in sys.modules:
    time.sleep(0.0005)
load_transformers()
from transformers import AutoTokenizer
print(AutoTokenizer.__name__)
other.join()
"""


def test_transformers_are_whole_while_another_thread_still_loads_them() -> None:
    done = subprocess.run([sys.executable, "-c", BESIDE], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "AutoTokenizer\n", done.stderr
