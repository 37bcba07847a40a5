"""Test that values which are easily misread are read as intended."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from data.check import Finding, Loaded, repair
from data.files.printed_lists import listed
from data.load import Reading, load_study

THREE = ["a brown dog sprints along a beach", "a dog running on wet sand", "the dog's at the sea"]
SAID = {
    "1": "a dog runs over the wet sand",
    "2": "two cups stand on a wooden table",
    "3": "a woman repairs an old bicycle",
}
WRITTEN = {
    "1": [*THREE[:2], "the dog is at the sea"],
    "2": ["two cups on a table made of wood", "coffee cups beside each other", "a pair of mugs"],
    "3": ["a woman fixes a bike", "someone works on an old bicycle", "a lady with a wrench and a bicycle"],
}
PREDICTED = ("m.json", json.dumps(SAID).encode())


def references(loaded: Loaded) -> dict[str, tuple[str, ...]]:
    assert loaded.study is not None
    return {item.id: item.references for item in loaded.study.items}


def candidates(loaded: Loaded) -> dict[str, tuple[str, ...]]:
    assert loaded.study is not None
    (run,) = loaded.study.runs
    return dict(run.candidates)


def found(loaded: Loaded, code: str) -> Finding:
    (one,) = (finding for finding in loaded.findings if finding.code == code)
    return one


def as_file(frame: pd.DataFrame, name: str) -> tuple[str, bytes]:
    if name.endswith(".parquet"):
        out = io.BytesIO()
        frame.to_parquet(out)
        return name, out.getvalue()
    return name, frame.to_csv(index=False, sep="\t" if name.endswith(".tsv") else ",").encode()


CELLS: dict[str, Any] = {
    "Python": THREE,
    "tuple": tuple(THREE),
    "set": "{" + str(THREE)[1:-1] + "}",
    "numpy": np.array(THREE, dtype=object),
    "numpy, long": np.array([f"{text} {'that is wet ' * 9}" for text in THREE], dtype=object),
    "numpy's repr": repr(np.array(THREE, dtype=object)),
    "numpy's texts": repr(list(np.array(THREE))),
    "JSON": json.dumps(THREE),
    "JSON of objects": json.dumps([{"caption": text, "id": 7} for text in THREE]),
    "bytes": [text.encode() for text in THREE],
}


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.parquet"])
@pytest.mark.parametrize("cell", CELLS)
def test_a_list_in_a_cell_is_its_captions(cell: str, name: str) -> None:
    """The list may be in a column of texts or, if the format has them, in a column of lists."""
    value = CELLS[cell]
    if name == "x.parquet" and cell != "numpy":
        value = str(value)
    expected = tuple(value) if cell == "numpy, long" and not isinstance(value, str) else None
    frame = pd.DataFrame({"clip_id": ["1"], "prediction": ["a dog"], "refs": [value]})
    read = references(load_study([as_file(frame, name)]))["1"]
    assert len(read) == 3
    assert cell == "numpy, long" or read == tuple(THREE)
    assert expected is None or read == expected


def test_lists_of_predictions_and_lists_as_text_in_json() -> None:
    rows = [{"id": "1", "references": str(THREE), "prediction": "['one dog', \"the dog's\"]"}]
    loaded = load_study([("x.jsonl", "\n".join(map(json.dumps, rows)).encode())])
    assert references(loaded) == {"1": tuple(THREE)}
    assert candidates(loaded) == {"1": ("one dog", "the dog's")}
    lines = load_study([("ref.txt", str(THREE).encode()), ("m.txt", b"a dog")])
    assert references(lines) == {"1": tuple(THREE)}


@pytest.mark.parametrize(
    "caption",
    [
        "[Music]",
        "[1, 2]",
        "(a dog)",
        "('a dog')",
        "a dog ['woof', 'woof']",
        "['a' + 'b']",
        "[__import__('os')]",
        "[",
        "{}",
        "",
    ],
)
def test_a_caption_in_brackets_is_a_caption(caption: str) -> None:
    assert listed(caption) is None


def test_what_a_literal_holds_is_never_run_and_long_ones_take_no_time() -> None:
    assert listed(r"['a\'b', 'c\n', '\x41', '\N{DOG}', '\x', None]") == ["a'b", "c\n", "A", "🐕", "\\x", None]
    assert listed("[]") == []
    assert listed("[" * 100_000 + "]") is None
    assert listed("['a' " + " " * 100_000 + "x]") is None
    assert len(listed(str(["a dog"] * 50_000)) or []) == 50_000


def rated(**marks: Any) -> list[dict[str, Any]]:
    rows = [{"image_id": id, "caption": text} for id, texts in WRITTEN.items() for text in texts]
    return [*rows, {"image_id": "1", "caption": "quality issues are too severe", **marks}]


@pytest.mark.parametrize("mark", ["is_rejected", "is_precanned"])
def test_captions_that_a_data_set_takes_back_are_no_references(mark: str) -> None:
    """VizWiz's captions are read from COCO annotations, from tables, and from objects by id."""
    rows = rated(**{mark: True})
    frame = pd.DataFrame(rows).assign(**{mark: [*[False] * 9, True]})
    by_id = {id: [row for row in rows if row["image_id"] == id] for id in WRITTEN}
    for file in (
        ("val.json", json.dumps({"images": [], "annotations": rows}).encode()),
        as_file(frame, "references.csv"),
        as_file(frame, "references.parquet"),
        ("references.json", json.dumps(by_id).encode()),
        as_file(frame, "val.csv"),
        ("val.json", json.dumps([{mark: False, **row} for row in rows]).encode()),
    ):
        loaded = load_study([PREDICTED, file])
        assert {len(texts) for texts in references(loaded).values()} == {3}
        assert mark in found(loaded, "withdrawn").problem
    kept = load_study([PREDICTED, ("val.json", json.dumps({"annotations": rated(is_rejected=False)}).encode())])
    assert len(references(kept)["1"]) == 4


