"""Tables for papers."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from figures.latex import DAGGER, Marks, booktabs, escape, intervals_of
from figures.signatures import signatures_of
from metrics.registry import METRICS

TABLE = pd.DataFrame(
    {"Run_1": ["A & B", "50 %", "$x$"], "TRM ↓": [1.0, 0.5004, -0.25], "CIDEr": [np.nan, 0.5, 0.5], "n": [1, 2, 3]}
)
BOUNDED = pd.DataFrame(
    {"Run": ["a", "b", "c", "Human"], "TRM": [0.3, 0.2, 0.4, 0.1], "from": [0.28, 0.1, np.nan, np.nan],
     "to": [0.32, 0.3, 0.5, np.nan], "p": ["≤ 0.0001", "3×10⁻⁵", "0.10", "–"]}
)  # fmt: skip


NEEDS = "% Needs \\usepackage{booktabs}.\n"


def body(text: str) -> list[list[str]]:
    """Cells of the rows between the heads and the last rule."""
    inside = text.split("\\midrule\n", 1)[1].split("\\bottomrule")[0]
    rows = [line.split(" \\\\")[0].split(" & ") for line in inside.strip().splitlines() if line != "\\midrule"]
    return [[cell.strip() for cell in row] for row in rows]


def test_the_table_is_booktabs_with_the_best_bold_and_the_second_underlined() -> None:
    text = booktabs(TABLE, {"TRM ↓": "min", "CIDEr": "max"}, caption="Scores of 3_runs.", label="tab:a b")
    assert text.startswith(
        f"{NEEDS}\\begin{{table}}\n\\centering\n\\caption{{Scores of 3\\_runs. Best bold, second underlined.}}\n"
        "\\label{tab:a-b}\n\\begin{tabular}{lrrr}"
    )
    assert "\\toprule\nRun\\_1 & TRM $\\downarrow$ & CIDEr & n \\\\\n\\midrule" in text
    assert text.endswith("\\bottomrule\n\\end{tabular}\n\\end{table}\n")
    rows = [line.rsplit(" & ", 3) for line in text.split("\\midrule\n")[1].split("\n\\bottomrule")[0].splitlines()]
    assert rows[0] == ["A \\& B", "1.000", "--", "1 \\\\"]
    assert rows[1] == ["50 \\%", "\\underline{0.500}", "\\textbf{0.500}", "2 \\\\"]
    assert rows[2] == ["\\$x\\$", "\\textbf{$-$0.250}", "\\textbf{0.500}", "3 \\\\"]


def test_equals_as_printed_share_a_mark_and_infinity_has_none() -> None:
    table = pd.DataFrame({"x": [0.1001, 0.0999, 0.2, 0.2, 0.3, -np.inf, np.inf]})
    marked = [row[0] for row in body(booktabs(table, {"x": "min"}))]
    assert marked == ["\\textbf{0.100}", "\\textbf{0.100}", "\\underline{0.200}", "\\underline{0.200}", "0.300", "--",
                      "--"]  # fmt: skip


def test_intervals_stand_below_their_numbers_and_not_in_columns() -> None:
    text = booktabs(BOUNDED, digits={"TRM": 2}, marks=Marks({"TRM": "min"}, intervals={"TRM": ("from", "to")}))
    assert "\\begin{tabular}{lrl}" in text
    assert "Brackets: 95 \\% bootstrap intervals." in text
    rows = body(text)
    assert rows[0] == ["a", "0.30", "$\\le$ 0.0001"]
    assert rows[1] == ["", "{\\scriptsize [0.28, 0.32]}", ""]
    assert [row[0] for row in rows] == ["a", "", "b", "", "c", "Human"], "half an interval is none"


def test_a_table_s_own_intervals_are_found() -> None:
    names = ["Run", "TRM", "BLEU", "TRM 95 % from", "TRM 95 % to", "n", "95 % from", "95 % to", "x 95 % from", "y"]
    table = pd.DataFrame([range(len(names))], columns=names)
    assert intervals_of(table) == {"TRM": ("TRM 95 % from", "TRM 95 % to"), "n": ("95 % from", "95 % to")}
    assert body(booktabs(table)) == [["0", "1", "2", "5", "8", "9"],
                                     ["", "{\\scriptsize [3, 4]}", "", "{\\scriptsize [6, 7]}", "", ""]]  # fmt: skip


def test_rows_apart_do_not_compete() -> None:
    text = booktabs(BOUNDED, marks=Marks({"TRM": "min"}, apart=1))
    assert [row[1] for row in body(text)] == ["\\underline{0.300}", "\\textbf{0.200}", "0.400", "0.100"]
    assert text.count("\\midrule") == 2
    assert text.index("\nHuman") > text.rindex("\\midrule")


def test_daggers_leave_digits_below_digits() -> None:
    text = booktabs(BOUNDED, marks=Marks(daggers={"TRM": [False, True, False, False]}))
    assert [row[1] for row in body(text)] == [
        f"{number}{DAGGER}" if number == "0.200" else f"{number}\\phantom{{{DAGGER}}}"
        for number in ("0.300", "0.200", "0.400", "0.100")
    ]
    assert DAGGER not in booktabs(BOUNDED, marks=Marks(daggers={"TRM": [False] * 4}))
    with pytest.raises(ValueError, match="zip"):
        booktabs(BOUNDED, marks=Marks(daggers={"TRM": [True]}))


def test_a_crowded_table_is_set_small_with_heads_in_two_lines() -> None:
    names = ["Run", "TRM METEOR ↓", "BLEU-4 ↑", "a b", "c", "d", "e"]
    text = booktabs(pd.DataFrame({name: [1.0] for name in names}))
    assert text.startswith(f"{NEEDS}\\begin{{table*}}\n\\centering\n\\footnotesize")
    assert " & TRM &  & a &  &  &  \\\\\nRun & METEOR $\\downarrow$ & BLEU-4 $\\uparrow$ & b & c & d & e \\\\" in text


def test_decimals_are_given_by_column() -> None:
    assert body(booktabs(TABLE[["TRM ↓", "n"]], digits={"TRM ↓": 1})) == [["1.0", "1"], ["0.5", "2"], ["$-$0.2", "3"]]


def test_every_special_sign_is_printed_as_itself() -> None:
    assert escape("\\ & % $ # _ { } ~ ^") == (
        r"\textbackslash{} \& \% \$ \# \_ \{ \} \textasciitilde{} \textasciicircum{}"
    )
    assert escape("a\n b\u2028c\x00\x07") == "a b c"
    assert escape("top--k --- `` –") == "top-{}-k -{}-{}- `{}`{} --", "no two signs become another one"
    assert escape("a\ud800") == "a\ufffd"
    assert escape("MMD² ≤ −1") == r"MMD$^2$ $\le$ $-$1"
    assert escape("3×10⁻⁵ and 10⁻¹²") == r"3$\times$10$^{-5}$ and 10$^{-12}$"


HOSTILE = ["[$5 & 50 %] #1_{x}^2 ~", "*\\input{x} \\end{tabular}", 'a "b" <c> | →', "\\\\ %\n\\end{table}", "-- ``?"]


def structure(text: str) -> tuple[int, list[int]]:
    """Columns that the tabular declares, and the cells of every row; groups and environments have to close."""
    bare = re.sub(r"\\[&%$#_{}]", "", re.sub(r"^%.*\n", "", text, flags=re.M))
    assert "%" not in bare
    depth, dollars = 0, 0
    for sign in bare:
        depth += (sign == "{") - (sign == "}")
        dollars += sign == "$"
        assert depth >= 0
    assert depth == 0
    assert dollars % 2 == 0
    opened = re.findall(r"\\(begin|end)\{(\w+\*?)\}", bare)
    assert [name for _, name in opened] == [opened[0][1], "tabular", "tabular", opened[0][1]]
    rows = [line for line in bare.splitlines() if line.rstrip("]21pt-[").endswith("\\\\")]
    return len(re.findall(r"begin\{tabular\}\{(\w+)\}", bare)[0]), [line.count("&") + 1 for line in rows]


def test_uploaded_names_stay_names_in_every_part() -> None:
    """Names as cells, heads, caption and label; a bracket behind a rule or a row's end would be its argument."""
    table = pd.DataFrame({"[5] & x": HOSTILE, **{f"{name} m": np.arange(5.0) for name in HOSTILE}})
    text = booktabs(table, caption=HOSTILE[1], label=HOSTILE[3], signatures=["a|b\n\\end{document}"])
    columns, cells = structure(text)
    assert columns == 6
    assert set(cells) == {6}
    assert not re.search(r"\\(input|end\{document)", re.sub(r"^%.*\n", "", text, flags=re.M))
    assert not re.search(r"(rule|\\\\)\n\s*[\[*]", text)
    assert re.search(r"\\label\{[\w:.-]+\}", text)


