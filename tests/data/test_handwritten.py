"""Test that everything in handwritten files is read, or that a finding asks about it."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from data.check import Loaded, repair
from data.load import Columns, Reading, load_study
from tests.data.sheets import workbook

IDS = [f"img_{k}.jpg" for k in range(1, 6)]
SCENES = ["red kite over the beach", "cats asleep on a sofa", "man on a bike", "train at the station", "bowl of soup"]
WRITTEN = {id: (f"A {scene}.", f"There is a {scene} today.") for id, scene in zip(IDS, SCENES)}
MODELS, HEATS = ("alpha", "beta"), (0.2, 0.7)
BOTH = [(model, heat) for model in MODELS for heat in HEATS]
File = tuple[str, bytes]


def said(model: str, heat: float | None, id: str) -> str:
    return f"{model} sees some {SCENES[IDS.index(id)].split()[0]} at {heat}"


def sheet(name: str, rows: Iterable[Sequence[Any]], mark: str = ",") -> File:
    stream = io.StringIO()
    csv.writer(stream, delimiter=mark).writerows(rows)
    return name, stream.getvalue().encode()


def js(name: str, value: Any) -> File:
    return name, json.dumps(value).encode()


def archive(files: Iterable[File]) -> File:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        for name, content in files:
            packed.writestr(name, content)
    return "all.zip", stream.getvalue()


REFERENCES = sheet("references.csv", [["image", "caption"], *([id, text] for id in IDS for text in WRITTEN[id])])


def long(header: Sequence[str], name: str = "data.csv", mark: str = ",", point: str = ".") -> File:
    rows = [[id, m, str(t).replace(".", point), said(m, t, id)] for m, t in BOTH for id in IDS]
    return sheet(name, [header, *rows], mark)


def by_id(model: str, heat: float | None) -> dict[str, str]:
    return {id: said(model, heat, id) for id in IDS}


def in_order(model: str, heat: float | None) -> list[str]:
    return list(by_id(model, heat).values())


MARKDOWN = "Our captions:\n\n| image | model | Temp | caption |\n|:---|---|---|---|\n" + "\n".join(
    f"| {id} | {m} | {t} | {said(m, t, id)} |" for m, t in BOTH for id in IDS
)
IN_ALL = {
    "T": long(["image", "model", "T", "caption"]),
    "German": long(["Bild", "Modell", "Temperatur", "Beschreibung"], mark=";", point=","),
    "wide": sheet(
        "wide.csv",
        [["file", *(f"{m}_temp{t}" for m, t in BOTH)], *([id, *(said(m, t, id) for m, t in BOTH)] for id in IDS)],
    ),
    "model, heat, id": js("x.json", {m: {str(t): by_id(m, t) for t in HEATS} for m in MODELS}),
    "id, model, heat": js("x.json", {id: {m: {str(t): said(m, t, id) for t in HEATS} for m in MODELS} for id in IDS}),
    "id, model, heat with a comma": js(
        "x.json", {id: {m: {str(t).replace(".", ","): said(m, t, id) for t in HEATS} for m in MODELS} for id in IDS}
    ),
    "heat, model, id": js("x.json", {f"T={t}": {m: by_id(m, t) for m in MODELS} for t in HEATS}),
    "models beside references": js(
        "x.json", {"models": {m: {f"T={t}": by_id(m, t) for t in HEATS} for m in MODELS}, "references": WRITTEN}
    ),
    "names of runs in sys": long(["photo", "sys", "temp", "caption"]),
    "a decimal comma between commas": long(["image", "model", "Temp", "caption"], point=","),
    "columns with a decimal comma": sheet(
        "wide.csv",
        [["file", *(f"{m} Temp {t}".replace(".", ",") for m, t in BOTH)]]
        + [[id, *(said(m, t, id) for m, t in BOTH)] for id in IDS],
        ";",
    ),
    "Spanish": long(["imagen", "modelo", "temperatura", "descripción"], mark=";", point=","),
    "French": long(["fichier", "modèle", "température", "légende"], mark=";", point=","),
    "Chinese": long(["图片", "模型", "温度", "描述"]),
    "Italian": long(["immagine", "modello", "temperatura", "didascalia"], mark=";", point=","),
    "a name that nobody knows": sheet(
        "x.csv",
        [["image", "Modell", "Temp", "Bildtext", "Referenz"]]
        + [[id, m, t, said(m, t, id), text] for m, t in BOTH for id in IDS for text in WRITTEN[id]],
    ),
    "records": js(
        "x.json",
        {
            "images": [
                {"image": id, "models": {m: {f"temp_{t}": [said(m, t, id)] for t in HEATS} for m in MODELS}}
                for id in IDS
            ]
        },
    ),
    "folders": archive(js(f"out/{m}/T={t}/captions.json", by_id(m, t)) for m, t in BOTH),
    "files in folders": archive(js(f"out/{m}/temp_{t}.json", by_id(m, t)) for m, t in BOTH),
    "Markdown": ("notes.md", MARKDOWN.encode()),
}


def study_of(*files: File, **options: Any) -> Loaded:
    loaded = load_study(files, **options)
    assert loaded.study is not None, loaded.findings
    return loaded


def captions(loaded: Loaded) -> dict[tuple[str, float | None], list[str]]:
    assert loaded.study is not None
    texts = [(run, [text for of in run.candidates.values() for text in of]) for run in loaded.study.runs]
    return {(run.model, run.settings.temperature): of for run, of in texts}


@pytest.mark.parametrize("layout", IN_ALL)
def test_two_models_at_two_temperatures(layout: str) -> None:
    loaded = study_of(IN_ALL[layout], REFERENCES)
    assert captions(loaded) == {(m, t): in_order(m, t) for m, t in BOTH}
    assert loaded.study is not None
    assert {item.id: item.references for item in loaded.study.items} == WRITTEN


@pytest.mark.parametrize("rated", [[], ["Bewertung"], ["rating"]])
@pytest.mark.parametrize("first", ["Bild", "Foto", "Aufnahme"])
def test_a_sheet_with_captions_of_both_sides_holds_no_scores_of_runs(first: str, rated: list[str]) -> None:
    """A number or a decimal comma in each row once made a sheet without a known id look like a table of scores."""
    header = [first, "Modell", "Temperatur", "Ausgabe", "Referenz 1", "Referenz 2", *rated]
    rows = [[IDS.index(id), m, str(t).replace(".", ","), said(m, t, id), *WRITTEN[id]] for m, t in BOTH for id in IDS]
    loaded = load_study([sheet("sheet.csv", [header, *([*row, "4,0"][: len(header)] for row in rows)], mark=";")])
    assert loaded.files[0].format.startswith("table")
    if first == "Aufnahme":  # not a known name of an id: rows are items, and a mapping is requested
        assert "no_common_items" in {one.code for one in loaded.errors}
        return
    assert captions(loaded) == {(m, t): in_order(m, t) for m, t in BOTH}
    assert loaded.study is not None
    assert [item.references for item in loaded.study.items] == list(WRITTEN.values())


def test_a_temperature_in_the_name_of_a_file_and_in_its_rows_is_one() -> None:
    """Files that state a temperature twice were once read as separate models."""
    files = [
        sheet(f"alpha_T{t}.csv", [["image", "temp", "caption"], *([id, t, said("alpha", t, id)] for id in IDS)])
        for t in HEATS
    ]
    loaded = study_of(*files, REFERENCES)
    assert captions(loaded) == {("alpha", t): in_order("alpha", t) for t in HEATS}
    assert loaded.study is not None
    assert [run.name for run in loaded.study.runs] == [f"alpha_T{t}" for t in HEATS]


def test_captions_in_objects_under_a_name_of_candidates_are_read_beside_references() -> None:
    """With an id and references, the file once looked like Trilens JSON, which has no field `generations`."""
    rows = [
        {"id": id, "generations": [{"text": said("alpha", t, id), "logprob": -1} for t in HEATS], "references": refs}
        for id, refs in WRITTEN.items()
    ]
    loaded = study_of(js("alpha.json", rows))
    assert captions(loaded) == {("alpha", None): [said("alpha", t, id) for id in IDS for t in HEATS]}


def test_lists_by_model_and_temperature_go_by_the_order_of_the_items() -> None:
    value = {m: {str(t): in_order(m, t) for t in HEATS} for m in MODELS}
    loaded = study_of(js("x.json", value), js("references.json", list(WRITTEN.values())))
    assert captions(loaded) == {(m, t): in_order(m, t) for m, t in BOTH}


@pytest.mark.parametrize("columns", [["0.2", "0.7"], ["T=0.2", "T=0.7"], ["caption T0.2", "caption T0.7"]])
def test_a_column_for_each_temperature(columns: list[str]) -> None:
    rows = [["image", *columns], *([id, *(said("alpha", t, id) for t in HEATS)] for id in IDS)]
    found = captions(study_of(sheet("alpha.csv", rows), REFERENCES))
    assert {heat: texts for (_, heat), texts in found.items()} == {t: in_order("alpha", t) for t in HEATS}


def test_t_tells_the_captions_of_a_record_apart() -> None:
    rows = [{"image": id, "generations": [{"t": t, "text": said("x", t, id)} for t in HEATS]} for id in IDS]
    assert captions(study_of(js("x.json", rows), REFERENCES)) == {("x", t): in_order("x", t) for t in HEATS}


def test_settings_other_than_the_temperature_stand_above_the_items() -> None:
    value = {m: {f"top_p={p}": by_id(m, p) for p in HEATS} for m in MODELS}
    loaded = study_of(js("x.json", value), REFERENCES)
    assert loaded.study is not None
    found = {(run.model, run.settings.top_p): [*run.candidates.values()] for run in loaded.study.runs}
    assert found == {(m, p): [(text,) for text in in_order(m, p)] for m, p in BOTH}


def test_a_caption_taken_from_a_raw_output_is_the_models() -> None:
    """The caption is not a reference, since another file has the references."""
    rows = [
        {"image": id, "raw_output": f"ASSISTANT: {text}</s>", "caption": text} for id, text in by_id("m", 1).items()
    ]
    loaded = study_of(js("m.json", rows), REFERENCES)
    assert captions(loaded) == {("m", None): in_order("m", 1)}
    assert loaded.study is not None
    assert {item.id: item.references for item in loaded.study.items} == WRITTEN


def test_all_columns_of_references_without_a_header_are_read() -> None:
    wide = sheet("wide.tsv", [[id, *WRITTEN[id], f"{SCENES[k]} again"] for k, id in enumerate(IDS)], mark="\t")
    loaded = study_of(js("m.json", by_id("m", 1)), references=[wide])
    assert loaded.study is not None
    assert {len(item.references) for item in loaded.study.items} == {3}


def test_of_a_number_and_a_picture_the_other_file_knows_one() -> None:
    rows = [{"image": f"a/{id}", "image_id": k, "caption": text} for k, (id, text) in enumerate(by_id("m", 1).items())]
    assert captions(study_of(js("m.json", rows), REFERENCES)) == {("m", None): in_order("m", 1)}


def test_a_split_without_records_and_numbered_keys_before_a_blank() -> None:
    rows = [{"image": id, "caption": WRITTEN[id], "generated_text": said("m", 1, id)} for id in IDS]
    loaded = study_of(js("m.json", {"train": [], "test": rows}))
    assert captions(loaded) == {("m", None): in_order("m", 1)}
    numbered = "\n".join(f"{id}#{k} {text}" for id in IDS for k, text in enumerate(WRITTEN[id]))
    lines = "\n".join(f"{id} {text}" for id, text in by_id("m", 1).items())
    plain = study_of(("token.txt", numbered.encode()), ("m.txt", lines.encode()))
    assert captions(plain) == captions(loaded)
    assert plain.study is not None
    assert {item.id: item.references for item in plain.study.items} == WRITTEN


def test_the_point_of_a_number_in_a_name_is_none_of_a_path() -> None:
    told = {"Model A (T=0.5)": ("Model A", 0.5), "Model A (T=1)": ("Model A", 1.0), "Model B": ("Model B", None)}
    rows = [{"image": id, "gold": WRITTEN[id], **{name: said(name, 1, id) for name in told}} for id in IDS]
    loaded = study_of(js("x.json", rows))
    assert captions(loaded) == {run: in_order(name, 1) for name, run in told.items()}
    assert loaded.study is not None
    assert [run.name for run in loaded.study.runs] == [*told]


def test_a_column_for_each_model_and_one_for_each_sample() -> None:
    wide = [["image", *MODELS], *([id, *(said(m, None, id) for m in MODELS)] for id in IDS)]
    expected = {(m, None): in_order(m, None) for m in MODELS}
    assert captions(study_of(sheet("wide.csv", wide), REFERENCES)) == expected
    assert [one.code for one in load_study([sheet("wide.csv", wide)]).errors] == ["no_columns"]
    samples = [[id, *(f"{said('alpha', None, id)} {k}" for k in range(3))] for id in IDS]
    found = captions(study_of(sheet("alpha.csv", [["image", "sample1", "sample2", "sample3"], *samples]), REFERENCES))
    assert found == {("alpha", None): [text for row in samples for text in row[1:]]}


def test_a_column_of_another_text_or_of_a_misspelt_name_is_not_taken_for_a_model() -> None:
    """A message proposes a map that reads the first file; the second file gets a hint about its spelling."""
    asked = [["image", "about", *MODELS], *([id, "What is in it?", *(said(m, 1, id) for m in MODELS)] for id in IDS)]
    loaded = load_study([sheet("wide.csv", asked), REFERENCES])
    (refused,) = (one for one in loaded.findings if one.code == "no_columns")
    assert "--map id=image,candidates=alpha+beta" in refused.repair
    reading = Reading(columns=Columns(id=("image",), captions=MODELS))
    again = study_of(sheet("wide.csv", asked), REFERENCES, overrides={"wide.csv": reading})
    assert captions(again) == {(m, None): in_order(m, 1) for m in MODELS}
    misspelt = [["image", "predicton", "refernce"], *([id, said("alpha", 1, id), *WRITTEN[id][:1]] for id in IDS)]
    loaded = load_study([sheet("wide.csv", misspelt), REFERENCES])
    assert any(one.code == "no_columns" and "`prediction`" in one.repair for one in loaded.findings)


@pytest.mark.parametrize("header", [["image", "source", "caption"], ["image", "author", "text"]])
def test_rows_by_people_beside_rows_of_models(header: list[str]) -> None:
    """People's rows are told apart, and a repair turns them into references."""
    rows = [[id, "human", text] for id in IDS for text in WRITTEN[id]]
    rows += [[id, model, said(model, None, id)] for model in MODELS for id in IDS]
    loaded = repair(study_of(sheet("all.csv", [header, *rows])), ["people_as_references"])
    assert captions(loaded) == {(m, None): in_order(m, None) for m in MODELS}
    assert loaded.study is not None
    assert {item.id: item.references for item in loaded.study.items} == WRITTEN