KEYS = ["clip_1.wav", "7", "Y-b0c_30"]


def keyed(texts: list[str], keys: list[str] = KEYS) -> bytes:
    return "".join(f"{key}\t{text}\n" for key, text in zip(keys, texts)).encode()


def test_the_key_of_a_line_is_its_id() -> None:
    """As in Kaldi, each line has a key and a text, in any order of lines; a key without a text has an empty caption."""
    said = ("decode_pred", keyed(list(SAID.values())) + b"empty\n")
    other = ("text_gt", keyed([*(texts[0] for texts in WRITTEN.values()), "x"], [*KEYS, "empty"]))
    back = ("text_gt", b"\n".join(reversed(other[1].split(b"\n"))))
    for second in (other, back):
        loaded = load_study([said, second])
        assert candidates(loaded) == {**dict(zip(KEYS, ((text,) for text in SAID.values()))), "empty": ("",)}
        assert references(loaded)["7"] == (WRITTEN["2"][0],)
    several = ("text_gt", b"".join(keyed([texts[k] for texts in WRITTEN.values()]) for k in range(3)))
    loaded = load_study([("pred.txt", keyed(list(SAID.values()))), several])
    assert references(loaded) == dict(zip(KEYS, map(tuple, WRITTEN.values())))
    by_id = ("references.json", json.dumps(dict(zip(KEYS, WRITTEN.values()))).encode())
    assert references(load_study([("pred.txt", keyed(list(SAID.values()))), by_id])) == references(loaded)


def test_a_word_before_a_tab_is_no_key_where_it_tells_no_items_apart() -> None:
    labelled = keyed(list(SAID.values()), ["noun", "verb", "noun"])
    loaded = load_study([("m.txt", labelled), ("ref.txt", labelled)])
    assert candidates(loaded)["1"] == ("noun\ta dog runs over the wet sand",)
    assert {f.file for f in loaded.findings if f.code == "tabs_in_lines"} == {"m.txt", "ref.txt"}
    tabbed = load_study([("m.txt", b"a dog\truns\na cat\tsits\n")])
    assert candidates(tabbed)["2"] == ("a cat\tsits",)
    forced = load_study([("m.txt", keyed(list(SAID.values())))], overrides={"m.txt": Reading(format="lines")})
    assert candidates(forced)["1"][0].startswith("clip_1.wav\t")


