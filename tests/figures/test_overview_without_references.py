"""Test the figure and the sentences about the runs of a study without references."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from figures.overview import html, without_references
from figures.style.escaping import esc
from metrics.analysis.human_line import run_texts

BAD = '<script>alert("$5")</script>'


def study(**runs: list[list[str]]) -> Study:
    items = tuple(Item(f"i{k}", ()) for k in range(max(map(len, runs.values()))))
    made = (
        Run(name, name, Settings(), {item.id: tuple(said) for item, said in zip(items, of)})
        for name, of in runs.items()
    )
    return Study("alone", items, tuple(made))


PLAIN = study(
    never=[["one two", "three four five"], ["six seven", "eight"]],
    twice=[["a b c d", "a b c d"], ["e f", "g h"]],
    always=[[BAD, BAD], [BAD, BAD]],
)


def said(of: Study) -> str:
    return " ".join(without_references.headline(of, without_references.rows(of))).replace("\u00a0", " ")


def test_rows_have_the_numbers_of_the_data_page_and_the_most_frequent_caption() -> None:
    found = without_references.rows(PLAIN)
    assert [PLAIN.runs[row.run].name for row in found] == ["always", "twice", "never"]
    assert (without_references.better(found), without_references.better(found[2:]), without_references.better([])) == (
        "most repetition first",
        "",
        "",
    )
    assert {PLAIN.runs[row.run].name: row.texts for row in found} == run_texts(PLAIN)
    assert [(row.often, row.times, row.total) for row in found[:2]] == [(BAD, 4, 4), ("a b c d", 2, 4)]
    assert found[2].times == 1
    table = without_references.twin(PLAIN, found)
    assert table["Repeated, %"].tolist() == [100, 50, 0]
    assert table["Times"].tolist() == [4, 2, 1]


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        (("never", "twice"), "twice repeats itself most: 50 % of its captions occur more than once. "),
        (("never",), "never never repeats a caption. Its captions have 2.0 words on average."),
        (("twice",), "twice repeats 50 % of its captions. Its captions have 3.0 words on average."),
        (("twice", "twin"), "Every run repeats 50 % of its captions. All runs have captions of 3.0 words"),
        (
            ("never", "other"),
            "No run repeats a caption. On average, captions have 1.0 to 2.0 words.",
        ),
        (("never", "twice", "twin"), "Runs repeat 0 % to 50 % of their captions. "),
    ],
)
def test_the_headline_says_who_repeats_itself_and_how_long_captions_are(runs: tuple[str, ...], words: str) -> None:
    by = {run.name: run for run in PLAIN.runs}
    by["twin"] = replace(by["twice"], name="twin", candidates={"i0": ("x y z",) * 2, "i1": ("u v w", "r s t")})
    by["other"] = replace(by["never"], name="other", candidates={"i0": ("x", "y"), "i1": ("u", "v")})
    text = said(replace(PLAIN, runs=tuple(by[name] for name in runs)))
    assert text.startswith(words)
    assert len(text.split()) <= 35


def test_a_fault_stands_in_place_of_repetition() -> None:
    same = study(same=[["a b"]] * 6, other=[[f"word {k} here"] for k in range(6)])
    text = said(same)
    assert text.startswith("same gives one caption to all 6 items. On average, captions have 2.0 to 3.0 words.")
    assert "repeats" not in text
    assert any("check: same" in fact for fact in without_references.facts(same, without_references.rows(same)))


def test_text_of_a_study_is_data_and_bars_are_shares() -> None:
    named = replace(PLAIN, runs=tuple(replace(run, name=f"{run.name}{BAD}", model=BAD) for run in PLAIN.runs))
    html = without_references.html(named, without_references.rows(named), "light")
    assert "<script" not in html
    assert html.count("<tr") == 4
    assert "all 4 times" in html
    assert "2 times" in html
    assert "none twice" in html
    widths = [float(part.split("%")[0]) for part in html.split("width:")[1:]]
    assert widths[1::2] == [100, 50, 0]
    assert max(widths[::2]) == 100, "the longest captions fill their column"
    one = replace(PLAIN, runs=PLAIN.runs[:1])
    alone = without_references.html(one, without_references.rows(one), "light")
    assert alone.count("width:") == 1, "a single length is compared with nothing"


def test_runs_beyond_the_figure_and_without_captions_are_named() -> None:
    many = study(**{f"run{k}": [[f"a {k}", f"b {k}"]] for k in range(without_references.SHOWN + 3)}, silent=[[]])
    found = without_references.rows(many)
    assert len(found) == without_references.SHOWN + 3
    assert not any(np.isnan(row.texts.words) for row in found)
    facts = without_references.facts(many, found)
    assert f"{without_references.SHOWN} of {without_references.SHOWN + 3} runs; the table has all" in facts
    assert "no captions here: silent" in facts
    assert without_references.html(many, found, "dark").count("<tr") == without_references.SHOWN + 1
    assert len(without_references.twin(many, found)) == without_references.SHOWN + 3


def test_a_long_text_is_folded_behind_its_beginning() -> None:
    text = " ".join(f"<{k}>" for k in range(html.LONG + 1))
    page = html.quote(text)
    begin, _, rest = page.partition("<details")
    assert "&lt;39&gt; …</q>" in begin
    assert "&lt;40&gt;" not in begin
    assert f">all {html.LONG + 1} words<" in rest
    assert esc(text) in rest, "the whole text opens with one click"
    assert "<details" not in html.quote(text.rpartition(" ")[0])
