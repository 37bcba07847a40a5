"""Test that log-probabilities are read from a file into the study and written back."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from data.check import Loaded, repair
from data.convert import to_jsonl_bytes
from data.load import load_study

ITEM: dict[str, Any] = {
    "id": "1",
    "references": ["A dog.", "The dog."],
    "candidates": {"m": ["A cat.", "One cat."], "k": ["A cow."]},
    "logprobs": {"m": [-1, -2]},
    "reference_logprobs": {"m": [-3, None]},
    "oracle_logprobs": {"references": [-1, -1.5], "candidates": {"m": [-2, None], "k": [-7]}},
}


def load(*rows: dict[str, Any], **files: list[dict[str, Any]]) -> Loaded:
    given = {"x": list(rows), **files} if rows else files
    return load_study([(f"{name}.json", json.dumps(content).encode()) for name, content in given.items()])


def test_all_fields_are_read() -> None:
    study = load(ITEM).study
    assert study is not None
    m, k = study.run("m"), study.run("k")
    assert (m.logprobs, k.logprobs) == ({"1": (-1.0, -2.0)}, None)
    assert (m.reference_logprobs, k.reference_logprobs) == ({"1": (-3.0, -math.inf)}, None)
    assert (m.oracle_logprobs, k.oracle_logprobs) == ({"1": (-2.0, -math.inf)}, {"1": (-7.0,)})
    assert study.items[0].oracle_logprobs == (-1.0, -1.5)


def test_they_come_back_from_jsonl_and_through_a_repair() -> None:
    study = load(ITEM).study
    assert study is not None
    again = load_study([("x.jsonl", to_jsonl_bytes(study))]).study
    assert again is not None
    mended = repair(study, []).study
    assert mended is not None
    for other in (again, mended):
        assert (other.items, other.runs) == (study.items, study.runs)
        assert other.logprobs_digests == study.logprobs_digests


def test_they_are_no_part_of_the_digest_of_captions() -> None:
    bare = {key: value for key, value in ITEM.items() if not key.endswith("logprobs")}
    with_them, without = load(ITEM).study, load(bare).study
    assert with_them is not None
    assert without is not None
    assert with_them.digest == without.digest
    assert without.logprobs_digests == {"m": "", "k": ""}
    assert len({*with_them.logprobs_digests.values(), ""}) == 3
    other = load({**ITEM, "reference_logprobs": {"m": [-3, -4]}}).study
    assert other is not None
    assert other.logprobs_digests["m"] != with_them.logprobs_digests["m"]
    assert other.logprobs_digests["k"] == with_them.logprobs_digests["k"]


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("logprobs", {"m": [-1, None]}, "it is not one finite number per candidate (run m)"),
        ("logprobs", {"m": [-1, 0.25]}, "it holds 0.25, but no log-probability is above 0"),
        ("logprobs", {"nobody": [-1, -2]}, "there is no run nobody"),
        ("reference_logprobs", {"m": [-3]}, "it is not one finite number per reference (run m)"),
        ("reference_logprobs", {"m": [-3, "x"]}, "it is not one finite number per reference (run m)"),
        ("reference_logprobs", {"m": [-3, True]}, "it is not one finite number per reference (run m)"),
        ("reference_logprobs", {"m": -3}, "it is not one finite number per reference (run m)"),
        ("reference_logprobs", {"nobody": [-3, -4]}, "there is no run nobody"),
        ("oracle_logprobs", [-1, -2], "it is not an object of `references` and, by run, `candidates`"),
        ("oracle_logprobs", {"m": [-1, -2]}, "it is not an object of `references` and, by run, `candidates`"),
        ("oracle_logprobs", {"references": [-1]}, "it is not one finite number per reference"),
        ("oracle_logprobs", {"references": [3, -1]}, "it holds 3, but no log-probability is above 0"),
        ("oracle_logprobs", {"candidates": {"m": [-1e400, -1]}}, "it is not one finite number per candidate (run m)"),
    ],
)
def test_what_is_wrong_is_a_finding_and_is_left_out(field: str, value: Any, why: str) -> None:
    loaded = load({**ITEM, field: value}, {**ITEM, "id": "2"})
    (finding,) = [one for one in loaded.findings if one.code == "ignored_field"]
    assert finding.problem == f"`{field}` was ignored: {why}."
    assert loaded.study is not None
    run = loaded.study.run("m")
    if field != "oracle_logprobs":
        assert set(getattr(run, field)) == {"2"}
    assert any(one.code == "logprobs_incomplete" and one.id == "m" for one in loaded.findings)


def test_a_number_that_is_0_but_for_rounding_is_0() -> None:
    study = load({**ITEM, "logprobs": {"m": [1e-9, -2]}}).study
    assert study is not None
    assert study.run("m").logprobs == {"1": (0.0, -2.0)}


def test_they_follow_references_that_are_mended_and_left_out() -> None:
    references = ["A\ndog.", "", "The dog."]
    oracle = {"references": [-1, -2, -3]}
    study = load(
        {**ITEM, "references": references, "reference_logprobs": {"m": [-4, -5, -6]}, "oracle_logprobs": oracle}
    ).study
    assert study is not None
    assert study.items[0].references == ("A dog.", "The dog.")
    assert study.items[0].oracle_logprobs == (-1.0, -3.0)
    assert study.run("m").reference_logprobs == {"1": (-4.0, -6.0)}


def test_they_follow_candidates_that_are_drawn() -> None:
    loaded = load(ITEM, {**ITEM, "id": "2"})
    study = repair(loaded, ["one_each"]).study
    assert study is not None
    for id, texts in study.run("m").candidates.items():
        place = ITEM["candidates"]["m"].index(texts[0])
        assert study.run("m").oracle_logprobs == {
            **(study.run("m").oracle_logprobs or {}),
            id: ((-2.0, -math.inf)[place],),
        }


def test_files_in_another_order_of_references_agree() -> None:
    bare = {"id": "1", "references": ["The dog.", "A dog."]}
    study = load(a=[bare], b=[ITEM]).study
    assert study is not None
    assert study.items[0].references == ("The dog.", "A dog.")
    assert study.items[0].oracle_logprobs == (-1.5, -1.0)
    assert study.run("m").reference_logprobs == {"1": (-math.inf, -3.0)}


def test_references_of_another_file_that_lack_them_leave_the_item_without() -> None:
    loaded = load(a=[{"id": "1", "references": ["A wolf."]}], b=[ITEM])
    assert loaded.study is not None
    assert loaded.study.items[0].oracle_logprobs is None
    assert loaded.study.run("m").reference_logprobs is None
    assert {one.code for one in loaded.findings} >= {"references_joined", "logprobs_incomplete"}


def test_equal_references_with_unequal_values_are_a_finding_and_the_first_counts() -> None:
    loaded = load({**ITEM, "references": ["A dog.", "A dog.", "The dog."], "reference_logprobs": {"m": [-3, -4, -5]}})
    assert loaded.study is not None
    assert any(one.code == "facts_differ" and "reference_logprobs" in one.problem for one in loaded.findings)
    assert loaded.study.run("m").reference_logprobs == {"1": (-3.0, -3.0, -5.0)}