def test_a_column_says_of_rows_without_a_model_that_people_wrote_them() -> None:
    rows = [[id, "reference", "", text] for id in IDS for text in WRITTEN[id]]
    rows += [[id, "generated", model, said(model, None, id)] for model in MODELS for id in IDS]
    header = ["image", "type", "model", "caption"]
    loaded = repair(study_of(sheet("all.csv", [header, *rows])), ["people_as_references"])
    assert captions(loaded) == {(m, None): in_order(m, None) for m in MODELS}


def test_the_source_of_an_image_is_no_author() -> None:
    rows = [[id, "flickr" if k % 2 else "coco", said("alpha", None, id)] for k, id in enumerate(IDS)]
    loaded = study_of(sheet("alpha.csv", [["image", "source", "caption"], *rows]), REFERENCES)
    assert captions(loaded) == {("alpha", None): in_order("alpha", None)}


def test_captions_references_scores_and_ratings_in_one_sheet() -> None:
    header = ["image", "model", "temperature", "caption", "reference", "BLEU", "rating (1-5)"]
    rows = [[id, m, t, said(m, t, id), WRITTEN[id][0], 0.3, 1 + k] for m, t in BOTH for k, id in enumerate(IDS)]
    loaded = study_of(sheet("all.csv", [header, *rows]))
    assert captions(loaded) == {(m, t): in_order(m, t) for m, t in BOTH}
    assert loaded.study is not None
    assert [item.references for item in loaded.study.items] == [WRITTEN[id][:1] for id in IDS]
    ratings = loaded.study.runs[0].human or {}
    assert [of["rating (1-5)"] for of in ratings.values()] == [{"": k} for k in range(1, 6)]


