"""Test layouts that no known program writes: who wrote each caption, and where ids, runs and settings are."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from cli.file_options import columns_of
from data.load import load_study
from data.records import Columns
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN, File, csv, expected, lines, read, turn

NAMED: dict[str, tuple[str, str]] = {
    "words in names": ("system_output", "gold_captions"),
    "words in names of two": ("model_caption", "human_captions"),
    "letters in two cases": ("actualOutput", "expectedOutput"),
    "actual captions are people's": ("predicted_caption", "actual_captions"),
    "short for generated": ("gen", "refs"),
    "original": ("Generated Caption", "Original Caption"),
    "annotations": ("caption", "annotations_captions"),
}


@pytest.mark.parametrize("kind", NAMED)
def test_words_in_names_say_whose_captions_are(kind: str) -> None:
    said, people = NAMED[kind]
    assert read(("m.jsonl", lines(lambda k: {"image": IDS[k], said: SAID[k], people: WRITTEN[k]}))) == expected()


def runs(*files: File) -> dict[str, dict[str, tuple[str, ...]]]:
    loaded = load_study(list(files))
    assert loaded.study is not None, loaded.findings
    return {run.name: dict(run.candidates) for run in loaded.study.runs}


def of_runs(*names: str) -> dict[str, dict[str, tuple[str, ...]]]:
    return {name: {id: (f"{text} {name}",) for id, text in zip(IDS, SAID)} for name in names}


SHEETS: dict[str, tuple[str, tuple[str, str]]] = {
    "names of models": ("image,reference,BLIP,LLaVA", ("BLIP", "LLaVA")),
    "settings": ("image,reference,BLIP T0.3,BLIP T1.0", ("BLIP T0.3", "BLIP T1.0")),
    "behind a word": ("image_id,reference,prediction_blip,prediction_blip2", ("blip", "blip2")),
    "before a word": ("image_id,human_caption,blip_caption,llava_caption", ("blip", "llava")),
}


@pytest.mark.parametrize("kind", SHEETS)
def test_a_column_for_each_run(kind: str) -> None:
    header, names = SHEETS[kind]
    rows = [f"{id},{refs[1]},{text} {names[0]},{text} {names[1]}" for id, refs, text in zip(IDS, WRITTEN, SAID)]
    assert runs(("sheet.csv", csv(header, *rows))) == of_runs(*names)


@pytest.mark.parametrize("kind", ["names of models", "settings", "before a word"])
def test_the_option_that_a_finding_gives_reads_a_file_as_the_guess_did(kind: str) -> None:
    header, names = SHEETS[kind]
    rows = [f"{id},{refs[1]},{text} {names[0]},{text} {names[1]}" for id, refs, text in zip(IDS, WRITTEN, SAID)]
    file = ("sheet.csv", csv(header, *rows))
    guessed = load_study([file])
    (said,) = [one.repair for one in guessed.findings if one.code == "fields_mapped"]
    again = load_study([file], columns=columns_of(shlex.split(said.rpartition("--map ")[2])[0].removesuffix(".")))
    assert guessed.study is not None
    assert again.study is not None
    assert again.study.contents == guessed.study.contents
    assert again.study.references_digest == guessed.study.references_digest


def test_a_column_beside_references_that_does_not_tell_of_the_item_is_no_run() -> None:
    rows = [
        f"{id},{refs[1]},{said},seen by {who} on a day in may" for id, refs, said, who in zip(IDS, WRITTEN, SAID, "xyz")
    ]
    loaded = load_study([("sheet.csv", csv("image,reference,prediction,remembered", *rows))])
    assert loaded.study is not None
    assert [run.name for run in loaded.study.runs] == ["sheet"]
    rows = [f"{id},{refs[1]},New York City" for id, refs in zip(IDS, WRITTEN)]
    assert load_study([("sheet.csv", csv("image,reference,place", *rows))]).study.runs == ()  # type: ignore[union-attr]


def test_runs_by_name_in_json() -> None:
    wanted = of_runs("blip", "llava")
    nested = {run: {id: texts[0] for id, texts in said.items()} for run, said in wanted.items()}
    turned = {id: {run: nested[run][id] for run in nested} for id in IDS}
    listed = {run: [{"image_id": id, "caption": text} for id, text in said.items()] for run, said in nested.items()}
    for value in (nested, turned, listed):
        assert runs(("r.json", json.dumps(value).encode()), KNOWN) == wanted
    one = {"blip": listed["blip"]}
    assert runs(("r.json", json.dumps(one).encode()), KNOWN) == of_runs("blip")
    gts = {
        id: [{"image_id": id, "id": k, "caption": text} for k, text in enumerate(refs)]
        for id, refs in zip(IDS, WRITTEN)
    }
    loaded = load_study([("gts.json", json.dumps(gts).encode())])
    assert loaded.study is not None
    assert [item.id for item in loaded.study.items] == list(IDS)


OTHERS: dict[str, Any] = {
    "a column of numbers beside columns": {"preds": SAID, "labels": WRITTEN, "ids": IDS, "metrics": {"bleu": 0.3}},
    "pandas by columns, without known loader": {
        "image": dict(zip("012", IDS)),
        "caption": dict(zip("012", SAID)),
        "refs": dict(zip("012", WRITTEN)),
    },
    "rows without names": [list(row) for row in zip(IDS, SAID, WRITTEN)],
    "results beside facts": {
        "meta": {"model": "m", "temperature": 0.7},
        "results": {id: {"caption": said, "refs": refs} for id, said, refs in zip(IDS, SAID, WRITTEN)},
    },
    "tokens": [{"id": i, "caption": s.split(), "refs": [r.split() for r in w]} for i, s, w in zip(IDS, SAID, WRITTEN)],
    "captions with scores": [
        {"id": id, "captions": [[said, -1.5]], "refs": refs} for id, said, refs in zip(IDS, SAID, WRITTEN)
    ],
    "an image in a list": [{"images": [id], "response": s, "refs": r} for id, s, r in zip(IDS, SAID, WRITTEN)],
}


@pytest.mark.parametrize("kind", OTHERS)
def test_other_containers(kind: str) -> None:
    assert read(("m.json", json.dumps(OTHERS[kind]).encode())) == expected()


def test_captions_by_id_under_a_key() -> None:
    held = {"captions": dict(zip(IDS, SAID)), "model": "blip"}
    assert runs(("m.json", json.dumps(held).encode()), KNOWN) == {"blip": {k: (v,) for k, v in zip(IDS, SAID)}}


@pytest.mark.parametrize("key", ["metadata", "params", "config", "generation_config"])
def test_settings_within_are_those_of_the_run_where_they_vary(key: str) -> None:
    rows = [{"id": id, "caption": f"{s} {t}", key: {"temperature": t}} for t in (0.3, 1.0) for id, s in zip(IDS, SAID)]
    loaded = load_study([("t.json", json.dumps(rows).encode()), KNOWN])
    assert loaded.study is not None
    assert [(run.name, run.settings.temperature) for run in loaded.study.runs] == [
        ("t@temperature=0.3", 0.3),
        ("t@temperature=1.0", 1.0),
    ]
    (run,) = load_study([("t.json", json.dumps(rows[:3]).encode()), KNOWN]).study.runs  # type: ignore[union-attr]
    assert (run.name, run.settings.temperature) == ("t", 0.3), "what never varies is no part of the name"
    of_file = {"x.json": {"model": "b", key: {"temperature": 0.3}, "predictions": rows[:3]}}
    of_file["y.json"] = {"model": "b", key: {"temperature": 1.0}, "predictions": rows[3:]}
    beside = [(name, json.dumps(value).encode()) for name, value in of_file.items()]
    loaded = load_study([*beside, KNOWN])
    assert [run.settings.temperature for run in loaded.study.runs] == [0.3, 1.0]  # type: ignore[union-attr]


def test_a_batch_with_thoughts_apart() -> None:
    output = lambda k: [{"type": "reasoning", "summary": []}, {"type": "message", **turn("assistant", SAID[k])}]  # noqa: E731
    batch = lines(lambda k: {"custom_id": IDS[k], "response": {"body": {"output": output(k)}}})
    assert read(("b.jsonl", batch), KNOWN) == expected()


def test_a_class_is_no_reference_whatever_it_is_called() -> None:
    made = lines(lambda k: {"image": IDS[k], "prediction": SAID[k], "target": ("dog", "cup", "bike")[k]})
    assert read(("m.jsonl", made)) == {id: ((), (text,)) for id, text in zip(IDS, SAID)}


def test_a_conversation_beside_a_prediction_is_of_people() -> None:
    made = [
        {"image_name": id, "conversation": [turn("user", "Describe it."), turn("gpt", refs[0])], "prediction": said}
        for id, said, refs in zip(IDS, SAID, WRITTEN)
    ]
    assert read(("m.json", json.dumps(made).encode())) == {
        id: ((refs[0],), (said,)) for id, refs, said in zip(IDS, WRITTEN, SAID)
    }


def test_settings_and_metadata_by_a_map() -> None:
    rows = [
        {"id": id, "caption": f"{text} {k}", "beam": k, "output": f"a note {id}"}
        for k in (1, 2)
        for id, text in zip(IDS, SAID)
    ]
    file = "m.json", json.dumps(rows).encode()
    columns = Columns(("id",), ("caption",), settings=("beam",), metadata=("output",))
    loaded = load_study([file, KNOWN], columns=columns)
    assert loaded.study is not None
    assert {run.name: run.candidates["1"] for run in loaded.study.runs} == {
        "m@beam=1": (f"{SAID[0]} 1",),
        "m@beam=2": (f"{SAID[0]} 2",),
    }
    assert loaded.study.items[0].metadata == {"output": "a note 1"}
    assert loaded.fields["m.json"].roles == {
        "id": "id",
        "caption": "candidates",
        "beam": "setting",
        "output": "metadata",
    }
    alone = load_study([file, KNOWN], columns=Columns(("id",), ("caption",), ignored=("output", "beam"))).study
    assert alone is not None
    assert [run.name for run in alone.runs] == ["m"]
    assert alone.items[0].metadata == {}


@pytest.mark.parametrize("seeds", [(0, 1, 2), (13, 42, 7)])
def test_a_map_with_a_guessed_setting_names_all_settings(seeds: tuple[int, ...]) -> None:
    """Once, `metadata.seed` stayed a setting although a map named only the temperature; unknown fields are still
    added.
    """
    rows = [
        {"id": id, "text": f"{text} {heat} {seed}", "metadata": {"temperature": heat, "seed": seed}, "foo": seed}
        for heat in (0.3, 1.2)
        for seed in seeds
        for id, text in zip(IDS, SAID)
    ]

    def counts(*settings: str) -> dict[str, int]:
        columns = Columns(("id",), ("text",), settings=settings)
        loaded = load_study([("m.json", json.dumps(rows).encode()), KNOWN], columns=columns)
        assert loaded.study is not None
        return {run.name: len(run.candidates["1"]) for run in loaded.study.runs}

    heats, each = ["m@temperature=0.3", "m@temperature=1.2"], [f"seed={seed}" for seed in seeds]
    assert counts("metadata.temperature") == dict.fromkeys(heats, len(seeds))
    assert counts("metadata") == dict.fromkeys([f"{heat}@{seed}" for heat in heats for seed in each], 1)
    assert counts("foo") == dict.fromkeys([f"{heat}@{seed}@foo={seed[5:]}" for heat in heats for seed in each], 1)


def test_a_map_reads_what_has_no_names() -> None:
    rows = json.dumps([list(row) for row in zip(IDS, WRITTEN, SAID)]).encode()
    assert read(("m.json", rows), columns=Columns(("column 1",), ("column 3",), ("column 2",))) == expected()


def test_several_candidates_of_a_map_are_runs() -> None:
    rows = lines(lambda k: {"a": IDS[k], "x": f"{SAID[k]} x", "y": f"{SAID[k]} y"})
    columns = Columns(("a",), ("x", "y"), where_there=True)
    loaded = load_study([("m.jsonl", rows), KNOWN], columns=columns)
    assert loaded.study is not None
    assert {run.name: dict(run.candidates) for run in loaded.study.runs} == of_runs("x", "y")


@pytest.mark.parametrize("mark", [" ", ": ", "|", " | ", " ||| ", ";", ",", " -> "])
def test_a_first_word_is_an_id_where_another_file_says_so(mark: str) -> None:
    said = "\n".join(f"{id}.jpg{mark}{text}" for id, text in zip(reversed(IDS), reversed(SAID))).encode()
    assert read(("pred.txt", said), KNOWN) == expected()
    people = "\n".join(f"{id}.jpg{mark}{refs[1]}" for id, refs in zip(IDS, WRITTEN)).encode()
    wanted = {f"{id}.jpg": ((refs[1],), (text,)) for id, refs, text in zip(IDS, WRITTEN, SAID)}
    assert read(("pred.txt", said), ("ref.txt", people)) == wanted
    plain = "\n".join(f"{word} {text}" for word, text in zip(("one", "two", "three"), SAID)).encode()
    assert read(("pred.txt", plain), KNOWN)["1"][1] == (f"one {SAID[0]}",)
    again = ("ref.txt", plain.replace(b"wet", b"dry"))
    assert read(("pred.txt", plain), again)["1"][1] == (f"one {SAID[0]}",), "first words alike in both files"


@pytest.mark.parametrize("brackets", ["()", "[]"])
def test_an_id_in_brackets_behind_a_caption_is_no_word_of_it(brackets: str) -> None:
    """NIST's transcripts end with ids in brackets; if ids counted as words, each caption and its reference would
    share one.
    """
    said, people = (
        "\n".join(f"{text} {brackets[0]}{id}.jpg{brackets[1]}" for id, text in zip(IDS, texts)).encode()
        for texts in (SAID, [refs[1] for refs in WRITTEN])
    )
    assert read(("pred.txt", said), KNOWN) == expected()
    wanted = {f"{id}.jpg": ((refs[1],), (text,)) for id, refs, text in zip(IDS, WRITTEN, SAID)}
    assert read(("pred.txt", said), ("ref.txt", people)) == wanted


def test_an_id_that_differs_in_each_row_is_it_where_another_file_says_so() -> None:
    said = lines(lambda k: {"question_id": IDS[k], "image": f"{k // 2}.jpg", "text": SAID[k]})
    assert read(("a.jsonl", said), KNOWN) == expected()
    by_image = json.dumps({"0": WRITTEN[0], "1": WRITTEN[2]}).encode()
    wanted = {"0": (WRITTEN[0], SAID[:2]), "1": (WRITTEN[2], SAID[2:])}
    assert read(("a.jsonl", said), ("references.json", by_image)) == wanted


def test_captions_in_one_cell() -> None:
    rows = [f"{id}\t{said}\t{'&&'.join(refs)}" for id, said, refs in zip(IDS, SAID, WRITTEN)]
    assert read(("m.tsv", csv("id\tprediction\treference", *rows))) == expected()
    barred = {id: f"{said} ||| salt && pepper" for id, said in zip(IDS, SAID)}
    assert read(("m.json", json.dumps(barred).encode()), KNOWN) == {
        id: (refs, (barred[id],)) for id, refs in zip(IDS, WRITTEN)
    }, "a caption may have such marks"


@pytest.mark.parametrize("ids", [False, True])
@pytest.mark.parametrize("more", [{}, {"eval": {"CIDEr": 1.0}}, {"git": "x"}])
def test_the_inputs_of_pycocoevalcap_may_be_in_one_object(more: dict[str, Any], ids: bool) -> None:
    def side(*texts: str) -> dict[str, Any]:
        beside = {"image_id": 1, "id": 2} if ids else {}
        return {str(k): [{"caption": f"{text} {k}", **beside} for text in texts] for k in range(3)}

    more = {key: side("a git text") if one == "x" else one for key, one in more.items()}
    whole = {"gts": side("a dog runs", "the dog ran"), "res": side("a dog is there"), **more}
    study = load_study([("all.json", json.dumps(whole).encode())]).study
    assert study is not None
    assert [item.references for item in study.items] == [(f"a dog runs {k}", f"the dog ran {k}") for k in range(3)]
    assert [run.candidates["1"] for run in study.runs] == [
        ("a dog is there 1",),
        *([("a git text 1",)] if "git" in more else []),
    ]
