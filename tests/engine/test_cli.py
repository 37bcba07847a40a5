"""Test the command line as a program: its output, its files, and its exit status."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from typer.main import get_command
from typer.testing import Result

from cli.app import Task, app
from cli.command_groups import GROUPS
from data.convert import write_jsonl
from figures.views.registry import COMMANDS
from metrics.base import Metric
from metrics.cache.disk import Cache, entry_key
from metrics.engine import scoring
from metrics.engine.scores_table import COLUMNS, scores
from metrics.engine.tasks import Options
from metrics.guide import documentation
from metrics.guide.tasks import TASKS
from metrics.registry import LEARNED, METRICS, resolve
from tests.command_line import trilens as run
from tests.studies import study

NAMES = "bleu_4,trm_bow,vocabulary"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "study.jsonl"
    write_jsonl(study(), path)
    return path


def read(result: Result) -> pd.DataFrame:
    from io import StringIO

    return pd.read_csv(StringIO(result.stdout), sep="\t")


def test_list_names_every_metric() -> None:
    result = run("list")
    assert all(name in result.stdout for name in METRICS | LEARNED)
    assert max(map(len, result.stdout.splitlines())) <= 100
    signed = run("list", "--signatures").stdout
    assert all(metric.signature in signed for metric in METRICS.values())


@pytest.mark.parametrize("task", TASKS)
def test_list_names_what_a_task_is_measured_by(task: str) -> None:
    said = run("list", "--for", task).stdout
    assert " ".join(said.split()).startswith(f"{task}: {TASKS[task].says}")
    assert len(re.findall(r"[.!?](?:\s|$)", TASKS[task].says)) == 1
    names = said.strip().rpartition(" ")[2].split(",")
    assert [metric.name for metric in map(one_metric, names)] == list(TASKS[task].metrics)
    assert "'music' is not one of" in run("list", "--for", "music", expect=2).stderr
    assert set(get_args(Task)) == set(TASKS)


def one_metric(name: str) -> Metric:
    (found,) = resolve([name])
    return found


def test_list_has_two_formats_and_no_third() -> None:
    assert run("list", "--format", "markdown").stdout == documentation.markdown()
    assert run("list", "--format", "table").stdout == run("list").stdout
    refused = run("list", "--format", "json", expect=2)
    assert not refused.stdout
    assert "'table', 'markdown'" in refused.stderr


def test_help_lists_every_command_once_in_lines_that_fit() -> None:
    named = [name for group in GROUPS.values() for name in group]
    registered = {*COMMANDS, *get_command(app).commands}  # type: ignore[attr-defined]
    assert sorted(named) == sorted(registered)
    listed = run("--help").output.splitlines()
    assert max(map(len, listed)) <= 80
    assert all(any(line.endswith(said) for line in listed) for group in GROUPS.values() for said in group.values())


def test_a_file_that_is_not_there_is_no_unknown_command() -> None:
    refused = run("stduy.jsonl", expect=2)
    assert "stduy.jsonl: there is no such file" in refused.stderr
    assert "Did you mean 'score'" in run("scroe", expect=2).stderr


@pytest.mark.parametrize("command", ["check", "score"])
def test_a_map_of_fields_that_no_file_has_ends_the_command(file: Path, command: str) -> None:
    refused = run(command, file, "--map", "id=doc_id", "--no-cache" if command == "score" else "--keep-going", expect=2)
    assert "--map names fields that no file has" in refused.stderr


def test_score_prints_the_table_of_the_engine(file: Path) -> None:
    result = run("score", file, "--metrics", NAMES, "--tokenizer", "whitespace", "--p-values")
    of = study()
    expected = scores(of, scoring.score(of, resolve(NAMES.split(","), "whitespace"), Options(p_values=True)))
    found = read(result)
    assert tuple(found.columns) == COLUMNS
    assert found.value.tolist() == expected.value.tolist()
    assert found.p_value.dropna().tolist() == expected.p_value.dropna().tolist()
    assert found.signature.tolist() == expected.signature.tolist()


@pytest.mark.parametrize("ending", ["csv", "parquet", "json"])
def test_score_writes_files(file: Path, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"scores.{ending}"
    run("score", file, "--metrics", "bleu_4", "--level", "item", "--level", "candidate", "--out", out)
    reader = {"csv": pd.read_csv, "parquet": pd.read_parquet, "json": lambda p: pd.DataFrame(json.loads(p.read_text()))}
    table = reader[ending](out)  # type: ignore[operator]
    assert set(table.level) == {"item", "candidate"}
    assert len(table) == 2 * (6 + 30)


def test_what_was_written_is_counted_with_what_has_a_number(tmp_path: Path) -> None:
    path, out = tmp_path / "mine.jsonl", tmp_path / "out.csv"
    path.write_text('{"id": "1", "references": ["A dog.", "One dog."], "candidates": {"mine": ["A cat."]}}\n')
    asked = ("--tokenizer", "whitespace", "--out", out)
    done = run("score", path, "--metrics", "bleu_1,self_bleu_2", *asked)
    assert "out.csv: 2 rows, 1 with a number" in done.stderr
    assert pd.read_csv(out).error.notna().sum() == 1
    assert "out.csv: 1 row, 1 with a number" in run("score", path, "--metrics", "bleu_1", *asked).stderr
    assert "rows with `error` state why the other numbers are impossible" in " ".join(
        run("score", "--help").stdout.split()
    )


def test_unknown_metric_is_bad_input_with_a_hint(file: Path) -> None:
    result = run("score", file, "--metrics", "blue_4", expect=2)
    assert "there is no metric or set named 'blue_4'; did you mean bleu_4" in result.output
    several = run("score", file, "--metrics", "blue_4,bleu_1,sef_bleu", expect=2).output
    assert [line.split("'")[1] for line in several.splitlines() if "did you mean" in line] == ["blue_4", "sef_bleu"]


@pytest.mark.parametrize("command", ["score", "compare", "bundle", "report"])
@pytest.mark.parametrize("names", ["", " , "])
def test_no_metric_at_all_is_bad_input(file: Path, tmp_path: Path, command: str, names: str) -> None:
    endings = {"score": "csv", "compare": "csv", "bundle": "zip", "report": "html"}
    out = tmp_path / f"x.{endings[command]}"
    result = run(command, file, "--metrics", names, "--out", out, expect=2)
    assert "Name a metric or a set: `trilens list` shows all." in result.stderr
    assert not out.exists()


NO_ENCODER = ("--metrics", "trm_bert,mmd_bert", "--encoder", "nope/nope")


@pytest.mark.parametrize(
    ("command", "asked", "said"),
    [
        ("score", ("--jobs", 0), "--jobs takes a number from 1, or -1: as many as there are cores"),
        ("score", ("--jobs", -2), "--jobs takes a number from 1"),
        ("score", ("--seed", -1), "--seed takes a number from 0"),
        ("compare", ("--seed", -1), "--seed takes a number from 0"),
        ("score", NO_ENCODER, "There is no encoder 'nope/nope': neither a folder nor"),
        ("compare", NO_ENCODER, "There is no encoder 'nope/nope': neither a folder nor"),
    ],
)
def test_a_value_that_an_option_does_not_take_is_a_sentence(
    file: Path, command: str, asked: tuple[object, ...], said: str
) -> None:
    result = run(command, file, *asked, expect=2)
    assert said in result.stderr
    assert "Traceback" not in result.output


def test_as_many_jobs_as_there_are_cores(file: Path) -> None:
    run("score", file, "--metrics", "bleu_4", "--tokenizer", "whitespace", "--jobs", -1)
    assert "-1 uses all cores" in " ".join(run("score", "--help").output.split())


def test_absent_file_is_bad_input(tmp_path: Path) -> None:
    result = run("score", tmp_path / "absent.json", expect=2)
    assert "absent.json: there is no such file" in result.output.replace("\n", "")


def test_output_that_cannot_be_written_is_said_before_the_work(file: Path, tmp_path: Path) -> None:
    assert "write to a .csv, .parquet or .json file" in run("score", file, "--out", tmp_path / "x.xls", expect=2).output
    assert "there is no folder" in run("score", file, "--out", tmp_path / "no" / "x.csv", expect=2).output


def test_broken_file_is_bad_input_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text('[{"image_id": 1, "caption": "a dog"},\n {"image_id": 2, "cap')
    result = run("check", path, expect=2)
    assert "line 2" in " ".join(result.output.split())


ODD = [
    "<think>Hm.</think>a dog",
    "ASSISTANT: a dog</s>",
    '{"caption": "a dog"}',
    "a\ndog",
    "I'm sorry, but I can't see the image.",
    "5",
    "NaN",
]


def test_check_names_the_option_of_each_repair(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("id,model,caption\n1,A,a dog\n1,A,\n1,A,the dog\n1,B, a cat\n1,refrence,one dog\n")
    said = " ".join(run("check", path).output.split())
    assert "--repair one_each draws one caption of each item" in said
    assert "If people wrote them, --repair people_as_references takes them as people's; or move them" in said
    assert "Metrics ignore them, except for the compression ratio; --repair trim_captions removes them." in said
    assert "he repair" not in said


def test_repairs_are_made_and_taken_back(tmp_path: Path) -> None:
    path, out = tmp_path / "mine.json", tmp_path / "out.jsonl"
    rows = [{"id": str(k), "references": ["One dog."], "candidates": {"m": [text]}} for k, text in enumerate(ODD)]
    path.write_text(json.dumps(rows))
    named = "drop_thoughts,drop_tokens,unwrap,drop_non_captions,-join_lines"
    said = " ".join(run("convert", path, "--out", out, "--repair", named).output.split())
    assert "Repaired: Leave out what a model thinks before its caption (<think>)." in said
    assert "Not repaired: Turn line breaks inside captions into spaces, " in said
    assert "(--repair join_lines)." in said
    told = " ".join(run("check", path).output.split())
    assert "By default they become spaces. --repair -join_lines takes this back." in told
    items = [json.loads(line) for line in out.read_text().splitlines()[1:]]
    assert {item["id"]: item["candidates"]["m"] for item in items} == {str(k): ["a dog"] for k in range(3)} | {
        "3": ["a\ndog"]
    }
    refused = run("check", path, "--repair", "magic", expect=2)
    assert "--repair: there is no repair 'magic'; there are match_ids, " in " ".join(refused.output.split())
    near = run("check", path, "--repair", "drop_thougts", expect=2).stderr.splitlines()[-1]
    assert near == "--repair: there is no repair 'drop_thougts'; did you mean drop_thoughts?"


def test_one_run_is_not_called_runs(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text('{"id": "1", "references": ["A dog.", "One dog."], "candidates": {"mine": ["A cat."]}}\n')
    assert "1 item, 1 run: mine" in run("check", path).output


def test_numbers_that_failed_exit_with_1(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("metrics.needs.unmet", lambda need: "install METEOR" if need == "meteor" else None)
    result = run("score", file, "--metrics", "meteor,vocabulary", "--tokenizer", "whitespace", expect=1)
    table = read(result).set_index("metric")
    assert (table.loc["meteor", "error"] == "install METEOR").all()
    assert table.loc["vocabulary", "value"].notna().all()


def test_convert_keeps_every_number(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "again.jsonl"
    run("convert", file, "--out", out)
    one, other = (run("score", path, "--metrics", NAMES, "--tokenizer", "whitespace") for path in (file, out))
    pd.testing.assert_frame_equal(read(one).drop(columns="dataset"), read(other).drop(columns="dataset"))


@pytest.mark.parametrize("to", [(), ("--to", "coco")])
def test_convert_says_what_it_leaves_out(to: tuple[str, ...], tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("image,model,caption,ref_1,CIDEr\n" + "".join(f"{k},m,a dog {k},a dog,0.{k}\n" for k in range(4)))
    out = tmp_path / ("coco" if to else "out.jsonl")
    result = run("convert", sheet, "--out", out, *to)
    assert "Left out, as there is no place for them: scores by CIDEr. `trilens bundle` keeps them." in result.output


def test_cache_says_what_it_holds_and_empties(file: Path) -> None:
    run("score", file, "--metrics", "bleu_4", "--tokenizer", "whitespace")
    assert "results: 2 entries" in run("cache", "info").stdout
    assert run("cache", "clear").stdout.startswith("freed")
    assert "0 entries" in run("cache", "info").stdout


def test_one_entry_of_the_cache_is_counted_as_one(tmp_path: Path) -> None:
    Cache(tmp_path).put(entry_key("stats", "a metric", "texts"), {"numbers": np.arange(3)})
    assert ": 1 entry, " in run("cache", "info", "--cache-dir", tmp_path).stdout


def test_no_cache_keeps_nothing(file: Path) -> None:
    run("score", file, "--metrics", "bleu_4", "--tokenizer", "whitespace", "--no-cache")
    assert "0 entries" in run("cache", "info").stdout


def test_chinese_is_scored_by_characters(tmp_path: Path) -> None:
    path, idf = tmp_path / "zh.json", tmp_path / "idf.npz"
    rows = [
        {"id": "1", "references": ["沙滩上有一只狗"], "candidates": {"m": ["沙滩上的狗"]}},
        {"id": "2", "references": ["桌上有两个杯子"], "candidates": {"m": ["桌上的杯子"]}},
    ]
    path.write_text(json.dumps(rows))
    assert "--repair character_tokens takes characters for words" in " ".join(run("check", path).output.split())
    made = [
        run("score", path, "--metrics", "bleu_1,distinct_1", *option, "--no-cache").stdout
        for option in (["--repair", "character_tokens"], ["--tokenizer", "zh"])
    ]
    assert made[0] == made[1]
    assert "bleu_1|v1|smooth:coco|len:closest|tok:zh" in made[0]
    run("idf", path, "--out", idf, "--repair", "character_tokens")
    refused = run("report", path, "--out", tmp_path / "r.html", "--repair", "character_tokens", "--idf", idf, expect=2)
    assert "counted with the tokenizer zh" in refused.output.replace("\n", " ")
