"""Cost against the number of items, in synthetic studies of 20 runs with 10 captions and 5 references per item.

Each step is a separate process with a time limit; `--sizes` of `python -m benchmarks` sets other sizes:
`make bench NAMES="scale --sizes 500,5000,40000"`. The whole study is read. Of its runs, TRILENS_BENCH_RUNS (2) are
scored, since the engine scores one run after another, and the last step is their leaderboard from the cache. Seconds
are processor time over all threads, so that other work on the machine counts little. TRILENS_BENCH_STEPS names the
steps, and TRILENS_BENCH_LIMIT the seconds that each may take.
"""

from __future__ import annotations

import csv
import json
import os
import random
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.studies import caption

ROOT = Path(__file__).resolve().parents[1]
SIZES = tuple(int(size) for size in os.environ.get("TRILENS_BENCH_SIZES", "500,2000").split(","))
RUNS, CANDIDATES, REFERENCES = 20, 10, 5
SCORED = int(os.environ.get("TRILENS_BENCH_RUNS", "2"))
STEPS = os.environ.get("TRILENS_BENCH_STEPS", "read,sheet,words,meteor,encoder,board").split(",")
LIMIT = float(os.environ.get("TRILENS_BENCH_LIMIT", "3600"))
EVEN = 1.3
"""Largest growth of the cost per item, relative to the smallest size, that still counts as linear."""
PROGRAM = textwrap.dedent(
    """
    import json, os, sys, time
    from pathlib import Path
    from data.load import load_study

    step, path, folder, runs = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])

    def used():
        return sum(os.times()[:2])

    started = used()
    study = load_study([path]).study
    if step in ("read", "sheet"):
        study.digest
    else:
        from metrics.analysis.numbers import score_with_people
        from metrics.cache.disk import Cache
        from metrics.engine import scoring
        from metrics.registry import METRICS

        study = study.only(runs=[run.name for run in study.runs[:runs]])
        cache = Cache(folder)
        if step == "board":
            from figures.leaderboard import html, rows, words
            from metrics.analysis import leaderboard

            metrics = tuple(METRICS[name] for name in ("trm_bow", "bleu_4", "rouge_l", "cider_d", "distinct_2"))
            choice = leaderboard.LeaderboardChoice(metrics, metrics[0], study.runs, baseline=None)
            score = lambda of, wanted: scoring.score(of, wanted, cache=cache)
            score_with_people(study, metrics, score)
        else:
            metrics = [metric for metric in METRICS.values() if metric.work == step]
            few = study.only([item.id for item in study.items[:8]])
            scoring.score(few, metrics, cache=Cache(None))  # libraries, models and indexes are loaded once
        study.digest
        started = used()
        if step == "board":
            numbers = score_with_people(study, metrics, score)
            found = leaderboard.of_runs(study, numbers, choice)
            assert html.board_html(rows.of_runs(found), "light")
            assert words.verdict(found)
        else:
            results = scoring.score(study, metrics, cache=cache)
            wrong = {f"{key}: {found.error}" for key, found in results.items() if found.error and found.metric.of_items}
            assert not wrong, wrong
    # ru_maxrss would start from the memory of the parent process; VmHWM is this program's own.
    with open("/proc/self/status") as status:
        peak = next(1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    print(json.dumps({"seconds": used() - started, "peak": peak}))
    """
)
TITLES = {
    "read": "read and check the file",
    "sheet": "read and check a sheet with a row per caption and its score",
    "words": "metrics of words",
    "meteor": "METEOR metrics",
    "encoder": "metrics of embeddings",
    "board": "leaderboard of five metrics from the cache",
}


def rows() -> list[dict[str, Any]]:
    """Return a row for each size and step."""
    first: dict[str, float] = {}
    return [row for size in SIZES for row in _of_size(size, first)]


