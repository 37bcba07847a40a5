"""Test that files of evaluation programs are read whatever the layout of their records."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather

from data.formats.nesting.nested_records import rows_of
from data.load import load_study
from data.records import Columns

SAID = ("a dog runs over the wet sand", "two cups stand on a wooden table", "a woman repairs an old bicycle")
WRITTEN = (
    ("a brown dog sprints along a beach", "a dog running on wet sand", "the dog is at the sea"),
    ("two cups on a table made of wood", "coffee cups beside each other", "a pair of mugs"),
    ("a woman fixes a bike", "someone works on an old bicycle", "a lady with a wrench and a bicycle"),
)
IDS = ("1", "2", "3")
KNOWN = ("references.json", json.dumps(dict(zip(IDS, WRITTEN))).encode())
File = tuple[str, bytes]
Make = Callable[[int], dict[str, Any]]


def lines(make: Make) -> bytes:
    return "\n".join(json.dumps(make(k)) for k in range(3)).encode()


def listed(make: Make) -> bytes:
    return json.dumps([make(k) for k in range(3)]).encode()


def read(*files: File, **how: Any) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    loaded = load_study(list(files), **how)
    assert loaded.study is not None, loaded.findings
    (run,) = loaded.study.runs
    return {item.id: (item.references, run.candidates[item.id]) for item in loaded.study.items}


def expected(ids: tuple[str, ...] = IDS) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    return {id: (refs, (text,)) for id, refs, text in zip(ids, WRITTEN, SAID)}


def turn(who: str, text: Any) -> dict[str, Any]:
    return {"role": who, "content": text}


def sample(k: int, epoch: int) -> dict[str, Any]:
    text = f"{SAID[k]} {epoch}"
    return {
        "id": k + 1,
        "epoch": epoch,
        "input": "Describe it.",
        "target": WRITTEN[k],
        "messages": [turn("user", "Describe it."), turn("assistant", text)],
        "output": {"model": "lab/m", "choices": [{"message": turn("assistant", text)}], "completion": text},
    }


WHOLE: dict[str, Make] = {
    "lmms-eval": lambda k: {
        "doc_id": 50 + k,
        "target": str(list(WRITTEN[k])),
        "filtered_resps": SAID[k],
        "doc_hash": f"h{k}",
        "coco_Bleu_4": {"answer": WRITTEN[k], "pred": SAID[k], "image_id": k + 1, "id": k},
        "coco_CIDEr": {"answer": WRITTEN[k], "pred": SAID[k], "image_id": k + 1, "id": k},
    },
    "lmms-eval, older": lambda k: {
        "doc_id": 50 + k,
        "target": "",
        "resps": [[SAID[k]]],
        "filtered_resps": [SAID[k]],
        "coco_CIDEr": {"answer": WRITTEN[k], "pred": SAID[k], "image_id": k + 1},
    },
    "pred and gt": lambda k: {"image": IDS[k], "pred": SAID[k], "gt": WRITTEN[k]},
    "an answer and captions": lambda k: {"image": IDS[k], "answer": SAID[k], "gt_captions": WRITTEN[k]},
    "no id": lambda k: {"prompt": "<|im_start|>user", "predict": SAID[k], "label": WRITTEN[k]},
    "ms-swift": lambda k: {
        "response": SAID[k],
        "labels": WRITTEN[k],
        "messages": [turn("user", "Describe it."), turn("assistant", SAID[k])],
    },
    "a conversation beside references": lambda k: {
        "id": IDS[k],
        "references": WRITTEN[k],
        "messages": [turn("user", "Describe it."), turn("assistant", [{"type": "text", "text": SAID[k]}])],
    },
    "promptfoo": lambda k: {
        "provider": {"id": "openai:m"},
        "vars": {"image": IDS[k], "references": WRITTEN[k]},
        "response": {"output": SAID[k]},
        "success": True,
    },
    "image struct": lambda k: {"image": {"path": IDS[k]}, "prediction": SAID[k], "references": WRITTEN[k]},
    "lighteval": lambda k: {
        "doc": {"id": IDS[k], "query": "Describe it.", "choices": WRITTEN[k], "gold_index": [0, 1, 2]},
        "model_response": {"text": [SAID[k]], "input": "Describe it."},
        "metric": {"rouge1": 0.1},
    },
    "one prompt as the example": lambda k: {"example": "Describe it.", "predictions": [SAID[k]], "gold": WRITTEN[k]},
    "MetricX": lambda k: {"id": IDS[k], "hypothesis": SAID[k], "reference": WRITTEN[k], "prediction": 1.5 + k},
    "ParlAI": lambda k: {
        "dialog": [
            [{"id": "task", "text": "", "image_id": IDS[k], "eval_labels": WRITTEN[k]}, {"id": "m", "text": SAID[k]}]
        ]
    },
    "references as a text that is a list": lambda k: {
        "question_id": IDS[k],
        "candidate": SAID[k],
        "reference_strs": json.dumps(WRITTEN[k]),
    },
}


@pytest.mark.parametrize("kind", WHOLE)
def test_records_with_references(kind: str) -> None:
    assert read(("m.jsonl", lines(WHOLE[kind]))) == expected()


RUNS: dict[str, Make] = {
    "LLaVA": lambda k: {"question_id": k + 1, "prompt": "Caption it.", "text": SAID[k], "model_id": "llava"},
    "OpenAI": lambda k: {
        "id": f"batch_req_{k}",
        "custom_id": IDS[k],
        "response": {"status_code": 200, "body": {"model": "m", "choices": [{"message": turn("assistant", SAID[k])}]}},
    },
    "ShareGPT": lambda k: {
        "id": IDS[k],
        "conversations": [{"from": "human", "value": "<image>"}, {"from": "gpt", "value": SAID[k]}],
    },
    "an image as id": lambda k: {"img_id": f"{IDS[k]}.jpg", "prediction": [SAID[k]]},
    "a path as id": lambda k: {"image_path": f"img/{IDS[k]}.jpg", "generated_caption": SAID[k]},
    "a list of responses": lambda k: {"index": k + 1, "response": [SAID[k]]},
    "ParlAI": lambda k: {
        "dialog": [
            [{"id": "task", "text": "Hi!", "image": IDS[k]}, {"id": "m", "text": SAID[k]}],
        ]
    },
    "a prompt called text": lambda k: {"id": IDS[k], "text": "Describe it.", "response": SAID[k]},
}


@pytest.mark.parametrize("kind", RUNS)
@pytest.mark.parametrize("write", [lines, listed])
def test_records_of_a_run(kind: str, write: Callable[[Make], bytes]) -> None:
    assert read(("m.json", write(RUNS[kind])), KNOWN) == expected()


@pytest.mark.parametrize("orient", ["records", "split", "index", "columns", "table"])
def test_tables_that_pandas_writes(orient: Any) -> None:
    frame = pd.DataFrame({"image_id": IDS, "prediction": SAID, "references": WRITTEN})
    written = str(frame.to_json(orient=orient))
    assert read(("m.json", written.encode())) == expected()
    assert read(("m.json", json.dumps(written).encode())) == expected(), "JSON in a text"


def test_the_index_that_pandas_writes_has_ids_and_runs() -> None:
    names = tuple(f"{id}.jpg" for id in IDS)
    assert read(("m.json", pd.Series(SAID, names, name="caption").to_json(orient="split").encode())) == {
        id: ((), (text,)) for id, text in zip(names, SAID)
    }
    for levels in (("blip", "git"), (0.2, 0.7)):
        index = pd.MultiIndex.from_product([names, levels])
        frame = pd.DataFrame({"caption": [f"{text} {n}" for text in SAID for n in "ab"]}, index)
        study = load_study([("m.json", frame.to_json(orient="split").encode())]).study
        assert study is not None
        assert [dict(run.candidates) for run in study.runs] == [
            {id: (f"{text} {n}",) for id, text in zip(names, SAID)} for n in "ab"
        ]
        told = [run.name if levels[0] == "blip" else run.settings.temperature for run in study.runs]
        assert told == [*levels]


CONTAINERS: dict[str, Any] = {
    "columns and rows": {"columns": ["image_id", "prediction", "references"], "data": list(zip(IDS, SAID, WRITTEN))},
    "lists side by side": {"predictions": SAID, "references": WRITTEN},
    "references turned": {"predictions": SAID, "references": list(zip(*WRITTEN))},
    "records within": {
        "version": 3,
        "results": {"stats": {"n": 3}, "results": [WHOLE["promptfoo"](k) for k in range(3)]},
    },
    "records by key": {id: {"pred": said, "gt": refs} for id, said, refs in zip(IDS, SAID, WRITTEN)},
}


@pytest.mark.parametrize("kind", CONTAINERS)
def test_records_in_other_containers(kind: str) -> None:
    assert read(("m.json", json.dumps(CONTAINERS[kind]).encode())) == expected()


def test_results_by_run_are_read_and_captions_by_item_are_not_runs() -> None:
    rows = {run: [{"meta": {"img": f"p{k}"}, "caption": f"{run} {k}"} for k in range(3)] for run in ("gpt", "llava")}
    for runs in (["gpt"], ["gpt", "llava"]):
        value = {run: {"config": {"temperature": 0.7}, "results": rows[run]} for run in runs}
        assert rows_of(value) == [{"run": run, "config.temperature": 0.7, **row} for run in runs for row in rows[run]]
    items = {"beach": {"captions": [{"id": "1", "caption": "sand"}, {"id": "2", "caption": "sea"}]}}
    assert rows_of(items) == [{"id": "beach", **items["beach"]}]


def test_lists_of_texts_have_the_role_that_the_message_proposes() -> None:
    rows = [{"key": f"k{k}", "left": [SAID[k], WRITTEN[k][0]], "right": list(WRITTEN[k])} for k in range(3)]
    loaded = load_study([("odd.json", json.dumps(rows).encode())])
    assert loaded.study is None
    assert "--map id=key,candidates=left." in loaded.errors[0].repair
    assert loaded.fields["odd.json"].roles == {"key": "id", "left": "candidates"}


def test_bare_lists_line_up() -> None:
    files = ("preds.json", json.dumps(SAID).encode()), ("refs.json", json.dumps(WRITTEN).encode())
    assert read(*files) == expected()


def test_records_without_id_follow_the_items_and_say_so_or_are_refused() -> None:
    said = ("m.json", json.dumps(SAID).encode())
    of = dict(zip(("k", "j", "i"), WRITTEN))
    loaded = load_study([said, ("references.json", json.dumps(of).encode())])
    assert "ids_by_place" in {one.code for one in loaded.findings}
    assert read(said, ("references.json", json.dumps(of).encode())) == expected(("k", "j", "i"))
    short = load_study([said, ("references.json", json.dumps({"k": WRITTEN[0]}).encode())])
    assert short.errors[0].code == "place_count"


def csv(*rows: str) -> bytes:
    return "\n".join(rows).encode()


def test_an_id_that_differs_in_each_row_is_not_that_of_the_clip() -> None:
    rows = [f"{100 + 7 * k},{IDS[k // 3]},30,{WRITTEN[k // 3][k % 3]}" for k in range(9)]
    people = ("test.csv", csv("audiocap_id,youtube_id,start_time,caption", *rows))
    said = csv("youtube_id,caption_predicted", *(f"{id},{text}" for id, text in zip(IDS, SAID)))
    loaded = load_study([("predictions.csv", said), people])
    assert "taken_as_references" in {one.code for one in loaded.findings}
    assert read(("predictions.csv", said), people) == expected()
    two = csv("youtube_id,pred_greedy,pred_beam", *(f"{id},{text},{text} now" for id, text in zip(IDS, SAID)))
    loaded = load_study([("outputs.csv", two), people])
    assert loaded.study is not None
    assert [run.name for run in loaded.study.runs] == ["greedy", "beam"]
    assert [item.references for item in loaded.study.items] == [*WRITTEN]


@pytest.mark.parametrize("name", ["captions_zh", "caption_de", "ref-ja"])
def test_the_code_of_a_language_is_no_part_of_a_name(name: str) -> None:
    rows = [{"image_id": id, name: list(refs), "pred": text} for id, refs, text in zip(IDS, WRITTEN, SAID)]
    assert read(("m.json", json.dumps(rows).encode())) == expected()


def test_samples_of_a_run_are_not_taken_as_references() -> None:
    several = json.dumps(dict(zip(IDS, WRITTEN))).encode()
    one = json.dumps(dict(zip(IDS, SAID))).encode()
    for name in ("m_t1.0.json", "sampled.json"):
        loaded = load_study([(name, several), ("beam_pred.json", one)])
        assert loaded.study is not None
        assert len(loaded.study.runs) == 2
    assert len(load_study([("x.json", several), ("y.json", one)]).study.runs) == 2, "no name says what y is"  # type: ignore[union-attr]


def test_a_table_without_a_header() -> None:
    assert read(("m.tsv", csv(*("\t".join((said, *refs)) for said, refs in zip(SAID, WRITTEN))))) == expected()
    cells = [json.dumps([{"caption": text, "conf": 0.4}]) for text in SAID]
    assert read(("m.tsv", csv(*(f"{id}\t{cell}" for id, cell in zip(IDS, cells)))), KNOWN) == expected()


def test_arrow_files_and_streams() -> None:
    table = pa.table({"image_id": IDS, "prediction": SAID, "references": [list(refs) for refs in WRITTEN]})
    file, stream = io.BytesIO(), io.BytesIO()
    feather.write_feather(table, file, compression="lz4")
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)
    assert read(("m.feather", file.getvalue())) == read(("m.arrow", stream.getvalue())) == expected()
    cut = load_study([("m.feather", file.getvalue()[:400])])
    assert [one.code for one in cut.errors][:1] == ["bad_table"]


def test_bytes_are_text_where_they_say_any() -> None:
    said = [b"a caf\xe9 by the road", "déjà vu".encode()]
    table = pa.table({"id": ["1", "2"], "caption": said, "image": [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0"]})
    file = io.BytesIO()
    feather.write_feather(table, file)
    loaded = load_study([("m.feather", file.getvalue())])
    assert loaded.study is not None
    (run,) = loaded.study.runs
    assert list(run.candidates.values()) == [("a caf\ufffd by the road",), ("déjà vu",)]
    assert not any(item.metadata for item in loaded.study.items)


def test_an_arrow_file_that_becomes_too_much() -> None:
    table = pa.table({"id": pa.repeat("x" * 1000, 560_000), "caption": pa.repeat("y" * 1000, 560_000)})
    file = io.BytesIO()
    feather.write_feather(table, file, compression="zstd")
    assert [one.code for one in load_study([("m.feather", file.getvalue())]).errors][:1] == ["too_large"]


def test_a_workbook() -> None:
    written = (Path(__file__).parent / "workbook.xlsx").read_bytes()
    assert read(("m.xlsx", written)) == expected(("0", "1", "2")), "its first sheet is empty"
    for end in (600, len(written) // 2, len(written) - 30):
        assert load_study([("m.xlsx", written[:end])]).errors, "damaged"


def test_logs_of_inspect() -> None:
    samples = [sample(k, epoch) for k in range(3) for epoch in (1, 2)]
    file = io.BytesIO()
    told = {"eval": {"model": "lab/m", "model_generate_config": {"temperature": 0.8}}, "plan": {"config": {}}}
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("header.json", json.dumps({**told, "results": {"scores": [{"name": "rouge"}]}}))
        for one in samples:
            archive.writestr(f"samples/{one['id']}_epoch_{one['epoch']}.json", json.dumps(one))
    log = json.dumps({"version": 2, **told, "samples": samples}).encode()
    wanted = {id: (refs, (f"{text} 1", f"{text} 2")) for id, refs, text in zip(IDS, WRITTEN, SAID)}
    for given in (("x.eval", file.getvalue()), ("x.json", log)):
        assert read(given) == wanted
        assert [one.settings.temperature for one in load_study([given]).study.runs] == [0.8]


def test_a_map_says_what_is_what_and_holds_where_its_fields_are() -> None:
    odd = lines(lambda k: {"a": IDS[k], "b": SAID[k], "c": WRITTEN[k]})
    refused = load_study([("m.jsonl", odd)])
    assert refused.errors[0].code == "no_columns"
    assert "a, b, c" in refused.errors[0].problem
    assert refused.errors[0].repair.endswith("--map id=a,candidates=b.")
    assert [one.header for one in refused.fields.values()] == [("a", "b", "c")]
    assert refused.fields["m.jsonl"].rows[0] == ("1", SAID[0], list(WRITTEN[0]))
    columns = Columns(("a",), ("b",), ("c",))
    assert read(("m.jsonl", odd), columns=columns) == expected()
    apart = lines(lambda k: {"a": IDS[k], "b": SAID[k]})
    assert read(("m.jsonl", apart), KNOWN, columns=Columns(("a",), ("b",))) == expected(), "the other file has no a"
    wrong = load_study([("m.jsonl", odd)], columns=Columns(("z",), ("b",)))
    assert "z, b. Choose one of: a, b, c." in " ".join(f"{one.problem} {one.repair}" for one in wrong.errors)


def test_what_was_read_is_said_with_the_option_that_changes_it() -> None:
    loaded = load_study([("m.jsonl", lines(WHOLE["lmms-eval"]))])
    (said,) = (one for one in loaded.findings if one.code == "fields_mapped")
    assert said.problem == "Read as id: `coco_Bleu_4.image_id`; candidates: `filtered_resps`; references: `target`."
    assert said.repair.endswith("--map id=coco_Bleu_4.image_id,candidates=filtered_resps,references=target.")
    told = {one.code: one.problem for one in loaded.findings}
    assert "coco_CIDEr.answer" in told["ignored_columns"]
    assert "doc_hash" in told["metadata_columns"]


def test_what_is_no_reference_is_not_read_as_one() -> None:
    classes = csv(
        "id,caption,label", *(f"{id},{text},{name}" for id, text, name in zip(IDS, SAID, ("dog", "cup", "dog")))
    )
    assert read(("m.csv", classes)) == {id: ((), (text,)) for id, text in zip(IDS, SAID)}
    asked = json.dumps([{"id": id, "text": "Describe it.", "response": said} for id, said in zip(IDS[:2], SAID)])
    assert read(("m.json", asked.encode())) == {id: ((), (text,)) for id, text in zip(IDS[:2], SAID)}


def test_a_run_that_says_the_same_of_every_item_is_read() -> None:
    same = csv("id,caption", *(f"{id},a photo" for id in IDS))
    assert read(("m.csv", same), KNOWN) == {id: (refs, ("a photo",)) for id, refs in zip(IDS, WRITTEN)}


def test_ids_as_pandas_writes_whole_numbers() -> None:
    said = csv("id,caption", *(f"{id}.0,{text}" for id, text in zip(IDS, SAID)))
    assert read(("m.csv", said), KNOWN) == expected()


def test_folders_of_datasets(tmp_path: Path) -> None:
    def saved(folder: Path, *rows: slice) -> None:
        folder.mkdir(parents=True)
        names = [f"data-{k:05d}-of-{len(rows):05d}.arrow" for k in range(len(rows))]
        for name, of in zip(names, rows):
            refs = [list(one) for one in WRITTEN[of]]
            table = pa.table({"image_id": IDS[of], "prediction": SAID[of], "references": refs})
            with pa.OSFile(str(folder / name), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
                writer.write_table(table)
        state = {"_data_files": [{"filename": name} for name in names], "_split": "test"}
        (folder / "state.json").write_text(json.dumps(state))
        (folder / "dataset_info.json").write_text("{}")

    saved(tmp_path / "blip", slice(0, 2), slice(2, 3))
    saved(tmp_path / "both" / "test", slice(0, 3))
    (tmp_path / "both" / "dataset_dict.json").write_text('{"splits": ["test"]}')
    for folder in ("blip", "both"):
        loaded = load_study([tmp_path / folder])
        assert loaded.study is not None, loaded.findings
        found = {item.id: (item.references, loaded.study.runs[0].candidates[item.id]) for item in loaded.study.items}
        assert found == expected()
    assert load_study([tmp_path / "blip"]).study.runs[0].name == "blip"  # type: ignore[union-attr]
    for name, rows in (("validation", slice(0, 1)), ("test", slice(1, 3))):
        saved(tmp_path / "git" / name, rows)
    (tmp_path / "git" / "dataset_dict.json").write_text('{"splits": ["validation", "test"]}')
    loaded = load_study([tmp_path / "git"])
    assert loaded.study is not None, loaded.findings
    assert [(run.name, len(run.candidates)) for run in loaded.study.runs] == [("git", 3)]
    (tmp_path / "blip" / "state.json").write_text('{"_data_files": [{"filename": "../../etc/passwd"}]}')
    assert [one.code for one in load_study([tmp_path / "blip"]).errors] == ["empty_file"]
