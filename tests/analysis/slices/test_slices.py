"""Test slices of a study, and whether the planted slice of simulated studies is found."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from data.study import Item, Study
from figures.slices import words
from metrics.analysis import artifacts
from metrics.analysis.slices import differences as analysis
from metrics.analysis.slices.groups import LEAST, Slice, divisible, slices
from metrics.cache.disk import Cache
from metrics.cache.entry import Arrays
from metrics.engine import scoring
from metrics.progress import Hooks
from metrics.registry import METRICS
from metrics.suite.quality import RougeL
from tests.analysis.slices.worlds import planted, rates, values_of
from tests.studies import study as random_study

STUDY = random_study(items=60, references=3, candidates=2, runs=3, seed=5)
ROUGE, LENGTH = METRICS["rouge_l"], METRICS["caption_length"]


def found_in(study: Study, second: str | None = "run 1", **design: int) -> tuple[analysis.Values, Arrays]:
    results = scoring.score(study, analysis.needed(study, ROUGE))
    chosen = analysis.Design("run 0", second, **{"fewest": 5, "draws": 199, **design})
    values = analysis.values(study, results, ROUGE, chosen)
    assert not isinstance(values, str), values
    return values, analysis.measure(study, values)


def with_metadata(study: Study, *metadata: dict[str, object]) -> Study:
    return replace(study, items=tuple(replace(i, metadata=m) for i, m in zip(study.items, metadata, strict=True)))


def named(study: Study, fewest: int = 2) -> dict[str, Slice]:
    none = np.full(len(study.items), np.nan)
    return {one.key: one for one in slices(study, range(len(study.items)), fewest, none)}


def test_a_word_has_the_items_whose_references_have_it() -> None:
    texts = ["A Dog runs.", "The dogs run", "a cat", "Dog!", "a cat sits"]
    study = Study("s", tuple(Item(f"{k}", (text, "x y")) for k, text in enumerate(texts)), ())
    found = named(study)
    assert found["word:dog"].places == (0, 3)
    assert found["word:cat"].places == (2, 4)
    assert "word:a" not in found  # a function word
    assert "word:x" not in found  # in all items, so there are no others
    assert "word:runs" not in found  # in one item


def test_ranges_are_quarters_that_never_part_equal_values() -> None:
    study = random_study(items=12, references=1, runs=0)
    values = [1.5, 2, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    found = named(with_metadata(study, *({"size": value} for value in values)))
    parts = [found[f"field:size:{k}"] for k in range(1, 5)]
    assert [one.places for one in parts] == [(0, 1, 2, 3), (4, 5), (6, 7, 8), (9, 10, 11)]
    assert all(one.high < other.low for one, other in pairwise(parts))
    assert (parts[0].low, parts[-1].high) == (1.5, 10)


def test_metadata_by_value_and_what_is_no_field() -> None:
    study = random_study(items=12, references=1, runs=0)
    metadata = [
        {"id": k, "split": "ab"[k % 2], "same": "x", "tags": ["t", f"u{k}"] if k < 4 else [], "in": {"year": k // 6}}
        for k in range(12)
    ]
    found = {key: one for key, one in named(with_metadata(study, *metadata)).items() if one.kind == "field"}
    assert sorted(found) == ["field:in.year:0", "field:in.year:1", "field:split:a", "field:split:b", "field:tags:t"]
    assert found["field:tags:t"].places == (0, 1, 2, 3)


def test_a_number_and_its_text_are_one_value() -> None:
    study = random_study(items=12, references=1, runs=0)
    found = named(with_metadata(study, *({"year": (1, 1.0, "1", 2.5)[k % 4]} for k in range(12))))
    by_key = {key: one.places for key, one in found.items() if one.kind == "field"}
    assert by_key == {"field:year:1": (0, 1, 2, 4, 5, 6, 8, 9, 10), "field:year:2.5": (3, 7, 11)}
    numbers = named(with_metadata(study, *({"year": (1, 1.0, 2)[k % 3]} for k in range(12))))
    assert {key for key, one in numbers.items() if one.kind == "field"} == {"field:year:1", "field:year:2"}


def test_the_numbers_are_those_of_scipy() -> None:
    values, arrays = found_in(STUDY)
    found = analysis.differences(values, arrays)
    items = values.items
    assert found.overall == pytest.approx(items.mean())
    for row in found.rows[:5]:
        inside = items[list(row.slice.places)]
        outside = np.delete(items, row.slice.places)
        t = stats.ttest_ind(inside, outside, equal_var=False).confidence_interval(0.95)
        assert (row.gap_low, row.gap_high) == pytest.approx((t.low, t.high))
        one = stats.ttest_1samp(inside, 0).confidence_interval(0.95)
        assert (row.low, row.high) == pytest.approx((one.low, one.high))
        assert row.gap == pytest.approx(inside.mean() - outside.mean())
    adjusted = [row.adjusted for row in found.rows]
    assert adjusted == sorted(adjusted)


def test_p_is_corrected_by_holm_or_for_the_share_of_false_finds() -> None:
    values, arrays = found_in(STUDY)
    of_chance = arrays | {"p_value": np.linspace(0.0004, 0.9, len(arrays["p_value"])) ** 2}
    for given in (arrays, of_chance):
        p = given["p_value"]
        ranks = np.argsort(np.argsort(p, kind="stable"), kind="stable")
        steps = np.minimum(1, np.sort(p) * np.arange(len(p), 0, -1))
        expected = {"holm": np.maximum.accumulate(steps)[ranks], "bh": stats.false_discovery_control(p)}
        for correction, adjusted in expected.items():
            rows = analysis.differences(values, given, correction).rows
            by_key = dict(zip((one.key for one in analysis._slices(given)), adjusted))
            assert {row.slice.key: row.adjusted for row in rows} == pytest.approx(by_key)
    assert not np.allclose(expected["holm"], expected["bh"])


def test_clusters_of_single_items_have_the_interval_of_two_equal_samples() -> None:
    """With equally many items inside and outside, Welch's standard error is the textbook one; clusters only lower its
    df.
    """
    one, other = np.random.default_rng(4).normal(size=(2, 7))
    single = np.arange(14)
    half = analysis._of_clusters(one, other, single[:7], single[7:])
    error = np.sqrt((one.var(ddof=1) + other.var(ddof=1)) / 7)
    assert half == pytest.approx(stats.t.ppf(0.975, 6) * error)
    together = analysis._of_clusters(np.tile(one, 2), np.tile(other, 2), *np.tile(single.reshape(2, 7), 2))
    assert together == pytest.approx(half), "a copy of every item in its cluster makes nothing surer"


def test_one_run_is_compared_with_its_own_mean() -> None:
    values, arrays = found_in(STUDY, None)
    found = analysis.differences(values, arrays)
    assert found.overall == pytest.approx(values.sides[0].mean())
    assert len(values.sides) == 1


def test_agreement_of_references_is_a_slice() -> None:
    values, arrays = found_in(STUDY)
    rows = {row.slice.key: row.slice for row in analysis.differences(values, arrays).rows}
    assert {"consensus:1", "consensus:4", "length:1"} <= rows.keys()
    low = rows["consensus:1"]
    assert max(values.agreement[list(low.places)]) == pytest.approx(low.high)
    assert values.agreement[list(low.places)].mean() < np.nanmean(values.agreement)


def test_agreement_says_nothing_of_one_run_that_is_scored_against_people() -> None:
    """Where people agree, even a run that consists of people's own captions scores higher."""
    people = [item.references[:1] for item in STUDY.items]
    own = replace(STUDY.runs[0], candidates={i.id: texts for i, texts in zip(STUDY.items, people, strict=True)})
    study = replace(
        STUDY,
        items=tuple(replace(item, references=item.references[1:]) for item in STUDY.items),
        runs=(own, *STUDY.runs[1:]),
    )
    values, arrays = found_in(study, None)
    assert values.agreement_decides
    kinds = {row.slice.kind for row in analysis.differences(values, arrays).rows}
    assert "consensus" not in kinds
    assert "length" in kinds
    assert words.AGREEMENT_LEFT_OUT in words.facts(study, values, analysis.differences(values, arrays), 1)
    results = scoring.score(study, analysis.needed(study, LENGTH))
    alone = analysis.values(study, results, LENGTH, analysis.Design("run 0", None, fewest=5, draws=99))
    assert not isinstance(alone, str)
    assert not alone.agreement_decides, "what reads no reference does not rise with their agreement by itself"


