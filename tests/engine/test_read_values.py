"""Test the numbers from files with values that are easily misread."""

from __future__ import annotations

import json

import pytest

from data.check import Loaded, repair
from data.load import load_study
from metrics.engine.scoring import score
from metrics.registry import resolve
from tests.data.test_values import PREDICTED, SAID, WRITTEN, keyed, rated


def corpus(loaded: Loaded, *names: str) -> list[float]:
    assert loaded.study is not None
    (run,) = loaded.study.runs
    results = score(loaded.study, resolve(list(names)))
    return [results[run.name, name].corpus for name in names]


def near(*numbers: float) -> object:
    return pytest.approx(list(numbers), abs=5e-5)


def test_captions_that_vizwiz_takes_back() -> None:
    """If the rejected and the precanned caption were kept, CIDEr-D would be 1.0802."""
    val = ("val.json", json.dumps({"annotations": [*rated(is_rejected=True), *rated(is_precanned=1)[-1:]]}).encode())
    assert corpus(load_study([PREDICTED, val]), "cider_d") == near(1.2560)


def test_keys_of_lines() -> None:
    """If the keys were read as words, CIDEr-D would be 2.9240 and BLEU-1 0.5769."""
    files = [("pred", keyed(list(SAID.values()))), ("gt", keyed([texts[0] for texts in WRITTEN.values()]))]
    assert corpus(load_study(files), "cider_d", "bleu_1") == near(1.3090, 0.45)


def test_records_that_pad_a_batch() -> None:
    rows = [{"video_id": id, "caption": SAID[id]} for id in ("1", "2", "3", "1", "1")]
    files = [("pred.json", json.dumps(rows).encode()), ("references.json", json.dumps(WRITTEN).encode())]
    loaded = load_study(files)
    assert corpus(loaded, "corpus_bleu_4") == near(0.1344)
    assert corpus(repair(loaded, ["read_once"]), "corpus_bleu_4") == near(0.1543)
