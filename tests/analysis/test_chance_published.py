"""Test chance on published captions against the numbers of docs/reproduced.md, if the files are next to the
checkout.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from data.checks import alignment
from data.load import load_study
from metrics.analysis import chance
from metrics.cache.disk import Cache
from metrics.engine.scoring import score
from metrics.registry import METRICS
from tests.text.helpers import REALDATA, needs_java, realdata

PRINTED = Path(__file__).resolve().parents[2] / "docs" / "reproduced.md"
BLEU, ROUGE = METRICS["bleu_1"], METRICS["rouge_l"]


def of_docs(file: str, run: str) -> list[float]:
    """Return eight numbers of a run: the value, mean, minimum and maximum over pairings, of BLEU-1 and then of
    ROUGE-L.
    """
    rows = PRINTED.read_text(encoding="utf-8").partition(f"| {file}, ")[2].splitlines()
    row = next(line for line in rows if f"| {run} |" in line)
    return [float(number) for number in re.findall(r"(?<![\w.])\.\d{3}", row)[:8]]


def measured(file: str, run: str) -> list[float]:
    realdata(file)
    loaded = load_study([REALDATA / file]).study
    assert loaded is not None
    study = loaded.only(runs=[run])
    found = []
    for metric in (BLEU, ROUGE):
        own = chance.of_arrays(study, chance.measure(study, metric, chance.Design(), Cache(None)))[run]
        found += [score(study, (metric,))[run, metric.name].corpus, own.value, own.low, own.high]
    return found


@needs_java
@pytest.mark.parametrize(("file", "run"), [("cosmic_coin_48", "BUTD"), ("magic_coco_500", "nucleus")])
def test_chance_on_published_captions_is_that_of_the_table(file: str, run: str) -> None:
    assert measured(f"{file}.jsonl", run) == pytest.approx(of_docs(file, run), abs=0.00051)


def test_published_captions_are_reported_where_they_are_shifted_by_one_and_not_in_their_order() -> None:
    realdata("thumb_coco_500.jsonl")
    study = load_study([REALDATA / "thumb_coco_500.jsonl"]).study
    assert study is not None
    words = alignment.Words(study)
    following = [*study.items[1:], study.items[0]]
    for run in study.runs:
        own = alignment.Nearness(study, *words.against(run))
        assert own.above_chance()
        assert own.shift() is None
        moved = {item.id: run.candidates[other.id] for item, other in zip(study.items, following)}
        shift = alignment.Nearness(study, *words.against(replace(run, candidates=moved))).shift()
        assert shift == alignment.Shift(1, 0), run.name


def test_the_printed_bleu_1_of_butd_is_within_chance_and_the_released_captions_are_above() -> None:
    value, _, low, high = of_docs("cosmic_coin_48", "BUTD")[:4]
    assert low < 0.163 < high < value
    assert not of_docs("magic_coco_full_5000", "nucleus")[0] > of_docs("magic_coco_full_5000", "nucleus")[3]
