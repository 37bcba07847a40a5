"""Measure which metrics change with the number of captions per item although the sampler is the same."""

import pytest

from metrics.registry import METRICS
from tests.prove.conftest import Proof
from tests.set_sizes import FEW, MANY, moves


@pytest.mark.prove
def test_metrics_say_whether_sizes_move_them(proof: Proof) -> None:
    found = [moves(("words", "encoder", "meteor"), model, items=16, repeats=5) for model in ("Oracle", "Peaked")]
    wrong = []
    for name in found[0]:
        move = max((by_model[name] for by_model in found), key=lambda move: move.times)
        free = METRICS[name].size_free
        proof.row(
            f"The same sampler with {FEW} and with {MANY} captions per image",
            metric=name,
            few=move.few,
            many=move.many,
            difference=move.many - move.few,
            standard_errors=round(move.times, 1),
            size_free=free,
        )
        if (move.times < 4) != free:
            wrong.append(name)
    assert not wrong
