"""Test further layouts of evaluation programs, data sets and sheets: the captions read, and the findings reported."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.load import load_study
from tests.data.sheets import workbook
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN, File, csv, lines, turn
from tests.data.test_published_layouts import codes, study

ALL = dict(zip(IDS, WRITTEN))
FIRST = {id: (refs[0],) for id, refs in zip(IDS, WRITTEN)}
TOLD = {id: (text,) for id, text in zip(IDS, SAID)}
OTHER = tuple(f"{text} again" for text in SAID)
TOLD_OTHER = {id: (text,) for id, text in zip(IDS, OTHER)}


def js(value: Any) -> bytes:
    return json.dumps(value).encode()


def answer(k: int) -> dict[str, Any]:
    return {"content": {"role": "model", "parts": [{"text": SAID[k]}]}, "finishReason": "STOP", "index": 0}


def asked(k: int) -> dict[str, Any]:
    parts = [{"fileData": {"fileUri": f"gs://b/{IDS[k]}.jpg", "mimeType": "image/jpeg"}}, {"text": "Describe it."}]
    return {"contents": [{"role": "user", "parts": parts}], "generationConfig": {"temperature": 0.4}}


def helm(k: int) -> dict[str, Any]:
    refs = [{"output": {"text": text}, "tags": ["correct"]} for text in WRITTEN[k]]
    return {"input": {"text": ""}, "references": refs, "split": "test", "id": IDS[k]}


def outcome(k: int, provider: str, text: str) -> dict[str, Any]:
    return {
        "id": f"result {provider} {k}",
        "provider": {"id": provider, "label": ""},
        "vars": {"image": f"{IDS[k]}.jpg", "reference": WRITTEN[k][0]},
        "response": {"output": text},
    }


def filtered(k: int, by: str) -> dict[str, Any]:
    said = SAID[k] if by == "none" else OTHER[k]
    doc = {"cocoid": int(IDS[k]), "sentences_raw": WRITTEN[k]}
    return {"doc_id": k, "doc": doc, "target": WRITTEN[k][0], "filtered_resps": [said], "filter": by}


ONE_RUN: dict[str, tuple[File, ...]] = {
    "Gemini on Vertex": (
        ("m.jsonl", lines(lambda k: {"request": asked(k), "response": {"candidates": [answer(k)]}})),
        KNOWN,
    ),
    "HELM": (
        (
            "s.json",
            js(
                {
                    "adapter_spec": {"model": "m"},
                    "request_states": [
                        {"instance": helm(k), "result": {"completions": [{"text": SAID[k]}]}} for k in range(3)
                    ],
                }
            ),
        ),
    ),
    "HELM, instances apart": (
        ("instances.json", js([helm(k) for k in range(3)])),
        ("display.json", js([{"instance_id": IDS[k], "predicted_text": SAID[k]} for k in range(3)])),
    ),
    "GEM": (
        ("gem.json", js({"submission_name": "T5", "tasks": {"e2e": {"values": SAID, "keys": IDS}}})),
        ("r.json", js([{"gem_id": IDS[k], "input": ["A | b"], "references": WRITTEN[k]} for k in range(3)])),
    ),
    "pandas, split with its index": (
        (
            "d.json",
            js({"columns": ["pred", "refs"], "index": [11, 12, 19], "data": [list(one) for one in zip(SAID, WRITTEN)]}),
        ),
    ),
    "an annotation tool": (
        (
            "project.json",
            js(
                [
                    {
                        "id": 100 + k,
                        "data": {"image": f"/up/{IDS[k]}.jpg"},
                        "annotations": [
                            {"id": n, "result": [{"value": {"text": [text]}, "type": "textarea"}]}
                            for n, text in enumerate(WRITTEN[k])
                        ],
                    }
                    for k in range(3)
                ]
            ),
        ),
        ("pred.json", js(dict(zip(IDS, SAID)))),
    ),
    "keys before blanks, repeated": (
        ("refs.txt", "".join(f"v{id} {text}\n" for id, of in ALL.items() for text in of).encode()),
        ("m.json", js({f"v{id}": text for id, text in zip(IDS, SAID)})),
    ),
    "a file for each item": (
        *((f"blip/{id}.txt", f"{text}\n".encode()) for id, text in zip(IDS, SAID)),
        KNOWN,
    ),
    "references by blocks": (
        ("dev.txt", "\n\n".join("\n".join(of) for of in WRITTEN).encode()),
        ("out.txt", "\n".join(SAID).encode()),
    ),
    "rows that tell of the same": (
        ("test.csv", csv("MR,ref", *(f"name of place {id},{text}" for id, of in ALL.items() for text in of))),
        ("out.txt", "\n".join(SAID).encode()),
    ),
    "questions beside answers": (
        ("q.jsonl", lines(lambda k: {"question_id": 70 + k, "image": f"{IDS[k]}.jpg", "text": "Describe the image."})),
        ("a.jsonl", lines(lambda k: {"question_id": 70 + k, "text": SAID[k], "model_id": "m"})),
        KNOWN,
    ),
    "lines that end as on an old Mac": (
        ("m.csv", b"image,caption\r" + "\r".join(map(",".join, zip(IDS, SAID))).encode()),
        KNOWN,
    ),
}


@pytest.mark.parametrize("kind", ONE_RUN)
def test_one_run(kind: str) -> None:
    references, runs = study(*ONE_RUN[kind])
    assert list(references.values()) == list(WRITTEN)
    (said,) = runs.values()
    assert list(said.values()) == [(text,) for text in SAID]


def test_several_runs() -> None:
    rows = [outcome(k, who, texts[k]) for k in range(3) for who, texts in (("a:m", SAID), ("b:n", OTHER))]
    assert study(("o.json", js({"results": {"version": 3, "results": rows}}))) == (
        FIRST,
        {
            "a:m": {f"{id}.jpg": text for id, text in TOLD.items()},
            "b:n": {f"{id}.jpg": t for id, t in TOLD_OTHER.items()},
        },
    )
    systems = {
        who: [{"src": "x", "mt": t, "ref": w[0], "COMET": 0.5} for t, w in zip(of, WRITTEN)]
        for who, of in (("s", SAID), ("t", OTHER))
    }
    assert study(("comet.json", js(systems))) == (FIRST, {"s": TOLD, "t": TOLD_OTHER})
    by_filter = [filtered(k, by) for by in ("none", "strip") for k in range(3)]
    references, runs = study(("samples.jsonl", "\n".join(map(json.dumps, by_filter)).encode()))
    assert (references, list(runs.values())) == (ALL, [TOLD, TOLD_OTHER])
    pairs = [
        {"img": id, "source1": "a", "source2": "b", "caption1": one, "caption2": two, "winner": "a"}
        for id, one, two in zip(IDS, SAID, OTHER)
    ]
    assert study(("pairs.json", js(pairs)))[1] == {"a": TOLD, "b": TOLD_OTHER}


@pytest.mark.parametrize(
    "failed",
    [
        {"response": {"body": {"error": {"message": "Rate limit reached", "code": "rate_limit"}}}},
        {"response": None, "error": {"message": "Rate limit reached", "code": "batch_expired"}},
    ],
)
def test_requests_that_failed_are_no_captions(failed: dict[str, Any]) -> None:
    rows = [
        {
            "custom_id": IDS[k],
            "response": {"body": {"model": "m", "choices": [{"message": turn("assistant", SAID[k])}]}},
        }
        for k in range(2)
    ]
    rows.append({"custom_id": IDS[2], **failed})
    whole, apart = (
        load_study([*((f"{k}.jsonl", "\n".join(map(json.dumps, of)).encode()) for k, of in enumerate(files)), KNOWN])
        for files in ([rows], [rows[:2], rows[2:]])
    )
    for found in (whole, apart):  # OpenAI writes failed requests into a file of their own
        assert codes(found)["failed_request"] == "The record has an error instead of a caption: Rate limit reached."
        assert found.study is not None
        assert [dict(run.candidates) for run in found.study.runs] == [{id: TOLD[id] for id in IDS[:2]}]
        assert not found.errors


HEAD = ["image", "reference", "Model A", "", "Model B", ""]
UNDER = ["", "", "T 0.2", "T 0.8", "T 0.2", "T 0.8"]
WIDE = [[id, WRITTEN[k][0], SAID[k], f"{SAID[k]} x", OTHER[k], f"{OTHER[k]} y"] for k, id in enumerate(IDS)]


@pytest.mark.parametrize("merged", [("C1:D1", "E1:F1", "A1:A2", "B1:B2"), (), None])
def test_a_header_of_two_rows(merged: tuple[str, ...] | None) -> None:
    rows = [HEAD, UNDER, *WIDE]
    file = ("s.csv", csv(*map(",".join, rows))) if merged is None else ("s.xlsx", workbook(merged, a=rows))
    found = load_study([file])
    assert found.study is not None
    assert [(run.name, run.settings.temperature) for run in found.study.runs] == [
        (f"Model {one} T {t}", float(t)) for one in "AB" for t in ("0.2", "0.8")
    ]
    assert [item.references for item in found.study.items] == list(FIRST.values())


def test_merged_cells_titles_and_other_sheets() -> None:
    rows = [["image", "model", "caption", "reference"]]
    rows += [
        ["" if n else id, "AB"[n], of[k], WRITTEN[k][0]]
        for k, id in enumerate(IDS)
        for n, of in enumerate((SAID, OTHER))
    ]
    assert study(("s.xlsx", workbook(("A2:A3", "A4:A5", "A6:A7"), a=rows))) == (FIRST, {"A": TOLD, "B": TOLD_OTHER})
    titled = [
        ["Our captions"],
        [],
        ["image", "caption", "reference"],
        *([id, SAID[k], WRITTEN[k][0]] for k, id in enumerate(IDS)),
    ]
    for file in (("s.xlsx", workbook(a=titled, notes=[["x"], ["y"]])), ("s.csv", csv(*map(",".join, titled)))):
        found = load_study([file])
        assert found.study is not None
        assert {item.id: item.references for item in found.study.items} == FIRST
        assert codes(found)["title_rows"] == "Rows above the header hold no captions: Our captions."
        assert ("other_sheets" in codes(found)) == file[0].endswith("xlsx")


def test_a_setting_with_a_mark_behind_its_name() -> None:
    rows = [f"{id},m,{t},{text} {t}" for t in ("0.2", "0.8") for id, text in zip(IDS, SAID)]
    found = load_study([("s.csv", csv("image,model,Temp.,caption", *rows)), KNOWN])
    assert found.study is not None
    assert [run.settings.temperature for run in found.study.runs] == [0.2, 0.8]


def test_facts_of_items_travel_without_captions() -> None:
    facts = csv("file_name,keywords,sound_id", *(f"{id}.wav,rain;city {id},{int(id) + 70}" for id in IDS))
    found = load_study([("meta.csv", facts), KNOWN, ("m.json", js(dict(zip(IDS, SAID))))])
    assert found.study is not None
    assert [item.metadata["keywords"] for item in found.study.items] == [f"rain;city {id}" for id in IDS]


MARKUP = {
    "sgm": '<refset setid="x">\n<doc docid="d">\n<seg id="1">a dog runs</seg>\n</doc>\n</refset>\n',
    "xml": '<?xml version="1.0"?>\n<a><b>a dog runs</b></a>\n',
    "XML": "<Benchmark><lex>a dog runs</lex></Benchmark>",
}


@pytest.mark.parametrize("ending", MARKUP)
def test_markup_is_no_caption(ending: str) -> None:
    found = load_study([(f"x.{ending}", MARKUP[ending].encode()), KNOWN])
    assert codes(found)["binary"] == "This is XML or HTML, not a file of captions."
    tags = b"<start> a dog </end>\n<start> a cat </end>\n"
    assert "binary" not in codes(load_study([("m.txt", tags)]))


@pytest.mark.parametrize("ending", ["yaml", "yml", "txt"])
def test_yaml_is_no_lines_of_captions(ending: str) -> None:
    listed = b'# captions\n- "id": 1\n  "caption": a dog\n- "id": 2\n  "caption": a cat\n'
    assert codes(load_study([(f"x.{ending}", listed), KNOWN]))["binary"].startswith("This is YAML")
    assert "binary" not in codes(load_study([("m.txt", b"- a dog: it runs\n- a cat: it sits\n")]))


def test_requests_of_a_batch_name_the_pictures_of_its_answers() -> None:
    """The answers have the ids of their requests."""
    asked = [{"type": "text", "text": "Describe"}, {"type": "image_url", "image_url": {"url": "https://x/IMG.jpg"}}]
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": asked}]})
    requests = lines(lambda k: {"custom_id": f"r-{k}", "body": json.loads(body.replace("IMG", IDS[k]))})
    told = [{"choices": [{"message": turn("assistant", text)}]} for text in SAID]
    answers = lines(lambda k: {"custom_id": f"r-{k}", "response": {"body": told[k]}})
    _, runs = study(("out.jsonl", answers), ("asked.jsonl", requests), KNOWN)
    assert list(runs.values()) == [TOLD]


def test_a_file_that_may_hold_the_references_is_named_where_there_are_none() -> None:
    several = "".join(f"v{id} {text}\n" for id, of in ALL.items() for text in of).encode()
    found = load_study([("all.txt", several), ("m.json", js({f"v{id}": text for id, text in zip(IDS, SAID)}))])
    (said,) = [one.repair for one in found.findings if one.code == "no_references"]
    assert said.endswith("If all.txt holds them, give it as references.")


@pytest.mark.parametrize(("name", "told"), [("clips.txt", True), ("clips_t0.7.txt", False)])
def test_a_file_alone_may_hold_references_unless_it_states_settings(name: str, told: bool) -> None:
    loaded = load_study([(name, "\n".join(SAID).encode())])
    (said,) = [one.repair for one in loaded.findings if one.code == "no_references"]
    assert said.endswith(f"If {name} holds them, give it as references.") == told


@pytest.mark.parametrize(
    "file",
    [
        ("x.json", b'{"id": [], "_id": null}'),
        ("x.tsv", b"id\tmodel\timage\tcaption\n1\tm\n2\tn\n3\n"),
        ("x.csv", b"id,filter,caption\n1\n1,a\n2,b,a dog\n"),
    ],
)
def test_rows_that_end_early_are_findings(file: File) -> None:
    assert load_study([file]).findings
