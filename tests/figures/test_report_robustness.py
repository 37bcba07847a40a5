"""Test the report's page about robustness: what it says about captions and about sets is not contradictory."""

from __future__ import annotations

import re

import pytest

from figures.report.html import Section
from figures.report.request import Request
from figures.report.robustness import robustness
from metrics.analysis.numbers import Numbers
from metrics.analysis.robustness import defaults
from metrics.cache.disk import Cache
from metrics.progress import Hooks
from metrics.registry import METRICS
from tests.studies import study as random_study


@pytest.mark.parametrize("names", [("rouge_l",), ("rouge_l", "distinct_2")])
def test_each_sentence_says_which_metrics_it_speaks_of(names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """The page once said "No metric is blind to any chosen fault" above "3 metrics hardly notice a random caption"."""
    monkeypatch.setattr(defaults, "FAULTS", ("word_permutation", "letter_case"))
    cache = Cache(None)
    asked = Request(
        *(random_study(items=5, references=4, candidates=3), Numbers({}), tuple(METRICS[name] for name in names)),
        *(("robustness",), "2026-01-31"),
        cache=cache,
        make=lambda work, _: work.compute(cache, Hooks()),
    )
    page = robustness(asked)
    assert isinstance(page, Section)
    found = [
        re.sub("<[^>]+>", "", said) for said in re.findall(r'<div class="tl-verdict">(.*?)</div>', str(page.blocks))
    ]
    begun = ["".join(page.verdict), *found]
    kinds = ["Single captions: ", "Sets of captions: "] if len(names) > 1 else [""]
    assert len(begun) == len(kinds)
    assert all(said.startswith(kind) for said, kind in zip(begun, kinds))
    assert ("Single captions" in begun[0]) == (len(names) > 1), "where one kind is shown there is nothing to part"
