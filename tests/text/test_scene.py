"""Test Scene F: the tuples of captions, values against slow counts, laws, the cache, and messages on what is
missing.
"""

from __future__ import annotations

import itertools
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from data.convert import write_jsonl
from data.study import Item, Run, Settings, Study
from metrics import laws
from metrics.analysis.feasibility import why_impossible
from metrics.analysis.numbers import score_with_people
from metrics.analysis.references import subset_totals, subsets
from metrics.cache.array_checks import Unfit
from metrics.cache.disk import Cache
from metrics.chunk import Chunk
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.progress import Hooks
from metrics.registry import METRICS, SETS, resolve
from metrics.suite import scene
from metrics.suite.consensus import Consensus, reference_samples
from metrics.suite.scene import SceneF
from metrics.text.meteor import data
from metrics.text.scene import matched, parser, scene_tuples
from tests.command_line import trilens

pytestmark = pytest.mark.skipif(
    bool(parser.missing()) and not os.environ.get("CI"), reason="needs the packages of requirements-scene.txt"
)

BY_HAND = {
    # The first is figure 1 of Anderson et al. 2016.
    "A young girl standing on top of a tennis court": (
        "girl, court, girl young, girl stand, court tennis, girl/on top of/court"
    ),
    "Two brown dogs are playing with a red ball in the grass.": (
        "dog, ball, grass, dog two, dog brown, dog play, ball red, dog/with/ball, ball/in/grass"
    ),
    "A man riding a wave on a surfboard": "man, wave, surfboard, man/ride/wave, man/on/surfboard",
    "The cat is black and white": "cat, cat black, cat white",
    "A bus is parked by people": "bus, people, people/park/bus",
    "A group of people ride atop of an elephant.": "people, elephant, people ride, people/atop of/elephant",
    "There is a dog on the mat": "dog, mat, dog/on/mat",
    "A woman who is holding an umbrella walks down the street": (
        "woman, umbrella, street, woman walk, woman/hold/umbrella, woman/down/street"
    ),
    "A man and a woman are sitting on a bench reading a book": (
        "man, woman, bench, book, man sit, woman sit, man/on/bench, woman/on/bench, man/read/book, woman/read/book"
    ),
    "The man's hat is red": "man, hat, hat red, man/have/hat",
    "A cat is sitting in front of a laptop": "cat, laptop, cat sit, cat/in front of/laptop",
    "A train traveling down tracks next to a forest": (
        "train, track, forest, train/travel down/track, train/next to/forest"
    ),
    "She is there": "",
    "!!!": "",
    "": "",
}


def written(text: str) -> frozenset[tuple[str, ...]]:
    """Return tuples of words: commas separate tuples; slashes or, without slashes, spaces separate words."""
    parts = [part for part in text.split(", ") if part]
    return frozenset(tuple(part.split("/" if "/" in part else None)) for part in parts)


def test_the_tuples_are_those_found_by_hand() -> None:
    assert dict(zip(BY_HAND, scene_tuples(list(BY_HAND)))) == {text: written(said) for text, said in BY_HAND.items()}


def test_odd_texts_have_tuples_that_can_be_stored() -> None:
    odd = ["a \x00dog\x00 on\ta mat\nof a\x01cat", "\ud800 dogs", "a dog " * 3_000, "DOG", "犬 on a mat"]
    found = scene_tuples(odd)
    assert scene.of_arrays(scene.stored(found), len(odd)) == found


def study() -> Study:
    items = (
        Item("1", ("A man rides a bicycle down the street.", "a person on a bike in a busy road", "one man cycling")),
        Item("2", ("Two dogs play in the snow.", "dogs running through snow")),
        Item("3", ("She is there", "!!!")),
        Item("4", ("A cat", "a small cat sleeping")),
    )
    said = {
        "1": ("a man riding a bike on the road", "a cat"),
        "2": ("two dogs playing", "", "a snowy day"),
        "3": ("a dog",),
        "4": ("a little cat sleeps on a sofa",),
    }
    return Study(name="scenes", items=items, runs=(Run("m", "m", Settings(), said),))


