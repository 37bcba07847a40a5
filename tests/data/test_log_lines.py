"""Test lines of a log, lines of cells without a header, and blocks of labelled lines."""

from __future__ import annotations

import json

import pytest

from data.load import load_study
from data.records import Reading
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN
from tests.data.test_published_layouts import codes

EXPECTED = {id: (text,) for id, text in zip(IDS, SAID)}
LINES = {
    "times in brackets": '[2025-01-02 03:04:05] INFO image="{id}.jpg" caption="{text}"',
    "pairs": '2025-01-02 03:04:05 INFO step={k} image="{id}.jpg" caption="{text}" took {k}s',
    "apostrophes": "image_id={id} caption='{text}'",
    "to the end": "Image: {id}.jpg, Caption: {text}",
    "JSON": '2025-01-02 03:04:05,123 - INFO - {{"image_id": "{id}", "caption": {quoted}}}',
}


def run_of(*texts: str) -> bytes:
    return "\n".join(texts).encode()


@pytest.mark.parametrize("line", LINES.values(), ids=list(LINES))
def test_fields_in_the_lines_of_a_log_are_records(line: str) -> None:
    """An apostrophe within a caption does not end the caption."""
    said = [f"the dog's owner, {text}" for text in SAID]
    rows = [line.format(k=k, id=id, text=text, quoted=json.dumps(text)) for k, (id, text) in enumerate(zip(IDS, said))]
    found = load_study([("blip.log", run_of(*rows, "The model is done")), KNOWN])
    assert found.study is not None
    (run,) = found.study.runs
    assert dict(run.candidates) == {id: (text,) for id, text in zip(IDS, said)}
    assert codes(found)["log_records"].startswith("3 of 4 lines hold fields among other text, as in a log: ")


@pytest.mark.parametrize(
    "line",
    [
        "[{k}/500] {id}.jpg -> {text}",
        "INFO:root:{id}: {text}",
        "2025-01-02 INFO sample {id}: {text}",
        "2025-01-02 03:04:05 {id} {text}",
        "[03:04:05] {text}",
    ],
)
def test_other_lines_of_a_log_are_refused_unless_a_person_says_that_they_are_captions(line: str) -> None:
    text = run_of(*(line.format(k=k, id=id, text=text) for k, (id, text) in enumerate(zip(IDS, SAID))))
    found = load_study([("out.txt", text), KNOWN])
    assert found.study is None or not found.study.runs
    assert "all their words would be scored" in codes(found)["log_lines"]
    stated = load_study([("out.txt", text), KNOWN], overrides={"out.txt": Reading(format="lines")})
    assert stated.study is not None
    assert len(stated.study.runs) == 1


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("name", ["blip.jsonl", "blip.json", "blip.txt"])
def test_messages_of_a_program_between_json_lines_are_left_out(name: str, first: bool) -> None:
    rows = [json.dumps({"image_id": id, "caption": text}) for id, text in zip(IDS, SAID)]
    noise = ["INFO 2025-01-02 loading", " 33%|███▎      | 1/3 [00:01<00:02, 1.2it/s]"]
    text = [noise[0], *rows, noise[1]] if first else [rows[0], *noise, *rows[1:]]
    found = load_study([(name, "\n".join(text).encode()), KNOWN])
    assert found.study is not None
    assert dict(found.study.runs[0].candidates) == EXPECTED
    assert {*codes(found)} & {"messages_left", "log_records", "bad_line"} in ({"messages_left"}, {"log_records"})


@pytest.mark.parametrize("more", [0, 1])
def test_a_file_of_more_messages_than_json_lines_is_refused_with_the_first(more: int) -> None:
    rows = [json.dumps({"image_id": id, "caption": text}) for id, text in zip(IDS, SAID)]
    text = run_of(*["INFO start"] * more, *(line for row in rows for line in ("INFO next", row)))
    found = load_study([("blip.jsonl", text), KNOWN])
    assert [one.record for one in found.findings if one.code == "bad_json"] == ["line 1, column 1"] * more
    assert ("messages_left" in codes(found)) == (not more)


def test_a_broken_record_between_messages_is_an_error() -> None:
    rows = [json.dumps({"image_id": id, "caption": text}) for id, text in zip(IDS, SAID)]
    found = load_study([("blip.jsonl", run_of("INFO next", *rows, rows[0][:9])), KNOWN])
    assert [one.record for one in found.findings if one.code == "bad_line"] == ["line 5, column 10"]


@pytest.mark.parametrize("mark", [" ", ": ", " -> ", "|", ","])
def test_names_of_pictures_before_captions_are_ids_without_another_file(mark: str) -> None:
    text = run_of(*(f"{id}.jpg{mark}{text}" for id, text in zip(IDS, SAID)))
    study = load_study([("blip.txt", text)]).study
    assert study is not None
    assert dict(study.runs[0].candidates) == {f"{id}.jpg": (text,) for id, text in zip(IDS, SAID)}


