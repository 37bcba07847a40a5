"""Test that degenerate runs are reported, and that people and honest models are not."""

from __future__ import annotations

import json
import random
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from data.checks.degenerate import LONGEST_PHRASE, _Texts, habits, twins
from data.demo import load
from data.load import load_study
from data.study import Captions, Item, Run, Settings, Study

GERMAN = (
    "ein mann fährt auf einer welle im meer",
    "eine gruppe von menschen steht vor einem haus",
    "zwei hunde spielen im schnee",
    "ein kleines mädchen isst ein stück kuchen",
    "ein bus fährt die straße entlang",
    "eine katze liegt auf dem sofa und schläft",
    "ein zug steht am bahnhof",
    "drei männer in einem boot auf dem see",
)


@pytest.fixture(scope="module")
def demo() -> Study:
    return load()


def changed(study: Study, name: str, change: Callable[[int, str], str]) -> tuple[str, ...]:
    run = study.run(name)
    made: dict[str, Captions] = {
        item.id: tuple(change(k, text) for text in run.candidates[item.id]) for k, item in enumerate(study.items)
    }
    return habits(replace(study, runs=(replace(run, candidates=made), study.run("Oracle T=1.0")))).get(name, ())


def test_no_run_of_the_demo_does_anything_odd(demo: Study) -> None:
    assert habits(demo) == {}


def test_one_caption_for_everything(demo: Study) -> None:
    assert changed(demo, "Peaked T=1.0", lambda k, text: "A dog on a beach.") == ("gives one caption to all 48 {one}s",)
    assert changed(demo, "Peaked T=1.0", lambda k, text: "") == ("gives one caption to all 48 {one}s",)


@pytest.mark.parametrize(("every", "named"), [(4, True), (48, False), (24, False)])
def test_a_caption_for_many_items(demo: Study, every: int, named: bool) -> None:
    told = changed(demo, "Peaked T=1.0", lambda k, text: text if k % every else "a dog on a beach.")
    assert ["gives one caption to 12 of 48" in what for what in told] == ([True] if named else [])


def test_copied_references_from_half_of_the_items_on(demo: Study) -> None:
    run, other = demo.run("Peaked T=1.0"), demo.run("Oracle T=1.0")
    for copied, said in ((48, ("all 48 {one}s",)), (24, ("50 % of {one}s",)), (23, ())):
        own = {item.id: (*run.candidates[item.id][1:], item.references[0].upper()) for item in demo.items[:copied]}
        copier = replace(run, candidates={**run.candidates, **own})
        told = habits(replace(demo, runs=(copier, other)))
        assert told.get(run.name, ()) == tuple(f"repeats a reference word for word on {where}" for where in said)


def test_people_who_repeat_each_other_copy_nothing() -> None:
    """If captions are short, as for clips of one action, a run repeats references on half of the items by chance."""
    rng = random.Random(0)
    said = [f"a {who} is {does}" for who in ("man", "woman") for does in ("running", "cooking", "singing", "talking")]
    items = [Item(str(k), tuple(rng.choice(said[k % 2 :: 2]) for _ in range(5))) for k in range(40)]
    person = {item.id: tuple(rng.choice(said[k % 2 :: 2]) for _ in range(5)) for k, item in enumerate(items)}
    copies = {item.id: item.references for item in items}
    study = Study(
        "clips", tuple(items), tuple(Run(n, n, Settings(), s) for n, s in (("person", person), ("copies", copies)))
    )
    assert {name: what[0] for name, what in habits(study).items()} == {
        "copies": "repeats a reference word for word on all 40 {one}s"
    }
    rows = [
        {
            "id": item.id,
            "references": item.references,
            "candidates": {"person": person[item.id], "copies": item.references},
        }
        for item in items
    ]
    found = load_study([("x.jsonl", "\n".join(map(json.dumps, rows)).encode())]).findings
    assert [f.problem.split()[1] for f in found if f.code == "leak"] == ["copies"]


def test_samples_that_are_one_caption_unless_they_have_to_be(demo: Study) -> None:
    run = demo.run("Peaked T=1.0")
    for same, where in ((48, "all 48 {one}s"), (44, "92 % of {one}s"), (43, "")):
        own = {item.id: run.candidates[item.id][:1] * 5 for item in demo.items[:same]}
        said = replace(run, candidates={**run.candidates, **own})
        told = habits(replace(demo, runs=(said,))).get(run.name, ())
        assert told == ((f"gives the same caption every time on {where} with several captions",) if where else ())
        for settings in (Settings(decoder="beam"), Settings(temperature=0.0)):
            assert not habits(replace(demo, runs=(replace(said, settings=settings),)))
    one = replace(run, candidates={item.id: run.candidates[item.id][:1] for item in demo.items})
    assert not habits(replace(demo, runs=(one,)))


