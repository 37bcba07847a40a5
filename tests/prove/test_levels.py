"""Measure the level of permutation tests if both sides are captions from one source, either people or a grammar.

`before` are rates on the same studies with earlier code, by tests whose vocabulary and document frequencies came only
from the references.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from data.load import load_study
from metrics.cache.disk import Cache
from metrics.registry import METRICS
from tests.levels import ALPHA, Written, by_grammar, most, rejected
from tests.prove.conftest import Proof

LEARNED = ("trm_bow", "mmd_bow", "trm_cider_d", "cider_d")
TESTED = {work: tuple(n for n, m in METRICS.items() if m.tested and m.work == work) for work in ("encoder", "meteor")}
OTHERS = tuple(n for n, m in METRICS.items() if m.tested and m.work == "words" and n not in LEARNED)
SMALL, FEW, MANY = (2, 6, 6), (8, 5, 5), (30, 10, 5)
BEFORE = {
    (source, sizes): dict(zip(LEARNED, rates))
    for source, sizes, rates in (
        ("people", SMALL, (0.217, 0.157, 0.067, 0.087)),
        ("people", FEW, (0.163, 0.160, 0.057, 0.053)),
        ("people", MANY, (0.227, 0.100, 0.047, 0.060)),
        ("grammar", SMALL, (0.127, 0.120, 0.043, 0.067)),
        ("grammar", FEW, (0.087, 0.117, 0.057, 0.043)),
        ("grammar", MANY, (0.147, 0.047, 0.047, 0.067)),
    )
}


def recorded(
    proof: Proof,
    source: str,
    written: Written,
    names: tuple[str, ...],
    sizes: tuple[int, int, int],
    repeats: int,
    cache: Cache | None = None,
) -> None:
    items, n, m = sizes
    for name, (runs, of_items) in rejected(written, names, sizes, repeats, cache=cache).items():
        proof.row(
            "Levels under a true null",
            metric=name,
            source=source,
            design=f"{items} items, {n} v {m}",
            nominal=ALPHA,
            before=BEFORE[source, sizes].get(name),
            measured=runs,
            by_item=of_items,
            repeats=repeats,
        )
        assert runs <= most(repeats), (name, source)
        assert of_items <= most(repeats), (name, source)


@pytest.mark.prove
@pytest.mark.parametrize(("sizes", "repeats"), [(SMALL, 300), (FEW, 300), (MANY, 150)])
def test_what_learns_from_texts_rejects_halves_of_what_people_wrote(
    proof: Proof, realdata: Path, sizes: tuple[int, int, int], repeats: int
) -> None:
    study = load_study([], references=[realdata / "abstract48s_500.jsonl"]).study
    assert study is not None
    recorded(proof, "people", [item.references for item in study.items], LEARNED, sizes, repeats)


@pytest.mark.prove
@pytest.mark.parametrize(
    ("names", "sizes", "repeats"),
    [(LEARNED, SMALL, 300), (LEARNED, FEW, 300), (LEARNED, MANY, 150), (OTHERS, FEW, 100)],
)
def test_tests_of_words_reject_halves_of_what_a_grammar_wrote(
    proof: Proof, names: tuple[str, ...], sizes: tuple[int, int, int], repeats: int
) -> None:
    recorded(proof, "grammar", by_grammar(), names, sizes, repeats)


@pytest.mark.prove
@pytest.mark.parametrize("work", TESTED)
def test_tests_of_meaning_reject_halves_of_what_a_grammar_wrote(proof: Proof, tmp_path: Path, work: str) -> None:
    recorded(proof, "grammar", by_grammar(), TESTED[work], FEW, 100, Cache(tmp_path))


def test_every_tested_metric_has_its_level_measured() -> None:
    measured = {*LEARNED, *OTHERS, *TESTED["encoder"], *TESTED["meteor"]}
    assert measured == {name for name, metric in METRICS.items() if metric.tested}