def test_why_there_are_none() -> None:
    results = scoring.score(STUDY, [ROUGE])
    pending = analysis.values(STUDY, {}, ROUGE, analysis.Design("run 0", "run 1"))
    assert pending == "not computed yet"
    whole = analysis.values(STUDY, results, METRICS["vocabulary"], analysis.Design("run 0", "run 1"))
    assert isinstance(whole, str)
    assert "whole run" in whole


def test_arrays_that_cannot_be_slices_are_refused() -> None:
    values, arrays = found_in(STUDY)
    assert analysis.fits(STUDY, values, arrays)
    broken = {
        "p_value": arrays["p_value"] * np.nan,
        "draws": arrays["draws"] * 0,
        "places": arrays["places"] + 1000,
        "sizes": arrays["sizes"][::-1] + 1,
        "ends": arrays["ends"][:-1],
        "kind": arrays["kind"] + 9,
        "texts": arrays["texts"][:0],
    }
    for name, array in broken.items():
        assert not analysis.fits(STUDY, values, {**arrays, name: array}), name
    assert not analysis.fits(STUDY, values, {**arrays, "ends": np.full_like(arrays["ends"], np.inf)})
    assert not analysis.fits(STUDY, values, {**arrays, "p_value": np.full_like(arrays["p_value"], 1e300)})


