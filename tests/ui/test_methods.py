"""Test the Methods page: all metrics of the registry, the search, and the signatures of the study."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from metrics import citations
from metrics.guide import documentation
from metrics.guide.cards import card
from metrics.registry import LEARNED, METRICS
from tests.studies import study as random_study
from tests.ui.shown import markup, page, score
from ui.frame.look import esc
from ui.frame.wording import plain

BUILT_IN = METRICS | LEARNED


def test_every_metric_has_a_line_with_its_sentence_and_formula_above_its_signature():
    listed = []
    for family in documentation.FAMILIES:
        at = page("methods", random_study(items=3), part=family)
        assert not at.exception
        shown = markup(at)
        own = [metric for metric in BUILT_IN.values() if metric.family == family]
        for metric in own:
            assert f"<code>{esc(metric.signature)}</code>" in shown
            assert esc(metric.source.replace("`", "")) in shown
        for entry, line in zip(documentation.entries(own), at.expander, strict=True):
            assert line.label.startswith(f"**{plain(entry.title)}**")
            assert plain(card(*entry.metrics)) in line.label
            parts = re.findall(r"\$\{(.*?)\}\$(?= |$)", line.label)
            assert "".join(parts) == re.sub(r"(?<=,)\\; ?(?=[^,]*=)", "", entry.first.formula), (
                "braces: KaTeX breaks none"
            )
        listed += own
    assert len(listed) == len(BUILT_IN)


def test_a_search_leaves_what_matches_and_the_address_keeps_it():
    at = page("methods", random_study(items=3), find="triangle bert")
    assert at.tabs[0].label == "Distribution", "only families with a match"
    shown = markup(at)
    assert "trm_bert|v1" in shown
    assert "trm_meteor|v1" not in shown
    assert "bleu_1|v1" not in shown
    assert "trm_bertscore|v1" in shown
    assert f"2 of {len(BUILT_IN)} metrics" in shown
    at.text_input(key="find_text").set_value("no such thing").run()
    assert at.query_params["find"] == "no such thing"
    assert "No metric matches" in markup(at)
    assert not at.expander
    assert not at.exception


def test_what_a_metric_lacks_is_said_once_and_without_backticks():
    shown = markup(page("methods", random_study(items=3), find="fbd"))
    assert shown.partition("<dt>Better</dt>")[2].count("such as bert-base-uncased: name it") == 1
    assert "`corpus_frechet_bert`" not in shown


def test_the_signatures_of_the_study_are_those_of_the_numbers_there():
    study = random_study(items=3)
    assert "No numbers yet" in markup(page("methods", study, part="study"))
    score(study, ["bleu_4", "trm_bow"])
    at = page("methods", study, part="study")
    table = at.dataframe[0].value
    assert list(table["Signature"]) == [METRICS["bleu_4"].signature, METRICS["trm_bow"].signature]
    assert list(table["Runs"]) == list(table["of"]) == [2, 2]
    assert f"sha256:{study.digest}" in markup(at)


def test_lines_are_folded_until_few_are_left_and_a_link_opens_one_metric():
    def open_lines(**query: str) -> list[bool]:
        at = page("methods", random_study(items=3), **query)
        assert not at.exception
        return [box.proto.expanded for box in at.expander]

    assert not any(open_lines())
    assert not any(open_lines(find="meteor"))
    assert open_lines(find="vendi") == [True]
    shown = markup(page("methods", random_study(items=3), metric="cider_d"))
    assert shown.count("<code>cider_d|v1") == 2
    assert "no metric named" in re.sub("<[^>]*>", "", markup(page("methods", random_study(items=3), metric="cider")))


def test_a_picker_says_what_the_chosen_metric_is():
    at = page("frontier", random_study(items=3))
    assert not at.exception
    boxes = {box.label: box for box in at.selectbox}
    told = {label: boxes[label].proto.help for label in boxes if label in (":gray[Quality]", "Quality", "Diversity")}
    assert len(told) >= 2
    for label, escaped in told.items():
        said = escaped.replace("\\", "")
        chosen = METRICS[boxes[label].value]
        assert said.startswith(f"{chosen.label}: ")
        assert card(chosen).split(";")[0][:40] in said


@pytest.mark.parametrize("runs", [0, 1])
def test_a_study_of_references_alone_or_of_single_captions(runs):
    study = replace(
        random_study(items=2, candidates=1, references=1), runs=random_study(items=2, candidates=1).runs[:runs]
    )
    at = page("methods", study, part="diversity")
    assert not at.exception
    assert ("needs two captions by a run per image, and every run has only one" in markup(at)) == (runs == 1)


def test_every_metric_cites_a_paper_that_has_an_entry():
    known = citations.entries()
    for metric in BUILT_IN.values():
        if metric.source != "Common practice":
            assert metric.cites, metric.name
            assert set(metric.cites) <= set(known), metric.name
    bibtex = citations.cited([METRICS["trm_meteor"], METRICS["trm_bert"]])
    assert [key for key in known if key in bibtex] == [
        "chan2022distribution",
        "denkowski2014meteor",
        "reimers2019sentence",
    ]
    assert citations.cited(BUILT_IN.values()).count("@") == len(known)


def test_titles_say_a_shared_word_once():
    titles = [entry.title for entry in documentation.entries(BUILT_IN.values())]
    assert "TRM on METEOR, on CIDEr-D, on MiniLM, on BERTScore MiniLM, on BLEU-4, on ROUGE-L, on bag of words" in titles
    assert "BLEU-1, BLEU-2, BLEU-3, BLEU-4" in titles
    assert "ROUGE-L" in titles


def test_printed_numbers_stand_beside_recomputed_ones_of_a_table_that_is_named(tmp_path, monkeypatch):
    study = random_study(items=2)
    at = page("methods", study, part="published")
    assert not at.exception
    (shown,) = (table.value for table in at.dataframe if "printed" in table.value)
    assert "recomputed" not in shown
    assert shown.set_index(["recipe", "row"]).printed["coco-demo", "bleu_1"] == "0.579"
    file = tmp_path / "reproduced.csv"
    row = "{},bleu_1,value,{},{},,,trilens score\n"
    file.write_text(
        "recipe,row,column,printed,recomputed,difference,mark,command\n"
        + row.format("coco-demo", "0.579", "0.5794")
        + row.format("<b>none</b>", "0.579", "0.5794")
        + "flickr8k-expert,bleu_1,value,32.3,31,,,trilens judge\n"
        + "coco-demo,cider_d,value,0.6,0.61,,,trilens score\n"
    )
    monkeypatch.setenv("TRILENS_REPRODUCED", str(file))
    at = page("methods", study, part="published")
    assert not at.exception
    (shown,) = (table.value for table in at.dataframe if "recomputed" in table.value)
    assert shown.recomputed.notna().sum() == 3
    given = shown[:3]
    assert given.mark.tolist() == ["", "beyond rounding", "beyond rounding"]
    assert given.printed.tolist() == ["0.579", "0.600", "32.3"]
    assert given.difference.tolist() == pytest.approx([0.0004, 0.01, -1.3])
    assert "1 of 3 numbers agree with the printed digits, 2 differ beyond rounding." in markup(at)
    file.write_text("a,b\n1,2\n")
    assert "reproduced.csv lacks recipe, row" in markup(page("methods", study, part="published"))
    monkeypatch.setenv("TRILENS_REPRODUCED", str(tmp_path / "none.csv"))
    assert "none.csv is not a .csv table written by" in markup(page("methods", study, part="published")).replace(
        "`", ""
    )
