"""Time to score a whole study: the set `fast` with p-values on 5,000 items with 5 references and 10 candidates each."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

from data.convert import write_jsonl
from data.load import load_study
from data.study import Item, Run, Settings, Study
from tests.studies import captions

ROOT = Path(__file__).resolve().parents[1]
REALDATA = ROOT.parent / "shared" / "realdata" / "magic_coco_full_5000.jsonl.gz"
ITEMS = int(os.environ.get("TRILENS_BENCH_ITEMS", "5000"))
REFERENCES, CANDIDATES = 5, 10
PROGRAM = textwrap.dedent(
    """
    import json, resource, sys, time
    from pathlib import Path
    started = time.perf_counter()
    from data.load import load_study
    from metrics.engine import scoring
    from metrics.cache.disk import Cache
    from metrics.registry import resolve
    from metrics.engine.scores_table import scores
    from metrics.engine.tasks import Options
    study = load_study([Path(sys.argv[1])]).study
    results = scoring.score(study, resolve(["fast"]), Options(p_values=True), Cache(Path(sys.argv[2])))
    table = scores(study, results)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({"seconds": time.perf_counter() - started, "peak": peak, "rows": len(table)}))
    """
)


def rows() -> list[dict[str, Any]]:
    """Time scoring with an empty cache, and again with the filled cache, each in a separate process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.jsonl"
        write_jsonl(study(), path)
        cold, warm = (_score(path, Path(folder) / "cache") for _ in range(2))
    size = f"{ITEMS:,} items x {REFERENCES} references x {CANDIDATES} candidates"
    return [
        _row(f"set fast with p-values, {size}, cold", f"{cold['seconds'] / 60:.1f} min", cold, "8 min, 4 GB", 480),
        _row("the same from the cache", f"{warm['seconds']:.1f} s", warm, "5 s, 4 GB", 5),
    ]


def study() -> Study:
    """Return a study whose candidates are edits of its references.

    The references are real captions if these are found next to the checkout, else random ones.
    """
    source = random.Random(0)
    found = load_study([REALDATA]).study if REALDATA.is_file() else None
    references = [item.references[:REFERENCES] for item in found.items] if found else []
    references = (references or [captions(source, REFERENCES) for _ in range(ITEMS)])[:ITEMS]
    while len(references) < ITEMS:
        references.append(source.choice(references))
    words = [word for texts in references for text in texts for word in text.split()]
    items = tuple(Item(f"item {k}", texts) for k, texts in enumerate(references))
    candidates = {i.id: tuple(edited(source, words, i.references) for _ in range(CANDIDATES)) for i in items}
    return Study("benchmark", items, (Run("edited", "edited", Settings(), candidates),))


def edited(source: random.Random, words: list[str], texts: tuple[str, ...]) -> str:
    """Return a reference with about every fourth word replaced by another word of the study."""
    chosen = source.choice(texts).split()
    return " ".join(source.choice(words) if source.random() < 0.25 else word for word in chosen)


def _score(path: Path, cache: Path) -> dict[str, Any]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", PROGRAM, str(path), str(cache)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, cwd=ROOT)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _row(work: str, ours: str, found: dict[str, Any], target: str, most: float) -> dict[str, Any]:
    return {
        "work": work,
        "ours": "engine, two threads",
        "ours_value": f"{ours}, peak {found['peak']:.1f} GB",
        "alternative": "none does it",
        "alternative_value": None,
        "ratio": None,
        "target": target,
        "reached": found["seconds"] <= most and found["peak"] <= 4,
    }