@pytest.mark.parametrize("run", ["model", "sys"])
def test_captions_ratings_and_scores_in_one_sheet(run: str) -> None:
    """Elsewhere, `sys` may be the name of a column of captions; adequacy can only be a rating."""
    header = ["SPICE", run, "caption", "adequacy", "photo"]
    rows = [[0.1 * k, m, said(m, None, id), k, id] for m in MODELS for k, id in enumerate(IDS, 1)]
    loaded = study_of(sheet("eval.csv", [header, *rows]), REFERENCES)
    assert captions(loaded) == {(m, None): in_order(m, None) for m in MODELS}
    assert loaded.study is not None
    assert [one.name for one in loaded.study.scores] == ["SPICE"]
    assert all(run.human for run in loaded.study.runs)


def test_a_rating_of_rows_with_several_models_is_said_to_be_of_the_item() -> None:
    header = ["image", "reference 1", "reference 2", *MODELS, "rating"]
    rows = [[id, *WRITTEN[id], *(said(m, None, id) for m in MODELS), 4] for id in IDS]
    loaded = study_of(sheet("all.csv", [header, *rows]))
    assert captions(loaded) == {(m, None): in_order(m, None) for m in MODELS}
    assert any(one.code == "metadata_columns" and "rating" in one.problem for one in loaded.findings)


