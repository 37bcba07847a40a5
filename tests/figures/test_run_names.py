"""Short names of runs: the model and what differs, never one name for two."""

from __future__ import annotations

import pytest

from data.study import Run, Settings
from figures.style.run_names import short_names


def named(*names: str, model: str = "Oracle") -> list[str]:
    return list(short_names([Run(name, model, Settings(), {}) for name in names]).values())


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("Oracle T=1.0", "Oracle\u00a0·\u00a01.0"),
        ("Oracle top_p=0.8", "Oracle\u00a0·\u00a0top-p\u00a00.8"),
        ("Oracle greedy", "Oracle\u00a0·\u00a0greedy"),
        ("Oracle", "Oracle"),
        ("Oracle T=hot", "Oracle T=hot"),
        ("another T=1.0", "another T=1.0"),
    ],
)
def test_a_name_of_model_and_setting_is_shortened(name: str, short: str) -> None:
    assert named(name) == [short]


def test_two_runs_never_get_one_name() -> None:
    assert named("Oracle T=1.0", "Oracle_T=1.0") == ["Oracle T=1.0", "Oracle_T=1.0"]
