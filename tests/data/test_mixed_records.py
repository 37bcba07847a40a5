"""Test records that are split or mixed: objects in cells, parts by several processors, and rows of different kinds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.load import load_study
from data.run_settings import parse_name
from tests.data.sheets import workbook
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN, csv, expected, lines, listed, read, turn
from tests.data.test_published_layouts import codes

FIRST = [texts[:1] for texts in WRITTEN]


def quoted(value: Any) -> str:
    return '"' + json.dumps(value).replace('"', '""') + '"'


def test_objects_in_the_cells_of_a_table_are_fields() -> None:
    """LangSmith and Langfuse export tables of objects; a caption that is an object only in some rows stays as it is."""
    rows = [
        f"run-{id},{quoted({'image_id': id})},{quoted({'output': SAID[k]})},{quoted({'answer': WRITTEN[k][0]})}"
        for k, id in enumerate(IDS)
    ]
    found = read(("runs.csv", csv("id,inputs,outputs,reference_outputs", *rows)))
    assert list(found.values()) == [(refs, (text,)) for refs, text in zip(FIRST, SAID)]
    heat, asked = quoted({"temperature": 0.7}), quoted([turn("user", "Describe.")])
    rows = [f"{id},gpt,{heat},{asked},{quoted(turn('assistant', text))}" for id, text in zip(IDS, SAID)]
    file = ("generations.csv", csv("id,model,modelParameters,input,output", *rows))
    assert read(file, KNOWN) == expected()
    loaded = load_study([file, KNOWN])
    assert loaded.study is not None
    assert [(run.model, run.settings.temperature) for run in loaded.study.runs] == [("gpt", 0.7)]
    mixed = csv("id,caption", f"1,{quoted({'caption': SAID[0]})}", f"2,{SAID[1]}", f"3,{SAID[2]}")
    assert "wrapped" in codes(load_study([("m.csv", mixed), KNOWN]))


@pytest.mark.parametrize("write", [json.dumps, str])
@pytest.mark.parametrize("plain", [None, 2])
def test_objects_in_the_cells_of_a_column_of_captions_are_fields(write: Any, plain: int | None) -> None:
    """A plain text among the objects is the caption of its row."""
    texts = [*SAID, "one more bus in the rain"]
    cells = [text if k == plain else write({"text": text, "length": k}) for k, text in enumerate(texts)]
    rows = [f'{k},"{cell.replace(chr(34), chr(34) * 2)}",a thing {k}' for k, cell in enumerate(cells)]
    loaded = load_study([("m.csv", csv("id,prediction,reference", *rows))])
    assert loaded.study is not None
    assert [list(run.candidates.values()) for run in loaded.study.runs] == [[(text,) for text in texts]]
    assert "wrapped" not in codes(loaded)


def test_names_of_pictures_are_no_captions() -> None:
    """In Doccano's files, `text` may be the name of the picture that was described."""
    made = lines(lambda k: {"id": k + 7, "text": f"{IDS[k]}.jpg", "label": list(WRITTEN[k]), "Comments": []})
    run = ("m.json", json.dumps({f"{id}.jpg": text for id, text in zip(IDS, SAID)}).encode())
    assert read(("doccano.jsonl", made), run) == expected(tuple(f"{id}.jpg" for id in IDS))


@pytest.mark.parametrize("inner", [{"text": "{}", "logprob": -3.5}, {"caption": "{}"}])
def test_samples_of_a_record_are_its_captions(inner: dict[str, Any]) -> None:
    def make(k: int) -> dict[str, Any]:
        samples = [{key: SAID[j] if one == "{}" else one for key, one in inner.items()} for j in (k, (k + 1) % 3)]
        return {"image_id": IDS[k], "references": list(WRITTEN[k]), "samples": samples}

    found = read(("m.jsonl", lines(make)))
    assert found == {id: (WRITTEN[k], (SAID[k], SAID[(k + 1) % 3])) for k, id in enumerate(IDS)}


def test_records_may_have_their_caption_under_different_names() -> None:
    names = ("caption", "pred", "caption")
    made = lines(lambda k: {"id": IDS[k], names[k]: SAID[k], "refs": list(WRITTEN[k])})
    assert read(("m.ndjson", made)) == expected()