def test_signatures_are_comments_each_once() -> None:
    text = booktabs(TABLE, signatures=["trm|v1|a:50%", "b|v1", "trm|v1|a:50%"])
    assert text.startswith(f"{NEEDS}% Signatures of the numbers:\n%   trm|v1|a:50%\n%   b|v1\n\\begin{{table}}")


def test_formats_give_temperatures_and_small_p() -> None:
    table = pd.DataFrame({"T": [0.3, 1.0, np.nan], "p": [1e-5, 0.25, np.inf], "x": [-1e-12, -2.5, 1e12]})
    text = booktabs(table, formats={"T": "%g", "p": "%.4g", "x": "%.2g"})
    assert [row[0] for row in body(text)] == ["0.3", "1", "--"]
    assert [row[1] for row in body(text)] == ["1$\\times$10$^{-5}$", "0.25", "--"]
    assert [row[2] for row in body(text)] == ["$-$1$\\times$10$^{-12}$", "$-$2.5", "1$\\times$10$^{12}$"]


def test_a_table_is_signed_by_the_metrics_that_it_names() -> None:
    table = pd.DataFrame({"Run": ["a"], "METEOR": [1.0], "METEOR 95 % from": [0.5], "Rank, CIDEr-D": [1]})
    assert signatures_of(table) == [METRICS["meteor"].signature, METRICS["cider_d"].signature]
    assert signatures_of(pd.DataFrame({"Metric": ["TRM METEOR"]})) == [METRICS["trm_meteor"].signature]
    assert signatures_of(pd.DataFrame({"Run": ["meteor"]})) == []


