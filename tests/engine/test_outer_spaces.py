"""Test that the finding about spaces at the ends of captions says correctly which metrics read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from data.study import Study
from metrics.analysis.feasibility import why_impossible
from metrics.engine import scoring
from metrics.registry import METRICS
from tests.studies import study as random_study

SLOW = ("bert", "spice", "scene", "perplexity", "mauve", "clip", "cosmic", "critique", "vendi")
"""Words in the names of metrics that need models or other programs."""


def spaced(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple((" {}", "{} ", "\t{}  ", "{}")[k % 4].format(text) for k, text in enumerate(texts))


def with_spaces(study: Study) -> Study:
    items = tuple(replace(item, references=spaced(item.references)) for item in study.items)
    runs = tuple(
        replace(run, candidates={id: spaced(said) for id, said in run.candidates.items()}) for run in study.runs
    )
    return replace(study, items=items, runs=runs)


def test_no_metric_but_the_compression_ratio_reads_them() -> None:
    plain = random_study(items=5, runs=2, candidates=4, references=4, seed=3)
    names = [name for name, one in METRICS.items() if why_impossible(plain, one) is None]
    metrics = [METRICS[name] for name in names if not any(part in name for part in SLOW)]
    assert len(metrics) > 30
    without, given = (scoring.score(study, metrics) for study in (plain, with_spaces(plain)))
    differ = {
        name
        for (run, name), found in without.items()
        if not np.isclose(found.corpus, given[run, name].corpus, rtol=1e-9, equal_nan=True)
    }
    assert differ == {"compression_ratio"}
