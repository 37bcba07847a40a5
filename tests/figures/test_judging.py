"""Test the verdict, the figure and the tables of the Judge page."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from data.findings import Log
from data.imported.judge_answers import with_answers
from data.study import Study
from figures.judging import tables, words
from figures.judging.chart import Cell, chart
from figures.views.judging import NOBODY, OWN, VIEW
from figures.views.view import Known, Refusal, defaults
from metrics.analysis.judging.agreement import Own, People
from metrics.analysis.judging.answers import NONE, kinds
from metrics.analysis.judging.trust import Trust, trusts
from metrics.analysis.judgments.correlation import Estimate
from metrics.analysis.numbers import Numbers
from metrics.engine import scoring
from tests.analysis.judging.studies import answers, judged

STUDY = judged(items=12, runs=3)
SURE, UNSURE = Estimate(0.9, 0.8, 1.0, 1e-4, 20), Estimate(0.55, 0.4, 0.7, 0.4, 20)


def of(study: Study = STUDY) -> tuple[Trust, ...]:
    some = kinds(study)
    return trusts(some, [People()] * len(some), [Own()] * len(some))


def said(*found: Trust) -> str:
    return "".join(words.verdict(found))


def pairs(orders: Estimate, first: Estimate = UNSURE, longer: Estimate = UNSURE, **people: object) -> Trust:
    kind = kinds(STUDY)[1]
    assert kind.pairs is not None
    made = replace(kind, pairs=replace(kind.pairs, agree=orders, first=first, longer=longer))
    return trusts([made], [People(**people)], [Own()])[0]  # type: ignore[arg-type]


def test_a_coin_is_called_one_and_trusted_for_nothing() -> None:
    text = said(pairs(UNSURE, agree=SURE))
    assert text.startswith("tiny: pairs are indistinguishable from a coin toss.")
    assert "prefer" not in text


def test_place_and_length_are_named_only_behind_their_tests() -> None:
    place = Estimate(0.0, 0.0, 0.2, 1e-4, 20)
    assert said(pairs(place, SURE)).startswith("tiny: pairs depend on position. The first caption wins 90 %.")
    assert "The shorter caption wins 90 %." in said(pairs(SURE, longer=SURE._replace(value=0.1)))
    assert "No effect of position or length is detected." in said(pairs(SURE))


@pytest.mark.parametrize(("lead", "verb"), [(0.9, "prefers"), (-0.9, "disfavours")])
def test_a_judge_s_view_of_its_own_model_has_a_direction(lead: float, verb: str) -> None:
    (one,) = trusts([pairs(SURE).kind], [People()], [Own(SURE._replace(value=lead))])
    assert f"The judge {verb} its own model." in said(one)


def test_an_effect_that_was_not_tested_is_not_called_absent() -> None:
    assert "No effect of length is detected." in said(pairs(SURE, first=NONE))
    assert "No effect" not in said(pairs(SURE, first=NONE, longer=NONE))


def test_many_answers_that_cannot_be_read_are_named() -> None:
    one = pairs(SURE)
    few, many = (replace(one, kind=replace(one.kind, faults={"no choice": n})) for n in (2, 24))
    assert "cannot be read" not in said(few)
    assert "50 % of the answers cannot be read." in said(many)


def test_a_steady_judge_is_trusted_as_far_as_people_say() -> None:
    assert "Only people's ratings can show" in said(pairs(SURE))
    assert "prefers what people prefer in 90 % of pairs." in said(pairs(SURE, agree=SURE))
    behind = {"agree": SURE, "lead": UNSURE._replace(value=-0.05), "baseline": "run alone"}
    assert "in 90 % of pairs, run alone in 95 %." in said(pairs(SURE, **behind))
    ahead = {"agree": SURE, "lead": SURE._replace(value=0.1), "baseline": "run alone"}
    assert "run alone" not in said(pairs(SURE, **ahead))


def test_a_steady_judge_that_is_right_in_half_of_the_pairs_is_not_called_just_steady() -> None:
    text = said(pairs(SURE, agree=UNSURE))
    assert text.startswith("tiny: pairs are steady, but their agreement with people is indistinguishable from chance.")
    assert "The judge prefers what people prefer in 55 % of pairs (40 to 70 %)." in text
    wrong = said(pairs(SURE, agree=SURE._replace(value=0.2, low=0.1, high=0.3)))
    assert wrong.startswith("tiny: pairs are steady, but prefer what people do not.")
    assert "in 20 % of pairs (10 to 30 %)." in wrong
    for right in (pairs(SURE, agree=SURE), pairs(SURE)):
        assert said(right).startswith("tiny: pairs are steady.")
    kind = kinds(STUDY)[0]
    both = trusts([pairs(SURE).kind, kind], [People(agree=UNSURE), People()], [Own()] * 2)
    assert "By pairs, the judge prefers what people prefer in 55 % of pairs (40 to 70 %)." in said(*both)
    few = said(pairs(SURE, agree=Estimate(0.6, np.nan, np.nan, np.nan, 3)))
    assert "Too few images have ratings to test" in few
    assert "coin toss" not in few
    assert said(pairs(UNSURE, agree=UNSURE)).count("coin toss") == 1  # what is not steady is not said twice


@pytest.mark.parametrize(("agree", "first", "longer", "people"), list(product((SURE, UNSURE), repeat=4)))
def test_a_verdict_has_at_most_35_words(agree: Estimate, first: Estimate, longer: Estimate, people: Estimate) -> None:
    one = pairs(agree, first, longer, agree=people, baseline="length alone (more words)", lead=UNSURE)
    named = replace(one, kind=replace(one.kind, judge="an/organisation-with-a-long-name/A Model With Words"))
    for found in ([one], [one, *of()], [one, named, *of()]):
        assert len("".join(words.verdict(found)).split()) <= 35


def test_several_judges_are_named_and_settings_that_differ() -> None:
    one, other = of()
    warm = replace(one, kind=replace(one.kind, signature="clair|v1|model:tiny|temp:1"))
    assert words.labels([one, other]) == ["CLAIR", "pairs"]
    assert words.labels([one, warm])[1] == "CLAIR (temp:1)"
    big = replace(one, kind=replace(one.kind, judge="big"))
    assert words.labels([one, big]) == ["tiny CLAIR", "big CLAIR"]
    assert words.row(one, "tiny CLAIR").label == "tiny CLAIR", "a name keeps its spelling"
    assert words.row(one, "pairs").label == "Pairs"
    assert "".join(words.verdict([one, big])).startswith("tiny CLAIR")


def test_the_footer_says_how_much_was_asked_and_what_so_little_cannot_show() -> None:
    text = " ".join(words.facts(of(), "image"))
    unread = sum(np.isnan(one.score) for one in STUDY.answers)
    assert f"{len(STUDY.answers)} answers" in text
    assert f"unreadable: {unread} (no number in the answer: {unread})" in text
    assert "one pair for each of 12 images: only a share of 83 % or more differs significantly from half" in text, (
        "10 of 12: p 0.039"
    )
    few = {item.id for item in STUDY.items[:7]}
    some = [one for one in answers(STUDY) if one.prompt != "pairwise" or one.item in few]
    asked = of(with_answers(replace(STUDY, answers=()), some, Log()))
    assert "each of 7 images: only a share of 100 %" in " ".join(words.facts(asked, "image")), "not all 12"
    assert "fewer than 6 images" in " ".join(words.facts(of(judged(items=5, runs=3)), "image"))


def test_the_footer_says_what_is_told_of_its_own_model() -> None:
    kind = kinds(STUDY)[0]
    told = Own(Estimate(0.5, -0.1, 1.1, 0.2, 12), "run 1", "ROUGE-L")
    said = "own model, run 1: lead by the judge minus lead by ROUGE-L +0.50 standard deviations (95 % -0.10 to 1.10)"
    facts = words.facts(trusts([kind], [People()], [told]), "image")
    assert any(said in fact.replace("−", "-") for fact in facts)
    why = replace(told, estimate=NONE, why="at least 2 runs of other models are needed")
    assert "own model: at least 2 runs of other models are needed" in words.facts(
        trusts([kind], [People()], [why]), "image"
    )


def test_each_judge_is_held_to_the_run_with_its_own_name() -> None:
    plain = judged(items=6, runs=3)
    both = with_answers(plain, (*plain.answers, *answers(plain, "run 2")), Log())
    known = Known(both, numbers=Numbers(scoring.score(both, VIEW.needs(Known(both), {OWN: NOBODY}))))
    chosen, nobody = defaults(VIEW, known), defaults(VIEW, Known(plain))
    assert not isinstance(chosen, Refusal)
    assert not isinstance(nobody, Refusal)
    runs = {one.kind.judge: one.own.run for one in VIEW.result(known, chosen, {})}
    assert runs == {"tiny": "", "run 2": "run 2"}
    assert {one.own.run for one in VIEW.result(known, {**chosen, OWN: "run 1"}, {})} == {"run 1"}
    assert {one.own.run for one in VIEW.result(known, {**chosen, OWN: NOBODY}, {})} == {""}
    assert nobody[OWN] == NOBODY


def test_each_number_is_drawn_once_on_its_own_axis() -> None:
    found = of()
    rows = [words.row(one, name) for one, name in zip(found, words.labels(found))]
    cells = [cell for row in rows for cell in row.cells if isinstance(cell, Cell)]
    assert [isinstance(cell, Cell) for cell in rows[0].cells] == [True, False, False, True, False]
    assert [isinstance(cell, Cell) for cell in rows[1].cells] == [False, True, True, True, False]
    for narrow in (False, True):
        drawn = chart(rows, words.COLUMNS, "light", narrow).to_dict()
        marks = [trace for trace in drawn["data"] if trace["mode"] == "markers"]
        assert len(marks) == len(cells)
        texts = " ".join(one["text"] for one in drawn["layout"]["annotations"])
        assert all(cell.text in texts for cell in cells)
    assert all(cell.ends[0] <= cell.null <= cell.ends[1] for cell in cells)


def test_names_of_a_study_are_text_in_the_figure() -> None:
    named = [replace(one, kind=replace(one.kind, judge=judge)) for one, judge in zip(of(), ("<b>a</b>", "b"))]
    rows = [words.row(one, name) for one, name in zip(named, words.labels(named))]
    texts = [one["text"] for one in chart(rows, words.COLUMNS, "light").to_dict()["layout"]["annotations"]]
    assert "&lt;b&gt;a&lt;/b&gt; CLAIR" in texts


def test_the_table_has_all_numbers_of_every_kind() -> None:
    found = of()
    frame = tables.table(found).frame()
    assert frame["asked"].tolist() == ["CLAIR", "pairs"]
    assert frame["icc"][0] == found[0].kind.repeats.icc.value
    assert frame["first_wins"][1] == found[1].kind.pairs.first.value  # type: ignore[union-attr]
    assert np.isnan(frame["first_wins"][0])
    assert set(tables.table(found).labels) <= set(frame)


def test_every_answer_is_listed_once_and_found_by_its_words() -> None:
    some = kinds(STUDY)
    frame = tables.of_answers(STUDY, some).frame()
    assert len(frame) == sum(kind.questions for kind in some)
    first = STUDY.answers[0]
    assert frame["captions"][0] == first.captions[0]
    assert frame["scores"][0].startswith(f"{first.score:.3g}, ")
    assert any("none: no number in the answer" in cell for cell in frame["scores"])
    found = tables.of_answers(STUDY, some, f"{first.captions[0].upper()} WAS").frame()
    assert 0 < len(found) < len(frame)
    assert found["captions"].str.contains(first.captions[0], regex=False).all()
