"""Test that the compiled kernels work even if their machine code cannot be cached."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("writable", [True, False])
def test_a_tree_that_cannot_be_written_to_compiles_in_memory(tmp_path, writable):
    (tmp_path / "metrics" / "mathematics").mkdir(parents=True)
    shutil.copy(ROOT / "metrics" / "mathematics" / "compiled.py", tmp_path / "metrics" / "mathematics")
    (tmp_path / "metrics" / "kernel.py").write_text(
        "import numpy as np\nfrom metrics.mathematics.compiled import compiled, popcount\n\n"
        "@compiled\ndef count(words):\n    total = 0\n    for word in words:\n        total += popcount(word)\n"
        "    return total\n\n"
        "print(count(np.array([0, 7, 2**64 - 1], dtype=np.uint64)), 'kept:', bool(count.stats.cache_path))\n"
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "XDG"))}
    environment |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(tmp_path)}
    if not writable:  # a file where the folder would be: not even an administrator can write there
        (tmp_path / "metrics" / "__pycache__").write_text("")
        environment["HOME"] = os.devnull
    command = [sys.executable, "-c", "import metrics.kernel"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"67 kept: {writable}"


def test_a_limit_on_the_size_of_files_costs_no_number(tmp_path):
    (tmp_path / "kernel.py").write_text(
        "import resource\nfrom metrics.mathematics.compiled import compiled\n\n"
        "@compiled\ndef double(number):\n    return 2 * number\n\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\nprint(double(4))\n"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    asked = [sys.executable, str(tmp_path / "kernel.py")]
    done = subprocess.run(asked, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("8\n", 0), done.stderr
