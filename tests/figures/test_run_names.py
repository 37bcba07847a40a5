"""Test the short names of runs: the model and what distinguishes its runs; no two names may be equal."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from data.run_settings import parse_name
from data.study import Run, Settings
from figures.style.line_styles import label_of_run, marks_of
from figures.style.run_names import distinct_parts, in_sentence, pair_names, shared_model, short_names, with_short_names


def named(*names: str, model: str = "Oracle") -> list[str]:
    return list(short_names([Run(name, model, Settings(), {}) for name in names]).values())


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("Oracle T=1.0", "Oracle\u00a0·\u00a0T\u00a01.0"),
        ("Oracle top_p=0.8", "Oracle\u00a0·\u00a0top-p\u00a00.8"),
        ("Oracle greedy", "Oracle\u00a0·\u00a0greedy"),
        ("Oracle", "Oracle"),
        ("Oracle_temp0.25-wide", "Oracle\u00a0·\u00a0T\u00a00.25-wide"),
        ("Oracle t=1", "Oracle\u00a0·\u00a0T\u00a01.0"),
        ("Oracle-t5", "Oracle\u00a0·\u00a0t5"),
        ("Oracle-t1.5b", "Oracle\u00a0·\u00a0t1.5b"),
        ("Oracle beam t.70", "Oracle\u00a0·\u00a0beam\u00a0·\u00a0T\u00a00.7"),
        ("Oracle_t0.7_topk_k40_s2", "Oracle\u00a0·\u00a0top-k\u00a040\u00a0·\u00a0T\u00a00.7\u00a0·\u00a0seed\u00a02"),
        ("Oracle T=0.5 (seed 3)", "Oracle\u00a0·\u00a0T\u00a00.5\u00a0·\u00a0seed\u00a03"),
        ("Oracle nucleus_p0.9", "Oracle\u00a0·\u00a0nucleus\u00a00.9"),
        ("Oracle T=hot", "Oracle\u00a0·\u00a0T=hot"),
        ("another T=1.0", "another T=1.0"),
    ],
)
def test_a_name_of_model_and_setting_is_shortened(name: str, short: str) -> None:
    assert named(name) == [short]


@pytest.mark.parametrize(
    ("name", "model", "short"),
    [
        ("nucleus", "nucleus", "nucleus"),
        ("top_k", "top_k", "top-k"),
        ("nucleus0.9@T=0.5", "nucleus", "nucleus\u00a00.9\u00a0·\u00a0T\u00a00.5"),
        ("topk10@T=1.5", "top_k", "top-k\u00a010\u00a0·\u00a0T\u00a01.5"),
        ("nucleus_p0.9_t0.5_s0", "nucleus", "nucleus\u00a00.9\u00a0·\u00a0T\u00a00.5\u00a0·\u00a0seed\u00a00"),
        ("topk_k10_t0.5", "top_k", "top-k\u00a010\u00a0·\u00a0T\u00a00.5"),
        ("nucleus", "a model", "nucleus"),
        ("my best", "nucleus", "my best"),
    ],
)
def test_a_run_named_by_its_decoder_is_called_as_decoders_are(name: str, model: str, short: str) -> None:
    assert named(name, model=model) == [short]


def test_a_bare_number_is_a_temperature_where_the_run_has_it() -> None:
    runs = [Run(f"Oracle@{end}", "Oracle", Settings(temperature=0.5), {}) for end in (".5", "7")]
    assert list(short_names(runs).values()) == ["Oracle\u00a0·\u00a0T\u00a00.5", "Oracle\u00a0·\u00a07"]


def test_two_runs_never_get_one_name() -> None:
    assert named("Oracle T=1.0", "Oracle_T=1.0") == ["Oracle T=1.0", "Oracle_T=1.0"]


def test_long_names_are_called_by_what_differs_between_models() -> None:
    head, tail = "vision-language-transformer-large", "finetuned-on-coco_karpathy"
    models = [f"{head}-{size}-{tail}" for size in ("v1", "v2-wide")]
    runs = [Run(f"{model}_t{t}", model, Settings(), {}) for model in models for t in (0.3, 1.0)]
    assert list(short_names(runs).values()) == [
        f"{model}\u00a0·\u00a0T\u00a0{t}" for model in ("v1", "v2-wide") for t in (0.3, 1.0)
    ]
    seeds = [f"blip2-opt-2.7b-coco-finetuned_seed-{k:03d}" for k in range(3)]
    assert distinct_parts(seeds) == ["seed-000", "seed-001", "seed-002"]


def test_long_names_lose_the_hub_and_the_settings_that_all_runs_state() -> None:
    of_hubs = ["Salesforce/blip2-opt-2.7b-coco", "llava-hf/llava-1.5-7b-hf", "Qwen/Qwen2-VL-7B-Instruct"]
    bare = ["blip2-opt-2.7b-coco", "llava-1.5-7b-hf", "Qwen2-VL-7B-Instruct"]
    assert distinct_parts(of_hubs) == distinct_parts([name.replace("/", "__") for name in of_hubs]) == bare
    plain = ["HuggingFaceTB/SmolVLM-Instruct", "vikhyatk/moondream2"]
    for hubs in (of_hubs + plain, [name.replace("/", "__") for name in of_hubs + plain]):
        assert distinct_parts(hubs) == [*bare, "SmolVLM-Instruct", "moondream2"]
    for own in (
        ["my_first_model__ablation-1", "the_other_model__ablation-2"],
        ["a_captioner__large", "b_captioner__base"],
    ):
        assert distinct_parts(own) == own
    assert distinct_parts([same := "one/blip2-opt-2.7b-coco", "two/blip2-opt-2.7b-coco"])[0] != "blip2-opt-2.7b-coco"
    assert distinct_parts(kept := [same, "trained-on-flickr/greedy"])[1] == kept[1]
    models = ("blip2-opt-2.7b", "git-large-coco")
    alike = study_of(*(f"{model}_t0.7_top_p0.9_s{k}" for model in models for k in (1, 2)))
    assert list(short_names(alike).values()) == [f"{m}\u00a0·\u00a0seed\u00a0{k}" for m in models for k in (1, 2)]
    hot = study_of(*(f"{model}_t{t}_top_p0.9" for model in models for t in (0.7, 1.0)))
    assert list(short_names(hot).values()) == [f"{m}\u00a0·\u00a0T\u00a0{t}" for m in models for t in (0.7, 1.0)]
    one = study_of("blip2-opt-2.7b_t0.7_top_p0.9")
    assert list(short_names(one).values()) == ["blip2-opt-2.7b\u00a0·\u00a0top-p\u00a00.9\u00a0·\u00a0T\u00a00.7"]


def test_two_runs_that_are_compared_lose_a_seed_that_both_have() -> None:
    given = (*(f"{model}_t0.7_seed{k}" for model in ("blip", "git") for k in (1, 2)), "blip_t1.0_seed1")
    names = short_names(study_of(*given))
    bare = ("blip\u00a0·\u00a0T\u00a00.7", "git\u00a0·\u00a0T\u00a00.7")
    assert pair_names(names, "blip_t0.7_seed1", "git_t0.7_seed1") == bare
    assert pair_names(names, "blip_t0.7_seed1", "git_t0.7_seed2")[1] == f"{bare[1]}\u00a0·\u00a0seed\u00a02"
    assert pair_names(names, "blip_t0.7_seed1", "blip_t0.7_seed1") == (names["blip_t0.7_seed1"],) * 2


@pytest.mark.parametrize(
    "names",
    [
        ["Oracle", "Oracle-2"],
        ["a-very-long-name-of-a-model-one"],
        ["a-very-long-name-of-a-model", "a-very-long-name-of-a-model-two"],
        ["the-first-of-two-long-names", "another-long-name-of-a-model"],
    ],
)
def test_names_that_share_nothing_or_would_be_empty_stay(names: list[str]) -> None:
    assert distinct_parts(names) == names


def test_a_table_has_short_names_where_runs_stand_and_leaves_captions_alone() -> None:
    """If several names fit, the longest is replaced; part of a name never is."""
    names = {"A T=1": "A · 1", "A T=1.5": "A · 1.5", "B": "B"}
    frame = pd.DataFrame(
        {
            "Run": ["A T=1", "A T=1.5", "A T=12"],
            "Runs": ["A T=1.5, A T=1", "B", ""],
            "Caption": ["A T=1", "A T=1.5", "B"],
            "A T=1.5 (A)": [1.0, 2.0, 3.0],
        }
    )
    shown = with_short_names(frame, names)
    assert list(shown["Run"]) == ["A · 1", "A · 1.5", "A T=12"]
    assert list(shown["Runs"]) == ["A · 1.5, A · 1", "B", ""]
    assert list(shown["Caption"]) == ["A T=1", "A T=1.5", "B"]
    assert list(shown.columns) == ["Run", "Runs", "Caption", "A · 1.5 (A)"]
    assert list(frame["Run"]) == ["A T=1", "A T=1.5", "A T=12"], "the table itself is data"


def test_lone_runs_are_named_by_their_decoder_else_without_the_model() -> None:
    def named(name: str, model: str, *others: str, decoders: tuple[str | None, ...] = ()) -> str:
        given = [*decoders, *[None] * (1 + len(others) - len(decoders))]
        runs = [
            Run(n, m, Settings(decoder=d), {}) for n, m, d in zip((name, *others), [model] * (1 + len(others)), given)
        ]
        return label_of_run(runs, runs[0])

    assert named("Oracle greedy", "Oracle", "Oracle beam") == "greedy"
    assert named("Oracle greedy", "Oracle") == "Oracle\u00a0·\u00a0greedy"
    assert named("greedy", "Oracle", "beam") == "greedy"
    assert named("Oracle", "Oracle", "beam") == "Oracle"
    assert named("Oracle b", "Oracle", "Oracle c", decoders=("beam5", "greedy")) == "beam 5"
    assert named("Oracle b", "Oracle", "Oracle c", decoders=("beam5", "beam 5")) == "b"


def study_of(*names: str) -> list[Run]:
    return [Run(name, *parse_name(name), {}) for name in names]


def test_a_model_that_all_runs_share_is_left_out_of_long_labels() -> None:
    runs = study_of(*(f"ngram-7b_{s}_s{k}" for s in ("sampling@T0.1", "nucleus0.9@T0.5") for k in (0, 1)))
    assert list(short_names(runs).values())[1:3] == [
        "sampling\u00a0·\u00a0T\u00a00.1\u00a0·\u00a0seed\u00a01",
        "nucleus\u00a00.9\u00a0·\u00a0T\u00a00.5\u00a0·\u00a0seed\u00a00",
    ]
    assert shared_model(runs) == "ngram-7b"
    retrieval = [Run(f"ngram-7b_retrieval_s{k}", "ngram-7b_retrieval", Settings(seed=k), {}) for k in (0, 1)]
    assert short_names([*runs, *retrieval])["ngram-7b_retrieval_s1"] == "retrieval\u00a0·\u00a0seed\u00a01"
    setting = [replace(run, model="ngram-7b", settings=replace(run.settings, decoder="retrieval")) for run in retrieval]
    assert short_names([*runs, *setting])["ngram-7b_retrieval_s1"] == "retrieval\u00a0·\u00a0seed\u00a01"


@pytest.mark.parametrize(
    "names",
    [
        ["ngram-7b_sampling@T0.1_s0"],
        ["ngram-7b_T0.1", "ngram-7b_T0.5"],
        ["ngram-7b_sampling@T0.1_s0", "ngram-7b"],
        ["ngram-7b_sampling@T0.1_s0", "ngram-7b-instruct_sampling@T0.5_s1"],
        ["ngram-7b_sampling@T0.1_s0", "ngram-70b_sampling@T0.5_s1", "ngram"],
        ["ngram-7b_sampling@T0.1_s0", "ngram-7bx"],
    ],
)
def test_a_model_stays_where_labels_are_short_or_would_not_say_whose_a_setting_is(names: list[str]) -> None:
    runs = study_of(*names)
    assert shared_model(runs) == ""
    assert all(short.startswith(("ngram-7", "ngram")) for short in short_names(runs).values())


def test_a_seed_is_left_out_where_it_tells_no_two_runs_apart() -> None:
    names = ("A_sampling@T0.1_s0", "B_sampling@T0.1_s0", "B_sampling@T0.5_s0", "B_sampling@T0.5_s1")
    first, *rest = short_names(study_of(*names)).values()
    assert first == "A\u00a0·\u00a0T\u00a00.1"
    assert ["seed" in name for name in rest] == [False, True, True]
    assert len(set(short_names(study_of("A T=1", "A T=1 (seed 0)")).values())) == 2


def test_a_line_of_a_shared_model_is_named_by_its_decoder() -> None:
    runs = study_of(*(f"ngram-7b_{s}_s0" for s in ("sampling@T0.1", "sampling@T0.5", "nucleus0.9@T0.5", "greedy")))
    assert sorted(mark.name for mark in marks_of(runs).values()) == ["nucleus 0.9", "sampling"]


def test_a_sentence_has_short_names_but_keeps_words_that_are_also_names() -> None:
    names = {"blip_t0.5": "blip", "blip_t0.5_b": "blip b", "empty": "no"}
    said = "Run blip_t0.5 is empty; so are blip_t0.5_b and blip_t0.55."
    assert in_sentence(said, names) == "Run blip is empty; so are blip b and blip_t0.55."
    assert in_sentence(said, {}) == said
    files = "The same content as blip_t0.5.jsonl, not out/blip_t0.5; see blip_t0.5."
    assert in_sentence(files, {"blip_t0.5": "blip"}) == files.removesuffix("blip_t0.5.") + "blip."