def sheet(once: bool, columns: int = 4) -> bytes:
    """Return a sheet of three models and two images, with references in all rows or, if `once`, in first rows only."""
    rows = []
    for image, texts in (("a.jpg", THREE + THREE[:1]), ("b.jpg", WRITTEN["2"] + ["cups"])):
        for place, model in enumerate("ABC" * 4):
            shown = texts[:columns] if place == 0 or not once else [""] * columns
            rows.append([image, model, f"caption {place}", *shown])
    head = ["Image", "Model", "Caption", *(f"Ref {k + 1}" for k in range(columns))]
    return pd.DataFrame(rows, columns=head).to_csv(index=False, sep=";").encode()


@pytest.mark.parametrize("columns", [1, 4])
def test_references_in_every_row_of_a_sheet_are_read_once(columns: int) -> None:
    """Equal texts in one row, written by two people, remain two references."""
    repeated, once = (load_study([("sheet.csv", sheet(one, columns))]) for one in (False, True))
    assert references(repeated) == references(once)
    assert {len(texts) for texts in references(repeated).values()} == {columns}
    assert found(repeated, "references_repeated").count == 2 * 11 * columns
    assert "references_repeated" not in {finding.code for finding in once.findings}


def test_rows_of_one_reference_each_are_references_each() -> None:
    rows = b"id,reference\n1,a dog\n1,a dog\n1,one dog\n"
    assert references(load_study([("references.csv", rows)])) == {"1": ("a dog", "a dog", "one dog")}


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, I can't assist with that request.",
        "I’m unable to describe images.",
        "Failed to obtain answer via API.",
        "Error: 429 Too Many Requests",
        "openai.RateLimitError: slow down"[7:],
        "Request timed out.",
        "The response was blocked by the content filter.",
        "ERR_CONTENT_BLOCKED",
        '{"error": "overloaded"}',
        "502 Bad Gateway",
        "openai.RateLimitError: Error code: 429",
        "Traceback (most recent call last):",
        "As a language model, I cannot see",
        "There is no image attached.",
        "The image could not be loaded",
        "很抱歉，我无法描述这张图片",
        "Lo siento, no puedo ver la imagen.",
        "[blocked]",
    ],
)
def test_refusals_and_messages_of_programs_are_named(text: str) -> None:
    loaded = load_study([("m.json", json.dumps({**SAID, "2": text}).encode())])
    assert (found(loaded, "refusal").id, found(loaded, "refusal").count) == ("2", 1)


@pytest.mark.parametrize(
    "text",
    [
        "An error message on a computer screen.",
        "The image of a dog on a sign",
        "No picture frames hang on the wall",
        "Please keep off the grass, says a sign",
        "Something hangs on a wall",
        "500 bikes in a race",
        "A: the letter on a sign",
        "unknown man walks a dog",
        "Error on a screen of an airport",
        "A woman says sorry to a man",
        "I see a dog",
        "Timeout during a basketball game",
        "STOP",
        "Gate 12",
        "A dog that can't help it",
        "a man is blocked by a truck",
        "none of them looks",
        "カフェ a dog runs",
        "犬が 走る",
        "개가 젖은 모래 위를 달린다",
    ],
)
def test_captions_that_resemble_messages_are_let_be(text: str) -> None:
    loaded = load_study([("m.json", json.dumps({**SAID, "2": text}).encode())])
    assert not {"refusal", "null_text", "id_as_caption", "no_blanks"} & {one.code for one in loaded.findings}


def said(text: str, role: str = "assistant") -> dict[str, str]:
    return {"role": role, "content": text}


