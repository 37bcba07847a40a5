"""Test that nothing is printed about processes if a command is interrupted while they start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from metrics.child_processes import uninterrupted

ROOT = Path(__file__).resolve().parents[2]
STARTS = """
import os, signal, sys, time
from joblib import Parallel, parallel_config
from joblib.externals.loky.backend import popen_loky_posix as loky
real = loky.Popen._launch
def launch(self, process):
    real(self, process)
    if sys.argv[1] == "Ctrl-C":  # of a terminal, to all processes
        time.sleep(0.1)
        os.killpg(0, signal.SIGINT)
    else:
        os.kill(os.getpid(), signal.SIGTERM)
loky.Popen._launch = launch
signal.signal(signal.SIGTERM, signal.default_int_handler)
if __name__ == "__main__":
    from metrics.engine import workers
    try:
        with parallel_config(backend="loky", n_jobs=2):
            parallel = Parallel()
        with parallel:
            workers._start_processes()
            print("not interrupted")
    except KeyboardInterrupt:
        raise SystemExit(130) from None
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("how", ["Ctrl-C", "SIGTERM"])
def test_whoever_interrupts_the_start_of_processes_is_not_told_of_them(how: str, tmp_path: Path) -> None:
    (tmp_path / "starts.py").write_text(STARTS)
    started = subprocess.run(
        [sys.executable, "starts.py", how],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert started.returncode == 130
    assert not started.stdout + started.stderr


def test_signals_come_after_the_block() -> None:
    done = []

    def work() -> None:
        with uninterrupted():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
            done.append(1)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done
