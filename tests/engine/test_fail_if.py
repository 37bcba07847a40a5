"""Test `compare --fail-if`: which conditions it accepts and refuses, and its exit status."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.app import app
from cli.fail_if import COLUMNS, Condition
from data.convert import write_jsonl
from tests.command_line import trilens
from tests.studies import study as random_study

ROW = dict.fromkeys(COLUMNS, 1.0) | {"p_holm": 0.03, "difference": -0.1}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("cider_d < baseline - 0.02 and p_holm < .05", True),
        ("cider_d < baseline - 0.02 and p_holm < .01", False),
        ("cider_d > baseline and p_holm < .05", False),
        ("cider_d > baseline or p_holm < .01", False),
        ("cider_d < baseline - 0.2", False),
        ("not (p_holm < .05) or difference <= -0.1", True),
        ("0.01 < p_holm < 0.02", False),
        ("-cider_d / 2 > -0.1 * baseline", False),
        ("cider_d / (baseline - baseline) > 0", False),
    ],
)
def test_conditions(text: str, holds: bool) -> None:
    assert Condition.of(text, ["cider_d"]).holds(ROW, 0.9, 1.0) is holds
    assert Condition.of("cider_d < baseline", ["cider_d"]).holds(ROW, math.nan, 1.0) is False


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true') < 1",
        "cider_d.__class__ < 1",
        "cider_d",
        "cider_d + 1",
        "cider_d < baselin",
        "(cider_d < 1) < 2",
        "[x for x in (1,)] < cider_d",
        "cider_d ** 9 < 1",
        "cider_d < 'a'",
        "cider_d < True",
        "cider_d == 1",
        "bleu_4 < cider_d",
        "(" * 400 + "cider_d" + ")" * 400,
        "cider_d <",
        "",
    ],
)
def test_other_texts_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="--fail-if"):
        Condition.of(text, ["cider_d", "bleu_4"])


def test_it_exits_3_where_a_condition_holds(tmp_path: Path) -> None:
    path = tmp_path / "study.jsonl"
    write_jsonl(random_study(6, runs=2), path)
    given = [
        "compare",
        str(path),
        "--metrics",
        "bleu_1,distinct_1",
        "--cache-dir",
        str(tmp_path),
        "--tokenizer",
        "whitespace",
    ]

    def run(*texts: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, [*given, *(word for text in texts for word in ("--fail-if", text))])
        return done.exit_code, done.output

    assert run("bleu_1 < baseline - 2")[0] == 0
    status, said = run("bleu_1 > -1 and p_value <= 1", "distinct_1 > 9")
    assert status == 3
    assert "--fail-if: " in said
    assert "bleu_1 > -1 and p_value <= 1 (bleu_1 " in said
    assert run("rouge < 1")[0] == 2
    status, said = run("bleu_1 < baseline - 2", "bleu_1 < nan")
    assert status == 2
    assert "--fail-if does not know 'nan'; it knows bleu_1, " in said


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        ("bleu_1 < baseline + 9 and effect < 0", "effect is not a number"),
        ("bleu_1 / (baseline - baseline) < 9", "it divides by 0"),
    ],
)
def test_a_condition_on_what_is_no_number_exits_2_and_says_so(condition: str, why: str, tmp_path: Path) -> None:
    """A single item has no effect size; a script that looks for exit status 3 would take status 0 for a pass."""
    write_jsonl(random_study(1, runs=2), tmp_path / "study.jsonl")
    given = [str(tmp_path / "study.jsonl"), "--metrics", "bleu_1", "--tokenizer", "whitespace", "--no-cache"]
    done = trilens("compare", *given, "--fail-if", condition, expect=2)
    assert f"is not known, since {why}" in done.output
