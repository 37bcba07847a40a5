"""Test what file names state: that files are parts of one file, which run they are of, and which results belong to
it.
"""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from data.across_files.file_names import together
from data.load import load_study
from data.study import Study
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN
from tests.data.test_archives import zipped
from tests.data.test_published_layouts import codes

ALL = dict(zip(IDS, WRITTEN))
TIMES = ("2025-05-01T10-00-00.123456", "2025-05-02T11-00-00.654321")
MODELS = ("lab/blip", "lab/llava")


CROSSED = ["blip t0.3", "blip t1.0", "git t0.3", "git t1.0"]


def read(*files: Any) -> Study:
    found = load_study(list(files))
    assert found.study is not None, [one.problem for one in found.findings]
    return found.study


def parquet(rows: list[dict[str, Any]]) -> bytes:
    out = io.BytesIO()
    pd.DataFrame(rows).to_parquet(out)
    return out.getvalue()


@pytest.mark.parametrize("endings", [("00000-of-00002", "00001-of-00002"), ("00000-of-00002-9f8a7b6c5d4e3f2a",) * 2])
@pytest.mark.parametrize("split", ["val", "captions_test"])
def test_shards_of_captions_by_people_are_one_file(split: str, endings: tuple[str, str]) -> None:
    """Files are named as on the hub, which adds a hash to some names; no field states who wrote the captions."""
    endings = (endings[0], endings[1].replace("00000-of", "00001-of"))
    rows = [{"image_id": id, "caption": list(texts)} for id, texts in zip(IDS, WRITTEN)]
    shards = [(f"{split}-{end}.parquet", parquet(of)) for end, of in zip(endings, (rows[:2], rows[2:]))]
    made = json.dumps([{"image_id": id, "caption": text} for id, text in zip(IDS, SAID)]).encode()
    study = read(*shards, ("blip.json", made))
    assert {item.id: item.references for item in study.items} == ALL
    assert [run.name for run in study.runs] == ["blip"]


def test_the_parts_of_a_data_set_are_captions_by_people_together() -> None:
    rows = [{"image_id": id, "caption": list(texts)} for id, texts in zip(IDS, WRITTEN)]
    names = ("train-00000-of-00001.parquet", "validation-00000-of-00001.parquet")
    made = json.dumps([{"image_id": id, "caption": text} for id, text in zip(IDS, SAID)]).encode()
    study = read(*zip(names, map(parquet, (rows[:2], rows[2:]))), ("blip.json", made))
    assert {item.id: item.references for item in study.items} == ALL
    assert [run.name for run in study.runs] == ["blip"]


def test_shards_with_a_hash_are_one_run() -> None:
    rows = [{"image_id": id, "prediction": text} for id, text in zip(IDS, SAID)]
    names = ("blip-00000-of-00002-9f8a7b6c5d4e3f2a.parquet", "blip-00001-of-00002-0a1b2c3d4e5f6a7b.parquet")
    study = read(*zip(names, (parquet(rows[:2]), parquet(rows[2:]))), KNOWN)
    assert [(run.name, len(run.candidates)) for run in study.runs] == [("blip", 3)]


def details(times: tuple[str, ...], models: tuple[str, ...] = MODELS) -> dict[str, bytes]:
    files = {}
    for k, (time, model) in enumerate(zip(times, models)):
        rows = [
            {"doc": {"id": id, "choices": list(refs)}, "model_response": {"text": [f"{text} {k}"]}}
            for id, refs, text in zip(IDS, WRITTEN, SAID)
        ]
        name = f"details_lighteval|a_task_with_a_long_name|0_{time}.parquet"
        told = {"lighteval|a|0": {"rouge1": 0.25 + k, "rouge1_stderr": 0.1}, "all": {"rouge1": 9}}
        files[f"out/details/{model}/{time}/{name}"] = parquet(rows)
        results = {"config_general": {"model_name": model, "lighteval_sha": "?"}, "results": told}
        files[f"out/results/{model}/results_{time}.json"] = json.dumps(results).encode()
    return files


@pytest.mark.parametrize("times", [TIMES, TIMES[:1] * 2])
def test_details_of_lighteval_name_the_same_runs_in_a_folder_and_in_an_archive(
    tmp_path: Path, times: tuple[str, ...]
) -> None:
    files = details(times)
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        archive.add(tmp_path / "out", "out")
    folder = load_study(sorted(path for path in tmp_path.rglob("*") if path.is_file()))
    for found in (folder, load_study([("x.zip", zipped(files))]), load_study([("x.tar.gz", packed.getvalue())])):
        assert found.study is not None
        names = [model if times == TIMES else model.removeprefix("lab/") for model in MODELS]
        assert [run.name for run in found.study.runs] == names
        assert not [one.problem for one in found.findings if one.severity == "error"]
        (scores,) = (one for one in found.study.scores if one.name == "rouge1")
        assert scores.grain == "run"
        assert [scores.values[name][""] for name in names] == [(0.25,), (1.25,)]


