"""Test the numbers of `score --by-run`, which reads one run at a time, and which files it cannot split."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import Result

from data.cut_by_run import cut_by_run
from data.load import load_study
from data.study import DataError
from tests.command_line import trilens

METRICS = "bleu_4,cider_d,distinct_2,trm_bow,vocabulary"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def rows() -> list[dict[str, Any]]:
    """Return the lines of a study of three runs.

    One run states its settings, one has an empty list for an item, and one lacks an item.
    """
    made: list[dict[str, Any]] = [{"dataset": "dogs", "runs": {"hot": {"model": "A", "temperature": 1.5}}}]
    for k in range(12):
        said = {
            name: [f"a {word} dog {k}", f"{word} dogs run {k % 3}"] for name, word in (("hot", "big"), ("cold", "wet"))
        }
        if k != 4:
            said["third one"] = [f"dog number {k}", "a dog"]
        if k == 7:
            said["cold"] = []
        human = {name: float(k) for name in said}
        references = [f"a dog that is number {k}", "one dog runs", f"the dog {k}"]
        labels = dict.fromkeys(said, ("Visible", "Story")[k % 2])
        metadata = {"k": k, "coherence": labels, "reference_coherence": ["Visible", "Meta", None]}
        made.append({"id": f"i{k}", "references": references, "candidates": said, "human": human, "metadata": metadata})
    return made


def write(path: str, lines: list[Any]) -> Path:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    file = Path(path)
    file.write_bytes(gzip.compress(text.encode()) if path.endswith(".gz") else text.encode())
    return file


run = partial(trilens, "score")


def said(result: Result) -> str:
    return " ".join(result.output.split())


@pytest.mark.parametrize("name", ["dogs.jsonl", "dogs.jsonl.gz"])
@pytest.mark.parametrize("levels", [("corpus",), ("item", "candidate")])
def test_the_table_is_that_of_all_runs_at_once(name: str, levels: tuple[str, ...]) -> None:
    file = write(name, [*rows(), ""])
    told = [part for level in levels for part in ("--level", level)]
    for out, option in (("all.csv", ()), ("each.csv", ("--by-run",))):
        run(file, "--metrics", METRICS, "--p-values", "--no-cache", *told, "--out", out, *option)
    each, every = (pd.read_csv(name, dtype=str) for name in ("each.csv", "all.csv"))
    # Without bounds, the ends of a metric are its extremes over the items of all runs, or of the one run.
    for note in (each["note"], every["note"]):
        assert "corpus" not in levels or note.str.contains("missing for 1 item that other runs describe").any()
        note[note.str.contains("worst and the best item", na=False)] = "unbounded"
    pd.testing.assert_frame_equal(each, every)
    assert Path("all.csv").read_text().count("\n") > 12


def test_each_file_holds_its_run_on_the_items_of_all_at_their_lines(tmp_path: Path) -> None:
    file = write("dogs.jsonl", rows())
    cut = cut_by_run(file, tmp_path)
    whole = load_study([file]).study
    assert whole is not None
    assert list(cut) == [one.name for one in whole.runs] == ["hot", "cold", "third one"]
    for name, (path, lacks) in cut.items():
        assert lacks == whole.lacking.get(name, 0)
        part = load_study([path]).study
        assert part is not None
        assert [item.id for item in part.items] == [item.id for item in whole.items]
        assert part.runs == (next(one for one in whole.runs if one.name == name),)
        assert part.runs[0].coherence == whole.run(name).coherence != {}
        assert part.runs[0].coherence is not None
        assert path.read_bytes().count(b"\n") == len(rows())


def test_cutting_takes_the_memory_of_a_line(tmp_path: Path) -> None:
    peaks = []
    for times in (20, 200):
        items = [
            {**row, "id": f"{n} {row['id']}"} for n in range(times) for row in rows()[1:] if len(row["candidates"]) == 3
        ]
        file = write(f"{times}.jsonl", items)
        (tmp_path / str(times)).mkdir()
        tracemalloc.start()
        cut_by_run(file, tmp_path / str(times))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # 1,980 more lines of 400 bytes; only two numbers of each are kept.
    assert peaks[1] - peaks[0] < 150_000


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (
            [{"id": "1", "references": ["a"], "candidates": ["b", "c"]}],
            "line 1: reading one run at a time needs `candidates` by run",
        ),
        ([rows()[1], '{"id": '], "line 2: "),
        ([rows()[1], "[]"], "line 2: not an object"),
        ([{"runs": {"x": {}}}, rows()[1]], "run x has no captions"),
        ([{"runs": {}}], "has no captions of runs"),
    ],
)
def test_a_file_that_cannot_be_cut_says_line_and_remedy(lines: list[Any], why: str) -> None:
    result = run(write("odd.jsonl", lines), "--by-run", "--metrics", "vocabulary", expect=2)
    assert "odd.jsonl" in said(result)
    assert why in said(result)
    assert "Without --by-run every format is read." in said(result)


def test_runs_that_keep_other_items_are_not_put_side_by_side() -> None:
    lines = rows()
    lines[3]["candidates"]["third one"] = [17, None]
    result = run(write("dogs.jsonl", lines), "--by-run", "--metrics", "vocabulary", "--out", "out.csv", expect=2)
    assert "run third one keeps different items from the first run" in said(result)
    assert not Path("out.csv").exists()


def test_two_names_that_become_one_are_said() -> None:
    lines = [{**row, "candidates": {"hot": ["a dog"], " hot": ["a cat"]}} for row in rows()[1:]]
    result = run(write("dogs.jsonl", lines), "--by-run", "--metrics", "vocabulary", expect=2)
    assert "two runs are called hot" in said(result)


def test_it_takes_one_file_that_holds_everything() -> None:
    file = write("dogs.jsonl", rows())
    for more in ((file,), ("--references", file)):
        result = run(file, *more, "--by-run", expect=2)
        assert "--by-run takes one file" in said(result)


def test_the_cut_files_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    for status, options in ((0, ()), (2, ("--metrics", "no_such_metric"))):
        run(write("dogs.jsonl", rows()), "--by-run", "--metrics", "vocabulary", *options, expect=status)
        assert not list((tmp_path / "temporary").glob("trilens-*"))


def test_cut_by_run_names_a_broken_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="line 3"):
        cut_by_run(write("odd.jsonl", [*rows()[:2], "{"]), tmp_path)
