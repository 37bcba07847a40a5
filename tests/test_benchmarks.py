"""Test the benchmarks: their table, which results a partial run keeps, measurements of scale, and the texts of
reports.
"""

from pathlib import Path

import pytest

from benchmarks import bench_scale, sentences
from benchmarks.__main__ import cells, main, measure, number, reached, section, write

ROW = {
    "work": "TRM, 5 x 10",
    "ours": "compiled",
    "ours_value": 0.00123,
    "alternative": "numpy",
    "alternative_value": "1.2 s",
    "ratio": 976.0,
    "target": ">= 100",
}


@pytest.mark.parametrize(
    ("ratio", "target", "expected"),
    [
        (10.0, 10, True),
        (9.99, 10, False),
        (0.4, "<= 0.5", True),
        (0.6, "<=0.5", False),
        (5, ">= 2x", True),
        (2, "> 2", False),
        (None, 2, None),
        (3, "equal", None),
        (3, None, None),
    ],
)
def test_reached(ratio: float | None, target: object, expected: bool | None) -> None:
    assert reached(ratio, target) is expected


def test_cells_show_three_digits_and_the_verdict() -> None:
    assert cells(ROW) == ["TRM, 5 x 10", "compiled: 0.00123", "numpy: 1.2 s", "976", ">= 100", "yes"]
    assert [number(value) for value in (None, 12345.6, 12.345, "x")] == ["-", "12,346", "12.3", "x"]


def test_a_failing_module_is_a_row_with_its_error() -> None:
    (row,) = measure("that_does_not_exist")
    assert "ModuleNotFoundError" in cells(row)[1]
    assert cells(row)[-1] == "no"


def test_a_partial_run_replaces_its_section_and_keeps_the_others(tmp_path: Path) -> None:
    path = tmp_path / "results.md"
    write({"b": section("b", [ROW], 1), "a": section("a", [ROW], 1)}, path)
    write({"a": section("a", [ROW | {"work": "x | y"}], 2)}, path)
    text = path.read_text(encoding="utf-8")
    assert text.index("## a") < text.index("## b")
    assert text.count("## ") == 2
    assert "x \\| y" in text
    assert text.count("TRM, 5 x 10") == 1


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["nonsense"])
    assert "unknown: nonsense" in capsys.readouterr().err


def test_scale_measures_each_step_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_scale, "STEPS", ["read", "board"])
    monkeypatch.setattr(bench_scale, "SIZES", (8,))
    size, read, board = bench_scale.rows()
    assert size["work"] == "8 items: file of 1,640 captions"
    assert "ms per item, peak 0." in read["ours_value"]
    assert read["reached"] is True
    assert "cache " in board["ours_value"]
    assert board["target"] == "2 s"


def test_scale_says_what_is_not_linear_and_what_ran_out_of_time() -> None:
    first: dict[str, float] = {}
    rows = [
        bench_scale._row(n, "words", {"seconds": s, "peak": 1e9}, 1, first) for n, s in ((10, 1), (20, 2.5), (40, 6))
    ]
    assert [row["reached"] for row in rows] == [True, True, False]
    late = bench_scale._row(80, "words", "not done after 5 s", 0, first)
    assert (late["ours_value"], late["reached"]) == ("not done after 5 s", False)


def test_the_sentences_of_a_report_are_its_text_without_code_and_tables() -> None:
    page = (
        "<style>p{}</style><h1>A &amp; B</h1><p>One <span>run</span> <code>video</code>.</p><code>trm|v2</code>"
        "<table><tr><td>1</td></tr></table><p>A &amp; B</p>"
    )
    assert sentences.sentences(page) == ["A & B", "One run video."]


def test_the_studies_whose_sentences_are_read_are_what_they_are_called() -> None:
    made = {name: make() for name, make in sentences.STUDIES.items()}
    assert len(made) == 38
    wrong = [said[4] for said in made["effect: one wrong in five"].runs[1].candidates.values()]
    assert wrong[0] == made["effect: one wrong in five"].runs[1].candidates["1"][0]
    lacking = made["effect: a run lacks the harder half"]
    assert [len(run.candidates) for run in lacking.runs] == [60, 30]
    assert len({item.references for item in made["degenerate: each image twice"].items}) == 24
