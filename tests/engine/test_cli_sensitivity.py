"""Test the tables of `trilens sensitivity` (p, gains, power and speed) and its errors."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cli import sensitivity
from data.convert import write_jsonl
from metrics.analysis.sensitivity import curve, power, sets, tables
from metrics.registry import METRICS, resolve
from tests.command_line import trilens
from tests.studies import study as random_study

STUDY = random_study(items=20, references=4, candidates=3, runs=2, seed=4)
NAMES = "trm_rouge_l,rouge_l"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    write_jsonl(STUDY, tmp_path / "study.jsonl")
    return tmp_path / "study.jsonl"


run = partial(trilens, "sensitivity")


def test_the_run_with_the_most_captions_is_drawn_from() -> None:
    more = random_study(items=20, references=4, candidates=4, runs=2, seed=4).runs[1]
    assert sensitivity._run(replace(STUDY, runs=(STUDY.runs[0], more)), None, ()) == "run 1"
    assert sensitivity._run(replace(STUDY, runs=(more, STUDY.runs[0])), None, ()) == "run 1"


def test_the_tables_hold_the_numbers_of_the_analysis(file: Path, tmp_path: Path) -> None:
    out, gains, found, speeds = (tmp_path / f"{name}.csv" for name in ("out", "gains", "power", "speeds"))
    asked = (file, "--metrics", NAMES, "--run", "run 1", "--sizes", "1,2-3", "--against", 2, "--seed", 3)
    of_power = ("--power", "run 0", "run 1", "--by", "rouge_l", "--images", "5,20", "--draws", 40)
    done = run(*asked, *of_power, "--out", out, "--gains", gains, "--power-out", found, "--speeds", speeds)
    chosen = resolve(NAMES.split(","))
    measured = curve.measure(STUDY, sets.design(STUDY, STUDY.runs[1], (1, 2, 3), 2, seed=3), chosen)
    pd.testing.assert_frame_equal(pd.read_csv(out), tables.curve_table(measured), check_dtype=False)
    pd.testing.assert_frame_equal(pd.read_csv(gains), tables.gain_table(measured, 3), check_dtype=False)
    made = power.design(STUDY, ("run 0", "run 1"), METRICS["rouge_l"], (5, 20), 40, 3)
    assert made is not None
    expected = tables.power_table(power.measure(STUDY, made, METRICS["rouge_l"]), METRICS["rouge_l"])
    pd.testing.assert_frame_equal(pd.read_csv(found), expected, check_dtype=False)
    (own,) = expected[(expected.references == 4) & (expected.candidates == 3) & (expected["items"] == 20)].to_dict(
        "records"
    )
    assert own["p"] > 0.05
    assert np.isnan(own["needed"])
    of = f"{own['needed_low']:,.0f} or more" if np.isinf(own["needed_high"]) else f"{own['needed_low']:,.0f} to "
    assert f"4 references: the difference is not significant; if it is real and this large, {of}" in done.stdout
    assert pd.read_csv(speeds).metric.tolist() == [metric.name for metric in chosen]
    run(*asked, "--out", tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == out.read_bytes()


def test_a_metric_without_a_test_is_only_timed(file: Path, tmp_path: Path) -> None:
    out, speeds = tmp_path / "out.csv", tmp_path / "speeds.csv"
    done = run(file, "--metrics", "trm_bow,zipf", "--sizes", 2, "--out", out, "--speeds", speeds)
    assert "zipf: there is no permutation test of any set of captions; timed only." in done.stderr
    assert set(pd.read_csv(out).metric) == {"trm_bow"}
    assert pd.read_csv(speeds).metric.tolist() == ["trm_bow", "zipf"]
    alone = run(file, "--metrics", "zipf", "--speeds", speeds)
    assert "p_median" not in alone.stdout
    (one,) = pd.read_csv(speeds).to_dict("records")
    assert (one["metric"], one["items"], one["captions"]) == ("zipf", 20, 60)
    assert one["captions_per_second"] == pytest.approx(3 * one["items_per_second"])


def test_several_splits_give_the_mean_of_each(file: Path, tmp_path: Path) -> None:
    asked, each = (file, "--metrics", NAMES, "--sizes", 2, "--against", 2), []
    for seed in (5, 6, 7):
        run(*asked, "--seed", seed, "--out", tmp_path / f"{seed}.csv")
        each.append(pd.read_csv(tmp_path / f"{seed}.csv"))
    run(*asked, "--seed", 5, "--splits", 3, "--out", tmp_path / "splits.csv")
    found = pd.read_csv(tmp_path / "splits.csv")
    names = ["metric", "row", "candidates", "references"]
    pd.testing.assert_frame_equal(found[names], each[0][names])
    assert set(found["splits"]) == {3}
    people = [table["row"] == "people" for table in (found, *each)]
    assert people[0].sum() == 2
    for column in ("n", "p_mean", "ln_p_mean", "p_hmp", "p_corpus"):
        values = np.array([table[column] for table in each])
        assert found[column].to_numpy() == pytest.approx(values.mean(axis=0), nan_ok=True)
    for column in ("p_mean", "ln_p_mean"):
        values = np.array([table[column] for table in each])
        assert found[f"{column}_sd"].to_numpy() == pytest.approx(values.std(axis=0, ddof=1), nan_ok=True)
    assert len({table.loc[of, "p_mean"].iloc[0] for table, of in zip(each, people[1:])}) == 3, "others are drawn"


def test_of_references_alone_people_are_tested_against_people(file: Path, tmp_path: Path) -> None:
    alone = tmp_path / "alone.jsonl"
    write_jsonl(replace(STUDY, runs=()), alone)
    asked = ("--metrics", NAMES, "--sizes", 2, "--against", 2, "--out", tmp_path / "out.csv")
    run(file, *asked)
    beside = pd.read_csv(tmp_path / "out.csv")
    run(alone, *asked)
    found = pd.read_csv(tmp_path / "out.csv")
    assert found["row"].unique().tolist() == ["people", "one left out", "halves"]
    same = beside[beside["row"].isin(found["row"])].reset_index(drop=True)
    columns = ["metric", "row", "candidates", "references", "n", "p_median", "p_mean", "ln_p_mean", "p_hmp"]
    pd.testing.assert_frame_equal(found[columns], same[columns])
    refused = run(alone, "--metrics", NAMES, "--speeds", tmp_path / "speeds.csv", expect=2)
    assert "--speeds takes a run" in refused.stderr


def test_where_tests_are_to_be_written_there_are_some(file: Path, tmp_path: Path) -> None:
    done = run(file, "--metrics", "zipf", "--speeds", tmp_path / "speeds.csv", "--out", tmp_path / "out.csv", expect=2)
    assert "zipf: there is no permutation test" in done.stderr


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (("--metrics", "distinct_2"), "distinct_2: there is no permutation test"),
        (("--metrics", NAMES, "--sizes", "0-3"), "--sizes takes numbers from 1"),
        (("--metrics", NAMES, "--sizes", "2,5-3"), "--sizes takes numbers from 1"),
        (("--metrics", NAMES, "--run", "nobody"), "there is no run 'nobody'"),
        (("--metrics", NAMES, "--power", "run 0", "nobody"), "there is no run 'nobody'"),
        (("--metrics", NAMES, "--power", "run 0", "run 0", "--by", "rouge_l"), "--power takes two runs"),
        (("--metrics", NAMES, "--items", "0"), "greater than or equal to 1"),
        (("--metrics", NAMES, "--splits", "2", "--gains", "gains.csv"), "--gains takes one split"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(file: Path, asked: tuple[object, ...], why: str) -> None:
    done = run(file, *asked, expect=2)
    assert why in done.stderr
