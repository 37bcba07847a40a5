"""Test that the recipe in docs/learned.md writes a table that becomes a metric of the study."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.command_line import trilens

DOCS = Path(__file__).resolve().parents[2] / "docs" / "learned.md"


OVERLAP = """
def overlap(candidates, references):
    pairs = zip(candidates, references, strict=True)
    return [sum(word in r.split() for word in c.split()) / len(c.split()) for c, r in pairs]

write("Overlap", overlap)
"""


def test_the_recipe_makes_a_metric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {"id": "1", "references": ["a dog runs", "the dog"], "candidates": {"m": ["a dog", "one cat"]}},
        {"id": "2", "references": ["a red kite"], "candidates": {"m": ["a kite", "red"]}},
    ]
    (tmp_path / "captions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.chdir(tmp_path)
    recipe = next(code for code in re.findall(r"```python\n(.*?)```", DOCS.read_text(), re.S) if "def write" in code)
    (tmp_path / "recipe.py").write_text(recipe + OVERLAP)
    subprocess.run([sys.executable, "recipe.py"], check=True, env={**os.environ, "PYTHONPATH": str(DOCS.parents[1])})
    assert (tmp_path / "Overlap_scores.csv").is_file()
    trilens("score", "captions.jsonl", "Overlap_scores.csv", "--metrics", "imported", "--out", "t.csv", "--no-cache")
    table = pd.read_csv("t.csv").query("level == 'corpus'")
    assert list(table.metric) == ["Overlap"]
    assert table.value.iloc[0] == pytest.approx((1 + 0 + 1 + 1) / 4)
