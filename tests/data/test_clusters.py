"""Test which items form clusters: by metadata, by a statement in a file, or by equal captions or pictures."""

from __future__ import annotations

import io
import json
import random

import pytest
from PIL import Image

from data.adding import keeping
from data.check import clustered, repair
from data.checks.clusters import NONE
from data.convert import to_jsonl_bytes
from data.load import Loaded, load_study
from data.study import DataError
from tests import studies
from tests.data.finding_cases import item, js
from ui.session.pictures import changed


def loaded(field: str = "video", items: int = 40, size: int = 2, **more: object) -> Loaded:
    rows = [item(str(k), metadata={field: f"v{k // size}", "split": "test"}, **more) for k in range(items)]
    return load_study([("x.json", js(rows))])


def clusters(of: Loaded) -> int | None:
    assert of.study is not None
    return None if of.study.unit is None else int(of.study.unit.max()) + 1


@pytest.mark.parametrize(("field", "found"), [("video", 20), ("annotator_id", 20), ("cluster", 20), ("hue", None)])
def test_a_field_with_a_known_name_is_taken(field: str, found: int | None) -> None:
    assert clusters(loaded(field)) == found


def test_few_values_are_offered_and_not_taken() -> None:
    few = loaded(size=10)
    assert clusters(few) is None
    assert [one.code for one in few.findings if one.code.startswith("cluster")] == ["clusters_few"]
    assert clusters(clustered(few, "video")) == 4


def test_a_person_names_another_field_or_none() -> None:
    of = loaded("hue")
    assert clusters(clustered(of, "hue")) == 20
    assert clusters(clustered(loaded(), NONE)) is None
    assert clusters(clustered(clustered(of, "hue"), None)) is None
    with pytest.raises(DataError, match="no two items share a value of 'colour'"):
        clustered(of, "colour")


def test_items_of_one_picture_belong_together() -> None:
    rows = [item(str(k), image=f"{k // 2}.jpg") for k in range(40)]
    assert clusters(load_study([("x.json", js(rows))])) == 20


def test_a_choice_outlives_repairs_and_further_files() -> None:
    of = clustered(loaded("hue"), "hue")
    assert clusters(repair(of, ["trim_captions"])) == 20
    assert clusters(keeping(loaded("hue"), of)) == 20
    assert clusters(keeping(loaded("shade"), of)) is None
    assert clusters(keeping(clustered(of, None), of)) is None


@pytest.mark.parametrize("field", [None, NONE, "split", "video"])
def test_a_study_with_clusters_or_without_reads_back(field: str | None) -> None:
    of = clustered(loaded(), field).study
    assert of is not None
    again = load_study([(f"{of.name}.jsonl", to_jsonl_bytes(of))], name=of.name).study
    assert again is not None
    assert (again.digest, again.clustering) == (of.digest, of.clustering)


def test_values_that_are_none_leave_an_item_by_itself() -> None:
    rows = [item(str(k), metadata={"video": value}) for k, value in enumerate(["a", "a", None, "", ["a"], 1.0, 1])]
    of = clustered(load_study([("x.json", json.dumps(rows).encode())]), "video").study
    assert of is not None
    assert [one.cluster for one in of.items] == ["a", "a", "", "", "", "1", "1"]


def twice(change: bool) -> list[dict[str, object]]:
    """Return 60 items, the last twenty of which repeat the first twenty with their captions in reverse order.

    If `change`, each repeated caption differs in one word, else only in its case.
    """
    source = random.Random(1)
    rows = [item(str(k), references=studies.captions(source, 4)) for k in range(40)]
    for k in range(20):
        texts = [text.replace("A ", "The ", 1) if change else text.lower() for text in rows[k]["references"]]
        rows.append(item(f"{k} again", references=texts[::-1]))
    return rows


def test_items_that_stand_twice_are_one_cluster_unless_a_person_undoes_it() -> None:
    of = load_study([("x.json", js(twice(change=False)))])
    assert clusters(of) == 40
    assert clusters(repair(of, [], ["cluster_duplicates"])) is None
    assert next(one for one in of.findings if one.code == "duplicate_items").count == 40
    undone = repair(of, [], ["cluster_duplicates"]).study
    assert undone is not None
    again = load_study([("x.jsonl", to_jsonl_bytes(undone))], name=undone.name).study
    assert again is not None
    assert again.digest == undone.digest


def test_items_that_nearly_stand_twice_are_found_and_clusters_on_request() -> None:
    of = load_study([("x.json", js(twice(change=True)))])
    assert clusters(of) is None
    assert next(one for one in of.findings if one.code == "near_duplicates").count == 40
    assert clusters(repair(of, ["cluster_near_duplicates"])) == 40


def test_other_items_are_no_duplicates() -> None:
    of = load_study([("x.json", js(twice(change=True)[:40]))])
    short = load_study([("x.json", js([item(str(k), references=["a dog"]) for k in range(9)]))])
    assert not [one for found in (of, short) for one in found.findings if "duplicate" in one.code]


def test_duplicates_join_clusters() -> None:
    rows = twice(change=False)
    for k, row in enumerate(rows):
        row["metadata"] = {"video": k // 2}
    assert clusters(load_study([("x.json", js(rows))])) == 20


def square(colour: int, kind: str = "PNG", level: int = 6) -> bytes:
    made, out = Image.new("RGB", (12, 12), (colour, 40, 90)), io.BytesIO()
    made.putpixel((3, 4), (250, 250, colour))
    made.save(out, kind, compress_level=level)
    return out.getvalue()


def test_pictures_with_the_same_bytes_or_pixels_are_found_and_clusters_on_request() -> None:
    """Items a and b have equal files with different names, c has the same pixels in another file, and d and e
    differ.
    """
    rows = [item(name, image=f"{name}.png", references=[f"the {name} runs", f"one {name}"]) for name in "abcde"]
    files = {"a": square(10), "b": square(10), "c": square(10, level=0), "d": square(90), "e": square(200)}
    assert files["a"] != files["c"]
    of = load_study([("x.json", js(rows)), *((f"{name}.png", content) for name, content in files.items())])
    (one,) = (one for one in of.findings if one.code == "same_pictures")
    assert (one.id, one.count, one.severity) == ("a", 3, "warning")
    assert one.problem.startswith("3 items have the same picture as another, under another name")
    assert clusters(of) is None
    mended = repair(of, ["cluster_same_pictures"])
    assert clusters(mended) == 3
    assert mended.study is not None
    assert len({i.cluster for i in mended.study.items[:3]}) == 1
    alone = load_study([("x.json", js(rows)), *((f"{name}.png", files[name]) for name in "ade")])
    assert not [one for one in alone.findings if one.code == "same_pictures"]
    later = changed(alone, of.pictures, alone.findings)
    assert [one.count for one in later.findings if one.code == "same_pictures"] == [3]
    assert clusters(repair(later, ["cluster_same_pictures"])) == 3
    assert not [one for one in changed(later, None, later.findings).findings if one.code == "same_pictures"]