def test_of_two_lists_the_one_with_captions_holds_the_records() -> None:
    """DeepEval lists both the tests of a run and its metrics."""
    tests = [
        {"name": f"test_{k}", "input": f"Describe {k}", "actualOutput": SAID[k], "expectedOutput": WRITTEN[k][0]}
        for k in range(3)
    ]
    whole = {"testCases": tests, "metricsScores": [{"metric": "m", "scores": [0.5] * 3}]}
    assert list(read(("run.json", json.dumps(whole).encode())).values()) == [
        (refs, (text,)) for refs, text in zip(FIRST, SAID)
    ]


def test_scores_whose_names_are_objects() -> None:
    """HELM writes the numbers of each instance as a list of objects."""
    stats = [[{"name": {"name": "bleu_4", "split": "test"}, "count": 1, "sum": k / 4, "mean": k / 4}] for k in range(3)]
    rows = [{"instance_id": id, "stats": of} for id, of in zip(IDS, stats)]
    said = json.dumps([{"instance_id": id, "predicted_text": text} for id, text in zip(IDS, SAID)]).encode()
    study = load_study([KNOWN, ("per_instance_stats.json", json.dumps(rows).encode()), ("m.json", said)]).study
    assert study is not None
    (score,) = study.scores
    assert dict(score.values["m"]) == {id: (k / 4,) for k, id in enumerate(IDS)}


def test_a_first_line_whose_id_counts_on_is_no_header() -> None:
    """A line of SwinBERT's predictions is `video0`, a tab, and a list of captions with confidences."""
    ids = tuple(f"video{k}" for k in range(3))
    cells = [json.dumps([{"caption": text, "conf": 0.25}]) for text in SAID]
    known = ("references.json", json.dumps(dict(zip(ids, WRITTEN))).encode())
    made = "\n".join(f"{id}\t{cell}" for id, cell in zip(ids, cells)).encode()
    assert read(("pred.tsv", made), known) == expected(ids)
    plain = "\n".join(f"{id},{text}" for id, text in zip(ids, SAID)).encode()
    assert read(("pred.csv", plain), known) == expected(ids)
    named = csv("video1,caption", *(f"{id},{text}" for id, text in zip("abc", SAID)))
    assert set(read(("pred.csv", named))) == {"a", "b", "c"}


def test_parts_of_a_run_by_several_processors_are_one_run() -> None:
    records = json.loads(listed(lambda k: {"image_id": IDS[k], "caption": SAID[k]}))
    for names in (("val_rank0.json", "val_rank1.json"), ("val-00000-of-00002.json", "val-00001-of-00002.json")):
        parts = [(name, json.dumps(rows).encode()) for name, rows in zip(names, (records[:2], records[2:]))]
        assert read(*parts, KNOWN) == expected()
    other = [{**row, "caption": f"{row['caption']} again"} for row in records]
    twice = [("val_rank0.json", json.dumps(records).encode()), ("val_rank1.json", json.dumps(other).encode())]
    found = load_study([*twice, KNOWN])
    assert found.study is not None
    assert len(found.study.runs) == 2, "the same items are no parts"
    assert "run_name_taken" in codes(found)


def test_lines_belong_to_the_items_of_references_in_order() -> None:
    ids = ("203564", "179765", "322141")
    refs = ("references.jsonl", lines(lambda k: {"image_id": ids[k], "captions": list(WRITTEN[k])}))
    assert read(("generated.txt", "\n".join(SAID).encode()), refs) == expected(ids)
    assert "ids_by_place" in codes(load_study([("generated.txt", "\n".join(SAID).encode()), refs]))
    short = load_study([("generated.txt", "\n".join(SAID[:2]).encode()), refs])
    assert "place_count" in codes(short)


@pytest.mark.parametrize(
    ("names", "other"),
    [
        (("test_2016_flickr.1.en", "test_2016_flickr.2.en"), ()),
        (("test_2016_flickr.en", "test_2016.1.en"), ()),
        (("test_2016.1.en", "test_2016.2.en"), ("test_2016.1.de", "test_2016.2.de")),
    ],
)
@pytest.mark.parametrize("run", ["transformer.out", "transformer.en"])
def test_lines_of_one_data_set_are_references_together(
    names: tuple[str, ...], other: tuple[str, ...], run: str
) -> None:
    """Lines in languages other than the run's are metadata of the items."""
    files = [(name, "\n".join(texts[n] for texts in WRITTEN).encode()) for n, name in enumerate(names, 1)]
    foreign = [(name, "\n".join(f"Satz {k} von {name}" for k in range(len(SAID))).encode()) for name in other]
    found = load_study([*files, *foreign, (run, "\n".join(SAID).encode())]).study
    assert found is not None
    assert [(item.references, found.runs[0].candidates[item.id]) for item in found.items] == [
        (WRITTEN[k][1:], (SAID[k],)) for k in range(len(SAID))
    ]
    assert [item.metadata for item in found.items] == [
        {name: f"Satz {k} von {name}" for name in other} for k in range(len(SAID))
    ]