RECORDS = [{"image": id, "caption": said("alpha", None, id)} for id in IDS]
LINES = [json.dumps(row) for row in RECORDS]


@pytest.mark.parametrize(
    "text",
    [
        ",\n".join(LINES) + ",\n",
        "".join(LINES),
        "\n".join(json.dumps(row, indent=2) for row in RECORDS),
        "[" + ",\n".join(LINES) + ",\n]",
        repr(RECORDS),
        "\n".join(map(repr, RECORDS)),
        json.dumps([{**row, "note": "a, ] , } b"} for row in RECORDS])[:-1] + ", ]",
    ],
)
def test_nearly_json_is_read_with_a_warning(text: str) -> None:
    loaded = study_of(("alpha.json", text.encode()), REFERENCES)
    assert captions(loaded) == {("alpha", None): in_order("alpha", None)}
    assert [one.severity for one in loaded.findings if one.code == "json_mended"] == ["warning"]
    assert "5 records" in next(one.problem for one in loaded.findings if one.code == "json_mended")


@pytest.mark.parametrize("text", ["{'a': __import__('os')}", "{'a': {1, 2}}", "".join(LINES)[:-9], "const x = []"])
def test_what_is_no_json_is_refused(text: str) -> None:
    loaded = load_study([("alpha.json", text.encode()), REFERENCES])
    assert [one.severity for one in loaded.findings if one.code == "bad_json"] == ["error"]