@pytest.mark.parametrize(
    "start",
    [
        "1\n00:00:01,000 --> 00:00:02,500\n",
        "1\r\n00:00:01,000 --> 00:00:02,500 X1:10 X2:90\r\n",
        "WEBVTT\n\n00:01.000 --> 00:02.500\n",
        "WEBVTT - a film\nKind: captions\n\nNOTE\nby hand\n\n1\n00:01.000 --> 00:02.500 align:start position:0%\n",
    ],
)
def test_subtitles_are_refused(start: str) -> None:
    found = load_study([("film.srt", f"{start}a dog runs\n\n".encode())])
    assert found.study is None
    assert codes(found)["binary"] == "This is a file of subtitles, not a file of captions."


@pytest.mark.parametrize("start", ["00:00.000 --> 00:00.900\t", "00:00.000 --> 00:00.900 ", "WEBVTT is "])
def test_captions_beside_their_times_are_no_subtitles(start: str) -> None:
    found = load_study([("x.txt", run_of(*(start + text for text in SAID)))])
    assert found.study is not None
    assert len(found.study.items) == 3


CHINESE = ("一只狗在草地上奔跑", "一只猫睡在红色沙发上", "一个男人坐在长椅旁边")


@pytest.mark.parametrize("said", [SAID, CHINESE], ids=["English", "Chinese"])
@pytest.mark.parametrize("line", ["{id}\t{text}\t{k}.5", "{id}\t-0.{k}\t{text}", "{id}\t{text}\tval\t{k}.5"])
@pytest.mark.parametrize("name", ["blip.txt", "blip.tsv"])
def test_cells_beside_ids_and_captions_are_no_part_of_these(name: str, line: str, said: tuple[str, ...]) -> None:
    """The first line is not taken for a header, whatever the script."""
    text = run_of(*(line.format(k=k, id=f"img_{k}", text=text) for k, text in enumerate(said)))
    known = {f"img_{k}": list(refs) for k, refs in enumerate(WRITTEN)}
    found = load_study([(name, text), ("references.json", json.dumps(known).encode())])
    assert found.study is not None
    (run,) = found.study.runs
    assert dict(run.candidates) == {f"img_{k}": (text,) for k, text in enumerate(said)}
    assert {"no_header", "metadata_columns"} <= set(codes(found))


def test_the_first_of_such_lines_may_have_the_names_of_columns() -> None:
    rows = ["item_name\tgiven_text\tconf", *(f"{id}\t{text}\t0.{k}" for k, (id, text) in enumerate(zip(IDS, SAID)))]
    found = load_study([("blip.txt", run_of(*rows)), KNOWN])
    assert found.study is not None
    assert [dict(run.candidates) for run in found.study.runs] == [EXPECTED]
    assert "conf" in codes(found)["metadata_columns"]


def test_a_header_in_a_script_without_spaces_stays_one() -> None:
    rows = ["图像的标识符,模型所生成的描述", *(f"img_{k},{text}" for k, text in enumerate(CHINESE))]
    found = load_study([("blip.csv", run_of(*rows))])
    assert found.study is None or len(found.study.items) == 3


def test_two_captions_beside_an_id_are_not_told_apart() -> None:
    text = run_of(*(f"{id}1\t{text}\t{text} again" for id, text in zip(IDS, SAID)))
    known = ("references.json", json.dumps({f"{id}1": list(refs) for id, refs in zip(IDS, WRITTEN)}).encode())
    assert "tabs_in_lines" in codes(load_study([("blip.txt", text), known]))


@pytest.mark.parametrize(
    "block",
    [
        "Image: {id}.jpg\nReference: {people}\nCaption: {text}",
        "Image: {id}.jpg\nReference: {people}\nCaption: {text}\n",
        "=== Sample {id} ===\nGT: {people}\nPred: {text}",
        "[{id}]\nGT: {people}\nPred: {text}\n---",
        "Sample {id}:\n- **Target:** {people}\n- **Output:** {text}",
        "GT: {people}\nPred: {text}\n",
        "Example {id}\nGT:\n{people}\nPred:\n{text}\n",
        "image_id: {id}, reference: {people} | prediction: {text}",
    ],
)
def test_blocks_of_lines_with_labels_are_records(block: str) -> None:
    people = [next(iter(texts)) for texts in WRITTEN]
    made = [block.format(id=id, people=of, text=text) for id, of, text in zip(IDS, people, SAID)]
    found = load_study([("out.txt", run_of(*made))])
    assert found.study is not None, found.findings
    (run,) = found.study.runs
    assert {id.removesuffix(".jpg"): texts for id, texts in run.candidates.items()} == EXPECTED
    assert [item.references for item in found.study.items] == [(of,) for of in people]
    assert {"label_blocks", "log_records"} & {one.code for one in found.findings}


@pytest.mark.parametrize("labels", [("A", "B"), ("Caption", "Caption"), ("Anna", "Caption writer")])
def test_lines_that_begin_with_names_are_no_blocks(labels: tuple[str, str]) -> None:
    lines = [f"{label}: {text}" for text in SAID for label in labels]
    found = load_study([("out.txt", run_of(*lines))])
    assert "label_blocks" not in {one.code for one in found.findings}
