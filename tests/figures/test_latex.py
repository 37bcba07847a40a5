"""Test LaTeX tables."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from figures.export.column_metrics import better_ends, signatures_of
from figures.export.latex import DAGGER, Marks, booktabs, escape, intervals_of
from figures.style.numbers import P_VALUE
from metrics.registry import METRICS

TABLE = pd.DataFrame(
    {"Run_1": ["A & B", "50 %", "$x$"], "TRM ↓": [1.0, 0.5004, -0.25], "CIDEr": [np.nan, 0.5, 0.5], "n": [1, 2, 3]}
)
BOUNDED = pd.DataFrame(
    {
        "Run": ["a", "b", "c", "Human"],
        "TRM": [0.3, 0.2, 0.4, 0.1],
        "from": [0.28, 0.1, np.nan, np.nan],
        "to": [0.32, 0.3, 0.5, np.nan],
        "p": ["≤ 0.0001", "3×10⁻⁵", "0.10", "–"],
    }
)


NEEDS = "% Needs \\usepackage{booktabs}.\n"


def body(text: str) -> list[list[str]]:
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
    assert marked == [
        "\\textbf{0.100}",
        "\\textbf{0.100}",
        "\\underline{0.200}",
        "\\underline{0.200}",
        "0.300",
        "--",
        "--",
    ]


def test_intervals_stand_below_their_numbers_and_not_in_columns() -> None:
    text = booktabs(BOUNDED, digits={"TRM": 2}, marks=Marks({"TRM": "min"}, intervals={"TRM": ("from", "to")}))
    assert "\\begin{tabular}{lrl}" in text
    assert "Brackets: 95 \\% intervals." in text
    rows = body(text)
    assert rows[0] == ["a", "0.30", "$\\le$ 0.0001"]
    assert rows[1] == ["", "{\\scriptsize [0.28, 0.32]}", ""]
    assert [row[0] for row in rows] == ["a", "", "b", "", "c", "Human"], "half an interval is none"


def test_a_table_s_own_intervals_are_found() -> None:
    names = ["Run", "TRM", "BLEU", "TRM 95 % from", "TRM 95 % to", "n", "95 % from", "95 % to", "x 95 % from", "y"]
    table = pd.DataFrame([range(len(names))], columns=names)
    assert intervals_of(table) == {"TRM": ("TRM 95 % from", "TRM 95 % to"), "n": ("95 % from", "95 % to")}
    assert body(booktabs(table)) == [
        ["0", "1", "2", "5", "8", "9"],
        ["", "{\\scriptsize [3, 4]}", "", "{\\scriptsize [6, 7]}", "", ""],
    ]


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
    """Return the number of columns that the tabular declares, and the number of cells in each row.

    Fails unless all groups and environments are closed.
    """
    bare = re.sub(r"\\[&%$#_{}]", "", re.sub(r"^%.*\n", "", text, flags=re.M))
    assert "%" not in bare
    depth, dollars = 0, 0
    for sign in bare:
        depth += (sign == "{") - (sign == "}")
        dollars += sign == "$"
        assert depth >= 0
    assert depth == 0
    assert dollars % 2 == 0
    opened = [name for _, name in re.findall(r"\\(begin|end)\{(\w+\*?)\}", bare)]
    grid = "longtable" if "longtable" in opened else "tabular"
    opened = [name for name in opened if name != "landscape"]
    assert opened == ([grid, grid] if grid == "longtable" else [opened[0], grid, grid, opened[0]])
    rows = [line for line in bare.splitlines() if line.rstrip("]21pt-[").endswith("\\\\") and "label{" not in line]
    kinds = re.findall(rf"begin\{{{grid}\}}\{{(.*)\}}$", bare, flags=re.M)[0]
    columns = re.sub(r">\{[^}]*\}p\{[^}]*\}", "l", kinds)
    assert set(columns) <= {"l", "r"}
    return len(columns), [line.count("&") + 1 for line in rows if not line.startswith("\\caption[]")]


def test_uploaded_names_stay_names_in_every_part() -> None:
    """Names are in cells, headers, caption and label; after a rule or a row, LaTeX would read a bracket as an
    argument.
    """
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
    text = booktabs(table, formats={"T": "%g", "p": P_VALUE, "x": "%.2g"})
    assert [row[0] for row in body(text)] == ["0.3", "1", "--"]
    assert [row[1] for row in body(text)] == ["1$\\times$10$^{-5}$", "0.25", "--"]
    assert [row[2] for row in body(text)] == ["$-$1$\\times$10$^{-12}$", "$-$2.5", "1$\\times$10$^{12}$"]


def test_a_table_is_signed_by_the_metrics_that_it_names() -> None:
    table = pd.DataFrame({"Run": ["a"], "METEOR": [1.0], "METEOR 95 % from": [0.5], "Rank, CIDEr-D": [1]})
    assert signatures_of(table) == [METRICS["meteor"].signature, METRICS["cider_d"].signature]
    assert signatures_of(pd.DataFrame({"Metric": ["TRM METEOR"]})) == [METRICS["trm_meteor"].signature]
    assert signatures_of(pd.DataFrame({"Run": ["meteor"]})) == []


def test_the_better_end_of_a_column_is_its_metric_s_and_diversity_has_none() -> None:
    table = pd.DataFrame(
        columns=["Run", "METEOR", "METEOR 95 % from", "TRM METEOR", "Rank, CIDEr-D", "distinct-2", "n"]
    )
    assert METRICS["distinct_2"].label in table
    assert better_ends(table) == {"METEOR": "max", "TRM METEOR": "min"}


def test_nothing_to_print_is_still_a_table() -> None:
    text = booktabs(TABLE.iloc[:0], {"TRM ↓": "min"})
    assert "\\midrule\n\\bottomrule" in text


def test_a_column_of_texts_without_any_is_left_out() -> None:
    table = TABLE.assign(Note="", Unknown=[np.nan] * 3)
    text = booktabs(table)
    assert "Note" not in text
    assert "Unknown" in text, "numbers that are undefined are dashes"
    assert "Note" in booktabs(table.assign(Note=["", "late", ""]))


def test_an_unknown_column_is_an_error() -> None:
    with pytest.raises(KeyError):
        booktabs(TABLE, {"BLEU": "max"})
    with pytest.raises(KeyError):
        booktabs(TABLE, marks=Marks(intervals={"CIDEr": ("low", "high")}))


SENTENCE = "A couple of children are flying a red kite in a field of grass behind the house."


def rows_of(count: int, **columns: object) -> pd.DataFrame:
    return pd.DataFrame({"Run": [f"run {k}" for k in range(count)], **columns})


def test_a_long_table_runs_over_pages_with_its_heads_again() -> None:
    table = rows_of(47, **{"TRM ↓": np.linspace(1, 2, 47)})
    assert "longtable" not in booktabs(table[:46], {"TRM ↓": "min"})
    text = booktabs(table, {"TRM ↓": "min"}, caption="Scores.", label="tab:a b", signatures=["trm|v1"])
    heads = "\\toprule\nRun & TRM $\\downarrow$ \\\\\n\\midrule\n"
    lines = text.splitlines(keepends=True)
    assert lines[0] == "% Needs \\usepackage{booktabs,longtable}.\n"
    assert "\\onecolumn" in lines[1]
    assert "".join(lines[2:]).startswith(
        "% Signatures of the numbers:\n%   trm|v1\n\\begingroup\n\\setlength{\\LTcapwidth}{\\linewidth}\n"
        "\\begin{longtable}{lr}\n\\caption{Scores. Best bold, second underlined.}\n\\label{tab:a-b} \\\\\n"
        f"{heads}\\endfirsthead\n\\caption[]{{(continued)}} \\\\\n{heads}\\endhead\n\\bottomrule\n\\endfoot\n"
        "run 0 & \\textbf{1.000} \\\\\nrun 1 & \\underline{1.022} \\\\\n"
    )
    assert text.endswith("run 46 & 2.000 \\\\\n\\end{longtable}\n\\endgroup\n")
    assert structure(text) == (2, [2] * 49)
    assert "\\caption" not in booktabs(table)


def test_intervals_and_wrapped_sentences_take_their_lines() -> None:
    bounded = rows_of(24, x=np.ones(24), **{"95 % from": np.zeros(24), "95 % to": np.ones(24)})
    assert "longtable" not in booktabs(bounded[:22])
    assert "\\begin{longtable}{lr}" in booktabs(bounded[:23])
    said = rows_of(24, Caption=[f"{SENTENCE} {SENTENCE}"] * 24)
    assert "longtable" not in booktabs(said[:23])
    assert "% Needs \\usepackage{booktabs,array,longtable}." in booktabs(said)


def test_sentences_are_wrapped_where_they_would_leave_the_page() -> None:
    text = booktabs(pd.DataFrame({"Said by": ["a"], "Caption": [SENTENCE * 2], "x": [1.0], "Image": [SENTENCE]}))
    assert text.startswith("% Needs \\usepackage{booktabs,array}.\n\\begin{table*}\n\\centering\n\\begin{tabular}{l>{")
    wrapped = r">\{\\raggedright\\arraybackslash\}p\{(0\.\d+)\\dimexpr\\linewidth-(\d+)pt\\relax\}"
    caption, image = (float(share) for share, _ in re.findall(wrapped, text))
    assert caption == pytest.approx(2 / 3, abs=0.001)
    assert image == pytest.approx(1 / 3, abs=0.001)
    assert "\\begin{table}\n" in booktabs(pd.DataFrame({"Said by": ["a"], "Caption": ["A kite."], "x": [1.0]}))
    assert "\\begin{table*}\n" in booktabs(pd.DataFrame({"a": ["a"], "Caption": [SENTENCE[:50]], "x": [1.0]}))


def test_long_words_of_wrapped_cells_can_be_broken() -> None:
    text = booktabs(pd.DataFrame({"Signature": ["bleu_1|v1|smooth:coco|tok:ptb", "a_b", "x" * 45], "S": SENTENCE * 2}))
    first = "bleu\\_\\allowbreak{}1\\textbar{}\\allowbreak{}v1\\textbar{}\\allowbreak{}smooth:\\allowbreak{}coco"
    assert f"\n{first}" in text
    assert "\na\\_b & " in text
    assert f"\n{'x' * 20}\\allowbreak{{}}{'x' * 20}\\allowbreak{{}}xxxxx & " in text


def test_too_many_numbers_are_shrunk_to_the_page() -> None:
    text = booktabs(pd.DataFrame({f"METRIC {k}": [1.0] for k in range(20)}))
    assert text.startswith("% Needs \\usepackage{booktabs,graphicx}.\n\\begin{table*}\n\\centering\n\\footnotesize\n")
    shrunk = (
        "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{\\begin{tabular}{" + "r" * 20 + "}\n"
    )
    assert shrunk in text
    assert text.endswith("\\bottomrule\n\\end{tabular}}\n\\end{table*}\n")


def test_too_many_numbers_of_a_long_table_turn_the_page() -> None:
    wide = pd.DataFrame({f"METRIC {k}": np.ones(80) for k in range(16)})
    text = booktabs(wide, label="x")
    assert text.startswith("% Needs \\usepackage{booktabs,longtable,pdflscape}.\n")
    assert "\\begin{landscape}\n\\begingroup\n\\scriptsize\n" in text
    assert text.endswith("\\end{longtable}\n\\endgroup\n\\end{landscape}\n")
    assert "wider than a page" not in text
    assert "\n% The table is wider than a page: leave columns out.\n" in booktabs(wide.join(wide.add_suffix(" too")))


def test_truth_is_said_in_words() -> None:
    table = pd.DataFrame({"Central": [True, False], "Mixed": pd.Series([1, np.True_], dtype=object)})
    assert body(booktabs(table)) == [["yes", "1"], ["no", "yes"]]


PDFLATEX = shutil.which("pdflatex")


def typeset(text: str, folder: Path) -> str:
    """Return the output of LaTeX for tables in two columns that are 6.9 inches wide in all, with the packages they
    name.
    """
    needs = "".join(dict.fromkeys(re.findall(r"^% Needs (\\usepackage\{.*\})\.$", text, flags=re.M)))
    size = "\\usepackage[textwidth=6.9in,textheight=9in,columnsep=0.3in]{geometry}"
    paper = re.sub(r"(?=% Needs .*longtable)", r"\\onecolumn\n", text)
    document = f"\\documentclass[twocolumn]{{article}}{size}{needs}\\begin{{document}}\n{paper}\\end{{document}}\n"
    (folder / "paper.tex").write_text(document, encoding="utf-8")
    for _ in range(1 + ("longtable" in text)):
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout


def fits(text: str, folder: Path) -> None:
    """Fail unless LaTeX accepts the tables, and each fits its column and page."""
    found = re.findall(r"^(?:Overfull .hbox.*|.*[Ff]loat too large.*)", typeset(text, folder), flags=re.M)
    assert not found


@pytest.mark.skipif(PDFLATEX is None, reason="pdflatex is not installed")
def test_latex_accepts_it(tmp_path: Path) -> None:
    hostile = BOUNDED.assign(Run=["[$5 & 50 %] #1_{x}^2 ~", "*\\input{x} \\end{tabular}", 'a "b" <c> | →', "Human"])
    assert "\n{}[\\$5" in booktabs(hostile)
    text = booktabs(
        hostile,
        caption="% $ \\ † α",
        label="tab:x y%",
        marks=Marks(
            {"TRM": "min"},
            intervals={"TRM": ("from", "to")},
            daggers={"TRM": [True, False, False, False]},
            apart=1,
        ),
    )
    fits(text, tmp_path)


WIDE = {f"METRIC {k}": np.linspace(0, 1, 100) for k in range(16)}
CAPTIONS = {"Caption": [f"{HOSTILE[k % 5]} {SENTENCE}" for k in range(100)], "Signature": ["a_b|c/d" * 20] * 100}
NARROW = {"TRM": np.ones(100), "TRM 95 % from": -np.ones(100), "TRM 95 % to": np.ones(100)}


@pytest.mark.skipif(PDFLATEX is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("count", [1, 21, 22, 23, 24, 46, 47, 58, 59, 100])
@pytest.mark.parametrize(
    "columns", [{}, NARROW, WIDE, CAPTIONS, NARROW | CAPTIONS], ids=["few", "bounded", "wide", "said", "all"]
)
def test_every_table_fits_its_page(columns: dict[str, object], count: int, tmp_path: Path) -> None:
    table = rows_of(100, **columns)[:count]
    fits(booktabs(table, caption=f"{SENTENCE} {SENTENCE} {SENTENCE}", label="tab:x"), tmp_path)
