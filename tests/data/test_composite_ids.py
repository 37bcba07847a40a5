"""Test items that several columns identify: parts of an id, clips of a video, and languages."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Sequence

import pytest

from cli.file_options import columns_of
from data.load import Columns, load_study

PARTS = ("VideoID", "Start", "End")
N = range(101, 107)
CLIPS = [("mv89psg6zh4", "33", "46"), ("mv89psg6zh4", "50", "61"), ("-4w_uPCjDBc", "5", "15"), ("k05", "5", "15")]


def texts(clip: Sequence[str], count: int) -> list[str]:
    return [f"person {k} sees {' and '.join(clip)} there" for k in range(count)]


def people(header: Sequence[str] = PARTS, clips: Sequence[Sequence[str]] = CLIPS) -> tuple[str, bytes]:
    """Return a table with one row for each reference and its worker; the rows are in random order."""
    rows = [[*clip, k, text] for clip in clips for k, text in enumerate(texts(clip, 2))]
    random.Random(0).shuffle(rows)
    out = io.StringIO()
    csv.writer(out).writerows([[*header, "WorkerID", "Description"], *rows])
    return "corpus.csv", out.getvalue().encode()


def model(ids: Sequence[str]) -> tuple[str, bytes]:
    return "model.json", json.dumps({id: f"a model sees {id}" for id in ids}).encode()


@pytest.mark.parametrize("mark", ["_", "-", " ", ""])
def test_the_columns_of_a_map_meet_the_ids_of_the_other_file(mark: str) -> None:
    ids = [mark.join(clip) for clip in CLIPS]
    loaded = load_study([people(), model(ids)], columns=columns_of("id=VideoID+Start+End"))
    assert loaded.study is not None
    found = {item.id: sorted(item.references) for item in loaded.study.items}
    assert found == {id: texts(clip, 2) for id, clip in zip(ids, CLIPS)}
    assert dict(loaded.study.runs[0].candidates) == {id: (f"a model sees {id}",) for id in ids}
    (told,) = [one for one in loaded.findings if one.code == "fields_mapped"]
    said = {"_": "`_`", "-": "`-`", " ": "a blank", "": "nothing"}[mark]
    assert f"id: `VideoID`, `Start`, `End`, joined by {said};" in told.problem
    assert "--map id=VideoID+Start+End,references=Description" in told.repair
    shown = loaded.fields["corpus.csv"]
    assert shown.header == (*PARTS, "WorkerID", "Description"), "no field that the file does not have"
    assert [name for name, role in shown.roles.items() if role == "id"] == [*PARTS]


@pytest.mark.parametrize("mark", ["_", "-"])
def test_they_are_found_by_themselves_in_any_order(mark: str) -> None:
    """The columns of the id are found; the model has captions for half of the clips, and none of these is lost."""
    ids = [mark.join((clip[2], clip[0], clip[1])) for clip in CLIPS]
    loaded = load_study([people(), model(ids[:3])])
    assert loaded.study is not None
    assert {item.id for item in loaded.study.items} == set(ids[:3])
    assert all(len(item.references) == 2 for item in loaded.study.items)
    by_map = load_study([people(), model(ids[:3])], columns=Columns(("End", "VideoID", "Start")))
    assert by_map.study is not None
    assert by_map.study.digest == loaded.study.digest


def test_zeros_endings_and_the_other_direction() -> None:
    ids = [f"{video}_{int(start):06d}_{int(end):06d}.avi" for video, start, end in CLIPS]
    loaded = load_study([people(), model(ids)])
    assert loaded.study is not None
    assert {item.id for item in loaded.study.items} == set(ids)
    written = [dict(zip(PARTS, clip), caption=f"a model sees {clip[0]} from {clip[1]}") for clip in CLIPS]
    references = {"_".join(clip): texts(clip, 2) for clip in CLIPS}
    files = [("model.json", json.dumps(written).encode()), ("references.json", json.dumps(references).encode())]
    turned = load_study(files).study
    assert turned is not None
    assert {item.id for item in turned.items} == set(references)


def test_columns_that_make_no_ids_of_the_other_file_are_left_alone() -> None:
    alone = [clip for clip in CLIPS if clip[0] != "mv89psg6zh4"]
    for ids in ([clip[0] for clip in alone], ["a_33_46", "b_1_2"]):
        found = load_study([people(clips=alone), model(ids)])
        assert not any("joined by" in one.problem for one in found.findings)
    items = load_study([people(clips=alone), model([clip[0] for clip in alone])]).study
    assert items is not None
    assert {item.id for item in items.items} == {clip[0] for clip in alone}


def test_a_row_without_a_part_of_its_id_is_a_finding() -> None:
    name, content = people()
    cut = content.replace(b"k05,5,15,0", b"k05,5,,0")
    loaded = load_study([(name, cut), model(["_".join(clip) for clip in CLIPS])])
    assert [one.code for one in loaded.findings if one.severity == "error"] == ["missing_id"]
    assert loaded.study is not None
    assert len(loaded.study.items) == len(CLIPS)


@pytest.mark.parametrize("header", ["prediction,stars", "stars,prediction,image"])
def test_numbers_that_happen_to_be_ids_of_another_file_are_no_ids(header: str) -> None:
    """Ratings from 1 to 5, with gaps, are not the ids 1 to 12.

    Records are matched by image or, without images, by position.
    """
    stars = [*(str(k % 5 + 1) for k in range(10)), "", "n/a"]
    cells = [{"prediction": f"text {k}", "stars": star, "image": f"im{k}.jpg"} for k, star in enumerate(stars, 1)]
    rows = [header, *(",".join(cell[name] for name in header.split(",")) for cell in cells)]
    people = "\n".join(json.dumps({"id": k, "references": [f"people say {k}"]}) for k in range(1, 13))
    loaded = load_study([("refs.jsonl", people.encode()), ("model.csv", "\n".join(rows).encode())])
    assert loaded.study is not None
    if "image" in header:
        assert "run_empty" in {one.code for one in loaded.findings}
    else:
        (run,) = loaded.study.runs
        assert dict(run.candidates) == {str(k): (f"text {k}",) for k in range(1, 13)}


def test_a_column_that_has_the_ids_of_another_file_is_named() -> None:
    rows = [f"{k},im{k}x,text {k}" for k in range(1, 7)]
    people = "\n".join(json.dumps({"id": f"im{k}x", "references": [f"people say {k}"]}) for k in range(1, 7))
    content = "\n".join(["id,shown,prediction", *rows]).encode()
    loaded = load_study([("refs.jsonl", people.encode()), ("model.csv", content)])
    assert loaded.study is not None
    assert dict(loaded.study.runs[0].candidates) == {f"im{k}x": (f"text {k}",) for k in range(1, 7)}
    (told,) = [one for one in loaded.findings if one.code == "fields_mapped" and one.file == "model.csv"]
    assert "id: `shown`" in told.problem


def sheet(name: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> tuple[str, bytes]:
    out = io.StringIO()
    csv.writer(out).writerows([header, *rows])
    return name, out.getvalue().encode()


@pytest.mark.parametrize(
    ("header", "clips"),
    [
        (("VideoID", "Start", "End"), [("v", 10, 15), ("v", 20.5, 25), ("w", 10, "15.0")]),
        (("vid_name", "clip_id"), [("v", 0), ("v", 1), ("w", 0)]),
        (("dialogue_id", "turn"), [("d1", 1), ("d1", 2), ("d2", 1)]),
        (("video", "frame idx"), [("v.mp4", 8), ("v.mp4", 16), ("w.mp4", 8)]),
        (("video_id", "segment"), [("v", [0, 4.5]), ("v", [4.5, 9]), ("w", [0, 4.5])]),
        (("image_id", "locale"), [("v", "de"), ("v", "en"), ("w", "de"), ("w", "en")]),
        (("image", "Language"), [("v.jpg", "German"), ("v.jpg", "English"), ("w.jpg", "German"), ("w.jpg", "English")]),
    ],
)
def test_clips_of_one_video_are_items_of_their_own(header: Sequence[str], clips: Sequence[Sequence[object]]) -> None:
    """Two people and a model describe each clip; if the video were the id, all clips of video v would be one item."""
    people = [
        {**dict(zip(header, clip)), "reference": f"person {n} saw {k}"} for k, clip in enumerate(clips) for n in "12"
    ]
    model = [{**dict(zip(header, clip)), "prediction": f"a model saw {k}"} for k, clip in enumerate(clips)]
    loaded = load_study([(f"{name}.json", json.dumps(of).encode()) for name, of in (("refs", people), ("run", model))])
    assert loaded.study is not None
    said = {f"a model saw {k}": [f"person 1 saw {k}", f"person 2 saw {k}"] for k in range(len(clips))}
    (run,) = loaded.study.runs
    assert {run.candidates[item.id][0]: [*item.references] for item in loaded.study.items} == said
    told = [one.problem for one in loaded.findings if one.code == "fields_mapped"]
    named = ", ".join(f"`{name}`" for name in header)
    assert len(told) == 2
    assert all(f"id: {named}, joined by `_`" in one for one in told)


def test_captions_in_one_language_are_compared_with_those_of_people_in_it() -> None:
    people = [{"key": id, "lang": tongue, "captions": [f"{tongue} {id}"]} for id in "abc" for tongue in ("de", "en")]
    refs = ("refs.jsonl", "\n".join(map(json.dumps, people)).encode())
    loaded = load_study(
        [refs, sheet("m.csv", ["key", "lang", "prediction"], [[id, "de", f"says {id}"] for id in "abc"])]
    )
    assert loaded.study is not None
    assert {item.id: item.references for item in loaded.study.items} == {f"{id}_de": (f"de {id}",) for id in "abc"}


@pytest.mark.parametrize(
    ("copy", "said", "spoken"),
    [
        ("caption/tokenized", "caption", "de en"),
        ("caption/tokenized", "caption", "de"),
        ("caption/tokenized", "caption", ""),
        ("rights", "prediction", "de en"),
    ],
)
def test_captions_by_language_are_those_of_people_in_each(copy: str, said: str, spoken: str) -> None:
    """A tokenised copy shows that people wrote the captions, even if no field shows who wrote the run's captions."""

    def told(id: str, language: str) -> list[str]:
        return [f"{text} {language} {id}" for text in ("a dog runs in", "two dogs near")]

    people = [
        {"key": id, "image/locale": "fr"}
        | {one: {"caption": told(id, one), copy: "free" if copy == "rights" else told(id, one)} for one in ("de", "en")}
        for id in "abc"
    ]
    refs = ("captions.jsonl", "\n".join(map(json.dumps, people)).encode())
    rows = [[id, one, f"one dog {id} {one}"] for id in "abc" for one in spoken.split()]
    given = [refs, *([sheet("m.csv", ["key", "lang", said], rows)] if rows else [])]
    loaded = load_study(given)
    assert loaded.study is not None, loaded.findings
    if copy != "rights":
        again = load_study(given, columns=Columns(id=("key", "language"), references=("caption",)))
        assert again.study == loaded.study, "a map of one file leaves the language in the ids of the other"
    assert {item.id: (list(item.references), item.metadata["image/locale"]) for item in loaded.study.items} == {
        f"{id}_{one}": (told(id, one), "fr") for id in "abc" for one in (spoken or "de en").split()
    }
    found = {id: texts for run in loaded.study.runs for id, texts in run.candidates.items()}
    assert found == {f"{id}_{one}": (text,) for id, one, text in rows}
    (told_so,) = (one for one in loaded.findings if one.code == "languages_read")
    assert told_so.problem.endswith("(de, en) were read as items of their own.")
    assert told_so.repair.endswith("references=de.caption.")


