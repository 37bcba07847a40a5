"""Test imported distances: those of ROUGE-L give the numbers of ROUGE-L, and unusable matrices are findings."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from data.convert import to_jsonl_bytes, write_jsonl
from data.load import Loaded, load_study
from data.study import Study
from metrics.analysis.bundle import checked, study_bundle
from metrics.analysis.central.item import centre_view
from metrics.analysis.central.study import measure
from metrics.analysis.cloud.view import item_view
from metrics.analysis.triangles import triangle_view
from metrics.base import Undefined
from metrics.cache.disk import Cache
from metrics.distances.base import item_distances
from metrics.distances.words import RougeLDistance
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS, OWN, imported_metrics, resolve, with_imported
from metrics.suite.distribution import Trm
from tests.command_line import trilens
from tests.studies import study as random_study

STUDY = random_study(items=8, references=4, candidates=3, runs=2)
CAPTIONS = ("study.jsonl", to_jsonl_bytes(STUDY))
ROUGE = METRICS["trm_rouge_l"]
assert isinstance(ROUGE, Trm)
TESTED = Options(p_values=True, draws=99, resamples=50)


def matrix(run: str, position: int) -> np.ndarray:
    return item_distances(STUDY, run, position, RougeLDistance(), Cache(None)).matrix


MATRICES = {f"{run.name}/{item.id}": matrix(run.name, k) for run in STUDY.runs for k, item in enumerate(STUDY.items)}
SYMMETRIC = {name: (found + found.T) / 2 for name, found in MATRICES.items()}


def npz(arrays: dict[str, np.ndarray]) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)  # type: ignore[arg-type]
    return out.getvalue()


def loaded(arrays: dict[str, np.ndarray], name: str = "lab.npz") -> Loaded:
    return load_study([CAPTIONS, (name, npz(arrays))])


def with_distances(arrays: dict[str, np.ndarray] = MATRICES, name: str = "lab.npz") -> Study:
    found = loaded(arrays, name).study
    assert found is not None
    assert found.digest == STUDY.digest
    return found


def the_metric(study: Study) -> Trm:
    (metric,) = imported_metrics(study).values()
    assert isinstance(metric, Trm)
    return metric


def test_they_give_the_numbers_and_p_of_the_distance_they_are_of() -> None:
    study = with_distances()
    metric = the_metric(study)
    assert (metric.name, metric.label) == ("trm_lab", "TRM lab (imported)")
    assert metric.signature == f"trm_lab|v1|ties:shared|imported|matrices:{study.distances[0].digest[:12]}"
    found = scoring.score(study, [metric, ROUGE], replace(TESTED, chunk=3))
    for run in study.runs:
        mine, theirs = found[run.name, "trm_lab"], found[run.name, "trm_rouge_l"]
        assert np.array_equal(mine.items, theirs.items)
        assert (mine.corpus, mine.p_value) == (theirs.corpus, theirs.p_value)
        assert mine.corpus > 0
    assert with_imported(OWN, study).trms["lab (imported)"] == metric
    assert "trm_lab" in [one.name for one in resolve(["fast"], study=study)]


def test_views_of_distances_read_them() -> None:
    study, cache = with_distances(), Cache(None)
    metric, run = the_metric(study), STUDY.runs[1]
    mine, theirs = (centre_view(study, [run.name], 2, space, cache) for space in (metric.space, ROUGE.space))
    assert np.allclose(mine.references.expected, theirs.references.expected)
    assert np.allclose(mine.runs[run.name].to_centre, theirs.runs[run.name].to_centre)
    alone = [centre_view(study, [], 2, space, cache).references for space in (metric.space, ROUGE.space)]
    assert np.allclose(alone[0].expected, alone[1].expected)
    whole = [measure(study, space, cache) for space in (metric.space, ROUGE.space)]
    assert all(np.allclose(whole[0][key], whole[1][key]) for key in ("expected", "near", "own"))
    shares = [triangle_view(study, run.name, 2, by, cache, TESTED).shares for by in (metric, ROUGE)]
    assert np.allclose(*shares)
    one_run = [item_view(study, [run], 2, space, cache).distances.matrix for space in (metric.space, ROUGE.space)]
    assert np.allclose(*one_run)
    with pytest.raises(Undefined, match="lab has no distances of these captions"):
        item_view(study, study.runs, 2, metric.space, cache)
    assert not metric.space.of_any_texts


def test_one_run_needs_no_name_and_rows_are_hypotheses() -> None:
    alone = STUDY.only(runs=["run 0"])
    arrays = {item.id: SYMMETRIC[f"run 0/{item.id}"] for item in STUDY.items}
    arrays["image 1"] = arrays["image 1"] * np.triu(np.full((7, 7), 2.0))
    found = load_study([("study.jsonl", to_jsonl_bytes(alone)), ("lab.npz", npz(arrays))])
    assert found.study is not None
    assert [(f.code, f.record) for f in found.findings if f.file == "lab.npz"] == [("distance_asymmetric", "image 1")]
    view = item_distances(found.study, "run 0", 1, the_metric(found.study).space, Cache(None))
    assert np.allclose(view.matrix, arrays["image 1"])


def test_two_runs_that_say_the_same_keep_their_own_matrices(tmp_path: Path) -> None:
    twins = replace(STUDY, runs=(STUDY.runs[0], replace(STUDY.runs[0], name="twin")))
    source = np.random.default_rng(0)
    far = {}
    for run in twins.runs:
        for item in twins.items:
            half = source.random((7, 7))
            far[f"{run.name}/{item.id}"] = (half + half.T) * (1 - np.eye(7))
    study = load_study([("s.jsonl", to_jsonl_bytes(twins)), ("lab.npz", npz(far))]).study
    assert study is not None
    cache = Cache(tmp_path)
    for _ in range(2):
        found = scoring.score(study, [the_metric(study)], cache=cache)
        assert not np.allclose(found["run 0", "trm_lab"].items, found["twin", "trm_lab"].items)


FAULTS = {
    "wrong size": (np.ones((5, 5)), "is 5 x 5, and run run 0 has 3 candidates and 4 references there"),
    "not square": (np.ones((7, 6)), "is 7 x 6, not square"),
    "negative": (-np.ones((7, 7)), "holds a number below 0"),
    "NaN": (np.full((7, 7), np.nan), "holds a number that is not finite"),
    "too far": (np.full((7, 7), 500.0), "holds a distance above 200: divide all by one number"),
    "texts": (np.full((7, 7), "x"), "holds <U1, not numbers"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_matrix_that_cannot_be_used_is_a_finding_and_a_gap(name: str) -> None:
    array, why = FAULTS[name]
    found = loaded({**MATRICES, "run 0/image 2": array})
    (said,) = [finding for finding in found.findings if finding.code == "distance_matrix"]
    assert (said.record, said.severity) == ("run 0/image 2", "error")
    assert said.problem == f"A matrix of distances {why}; it was left out."
    assert [f.problem for f in found.findings if f.code == "distance_missing"] == [
        "1 of 8 items of run run 0 have no distances."
    ]
    assert found.study is not None
    result = scoring.score(found.study, [the_metric(found.study)])["run 0", "trm_lab"]
    assert result.n == 7
    assert result.reasons[2] == "lab has no distances of these captions"


def test_other_findings() -> None:
    ones = {**SYMMETRIC, "run 1/image 0": SYMMETRIC["run 1/image 0"] + np.eye(7), "run 7/image 0": np.ones((7, 7))}
    found = loaded({**ones, "run 0/nobody": np.ones((7, 7)), "image 0": np.ones((7, 7))})
    codes = sorted((finding.code, finding.record) for finding in found.findings if finding.file == "lab.npz")
    assert codes == [
        ("distance_diagonal", "run 1/image 0"),
        ("score_no_run", "run 7/image 0; image 0"),
        ("score_unknown", "run 0/nobody"),
    ]
    assert found.study is not None
    assert np.array_equal(found.study.distances[0].matrices["run 1"]["image 0"], SYMMETRIC["run 1/image 0"])
    none = loaded({"run 0/nobody": np.ones((7, 7))})
    assert "distances_unusable" in {finding.code for finding in none.findings}
    assert none.study is not None
    assert not none.study.distances
    objects = loaded({"run 0/image 0": np.array([[None]])})
    assert "holds Python objects" in next(f.problem for f in objects.findings if f.code == "vectors_unusable")


def test_a_bundle_carries_them(tmp_path: Path) -> None:
    study, cache = with_distances(), Cache(tmp_path)
    scoring.score(study, [the_metric(study)], cache=cache)
    opened = checked(load_study(("study.zip", study_bundle(study, cache))))
    assert opened.study is not None
    assert opened.study.distances[0].digest == study.distances[0].digest
    assert len(opened.numbers) == 2
    assert not {finding.code for finding in opened.findings} & {"bundle_unknown", "bundle_damaged"}


def test_the_command_line_takes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    write_jsonl(STUDY, tmp_path / "study.jsonl")
    (tmp_path / "lab.npz").write_bytes(npz(MATRICES))
    arguments = ["score", str(tmp_path / "study.jsonl"), str(tmp_path / "lab.npz"), "--metrics", "trm_lab,trm_rouge_l"]
    trilens(*arguments, "--p-values", "--out", tmp_path / "s.csv")
    table = pd.read_csv(tmp_path / "s.csv").set_index(["run", "metric"])
    for run in STUDY.runs:
        mine, theirs = table.loc[run.name, "trm_lab"], table.loc[run.name, "trm_rouge_l"]
        assert (mine["value"], mine["p_value"]) == (theirs["value"], theirs["p_value"])
