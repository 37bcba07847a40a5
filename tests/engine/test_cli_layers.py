"""Test `trilens layers`: Kendall's tau for each layer of BERTScore against scipy, and the sentence on the best
layer.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from data.study import Item, Run, Settings, Study
from metrics.analysis.judgments.layers import every_layer, space_of
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.text.encoder import missing
from tests.command_line import trilens

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "")

SCENES = ("dog in a park", "red bus", "man on a horse", "cat asleep", "two boats", "kite over sand", "plate of fruit",
          "girl with a ball", "empty street", "old clock", "train at night", "cows on grass")  # fmt: skip
SAID = {
    "m": {str(k): (f"a {scene}",) for k, scene in enumerate(SCENES)},
    "n": {str(k): (f"the {SCENES[(k * 5 + 1) % 12]} and a {scene.split()[0]}",) for k, scene in enumerate(SCENES)},
}
ITEMS = tuple(Item(str(k), (f"there is one {scene}", f"a photo of a {scene}")) for k, scene in enumerate(SCENES))


@pytest.fixture(scope="module")
def values() -> dict[int, dict[tuple[str, str], float]]:
    study = Study("layers", ITEMS, tuple(Run(name, name, Settings(), said) for name, said in SAID.items()))
    metrics = every_layer()
    found = scoring.score(study, metrics, Options(resamples=10))
    return {
        space_of(metric).layer: {
            (run, item.id): float(value)
            for run in SAID
            for item, value in zip(ITEMS, found[run, metric.name].items, strict=True)
        }
        for metric in metrics
    }


@pytest.fixture(scope="module")
def ratings(values: dict[int, dict[tuple[str, str], float]]) -> dict[tuple[str, str], float]:
    order = sorted(values[2], key=lambda of: values[2][of])
    return {of: float(place) for place, of in enumerate(order)}


@pytest.fixture
def file(tmp_path: Path, ratings: dict[tuple[str, str], float]) -> Path:
    rows = [
        {
            "id": item.id,
            "references": item.references,
            "candidates": {run: said[item.id] for run, said in SAID.items()},
            "human": {run: {"overall": ratings[run, item.id]} for run in SAID},
        }
        for item in ITEMS
    ]
    path = tmp_path / "rated.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_layer_that_people_follow_is_best(
    file: Path, values: dict[int, dict[tuple[str, str], float]], ratings: dict[tuple[str, str], float]
) -> None:
    out = file.with_name("layers.csv")
    found = trilens("layers", file, "--out", out, "--no-cache")
    table = pd.read_csv(out).set_index("layer")
    assert list(table.index) == list(range(7))
    for layer, of in values.items():
        expected = stats.kendalltau([of[key] for key in ratings], list(ratings.values())).statistic
        assert table.kendall_tau_b[layer] == pytest.approx(expected, abs=1e-6)
    assert table.kendall_tau_b[2] == 1
    assert table.may_be_best[2]
    assert (table.n == 24).all()
    assert np.isfinite(table.drop(2)[["low", "high"]].to_numpy()).all()
    assert f"overall: layer 2 agrees best, 1.000; layer 5, the default: {table.kendall_tau_b[5]:.3f}" in found.output


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--metric", "bleu_4"], "layers are those of bertscore"),
        (["--metric", "bertscore(layer=3)"], "all layers are compared"),
        (["--metric", "bertscore(encoder=nowhere-at-all)"], "nowhere-at-all"),
        (["--criterion", "fluency"], "there is no criterion 'fluency'; there are overall"),
    ],
)
def test_what_cannot_be_compared_is_said(file: Path, options: list[str], said: str) -> None:
    found = trilens("layers", file, "--no-cache", *options, expect=2)
    assert said in found.output


def test_parameters_are_kept_at_every_layer() -> None:
    metrics = every_layer("bertscore(part=recall)")
    assert [space_of(metric).part for metric in metrics] == ["recall"] * 7
    assert [space_of(metric).layer for metric in metrics] == list(range(7))
    assert metrics[5].name == "bertscore(part=recall)"
