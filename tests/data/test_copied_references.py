"""Test that runs which repeat references, exactly or nearly, are named, and that people and honest runs are not."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from data.check import repair
from data.checks.copied_references import EXACT, NEARLY, References, split
from data.demo import load
from data.load import load_study
from data.study import Captions
from tests.studies import caption, captions

CHANGES: dict[str, Callable[[str], str]] = {
    "word added": lambda text: f"{text.rstrip('.')} now.",
    "word before": lambda text: f"Indeed, {text}",
    "upper case": str.upper,
    "no stop": lambda text: text.rstrip("."),
    "other order": lambda text: " ".join(reversed(text.split())),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_run_of_near_copies_is_named_and_can_be_left_out(change: str) -> None:
    source = random.Random(4)
    said = {str(k): captions(source, 4) for k in range(30)}
    copies = {id: CHANGES[change](texts[1]) for id, texts in said.items()}
    honest = {id: caption(source) for id in said}
    rows = [{"id": id, "references": said[id], "copier": copies[id], "honest": honest[id]} for id in said]
    made = [{**row, "candidates": {n: [row.pop(n)] for n in ("copier", "honest")}} for row in rows]
    loaded = load_study([("x.jsonl", b"\n".join(map(orjson.dumps, made)))])
    how = EXACT if change in ("upper case", "no stop") else NEARLY
    told = {one.problem for one in loaded.findings if one.code == "leak"}
    assert told == {f"Run copier repeats a reference {how} on 100 % of the items: the references may have leaked."}
    study = repair(loaded, ["drop_leaking_runs"]).study
    assert study is not None
    assert [run.name for run in study.runs] == ["honest"]


def test_near_copies_are_those_that_counting_words_one_by_one_finds() -> None:
    """A near copy has a Dice coefficient of at least .9 over the words of both captions, with each repetition
    counted.
    """
    source, words = random.Random(1), [*"abcdef", "a", "a", "a"]
    texts = [" ".join(source.choices(words, k=source.randrange(4, 14))) for _ in range(120)]
    found = References([tuple(texts[:60])])._near(tuple(texts[60:]), 0)
    assert found == [any(dice(text, other) >= 0.9 for other in texts[:60]) for text in texts[60:]]
    assert 5 < sum(found) < 55


def dice(one: str, other: str) -> float:
    shared = sum((Counter(one.split()) & Counter(other.split())).values())
    return 2 * shared / (len(one.split()) + len(other.split()))


def test_half_of_the_captions_make_a_habit() -> None:
    source = random.Random(2)
    said = [captions(source, 4) for _ in range(20)]
    for copied, how in ((20, NEARLY), (10, NEARLY), (9, "")):
        run = [(f"{texts[0]} now" if k < copied else "Entirely different words here.",) for k, texts in enumerate(said)]
        assert References(said).copied(run)[0] == how


def held_out(references: list[Captions], seed: int) -> tuple[str, list[int]]:
    source, mine, others = random.Random(seed), list[Captions](), list[Captions]()
    for of_item in references:
        k = source.randrange(len(of_item))
        mine.append(of_item[k : k + 1])
        others.append((*of_item[:k], *of_item[k + 1 :]))
    return References(others).copied(mine)


def test_people_held_out_as_a_run_are_never_named() -> None:
    demo = [item.references for item in load().items]
    assert all(held_out(demo, seed) == ("", []) for seed in range(50))


@pytest.mark.parametrize("name", ["abstract48s_500.jsonl", "coco_fakecap_1000.jsonl", "thumb_coco_500.jsonl"])
def test_real_people_and_systems_are_not_named_and_their_near_copies_are(realdata: Path, name: str) -> None:
    rows = [orjson.loads(line) for line in (realdata / name).read_bytes().splitlines()[:200]]
    references = [tuple(row["references"]) for row in rows]
    assert held_out(references, 0) == ("", [])
    people = References(references)
    for run in rows[0]["candidates"]:
        assert people.copied([tuple(row["candidates"].get(run, ())) for row in rows]) == ("", [])
    assert people.copied([(f"{of_item[0]} now",) for of_item in references])[0] == NEARLY


def test_one_person_who_always_speaks_as_the_others_is_no_leak() -> None:
    """If people nearly repeat one another, a run that writes as they do repeats them, too."""
    source, last = random.Random(0), range(40)
    said = [tuple(f"a man in a red hat is riding a horse {source.choice(last)}" for _ in range(5)) for _ in range(20)]
    run = [(f"a man in a red hat is riding a horse {source.choice(last)}",) for _ in said]
    assert all(References(said)._near(texts, k) == [True] for k, texts in enumerate(run))
    assert References(said).copied(run) == ("", [])


def test_a_leak_repeats_twice_as_often_as_people_or_is_halfway_from_them_to_always() -> None:
    """Half of people's 80 captions repeat another person's, so a leak repeats people on more than three quarters of
    the items.
    """
    said = [(f"a dog at {k}", f"a dog at {k}", f"a cat at {k}", f"some bird at {k}") for k in range(20)]
    rows = [(f"a cat at {k}", f"nothing of the kind was seen near {k}") for k in range(20)]
    runs = {share: [(row[k >= share],) for k, row in enumerate(rows)] for share in (12, 15, 16)}
    assert {share: References(said).copied(run)[0] for share, run in runs.items()} == {12: "", 15: "", 16: EXACT}
    few = [(f"a dog at {k}", f"a dog at {k}" if k < 10 else "a cow", "a cat", f"some bird at {k}") for k in range(20)]
    runs = {share: [(few[k][3] if k < share else rows[k][1],) for k in range(20)] for share in (10, 11)}
    assert {share: References(few).copied(run)[0] for share, run in runs.items()} == {10: "", 11: EXACT}


def test_words_have_no_case_and_no_punctuation() -> None:
    assert split("A dog, its ball.") == split("a DOG its ball") == ["a", "dog", "its", "ball"]
    assert split("两只猫。") == list("两只猫")
