"""Test CHAIR: which objects count as hallucinated, that the key depends on the items' objects, and what is missing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from metrics.analysis.feasibility import why_impossible
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.result import Result
from metrics.engine.tasks import Options
from metrics.registry import resolve
from metrics.suite.chair import Known, mentions, plural

ITEMS = (
    Item("1", ("a dog on a couch",), metadata={"objects": ["dog", "hot dog", "table"]}),
    Item("2", ("a photo",), metadata={"objects": ["bench", "couch"]}),
    Item("3", ("a bird",)),
)
SAID = {
    "1": ("Two dogs eat a hot dog", "a bench and a dog near benches", "something"),
    "2": ("a bench", "a table with two tables and a dog"),
    "3": ("a dog",),
}
STUDY = Study("objects", ITEMS, (Run("run", "run", Settings(), SAID),), tokenizer="whitespace")


def scored(study: Study, name: str, cache: Cache | None = None) -> Result:
    ((_, found),) = scoring.score(study, resolve([name], study=study), Options(resamples=10), cache).items()
    return found


def test_mentions_are_counted_by_hand() -> None:
    found = scored(STUDY, "chair_i")  # 1: dog, hot dog; bench, dog, bench; none. 2: bench; table, table, dog.
    np.testing.assert_allclose(found.items, [2 / 5, 3 / 4, np.nan])
    assert found.corpus == 5 / 9
    sentences = scored(STUDY, "chair_s")
    np.testing.assert_allclose(sentences.items, [1 / 3, 1 / 2, np.nan])
    assert sentences.corpus == 2 / 5
    assert found.reasons[2] == sentences.reasons[2] == "the item states no objects"


def test_what_people_name_is_there() -> None:
    named = replace(STUDY, items=(replace(ITEMS[0], references=("a dog on a bench",)), *ITEMS[1:]))
    assert scored(named, "chair_i").items[0] == 0


def test_a_file_gives_names_and_synonyms(tmp_path: Path) -> None:
    file = tmp_path / "names.txt"
    file.write_text("dog, puppy\nsofa, couch, sofa bed\ntable\nbench\n")
    said = {"1": ("a puppy on a sofa bed",), "2": ("a sofa and a puppy",), "3": ("x",)}
    study = replace(STUDY, runs=(Run("run", "run", Settings(), said),))
    found = scored(study, f"chair_i(synonyms={file})")
    np.testing.assert_allclose(found.items, [0, 1 / 2, np.nan])
    before = found.metric.signature
    file.write_text("dog\ntable\n")
    assert resolve([f"chair_i(synonyms={file})"])[0].signature != before
    for content, why in (("\n , \n", "no names"), (None, "line per object")):
        file.unlink() if content is None else file.write_text(content)
        with pytest.raises(ValueError, match=why):
            resolve([f"chair_s(synonyms={file})"])


def test_other_objects_are_another_number_in_the_cache(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    first = scored(STUDY, "chair_s", cache)
    moved = replace(STUDY, items=(replace(ITEMS[0], metadata={"objects": ["bench", "dog"]}), *ITEMS[1:]))
    assert scored(moved, "chair_s", cache).corpus == 1 / 5 < first.corpus
    assert scored(STUDY, "chair_s", cache).corpus == first.corpus


def test_without_objects_the_remedy_is_said() -> None:
    bare = replace(STUDY, items=tuple(replace(item, metadata={}) for item in ITEMS))
    why = why_impossible(bare, resolve(["chair_i"], study=bare)[0]) or ""
    assert "list them in the field `objects` of its metadata" in why
    assert why_impossible(STUDY, resolve(["chair_i"], study=STUDY)[0]) is None


def test_the_longest_name_counts_from_the_left() -> None:
    known = Known({("hot", "dog"): "hot dog", ("dog",): "dog"}, 2, {})
    assert list(mentions(("A", "Hot", "dog", "hot", "dog", "dog"), known)) == ["hot dog", "hot dog", "dog"]
    assert [plural(word) for word in ("bench", "knife", "berry", "toy", "scarf", "bus")] == [
        "benches",
        "knives",
        "berries",
        "toys",
        "scarfs",
        "buses",
    ]
