"""Test docs/papers.md: the claims in its rows, and that every command works on a small part of the demo."""

from __future__ import annotations

import re
import shlex
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import typer

from cli.app import app
from data import demo
from data import paper_recipe as recipes
from data.convert import write_jsonl
from metrics.registry import METRICS
from tests.command_line import trilens

PAGE = (Path(__file__).parents[2] / "docs" / "papers.md").read_text(encoding="utf-8")
START = "trilens "
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if re.match(r"\| \w+, ", line)
]
COMMANDS = [line for line in re.findall(r"`(trilens [^`]+)`", PAGE) if line != START + "list"]
TRAINED = [line for line in COMMANDS if line.startswith(START + "train ")]
SYSTEMS = "system,M1,M2,CIDEr,METEOR\nHuman,.6,.7,.85,.25\nA,.3,.3,.94,.2\nB,.2,.2,.9,.1\nC,.1,.2,.5,.1\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("papers")
    whole = demo.load()
    items, runs = whole.items[:6], whole.runs[:3]
    kept = {item.id for item in items}
    cut = tuple(
        replace(run, candidates={id: texts for id, texts in run.candidates.items() if id in kept}) for run in runs
    )
    write_jsonl(replace(whole, items=items, runs=cut), folder / "demo.jsonl.gz")
    write_jsonl(replace(whole, name="other", items=items, runs=cut[:2]), folder / "other.jsonl")
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


@pytest.fixture(scope="module")
def whole(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    whole, study = tmp_path_factory.mktemp("whole"), demo.load()
    write_jsonl(study, whole / "demo.jsonl.gz")
    write_jsonl(replace(study, name="other", runs=study.runs[:5]), whole / "other.jsonl")
    for texts in folder.glob("*.txt"):
        shutil.copy(texts, whole)
    return whole


def numbers(words: str) -> list[int]:
    """Return the numbers in a text such as `table 2`, `tables 1, 3 and 4` or `figures 2 to 4`."""
    if span := re.search(r"(\d+) to (\d+)", words):
        return [*range(int(span[1]), int(span[2]) + 1)]
    return [int(one) for one in re.findall(r"\d+", words)]


def test_every_table_and_figure_up_to_the_last_has_one_row() -> None:
    papers: dict[str, dict[str, list[int]]] = {}
    for row in ROWS:
        paper, _, rest = row[0].partition(", ")
        of = papers.setdefault(paper, {"table": [], "figure": []})
        for kind, listed in re.findall(r"(table|figure)s? ((?:\d+(?:, | and | to )?)+)", rest):
            of[kind] += numbers(listed)
    assert list(papers) == ["Chan", "Cui", "Montahaei", "Zhu", "COSMic"]
    for paper, of in papers.items():
        for kind, found in of.items():
            assert sorted(found) == [*range(1, max(found) + 1)], f"{paper}, {kind}s"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_says_how_far_it_goes_and_why_no_further(row: list[str]) -> None:
    _, _, far, command, rest = row
    assert far in ("whole", "partly", "cannot be had", "unread")
    assert bool(command) == (far in ("whole", "partly"))
    assert rest


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_claims_no_option_and_no_recipe_that_there_is_not(row: list[str]) -> None:
    said = [words.removeprefix(START) for words in re.findall("`([^`]+)`", " | ".join(row))]
    commands = [command for command in map(named, said) if command is not None]
    known = {option for command in commands for each in command.params for option in each.opts + each.secondary_opts}
    assert {option for words in said for option in re.findall("--[a-z-]+", words)} <= known
    assert {words.split()[1] for words in said if words.startswith("reproduce ")} <= {*recipes.names()}


def named(words: str) -> Any:
    """Return the command that the text begins with, such as `train critique` in `train critique FILES`; None without
    one.
    """
    command: Any = typer.main.get_command(app)
    for word in words.split():
        if not hasattr(command, "get_command"):
            break
        if (command := command.get_command(None, word)) is None:
            return None
    return command


def ran(line: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TRILENS_CACHE", str(folder / "cache"))
    done = trilens(*shlex.split(line.removeprefix(START)))
    words = line.split()
    for name in (word for word in words if word.endswith(".csv") and words[words.index(word) - 1].startswith("--")):
        assert len(pd.read_csv(name)), name
    return done.output


@pytest.mark.parametrize("line", sorted({*COMMANDS} - {*TRAINED}), ids=lambda line: " ".join(line.split()[1:3]))
def test_every_command_works(line: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran(line, folder, monkeypatch)


@pytest.mark.parametrize(
    ("table", "where", "column", "printed"),
    [
        ("sweeps.csv", "Runs == 'Oracle T=1.0' and Metric.str.startswith('TRM')", "Value", ".328"),
        ("decoders.csv", "Runs == 'Oracle greedy'", "Value", "1.812"),
        ("left-out.csv", "row == 'one left out'", "p_mean", ".540"),
        ("left-out.csv", "row == 'one left out'", "p_mean_uniform", ".550"),
        ("between.csv", "statistic == 'spearman' and other == 'rouge_l'", "value", "0.996"),
        ("between.csv", "statistic == 'spearman' and metric == 'bleu_4' and other == 'self_bleu_4'", "value", "-0.983"),
        ("items.csv", "item == 'fire-truck'", "agreement", ".66"),
        ("items.csv", "item == 'city-taxi'", "agreement", ".28"),
        ("table.csv", "run == 'Real'", "corpus_bleu_4", ".187"),
        ("table.csv", "run == 'model_b'", "corpus_self_bleu_4", ".208"),
        ("table.csv", "run == 'model_a'", "corpus_ms_jaccard_4", ".127"),
    ],
)
def test_the_numbers_of_a_row_come_from_its_command(
    table: str, where: str, column: str, printed: str, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = next(line for line in COMMANDS if table in line)
    row = next(row for row in ROWS if line in row[3])
    assert re.search(rf"(?<![\d.]){re.escape(printed)}(?!\d)", row[4])
    if not (whole / table).exists():
        ran(line, whole, monkeypatch)
    found = pd.read_csv(whole / table).query(where)[column].unique()
    assert len(found) == 1
    assert f"{found[0]:.{len(printed.partition('.')[2])}f}".replace("0.", ".") == printed.replace("0.", ".")


def test_a_frontier_beside_another_study_says_of_both_what_its_row_says(
    whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = ran(next(line for line in COMMANDS if "--beside" in line), whole, monkeypatch)
    assert "Oracle keeps the best BLEU-4, 0.369" in said
    assert "other: 5 of 5 runs are on the front" in said
    assert "frontiers.html: 2 panels" in said


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
