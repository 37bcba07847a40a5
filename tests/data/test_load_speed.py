"""Test that a file of COCO's annotations loads in seconds and with little memory; see also `test_load_scaling.py`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# A separate process, since the peak memory of this one includes all earlier tests.
# CPU seconds are a multiple of the time for tokenising all references, so that a busy or slow machine does not matter.
# Linux counts the parent's memory at the time of the fork into ru_maxrss; VmHWM begins with the new program.
SCRIPT = """
import random, re, resource, time
from pathlib import Path
import orjson
from data.load import load_study

words = "a man dog rides runs on near the red small wooden boat lake street with two children".split()
rng = random.Random(0)
caption = lambda: " ".join(rng.choices(words, k=10))
ids = range(1, 10_001)
annotations = {
    "images": [{"id": i, "file_name": f"COCO_val2014_{i:012d}.jpg", "height": 480, "width": 640} for i in ids],
    "annotations": [{"image_id": i, "id": 5 * i + k, "caption": caption()} for i in ids for k in range(5)],
}
results = [{"image_id": i, "caption": caption()} for i in ids]
files = [("annotations.json", orjson.dumps(annotations)), ("m_t0.7.json", orjson.dumps(results))]
del annotations, results
start = time.process_time()
loaded = load_study(files)
seconds = time.process_time() - start
assert not loaded.errors and len(loaded.study.items) == 10_000
texts = [text for item in loaded.study.items for text in item.references]
start = time.process_time()
for text in texts:
    re.findall(r"\\w+", text.lower())
seconds /= time.process_time() - start
status = Path("/proc/self/status")
lines = status.read_text().splitlines() if status.exists() else []
peaks = [int(line.split()[1]) for line in lines if line.startswith("VmHWM")]
print(seconds, (peaks or [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss])[0] / 1024)
"""


@pytest.mark.slow
def test_coco_annotations_of_10_000_images() -> None:
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=root, capture_output=True, text=True, check=True)
    times, megabytes = map(float, done.stdout.split())
    assert times < 60  # about 30
    assert megabytes < 400  # about 150