def _of_size(items: int, first: dict[str, float]) -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        path, sheet, cache = Path(folder) / "study.jsonl", Path(folder) / "sheet.csv", Path(folder) / "cache"
        write_study(path, items)
        _write_sheet(sheet, path)
        size = f"{path.stat().st_size / 2**20:,.1f} MB"
        yield _plain(f"{items:,} items: file of {items * (RUNS * CANDIDATES + REFERENCES):,} captions", size)
        for step in STEPS:
            before = _bytes(cache)
            found = _measured(step, sheet if step == "sheet" else path, cache)
            yield _row(items, step, found, _bytes(cache) - before, first)


def write_study(path: Path, items: int, runs: int = RUNS) -> None:
    """Write a study as JSON Lines, one item at a time, with random changes to captions from a small grammar."""
    source = random.Random(0)
    words = [f"{word}{k}" for word in ("stone", "lamp", "green", "walks", "cold") for k in range(400)]
    with path.open("w", encoding="utf-8") as file:
        for k in range(items):
            said = {
                f"model {r // 5} T={0.2 * (r % 5 + 1):.1f}": _changed(source, words, CANDIDATES) for r in range(runs)
            }
            row = {"id": f"item {k}", "references": _changed(source, words, REFERENCES), "candidates": said}
            file.write(json.dumps(row) + "\n")


def _write_sheet(sheet: Path, study: Path) -> None:
    """Write the captions of a study as CSV, a row per caption, with the number of its words as a score."""
    with study.open(encoding="utf-8") as lines, sheet.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["image", "model", "temperature", "caption", "cider"])
        for item in map(json.loads, lines):
            for run, texts in item["candidates"].items():
                model, _, temperature = run.partition(" T=")
                rows.writerows([item["id"], model, temperature, text, len(text.split())] for text in texts)


def _changed(source: random.Random, words: list[str], count: int) -> list[str]:
    texts = [caption(source).split() for _ in range(count)]
    return [" ".join(source.choice(words) if source.random() < 0.2 else word for word in text) for text in texts]


def _measured(step: str, path: Path, cache: Path) -> dict[str, float] | str:
    """Return the processor seconds and peak memory of a step, or the reason why there are none."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TRILENS_CACHE": str(cache)}
    command = [sys.executable, "-c", PROGRAM, step, str(path), str(cache), str(SCORED)]
    try:
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, env=environment, cwd=ROOT, timeout=LIMIT
        )
    except subprocess.TimeoutExpired:
        return f"not done after {LIMIT:,.0f} s"
    if done.returncode:
        return f"failed: {(done.stderr.strip().splitlines() or [f'exit {done.returncode}'])[-1]}"
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def _row(items: int, step: str, found: dict[str, float] | str, cache: int, first: dict[str, float]) -> dict[str, Any]:
    runs = f"{RUNS} runs" if step in ("read", "sheet") else f"{SCORED} of {RUNS} runs"
    work = f"{items:,} items, {runs}: {TITLES[step]}"
    if isinstance(found, str):
        return _plain(work, found) | {"reached": False}
    each = found["seconds"] / items
    least = first.setdefault(step, each)
    told = f"{found['seconds']:.1f} s, {1000 * each:.2f} ms per item, peak {found['peak'] / 2**30:.2f} GB"
    told += f", cache {cache / 2**20:,.0f} MB" if step not in ("read", "sheet") else ""
    if step == "board":
        return _plain(work, told) | {"target": "2 s", "reached": found["seconds"] <= 2}
    return _plain(work, told) | {"target": "linear", "reached": each <= EVEN * least}


def _plain(work: str, told: str) -> dict[str, Any]:
    ours = "processor time, process of its own"
    none = {"alternative": "none does it", "alternative_value": None, "ratio": None}
    return {"work": work, "ours": ours, "ours_value": told, "target": "none", "reached": None, **none}


def _bytes(folder: Path) -> int:
    """Return the bytes of all cache entries except METEOR's index, which is built once for all studies."""
    files = (path for path in folder.rglob("*") if path.is_file() and "indexes" not in path.parts)
    return sum(path.stat().st_size for path in files)
