"""Test that the real caption files next to the checkout load with the expected findings."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from data.check import Finding, Loaded, repair
from data.load import Reading, load_study

REALDATA = Path(__file__).resolve().parents[3] / "shared" / "realdata"
pytestmark = pytest.mark.skipif(not REALDATA.is_dir(), reason="no real data beside the checkout (../shared/realdata)")


def load(name: str, **options: object) -> Loaded:
    return load_study(REALDATA / name, **options)  # type: ignore[arg-type]


def found(loaded: Loaded, code: str) -> list[Finding]:
    return [finding for finding in loaded.findings if finding.code == code]


def shape(loaded: Loaded) -> tuple[int, int]:
    assert loaded.study is not None
    assert not loaded.errors
    return len(loaded.study.items), len(loaded.study.runs)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("GENERATED_coco_ngram_tempsweep_200.jsonl", (200, 17)),
        ("abstract48s_500.jsonl", (200, 2)),
        ("coco_cn_unicode.jsonl", (300, 0)),
        ("coco_fakecap_1000.jsonl", (1000, 1)),
        ("coco_mrnn_beam10_plus9systems_500.jsonl", (500, 10)),
        ("magic_coco_500.jsonl", (500, 6)),
        ("thumb_coco_500.jsonl", (500, 5)),
    ],
)
def test_file_loads(name: str, expected: tuple[int, int]) -> None:
    assert shape(load(name)) == expected


def test_full_magic_lacks_18_items_in_two_runs_and_is_quick() -> None:
    # Seconds of this thread, as a multiple of the time that tokenising all texts takes on this machine.
    start = time.thread_time()
    loaded = load("magic_coco_full_5000.jsonl.gz")
    read = time.thread_time()
    assert shape(loaded) == (4982, 6)
    assert loaded.study is not None
    texts = [text for item in loaded.study.items for text in item.references]
    texts += [text for run in loaded.study.runs for of in run.candidates.values() for text in of]
    begun = time.thread_time()
    for text in texts:
        re.findall(r"\w+", text.lower())
    assert read - start < 40 * (time.thread_time() - begun)  # 10 to 19 times
    lacks = found(loaded, "run_lacks_items")
    assert [(finding.problem, finding.count) for finding in lacks] == [
        (f"Run {run} has no captions for 18 of 5,000 items.", 18) for run in ("clipre", "magic")
    ]
    assert shape(repair(loaded, ["widest_runs"])) == (5000, 4)


def test_mrnn_has_five_empty_candidates() -> None:
    loaded = load("coco_mrnn_beam10_plus9systems_500.jsonl")
    (finding,) = found(loaded, "empty_candidate")
    assert (finding.problem, finding.count) == ("A caption of run Vinyals-et-al-2017 is empty.", 5)
    assert shape(repair(loaded, ["drop_empty_candidates"])) == (495, 10)
    (counts,) = found(loaded, "unequal_counts")
    assert "10 (run m-RNN_beam10), 1 (9 runs)" in counts.problem


def test_thumb_keeps_the_ratings() -> None:
    study = load("thumb_coco_500.jsonl").study
    assert study is not None
    ratings = study.run("VinVL-large").human
    assert ratings is not None
    assert len(ratings) == 500
    assert {"P", "R"} <= set(ratings["974"])


def test_temperatures_of_the_sweep_are_one_model() -> None:
    study = load("GENERATED_coco_ngram_tempsweep_200.jsonl").study
    assert study is not None
    sweep = [run.settings.temperature for run in study.runs if run.model == "sampling"]
    assert len(sweep) == 9
    assert sweep == sorted(sweep)


def test_ratings_table_says_what_is_missing_and_can_be_references() -> None:
    loaded = load("cosmic_raccoon.tsv")
    assert shape(loaded) == (898, 1)
    assert not loaded.errors
    assert found(loaded, "no_references")
    assert "cb0" in found(loaded, "ignored_columns")[0].problem
    references = load("cosmic_raccoon.tsv", overrides={"cosmic_raccoon.tsv": Reading(role="references")})
    assert shape(references) == (898, 0)
