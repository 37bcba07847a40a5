"""What pages begin with where nobody chose."""

from __future__ import annotations

from data.study import Run, Settings
from metrics.estimate import one_a_model


def test_one_a_model_is_the_first_at_temperature_1_else_the_first() -> None:
    told = [("A", 0.3), ("A", 1.0), ("B", None), ("A", 1.0), ("C", 0.5), ("B", 0.7), ("C", 1.0)]
    runs = [Run(f"{k}", model, Settings(temperature=t), {}) for k, (model, t) in enumerate(told)]
    assert [run.name for run in one_a_model(runs)] == ["1", "2", "6"]
    assert one_a_model([]) == []
