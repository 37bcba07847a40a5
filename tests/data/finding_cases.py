"""List files that are hard to read, each with its finding; `tests/data/test_findings.py` has the other files."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from data.load import Reading

Files = list[tuple[str, bytes]]


def js(value: Any) -> bytes:
    return json.dumps(value).encode()


def item(id: Any, candidates: Any = None, references: Any = ("A dog.", "The dog."), **more: Any) -> dict[str, Any]:
    return {"id": id, "references": list(references), "candidates": candidates or {"m": ["One.", "Two."]}, **more}


def zipped(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


GOOD, THREE = item("1"), "0.json; 1.json; 2.json; …"
REFERENCES = ("references.json", js({"1": ["A dog.", "The dog."], "2": ["A cat.", "The cat."]}))


@dataclass
class Case:
    """Files, and the finding that they must cause."""

    files: Files
    problem: str
    record: str = ""
    id: str = ""
    count: int = 1
    fix: str | None = None
    file: str = "x.json"
    items: int | None = None  # of the study; None if there is no study
    overrides: dict[str, Reading] = field(default_factory=dict)


READING: dict[str, Case] = {
    "archive_broken": Case(
        [("x.gz", gzip.compress(b"x" * 99)[:-9])], "The archive is damaged or not supported: ", file="x.gz"
    ),
    "archive_too_large": Case(
        [("x.gz", gzip.compress(b" " * (40 << 20)))],
        "The archive is too large when unpacked: more than 40 times its size.",
        file="x.gz",
    ),
    "too_large": Case(
        [("x.json.gz", gzip.compress(b"[" + b"[]," * 2_000_000 + b"[]]"))],
        "The file is too large to read: more than 3,000,000 values, the maximum for a file of its size.",
        file="x.json.gz",
    ),
    "archive_path": Case(
        [("x.zip", zipped(**{"../x.json": js([GOOD])}))],
        "Not read, since its name points outside the archive.",
        file="x.zip/../x.json",
    ),
    "archive_skipped": Case(
        [("x.gz", reduce(lambda content, _: gzip.compress(content), range(5), js([GOOD])))],
        "Not read, since it is an archive",
        file="x.gz",
    ),
    "hidden_file": Case(
        [("x.zip", zipped(**{"a.json": js([GOOD]), "__MACOSX/._a.json": b"?", ".DS_Store": b"?"}))],
        "Hidden files in the archive or folder were not read: operating systems add them.",
        file="x.zip",
        record="__MACOSX/._a.json; .DS_Store",
        count=2,
        items=1,
    ),
    "fields_mapped": Case(
        [("x.json", js([{"doc_id": 1, "pred": "a dog", "gt": ["a", "b"]}]))],
        "Read as id: `doc_id`; candidates: `pred`; references: `gt`.",
        items=1,
    ),
    "failed_request": Case(
        [
            (
                "x.jsonl",
                b'{"custom_id": "1", "response": {"text": "a dog"}, "gt": ["a", "b"]}\n'
                b'{"custom_id": "2", "gt": ["c", "d"], "error": {"message": "Rate limit reached", "code": "limit"}}',
            )
        ],
        "The record has an error instead of a caption: Rate limit reached.",
        file="x.jsonl",
        record="line 2",
        id="2",
        items=1,
    ),
    "title_rows": Case(
        [("x.csv", b"Our captions,,\nimage,caption,reference\n1,a dog,one dog\n")],
        "Rows above the header hold no captions: Our captions.",
        file="x.csv",
        items=1,
    ),
    "requests": Case(
        [
            ("x.json", js([{"question_id": k, "text": "Describe it.", "image": f"{k + 7}.jpg"} for k in (1, 2)])),
            ("a.json", js([{"question_id": k, "text": f"a dog {k}", "model_id": "m"} for k in (1, 2)])),
            ("references.json", js({"8": ["a", "b"], "9": ["c", "d"]})),
        ],
        "The file states which picture each answer in a.json describes; its questions are not captions.",
        items=2,
    ),
    "facts_alone": Case(
        [("x.csv", b"image,split\n1,test\n"), ("references.json", js({"1": ["a", "b"]}))],
        "No column holds captions; what the file states about items in other files was read as their metadata.",
        file="x.csv",
        items=1,
    ),
    "told_by": Case(
        [("x.csv", b"mr,ref\nname of a place,one\nname of a place,two\nname of a pub,three\n")],
        "The rows have no id; rows with the same `mr` were read as one item, 2 in all, in their order.",
        file="x.csv",
        items=2,
    ),
    "sources_left": Case(
        [("dev.src.txt", b"dog run\ncat sit\n"), ("ref.txt", b"a dog runs\na cat sits\n"), ("m.txt", b"dog\ncat\n")],
        "Judging by its name, the file holds the sources of the texts; its lines are metadata of the items.",
        file="dev.src.txt",
        items=2,
    ),
    "blocks": Case(
        [("x.txt", b"a dog\none dog\n\na cat\n"), ("m_pred.txt", b"dog\ncat\n")],
        "An empty line ends the captions of an item; 2 items were read, as many as m_pred.txt has lines.",
        file="x.txt",
        items=2,
    ),
    "no_header": Case(
        [("x.tsv", b"a dog runs\ta brown dog\tone dog\na cat sits\ta grey cat\tone cat\n")],
        "The table has no header; its columns are counted from 1.",
        file="x.tsv",
        items=2,
    ),
    "taken_as_run": Case(
        [
            ("references.json", js({"1": ["a", "b"], "2": ["c", "d"]})),
            ("x.csv", b"id,caption_1,caption_2\n1,a dog,the dog\n2,a cat,the cat\n"),
        ],
        "Numbered captions are people's in most files, but no other file has a run: these were taken as a run's.",
        file="x.csv",
        items=2,
    ),
    "taken_as_references": Case(
        [
            ("m_pred.json", js({"1": "a dog", "2": "a cat"})),
            ("x.json", js({"1": ["a", "b"], "2": ["c", "d"]})),
        ],
        "No file states which captions people wrote; these, 2 per item, were taken as people's.",
        file="x.json",
        items=2,
    ),
    "ids_by_place": Case(
        [("x.json", js(["a dog", "a cat"])), ("references.json", js({"k": ["a", "b"], "j": ["c", "d"]}))],
        "The records have no id; the first was taken for the first item of references.json, and so on.",
        items=2,
    ),
    "place_count": Case(
        [("x.json", js(["a dog"])), ("references.json", js({"k": ["a", "b"], "j": ["c", "d"]}))],
        "Records without an id: 1. As references.json has 2 items, it is not known which belongs to which.",
        items=2,
    ),
    "prose": Case([("README.md", b"# Runs")], "Judging by its name, the file describes", file="README.md", items=None),
    "empty_file": Case([("x.json", b" \n")], "The file is empty."),
    "binary": Case([("x.json", b"\x80\x04K\x01.")], "This is a pickle (which is never opened, since it can run code)"),
    "encoding": Case(
        [("x.json", '[{"id": "1", "references": ["café", "thé"]}]'.encode("cp1252"))],
        "The text is not UTF-8; it was read as Windows-1252.",
        items=1,
    ),
    "bad_json": Case([("x.json", b'{\n "1": ["a",, "b"]}')], "Not valid JSON: ", record="line 2, column 12"),
    "json_mended": Case(
        [("x.json", b",\n".join([js(item("1")), js(item("2"))]) + b",\n")],
        "Not valid JSON: unexpected content after document. Read all the same, as 2 records or keys.",
        record="line 1, column 89",
        items=2,
    ),
    "bad_line": Case(
        [("x.json", js(GOOD) + b'\n{"id": 2,\n' + js(item("3")))],
        "This line is not valid JSON: ",
        record="line 2, column 10",
        items=2,
    ),
    "wrong_top_level": Case(
        [("x.json", b"3")], "The file holds numbers at its top level, where an object or a list was expected."
    ),
    "no_texts": Case(
        [("x.json", b'{"foo": 1, "bar": 2}')],
        "No field but the id holds texts, so no --map can find captions; the fields are: foo, bar.",
    ),
    "unknown_shape": Case(
        [("x.json", b'{"foo": 1, "bar": 2}')],
        "No known format has this shape: (asked for: Karpathy split) an object with the keys foo, bar.",
        overrides={"x.json": Reading(format="karpathy")},
    ),
    "unknown_override": Case(
        [("x.json", js([GOOD]))], "There is no format called xml.", overrides={"x.json": Reading(format="xml")}
    ),
    "bad_table": Case(
        [("x.csv", b'id,caption_1,caption_2\n1,a,b\n2,"a,b\n3,a,b\n')],
        "The table cannot be read: unexpected end of data.",
        record="line 3",
        file="x.csv",
        items=1,
    ),
    "commas_joined": Case(
        [("x.csv", b"id,caption\n1,a dog, wet\n2,a cup\n")],
        "The row has commas beyond those of the header, without quotation marks; the rest was read as one caption.",
        record="line 2",
        file="x.csv",
        items=2,
    ),
    "numbers_taken": Case(
        [("x.txt", b"1. a\n2. b\n4. c\n")], "Each line begins with its", "line 1", file="x.txt", items=3
    ),
    "verdicts": Case(
        [("x.csv", b"id,prediction\n1,[PASS] a dog\n2,[FAIL] a cup\n")],
        *("Cells begin with a verdict such as [PASS], which was left out: prediction.", "", "", 1, None, "x.csv", 2),
    ),
    "bad_row": Case(
        [("x.csv", b"id,caption_1,caption_2\n1,a,b\n2,a,b,c\n")],
        "The row has more cells than the header (4 and 3); it was left out.",
        record="line 3",
        file="x.csv",
        items=1,
    ),
    "no_columns": Case(
        [("x.csv", b"alpha,beta\n1,ox\n")], "No column is known to hold captions; the columns are: alpha,", file="x.csv"
    ),
    "no_table_columns": Case(
        [("x.csv", b"alpha,beta\n1,2\n")],
        "No column is known to hold scores; the columns are: alpha, beta.",
        file="x.csv",
        overrides={"x.csv": Reading(format="scores")},
    ),
    "ignored_columns": Case(
        [("x.csv", b"id,caption_1,caption_2,mood\n1,a,b,glad\n1,c,d,sad\n")],
        "Columns without a known meaning were not used: mood.",
        file="x.csv",
        items=1,
    ),
    "metadata_columns": Case(
        [("x.csv", b"id,caption_1,caption_2,split\n1,a,b,test\n1,c,d,test\n")],
        "Columns that are the same in all rows of an item were read as its metadata: split.",
        file="x.csv",
        items=1,
    ),
    "differing_columns": Case(
        [("x.csv", b"id,caption,speed\n1,a,2\n"), ("y.csv", b"id,caption,speed\n1,b,3\n")],
        "Columns that differ between tables for one item were not used: speed.",
        file="x.csv",
        items=1,
    ),
    "misspelt_columns": Case(
        [("x.csv", b"id,caption_1,captoin_2,refrence\n1,a,b,c\n")],
        "Columns without a known meaning were not used: captoin_2, refrence.",
        file="x.csv",
        items=1,
    ),
    "record_type": Case(
        [("x.json", js([GOOD, 5, "x"]))], "The record is the number 5, not an object.", record="record 2", items=1
    ),
    "empty_record": Case(
        [("x.json", js([GOOD, {"id": "2", "references": []}]))],
        "The record has no captions.",
        record="record 2",
        id="2",
        items=1,
    ),
    "repeated_key": Case(
        [("references.json", b'{"1": ["a", "b"], "1": ["c", "d"]}')],
        "A key occurs twice in one object; only its last value was read.",
        id="1",
        file="references.json",
        items=1,
    ),
    "second_header": Case(
        [
            (
                "x.jsonl",
                b"\n".join([js({"runs": {"m": {"temperature": 1}}}), js(GOOD), js({"runs": {"m": {"seed": 1}}})]),
            )
        ],
        "There is a second header line: where they differ on the data set or on a run, the first one counts.",
        record="line 3",
        id="m",
        file="x.jsonl",
        items=1,
    ),
    "second_field": Case(
        [("x.json", js([{**GOOD, "refs": ["Some dog.", "Any dog."]}]))],
        "`refs` is given beside `references`; only `references` was read.",
        record="record 1",
        id="1",
        items=1,
    ),
    "misspelt_field": Case(
        [("x.json", js([GOOD, {"id": "2", "references": ["a", "b"], "candiates": {"m": ["c"]}}]))],
        "There is no field `candiates`; it was not read.",
        record="record 2",
        id="2",
        items=1,
    ),
    "names_merged": Case(
        [("x.json", js([item("1", {"m": ["a"], "m ": ["b"]})]))],
        "The run names 'm' and 'm ' differ only in spaces or unprintable characters; they were read as one.",
        record="record 1",
        id="1",
        items=1,
    ),
    "ids_trimmed": Case(
        [("x.json", js([item(" 1")]))],
        "Ids begin or end with spaces, or hold characters that cannot be shown; they were read without them.",
        record="record 1",
        id="1",
        items=1,
    ),
    "missing_id": Case(
        [("x.json", js([GOOD, {"references": ["a", "b"]}]))], "The record has no id.", record="record 2", items=1
    ),
    "bad_id": Case(
        [("x.json", js([GOOD, item(1.5), item(2.5)]))],
        "The id is the number 1.5; an id is text or a whole number.",
        record="record 2",
        items=1,
    ),
    "duplicate_id": Case(
        [("x.json", js([GOOD, item("1", {"m": ["Three."]})]))],
        "The same id occurs in more than one record.",
        record="record 2",
        id="1",
        fix="merge_duplicates",
        items=1,
    ),
    "not_text": Case(
        [("x.json", js([item("1", references=["a", 5, "b"])]))],
        "A reference is the number 5, not text.",
        record="record 1",
        id="1",
        items=1,
    ),
    "ignored_field": Case(
        [("x.json", js([{**GOOD, "logprobs": {"m": [0.5]}}]))],
        "`logprobs` was ignored: it is not one finite number per candidate (run m).",
        record="record 1",
        id="1",
        items=1,
    ),
    "logprobs_incomplete": Case(
        [("x.json", js([{**GOOD, "logprobs": {"m": [-1, -2]}, "reference_logprobs": {"m": [-3, None]}}, item("2")]))],
        "Run m lacks `logprobs`, `reference_logprobs`, `oracle_logprobs` of its candidates, `oracle_logprobs` of the "
        "references for 2 of 2 items, while other log-probabilities are given.",
        id="m",
        items=2,
    ),
    "bad_settings": Case(
        [("x.json", js({"runs": {"m": {"temperature": "hot"}}, "items": [GOOD]}))],
        "Run m: `temperature` is the text 'hot', not a number from 0 up; it was ignored.",
        id="m",
        items=1,
    ),
    "misspelt_setting": Case(
        [("x.json", js({"runs": {"m": {"temp": 0.7}}, "items": [GOOD]}))],
        "There is no run setting `temp`; it was ignored.",
        id="m",
        items=1,
    ),
    "unknown_setting": Case(
        [("x.json", js({"runs": {"m": {"checkpoint": "best"}}, "items": [GOOD]}))],
        "`checkpoint` is not a run setting that pages use; it was ignored.",
        id="m",
        items=1,
    ),
    "settings_from_name": Case(
        [("x.json", js([item("1", {"m_t0.7": ["One.", "Two."]})]))],
        "Run settings were read from the name of the run.",
        id="m_t0.7: temperature 0.7",
        items=1,
    ),
    "line_count": Case(
        [("ref.txt", b"a\nb\n"), ("x.txt", b"a\n")],
        "The file has 1 lines, but ref.txt has 2; line-aligned files must have the same number.",
        file="x.txt",
        items=2,
    ),
}