def test_years_tell_sets_of_lines_apart() -> None:
    files = [(f"test_{year}_flickr.en", "\n".join(f"{text} {year}" for text in SAID).encode()) for year in (2016, 2017)]
    loaded = load_study([*files, ("transformer.out", "\n".join(SAID).encode())])
    assert "no_references" in codes(loaded)


def test_printed_pairs_name_a_model_and_a_temperature() -> None:
    """pandas writes the names of columns as pairs, with or without the names of NumPy's number types."""
    for name in ("('blip', 0.3)", "('blip', np.float64(0.3))"):
        model, settings = parse_name(name)
        assert (model, settings.temperature) == ("blip", 0.3)
    texts = {f"('blip', {t})": {id: f"{text} {t}" for id, text in zip(IDS, SAID)} for t in (0.3, 1.0)}
    found = load_study([("pivot.json", json.dumps(texts).encode()), KNOWN])
    assert found.study is not None
    assert [(run.model, run.settings.temperature) for run in found.study.runs] == [("blip", 0.3), ("blip", 1.0)]
    rows = [[f"{text} {t}" for t in (0.3, 1.0)] for text in SAID]
    split = {"columns": [["blip", 0.3], ["blip", 1.0]], "index": IDS, "data": rows}
    assert load_study([("pivot.json", json.dumps(split).encode()), KNOWN]).study == found.study


def test_tokenised_captions_beside_the_captions_are_not_read() -> None:
    """XM3600 has each caption in three forms."""

    def make(k: int) -> dict[str, Any]:
        told = {"caption": list(WRITTEN[k]), "caption/tokenized": [f"{text} ." for text in WRITTEN[k]]}
        told["caption/tokenized/lowercase"] = told["caption/tokenized"]
        return {"image/key": IDS[k], "image/locale": "en", "en": told}

    assert read(("captions.jsonl", lines(make)), ("m.json", json.dumps(dict(zip(IDS, SAID))).encode())) == expected()


@pytest.mark.parametrize("start", [0, 1])
def test_segments_are_items_where_other_files_number_them(start: int) -> None:
    """Other files have YouCook2's predictions for `vid_0`; a video without annotations has a word in their place."""
    segments = [{"segment": [k, k + 1], "id": k, "sentence": texts[0]} for k, texts in enumerate(WRITTEN)]
    videos = {"v": {"duration": 9.5, "subset": "validation", "annotations": segments[:2], "video_url": "u"}}
    videos |= {"w": {**videos["v"], "annotations": segments[2:]}, "x": {**videos["v"], "annotations": "none"}}
    ids = (f"v_{start}", f"v_{start + 1}", f"w_{start}")
    run = ("pred.json", json.dumps(dict(zip(ids, SAID))).encode())
    found = read(("trainval.json", json.dumps({"database": videos}).encode()), run)
    assert found == {id: (refs, (text,)) for id, refs, text in zip(ids, FIRST, SAID)}


def test_references_beside_pairs_of_captions_are_read() -> None:
    made = lines(
        lambda k: {
            "image": IDS[k],
            "source1": "blip",
            "caption1": SAID[k],
            "source2": "llava",
            "caption2": f"{SAID[k]} again",
            "winner": "blip",
            "ref": WRITTEN[k][0],
        }
    )
    found = load_study([("pairs.jsonl", made)])
    assert found.study is not None
    assert [item.references for item in found.study.items] == FIRST
    assert [run.name for run in found.study.runs] == ["blip", "llava"]


def test_a_first_line_without_an_item_states_the_run_of_the_others() -> None:
    head = {"meta": {"model": "blip", "temperature": 0.4, "date": "2025"}}
    rows = [head, *({"image": id, "caption": text} for id, text in zip(IDS, SAID))]
    found = load_study([("m.jsonl", "\n".join(map(json.dumps, rows)).encode()), KNOWN])
    assert found.study is not None
    assert [(run.model, run.settings.temperature) for run in found.study.runs] == [("blip", 0.4)]
    assert "missing_id" not in codes(found)