def slow_same(one: str, other: str, synsets: dict[str, frozenset[int]], bases: dict[str, list[str]]) -> bool:
    """Return whether two words are equal or share a set of synonyms in METEOR's files."""

    def of(word: str) -> set[int]:
        found = set(synsets.get(word, ()))
        if word in bases:
            return found.union(*(synsets.get(base, ()) for base in bases[word]))
        endings = (word.removesuffix(suffix) + end for suffix, end in data.SUFFIXES if word.endswith(suffix))
        known = [base for base in endings if base in synsets] if len(word) > 2 and not word.endswith("ss") else []
        return found.union(synsets[known[0]]) if known else found

    return one == other or bool(of(one) & of(other))


@pytest.fixture(scope="module")
def slow() -> dict[str, list[tuple[float, float, float]]]:
    synsets, bases, found = data.synsets(), data.bases(), {}

    def meets(tuple_: tuple[str, ...], others: list[tuple[str, ...]]) -> bool:
        for other in others:
            pairs = zip(tuple_, other)
            if len(tuple_) == len(other) and all(slow_same(a, b, synsets, bases) for a, b in pairs):
                return True
        return False

    for item in study().items:
        people = list(dict.fromkeys(one for text in item.references for one in sorted(*scene_tuples([text]))))
        for text in study().runs[0].candidates[item.id] if people else ():
            own = sorted(*scene_tuples([text]))
            precision = sum(meets(one, people) for one in own) / len(own) if own else 0.0
            recall = sum(meets(one, own) for one in people) / len(people)
            both = precision + recall
            found.setdefault(item.id, []).append((precision, recall, 2 * precision * recall / both if both else 0.0))
    return found


@pytest.mark.parametrize(("column", "part"), list(enumerate(["precision", "recall", "f1"])))
def test_it_is_what_a_slow_count_finds(
    column: int, part: str, slow: dict[str, list[tuple[float, float, float]]]
) -> None:
    metrics = resolve(["scene_f" if part == "f1" else f"scene_f(part={part})"])
    results = scoring.score(study(), metrics, Options(), Cache(None))
    (result,) = results.values()
    expected = [np.mean([row[column] for row in slow[id]]) if id in slow else np.nan for id in "1234"]
    np.testing.assert_allclose(result.items, expected, atol=1e-12)
    assert "no caption by people names an object" in result.reasons[2]
    assert 0.1 < result.items[0] < 0.9
    assert result.items[3] > 0.3


def slow_score(said: frozenset[tuple[str, ...]], others: list[frozenset[tuple[str, ...]]], part: str) -> float:
    union = {one for text in others for one in text}
    precision = sum(matched([one], union) for one in said) / len(said) if said else 0.0
    recall = sum(matched([one], said) for one in union) / len(union) if union else 0.0
    both = precision + recall
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / both if both else 0.0}[part]


@pytest.mark.parametrize("part", ["f1", "precision", "recall"])
def test_its_test_is_a_count_over_all_relabellings(part: scene.Part) -> None:
    metric, options = SceneF(part), Options(p_values=True)
    (result,) = scoring.score(study(), [metric], options, Cache(None)).values()
    assert result.metric.tested
    for k, item in enumerate(study().items):
        said = sorted(study().runs[0].candidates[item.id])
        tuples = scene_tuples([*said, *sorted(item.references)])
        places, nulls = range(len(tuples)), []
        for chosen in itertools.combinations(places, len(said)):
            others = [tuples[j] for j in places if j not in chosen]
            nulls.append(np.mean([slow_score(tuples[i], others, part) for i in chosen]))
        if k == 2:
            assert np.isnan(result.item_p[k])  # its references name nothing
            continue
        assert result.items[k] == pytest.approx(nulls[0])
        assert result.item_p[k] == pytest.approx(np.mean(np.array(nulls) <= nulls[0] + 1e-9))
    assert result.item_p[0] < 1
    assert 0 < result.p_value <= 1


