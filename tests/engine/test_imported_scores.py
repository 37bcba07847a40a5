"""Test imported scores as metrics: values, gaps, signatures, bundles and the command line."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from data.convert import scores_to_jsonl_bytes, write_jsonl
from data.load import load_study
from data.matching.scores import with_directions
from data.study import ImportedScores, Study
from metrics.analysis.bundle import checked, study_bundle
from metrics.analysis.human_line import human
from metrics.analysis.numbers import Numbers
from metrics.analysis.paired import against
from metrics.base import Metric
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.scores_table import scores as as_table
from metrics.engine.tasks import Options
from metrics.guide import documentation
from metrics.registry import METRICS, imported_metrics, resolve
from tests.command_line import trilens
from tests.studies import study as random_study

STUDY = random_study(items=9, candidates=3, runs=3)
NAMES = ("rouge_l", "self_bleu_2", "corpus_self_bleu_2")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))


def exported(level: str, name: str) -> pd.DataFrame:
    results = scoring.score(STUDY, [METRICS[name]])
    return as_table(STUDY, results, [level])  # type: ignore[list-item]


def with_scores(table: pd.DataFrame, tmp_path: Path) -> Study:
    write_jsonl(STUDY, tmp_path / "study.jsonl")
    found = load_study([tmp_path / "study.jsonl", ("scores.csv", table.to_csv(index=False).encode())]).study
    assert found is not None
    return found


def given(values: dict[str, dict[str, tuple[float, ...]]], name: str = "CLIP", higher: bool = True) -> Study:
    grain = "candidate" if len(next(iter(next(iter(values.values())).values()))) > 1 else "item"
    return replace(STUDY, scores=(ImportedScores(name, grain, higher, -np.inf, np.inf, values),))  # type: ignore[arg-type]


def constant(value: float) -> dict[str, dict[str, tuple[float, ...]]]:
    return {run.name: {item.id: (value,) * 3 for item in STUDY.items} for run in STUDY.runs}


@pytest.mark.parametrize(("level", "name"), [("candidate", "rouge_l"), ("item", "self_bleu_2"), ("item", "rouge_l")])
def test_scores_that_were_exported_come_back_as_they_were(level: str, name: str, tmp_path: Path) -> None:
    table = exported(level, name).assign(higher_is_better=METRICS[name].higher_is_better)
    study = with_scores(table, tmp_path)
    (metric,) = imported_metrics(study).values()
    assert metric.name == f"imported_{name}"
    assert metric.label == f"{name} (imported)"
    assert metric.grain == level
    own = scoring.score(study, [METRICS[name], metric])
    for run in study.runs:
        mine, theirs = own[run.name, metric.name], own[run.name, name]
        assert np.array_equal(mine.items, theirs.items)
        assert (mine.corpus, mine.low, mine.high, mine.n) == (theirs.corpus, theirs.low, theirs.high, theirs.n)
        if level == METRICS[name].grain:
            assert np.array_equal(mine.values, theirs.values)
    numbers = Numbers(own)
    mine, theirs = (against(study, numbers, study.runs[0], by, study.runs) for by in (metric, METRICS[name]))
    for a, b in zip(mine.comparisons, theirs.comparisons):
        assert (a.difference, a.low, a.high, a.test.p_value) == (b.difference, b.low, b.high, b.test.p_value)
    assert np.array_equal(mine.adjusted, theirs.adjusted)


def test_a_value_of_a_whole_run_has_no_interval_and_says_why(tmp_path: Path) -> None:
    study = with_scores(exported("corpus", "corpus_self_bleu_2"), tmp_path)
    (metric,) = imported_metrics(study).values()
    own = scoring.score(study, [METRICS["corpus_self_bleu_2"], metric])
    for run in study.runs:
        mine = own[run.name, metric.name]
        assert mine.corpus == own[run.name, "corpus_self_bleu_2"].corpus
        assert np.isnan(mine.low)
        assert mine.why_no_interval() == "one imported value of a whole run does not show how certain it is"
        assert not len(mine.items)


def test_gaps_are_gaps_with_n_and_a_reason() -> None:
    values = constant(0.25)
    values["run 1"]["image 2"] = (0.25, np.nan, 0.25)
    del values["run 2"]["image 0"]
    (metric,) = imported_metrics(study := given(values)).values()
    found = scoring.score(study, [metric])
    assert [found[run.name, "CLIP"].n for run in study.runs] == [9, 8, 8]
    assert all(found[run.name, "CLIP"].corpus == 0.25 for run in study.runs)
    assert found["run 1", "CLIP"].reasons == {2: "the imported scores have no value for 1 of its 3 captions"}
    assert found["run 2", "CLIP"].reasons == {0: "the imported scores have no value for 3 of its 3 captions"}


def test_two_runs_that_say_the_same_keep_their_own_values(tmp_path: Path) -> None:
    twins = replace(STUDY, runs=(STUDY.runs[0], replace(STUDY.runs[0], name="twin")))
    values = {run: {item.id: (value,) * 3 for item in STUDY.items} for run, value in (("run 0", 0.1), ("twin", 0.9))}
    study = replace(twins, scores=(ImportedScores("CLIP", "candidate", True, 0.0, 1.0, values),))
    cache, metrics = Cache(tmp_path / "cache"), tuple(imported_metrics(study).values())
    for _ in range(2):  # the second time, everything comes from the cache
        found = scoring.score(study, metrics, cache=cache)
        assert [found[name, "CLIP"].corpus for name in ("run 0", "twin")] == [pytest.approx(0.1), pytest.approx(0.9)]


def test_values_stay_with_their_captions_in_any_order_of_the_chunk() -> None:
    """A chunk sorts captions by text, but tables have them in the order of the file."""
    rows = {
        r.name: {i.id: tuple(hash((r.name, i.id, k)) % 97 / 97 for k in range(3)) for i in STUDY.items}
        for r in STUDY.runs
    }
    study = given(rows)
    table = as_table(study, scoring.score(study, imported_metrics(study).values(), Options(chunk=2)), ["candidate"])
    for row in table.itertuples():
        assert row.value == rows[row.run][row.item][row.candidate]


def test_direction_range_and_values_are_in_the_signature() -> None:
    first = given(constant(0.5))
    others = (given(constant(0.6)), with_directions(first, {"CLIP": False}), given(constant(0.5), "other"))
    ranged = replace(first, scores=(replace(first.scores[0], low=0.0),))
    signatures = {next(iter(imported_metrics(study).values())).signature for study in (first, *others, ranged)}
    assert len(signatures) == 5
    assert all("imported|values:" in signature for signature in signatures)
    assert first.digest == STUDY.digest


def test_an_imported_metric_has_no_test_and_no_human_line_and_says_why() -> None:
    study = given(constant(0.5))
    (metric,) = imported_metrics(study).values()
    found = scoring.score(study, [metric], Options(p_values=True))
    assert not any(result.tested for result in found.values())
    table = as_table(study, found)
    assert set(table["p_error"]) == {metric.no_test}
    line = human(study, metric, {}, None, None)
    assert "no value if one of them has no score" in documentation.summary(metric)
    assert documentation.how_tested(metric) == f"none ({metric.no_test})"
    assert line.reason == "the references were not scored where these scores come from"


def test_sets_have_the_imported_metrics_but_the_papers_do_not() -> None:
    study = given(constant(0.5))
    assert "CLIP" in [metric.name for metric in resolve(["fast"], study=study)]
    assert [metric.name for metric in resolve(["imported"], study=study)] == ["CLIP"]
    assert "CLIP" not in [metric.name for metric in resolve(["paper"], study=study)]
    with pytest.raises(ValueError, match="named 'CLIPS'; did you mean CLIP"):
        resolve(["CLIPS"], study=study)
    with pytest.raises(ValueError, match="no metric or set named 'imported'"):
        resolve(["imported"], study=STUDY)


def test_a_bundle_carries_them(tmp_path: Path) -> None:
    study = with_scores(exported("candidate", "rouge_l"), tmp_path)
    cache, metrics = Cache(tmp_path / "one"), tuple(imported_metrics(study).values())
    results = scoring.score(study, metrics, cache=cache)
    opened = checked(load_study(("study.zip", study_bundle(study, cache))))
    assert opened.study is not None
    assert opened.study.scores == study.scores
    assert len(opened.numbers) == len(results)
    assert not {finding.code for finding in opened.findings} & {"bundle_unknown", "bundle_damaged"}


def corpus(study: Study, metric: Metric) -> list[float]:
    found = scoring.score(study, [metric])
    return [found[run.name, metric.name].corpus for run in study.runs]


def test_the_command_line_takes_a_file_of_scores_and_a_direction(tmp_path: Path) -> None:
    table = exported("candidate", "rouge_l")
    write_jsonl(STUDY, tmp_path / "study.jsonl")
    (tmp_path / "chair.csv").write_bytes(table.assign(metric="hallucinated").to_csv(index=False).encode())
    files = (tmp_path / "study.jsonl", tmp_path / "chair.csv")
    result = trilens(
        "score",
        *files,
        "--metrics",
        "hallucinated",
        "--out",
        tmp_path / "out.csv",
        "--scores-direction",
        "hallucinated=lower",
    )
    rows = pd.read_csv(tmp_path / "out.csv")
    assert list(rows["metric"]) == ["hallucinated"] * 3
    assert rows["signature"].str.contains("better:lower").all()
    assert "Nothing states which direction" not in result.output
    assert (
        "Nothing states which direction of hallucinated is better"
        in trilens("score", *files, "--metrics", "imported").output
    )
    assert list(rows["value"]) == corpus(STUDY, METRICS["rouge_l"])
    trilens("compare", *files, "--metrics", "imported,rouge_l")
    for text, why in (("hallucinated", "NAME=higher or NAME=lower"), ("nobody=lower", "they have hallucinated")):
        refused = trilens("score", *files, "--scores-direction", text, expect=2)
        assert why in refused.output
    unknown = trilens("score", *files, "--metrics", "hallucinatd", expect=2)
    assert "did you mean hallucinated" in unknown.output


def test_a_metric_that_no_file_can_hold_is_refused_before_files_are_read(tmp_path: Path) -> None:
    write_jsonl(STUDY, tmp_path / "study.jsonl")
    for command in ("score", "compare"):
        early = trilens(command, tmp_path / "study.jsonl", "--metrics", "rouge_l,hallucinatd", expect=2)
        assert early.output.splitlines() == ["there is no metric or set named 'hallucinatd'; `trilens list` shows all"]
    (tmp_path / "clip.csv").write_text("item,run,CLIP\nimage 0,run 0,0.5\n")
    late = trilens("score", tmp_path / "study.jsonl", tmp_path / "clip.csv", "--metrics", "CLIPS", expect=2)
    assert "study.jsonl: Trilens" in late.output
    assert "did you mean CLIP" in late.output


def test_the_file_of_the_app_gives_the_same_numbers(tmp_path: Path) -> None:
    study = with_scores(exported("candidate", "rouge_l"), tmp_path)
    (tmp_path / "imported.jsonl").write_bytes(scores_to_jsonl_bytes(study.scores))
    result = trilens("score", tmp_path / "study.jsonl", tmp_path / "imported.jsonl", "--metrics", "imported")
    rows = pd.read_csv(io.StringIO(result.stdout), sep="\t")
    (metric,) = imported_metrics(study).values()
    assert list(rows["value"]) == corpus(study, metric)
    assert set(rows["signature"]) == {metric.signature}


@pytest.mark.parametrize("cached", ["m0", "m1", "m2"])
def test_rows_keep_their_places_whatever_the_cache_held(cached: str, tmp_path: Path) -> None:
    values = {run.name: {item.id: (0.5,) * 3 for item in STUDY.items} for run in STUDY.runs}
    names = ("m0", "m1", "m2")
    study = replace(STUDY, scores=tuple(ImportedScores(n, "candidate", True, 0.0, 1.0, values) for n in names))
    metrics, cache = imported_metrics(study), Cache(tmp_path / "cache")
    fresh = as_table(study, scoring.score(study, metrics.values()))
    scoring.score(study, [metrics[cached]], cache=cache)
    again = as_table(study, scoring.score(study, metrics.values(), cache=cache))
    assert again.to_csv() == fresh.to_csv()
    assert list(dict.fromkeys(again["metric"])) == list(names)
