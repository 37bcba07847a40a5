"""Test the tables and the verdict of `trilens triangles`, and its errors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from data.convert import to_jsonl_bytes
from data.study import Study
from figures.triangles import words
from metrics.analysis.triangles import triangle_view
from metrics.cache.disk import Cache
from metrics.registry import TRMS
from tests.command_line import trilens
from tests.studies import study as random_study
from tests.ui.shown import chosen, page, part

STUDY = random_study(items=5)


def called(tmp_path: Path, *arguments: str, study: Study = STUDY, expect: int = 0) -> str:
    (tmp_path / "study.jsonl").write_bytes(to_jsonl_bytes(study))
    given = ["triangles", str(tmp_path / "study.jsonl"), "--cache-dir", str(tmp_path / "cache"), *arguments]
    return trilens(*given, expect=expect).output


def test_the_tables_and_the_verdict_are_those_of_the_page(tmp_path: Path) -> None:
    at = page("triangles", STUDY, distance="ROUGE-L", run="run 1", image="image 3")
    asked = ("--metric", "trm_rouge_l", "--run", "run 1", "--item", "image 3")
    for figure in ("triangle_shares", "triangle_worst", "triangle_distances"):
        at.session_state[f"_{figure}_as_table"] = True
    shown = [frame.value for name in ("ranks", "captions") for frame in part(at, name).dataframe]
    view = triangle_view(STUDY, "run 1", 3, TRMS["ROUGE-L"], Cache(None))
    verdict = "".join(words.verdict(STUDY, STUDY.run("run 1"), view))
    for panel, expected in zip(("shares", "captions", "distances"), shown, strict=True):
        said = called(tmp_path, *asked, "--panel", panel, "--out", str(tmp_path / "out.csv"))
        pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "out.csv"), expected, check_dtype=False, rtol=1e-12)
        assert f"image 3, run 1, TRM ROUGE-L: {verdict}" in said
    np.testing.assert_allclose(shown[0]["Share"], view.shares.ravel())


def test_what_nobody_chose_is_as_on_the_page(tmp_path: Path) -> None:
    begun = chosen(page("triangles", STUDY))
    said = called(tmp_path)
    assert f"{begun.get('image', 'image 0')}, {begun.get('run', 'run 0')}, TRM bag of words: " in said
    out = ("--out", str(tmp_path / "scores.csv"))
    argv = ["score", str(tmp_path / "study.jsonl"), "--cache-dir", str(tmp_path / "cache")]
    trilens(*argv, "--metrics", "trm_rouge_l", "--level", "item", *out)
    scores = pd.read_csv(out[1])
    own = scores[scores.run == "run 0"].sort_values("value", kind="stable")
    assert f"{own.item.iloc[2]}, run 0, TRM ROUGE-L: " in called(tmp_path), "the median of what is scored"


def test_what_cannot_be_shown_is_refused(tmp_path: Path) -> None:
    few = replace(STUDY.runs[0], candidates={id: of[:1] for id, of in STUDY.runs[0].candidates.items()})
    study = replace(STUDY, runs=(few, STUDY.runs[1]))
    said = called(tmp_path, "--run", "run 0", "--item", "image 1", study=study, expect=2)
    assert "image 1, run 0: Too few captions for a verdict: 1 caption by the run. A verdict needs 3" in said
    assert "--run 'run 1' has enough" in said
    assert "did you mean 'run 0'" in called(tmp_path, "--run", "rum 0", expect=2)
    assert "did you mean 'image 2'" in called(tmp_path, "--item", "imagee 2", expect=2)
    assert "there is no item 'q'; there are image 0, image 1" in called(tmp_path, "--item", "q", expect=2)
    assert "did you mean trm_bow" in called(tmp_path, "--metric", "trm_bov", expect=2)
    assert "--metric takes one TRM, not bleu_4" in called(tmp_path, "--metric", "bleu_4", expect=2)
    none = replace(STUDY, runs=())
    assert "captions by people but none by a model" in called(tmp_path, study=none, expect=2)
