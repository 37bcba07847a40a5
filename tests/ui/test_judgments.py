"""The Judgments page: a rated study, and ratings of systems alone."""

from __future__ import annotations

import numpy as np
import pandas as pd

from data.convert import to_jsonl_bytes
from data.load import Loaded, load_study
from metrics.analysis import artifacts
from metrics.analysis.judgments.captions import Design
from tests.studies import study as random_study
from tests.ui.shown import markup, page, score
from ui.jobs import jobs

STUDY = random_study(items=12, candidates=2, runs=3)
NAMES = ("rouge_l", "bleu_1")
RNG = np.random.default_rng(0)
ROWS = [(i.id, r.name, k, int(RNG.integers(1, 6))) for r in STUDY.runs for i in STUDY.items for k in range(2)]
SYSTEMS = b"system,M1,M2,CIDEr_c5\nHuman,.6,.7,.85\nA,.3,.3,.94\nB,.2,.2,.9\nC,.1,.2,.5\n"


def rated() -> Loaded:
    table = pd.DataFrame(ROWS, columns=["item", "run", "candidate", "rating"])
    return load_study([("study.jsonl", to_jsonl_bytes(STUDY)), ("r.csv", table.to_csv(index=False).encode())])


def test_a_rated_study_ranks_metrics_and_shows_captions() -> None:
    loaded = rated()
    results = score(loaded.study, NAMES)
    metrics = tuple(dict.fromkeys(result.metric for result in results.values()))
    design = Design("rating", runs=tuple(run.name for run in STUDY.runs))
    for order in (metrics, metrics[::-1]):
        work = artifacts.agreement(loaded.study, results, order, design)
        jobs.jobs().cache.put(work.key, work.run(artifacts.Hooks()))
    at = page("judgments", loaded, quality=list(NAMES), distribution="none", diversity="none")
    assert not at.exception
    assert "agrees with people best" in markup(at)
    assert "likes it, people do not" in markup(at)
    assert at.query_params["rated"] == "rating"
    assert at.query_params["agreement"] == "kendall_tau_b"


def test_ratings_of_systems_alone() -> None:
    at = page("judgments", load_study([("coco.csv", SYSTEMS)]))
    assert not at.exception
    assert "CIDEr_c5: r = " in markup(at)
    assert "without Human" in markup(at)