def test_numbered_lines_are_a_runs_if_another_file_has_the_references() -> None:
    """Flickr8k numbers people's captions as in `kite.jpg#0`, but models' captions are often numbered like that, too."""
    lines = "\n".join(f"{id}#{k}\t{said('alpha', k, id)}" for id in IDS for k in range(2)).encode()
    loaded = study_of(("alpha.txt", lines), REFERENCES)
    assert captions(loaded) == {("alpha", None): [said("alpha", k, id) for id in IDS for k in range(2)]}
    alone = study_of(("Flickr8k.token.txt", lines), js("alpha.json", by_id("alpha", None))).study
    assert alone is not None
    assert {len(item.references) for item in alone.items} == {2}


def test_a_markdown_table_with_a_row_too_many_and_escaped_bars() -> None:
    rows = [f"| {id} | a \\| b {id} |" for id in IDS]
    text = "\n".join(["| image | caption |", "|---|---|", *rows, "| x | y | z |", ""])
    loaded = study_of(("alpha.md", text.encode()), REFERENCES)
    assert captions(loaded) == {("alpha", None): [f"a | b {id}" for id in IDS]}
    assert [one.record for one in loaded.findings if one.code == "bad_row"] == ["line 8"]


def test_the_map_that_a_refusal_proposes_is_filled_in_on_the_page() -> None:
    rows = [
        ["image", "about", *MODELS],
        *([id, "What is it?", *(said(m, 1, id) for m in MODELS)] for id in IDS),
    ]
    loaded = load_study([sheet("wide.csv", rows), REFERENCES])
    assert loaded.fields["wide.csv"].roles == {"image": "id"} | dict.fromkeys(MODELS, "candidates")
    reading = Reading(columns=Columns(id=("image",), captions=MODELS))
    again = study_of(sheet("wide.csv", rows), REFERENCES, overrides={"wide.csv": reading})
    assert captions(again) == {(m, None): in_order(m, 1) for m in MODELS}


def test_sheets_of_one_header_are_runs_and_a_sheet_of_notes_comes_first() -> None:
    rows = {model: [["image", "caption"], *([id, said(model, None, id)] for id in IDS)] for model in MODELS}
    people = [["image", "caption"], *([id, text] for id in IDS for text in WRITTEN[id])]
    book = workbook((), Notes=[["Captions of May"], ["made by hand"]], references=people, **rows)
    loaded = repair(study_of(("all.xlsx", book)), ["people_as_references"])
    assert captions(loaded) == {(m, None): in_order(m, None) for m in MODELS}
    assert loaded.study is not None
    assert {item.id: item.references for item in loaded.study.items} == WRITTEN
    (left,) = (one for one in loaded.findings if one.code == "other_sheets")
    assert "Notes" in left.problem


def test_a_header_of_two_rows_whose_upper_one_begins_empty() -> None:
    above, below = ["", "Human", "", "Model", ""], ["image", "1", "2", *MODELS]
    rows = [[id, *WRITTEN[id], *(said(m, None, id) for m in MODELS)] for id in IDS]
    loaded = study_of(sheet("all.csv", [above, below, *rows]))
    assert captions(loaded) == {(f"Model {m}", None): in_order(m, None) for m in MODELS}
    assert loaded.study is not None
    assert {item.id: item.references for item in loaded.study.items} == WRITTEN