@pytest.mark.parametrize("languages_first", [False, True])
def test_captions_by_item_and_language_are_items_of_each_language(languages_first: bool) -> None:
    """If another file has items without a language, findings say so, and a map reads only one language."""
    said = {
        id: {"de": [f"ein Hund {id}"], "en": [f"a dog {id}", f"one dog {id}"], "quz": [f"allqu {id}"]} for id in "abc"
    }
    turned = {key: {id: of[key] for id, of in said.items()} for key in ("de", "en", "quz")}
    refs = ("references.json", json.dumps(turned if languages_first else said).encode())
    for mark in ("_en", ""):
        run = ("m.json", json.dumps({f"{id}{mark}": f"the dog {id}" for id in "abc"}).encode())
        loaded = load_study([refs, run])
        assert loaded.study is not None
        found = {item.id: list(item.references) for item in loaded.study.items if item.id.endswith("_en")}
        assert found == {f"{id}_en": said[id]["en"] for id in "abc"}
        assert [one.name for one in loaded.study.runs] == (["m"] if mark else [])
    told = {one.code: one for one in loaded.findings}
    assert told["predictions_without_references"].repair.endswith(" The references have a_de in place of a.")
    assert told["languages_read"].repair.endswith(" references=de.")
    study = load_study([refs, run], columns=Columns(references=("en",), where_there=True)).study
    assert study is not None
    assert {item.id: list(item.references) for item in study.items} == {id: said[id]["en"] for id in "abc"}


