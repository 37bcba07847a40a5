"""Test that coherence labels are read from files into the study and written back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.check import Loaded, repair
from data.convert import to_jsonl_bytes
from data.load import load_study
from data.ratings.coherence import labels_of, of_candidates, of_references
from data.ratings.human_ratings import ratings_of
from data.study import Study

ITEM: dict[str, Any] = {
    "id": "1",
    "references": ["A dog.", "The dog."],
    "candidates": {"m": ["A cat.", "", "One cat."], "k": ["A cow."]},
    "coherence": {"references": ["visible", None], "candidates": {"m": ["Story", "Meta", None], "k": "irony"}},
}


def load(*rows: dict[str, Any], **files: list[dict[str, Any]]) -> Loaded:
    given = {"x": list(rows), **files} if rows else files
    return load_study([(f"{name}.json", json.dumps(content).encode()) for name, content in given.items()])


def study_of(loaded: Loaded) -> Study:
    assert loaded.study is not None
    return loaded.study


def test_labels_are_read_and_the_four_known_ones_are_written_alike() -> None:
    study = study_of(load(ITEM))
    assert study.items[0].coherence == ("Visible", "")
    assert (study.run("m").coherence, study.run("k").coherence) == ({"1": ("Story", "Meta", "")}, {"1": ("irony",)})
    assert labels_of(study) == ("Meta", "Visible", "Story", "irony")
    assert of_candidates(study.run("m"), "2") == ()
    bare = study_of(load({key: value for key, value in ITEM.items() if key != "coherence"}))
    assert (of_candidates(bare.run("m"), "1"), of_references(bare.items[0])) == (("", "", ""), ("", ""))
    assert bare.digest == study.digest


def test_they_follow_their_captions_through_repairs_and_files() -> None:
    """Labels stay with their texts if an empty candidate is dropped, and also in JSON Lines and in a draft."""
    loaded = load(ITEM)
    mended = study_of(repair(loaded, ["drop_empty_candidates"]))
    assert mended.run("m").candidates["1"] == ("A cat.", "One cat.")
    assert mended.run("m").coherence == {"1": ("Story", "")}
    for study in (study_of(loaded), mended):
        again = study_of(load_study([("x.jsonl", to_jsonl_bytes(study))]))
        drafted = study_of(repair(study, []))
        assert (again.items, again.runs) == (drafted.items, drafted.runs) == (study.items, study.runs)


def test_labels_of_several_files_are_merged_by_text() -> None:
    first = {"id": "1", "references": ["A dog.", "The dog."], "candidates": {"m": ["A cat."]}}
    second = {**first, "references": ["The dog.", "A dog."], "coherence": {"references": ["Meta", "Story"]}}
    third = {**first, "coherence": {"references": "Story", "candidates": {"m": "Meta"}}}
    loaded = load(a=[first], b=[second], c=[third])
    study = study_of(loaded)
    assert study.items[0].coherence == ("Story", "Meta")
    assert study.run("m").coherence == {"1": ("Meta",)}
    assert [one.id for one in loaded.findings if one.code == "facts_differ"] == ["1"]
    joined = study_of(repair(load({**first, "coherence": {"candidates": {"m": "Meta"}}}, first), ["merge_duplicates"]))
    assert joined.run("m").coherence == {"1": ("Meta", "")}


def test_metadata_of_the_test_set_of_cosmic_are_labels() -> None:
    told = {"coherence": {"m": "Story", "k": None}, "reference_coherence": "Visible"}
    row = {**ITEM, "candidates": {"m": ["A cat."], "k": ["A cow."]}, "coherence": None, "metadata": told}
    study = study_of(load(row))
    assert (study.run("m").coherence, study.run("k").coherence) == ({"1": ("Story",)}, None)
    assert study.items[0].coherence == ("Visible", "Visible")
    loaded = load({**row, "metadata": {"coherence": {"other": 3}}})
    assert labels_of(study_of(loaded)) == ()
    assert not any(one.code == "ignored_field" for one in loaded.findings)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("Visible", "it is not an object of `references` and, by run, `candidates`"),
        ({"people": "Story"}, "it is not an object of `references` and, by run, `candidates`"),
        ({"candidates": {"x": "Story"}}, "there is no run x"),
        ({"candidates": {"m": ["Story"]}}, "it has 1 labels for 3 candidates of run m"),
        ({"references": ["Story", 3]}, "a label of the references is not text of 1 to 40 characters"),
        ({"references": "x" * 41}, "a label of the references is not text of 1 to 40 characters"),
        ({"references": {"a": "Story"}}, "a label of the references is not text of 1 to 40 characters"),
    ],
)
def test_what_is_no_label_is_left_out_and_said(given: Any, why: str) -> None:
    loaded = load({**ITEM, "coherence": given})
    (finding,) = [one for one in loaded.findings if one.code == "ignored_field"]
    assert finding.problem == f"`coherence` was ignored: {why}."
    assert (finding.file, finding.record, finding.id) == ("x.json", "record 1", "1")


def test_a_table_as_raccoon_has_it_keeps_its_labels_and_all_four_ratings() -> None:
    boxes = [f"cb{name}{k}" for name in ("Visible", "Story") for k in range(1, 6)]
    heads = ["caption", "url", "source", *boxes, "cbMetaBad", "cbMetaGood"]
    rows = [("a", "Story12", {"cbStory4"}), ("b", "True_3", {"cbVisible5"}), ("c", "Meta1", {"cbMetaGood"})]
    rows += [("d", "Action2", {"cbMetaBad"}), ("a", "Meta4", set())]
    lines = ["\t".join(heads)]
    lines += [
        "\t".join([text, "u", source, *(str(int(h in ticked)) for h in heads[3:])]) for text, source, ticked in rows
    ]
    loaded = load_study([("boxes.tsv", "\n".join(lines).encode())])
    study = study_of(loaded)
    assert study.runs[0].candidates["u"] == ("a", "b", "c", "d")
    assert study.runs[0].coherence == {"u": ("Story", "Visible", "Meta", "")}
    ratings = {one.criterion: (one.place.tolist(), one.value.tolist()) for one in ratings_of(study)}
    assert ratings == {"Story": ([0], [4]), "Visible": ([1], [5]), "Meta": ([2, 3], [1, 0])}
    assert [one.record for one in loaded.findings if one.code == "facts_differ"] == ["line 6"]


def test_a_table_of_ratings_may_have_a_column_of_labels() -> None:
    table = b"item,caption,coherence,rating\n1,A cat.,story,4\n2,A dog.,own label,3\n2,Two dogs.,,3\n"
    study = study_of(load_study([("x.csv", table)]))
    assert study.runs[0].coherence == {"1": ("Story",), "2": ("own label", "")}
    numbers = study_of(load_study([("ratings.csv", b"item,caption,coherence,rating\n1,A cat.,5,4\n2,A dog.,2,3\n")]))
    assert labels_of(numbers) == ()
    assert {one.criterion for one in ratings_of(numbers)} == {"coherence", "rating"}
