"""Test the tables of `trilens central` in both directions, and its errors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from data.convert import to_jsonl_bytes
from data.study import Study
from figures.central import verdict, words
from metrics.analysis.central import study as central_study
from metrics.cache.disk import Cache
from metrics.distances.words import BleuDistance
from tests.command_line import trilens
from tests.studies import study as random_study

STUDY = random_study(items=8, references=4, candidates=2, runs=2)


def called(tmp_path: Path, *arguments: str, study: Study = STUDY, expect: int = 0) -> str:
    (tmp_path / "study.jsonl").write_bytes(to_jsonl_bytes(study))
    return trilens("central", tmp_path / "study.jsonl", "--no-cache", *arguments, expect=expect).output


@pytest.mark.parametrize("role", ["candidate", "reference"])
def test_the_tables_are_those_of_the_page(tmp_path: Path, role: str) -> None:
    out, space = tmp_path / "out.csv", BleuDistance(n=2)
    arrays = central_study.measure(STUDY, space, Cache(None), as_reference=role == "reference")
    found = central_study.across(STUDY, arrays)
    for panel, expected in (
        ("runs", words.runs_table(found)),
        ("lengths", words.lengths_table(found)),
        ("items", words.items_table(STUDY, found)),
    ):
        said = called(tmp_path, "--distance", "bleu_2", "--as", role, "--panel", panel, "--out", str(out))
        pd.testing.assert_frame_equal(
            pd.read_csv(out), expected.frame().replace("", np.nan), check_exact=False, rtol=1e-9
        )
        assert "".join(verdict.study_verdict(STUDY, found, space.label)) in said


def test_the_directions_differ(tmp_path: Path) -> None:
    both = [called(tmp_path, "--distance", "bleu_1", "--as", role) for role in ("candidate", "reference")]
    assert both[0] != both[1]


def test_what_cannot_be_shown_is_refused(tmp_path: Path) -> None:
    assert "there is no distance 'x'; there are meteor" in called(tmp_path, "--distance", "x", expect=2)
    one = replace(STUDY, items=tuple(replace(item, references=item.references[:1]) for item in STUDY.items))
    assert "no item has three" in called(tmp_path, study=one, expect=2)