CHATS: dict[str, dict[str, Any]] = {
    "batch": {
        "custom_id": "1",
        "response": {"body": {"choices": [{"index": 0, "message": said("a dog")}]}},
        "error": None,
    },
    "messages": {"messages": [said("Describe.", "user"), said("a dog")], "references": ["a", "b"]},
    "ShareGPT": {"conversations": [{"from": "human", "value": "Describe."}, {"from": "gpt", "value": "a dog"}]},
    "Claude's batch": {"result": {"message": {"role": "assistant", "content": [{"type": "text", "text": "a dog"}]}}},
    "Gemini's batch": {"response": {"candidates": [{"content": {"role": "model", "parts": [{"text": "a dog"}]}}]}},
}


@pytest.mark.parametrize("kind", CHATS)
def test_the_last_turn_of_a_model_is_its_caption(kind: str) -> None:
    rows = [{**CHATS[kind], "id" if "custom_id" not in CHATS[kind] else "custom_id": str(k)} for k in (1, 2, 3)]
    loaded = load_study([("batch.jsonl", "\n".join(map(json.dumps, rows)).encode()), PREDICTED])
    assert loaded.unread == ()
    assert found(loaded, "fields_mapped").file == "batch.jsonl"
    assert loaded.study is not None
    assert not loaded.study.scores
    said = next(run for run in loaded.study.runs if run.name == "batch")
    assert said.candidates == dict.fromkeys("123", ("a dog",))


def test_a_prompt_beside_captions_is_let_be() -> None:
    rows = [{"id": "1", "references": WRITTEN["1"], "prediction": "a dog", "messages": [said("a dog")]}]
    assert candidates(load_study([("m.json", json.dumps(rows).encode())])) == {"1": ("a dog",)}
    prompts = [{"id": "1", "references": WRITTEN["1"], "messages": [said("Describe.", "user")]}]
    assert references(load_study([("ref.json", json.dumps(prompts).encode())])) == {"1": tuple(WRITTEN["1"])}


def test_numbers_that_name_something_are_no_scores() -> None:
    rows = [{"id": "1", "custom_id": 7, "run": "m", "spice": 0.5}]
    loaded = load_study([PREDICTED, ("x.json", json.dumps(rows).encode())])
    assert loaded.study is not None
    assert [one.name for one in loaded.study.scores] == ["spice"]


def test_a_number_that_is_none_is_called_so() -> None:
    loaded = load_study([("m.json", b'[{"image_id": 1, "caption": NaN}, {"image_id": Infinity, "caption": "a"}]')])
    assert found(loaded, "not_text").problem == "A caption is NaN, not text."
    assert found(loaded, "bad_id").problem == "The id is infinity; an id is text or a whole number."


@pytest.mark.parametrize("heading", ["Temp", "temperature", "TEMP "])
def test_settings_of_a_spreadsheet(heading: str) -> None:
    """If cells are separated by semicolons, commas in numbers are decimal points; in captions, they stay commas."""
    rows = f"Image;Model;{heading};Caption;Ref\n1;A;0,3;a dog, 3,5;x\n1;A;1,0;dogs;x\n1;A;0,3;cows;x\n".encode()
    study = load_study([("sheet.csv", rows)]).study
    assert study is not None
    assert {run.settings.temperature: run.candidates["1"] for run in study.runs} == {
        0.3: ("a dog, 3,5", "cows"),
        1.0: ("dogs",),
    }


def by_name(loaded: Loaded) -> dict[str, list[str]]:
    assert loaded.study is not None
    return {run.name: [text for texts in run.candidates.values() for text in texts] for run in loaded.study.runs}


def test_runs_alike_are_one_at_one_click() -> None:
    """Names of one run may differ in spaces or case, or be `T1` and `T1.0`; runs with an item in common are never
    joined.
    """
    names = ["BLIP_T0.3", "blip_T0.3", "BL IP_T0.3", "git-base_T1", "git base_T1.0", "git-base_T0.5"]
    rows = [
        {"id": str(k), "references": ["x", "y"], "candidates": {names[k % 3]: [f"a{k}"], names[3 + k % 2]: [f"b{k}"]}}
        for k in range(6)
    ]
    before = load_study([("mine.json", json.dumps(rows).encode())])
    assert (found(before, "runs_alike").count, before.study) == (3, None)
    assert [one.code for one in before.findings[:2]] == ["runs_alike", "no_common_items"], "the first solves the second"
    after = by_name(repair(before, ["join_alike_runs"]))
    assert {name: sorted(texts) for name, texts in after.items()} == {
        "BLIP_T0.3": [f"a{k}" for k in range(6)],
        "git-base_T1": [f"b{k}" for k in range(6)],
    }
    both = [{"id": "1", "references": ["x"], "candidates": {"m": ["a"], "M": ["b"]}}]
    assert "runs_alike" not in {one.code for one in load_study([("x.json", json.dumps(both).encode())]).findings}