def test_the_nearest_folder_in_an_archive_that_differs_names_a_run() -> None:
    rows = {model: [{"id": id, "prediction": f"{text} {model}"} for id, text in zip(IDS, SAID)] for model in ("a", "b")}
    files = {f"{model}/output/predictions.json": json.dumps(of).encode() for model, of in rows.items()}
    study = read(("all.zip", zipped(files)), KNOWN)
    assert [run.name for run in study.runs] == ["a", "b"]


@pytest.mark.parametrize("name", ["samples_coco_2025-05-01T10-00-00.123.jsonl", "20250501_100000_samples_coco.jsonl"])
def test_samples_of_one_model_are_named_by_its_folder(tmp_path: Path, name: str) -> None:
    rows = [
        {"doc_id": k, "target": refs[0], "filtered_resps": [text]} for k, (refs, text) in enumerate(zip(WRITTEN, SAID))
    ]
    content = "\n".join(map(json.dumps, rows)).encode()
    (tmp_path / "lab__blip").mkdir()
    (tmp_path / "lab__blip" / name).write_bytes(content)
    for given in (tmp_path, tmp_path / "lab__blip" / name, ("x.zip", zipped({f"out/lab__blip/{name}": content}))):
        assert [run.name for run in read(given).runs] == ["lab__blip"]


@pytest.mark.parametrize("time", ["20250501_100000", "20250501", "2025-05-01T10-00-00.123"])
def test_results_beside_the_samples_of_one_model_are_its_scores(time: str) -> None:
    """The file of samples names no model; the name of a results file by lmms-eval begins with a day or a time."""
    rows = [
        {"doc_id": k, "target": list(refs), "filtered_resps": [text], "c_CIDEr": {"image_id": id, "pred": text}}
        for k, (id, refs, text) in enumerate(zip(IDS, WRITTEN, SAID))
    ]
    told = {"results": {"coco": {"c_CIDEr,none": 0.7, "alias": "coco"}}, "model_name": "lab/blip"}
    samples = "\n".join(map(json.dumps, rows)).encode()
    found = load_study([(f"{time}_samples_coco.jsonl", samples), (f"{time}_results.json", json.dumps(told).encode())])
    assert found.study is not None
    assert [run.name for run in found.study.runs] == ["lab/blip"]
    assert found.study.scores[0].values["lab/blip"] == {"": (0.7,)}
    assert not {"score_none", "score_unknown"} & set(codes(found))
    both = [
        (f"lab__{model}/{time}_{name}", of.replace(b"blip", model.encode()).replace(b" a ", f" {model} ".encode()))
        for model in ("blip", "ofa")
        for name, of in (("samples_coco.jsonl", samples), ("results.json", json.dumps(told).encode()))
    ]
    loaded = load_study(both)
    assert loaded.study is not None
    assert loaded.study.scores[0].values == {"lab__blip": {"": (0.7,)}, "lab__ofa": {"": (0.7,)}}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["blip/2026-05-01/p.json", "git/2026-05-02/p.json"], ["blip", "git"]),
        (["blip/2026-05-01/10-00-00/p.json", "git/2026-05-01/11-00-00/p.json"], ["blip", "git"]),
        (["blip/2026-05-01.json", "git/2026-05-02.json"], ["blip", "git"]),
        (["blip/infer_result/20260501-101200.json", "git/infer_result/20260501-101201.json"], ["blip", "git"]),
        (["blip/output/p.json", "git/results/p.json"], ["blip", "git"]),
        (["blip/p.json", "git/output/p.json"], ["blip", "git"]),
        (["2026-05-01/p.json", "2026-05-02/p.json"], ["2026-05-01", "2026-05-02"]),
        (["output/p.json", "results/p.json"], ["output", "results"]),
        (["gpt-4o-2024-05-13/p.json", "gpt-4o-2024-08-06/p.json"], ["gpt-4o-2024-05-13", "gpt-4o-2024-08-06"]),
    ],
)
def test_dates_and_words_of_steps_name_no_runs_beside_folders_that_do(
    paths: list[str], names: list[str], packed: bool, tmp_path: Path
) -> None:
    assert [run.name for run in in_folders(paths, packed, tmp_path).runs] == names


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["blip/t0.3/p.json", "blip/t1.0/p.json"], ["blip t0.3", "blip t1.0"]),
        (
            ["blip/t0.3/p.json", "blip/t1.0/p.json", "git/t0.3/p.json", "git/t1.0/p.json", "human/p.json"],
            CROSSED,
        ),
        (["blip/p.json", "blip/t0.3/p.json"], ["blip", "blip t0.3"]),
        (["blip/output/t0.3/p.json", "git/output/t0.3/p.json"], ["blip t0.3", "git t0.3"]),
        (
            ["blip/t0.3/output/20260501-101200.json", "blip/t1.0/output/20260501-101300.json"],
            ["blip t0.3", "blip t1.0"],
        ),
        (["blip/greedy/p.json", "blip/beam5/p.json", "git/greedy/p.json"], ["blip beam5", "blip greedy", "git greedy"]),
        (["results/t0.3/p.json", "results/t1.0/p.json"], ["t0.3", "t1.0"]),
        ([f"t{t}/{name}.json" for t in ("0.3", "1.0") for name in ("blip", "git")], CROSSED),
        ([f"t{t}/{name}/p.json" for t in ("0.3", "1.0") for name in ("blip", "git")], CROSSED),
    ],
)
def test_a_folder_of_settings_belongs_to_that_of_the_model_above_it(
    paths: list[str], names: list[str], packed: bool, tmp_path: Path
) -> None:
    study = in_folders(paths, packed, tmp_path)
    assert sorted(run.name for run in study.runs) == names
    assert all(run.model in ("blip", "git") for run in study.runs if not run.name.startswith("t"))