def test_a_run_that_speaks_of_other_things_is_told_from_people() -> None:
    texts = [f"a {size} {animal} on a {place}" for size in ("small", "big") for animal, place in PLACED]
    items = tuple(Item(str(k), (texts[k], f"the {texts[k][2:]}", texts[k])) for k in range(10))
    own = {item.id: (item.references[0],) for item in items}
    other = {item.id: (texts[(k + (3, 5)[k % 2]) % 10],) for k, item in enumerate(items)}
    runs = (Run("own", "own", Settings(), own), Run("other", "other", Settings(), other))
    found = scoring.score(Study("told", items, runs), [SceneF()], Options(p_values=True), Cache(None))
    assert found["own", "scene_f"].p_value > 0.5
    assert found["other", "scene_f"].p_value < 0.001
    assert found["other", "scene_f"].low < found["other", "scene_f"].corpus < found["other", "scene_f"].high


PLACED = [("dog", "mat"), ("cat", "sofa"), ("horse", "field"), ("bird", "tree"), ("cow", "road")]


def test_its_consensus_is_each_reference_against_the_others() -> None:
    (result,) = scoring.score(study(), resolve(["consensus_scene_f"]), Options(), Cache(None)).values()
    assert result.metric.signature.startswith("consensus_scene_f|v1|sample:5x10|f1|parser:")
    for k, item in enumerate(study().items):
        tuples = scene_tuples(list(item.references))
        scores = [slow_score(own, [*tuples[:j], *tuples[j + 1 :]], "f1") for j, own in enumerate(tuples)]
        if k == 2:
            assert "no caption by people names an object" in result.reasons[k]
        else:
            assert result.items[k] == pytest.approx(np.mean(scores))


