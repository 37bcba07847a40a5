"""Every command of docs/papers.md works on a small part of the demo."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from data import demo
from data.convert import write_jsonl
from metrics.cli.app import app
from metrics.registry import METRICS

PAGE = (Path(__file__).parents[2] / "docs" / "papers.md").read_text(encoding="utf-8")
START = "trilens "
COMMANDS = [line for line in re.findall(r"`(trilens [^`]+)`", PAGE) if line != START + "list"]
SYSTEMS = "system,M1,M2,CIDEr,METEOR\nHuman,.6,.7,.85,.25\nA,.3,.3,.94,.2\nB,.2,.2,.9,.1\nC,.1,.2,.5,.1\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six scenes and three runs of the demo, made-up ratings of them, and systems."""
    folder = tmp_path_factory.mktemp("papers")
    whole = demo.load()
    items, runs = whole.items[:6], whole.runs[:3]
    kept = {item.id for item in items}
    cut = tuple(
        replace(run, candidates={id: texts for id, texts in run.candidates.items() if id in kept}) for run in runs
    )
    write_jsonl(replace(whole, items=items, runs=cut), folder / "demo.jsonl.gz")
    rows = [
        (i.id, run.name, k, (3 * n + 2 * k + len(i.id)) % 5)
        for n, run in enumerate(cut)
        for i in items
        for k in range(3)
    ]
    pd.DataFrame(rows, columns=["item", "run", "candidate", "rating"]).to_csv(folder / "ratings.csv", index=False)
    (folder / "systems.csv").write_text(SYSTEMS)
    for k, name in enumerate(("test", "train", "model_a", "model_b")):
        texts = [text for item in whole.items for text in item.references[2 * k : 2 * k + 2]]
        (folder / f"{name}.txt").write_text("\n".join(texts) + "\n")
    return folder


def test_every_paper_is_there() -> None:
    assert len(COMMANDS) == 14
    for paper in ("Chan", "Cui", "Montahaei", "Zhu", "COSMic"):
        assert f"\n| {paper}, " in PAGE


@pytest.mark.parametrize("line", COMMANDS, ids=lambda line: " ".join(line.split()[1:3]))
def test_every_command_works(line: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TRILENS_CACHE", str(folder / "cache"))
    done = CliRunner().invoke(app, shlex.split(line.removeprefix(START)))
    assert done.exit_code == 0, f"{line}\n{done.output}\n{done.exception!r}"
    words = line.split()
    for name in (word for word in words if word.endswith(".csv") and words[words.index(word) - 1].startswith("--")):
        assert len(pd.read_csv(name)), name


@pytest.mark.parametrize(
    ("metric", "section"),
    [
        ("mmd_bert", "A.7"),
        ("frechet_bert", "A.6;"),
        ("trm_bert", "equation 4"),
        ("ms_jaccard_4", "section 3.2.1"),
        ("corpus_ms_jaccard_4", "section 3.2.1"),
        ("oracle_nll", "section 3.1.1;"),
        ("entropy", "section 3.1.2"),
        ("nll", "section 3.1.3"),
        ("bhattacharyya", "section 3.2.3"),
    ],
)
def test_metrics_name_the_section_of_their_paper(metric: str, section: str) -> None:
    assert section in METRICS[metric].source