def in_folders(paths: list[str], packed: bool, top: Path) -> Study:
    """Return the study in files of captions, read from an archive if `packed`, else from a folder.

    Files with "human" in their paths contain people's captions.
    """
    files = {
        path: json.dumps(
            {id: list(refs) if "human" in path else [f"{text} {path}"] for id, text, refs in zip(IDS, SAID, WRITTEN)}
        )
        for path in paths
    }
    beside = [] if any("human" in path for path in paths) else [KNOWN]
    if packed:
        return read(("x.zip", zipped({path: of.encode() for path, of in files.items()})), *beside)
    for path, of in files.items():
        (top / "runs" / path).parent.mkdir(parents=True, exist_ok=True)
        (top / "runs" / path).write_text(of)
    return read(top / "runs", *beside)


@pytest.mark.parametrize(
    ("names", "runs", "said"),
    [
        (["val2014_blip_results.json", "val2014_git_results.json"], 2, "val2014"),
        (["blip_t0.5.json", "blip_t1.0.json"], 2, "blip"),
        (["blip_temperature_0.3.json", "blip_temperature_0.7.json", "blip_greedy.json"], 3, "blip"),
        (["T=0.3.json", "T=0.7.json"], 2, "T=0.3 and T=0.7"),
        (["git.json", "blip.json"], 2, "blip and git"),
        (["git.json", "blip.json"], 40, "40 runs"),
        (["git.json", "blip.json", "ofa.json"], 3, "3 files"),
        (["results_a.json", "results_b.json", "results_c.json"], 3, "3 files"),
        (["Salesforce__blip2-opt-2.7b.json", "vikhyatk__moondream2.json", "Qwen__Qwen2-VL-7B.json"], 3, "3 files"),
        (
            ["HuggingFaceTB__SmolVLM-Instruct_t0.3.json", "HuggingFaceTB__SmolVLM-Instruct_t1.json"],
            2,
            "SmolVLM-Instruct",
        ),
        (["HuggingFaceTB__SmolVLM-Instruct.json"], 1, "SmolVLM-Instruct"),
        (["mine.zip/a.json", "mine.zip/b.json"], 2, "mine"),
        (["outputs.zip/a.json", "outputs.zip/b.json"], 2, "a and b"),
        (["a.json"], 1, "a"),
        (["people_a.json", "others.json"], 0, "2 files"),
    ],
)
def test_several_files_are_named_after_what_they_share_or_their_number(names: list[str], runs: int, said: str) -> None:
    assert together(names, runs) == together(names[::-1], runs) == said


def test_a_study_of_several_files_has_their_name_whatever_their_order() -> None:
    captions = json.dumps({id: said[:1] for id, said in ALL.items()}).encode()
    files = [(f"val_{run}.json", captions) for run in ("blip", "git")]
    references = ("people.json", json.dumps({id: said[1:] for id, said in ALL.items()}).encode())
    for given in (files, files[::-1]):
        found = load_study(given, [references]).study
        assert found is not None
        assert found.name == "val"
