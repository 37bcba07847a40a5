"""Test settings in run names, and the model name that remains."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.load import load_study
from data.run_settings import describe, parse_name, relabel, valid
from data.study import Settings

NAMES = {
    "vlp_t0.7_top_p0.9": ("vlp", Settings(temperature=0.7, top_p=0.9, decoder="nucleus")),
    "sampling@T=0.1": ("sampling", Settings(temperature=0.1, decoder="sampling")),
    "nucleus0.9@T=1.5": ("nucleus", Settings(temperature=1.5, top_p=0.9, decoder="nucleus")),
    "gpt-4.1 t0.3 top_p=1.0": ("gpt-4.1", Settings(temperature=0.3, top_p=1.0)),
    "llava Temp 0,2": ("llava", Settings(temperature=0.2)),
    "llava t1,5_top_p0,95": ("llava", Settings(temperature=1.5, top_p=0.95, decoder="nucleus")),
    "a,t=1,k=10": ("a", Settings(temperature=1.0, top_k=10, decoder="top_k")),
    "topk10@T=0.5": ("top_k", Settings(temperature=0.5, top_k=10, decoder="top_k")),
    "topk_k10_t0.5_s1": ("top_k", Settings(temperature=0.5, top_k=10, decoder="top_k", seed=1)),
    "vlp nucleus p=0.9": ("vlp", Settings(top_p=0.9, decoder="nucleus")),
    "topk10": ("top_k", Settings(top_k=10, decoder="top_k")),
    "greedy": ("greedy", Settings(decoder="greedy")),
    "m-RNN_beam10": ("m-RNN", Settings(decoder="beam10")),
    "OFA diverse beam search 5": ("OFA", Settings(decoder="diverse_beam5")),
    "temp=1.0": ("model", Settings(temperature=1.0)),
    "Oracle T=1.6 seed=4": ("Oracle", Settings(temperature=1.6, seed=4)),
    "blip2-t5-xl_t0.5": ("blip2-t5-xl", Settings(temperature=0.5)),
    "a,t=0.7,k=10": ("a", Settings(temperature=0.7, top_k=10, decoder="top_k")),
    "gpt_top-p=.95_top-k=50": ("gpt", Settings(top_p=0.95, top_k=50, decoder="sampling")),
    "model_t07": ("model", Settings(temperature=0.7)),
    "captions_val2014_fakecap_results": ("fakecap", Settings()),
    "T5": ("T5", Settings()),
    "ViT-L_14": ("ViT-L_14", Settings()),
    "CLIP-p32": ("CLIP-p32", Settings()),
    "Dai-et-al-2017": ("Dai-et-al-2017", Settings()),
    "retrieval": ("retrieval", Settings()),
    "alpha_t0.5_s2": ("alpha", Settings(temperature=0.5, seed=2)),
    "alpha_beam5-s10": ("alpha", Settings(decoder="beam5", seed=10)),
    "EfficientNet_s2": ("EfficientNet_s2", Settings()),
    "alpha_s2_t0.5": ("alpha_s2", Settings(temperature=0.5)),
    "alpha_t0.5_v_s2": ("alpha_v_s2", Settings(temperature=0.5)),
    "top_p1.7": ("top_p1.7", Settings()),
    "vlp (0.5, 2)": ("vlp (0.5, 2)", Settings()),
    "blip (base) T=0.5": ("blip (base)", Settings(temperature=0.5)),
    "blip (base, T=0.5)": ("blip (base)", Settings(temperature=0.5)),
    "blip (T=0.5)": ("blip", Settings(temperature=0.5)),
    "[T=0.5] blip": ("blip", Settings(temperature=0.5)),
    "contrastive": ("contrastive", Settings(decoder="contrastive")),
}


@pytest.mark.parametrize("name", NAMES)
def test_names(name: str) -> None:
    assert parse_name(name) == NAMES[name]


@pytest.mark.parametrize("apart", [True, False])
def test_a_comma_separates_numbers_if_another_name_shows_it(apart: bool) -> None:
    """The runs are in one file, or in a separate file each."""

    def models(*names: str) -> dict[str, tuple[str, float | None]]:
        runs = {name: {id: [f"{name} saw {id}"] for id in "123"} for name in names}
        files = list(runs.items()) if apart else [("all", {"runs": runs})]
        found = load_study([(f"{name}.json", json.dumps(value).encode()) for name, value in files])
        assert found.study is not None
        said = "; ".join(one.id for one in found.findings if one.code == "settings_from_name")
        assert said == "; ".join(f"{run.name}: temperature {run.settings.temperature}" for run in found.study.runs)
        return {run.name: (run.model, run.settings.temperature) for run in found.study.runs}

    assert models("m T=0.5,2", "m T=1,2") == {"m T=0.5,2": ("m_2", 0.5), "m T=1,2": ("m_2", 1.0)}
    assert models("m T=1,2", "m T=1,0.9") == {"m T=1,2": ("m_2", 1.0), "m T=1,0.9": ("m_0.9", 1.0)}
    assert models("m T=0,5", "m T=1,2") == {"m T=0,5": ("m", 0.5), "m T=1,2": ("m", 1.2)}
    assert models("m T=0.5,2", "m T=0,7") == {"m T=0.5,2": ("m_2", 0.5), "m T=0,7": ("m", 0.7)}


@given(st.text(max_size=40))
def test_any_name_gives_a_model_and_valid_settings(name: str) -> None:
    model, settings = parse_name(name)
    assert model or not name
    for field, value in vars(settings).items():
        assert value is None or valid(field, value) == value


@given(st.floats(0, 5).map(lambda t: round(t, 2)), st.floats(0.01, 1).map(lambda p: round(p, 2)))
def test_written_settings_are_read_again(temperature: float, top_p: float) -> None:
    model, settings = parse_name(f"My-Model_t{temperature}_top_p{top_p}")
    assert (model, settings.temperature, settings.top_p) == ("My-Model", temperature, top_p)


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("temperature", 1, 1.0),
        ("temperature", -0.1, None),
        ("temperature", float("nan"), None),
        ("temperature", True, None),
        ("temperature", 10**400, None),
        ("top_p", 0, None),
        ("top_p", 1, 1.0),
        ("top_k", 5.0, 5),
        ("top_k", 5.5, None),
        ("top_k", 0, None),
        ("seed", 0, 0),
        ("seed", "1", None),
        ("decoder", " beam5 ", "beam5"),
        ("decoder", 5, None),
    ],
)
def test_valid(field: str, value: object, expected: object) -> None:
    assert valid(field, value) == expected


def test_the_file_wins_also_where_it_says_that_nothing_is_known() -> None:
    content = {
        "runs": {"m_t0.7": {"temperature": None}, "k_t0.7": {"top_p": 0.5}},
        "items": [{"id": "1", "references": ["a", "b"], "candidates": {"m_t0.7": ["c"], "k_t0.7": ["d"]}}],
    }
    loaded = load_study([("x.json", json.dumps(content).encode())])
    study = loaded.study
    assert study is not None
    # Only settings taken from a name are reported as such.
    assert [finding.id for finding in loaded.findings if finding.code == "settings_from_name"] == [
        "k_t0.7: temperature 0.7"
    ]
    assert study.run("m_t0.7").settings == Settings()
    assert study.run("k_t0.7").settings == Settings(temperature=0.7, top_p=0.5)


def test_relabel_corrects_one_run() -> None:
    row = b'[{"id": "1", "references": ["a", "b"], "candidates": {"m": ["c"], "k": ["d"]}}]'
    study = load_study([("x.json", row)]).study
    assert study is not None
    corrected = relabel(study, {"m": ("Parrot", Settings(temperature=0.5))})
    assert (corrected.run("m").model, corrected.run("m").settings.temperature) == ("Parrot", 0.5)
    assert corrected.run("k") == study.run("k")
    assert describe(corrected.run("m").settings) == "temperature 0.5"


def test_seeds_are_read_from_numbered_names_only_where_several_runs_count_up() -> None:
    """A single name does not show that "-s1" is a seed, since it may be a size."""

    def read(*names: str) -> list[tuple[str, int | None]]:
        candidates = {name: ["c"] for name in names}
        row = json.dumps([{"id": "1", "references": ["a", "b"], "candidates": candidates}]).encode()
        study = load_study([("x.json", row)]).study
        assert study is not None
        return [(run.model, run.settings.seed) for run in study.runs]

    assert read("clip_retrieval_s0", "clip_retrieval_s1") == [("clip_retrieval", 0), ("clip_retrieval", 1)]
    assert read("vit-s1", "vit-s2", "bert-s2") == [("vit", 1), ("vit", 2), ("bert-s2", None)]
    assert read("vit-s2", "vit-s4") == [("vit-s2", None), ("vit-s4", None)]


def test_retrieval_is_a_setting_only_beside_other_settings_of_its_model() -> None:
    def read(*names: str) -> dict[str, tuple[str, str | None, int | None]]:
        candidates = {name: ["c"] for name in names}
        row = json.dumps([{"id": "1", "references": ["a", "b"], "candidates": candidates}]).encode()
        study = load_study([("x.json", row)]).study
        assert study is not None
        return {run.name: (run.model, run.settings.decoder, run.settings.seed) for run in study.runs}

    beside = read("clip_t0.5", "clip_retrieval", "blip-retrieval")
    assert beside["clip_retrieval"] == ("clip", "retrieval", None)
    assert beside["blip-retrieval"] == ("blip-retrieval", None, None)
    assert read("clip_greedy", "clip_retrieval_s0", "clip_retrieval_s1")["clip_retrieval_s1"] == (
        "clip",
        "retrieval",
        1,
    )
    assert read("clip", "clip_retrieval")["clip_retrieval"] == ("clip_retrieval", None, None)


def test_a_file_that_says_the_model_is_believed_before_numbered_names() -> None:
    content = {
        "runs": {name: {"model": name} for name in ("vit-s1", "vit-s2")},
        "items": [{"id": "1", "references": ["a", "b"], "candidates": {"vit-s1": ["c"], "vit-s2": ["d"]}}],
    }
    study = load_study([("x.json", json.dumps(content).encode())]).study
    assert study is not None
    assert [(run.model, run.settings.seed) for run in study.runs] == [("vit-s1", None), ("vit-s2", None)]
