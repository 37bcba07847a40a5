"""Test that a study bundle contains document frequencies, and that commands and reports use and name them."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from data.convert import to_jsonl_bytes
from data.load import load_study
from data.study import Study
from metrics.analysis.bundle import checked, study_bundle
from metrics.cache.disk import Cache
from metrics.distances import document_frequencies
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS, with_frequencies
from metrics.text.cider import DocumentFrequencies
from tests.command_line import trilens
from tests.engine.test_bundle import changed
from tests.studies import study as random_study

NAMES = ("cider_d", "trm_cider_d", "consensus_cider_d", "rouge_l")
STUDY = random_study(items=6)
FOUND, OTHER = (document_frequencies.count_frequencies(random_study(items=n, runs=0, seed=3)) for n in (30, 31))


def scored(idf: DocumentFrequencies | None, cache: Cache) -> scoring.Results:
    return scoring.score(STUDY, [with_frequencies(idf).metrics[name] for name in NAMES], Options(p_values=True), cache)


def values(results: scoring.Results) -> dict[tuple[str, str], float]:
    return {(run, result.metric.signature): result.corpus for (run, _), result in results.items()}


def test_numbers_by_frequencies_travel_with_them_and_so_do_those_without() -> None:
    cache = Cache(None)
    by, own = scored(FOUND, cache), scored(None, cache)
    content = study_bundle(STUDY, cache, FOUND)
    loaded = checked(load_study([("b.zip", content)]))
    assert loaded.idf is not None
    assert (loaded.idf.name, document_frequencies.of_file(loaded.idf)) == ("b.zip", FOUND)
    assert not [finding for finding in loaded.findings if finding.code.startswith("bundle")]
    again = Cache(None, given=loaded.numbers)
    for idf, expected in ((FOUND, by), (None, own)):
        work = scoring.plan(
            STUDY, [with_frequencies(idf).metrics[name] for name in NAMES], Options(p_values=True), again
        )
        assert work.todo == []
        assert values(work.ready) == values(expected)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        table = pd.read_csv(archive.open("scores.csv"))
    assert set(table.signature) == {result.metric.signature for result in by.values()}
    assert study_bundle(STUDY, again, FOUND) == content


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", "these are not document frequencies"),
        (b"\x80\x04}", "a pickle"),
        (b"PK\x03\x04", "damaged"),
        (document_frequencies.to_npz(FOUND, "whitespace"), "tokenizer whitespace"),
        (document_frequencies.to_npz(document_frequencies.of_counts(2, {}), "ptb"), "not one n-gram"),
    ],
)
def test_frequencies_of_no_use_are_a_finding_and_the_rest_stays(raw: bytes, why: str) -> None:
    cache = Cache(None)
    scored(None, cache)
    loaded = checked(load_study([("b.zip", changed(study_bundle(STUDY, cache), {}, {"idf.npz": raw}))]))
    (finding,) = (finding for finding in loaded.findings if finding.code == "bundle_idf")
    assert why in finding.problem
    assert loaded.idf is None
    assert loaded.numbers.keys() == load_study([("b.zip", study_bundle(STUDY, cache))]).numbers.keys()


def test_of_two_bundles_that_differ_none_decides() -> None:
    same, other = (study_bundle(study, Cache(None), idf) for study, idf in ((STUDY, FOUND), (run_of("b"), FOUND)))
    assert (found := load_study([("a.zip", same), ("b.zip", other)]).idf) is not None
    assert document_frequencies.of_file(found) == FOUND
    loaded = load_study([("a.zip", same), ("b.zip", study_bundle(run_of("b"), Cache(None), OTHER))])
    assert loaded.idf is None
    assert "bundle_idf" in {finding.code for finding in loaded.findings}


def run_of(name: str) -> Study:
    from dataclasses import replace

    return replace(STUDY, runs=(replace(STUDY.runs[0], name=name),))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    (tmp_path / "own.jsonl").write_bytes(to_jsonl_bytes(STUDY))
    (tmp_path / "idf.npz").write_bytes(document_frequencies.to_npz(FOUND, "ptb"))
    (tmp_path / "other.npz").write_bytes(document_frequencies.to_npz(OTHER, "ptb"))
    return tmp_path


def run(*arguments: str) -> str:
    return trilens(*arguments).output


def table(name: str, *arguments: str) -> dict[str, float]:
    run("score", *arguments, "--metrics", ",".join(NAMES), "--p-values", "--out", name)
    found = pd.read_csv(name)
    return dict(zip(found.signature, found.value))


def test_the_command_line_packs_them_and_goes_on_with_them(files: Path) -> None:
    run("bundle", "own.jsonl", "--idf", "idf.npz", "--metrics", ",".join(NAMES), "--out", "b.zip")
    expected = table("a.csv", "own.jsonl", "--idf", "idf.npz")
    assert table("b.csv", "b.zip") == expected
    said = run("score", "b.zip", "--metrics", "cider_d")
    assert f"document frequencies in b.zip (30 items, idf:{FOUND.digest[:12]})" in said
    assert table("c.csv", "b.zip", "--idf", "other.npz") == table("d.csv", "own.jsonl", "--idf", "other.npz")
    for command, out in (("compare", "e.csv"), ("report", "e.html"), ("bundle", "again.zip")):
        options = ["--pages", "methods"] if command == "report" else []
        said = run(command, "b.zip", "--out", out, "--metrics", "cider_d", *options)
        assert "CIDEr-D takes the document frequencies in b.zip" in said
    assert table("f.csv", "again.zip") == expected
    assert "by whitespace" in trilens("score", "b.zip", "--tokenizer", "whitespace", expect=2).output


def test_what_a_metric_sees_is_asked_by_them_too(files: Path) -> None:
    (files / "many.jsonl").write_bytes(to_jsonl_bytes(random_study(items=4, references=8, runs=0)))
    said = run("unique-correct", "many.jsonl", "--idf", "idf.npz", "--repeats", "1")
    by = with_frequencies(FOUND)
    assert all(metric.signature in said for metric in (by.metrics["cider_d"], by.trms["CIDEr-D"]))
    assert METRICS["cider_d"].signature not in said


def test_a_report_says_which_and_prints_the_lines_that_give_them_again(files: Path) -> None:
    run(
        "report",
        "own.jsonl",
        "--idf",
        "idf.npz",
        "--metrics",
        "cider_d",
        "--pages",
        "leaderboard,methods",
        "--out",
        "r.html",
    )
    made = (files / "r.html").read_text()
    assert f"given, of 30 items (idf:{FOUND.digest[:12]})" in made
    assert "score own.jsonl --idf idf.npz --metrics cider_d" in made
    assert f"Document frequencies: given, of 30 items (idf:{FOUND.digest[:12]}). cider_d|" in made


def test_compare_knows_that_a_number_by_frequencies_was_computed_here_with_its_tests(files: Path) -> None:
    cache = Cache(None)
    scored(FOUND, cache)
    scoring.score(STUDY, [with_frequencies(FOUND).metrics["cider_d"]], Options(), cache)
    (files / "b.zip").write_bytes(study_bundle(STUDY, cache, FOUND))
    asked = ("compare", "b.zip", "--metrics", "cider_d")
    assert "2 numbers came with the study bundle" in run(*asked)
    run("score", "b.zip", "--metrics", "cider_d", "--p-values", "--recompute")
    assert "came with the study bundle" not in run(*asked)
