"""Test `trilens reproduce`: its table of printed and recomputed numbers, and every recipe that ships."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pandas as pd
import pytest
import typer

from cli.app import app
from data import paper_recipe as recipes
from data.convert import write_jsonl
from data.study import DataError
from metrics.analysis.references.tables import PUBLISHED
from metrics.analysis.reproduced import ABSENT, BEYOND, Compared
from metrics.engine import scoring
from metrics.registry import METRICS, resolve
from tests.command_line import trilens
from tests.engine.recipe_files import MADE, REAL, cut
from tests.studies import study as random_study

STUDY = random_study(items=6, references=4, runs=2)
NAMES = [run.name for run in STUDY.runs]
HEAD = 'paper = "Doe 2020"\ntable = "table 1"\nsource = "table 1 of the paper"\ndiffers = "Nothing differs."\n'
FILE = '[[files]]\nname = "study.jsonl"\nholds = "two runs"\npublished = "https://example.org/study"\n'
STEP = '[[steps]]\ncommand = "score study.jsonl --metrics bleu_1,rouge_l"\nby = ["run", "metric"]\nscale = 100\n'


def printed(*rows: tuple[str, ...]) -> str:
    return f"printed = {[list(row) for row in rows]}\n".replace("'", '"')


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(recipes, "FOLDER", tmp_path / "recipes")
    (tmp_path / "recipes").mkdir()
    (tmp_path / "files").mkdir()
    write_jsonl(STUDY, tmp_path / "files" / "study.jsonl")
    return tmp_path / "files"


def write(folder: Path, text: str, name: str = "doe-2020") -> None:
    (folder.parent / "recipes" / f"{name}.toml").write_text(text)


run = partial(trilens, "reproduce")


def bleu(name: str) -> float:
    return 100 * scoring.score(STUDY, (METRICS["bleu_1"],))[name, "bleu_1"].corpus


def test_a_number_beyond_its_rounding_is_marked(folder: Path, tmp_path: Path) -> None:
    near, far = bleu(NAMES[0]), bleu(NAMES[1]) + 0.1
    write(folder, HEAD + FILE + STEP + printed((NAMES[0], "bleu_1", f"{near:.1f}"), (NAMES[1], "bleu_1", f"{far:.1f}")))
    done = run("doe-2020", "--data", folder, "--out", tmp_path / "out.csv")
    table = pd.read_csv(tmp_path / "out.csv", dtype={"printed": str}).fillna("")
    assert table.printed.tolist() == [f"{near:.1f}", f"{far:.1f}"]
    assert table.recomputed.tolist() == pytest.approx([near, far - 0.1])
    assert table.difference.tolist() == pytest.approx([near - round(near, 1), far - 0.1 - round(far, 1)])
    assert table.mark.tolist() == ["", BEYOND]
    assert "doe-2020: 1 of 2 numbers agree with the printed digits, 1 differ beyond rounding. Nothing differs." in (
        done.stderr
    )
    assert run("--data", folder).stdout.count("beyond rounding") == 1


@pytest.mark.parametrize(
    ("text", "value", "mark"),
    [
        ("0.579", 0.5794, ""),
        ("0.579", 0.5795, ""),  # halfway, where programs round either way
        ("0.579", 0.57951, BEYOND),
        (".57", 0.5649, BEYOND),
        ("-.63", -0.634, ""),
        ("1922", 1922.4, ""),
        ("1922", 1923.0, BEYOND),
        ("0.600", 0.5994, BEYOND),
        ("0.6", 0.5994, ""),
        ("0.6", float("nan"), ABSENT),
    ],
)
def test_the_mark_goes_by_the_printed_digits(text: str, value: float, mark: str) -> None:
    assert Compared(text, value).mark == mark


def test_a_missing_file_is_named_with_where_it_is_published(folder: Path) -> None:
    write(folder, HEAD + FILE + STEP + printed((NAMES[0], "bleu_1", "1.0")))
    (folder / "study.jsonl").unlink()
    done = run("doe-2020", "--data", folder, expect=2)
    said = f"doe-2020: {folder / 'study.jsonl'} is missing (two runs). It is published at https://example.org/study"
    assert said in done.stderr.replace("\n", "")
    run("--data", folder, expect=2)
    assert "there is no such folder" in run("doe-2020", "--data", folder / "none", expect=2).stderr
    assert "--data FOLDER" in run("doe-2020", expect=2).stderr


def test_an_unknown_name_gives_the_nearest(folder: Path) -> None:
    write(folder, HEAD + FILE + STEP + printed((NAMES[0], "bleu_1", "1.0")))
    done = run("doe-2002", "--data", folder, expect=2)
    assert done.stderr == ("there is no recipe 'doe-2002'; did you mean doe-2020?\n")
    assert run("doe-2002", expect=2).stderr == done.stderr, "the name is checked before the folder"
    assert "`trilens reproduce --list` shows all" in run("smith", "--data", folder, expect=2).stderr


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        (STEP + printed(("Nobody", "bleu_1", "1.0")), "has no row of run Nobody, metric bleu_1"),
        (STEP.replace('["run", "metric"]', '["run"]') + printed((NAMES[0], "1.0")), f"has 2 rows of run {NAMES[0]}"),
        (STEP.replace('"metric"]', '"metrik"]') + printed((NAMES[0], "bleu_1", "1.0")), "has no column metrik; it has"),
        (STEP.replace("study.jsonl", "study.jsonl other.jsonl") + printed((NAMES[0], "bleu_1", "1")), "gave no table"),
    ],
)
def test_a_recipe_that_does_not_fit_its_table_says_where(folder: Path, step: str, problem: str) -> None:
    write(folder, HEAD + FILE + step)
    done = run("doe-2020", "--data", folder, expect=2)
    assert problem in done.stderr.replace("\n", " ")


def test_what_could_not_be_computed_is_said_and_ends_with_1(folder: Path) -> None:
    step = STEP.replace("bleu_1,rouge_l", "nll").replace("scale = 100\n", "")
    write(folder, HEAD + FILE + step + printed((NAMES[0], "nll", "5.7")))
    done = run("doe-2020", "--data", folder, expect=1)
    assert ABSENT in done.stdout
    assert "; 1 could not be computed" in done.stderr


ROW = printed((NAMES[0], "bleu_1", "1.0"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("paper = ", "doe-2020.toml: "),
        (FILE + STEP + ROW, "the recipe lacks paper, table, source"),
        ("author = 1\n" + HEAD + FILE + STEP + ROW, "the recipe has author"),
        (HEAD.replace('"Doe 2020"', "1") + FILE + STEP + ROW, "`paper` of the recipe is not text"),
        (HEAD + FILE.replace("published", "url") + STEP + ROW, "file 1 has url"),
        (HEAD + FILE.replace('"study.jsonl"', '"other.jsonl"') + STEP + ROW, "no command reads other.jsonl"),
        (HEAD + FILE + STEP, "step 1 lacks printed"),
        (HEAD + FILE + STEP + printed((NAMES[0], "bleu_1")), "row 1 of `printed` in step 1 has 2 cells, not 3"),
        (HEAD + FILE + STEP + printed((NAMES[0], "bleu_1", "12 %")), "'12 %' is not a number as printed"),
        (HEAD + FILE + STEP + printed((NAMES[0], "bleu_1", "1e3")), "'1e3' is not a number as printed"),
        (HEAD + FILE + STEP.replace("bleu_1,", "'bleu_1 "), "step 1 lacks printed"),
        (HEAD + FILE + STEP.replace("bleu_1,", "'bleu_1 ") + ROW, "cannot be split into words"),
        (HEAD + FILE + STEP.replace("--metrics", "--out a.csv --metrics") + ROW, "and no --out"),
        (HEAD + FILE + STEP.replace("100", '"100"') + ROW, "`scale` a number"),
        (HEAD + "files = []\n" + STEP + ROW, "the recipe has no [[files]]"),
    ],
)
def test_a_file_that_is_no_recipe_is_refused(folder: Path, text: str, problem: str) -> None:
    write(folder, text)
    with pytest.raises(DataError) as caught:
        recipes.recipe("doe-2020")
    assert problem in str(caught.value)
    run("--list", expect=2)


@pytest.mark.parametrize("name", recipes.names())
def test_a_recipe_that_ships_has_commands_and_metrics_that_exist(name: str) -> None:
    """The options of a recipe belong to its commands, and its metrics are registered; no command is run."""
    program = typer.main.get_command(app)
    one = recipes.recipe(name)
    assert one.numbers
    for step in one.steps:
        command = program.get_command(None, step.words[0])  # type: ignore[attr-defined]
        given = command.make_context(step.words[0], [*step.words[1:], "--out", "table.csv"]).params
        assert given["out"] == Path("table.csv")
        wanted = given.get("metrics")
        resolve([*wanted.split(",")] if wanted else [], study=STUDY)


@pytest.mark.parametrize("name", MADE)
def test_every_printed_number_has_its_cell_on_files_of_the_layout_that_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    MADE[name](recipes.recipe(name), tmp_path)
    assert_every_number(name, tmp_path)


@pytest.mark.parametrize("name", REAL)
def test_every_printed_number_has_its_cell_in_the_first_lines_of_the_published_files(
    name: str, realdata: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    cut(recipes.recipe(name), realdata, tmp_path)
    assert_every_number(name, tmp_path)


def assert_every_number(name: str, folder: Path) -> None:
    run(name, "--data", folder, "--out", folder / "out.csv")
    table = pd.read_csv(folder / "out.csv")
    assert len(table) == recipes.recipe(name).numbers
    assert table.recomputed.notna().all()


def test_every_recipe_that_ships_is_tried() -> None:
    assert sorted([*MADE, *REAL]) == recipes.names()


def test_the_list_has_every_recipe_with_its_files() -> None:
    done = run("--list")
    assert len(recipes.names()) >= 3
    for one in map(recipes.recipe, recipes.names()):
        assert one.paper in done.stdout
        assert all(file.published in done.stdout for file in one.files)


def test_the_references_page_prints_the_numbers_of_the_recipes() -> None:
    for name, study in (("zhu-2020-coco", "COCO"), ("zhu-2020-flickr8k", "Flickr8k")):
        (step,) = recipes.recipe(name).steps
        rows = {row.cells[0]: [float(number) / 100 for number in row.printed] for row in step.rows}
        for metric, numbers in PUBLISHED[study].items():
            assert rows[f"consensus_{metric.removeprefix('consensus_')}"] == pytest.approx(numbers)


def test_systems_of_2015_differ_from_the_printed_correlations_and_are_marked(realdata: Path, tmp_path: Path) -> None:
    run("spice-systems", "--data", realdata, "--out", tmp_path / "out.csv")
    table = pd.read_csv(tmp_path / "out.csv").set_index("row")
    assert table.recomputed["SPICE_c40"] > table.recomputed["METEOR_c40"] > table.recomputed["CIDEr_c40"]
    assert set(table.mark) == {BEYOND}


def test_the_demonstration_of_the_coco_evaluation_agrees_to_the_digit(realdata: Path, tmp_path: Path) -> None:
    """The demonstration is that of the COCO evaluation code (Chen et al. 2015)."""
    done = run("coco-demo", "--data", realdata, "--out", tmp_path / "out.csv")
    assert "coco-demo: 7 of 7 numbers agree with the printed digits, 0 differ beyond rounding." in done.stderr