def test_consensus_takes_it_for_every_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores of items, references and a run equal slow ones, with five or fewer references per item and with more."""
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    seven = tuple(f"a {size} {animal} on a {place}" for size in ("red", "big") for animal, place in PLACED)[:7]
    items = (*study().items[:2], Item("7", seven))
    said = study().runs[0].candidates | {"7": ("a big dog on the road",)}
    of = Study("scenes", items, (replace(study().runs[0], candidates={item.id: said[item.id] for item in items}),))
    write_jsonl(of, tmp_path / "of.jsonl")
    out, own, moved = (tmp_path / f"{name}.csv" for name in ("out", "own", "moved"))
    wanted = ["--metrics", "scene_f", "--out", out, "--items", own, "--stability", moved]
    trilens("consensus", tmp_path / "of.jsonl", *wanted)

    made = subsets.design(of)
    assert made is not None
    scores, alone, against = pd.read_csv(own), [], []
    for place, item in enumerate(items):
        texts = sorted(item.references)
        tuples = dict(zip(texts, scene_tuples(texts)))
        seed, total = Chunk.of([item], scoring.REFERENCES, Cache(None)).item_digest(0), dict[str, list[float]]()
        for rows in reference_samples(len(texts), seed):
            for row in rows:
                others = [tuples[texts[k]] for k in rows if k != row]
                total.setdefault(texts[row], []).append(slow_score(tuples[texts[row]], others, "f1"))
        found = scores[scores.item.astype(str) == item.id].set_index("reference").score
        assert set(found.index) == set(texts), "every reference has a score of its own"
        assert found.to_dict() == pytest.approx({text: np.mean(values) for text, values in total.items()})
        alone.append(np.mean([value for values in total.values() for value in values]))
        drawn = [tuples[item.references[row]] for row in made.drawn(of, place, made.count)[0]]
        candidates = scene_tuples(list(of.runs[0].candidates[item.id]))
        against.append(np.mean([slow_score(caption, drawn, "f1") for caption in candidates]))
    assert pd.read_csv(out)["mean"].tolist() == pytest.approx([np.mean(alone)])
    assert pd.read_csv(moved).with_all.iloc[0] == pytest.approx(np.mean(against))


@pytest.mark.parametrize("references", [3, 8])
def test_runs_with_fewer_references_score_as_the_engine_scores_every_subset(references: int) -> None:
    """Some references of an item name nothing, and one run lacks captions for an item."""
    told = [f"a {size} {animal} on a {place}" for size in ("red", "big") for animal, place in PLACED]
    empty = ("She is there", "!!!", "it is", "they are", "there", "so it is", "", "he is here")
    items = (Item("a", tuple(told[:references])), Item("b", (*empty[: references - 1], told[0])))
    said = {"a": ("a small dog on a mat", ""), "b": (told[3], "a red dog")}
    runs = tuple(Run(name, name, Settings(), own) for name, own in (("m", said), ("k", {"b": (told[0],)})))
    of = Study("scenes", items, runs)
    made = subsets.design(of)
    assert made is not None
    got = subset_totals._of_pairs(of, made, SceneF(), Hooks(), Cache(None))
    expected = subset_totals._of_subsets(of, made, SceneF(), Hooks(), Cache(None))
    assert len(got) == len(made.sizes)
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)
    assert not got[0][0, 1].all()
    assert got[0][0, 1].any(), "some of these references name something"


@pytest.mark.parametrize("law", laws.LAWS)
def test_its_consensus_keeps_the_laws(law: str) -> None:
    assert laws.broken(laws.LAWS[law], Consensus(SceneF())) == []


def test_a_test_of_too_many_tuples_has_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene, "MAX_POOLED", 20)
    (result,) = scoring.score(study(), [SceneF()], Options(p_values=True), Cache(None)).values()
    assert "tuples of 5 captions at once" in result.untested[0]
    assert np.isfinite(result.items[0])


def test_the_value_of_a_pair_by_hand() -> None:
    people = written("man, bicycle, street, man/ride/bicycle, man/down/street")
    own = written("man, bike, bike red, man/ride/bike")
    assert matched(own, people) == 3  # bike is a bicycle, and nobody says that it is red
    assert matched(people, own) == 3
    assert matched(written("man bike"), written("man, bike, man/bike/man")) == 0


def test_why_people_have_no_value_is_said() -> None:
    metrics = resolve(["scene_f"])
    found = score_with_people(study(), metrics, lambda of, some: scoring.score(of, some, Options(), Cache(None)))
    assert "one reference fewer" in (found.human(study(), metrics[0]).reason or "")


@pytest.mark.parametrize("law", laws.LAWS)
@pytest.mark.parametrize("part", ["f1", "recall"])
def test_it_keeps_the_laws(law: str, part: scene.Part) -> None:
    assert laws.broken(laws.LAWS[law], SceneF(part)) == []


def test_captions_are_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = scoring.score(study(), resolve(["scene_f"]), Options(), Cache(tmp_path))
    assert list((tmp_path / "parses").rglob("*"))
    parser._kept.__init__(1)  # type: ignore[misc]
    monkeypatch.setattr(parser, "_parser", lambda: pytest.fail("parsed again"))
    again = scoring.score(study(), resolve(["scene_f(part=recall)"]), Options(), Cache(tmp_path))
    assert next(iter(again.values())).corpus != next(iter(first.values())).corpus
    parser._kept.__init__(parser._TEXTS)  # type: ignore[misc]


@pytest.mark.parametrize(
    "damaged",
    [b"dog\tred\0cat", b"a\tb\tc\td", b"\t", b"a\t\tb\0", b"\xff"],
    ids=["two", "four", "empty", "gap", "bytes"],
)
def test_damaged_parses_are_refused(damaged: bytes) -> None:
    with pytest.raises((Unfit, ValueError)):
        scene.of_arrays({"tuples": np.frombuffer(damaged, np.uint8)}, 1)


@pytest.mark.parametrize(
    ("pin", "said"), [({"spacy": "0.1"}, "spacy 0.1, and 3"), ({"no-such-parser": "1"}, "which is not installed")]
)
def test_what_is_missing_is_said_with_the_command(
    pin: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from metrics.needs import unmet

    monkeypatch.setattr(parser, "PINNED", pin)
    for cached in (parser.missing, unmet):
        cached.cache_clear()
    why = why_impossible(study(), SceneF()) or ""
    assert said in why
    assert "pip install -r requirements-scene.txt -c constraints.txt" in why
    for cached in (parser.missing, unmet):
        cached.cache_clear()


def test_it_is_in_no_set_and_what_is_pinned_is_required() -> None:
    assert "scene_f" not in METRICS
    assert all("scene_f" not in members for members in SETS.values())
    required = (Path(__file__).resolve().parents[2] / "requirements-scene.txt").read_text("utf-8").splitlines()
    assert {f"{name}=={version}" for name, version in parser.PINNED.items()} <= set(required)