@pytest.mark.parametrize("half", [slice(24), slice(24, 48)])
def test_a_run_that_misses_items_is_judged_by_those_it_has(demo: Study, half: slice) -> None:
    run = demo.run("Peaked T=1.0")
    part = {item.id: run.candidates[item.id] for item in demo.items[half]}
    same = {id: texts[:1] * 5 for id, texts in part.items()}
    one = dict.fromkeys(part, ("a dog in the snow",) * 5)
    runs = [replace(run, name=name, candidates=of) for name, of in (("part", part), ("same", same), ("one", one))]
    told = habits(replace(demo, runs=tuple(runs)))
    assert told["same"] == ("gives the same caption every time on all 24 {one}s with several captions",)
    assert told["one"][0] == "gives one caption to all 24 {one}s"
    assert "part" not in told


def test_the_gravest_comes_first_of_a_run_and_of_all(demo: Study) -> None:
    loops, copies = demo.run("Loose T=1.0"), demo.run("Peaked T=1.0")
    loops = replace(loops, candidates={i: tuple(f"{t} so so so so" for t in of) for i, of in loops.candidates.items()})
    copies = replace(copies, candidates={item.id: item.references[:1] * 5 for item in demo.items})
    told = habits(replace(demo, runs=(loops, copies)))
    assert list(told) == [copies.name, loops.name]
    assert [what.split(" on ")[0] for what in told[copies.name]] == [
        "repeats a reference word for word",
        "gives the same caption every time",
    ]


def test_runs_with_the_same_captions_are_one_group(demo: Study) -> None:
    one, other, third = demo.runs[:3]
    again = [replace(run, name=f"again {run.name}") for run in (one, other, one)]
    again[2] = replace(again[2], name="third")
    study = replace(demo, runs=(one, other, third, *again))
    assert twins(study) == ((one.name, again[0].name, "third"), (other.name, again[1].name))
    assert twins(demo) == () == twins(study.only(items=[item.id for item in demo.items[:4]]))


@pytest.mark.parametrize(
    "loop", ["a man a man a man", "very very very", "a red bench near a house a red bench near a house"]
)
def test_loops(demo: Study, loop: str) -> None:
    told = changed(demo, "Oracle T=0.7", lambda k, text: text if k % 8 else f"{text} {loop}")
    assert told == ("says the same words again and again in 12 % of its captions",)


def test_saying_a_word_twice_is_no_loop(demo: Study) -> None:
    assert not changed(demo, "Oracle T=0.7", lambda k, text: f"{text} it is very very red, a cat and a cat")


@pytest.mark.parametrize("cut", [5, 6, 7, 8])
def test_captions_cut_at_a_number_of_words(demo: Study, cut: int) -> None:
    (told,) = changed(demo, "Oracle T=0.7", lambda k, text: " ".join(text.split()[:cut]))
    assert "of its captions within a phrase" in told


@pytest.mark.parametrize("cut", [25, 30, 35])
def test_captions_cut_at_a_number_of_characters(demo: Study, cut: int) -> None:
    (told,) = changed(demo, "Oracle T=0.7", lambda k, text: text[:cut])
    assert "of its captions within a phrase" in told


def test_another_language_or_script(demo: Study) -> None:
    for other in (GERMAN, ("一个男人在海里冲浪", "两只狗在雪地里玩耍", "一辆公共汽车沿街行驶")):
        told = changed(demo, "Oracle T=0.7", lambda k, text: other[(k + len(text)) % len(other)])  # noqa: B023
        assert any("other words than the references" in what for what in told)


