"""Test that names from the literature on diverse captions are accepted for metrics, and that outputs explain them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from data.convert import write_jsonl
from data.study import Item, Run, Settings, Study
from metrics.aliases import ALIASES, explained, own_name
from metrics.engine import scoring
from metrics.guide import documentation
from metrics.registry import LEARNED, METRICS, SETS, resolve
from tests.command_line import trilens
from tests.studies import study as random_study


@pytest.mark.parametrize("name", ALIASES)
def test_every_name_stands_for_a_metric_and_hides_none(name: str) -> None:
    (metric,) = resolve([name])
    assert metric.name == ALIASES[name].metric
    assert name not in METRICS | LEARNED | SETS
    assert f"- `{name}` is `{metric.name}`" in documentation.markdown()


def test_parameters_stay() -> None:
    assert own_name("novelty(training=a.txt)") == "novel_captions(training=a.txt)"
    assert own_name("div_2(tokenizer=char)") == "distinct_2(over=words,tokenizer=char)"
    assert own_name("bleu_4") == "bleu_4"
    with pytest.raises(ValueError, match="did you mean div_2 or div_1"):
        resolve(["div_7"])


def test_div_n_divides_by_words() -> None:
    said = Run("run", "run", Settings(), {"one": ("a dog runs", "a dog", "so")})
    study = Study("dogs", (Item("one", ("a dog",)),), (said,), tokenizer="whitespace")
    found = scoring.score(study, resolve(["div_1", "div_2", "distinct_2"], study=study))
    values = {name: result.corpus for (_, name), result in found.items()}
    assert values == {"distinct_1": 4 / 6, "distinct_2(over=words)": 2 / 6, "distinct_2": 2 / 3}


def test_the_table_has_the_name_here_and_the_command_says_which(tmp_path: Path) -> None:
    write_jsonl(random_study(3, runs=1), tmp_path / "study.jsonl")
    out = tmp_path / "scores.csv"
    command = ["score", str(tmp_path / "study.jsonl"), "--metrics", "div_1,mbleu_4", "--out", str(out), "--no-cache"]
    done = trilens(*command)
    assert set(pd.read_csv(out).metric) == {"distinct_1", "self_bleu_4"}
    for name in ("div_1", "mbleu_4"):
        assert explained(name) in " ".join(done.stderr.split())
