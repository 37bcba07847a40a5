"""Test which runs are replicates: by settings, by name and by manual assignment."""

from __future__ import annotations

from dataclasses import replace

import pytest

from data.convert import to_jsonl_bytes
from data.load import load_study
from data.run_settings import parse_name, regroup, without_seed
from data.study import Run, Settings
from metrics.analysis.replicates.grouping import replicated, replicates
from tests.studies import study


def runs(*names: str) -> list[Run]:
    return [Run(name, *parse_name(name), {}) for name in names]


def groups(given: list[Run]) -> dict[str, tuple[str, ...]]:
    return {setting.name: setting.runs for setting in replicates(given)}


def test_names_that_state_a_seed() -> None:
    assert groups(runs("model_seed1", "other", "model_seed2")) == {
        "model": ("model_seed1", "model_seed2"),
        "other": ("other",),
    }
    assert groups(runs("model (seed 3)", "model (seed 4)")) == {"model": ("model (seed 3)", "model (seed 4)")}
    by_heat = groups(runs("m T=0.5 seed=1", "m T=0.5 seed=2", "m T=1.0 seed=1"))
    assert by_heat == {"m T=0.5": ("m T=0.5 seed=1", "m T=0.5 seed=2"), "m T=1.0 seed=1": ("m T=1.0 seed=1",)}


def test_bare_numbers_are_seeds_only_where_they_count_up() -> None:
    assert groups(runs("model-s1", "model-s2", "model-s3")) == {"model": ("model-s1", "model-s2", "model-s3")}
    assert not replicated(replicates(runs("vit-s16", "vit-s32")))
    assert not replicated(replicates(runs("vit-s1")))
    assert not replicated(replicates(runs("a-s1", "b-s2")))


def test_runs_of_one_seed_differ_in_something_else() -> None:
    same = [replace(run, model="m", settings=Settings(seed=42)) for run in runs("early", "late")]
    assert not replicated(replicates(same))
    assert not replicated(replicates([replace(run, settings=Settings()) for run in same]))


def test_other_settings_are_another_setting() -> None:
    one, two = runs("m seed 1", "m seed 2")
    assert not replicated(replicates([one, replace(two, settings=Settings(top_k=5, seed=2))]))


def test_by_hand() -> None:
    by_hand = regroup(study(runs=3), {"run 0": "mine", "run 2": "mine"})
    assert groups(list(by_hand.runs)) == {"mine": ("run 0", "run 2"), "run 1": ("run 1",)}
    again = load_study([("study.jsonl", to_jsonl_bytes(by_hand))]).study
    assert again is not None
    assert [run.setting for run in again.runs] == ["mine", None, "mine"]
    assert again.digest == by_hand.digest == study(runs=3).digest
    assert not any(run.setting for run in regroup(by_hand, {}).runs)


def test_no_two_settings_have_one_name() -> None:
    hand = replace(runs("third")[0], setting="model"), replace(runs("fourth")[0], setting="model")
    found = groups([*runs("model_seed1", "model_seed2", "model"), *hand])
    assert len(found) == 3
    assert sorted(map(len, found.values())) == [1, 2, 2]
    assert list(groups(runs("model", "model_seed1", "model_seed2"))) == ["model", "model: 2 seeds"]


@pytest.mark.parametrize(
    ("name", "rest"),
    [
        ("model_seed1", "model"),
        ("model (seed 3)", "model"),
        ("model_seed1_t0.7", "model_t0.7"),
        ("m T=0.5 seed=1", "m T=0.5"),
        ("m_t0.5_s1", "m_t0.5"),
        ("net_s1", "net_s1"),
        ("seed1", ""),
        ("model", "model"),
    ],
)
def test_names_without_their_seed(name: str, rest: str) -> None:
    assert without_seed(name) == rest
