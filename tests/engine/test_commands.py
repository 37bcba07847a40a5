"""Test that the command lines in a report reproduce its numbers."""

from __future__ import annotations

import base64
import html
import io
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from data.convert import write_jsonl
from figures.report import commands
from figures.views.registry import COMMANDS, view
from figures.views.view import Known, defaults
from metrics.analysis.unique_correct import experiment
from metrics.analysis.unique_correct.variance_shares import variance_shares
from metrics.cache.disk import Cache
from metrics.registry import METRICS, TRMS
from metrics.transformations import TRANSFORMATIONS
from tests.command_line import trilens
from tests.studies import study as random_study

NAMES = ("trm_bow", "cider_d", "distinct_2", "corpus_self_bleu_4")
ASKED = ["--metrics", ",".join(NAMES), "--without", "cloud", "--images", "image 2,image 0"]


def run(line: str) -> None:
    """Run a line that a report prints.

    `robustness` must exit with status 1, since some metric has no curve for random captions.
    """
    start, *arguments = shlex.split(line)
    assert start == "trilens"
    trilens(*arguments, expect=int(arguments[0] == "robustness"))


def lines_of(made: str) -> list[str]:
    return [
        line
        for block in re.findall(r"<pre>(.*?)</pre>", made, re.S)
        for line in html.unescape(block).splitlines()
        if line.startswith("trilens ")
    ]


def undated(made: str) -> str:
    """Return a report without its date, since the day may change between two reports."""
    found, times = re.subn(r"\d{4}-\d\d-\d\d by Trilens", "by Trilens", made)
    assert times == 1
    return found


def table_of(made: str, name: str) -> pd.DataFrame:
    data = re.search(rf'download="{name}\.csv" href="data:text/csv;base64,([^"]+)"', made)
    assert data is not None
    return pd.read_csv(io.BytesIO(base64.b64decode(data[1])))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a folder with reports on a file whose name needs quotation marks; the reports share one cache.

    While tests run the command lines that the reports print, another cache is set.
    """
    made = tmp_path_factory.mktemp("reports")
    with pytest.MonkeyPatch.context() as here:
        here.chdir(made)
        here.setenv("TRILENS_CACHE", str(made / "first"))
        write_jsonl(replace(random_study(items=20, references=6), name="A private study"), made / "my study.jsonl")
        for more in (["first.html"], ["hidden.html", "--anonymous"]):
            trilens("report", "my study.jsonl", *ASKED, "--out", *more)
        here.setenv("TRILENS_CACHE", str(made / "second"))
        yield made


def test_every_line_gives_the_numbers_again(folder: Path) -> None:
    report = (folder / "first.html").read_text(encoding="utf-8")
    lines = lines_of(report)
    named = [line.split()[1] for line in lines]
    assert set(COMMANDS) - {"arena", "judging"} <= set(named)  # there are no preferences and no judge's answers
    others = ["score", "report", "agreement", "robustness", "sensitivity", "consensus"]
    assert [name for name in named if name not in COMMANDS] == others
    for line in lines:
        run(line)
    tested, sets = table_of(report, "sensitivity"), pd.read_csv(folder / "sensitivity.csv")
    assert tested.p.tolist() == pytest.approx(sets.p_median.tolist(), nan_ok=True)
    assert tested["p of all images"].tolist() == pytest.approx(sets.p_corpus.tolist(), nan_ok=True)
    areas = pd.read_csv(folder / "robustness.csv").drop_duplicates(["of", "transformation", "metric"])
    shown = pd.concat([table_of(report, "robustness-of-captions"), table_of(report, "robustness-of-sets-of-captions")])
    labels = [TRANSFORMATIONS[name].label for name in areas.transformation], [METRICS[n].label for n in areas.metric]
    told = dict(zip(zip(shown.Fault, shown.Metric), shown["Score kept"]))
    assert len(told) == len(shown)
    assert told == pytest.approx(dict(zip(zip(*labels), areas.area)), nan_ok=True)
    power, drawn = table_of(report, "power"), pd.read_csv(folder / "power.csv")
    assert power["200"].tolist() == drawn[drawn["items"] == 200].power.tolist()
    board = table_of(report, "leaderboard").set_index("Run")
    scores = pd.read_csv(folder / "scores.csv").set_index(["metric", "run"])
    for name in NAMES:
        label = METRICS[name].label
        for run_name in ("run 0", "run 1"):
            row = scores.loc[name, run_name]
            assert board.loc[run_name, label] == row.value
            assert board.loc[run_name, f"{label} 95 % from"] == row.ci_low
    cells = table_of(report, "unique-correct")
    found = pd.read_csv(folder / "unique-correct.csv")
    for metric in found.metric.unique():
        assert cells[cells.metric == metric].value.tolist() == found[found.metric == metric].value.tolist()
    said, told = pd.read_csv(folder / "words.csv"), table_of(report, "words")
    ratios = [dict(zip(of.term, of.times)) for _, of in said.groupby("run")]
    assert dict(zip(told.term, told.times)) in ratios
    assert undated((folder / "report.html").read_text(encoding="utf-8")) == undated(report)


def test_those_of_an_anonymous_report_do_so_of_the_same_study(folder: Path) -> None:
    first, hidden = ((folder / name).read_text(encoding="utf-8") for name in ("first.html", "hidden.html"))
    names = ("my study", "A private study", "jsonl sha256:")
    assert all(name in first for name in names)
    assert not any(name in hidden for name in names)
    (folder / "study.jsonl").write_bytes((folder / "my study.jsonl").read_bytes())
    (again,) = (line for line in lines_of(hidden) if line.split()[1] == "report")
    run(again)
    again = (folder / "report.html").read_text(encoding="utf-8")
    assert not any(name in again for name in names)
    assert lines_of(again) == lines_of(hidden)
    pd.testing.assert_frame_equal(table_of(again, "leaderboard"), table_of(hidden, "leaderboard"), check_exact=True)


def test_an_experiment_of_another_design_is_repeated_by_its_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    study, trm, design = random_study(items=5, references=9), TRMS["ROUGE-L"], experiment.Design(3, 2, 4, seed=7)
    write_jsonl(study, tmp_path / "study.jsonl")
    shown, known = view("unique_correct"), Known(study, distances=TRMS)
    asked = {"distance": "ROUGE-L", "size": "3", "held": "2", "repeats": "4", "seed": "7"}
    choice = defaults(shown, known, asked)
    assert isinstance(choice, dict)
    run(commands.view(commands.CommandInputs(), shown, known, choice))
    found = variance_shares(experiment.experiment(study, design, trm, Cache(None)), trm, study)
    table = pd.read_csv(tmp_path / "unique-correct.csv")
    for metric, surface in found.both:
        assert table[table.metric == metric.name].value.tolist() == surface.mean.tolist()


def test_a_run_that_is_not_one_of_several_is_named_unless_it_is_the_default() -> None:
    """The run of a judge's own model is such a run; the command of Words includes every run."""
    known = Known(random_study(items=3, runs=2))
    for shown, key, named in ((view("judging"), "own-model", True), (view("words"), "run", False)):
        choice = {control.name: control.default(known, {}) for control in shown.controls}
        first = commands.view(commands.CommandInputs(), shown, known, choice)
        other = commands.view(commands.CommandInputs(), shown, known, {**choice, key: "run 1"})
        assert ("run 1" in other, "run 1" in first) == (named, False)
