"""Test metrics from a user's own file: they are listed and signed, work everywhere, and are refused if they break a
rule.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from cli.app import app
from data.convert import write_jsonl
from figures.report import commands
from metrics.cache.disk import Cache
from metrics.engine import scoring, source_code
from metrics.engine.tasks import Options
from metrics.extensions import plugins
from metrics.extensions.plugin_checks import PluginError
from metrics.guide import documentation
from metrics.registry import METRICS, SETS, TRMS, resolve
from metrics.suite.distribution import Trm
from tests.studies import study

ROOT = Path(__file__).parents[2]
METRIC = '''
from dataclasses import dataclass
from metrics import ItemMetric

@dataclass(frozen=True)
class Gap(ItemMetric):
    """How far the mean numbers of words of both sides are apart."""
    most: int = 50
    name, label, family, higher_is_better = "length_gap", "Length gap", "distribution", False
    bounds, source = (0.0, 50.0), "our own"
    formula, summary = r"|l_C - l_R|", "0 where both sides are equally long."

    def value(self, context, chunk, index):
        sides = chunk.candidates[index], chunk.references[index]
        first, second = (sum(min(len(t.split()), self.most) for t in side) / len(side) for side in sides)
        return abs(first - second)

METRICS = (Gap(),)
'''
DISTANCE = '''
from dataclasses import dataclass
import numpy as np
from metrics import WordDistance

@dataclass(frozen=True)
class Shared(WordDistance):
    """1 - Jaccard index of the sets of words."""
    name, label = "shared", "Shared words"

    def pairs(self, context, chunk, index):
        sets = [set(tokens) for tokens in chunk.tokens(self.tokenizer, index)]
        return np.array([[len(a & b) / max(len(a | b), 1) for b in sets] for a in sets])

DISTANCES = (Shared("whitespace"),)
'''
CODED = '''
from dataclasses import dataclass
import numpy as np
from metrics import TextEncoder

@dataclass(frozen=True)
class Letters(TextEncoder):
    """Counts of letters."""
    name, label = "letters", "Letters"

    def encode(self, texts):
        return np.array([[text.lower().count(c) for c in "abcdefghijklmnopqrstuvwxyz"] for text in texts], dtype="f")

ENCODERS = (Letters(),)
'''


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    yield
    for one in plugins.loaded():
        plugins.unload(one)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "my_metrics.py"
    path.write_text(METRIC)
    return path


def run(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return done.exit_code, done.output


def test_a_plugin_is_a_metric_like_any_other(file: Path) -> None:
    made = plugins.load(file)
    assert plugins.load(file) is made, "the same file twice is one plug-in"
    metric = METRICS["length_gap"]
    assert metric.signature == f"length_gap|v1|most:50|plugin:{made.digest}"
    assert metric in resolve(["fast"])
    assert "length_gap" in SETS["full"]
    assert "From the plug-in my_metrics.py." in documentation.summary(metric)
    assert "### `length_gap`: Length gap" in documentation.markdown()
    assert resolve(["length_gap(most=5)"])[0].signature == f"length_gap|v1|most:5|plugin:{made.digest}"
    plugins.unload(made)
    assert "length_gap" not in METRICS
    assert "length_gap" not in SETS["full"]


def test_the_command_line_lists_and_scores_it(file: Path, tmp_path: Path) -> None:
    assert "length_gap|v1|most:50|plugin:" in run("list", "--signatures", "--plugin", file)[1]
    write_jsonl(study(), tmp_path / "study.jsonl")
    code, said = run(
        "score",
        tmp_path / "study.jsonl",
        "--plugin",
        file,
        "--metrics",
        "length_gap",
        "--out",
        tmp_path / "s.csv",
        "--level",
        "item",
        "--no-cache",
    )
    assert code == 0, said
    of = study()
    table = pd.read_csv(tmp_path / "s.csv").set_index(["run", "item"]).value
    for one in of.runs:
        for item in of.items:
            means = [
                sum(len(t.split()) for t in side) / len(side) for side in (one.candidates[item.id], item.references)
            ]
            assert table[one.name, item.id] == pytest.approx(abs(means[0] - means[1]), rel=0, abs=1e-12)


def test_an_edit_reads_no_old_number(file: Path, tmp_path: Path) -> None:
    cache, of = Cache(tmp_path / "cache"), study()
    first = plugins.load(file)
    before = METRICS["length_gap"]
    scoring.score(of, [before], Options(), cache)
    assert not scoring.plan(of, [before], Options(), cache).todo
    plugins.unload(first)
    file.write_text(METRIC.replace("return abs(first - second)", "return abs(first - second) / 2"))
    plugins.load(file)
    assert METRICS["length_gap"].signature != before.signature
    assert len(scoring.plan(of, [METRICS["length_gap"]], Options(), cache).todo) == 2


def test_a_distance_of_a_plugin_has_its_triangle_rank_metric(tmp_path: Path) -> None:
    path = tmp_path / "far.py"
    path.write_text(DISTANCE)
    made = plugins.load(path)
    trm = METRICS["trm_shared"]
    assert isinstance(trm, Trm)
    assert TRMS["Shared words"] == trm
    assert trm.signature == f"trm_shared|v1|ties:shared|tok:whitespace|plugin:{made.digest}"
    assert made.digest in trm.space.signature, "its matrices are kept under it"
    of = study()
    found = scoring.score(of, [trm], Options(p_values=True, draws=99, resamples=50))
    assert 0 < found["run 0", "trm_shared"].corpus < 8 / 3
    assert 0 < found["run 0", "trm_shared"].p_value <= 1
    assert "unique-correct" not in run("unique-correct", "nothing.json", "--plugin", path, "--distance", "shared")[1]


def broken(change: str, into: str) -> str:
    assert change in METRIC
    return METRIC.replace(change, into)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("METRICS = (", "line 1: it is not Python"),
        ("x = 1\nraise RuntimeError('no luck')", "line 2: RuntimeError: no luck"),
        ("import sys\nsys.exit(3)", "line 2: SystemExit: 3"),
        ("x = 1", "it defines none of METRICS, DISTANCES, ENCODERS, TRANSFORMATIONS"),
        (broken("(Gap(),)", "Gap()"), "line 18: METRICS is not a tuple"),
        (broken("(Gap(),)", "(Gap,)"), "line 18: METRICS holds the class Gap: write Gap()"),
        (broken("(Gap(),)", "(3,)"), "line 18: METRICS holds 3, which is not a Metric"),
        (broken("@dataclass(frozen=True)\n", ""), "line 5: Gap: write @dataclass(frozen=True) above the class"),
        (broken("frozen=True", "frozen=False"), "TypeError: cannot inherit non-frozen"),
        (broken('"length_gap"', '"bleu_4"'), "line 9: Gap: the name bleu_4 is taken"),
        (broken('"length_gap"', '"Length gap"'), "line 9: Gap: the name 'Length gap' must consist of lowercase"),
        (broken('"Length gap"', '"BLEU-4"'), "line 9: Gap: the label 'BLEU-4' is taken"),
        (broken('"distribution"', '"distance"'), "line 9: Gap: `family` is 'distance', but must be one of quality"),
        (broken("bounds, source = (0.0, 50.0),", "source ="), "bounds"),
        (broken("(0.0, 50.0)", "(1.0, 0.0)"), "line 10: Gap: `bounds` must be the minimum and the maximum"),
        (broken('"our own"', '""'), "line 10: Gap: `source` must be a text"),
        (broken('"our own"', '"x"\n    cites = ("nobody1999",)'), "line 11: Gap: `cites` names nobody1999"),
        (broken("    most: int = 50\n", "    most: int = 50\n    parameters = ''\n"), (
            "line 8: Gap: the field `most` is not in the signature; state it in `parameters`"
        )),
        (broken('    """How far the mean numbers of words of both sides are apart."""\n', ""), "it has no docstring"),
        (broken("    def value", "    def other"), "line 18: TypeError: Can't instantiate abstract class Gap"),
        (broken("most: int = 50", "most: list = []"), "ValueError: mutable default"),
        ("import helper\n" + METRIC, "line 1: it imports helper from its own folder; a plug-in is a single file"),
        ("from . import helper\n" + METRIC, "line 1: it imports a file from its own folder"),
        (DISTANCE.replace('"shared"', '"Shared!"'), "Shared: `name` must consist of lowercase letters"),
        (DISTANCE.replace("(Shared(", "(1, Shared("), "DISTANCES holds 1, which is not a Distance"),
        ("\xff\xfe", "it is not a Python file"),
    ],
)  # fmt: skip
def test_a_faulty_file_is_refused_with_file_line_and_rule_before_any_work(
    text: str, said: str, file: Path, tmp_path: Path
) -> None:
    known = dict(METRICS)
    (tmp_path / "helper.py").write_text("x = 1")
    file.write_bytes(text.encode("latin-1"))
    code, output = run("score", tmp_path / "absent.json", "--plugin", file, "--metrics", "fast")
    assert code == 2
    assert said in output
    assert output.startswith("my_metrics.py")
    assert len(output.splitlines()) == 1, "a sentence, and no other work was begun"
    assert known == METRICS
    assert not plugins.loaded()


def test_a_file_that_is_not_there_is_a_sentence() -> None:
    assert run("list", "--plugin", "nowhere.py") == (2, "nowhere.py: No such file or directory\n")


def test_two_files_cannot_have_one_name(file: Path, tmp_path: Path) -> None:
    plugins.load(file)
    other = tmp_path / "other.py"
    other.write_text(METRIC + "\n# another")
    with pytest.raises(PluginError, match=r"other\.py, line 9: Gap: the name length_gap is taken"):
        plugins.load(other)
    assert len(plugins.loaded()) == 1


def test_the_environment_and_installed_packages_name_plugins(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = tmp_path / "far.py"
    far.write_text(DISTANCE)
    monkeypatch.setenv("TRILENS_PLUGINS", os.pathsep.join([str(far), ""]))
    package = tmp_path / "installed"
    (package / "lab-1.0.dist-info").mkdir(parents=True)
    (package / "lab-1.0.dist-info" / "entry_points.txt").write_text("[trilens.metrics]\nlab = lab_metrics\n")
    (package / "lab-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: lab\nVersion: 1.0\n")
    (package / "lab_metrics.py").write_text(METRIC.replace("length_gap", "lab_gap").replace("Length gap", "Lab gap"))
    monkeypatch.syspath_prepend(str(package))
    code, said = run("list", "--plugin", file)
    assert code == 0
    assert all(name in said for name in ("length_gap", "trm_shared", "lab_gap"))


def test_a_fresh_process_in_a_fresh_folder_scores_it(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "fresh"
    folder.mkdir()
    write_jsonl(study(), folder / "study.jsonl")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TRILENS_CACHE": str(tmp_path / "cache")}
    command = [
        sys.executable,
        "-m",
        "metrics",
        "score",
        "study.jsonl",
        "--plugin",
        str(file),
        "--metrics",
        "length_gap",
    ]
    first, second = (
        subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    )
    assert first == second
    plugins.load(file)
    wanted = scoring.score(study(), [METRICS["length_gap"]])["run 0", "length_gap"].corpus
    assert str(wanted) in first


def test_the_lines_that_a_report_prints_name_the_plugin(file: Path) -> None:
    plugins.load(file)
    given = commands.CommandInputs()
    assert "--metrics length_gap,bleu_4 --plugin my_metrics.py" in commands.score(given, ["length_gap", "bleu_4"])
    assert "--plugin" not in commands.score(given, ["bleu_4"])


def test_an_edited_plugin_is_another_source_for_workers(file: Path) -> None:
    without = source_code.packed()[0]
    made = plugins.load(file)
    before = source_code.packed()[0]
    plugins.unload(made)
    file.write_text(METRIC + "\n# edited")
    plugins.load(file)
    assert len({without, before, source_code.packed()[0]}) == 3


def test_no_upload_and_no_bundle_is_run(file: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    file.write_text(f"open({str(mark)!r}, 'w')\n" + textwrap.dedent(METRIC))
    code, said = run("check", file)
    assert code == 2, "a program is not a file of captions"
    assert "not read as captions" in said
    assert not mark.exists()
    (tmp_path / "s.json").write_text(json.dumps({"items": [], "METRICS": METRIC}))
    run("check", tmp_path / "s.json", file)
    assert not mark.exists()
    assert not plugins.loaded()
