"""Test slices of a study: their items, what they leave out, and how a link states them."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from data.slices import decode, encode, only_slice
from data.study import ImportedScores, Preference, SystemRatings
from metrics.engine import scoring
from metrics.registry import METRICS
from tests.studies import study as random_study

STUDY = random_study(items=30, references=3, candidates=2, runs=2, seed=8)
IDS = [item.id for item in STUDY.items]


@pytest.mark.parametrize("count", [1, 7, 8, 9, 30])
def test_text_and_items_are_the_same(count: int) -> None:
    some = random.Random(count).sample(IDS, count)
    assert set(decode(STUDY, encode(STUDY, some)) or ()) == set(some)


def test_text_of_five_thousand_items_fits_an_address() -> None:
    large = random_study(items=5_000, references=1, candidates=1, runs=1)
    some = random.Random(1).sample([item.id for item in large.items], 600)
    assert len(encode(large, some)) < 1_000


def test_text_of_another_study_or_of_nothing_is_refused() -> None:
    good = encode(STUDY, IDS[:4])
    other = random_study(items=31, references=1)
    assert decode(other, good) is None
    for text in ("", "x", good[:8], good[:-3], good[:8] + "!!!!", good[:8] + "AAAA", "0" * 8 + good[8:]):
        assert decode(STUDY, text) is None, text
    assert decode(STUDY, encode(STUDY, [])) is None


def test_what_belongs_to_all_items_is_left_out() -> None:
    run, item = ImportedScores("r", "run", True, 0, 1, {}), ImportedScores("i", "item", True, 0, 1, {})
    votes = tuple(Preference(one, ("run 0", 0), ("run 1", 0), 1, 0, "c", "") for one in IDS[:6])
    whole = replace(STUDY, scores=(run, item), preferences=votes, systems=(SystemRatings("s", (), {}, {}),))
    part = only_slice(whole, "few", IDS[3:9])
    assert [one.id for one in part.items] == IDS[3:9]
    assert (part.scores, part.systems) == ((item,), ())
    assert [one.item for one in part.preferences] == IDS[3:6]
    assert part.name == "random captions: few"
    assert part.digest != whole.digest


def test_numbers_of_a_slice_are_those_of_a_study_that_never_had_the_other_items() -> None:
    """Even the document frequencies of CIDEr-D are counted only in the references of the slice."""
    part = only_slice(STUDY, "few", IDS[::2])
    alone = replace(
        STUDY,
        items=STUDY.items[::2],
        runs=tuple(replace(run, candidates={k: run.candidates[k] for k in IDS[::2]}) for run in STUDY.runs),
    )
    metric = METRICS["cider_d"]
    one, other, whole = (scoring.score(of, [metric])["run 0", "cider_d"] for of in (part, alone, STUDY))
    assert one.corpus == other.corpus
    assert one.items.tolist() == other.items.tolist()
    assert abs(one.items - whole.items[::2]).max() > 1e-3