def test_languages_without_spaces_know_their_own_words() -> None:
    parts = ("男人", "女人", "狗"), ("在海里", "在雪地里", "在街上"), ("玩耍", "吃饭", "睡觉")
    texts = ["".join(of[(k // 3**place) % 3] for place, of in enumerate(parts)) for k in range(27)]
    items = tuple(Item(str(k), (texts[k],)) for k in range(0, 27, 2))
    run = Run("m", "m", Settings(), {item.id: (texts[(int(item.id) + 1) % 27],) for item in items})
    assert habits(Study("s", items, (run,))) == {}


def test_people_as_a_run_are_not_named(demo: Study) -> None:
    for j in range(3):
        items = tuple(replace(i, references=i.references[:j] + i.references[j + 1 :]) for i in demo.items)
        run = Run("people", "people", Settings(), {item.id: (item.references[j],) for item in demo.items})
        assert habits(replace(demo, items=items, runs=(run,))) == {}


ODD = {
    "magic_coco_500.jsonl": {"contrastive", "clipre", "zerocap"},
    "coco_mrnn_beam10_plus9systems_500.jsonl": set(),
    "thumb_coco_500.jsonl": set(),
    "coco_fakecap_1000.jsonl": set(),
    "abstract48s_500.jsonl": set(),
    "cosmic_coin_48.jsonl": {"small_story", "big_story"},
}
"""For each file, the runs with a fault: the same caption for many images, few different captions, or captions cut
short.
"""


@pytest.mark.parametrize("name", ODD)
def test_real_runs(realdata: Path, name: str) -> None:
    study = load_study([realdata / name]).study
    assert study is not None
    assert set(habits(study)) == ODD[name]


def test_a_finding_names_file_and_run() -> None:
    items = [{"id": k, "references": [f"A {w} dog.", f"The {w} dog."]} for k, w in enumerate("abcdef")]
    results = [{"image_id": k, "caption": "a cat"} for k in range(6)]
    files = [("refs.json", json.dumps(items).encode()), ("m.json", json.dumps(results).encode())]
    (found,) = (f for f in load_study(files).findings if f.code == "degenerate_run")
    assert (found.severity, found.file, found.id) == ("warning", "m.json", "m")
    assert found.problem == "Run m gives one caption to all 6 items."


def test_runs_with_one_fault_are_one_finding_and_the_worst_is_named_first() -> None:
    items = [{"id": k, "references": [f"A {k} dog runs.", f"The {k} dog sits."]} for k in range(40)]
    files = [("refs.json", json.dumps(items).encode())]
    for name, looping in (("a", 8), ("b", 30), ("c", 16)):
        said = [f"a {k} dog{' so so so so so' * (k < looping)} runs" for k in range(40)]
        results = [{"image_id": k, "caption": text} for k, text in enumerate(said)]
        files.append((f"{name}.json", json.dumps(results).encode()))
    (found,) = (f for f in load_study(files).findings if f.code == "degenerate_run")
    assert (
        found.problem
        == "Run b says the same words again and again in 75 % of its captions. Runs c, a have similar faults."
    )
    assert (found.file, found.id) == ("", "b; c; a")
    (one,) = (f for f in load_study(files[:3]).findings if f.code == "degenerate_run")
    assert one.problem.endswith("75 % of its captions. Run a has a similar fault.")


def test_what_is_found_while_reading_is_kept_with_the_study(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks take five seconds for a million captions, and the first page would otherwise repeat them."""
    items = [{"id": k, "references": [f"A {w} dog.", f"The {w} dog."]} for k, w in enumerate("abcdef")]
    results = [{"image_id": k, "caption": "a cat"} for k in range(6)]
    scores = b"id,score\n" + b"".join(b"%d,0.5\n" % k for k in range(6))
    files = [("refs.json", json.dumps(items).encode()), ("m.json", json.dumps(results).encode()), ("m.csv", scores)]
    study = load_study(files).study
    assert study is not None
    fresh = habits(replace(study))
    assert set(fresh) == {"m"}
    monkeypatch.setattr("data.checks.degenerate._Texts", lambda texts: pytest.fail("computed again"))
    assert habits(study) == habits(study.only(runs=["m"])) == fresh


def test_25_000_captions_take_at_most_forty_times_as_long_as_splitting_them() -> None:
    items = tuple(Item(str(k), (f"a man rides a red bike on the street near dog {k % 700}",)) for k in range(5000))
    runs = tuple(
        Run(f"{r}", "m", Settings(), {i.id: (f"{i.references[0]} {r} {i.id}",) for i in items}) for r in range(5)
    )
    study = Study("large", items, runs)
    start = time.process_time()
    for run in runs:
        for (text,) in run.candidates.values():
            set(text.casefold().split())
    split = time.process_time() - start
    start = time.process_time()
    habits(study)
    assert time.process_time() - start < 40 * split  # about 21 times


def test_loops_of_random_words_are_those_that_a_look_at_every_phrase_finds() -> None:
    source = random.Random(3)
    texts = [" ".join(source.choices("ab", k=source.randrange(30))) for _ in range(300)]
    texts += [" ".join(source.choices("abcdefgh", k=7) * 2) for _ in range(20)]
    found = _Texts(texts)
    slow = [_loops(text.split()) for text in found.texts]
    assert found.looping.tolist() == slow
    assert 20 < sum(slow) < len(slow) - 20


def _loops(words: list[str]) -> bool:
    for size in range(1, LONGEST_PHRASE + 1):
        times = 3 if size <= 3 else 2
        for at in range(len(words) - times * size + 1):
            if words[at : at + times * size] == words[at : at + size] * times:
                return True
    return False


def test_words_of_many_captions_are_held_as_numbers() -> None:
    source = random.Random(0)
    words = [f"word{k}" for k in range(800)]

    def said(n: int) -> Captions:
        return tuple(" ".join(source.choices(words, k=12)) for _ in range(n))

    items = tuple(Item(str(k), said(5)) for k in range(300))
    runs = tuple(Run(f"r{j}", "m", Settings(), {item.id: said(10) for item in items}) for j in range(4))
    tracemalloc.start()
    assert habits(Study("many", items, runs)) == {}
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak / (300 * 45) < 900  # bytes per caption; as strings, the words would take 1,500
