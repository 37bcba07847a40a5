"""Test that the examples of docs/formats.md load, and that the page lists every finding and repair in the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from data.finding_kinds.catalogue import DEFAULTS, KINDS, REPAIRS
from data.load import load_study

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"^\*\*([\w.]+)\*\*\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = [(name, text.encode()) for name, text in EXAMPLE.findall(PAGE)]


@pytest.mark.parametrize("example", EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_every_example_loads(example: tuple[str, bytes]) -> None:
    loaded = load_study([example])
    assert {finding.code for finding in loaded.errors} <= {"no_references", "no_items"}
    assert loaded.files[0].items > 0 or (loaded.study is not None and loaded.study.systems)
    assert loaded.files[0].format != "not read"


@pytest.mark.parametrize(
    "names",
    [
        ("captions_val2014_mymodel_results.json", "annotations.json"),
        ("captions_val2014_mymodel_results.json", "dataset_coco.json"),
        ("mymodel.json", "references.json"),
        ("candidates.csv", "references.csv"),
        ("mymodel.txt", "ref_1.txt", "ref_2.txt"),
    ],
)
def test_examples_that_belong_together_are_a_study(names: tuple[str, ...]) -> None:
    loaded = load_study([(name, text) for name, text in EXAMPLES if name in names])
    assert loaded.study is not None
    assert not loaded.errors
    assert len(loaded.study.runs) == 1
    assert {len(item.references) for item in loaded.study.items} == {2}


@pytest.mark.parametrize(
    ("name", "metrics"),
    [
        ("clip.csv", {"CLIPScore": (0.71, 0.68)}),
        ("judge.csv", {"Judge": (4.0,), "CHAIRs": (0.0,)}),
        ("scores.json", {"SPICE": (0.2, 0.3)}),
    ],
)
def test_examples_of_scores_belong_to_captions(name: str, metrics: dict[str, tuple[float, ...]]) -> None:
    captions = ("candidates.csv", b"id,run,caption\n1,mymodel,A kite.\n1,mymodel,A red kite.\n")
    files = [captions, *((file, text) for file, text in EXAMPLES if file in (name, "references.csv"))]
    loaded = load_study(files)
    assert loaded.study is not None
    assert {one.name: one.values["mymodel"]["1"] for one in loaded.study.scores} == metrics
    assert not {finding.code for finding in loaded.findings if finding.code.startswith("score_")}
    assert {one.name: one.higher_is_better for one in loaded.study.scores} == {n: n != "CHAIRs" for n in metrics}


def test_every_finding_and_repair_is_listed() -> None:
    listed = dict(re.findall(r"^\| `(\w+)` \| (error|warning|note) \|", PAGE, re.MULTILINE))
    assert listed == {code: kind.severity for code, kind in KINDS.items()}
    repairs = dict(re.findall(r"^\| `(\w+)` \| .* \| (on load|when chosen) \|$", PAGE, re.MULTILINE))
    assert repairs == {name: "on load" if name in DEFAULTS else "when chosen" for name in REPAIRS}
    for code, kind in KINDS.items():
        told = f"{shown(kind.problem)} | {shown(kind.repair)} | {f'`{kind.fix}`' if kind.fix else ''} |"
        assert f"| `{code}` | {kind.severity} | {told}" in PAGE.splitlines()
    for name, text in REPAIRS.items():
        assert f"| `{name}` | {text} |" in PAGE


def shown(text: str) -> str:
    return re.sub(r"`?\{(\w+)[^}]*\}`?", r"*\1*", text)
