"""Test how a judge's reply is parsed: as a score with its reason, or as the reason why there is none."""

from __future__ import annotations

import json
import math

import pytest

from metrics.judging.endpoint import Reply
from metrics.judging.parse import FEWEST_MOST_FACTS, LONGEST, Said, most_facts, read


def reply(text: str, finish: str = "stop", refusal: str = "") -> Reply:
    return Reply(text, finish, refusal, "m")


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 85, "reason": "Both name a dog."}',
        '```json\n{"score": 85, "reason": "Both name a dog."}\n```',
        'Sure! Here it is: {"reason": "Both name a dog.", "score": "85"} I hope that helps {you}.',
        '<think>{"score": 3}, or rather ..</think>{"score": 85.0, "reason": " Both name a dog. "}',
        '{"score": 85, "reason": "Both name a dog."} {"score": 85}',
    ],
)
def test_a_score_is_found_wherever_it_stands(text: str) -> None:
    assert read("clair", reply(text)) == Said(0.85, "Both name a dog.")
    assert read("alike", reply(text)).score == 0.85


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"score": 250}', "its score is outside 0 to 100"),
        ('{"score": -1}', "its score is outside 0 to 100"),
        ('{"score": 1e999}', "its score is not a number"),
        ('{"score": NaN}', "its score is not a number"),
        ('{"score": true}', "its score is not a number"),
        ('{"score": "high"}', "its score is not a number"),
        ('{"score": "85%"}', "its score is not a number"),
        ('{"score": null}', "its score is not a number"),
        ('{"score": [85]}', "its score is not a number"),
        ('{"score": 80} or {"score": 90}', 'it has several values of "score"'),
        ("I would give it 85.", 'it has no JSON object with "score"'),
        ('{"score": 85', 'it has no JSON object with "score"'),
        ('{"Score": 85}', 'it has no JSON object with "score"'),
        ("{" * 5_000, 'it has no JSON object with "score"'),
        ('{"a":' * 3_000, 'it has no JSON object with "score"'),
        ('{"score": 5} ' * 10_000, "it is longer than 100,000 characters"),
        ("I cannot help with that.", 'it has no JSON object with "score"'),
        ("  \n", "it is empty"),
    ],
)
def test_anything_else_is_unreadable_and_never_zero(text: str, why: str) -> None:
    found = read("clair", reply(text))
    assert math.isnan(found.score)
    assert (found.fault, found.reason) == (why, text.strip()[:LONGEST])


def test_a_refusal_a_filter_and_an_answer_that_was_cut_off() -> None:
    assert read("clair", reply("", refusal="No.")).fault == "the judge refused"
    assert read("clair", reply("", refusal="No.")).reason == "No."
    assert read("clair", reply('{"score": 1}', "content_filter")).fault == "the server's filter withheld it"
    assert read("clair", reply('{"reason": "It', "length")).fault == "it was cut off at the maximum number of tokens"
    assert read("clair", reply('{"score": 10}  ', "length")).score == 0.1


def test_a_rating_is_0_to_5() -> None:
    assert [read("rating", reply(f'{{"score": {n}}}')).score for n in (0, 2.5, 5)] == [0, 2.5, 5]
    assert read("rating", reply('{"score": 5.5}')).fault == "its score is outside 0 to 5"


@pytest.mark.parametrize(("choice", "score"), [("A", 1.0), ("b", 0.0), (" Tie ", 0.5)])
def test_a_choice_is_a_vote_for_the_first(choice: str, score: float) -> None:
    assert read("pairwise", reply(f'{{"choice": "{choice}", "reason": "r"}}')) == Said(score, "r")


@pytest.mark.parametrize("choice", ['"C"', '"A or B"', "1", "null"])
def test_any_other_choice_is_unreadable(choice: str) -> None:
    assert read("pairwise", reply(f'{{"choice": {choice}}}')).fault == "its choice is neither A, B nor tie"


def test_facts_are_listed_once_each() -> None:
    assert read("facts", reply('{"facts": ["A  dog.", "It runs.", "A dog.", " "]}'), 40).facts == ("A dog.", "It runs.")
    assert read("facts", reply('{"facts": []}'), 40).fault == "it lists no fact"
    assert read("facts", reply('{"facts": "a dog"}'), 40).fault == "its facts are not a list of texts"
    assert read("facts", reply('{"facts": [1]}'), 40).fault == "its facts are not a list of texts"


@pytest.mark.parametrize("words", [10, 160, 400, 2_000])
def test_a_list_of_a_long_text_may_be_long_and_a_full_one_is_not_taken_for_whole(words: int) -> None:
    most = most_facts(["word " * words, ""])
    assert most == max(FEWEST_MOST_FACTS, words // 4)
    longest = [f"Fact {k} is a sentence of some length about what stands there." for k in range(most)]
    assert read("facts", reply(json.dumps({"facts": longest[:-1]})), most).facts == tuple(longest[:-1])
    full = read("facts", reply(json.dumps({"facts": longest})), most)
    assert full.facts == ()
    assert full.fault == f"its list is full, with {most} facts or more: some may be missing"


def test_facts_that_hold_are_a_share_of_all() -> None:
    found = read("coverage", reply('{"held": [true, false, true, true], "reason": "No ball."}'), 4)
    assert (found.score, found.held, found.reason) == (0.75, (True, False, True, True), "No ball.")
    assert read("precision", reply('{"held": [true]}'), 2).fault == "it does not answer for each fact"
    assert read("precision", reply('{"held": ["yes"]}'), 1).fault == "it is not a list of true and false"
    assert read("precision", reply('{"held": [1]}'), 1).fault == "it is not a list of true and false"
