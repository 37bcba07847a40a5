"""Test that the key of a result that depends on every item of a study cannot be that of only some of its items."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from data.study import Item, Study
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import resolve
from tests.studies import study

MANY = " ".join(f"word{k}" for k in range(6_000))
"""More words than a vocabulary can contain."""


@pytest.mark.parametrize("name", ["cider_d", "trm_cider_d", "trm_bow", "mmd_bow", "self_cider", "consensus_cider_d"])
def test_what_other_items_change_is_not_taken_from_the_cache(tmp_path: Path, name: str) -> None:
    """Document frequencies and vocabularies depend on the whole study, so keys must not depend on the first items
    alone.
    """
    one, (first, *rest) = studied()
    more = (*first.references, *one.runs[0].candidates[first.id][1:], MANY)
    other = replace(one, items=(first, *(replace(item, references=(*item.references, *more)) for item in rest)))
    assert_made_anew(one, other, name, tmp_path)


@pytest.mark.parametrize("name", ["trm_cider_d", "trm_bow", "mmd_bow"])
def test_what_the_run_says_elsewhere_is_not_taken_from_the_cache(tmp_path: Path, name: str) -> None:
    """Facts that are learned from candidates, too, depend on the candidates of every item."""
    one, (first, *rest) = studied()
    more = (*first.references, *one.runs[0].candidates[first.id][1:], MANY)
    said = {item.id: (*one.runs[0].candidates[item.id], *more) for item in rest}
    run = replace(one.runs[0], candidates={**one.runs[0].candidates, **said})
    assert_made_anew(one, replace(one, runs=(run,)), name, tmp_path)


def studied() -> tuple[Study, tuple[Item, ...]]:
    """Return a study and its items; the first candidate contains a word that no other caption has."""
    one = study(items=4, references=2, runs=1)
    first = one.items[0].id
    said = {**one.runs[0].candidates, first: ("A zebra sits on a red bench.", *one.runs[0].candidates[first])}
    return replace(one, runs=(replace(one.runs[0], candidates=said),)), one.items


def assert_made_anew(one: Study, other: Study, name: str, folder: Path) -> None:
    """Check that the first item's value is different in the other study, and the same with and without a cache."""
    options = Options(p_values=True, draws=99, resamples=50, chunk=1)
    metric, cache = resolve([name], "whitespace"), Cache(folder)
    before = scoring.score(one, metric, options, cache)
    cached, fresh = (scoring.score(other, metric, options, where) for where in (cache, None))
    for key, result in fresh.items():
        assert result.items[0] != before[key].items[0]
        np.testing.assert_array_equal(cached[key].items, result.items)
