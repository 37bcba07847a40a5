"""Measure how often runs that write as people do are falsely said to be nearer to the centre than people, or
farther.
"""

from __future__ import annotations

import numpy as np
import pytest

from metrics.analysis.central import study as central_study
from metrics.permutation.pvalues import ALPHA
from tests.equal_runs import centres
from tests.prove.conftest import Proof


@pytest.mark.prove
@pytest.mark.parametrize("runs", [5, 10, 20])
def test_runs_that_write_as_people_do_stand_where_people_do(proof: Proof, runs: int) -> None:
    wrong, repeats = np.zeros(2), 400
    for study, arrays in centres(runs, repeats, seed=runs):
        found = central_study.across(study, arrays)
        ends = np.array([run.interval for run in found.runs])
        wrong += [((ends[:, 0] > 1) | (ends[:, 1] < 1)).any(), (found.p_holm <= ALPHA).any()]
    before, measured = wrong / repeats
    proof.row(
        "Runs said to stand nearer the centre than people or farther, all equal to people",
        runs=runs,
        items=48,
        nominal=ALPHA,
        before=before,
        measured=measured,
        repeats=repeats,
    )
    assert measured <= ALPHA + 3 * np.sqrt(ALPHA * (1 - ALPHA) / repeats)
    assert before > 0.1, "the error that this guards against has gone: the experiment is no longer one"
