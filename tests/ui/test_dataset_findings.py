"""Test the findings of the Data page: their repairs as buttons, their counts, and their words."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest

from data.check import Finding
from figures.dataset import html as checks_html
from tests.ui.shown import findings, markup, mend, worked
from tests.ui.test_dataset import REFERENCES, RUN, dropped, opened, token, words
from ui.frame.wording import sentence

APART = b"".join(
    json.dumps({"id": str(k), "metadata": {"context": f"c{k}"}, "candidates": {run: ["A.", "B."]}}).encode() + b"\n"
    for k, run in enumerate(("story", "story", "resp"))
)


def repairs(at: AppTest) -> list[str]:
    return [button.label for button in at.button if (button.key or "").startswith("fix_")]


def test_runs_that_were_made_one_and_taken_apart_can_be_made_one_again():
    at = dropped(("tasks.jsonl", APART))
    assert [run.name for run in opened(at).study.runs] == ["tasks"]  # type: ignore[union-attr]
    before = token(at)
    at = mend(at, "join_runs", on=False)
    (said,) = (error.value for error in at.error)
    assert "The repair keeps only run story, which describes the most contexts (2)." in said.replace("\\", "")
    assert {"Make them one run", "Keep the widest runs"} <= set(repairs(at))
    at = mend(at, "join_runs")
    assert not at.error
    assert [run.name for run in opened(at).study.runs] == ["tasks"]  # type: ignore[union-attr]
    at = mend(mend(at, "join_runs", on=False), "widest_runs")
    assert not at.error
    assert [run.name for run in opened(at).study.runs] == ["story"]  # type: ignore[union-attr]
    assert token(at) == before, "still the same study"


def test_files_of_which_a_repair_makes_a_study_are_opened_by_its_button():
    people = APART.replace(b'"candidates"', b'"references": ["x", "y"], "candidates"')
    at = dropped(("tasks.jsonl", people))
    assert "study" not in dict(at.query_params)
    at = mend(at, "widest_runs")
    assert not at.error
    assert [run.name for run in opened(at).study.runs] == ["story"]  # type: ignore[union-attr]


def test_a_warning_whose_repair_was_chosen_is_called_repaired_and_not_counted():
    """The repair "Draw one of each" settles two warnings, which were once counted even after it."""
    several = json.dumps({"1": ["A dog.", "A big dog."], "2": ["A cat.", "Cats."]}).encode()
    single = json.dumps({"1": ["Dogs run."], "2": ["A cat sits."]}).encode()
    at = dropped(("references.json", REFERENCES), ("several.json", several), ("single.json", single))
    before = [one for one in findings(at) if one.startswith("warning: ")]
    assert f"{len(before)} warnings below" in words(at)
    at = mend(at, "one_each")
    done = [one for one in findings(at) if one.startswith("repaired: ")]
    assert len(done) == 2
    left = len(before) - 2
    assert ("Nothing in the files needs attention." in words(at)) == (left == 0)
    assert f"{'' if not left else f'{left} warnings, '}2 repaired" in words(at)
    assert "Draw equal numbers" not in repairs(at), "there is nothing left to draw"
    assert [label for label in repairs(at) if label.startswith("Undo: ")]


def test_names_of_fields_are_set_as_code_and_never_read_as_html():
    said = "the field `run` of <b>; `--encoder`, `<think>` or `a b`."
    found = Finding("warning", "runs_joined", "a.json", "", "", said, "A lone `x stays.", None)
    shown = "<code>run</code> of &lt;b&gt;; <code>--encoder</code>, <code>&lt;think&gt;</code> or <code>a b</code>."
    assert f'the field {shown} <span class="tl-told">A lone `x stays.</span></p>' in checks_html.finding(found)
    assert "<b>a.json:</b>" in checks_html.finding(found)
    assert '<b class="tl-told">a.json (b):</b> Run b stops.' in checks_html.finding(
        Finding("warning", "unfinished", "a.json", "", "b", "Run b stops.", "", None)
    ), "a line that is cut need not tell the place twice"
    assert sentence(found) == "a.json: the field run of <b>; --encoder, <think> or a b. A lone `x stays."


def test_a_repair_has_one_button_for_all_findings_that_it_mends():
    rows = [
        {
            "id": "1",
            "references": ["<think>Hm.</think>a dog", "a dog"],
            "candidates": {"m": ["<think>x</think>dog", ""]},
        },
        {"id": "2", "references": ["a cat", "cats"], "candidates": {"m": ["the cat", "nan"]}},
        {"id": "3", "references": ["a cup", "N/A"], "candidates": {"m": ["one cup", "cups"]}},
    ]
    at = dropped(("x.json", json.dumps(rows).encode()))
    said = sorted(repairs(at))
    assert said == ["Leave out the thoughts (both)", "Leave them out", "Leave them out (both)"]
    at = mend(at, "drop_thoughts")
    assert sorted(repairs(at)) == [
        "Leave them out",
        "Leave them out (both)",
        "Undo: leave out the thoughts (both)",
    ]
    assert "`" not in markup(at)


def test_a_long_name_in_the_sidebar_breaks_at_its_joints():
    at = dropped(("coco_mrnn_<i>beam10.json", RUN))
    assert '<b dir="auto">coco_<wbr>mrnn_' in markup(at)
    assert "<i>beam10" not in markup(at)


def test_captions_that_the_encoder_reads_in_part_are_named():
    long = json.dumps({"1": ["a dog " * 200, "A dog."], "2": ["A cat.", "Cats."]}).encode()
    said = "A caption of run long is longer than the 256 tokens that MiniLM reads"
    assert sum(said in one for one in findings(dropped(("references.json", REFERENCES), ("long.json", long)))) == 1


def test_captions_without_blanks_are_split_into_characters_by_a_button():
    said = [("沙滩上有一只狗", "沙滩上的狗"), ("桌上有两个杯子", "桌上的杯子"), ("街上有一辆车", "一辆红色的车")]
    rows = [
        {"id": str(k), "references": [people, people[1:]], "candidates": {"m": [text], "n": [text[1:]]}}
        for k, (people, text) in enumerate(said)
    ]
    at = mend(dropped(("zh.json", json.dumps(rows).encode())), "character_tokens")
    assert opened(at).study.tokenizer == "zh"  # type: ignore[union-attr]
    assert "METEOR, SPICE, scene graphs and the encoder MiniLM are made for English" in markup(at)
    at.query_params["quality"] = ["bleu_1", "cider_d"]
    at.query_params["distribution"], at.query_params["diversity"] = [], []
    at.switch_page("pages/leaderboard.py").run()
    worked()
    at.run()
    assert not at.exception
    assert "cider_d|v1|idf:study|n:4|sigma:6|tok:zh" in markup(at)
    assert "tok:ptb" not in markup(at)
