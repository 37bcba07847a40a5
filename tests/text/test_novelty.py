"""Test which captions count as novel, and the messages about unusable files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from data.study import Item, Run, Settings, Study
from metrics.analysis.feasibility import why_impossible
from metrics.analysis.human_line import HUMAN
from metrics.analysis.numbers import score_with_people
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS, resolve

LINES = ["A dog runs.", "two red kites", "", "the cat sleeps"]


@pytest.fixture
def study() -> Study:
    items = (Item("1", ("the dog is running", "a dog runs")), Item("2", ("kites in the sky", "a blue kite")))
    said = {"1": ("a dog runs", "the  CAT sleeps !", "a dog"), "2": ("two red kites", "red two kites")}
    return Study(name="novel", items=items, runs=(Run("m", "m", Settings(), said),))


def scored(study: Study, name: str) -> tuple[float, float]:
    metrics = resolve([name], tokenizer="whitespace" if "whitespace" in name else "ptb")
    found = score_with_people(study, metrics, lambda of, some: scoring.score(of, some, Options(), Cache(None)))
    key = metrics[0].name
    return found.results["m", key].corpus, found.people[HUMAN, key].corpus


def test_case_and_punctuation_make_no_caption_new(study: Study, tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("\n".join(LINES))
    of_run, of_people = scored(study, f"novel_captions(training={tmp_path}/train.txt)")
    assert of_run == pytest.approx((1 / 3 + 1 / 2) / 2)
    assert of_people == pytest.approx((1 / 2 + 1) / 2)


def test_any_format_of_captions_is_a_training_file(study: Study, tmp_path: Path) -> None:
    rows = [{"id": "a", "references": ["a dog runs"], "candidates": {"x": ["two red kites"]}}]
    (tmp_path / "train.jsonl").write_text("".join(json.dumps(row) for row in rows))
    of_run, _ = scored(study, f"novel_captions(training={tmp_path}/train.jsonl)")
    assert of_run == pytest.approx((2 / 3 + 1 / 2) / 2)


def test_only_the_captions_of_the_file_are_signed(tmp_path: Path) -> None:
    files = {"one.txt": LINES, "two.txt": [*reversed(LINES), LINES[0]], "three.txt": LINES[1:]}
    signed = []
    for name, lines in files.items():
        (tmp_path / name).write_text("\n".join(lines))
        signed += [resolve([f"novel_captions(training={tmp_path}/{name})"])[0].signature]
    assert signed[0] == signed[1] != signed[2]


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "train.txt"
    path.write_text("a dog")
    (metric,) = resolve([f"novel_captions(training={path})"])
    before = metric.signature
    path.write_text("a dog\na cat")
    assert metric.signature != before


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("absent.txt", None, "is not a file"),
        ("empty.txt", "\n \n", "no caption with a word"),
        ("bad.json", "{", "bad.json"),
    ],
)
def test_a_file_without_captions_is_a_sentence(tmp_path: Path, name: str, content: str | None, said: str) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=said):
        resolve([f"novel_captions(training={tmp_path}/{name})"])


def test_it_is_asked_for_by_name_and_says_what_it_needs(study: Study) -> None:
    assert "novel_captions" not in METRICS
    (metric,) = resolve(["novel_captions"])
    assert "novel_captions(training=FILE)" in (why_impossible(study, metric) or "")