def test_the_key_knows_values_metadata_and_design() -> None:
    values, _ = found_in(STUDY)
    other = with_metadata(STUDY, *({"k": k} for k in range(60)))
    keys = {
        analysis.key(STUDY, values),
        analysis.key(other, values),
        analysis.key(STUDY, replace(values, design=replace(values.design, fewest=6))),
        analysis.key(STUDY, replace(values, design=replace(values.design, seed=1))),
        analysis.key(STUDY, replace(values, fingerprints=("x",))),
    }
    assert len(keys) == 5
    cache = Cache(None)
    work = artifacts.slices(STUDY, values)
    work.compute(cache, Hooks())
    assert work.stored(cache) is not None


def test_a_planted_word_is_found_and_only_it() -> None:
    study, d = planted(np.random.default_rng(3), items=300, effect=1.5)
    values = values_of(study, d)
    found = analysis.differences(values, analysis.measure(study, values))
    assert found.found[0].slice.key == "word:planted"
    assert found.found[0].gap == pytest.approx(1.5, abs=0.5)
    assert len(found.rows) > 30


def test_rates_of_false_finds_in_short() -> None:
    measured = rates(repeats=40, items=120, effect=0.0)
    assert measured.any_holm <= 0.05 + 3.2 * np.sqrt(0.05 * 0.95 / 40)
    assert measured.level <= 0.05 + 0.01
    power = rates(repeats=10, items=300, effect=1.2)
    assert power.found >= 0.8
    assert power.false_share_bh <= 0.05 + 0.1


def test_agreement_is_by_a_measure_that_knows_no_other_item() -> None:
    assert isinstance(analysis.AGREEMENT.of, RougeL)


@pytest.mark.parametrize(
    ("fields", "divides"),
    [
        ([{}] * 4, False),
        ([{"kind": "x"}] * 4, False),
        ([{"kind": "x"}, {"kind": "x"}, {"kind": "x"}, {"kind": "y"}], False),
        ([{"kind": "x"}, {"kind": "x"}, {"kind": "y"}, {"kind": "y"}], True),
        ([{"at": {"kind": "x"}}, {"at": {"kind": "x"}}, {}, {}], True),
        ([{"id": k} for k in range(4)], False),
    ],
)
def test_without_references_a_study_is_divided_by_a_field_with_two_items_on_both_sides(
    fields: list[dict[str, object]], divides: bool
) -> None:
    items = tuple(Item(f"i{k}", (), metadata=of) for k, of in enumerate(fields))
    bare = Study("s", items, ())
    assert divisible(bare) is divides
    assert divides is any(slices(bare, range(4), LEAST, np.full(4, np.nan)))
    assert divisible(replace(bare, items=(replace(items[0], references=("a dog",)), *items[1:])))