def test_references_without_ids_take_those_of_a_run_in_order() -> None:
    """GEM's submissions have keys, but its references have no ids."""
    keys = [f"gem-{id}" for id in IDS]
    run = ("gem.json", json.dumps({"tasks": {"val": {"values": list(SAID), "keys": keys}}}).encode())
    refs = {"language": "en", "values": [{"target": list(texts)} for texts in WRITTEN]}
    assert read(run, ("references.json", json.dumps(refs).encode())) == expected(tuple(keys))
    lined = ("references.txt", "\n".join(texts[0] for texts in WRITTEN).encode())
    assert list(read(run, lined).values()) == [(refs, (text,)) for refs, text in zip(FIRST, SAID)]
    assert "ids_by_place" in codes(load_study([run, lined]))


def test_the_number_of_a_sample_is_no_score() -> None:
    said = [(id, k, f"{text} {k}") for id, text in zip(IDS, SAID) for k in (0, 1)]
    rows = [{"task_id": f"img/{id}", "sample_idx": k, "solution": text} for id, k, text in said]
    refs = lines(lambda k: {"task_id": f"img/{IDS[k]}", "references": list(WRITTEN[k])})
    found = read(("m.jsonl", "\n".join(map(json.dumps, rows)).encode()), ("refs.jsonl", refs))
    assert list(found.values()) == [(WRITTEN[k], (f"{SAID[k]} 0", f"{SAID[k]} 1")) for k in range(3)]


def test_sheets_of_references_and_of_runs_are_read_as_files_of_their_own() -> None:
    people = [["image", "ref1", "ref2"], *([id, *texts[:2]] for id, texts in zip(IDS, WRITTEN))]
    runs = [["image", "blip", "llava"], *([id, text, f"{text} again"] for id, text in zip(IDS, SAID))]
    notes = [["made", "by"], ["in May", "hand"]]
    found = load_study([("study.xlsx", workbook((), references=people, outputs=runs, notes=notes))])
    assert found.study is not None
    assert [item.references for item in found.study.items] == [texts[:2] for texts in WRITTEN]
    assert [(run.name, [*run.candidates.values()]) for run in found.study.runs] == [
        ("blip", [(text,) for text in SAID]),
        ("llava", [(f"{text} again",) for text in SAID]),
    ]
    assert codes(found)["other_sheets"] == "Other sheets of the workbook were not read: `notes`."


def test_people_and_a_model_in_records_of_their_own_stay_apart() -> None:
    people = [{"image_id": id, "caption": texts[0]} for id, texts in zip(IDS, WRITTEN)]
    model = [{"image_id": id, "prediction": text} for id, text in zip(IDS, SAID)]
    found = read(("all.jsonl", "\n".join(map(json.dumps, [*people, *model])).encode()))
    assert list(found.values()) == [(refs, (text,)) for refs, text in zip(FIRST, SAID)]
    names = ("caption", "prediction", "caption")
    mixed = lines(lambda k: {"image_id": IDS[k], names[k]: SAID[k]})
    assert read(("m.jsonl", mixed), KNOWN) == expected()


@pytest.mark.parametrize("rule", ["|-|-|", "-|-", "| :-: | --- |", "|--|--|"])
@pytest.mark.parametrize(
    ("image", "caption"),
    [("{}.jpg", "{}"), ("![]({}.jpg)", "*{}*"), ("`{}.jpg`", "**{}**"), ("[{}.jpg](https://a/b)", "`{}`")],
)
def test_marks_around_the_cells_of_a_table_in_markdown_are_no_words(image: str, caption: str, rule: str) -> None:
    texts = {"1": "a dog runs along", "2": "two _red_ cups", "3": "a bus - or a car"}
    rows = [f"| {image.format(k)} | {caption.format(text)} |" for k, text in texts.items()]
    loaded = load_study([("m.md", "\n".join(["# Results", "", "| image | caption |", rule, *rows]).encode())])
    assert loaded.study is not None
    (run,) = loaded.study.runs
    said = {id.removesuffix(".jpg"): text for id, (text,) in run.candidates.items()}
    assert said == texts
