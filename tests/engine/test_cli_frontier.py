"""Test `trilens frontier` for several studies: one table, panels with equal axes, and errors."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from data.convert import write_jsonl
from data.study import Run, Study
from tests.command_line import trilens
from tests.studies import study as random_study

METRICS = ("--quality", "rouge_l", "--diversity", "self_bleu_2")


def short(study: Study, words: int) -> Study:
    def cut(run: Run) -> Run:
        said = {id: tuple(" ".join(text.split()[:words]) for text in of) for id, of in run.candidates.items()}
        return replace(run, candidates=said)

    return replace(study, runs=tuple(map(cut, study.runs)))


STUDIES = {
    "first": random_study(items=8, references=4, candidates=4, runs=4),
    "second": short(random_study(items=7, references=3, candidates=4, runs=3, seed=3), 3),
    "third": random_study(items=6, references=4, candidates=4, runs=1, seed=5),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    for name, study in STUDIES.items():
        write_jsonl(replace(study, name=name), tmp_path / f"{name}.jsonl")
    return tmp_path


def run(*arguments: str, expect: int = 0) -> str:
    return " ".join(trilens("frontier", *arguments, expect=expect).output.split())


def charts(page: str) -> list[Any]:
    return [
        json.loads(one) for one in re.findall(r'<script type="application/json" data-chart[^>]*>(.*?)</script>', page)
    ]


def test_several_studies_are_one_table_of_what_each_has_alone(folder: Path) -> None:
    alone = []
    for name in STUDIES:
        run(f"{name}.jsonl", *METRICS, "--out", "alone.csv")
        alone.append(pd.read_csv("alone.csv").assign(study=name))
    said = run("first.jsonl", "--beside", "second.jsonl", "--beside", "third.jsonl", *METRICS, "--out", "all.csv")
    found, expected = pd.read_csv("all.csv"), pd.concat(alone, ignore_index=True)
    assert found.columns[0] == "study"
    pd.testing.assert_frame_equal(found, expected[list(found.columns)], check_dtype=False)
    assert len(found) == 4 + 3 + 1
    assert re.search(r"first: .*second: .*third: run 0 is the only run with both values", said)


def test_panels_have_equal_axes_that_hold_every_run_and_one_colour_for_a_model(folder: Path) -> None:
    files = ["first.jsonl", "--beside", "second.jsonl", "--beside", "third.jsonl"]
    run(*files, *METRICS, "--out", "all.csv", "--figure", "panels.html")
    page, table = Path("panels.html").read_text("utf-8"), pd.read_csv("all.csv")
    drawn = charts(page)
    assert len(drawn) == 3
    ends = {json.dumps([one["layout"][axis]["range"] for axis in ("xaxis", "yaxis")]) for one in drawn}
    ((across, along),) = map(json.loads, ends)
    assert across[0] > table.diversity_high.max(), "Self-BLEU is reversed"
    assert across[1] < table.diversity_low.min()
    assert along[0] < table.quality_low.min()
    assert along[1] > table.quality_high.max()
    colours: dict[str, set[str]] = {}
    seen = {}
    for name, one in zip(STUDIES, drawn):
        marks = [trace for trace in one["data"] if trace.get("customdata")]
        seen[name] = {run for trace in marks for (run,) in trace["customdata"]}
        for trace in marks:
            if trace["name"].endswith("on the front"):
                colours.setdefault(trace["name"], set()).add(trace["marker"]["color"])
    assert seen == {name: set(of.run) for name, of in table.groupby("study")}
    assert all(len(found) == 1 for found in colours.values())
    assert len(colours) > 1
    alone = charts_of_one(files)
    assert json.dumps([alone["layout"][axis]["range"] for axis in ("xaxis", "yaxis")]) not in ends


def charts_of_one(files: list[str]) -> Any:
    run(files[0], *METRICS, "--out", "one.csv", "--figure", "one.html")
    (found,) = charts(Path("one.html").read_text("utf-8"))
    return found


def test_metrics_that_nobody_names_are_those_of_the_first_study(folder: Path) -> None:
    run("first.jsonl", "--quality", "rouge_l", "--out", "alone.csv")
    run("first.jsonl", "--beside", "second.jsonl", "--quality", "rouge_l", "--out", "all.csv")
    assert set(pd.read_csv("all.csv").diversity_metric) == set(pd.read_csv("alone.csv").diversity_metric)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (["--beside", "second.jsonl", "--run", "run 0"], "--run names runs of one study: leave it out beside others"),
        (["--beside", "first.jsonl"], "first.jsonl is given twice: name another study"),
        (["--beside", "gone.jsonl"], "gone.jsonl: there is no such file"),
        (["--figure", "panels.pdf"], "write to a .html or .htm file"),
        (["--beside", "second.jsonl", "--out", "second.jsonl"], "second.jsonl"),
        (["--beside", "second.jsonl", "--panel", "nothing"], "there is no table 'nothing'"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(folder: Path, asked: list[str], why: str) -> None:
    assert why in run("first.jsonl", *METRICS, *asked, expect=2)
    assert not (folder / "panels.pdf").exists()


def test_studies_of_one_name_are_told_apart_by_their_files(folder: Path) -> None:
    for file, study in STUDIES.items():
        write_jsonl(replace(study, name="test"), folder / f"{file}.jsonl")
    run("first.jsonl", "--beside", "second.jsonl", *METRICS, "--out", "all.csv")
    assert list(dict.fromkeys(pd.read_csv("all.csv").study)) == ["first.jsonl", "second.jsonl"]


def test_names_of_studies_are_text(folder: Path) -> None:
    write_jsonl(replace(STUDIES["second"], name="<b>*x*</b>"), folder / "odd.jsonl")
    run("first.jsonl", "--beside", "odd.jsonl", *METRICS, "--out", "all.csv", "--figure", "panels.html")
    page = re.sub(r"<script.*?</script>", "", Path("panels.html").read_text("utf-8"), flags=re.DOTALL)
    assert "<b>*x*" not in page
    assert "&lt;b&gt;*x*" in page
