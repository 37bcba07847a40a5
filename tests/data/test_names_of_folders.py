"""Test what the names of folders and their files show: who wrote the texts, and about which items."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from data.check import Loaded
from data.load import load_study
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN
from tests.data.test_shapes_of_further_files import OTHER, codes, each, jsonl, lined, references_of, runs_of

SOURCES = ("ein Hund am Strand", "zwei Tassen", "eine Frau mit Rad")
SECOND = tuple(refs[1] for refs in WRITTEN)


def read(files: dict[str, bytes], top: Path, packed: bool = False) -> Loaded:
    """Return what is read from files, given by their paths, in a folder or, if `packed`, in an archive."""
    if packed:
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return load_study([("all.zip", made.getvalue())])
    for name, content in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_bytes(content)
    return load_study([top])


@pytest.mark.parametrize("packed", [True, False])
def test_folders_of_references_and_sources_tell_what_their_files_are(packed: bool, tmp_path: Path) -> None:
    files = {
        "references/test.txt": lined(tuple(refs[0] for refs in WRITTEN)),
        "sources/en-de.txt": lined(SOURCES),
        "systems/GPT4.txt": lined(SAID),
        "systems/ONLINE-W.txt": lined(OTHER),
    }
    found = read(files, tmp_path, packed)
    assert references_of(found) == each(tuple(refs[0] for refs in WRITTEN))
    assert runs_of(found) == {"GPT4": each(SAID), "ONLINE-W": each(OTHER)}
    assert found.study
    assert [item.metadata["source"] for item in found.study.items] == list(SOURCES)


@pytest.mark.parametrize("packed", [True, False])
def test_files_that_are_all_in_a_folder_of_references_are_read_by_their_own_names(packed: bool, tmp_path: Path) -> None:
    files = {f"gold/{name}.txt": lined(said) for name, said in (("blip", SAID), ("git", OTHER), ("ref", SECOND))}
    found = read(files, tmp_path, packed)
    assert references_of(found) == each(SECOND)
    assert list(runs_of(found)) == ["blip", "git"]


def test_results_and_ratings_in_a_folder_of_people_stay_what_they_are(tmp_path: Path) -> None:
    rated = [{"image_id": id, "caption": text, "fluency": 4, "rater": "ann"} for id, text in zip(IDS, SAID)]
    results = [{"image_id": id, "caption": text} for id, text in zip(IDS, SAID)]
    files = {
        "human/ratings.jsonl": jsonl(*rated),
        "runs/blip.json": json.dumps(results).encode(),
        "references.json": KNOWN[1],
    }
    found = read(files, tmp_path)
    assert runs_of(found) == {"blip": each(SAID)}
    assert references_of(found) == [tuple(refs) for refs in WRITTEN]
    assert found.study
    assert found.study.runs[0].human


def test_letters_in_names_of_files_tell_people_apart_who_wrote_summaries(tmp_path: Path) -> None:
    files = {f"system_summaries/text.00{k}.txt": lined([SAID[k]]) for k in range(3)}
    for n, letter in enumerate("ABC"):
        files |= {f"model_summaries/text.{letter}.00{k}.txt": lined([WRITTEN[k][n]]) for k in range(3)}
    found = read(files, tmp_path)
    assert runs_of(found) == {"system_summaries": each(SAID)}
    assert references_of(found) == [tuple(refs) for refs in WRITTEN]
    assert [one.file for one in found.findings if one.code == "folder_of_people"] == ["model_summaries/text.A.000.txt"]


def test_letters_suffice_in_a_folder_of_models(tmp_path: Path) -> None:
    said = (("sys1", SAID), ("sys2", OTHER))
    files = {f"peers/{run}/D3000{k}.txt": lined([texts[k]]) for run, texts in said for k in range(3)}
    for n, letter in enumerate("AB"):
        files |= {f"models/D3000{k}.{letter}.txt": lined([WRITTEN[k][n]]) for k in range(3)}
    found = read(files, tmp_path)
    assert runs_of(found) == {run: each(texts) for run, texts in said}
    assert references_of(found) == [refs[:2] for refs in WRITTEN]


def test_words_behind_the_numbers_of_samples_tell_what_they_are(tmp_path: Path) -> None:
    files = {f"decoded/00000{k}_decoded.txt": lined([SAID[k]]) for k in range(3)}
    files |= {f"reference/00000{k}_reference.txt": lined([WRITTEN[k][0]]) for k in range(3)}
    found = read(files, tmp_path)
    assert runs_of(found) == {"decoded": each(SAID)}
    assert references_of(found) == each(tuple(refs[0] for refs in WRITTEN))


def response(model: str, texts: tuple[str, ...]) -> bytes:
    choices = [{"index": k, "message": {"role": "assistant", "content": text}} for k, text in enumerate(texts)]
    return json.dumps({"id": f"chatcmpl-{texts[0]}", "model": model, "choices": choices, "usage": {"n": 1}}).encode()


def test_responses_in_files_named_after_items_are_of_these_items(tmp_path: Path) -> None:
    files = {f"a/{IDS[k]}.json": response("gpt-a", (SAID[k], OTHER[k])) for k in range(3)}
    files |= {f"b/{IDS[k]}.json": response("gpt-b", (OTHER[k], SECOND[k])) for k in range(3)}
    found = read({**files, "references.json": KNOWN[1]}, tmp_path)
    assert runs_of(found) == {"gpt-a": [*zip(SAID, OTHER)], "gpt-b": [*zip(OTHER, SECOND)]}
    assert references_of(found) == [tuple(refs) for refs in WRITTEN]


def test_responses_of_several_models_in_one_folder_are_not_items(tmp_path: Path) -> None:
    found = read({"qwen.json": response("qwen", SAID), "llava.json": response("llava", OTHER)}, tmp_path)
    assert "records_joined" not in codes(found)


@pytest.mark.parametrize("before", ["g", "rater", "annotator_"])
def test_a_numbered_word_before_winner_tells_judgments_apart(before: str) -> None:
    def row(k: int) -> dict[str, Any]:
        said = {f"{before}{n}_winner": "model_1" if n == 1 else "tie" for n in (1, 2)}
        return {"question_id": k, "model_1": "blip", "model_2": "git", **said, f"{before}1_judgment": "It is better."}

    answers = [
        (f"{run}.jsonl", jsonl(*({"question_id": k, "model_id": run, "answer": said[k]} for k in range(3))))
        for run, said in (("blip", SAID), ("git", OTHER))
    ]
    found = load_study([*answers, ("pairs.jsonl", jsonl(*map(row, range(3))))])
    assert runs_of(found) == {"blip": each(SAID), "git": each(OTHER)}
    assert found.study
    assert [(one.first_votes, one.second_votes) for one in found.study.preferences] == [(1.5, 0.5)] * 3