def test_the_clips_of_a_file_that_stands_alone_are_items() -> None:
    rows = [[*clip, "blip", texts(clip, 1)[0]] for clip in CLIPS]
    loaded = load_study([sheet("run.csv", [*PARTS, "model", "caption"], rows)])
    assert loaded.study is not None
    assert {item.id for item in loaded.study.items} == {"_".join(clip) for clip in CLIPS}


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        (["youtube_id", "start_time"], [["a", 30], ["a", 30], ["b", 30], ["b", 30]]),
        (["image", "start", "end"], [["a", 0, 3.5], ["a", 1, 4.25], ["b", 0, 9], ["b", 1, 8]]),
        (["video", "start"], [["a", "2024-01-01"], ["a", "2024-01-02"], ["b", "2024-01-03"], ["b", "2024-01-04"]]),
        (["video", "clip"], [["a", 0.31], ["a", ".25"], ["b", 0.3], ["b", ".28"]]),
        (["image", "clip"], [["a", 31], ["a", 25], ["b", 30], ["b", 28]]),
    ],
)
def test_times_of_people_and_scores_are_no_clips(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    made = [[*row, f"person {k} sees this"] for k, row in enumerate(rows)]
    loaded = load_study([sheet("refs.csv", [*header, "reference"], made), model(["a", "b"])])
    assert loaded.study is not None
    assert {item.id: len(item.references) for item in loaded.study.items} == {"a": 2, "b": 2}


@pytest.mark.parametrize("fields", [("start", "end"), ("start_time", "end_time")])
def test_times_at_which_captions_were_written_part_no_items(fields: tuple[str, str]) -> None:
    rows = [
        {"id": f"q{k}", "model": run, "prediction": f"{run} saw {k}", "reference": f"it is {k}"}
        | dict(zip(fields, (10 * k + n, 10 * k + n + 3)))
        for n, run in enumerate(("blip", "git"))
        for k in range(6)
    ]
    study = load_study([("all.jsonl", "\n".join(map(json.dumps, rows)).encode())]).study
    assert study is not None
    assert [item.id for item in study.items] == [f"q{k}" for k in range(6)]
    assert [(run.name, len(run.candidates)) for run in study.runs] == [("blip", 6), ("git", 6)]
    samples = [{name: value for name, value in row.items() if name != "model"} for row in rows]
    study = load_study([("all.jsonl", "\n".join(map(json.dumps, samples)).encode())]).study
    assert study is not None
    assert {id: len(texts) for id, texts in study.runs[0].candidates.items()} == {f"q{k}": 2 for k in range(6)}


def test_clips_meet_the_captions_of_whole_videos_by_number() -> None:
    people = ["video_id,start,end,caption", *(f"{k},{5 * n},{5 * n + 4},people saw {k} {n}" for k in N for n in (0, 1))]
    said = [{"video_id": k, "caption": f"a model saw {k}"} for k in N[:4]]
    study = load_study([("refs.csv", "\n".join(people).encode()), ("m.json", json.dumps(said).encode())]).study
    assert study is not None
    assert {item.id: len(item.references) for item in study.items} == dict.fromkeys(map(str, N[:4]), 2)
