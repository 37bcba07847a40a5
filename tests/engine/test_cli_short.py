"""Test what is printed on a terminal: tables that fit it, findings as lines, and, after an uncertain guess, some
records.
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Sequence

import pandas as pd
import pytest
from rich.cells import cell_len
from rich.console import Console

from cli import findings, table_output
from data.load import load_study


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


TABLE = pd.DataFrame(
    [
        ("m [1]", "bleu_4", 0.123456, "corpus", None, None),
        ("m [1]", "trm_bert", None, "corpus", "Embeddings need torch", None),
        ("k", "bleu_4", 12.3456, "corpus", None, "1 of 6 items missing"),
        ("k", "trm_bert", None, "corpus", "Embeddings need torch", None),
    ],
    columns=["run", "metric", "value", "level", "error", "note"],
)


def printed(table: pd.DataFrame, monkeypatch: pytest.MonkeyPatch, shown: Sequence[str] = ()) -> list[str]:
    """Return the lines that are printed for scores, or for the columns `shown`, on a terminal of 60 columns."""
    screen = Terminal()
    monkeypatch.setenv("COLUMNS", "60")
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", screen)
        if shown:
            table_output.print_table(table, shown)
        else:
            table_output.print_scores(table, p_values=False)
    return re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue()).splitlines()


def test_a_person_sees_a_row_for_each_run(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [line.split() for line in printed(TABLE, monkeypatch)] == [
        ["run", "bleu_4", "trm_bert"],
        ["m", "[1]", "0.1235"],
        ["k", "12.35"],
        ["trm_bert:", "Embeddings", "need", "torch"],
        ["bleu_4:", "1", "of", "6", "items", "missing"],
    ]


def test_many_metrics_stand_in_several_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = pd.concat([TABLE.assign(metric=TABLE.metric + f"_{k}") for k in range(4)])
    lines = printed(wide, monkeypatch)
    assert max(map(len, lines)) <= 60 or "torch" in max(lines, key=len)
    assert sum(line.startswith("run ") for line in lines) > 1


@pytest.mark.parametrize(
    "names", [("a", "b"), ("organisation/model-with-a-very-long-name-" * 2 + "1", "通义千问视觉语言模型" * 4)]
)
def test_a_wide_table_is_cut_nowhere(names: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """All names and numbers fit the width of the screen, and a run's numbers are on lines of that run."""
    numbers = {f"measure_{k}": [10.5 + k, -1.25 - k] for k in range(7)}
    table = pd.DataFrame({"run": names, "baseline": "first", **numbers, "error": [None, "too few captions " * 5]})
    lines = printed(table, monkeypatch, list(table.columns))
    assert max(map(cell_len, lines)) <= 60
    assert lines[0] == "baseline: first"
    for found in numbers.values():
        for name, number in zip(names, found, strict=True):
            (line,) = [line for line in lines if f"{number:.4g}" in line.split()]
            assert name.startswith(line.split()[0])
    first_column = "".join(re.split(r"\s{2,}", line)[0] for line in lines)
    assert all(name in first_column for name in names)
    assert sum(line.count("captions") for line in lines) == 5


def test_what_is_found_in_several_files_is_one_line() -> None:
    rows = "image,text,mood\n1,A red kite over sand.,sad\n1,A kite flies high.,gay\n2,Two cats are asleep.,sad\n"
    screen = io.StringIO()
    findings.show(load_study([(f"{name}.csv", rows.encode()) for name in "abcd"]), Console(file=screen))
    (line,) = [line for line in screen.getvalue().splitlines() if "were not used" in line]
    assert line.startswith("note: a.csv; b.csv; c.csv; …: Columns without a known meaning were not used: mood.")


@pytest.mark.parametrize(("items", "told"), [(3, "0; 1; 2: "), (5, "0; 1; 2; … (5 in all): ")])
def test_places_that_are_not_named_are_counted(items: int, told: str) -> None:
    study = [{"id": str(k), "references": ["A dog.", "Dogs."], "candidates": {"m": ["a " * 300]}} for k in range(items)]
    screen = io.StringIO()
    findings.show(load_study(("m.json", json.dumps(study).encode())), Console(file=screen))
    (line,) = [line for line in screen.getvalue().splitlines() if "tokens that MiniLM reads" in line]
    assert line.startswith(f"warning: {told}A caption of run m is longer than the 256 tokens")


def test_an_unsure_guess_shows_the_first_records() -> None:
    """Each field has its own line, with the role guessed for it and its texts in three records."""
    long = "a man rides a red bike along the shore of a wide lake"
    rows = [{"alpha": f"k{k}", "beta": f"{long} \x1b[31m [red]", "gamma [b]": ["two dogs", "dogs"]} for k in range(5)]
    screen = io.StringIO()
    console = Console(file=screen, width=100)
    findings.show(load_study(("odd.jsonl", "\n".join(map(json.dumps, rows)).encode())), console)
    _, start = screen.getvalue().split("The first 3 records of odd.jsonl, with the role guessed for each field:")
    head, alpha, beta, gamma = start.strip().splitlines()
    assert head.split() == ["field", "role", *(word for k in "123" for word in ("record", k))]
    assert alpha.split() == ["alpha", "id", "k0", "k1", "k2"]
    assert beta.split()[:5] == ["beta", "candidates", "a", "man", "rides"]
    assert beta.count("…") == 3
    assert gamma.startswith("gamma [b]")
    assert '["two dogs"' in gamma
    assert "\x1b" not in start
    assert max(map(len, start.splitlines())) <= 100


def test_a_file_that_is_read_shows_no_records() -> None:
    screen = io.StringIO()
    findings.show(load_study(("a.csv", b"image,caption\n1,A red kite over sand.\n2,Two cats.\n")), Console(file=screen))
    assert "The first" not in screen.getvalue()


def test_a_file_without_texts_asks_for_no_roles() -> None:
    """No role could turn the file's fields into captions, so neither the Data page nor the command line asks for
    roles.
    """
    rows = [{"a": f"k{k}", "b": 2.5 * k} for k in range(5)]
    screen = io.StringIO()
    loaded = load_study(("numbers.jsonl", "\n".join(map(json.dumps, rows)).encode()))
    findings.show(loaded, Console(file=screen))
    assert "no --map can find captions" in screen.getvalue()
    assert "The first" not in screen.getvalue()
    assert not loaded.asked_for


def test_a_part_of_a_wide_table_leaves_out_rows_that_are_empty_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pd.DataFrame({"run": ["a", "b"], **{f"measure_{k}": [1.5, 2.5] for k in range(5)}, "why": ["", "few " * 9]})
    lines = printed(table, monkeypatch, list(table.columns))
    (start,) = (k for k, line in enumerate(lines) if "why" in line)
    assert [line.split()[0] for line in lines[start + 1 :]] == ["b"]