@pytest.mark.parametrize("key", ["models", "runs", "candidates"])
def test_captions_by_model_and_temperature(key: str) -> None:
    rows = [{"id": "1", "references": ["x", "y"], key: {"A": {"0.3": ["a"], "1.0": ["b"]}, "B": ["c"]}}]
    loaded = load_study([("mine.json", json.dumps(rows).encode())])
    assert by_name(loaded) == {"A@T=0.3": ["a"], "A@T=1.0": ["b"], "B": ["c"]}
    assert loaded.study is not None
    assert [(run.model, run.settings.temperature) for run in loaded.study.runs] == [("A", 0.3), ("A", 1.0), ("B", None)]


RATED = [
    ("A", 0.3, "a dog", 3, "3,3"),
    ("A", 0.3, "a dog", 4, "1,5"),
    ("A", 1.0, "dogs", 5, ""),
    ("A", 0.3, "cows", 2, "3,0"),
]


def test_ratings_beside_captions_in_a_sheet() -> None:
    """Equal captions keep their own ratings; a scale is part of the criterion's name; other numbers are not ratings."""
    head = "Image;Model;Temp;Caption;Fluency (1-5);Accuracy;Ref 1;Ref 2;Width\n"
    rows = [f"1.jpg;{m};{str(t).replace('.', ',')};{text};{f};{a};x;y;640" for m, t, text, f, a in RATED]
    loaded = load_study([("sheet.csv", (head + "\n".join(rows)).encode())])
    assert loaded.study is not None
    run = loaded.study.run("A@temperature=0.3")
    assert run.candidates == {"1.jpg": ("a dog", "a dog", "cows")}
    assert {name: [given[""] for given in values] for name, values in (run.human or {})["1.jpg"].items()} == {
        "Fluency (1-5)": [3, 4, 2],
        "Accuracy": [3.3, 1.5, 3.0],
    }
    assert references(loaded) == {"1.jpg": ("x", "y")}
    assert loaded.study.items[0].metadata == {"Width": 640}


def scored() -> bytes:
    head = "image,model,temperature,caption,fluency,accuracy\n"
    return (head + "\n".join(f"1.jpg,{m},{t},{c},{f},{a.replace(',', '.')}" for m, t, c, f, a in RATED)).encode()


def test_captions_beside_scores_are_read_where_no_other_file_has_any() -> None:
    alone = load_study([("scores_simple.csv", scored())])
    assert alone.study is not None
    assert by_name(alone) == {"A@temperature=0.3": ["a dog", "a dog", "cows"], "A@temperature=1.0": ["dogs"]}
    assert [run.settings.temperature for run in alone.study.runs] == [0.3, 1.0]
    of = {one.name: one.values["A@temperature=0.3"]["1.jpg"] for one in alone.study.scores}
    assert of == {"fluency": (3, 4, 2), "accuracy": (3.3, 1.5, 3.0)}
    captions = b"image,model,temperature,caption\n1.jpg,A,0.3,cows\n1.jpg,A,0.3,a dog\n1.jpg,A,1.0,dogs\n"
    beside = load_study([("captions.csv", captions), ("scores_simple.csv", scored())])
    assert by_name(beside) == {"A@temperature=0.3": ["cows", "a dog"], "A@temperature=1.0": ["dogs"]}
    assert beside.study is not None
    assert beside.study.scores[0].values["A@temperature=0.3"]["1.jpg"][0] == 2
