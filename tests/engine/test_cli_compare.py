"""Test `trilens compare`: it gives the numbers of the Paired comparison page; also its baselines and exit status."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest

from cli.compare import COLUMNS
from data.convert import write_jsonl
from data.study import Study
from figures.paired.words import table as page_table
from metrics.analysis.numbers import Numbers
from metrics.analysis.paired import against
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS
from tests.command_line import trilens
from tests.studies import study as random_study

NAMES = ("bleu_2", "rouge_l", "trm_bow", "distinct_1")
SMALL = random_study(items=20, runs=4, seed=3)
FIRST = SMALL.runs[0]


def cut(candidates: int) -> Study:
    said = {item: texts[:candidates] for item, texts in FIRST.candidates.items()}
    return replace(SMALL, runs=(replace(FIRST, candidates=said), *SMALL.runs[1:]))


UNEVEN = cut(2)
PAGE = {
    "difference": "Difference",
    "ci_low": "95 % from",
    "ci_high": "95 % to",
    "p_value": "p",
    "p_holm": "Corrected p",
    "effect": "d_z",
    "wins": "Ahead",
    "ties": "Ties",
    "losses": "Behind",
    "n": "n",
}


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    write_jsonl(UNEVEN, tmp_path / "study.jsonl")
    return tmp_path / "study.jsonl"


run = partial(trilens, "compare")


def test_the_table_is_that_of_the_page_to_the_last_digit(file, tmp_path):
    run(file, "--metrics", ",".join(NAMES), "--baseline", "run 2", "--out", tmp_path / "out.csv")
    found = pd.read_csv(tmp_path / "out.csv")
    assert list(found.columns) == list(COLUMNS)
    assert list(dict.fromkeys(found.metric)) == list(NAMES)
    numbers = Numbers(scoring.score(UNEVEN, [METRICS[name] for name in NAMES], Options(), Cache(None)))
    base = UNEVEN.run("run 2")
    for name in NAMES:
        own = found[found.metric == name].set_index("run")
        assert list(own.index) == ["run 0", "run 1", "run 3"]
        assert set(own.baseline) == {"run 2"}
        known = own.dropna(subset="ci_low")
        assert ((known.ci_low <= known.difference) & (known.difference <= known.ci_high)).all()
        page = page_table(against(UNEVEN, numbers, base, METRICS[name], UNEVEN.runs)).set_index("Run")
        for column, theirs in PAGE.items():
            wanted = page.loc[own.index, theirs].to_numpy(dtype=float, na_value=np.nan)
            np.testing.assert_array_equal(own[column], wanted, f"{name} {column}")


def test_the_seed_draws_anew_and_changes_no_difference(file, tmp_path):
    tables = []
    for seed in (0, 1):
        out = tmp_path / f"{seed}.csv"
        run(file, "--metrics", "rouge_l", "--seed", seed, "--out", out)
        tables.append(pd.read_csv(out))
    assert (tables[0].difference == tables[1].difference).all()
    assert (tables[0].ci_low != tables[1].ci_low).all()
    assert (tables[0].p_value != tables[1].p_value).any()


def test_the_first_run_is_the_baseline_where_nobody_names_one_and_it_is_said(file):
    done = run(file, "--metrics", "rouge_l,vocabulary")
    assert "baseline: run 0, the first run" in done.stderr
    assert "no items to pair by vocabulary" in done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split("\t") == list(COLUMNS)
    assert [line.split("\t")[:3] for line in lines[1:]] == [[f"run {k}", "run 0", "rouge_l"] for k in (1, 2, 3)]


def test_a_run_without_a_value_is_a_row_with_its_reason_said(file):
    write_jsonl(cut(1), file)
    done = run(file, "--metrics", "self_bleu_2,rouge_l", "--baseline", "run 1")
    assert "run 0, self_bleu_2: needs 2 captions of the run, has 1" in done.stderr
    (row,) = [line.split("\t") for line in done.stdout.splitlines() if line.startswith("run 0\trun 1\tself_bleu_2")]
    assert row[3:] == [""] * 9 + ["0"]
    out = file.parent / "out.csv"
    assert (
        "out.csv: 3 rows, 2 with a number"
        in run(file, "--metrics", "self_bleu_2", "--baseline", "run 1", "--out", out).stderr
    )


def test_a_metric_that_fails_is_exit_status_1(file, monkeypatch):
    def broken(*given: object) -> None:
        raise RuntimeError("broken on purpose")

    write_jsonl(cut(3), file)  # the comparison with the other baseline is cached
    monkeypatch.setattr(type(METRICS["rouge_l"]), "stats", broken)
    done = run(file, "--metrics", "rouge_l,distinct_1", "--no-cache", expect=1)
    assert "run 1, rouge_l: RuntimeError: broken on purpose" in done.stderr
    assert "distinct_1" in done.stdout
    run(file, "--metrics", "rouge_l,distinct_1", "--no-cache", "--fail-if", "distinct_1 > -1", expect=3)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--baseline", "nobody"), "there is no run 'nobody'; there are run 0, run 1, run 2, run 3"),
        (("--metrics", "vocabulary"), "choose a metric with a value for each item"),
        (("--metrics", "blue_4"), "did you mean"),
        (("--out", "table.xls"), "write to a .csv, .parquet or .json file"),
    ],
)
def test_what_cannot_be_compared_is_exit_status_2(file, asked, said):
    done = run(file, *asked, expect=2)
    assert said in done.stderr


def test_an_unknown_baseline_is_said_before_anything_else(file):
    done = run(file, "--metrics", "fast", "--baseline", "nobody", expect=2)
    assert done.stderr == "there is no run 'nobody'; there are run 0, run 1, run 2, run 3\n"


def test_a_file_that_could_not_be_read_may_hold_the_baseline_and_is_said_first(file):
    (file.parent / "nobody.json").write_text("[")
    done = run(file, file.parent / "nobody.json", "--baseline", "nobody", "--keep-going", expect=2)
    said = done.stderr
    assert said.index("nobody.json could not be read") < said.index("there is no run 'nobody'")


def test_one_run_alone_cannot_be_compared(tmp_path):
    write_jsonl(random_study(runs=1), tmp_path / "one.jsonl")
    done = run(tmp_path / "one.jsonl", expect=2)
    assert "a comparison needs two runs; there is only run 0" in done.stderr


def test_no_number_is_nan_where_every_run_has_the_metric(file, tmp_path):
    run(file, "--metrics", "bleu_4,rouge_l", "--out", tmp_path / "out.parquet")
    assert np.isfinite(pd.read_parquet(tmp_path / "out.parquet")[[*PAGE]].to_numpy(dtype=float)).all()


def test_where_the_baseline_leads_it_is_said_that_p_holm_is_another_test(file, tmp_path):
    """Without that sentence, it would look like a mistake that p_holm can be smaller than p_value."""
    numbers = Numbers(scoring.score(UNEVEN, [METRICS["rouge_l"]], Options(), Cache(None)))
    values, _ = numbers.corpus(UNEVEN, METRICS["rouge_l"], UNEVEN.runs)
    best, worst = (UNEVEN.runs[int(at)].name for at in (np.argmax(values), np.argmin(values)))
    for name, expected in ((best, True), (worst, False)):
        done = run(file, "--metrics", "rouge_l", "--baseline", name, "--out", tmp_path / "out.csv")
        assert (f"{name} leads by rouge_l: for these, the interval and p_holm" in done.stderr) == expected
        assert ("p_holm can be the smaller" in done.stderr) == expected
