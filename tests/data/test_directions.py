"""Test which direction of a metric is taken to be better, given its name."""

from __future__ import annotations

import pytest

from data.fields.directions import is_known
from data.load import load_study
from tests.data.test_any_records import KNOWN, SAID, csv

KNOWN_HIGHER = ("CIDEr", "CIDEr-D", "SPICE", "Bleu_4", "BLEU-1", "METEOR", "ROUGE_L", "rouge_l.fmeasure", "CLIPScore")


@pytest.mark.parametrize(
    ("name", "warned"),
    [
        *((name, False) for name in KNOWN_HIGHER),
        ("Judge", True),
        ("TER", True),
        ("meteor_seconds", True),
        ("scores.cider_d", False),
    ],
)
def test_known_metrics_need_no_direction(name: str, warned: bool) -> None:
    scores = csv(f"item,run,{name}", *(f"{k},m,0.{k}" for k in (1, 2, 3)))
    run = ("m.csv", csv("id,caption", *(f"{k},{text}" for k, text in enumerate(SAID, 1))))
    found = load_study([run, KNOWN, ("scores.csv", scores)])
    assert found.study is not None
    (imported,) = found.study.scores
    assert imported.higher_is_better == (name != "TER")
    assert any(one.code == "score_direction" for one in found.findings) == warned


@pytest.mark.parametrize("part", ["1", "f1", "fl", "ls"])
def test_a_long_name_is_read_in_one_pass(part: str) -> None:
    """If all ways to split a name were tried, reading it would take hours."""
    assert is_known("bleu" + part * 100)
    assert not is_known("bleu" + part * 100 + "x")