def test_nothing_to_print_is_still_a_table() -> None:
    text = booktabs(TABLE.iloc[:0], {"TRM ↓": "min"})
    assert "\\midrule\n\\bottomrule" in text


def test_an_unknown_column_is_an_error() -> None:
    with pytest.raises(KeyError):
        booktabs(TABLE, {"BLEU": "max"})
    with pytest.raises(KeyError):
        booktabs(TABLE, marks=Marks(intervals={"CIDEr": ("low", "high")}))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_accepts_it(tmp_path: Path) -> None:
    hostile = BOUNDED.assign(Run=["[$5 & 50 %] #1_{x}^2 ~", "*\\input{x} \\end{tabular}", 'a "b" <c> | →', "Human"])
    assert "\n{}[\\$5" in booktabs(hostile)
    text = booktabs(hostile, caption="% $ \\ † α", label="tab:x y%", marks=Marks(
        {"TRM": "min"}, intervals={"TRM": ("from", "to")}, daggers={"TRM": [True, False, False, False]}, apart=1,
    ))  # fmt: skip
    paper = f"\\documentclass{{article}}\\usepackage{{booktabs}}\\begin{{document}}\n{text}\\end{{document}}\n"
    (tmp_path / "paper.tex").write_text(paper, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"], cwd=tmp_path, capture_output=True,
        text=True, errors="replace", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout
