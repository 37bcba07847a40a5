"""The questions to a judge about a study: one per repeat and per caption, pair or list of facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from data.judge_answers import Answer, Prompt
from data.study import Captions, Item, Study
from metrics.judging.endpoint import Endpoint, Reply
from metrics.judging.parse import most_facts, read
from metrics.judging.prompts import wording

Ask = Literal["clair", "rating", "facts", "pairwise", "alike"]
ASKS: tuple[Ask, ...] = ("clair", "rating", "facts", "pairwise", "alike")
"""The kinds of question; `facts` first lists facts and then checks them."""
Who = tuple[str, int, str]
"""Run, position and text of a caption; the run of a reference is ""."""


@dataclass(frozen=True)
class Question:
    """One question about captions of one item, with its full text; `order` and `repeat` are as in `Answer`.

    `facts` are those that the judge is asked to check.
    """

    prompt: Prompt
    item: str
    whose: tuple[Who, ...]
    text: str
    order: int = 0
    repeat: int = 0
    facts: Captions = ()

    def answer(self, endpoint: Endpoint, reply: Reply | None, why: str = "") -> Answer:
        """Return the answer contained in a reply; without a reply, an answer with the reason `why`."""
        runs, places, captions = zip(*self.whose)
        listing = f"|facts:{wording('facts').digest}" if self.prompt in ("coverage", "precision") else ""
        asked = Answer(
            endpoint.model,
            self.prompt,
            f"{wording(self.prompt).signature}{listing}|{endpoint.parameters}",
            self.item,
            runs,
            places,
            captions,
            self.order,
            self.repeat,
            facts=self.facts,
            fault=why,
        )
        if reply is None:
            return asked
        said = read(self.prompt, reply, most_facts(captions) if self.prompt == "facts" else len(self.facts))
        return replace(
            asked,
            score=said.score,
            reason=said.reason,
            fault=said.fault,
            facts=said.facts or self.facts,
            held=said.held,
            fingerprint=reply.fingerprint,
        )


def questions(study: Study, ask: Ask, repeats: int = 1) -> Iterator[Question]:
    """Yield the questions of one kind about all captions, item by item.

    For `facts`, yield only the questions that list facts, once each, since only the checks are repeated. A pair
    consists of different texts by two runs at the same position. An item without references has questions only for
    `alike`.
    """
    for item in study.items:
        candidates = [(run.name, k, text) for run in study.runs for k, text in enumerate(run.candidates[item.id])]
        for repeat in range(1 if ask == "facts" else repeats):
            for one in _of_item(ask, item, candidates, study):
                yield replace(one, repeat=repeat)


def _of_item(ask: Ask, item: Item, candidates: Sequence[Who], study: Study) -> Iterator[Question]:
    references = [("", k, text) for k, text in enumerate(item.references)]
    if ask == "alike":
        yield from _alike(item, candidates, references, study)
    elif not references:
        return
    elif ask == "facts":
        for whose in (references, *([one] for one in candidates)):
            texts = [text for _, _, text in whose]
            yield _about("facts", item, whose, captions=texts, most=most_facts(texts))
    elif ask == "pairwise":
        for one, other in combinations(candidates, 2):
            if one[0] != other[0] and one[1] == other[1] and one[2] != other[2]:
                yield from _both_orders(item, one, other)
    else:
        for one in candidates:
            yield _about(ask, item, [one], references=item.references, candidate=[one[2]])


def _about(prompt: Prompt, item: Item, whose: Sequence[Who], order: int = 0, **gaps: Sequence[str] | int) -> Question:
    return Question(prompt, item.id, tuple(whose), wording(prompt).filled(**gaps), order)


def _both_orders(item: Item, one: Who, other: Who) -> Iterator[Question]:
    for order, (first, second) in enumerate(((one, other), (other, one))):
        gaps = {"references": item.references, "first": [first[2]], "second": [second[2]]}
        yield _about("pairwise", item, [first, second], order, **gaps)


def _alike(item: Item, candidates: Sequence[Who], references: Sequence[Who], study: Study) -> Iterator[Question]:
    """Yield a question for each pair of different texts among the candidates of a run and the item's references.

    The order within a pair depends only on the words, so that the label of a caption, which a permutation test
    exchanges, cannot matter.
    """
    known: dict[tuple[str, str], tuple[Who, Who]] = {}
    for run in study.runs:
        pooled = [*(one for one in candidates if one[0] == run.name), *references]
        for one, other in combinations(pooled, 2):
            if one[2] != other[2]:
                first, second = sorted((one, other), key=lambda who: who[2])
                known.setdefault((first[2], second[2]), (first, second))
    for first, second in known.values():
        yield _about("alike", item, [first, second], first=[first[2]], second=[second[2]])


def checks(study: Study, listed: Sequence[Answer], repeats: int = 1) -> Iterator[Question]:
    """Yield the questions that check the facts listed by a judge.

    Facts of the references are checked in each candidate (`coverage`), and facts of a candidate in the references
    (`precision`). An unreadable list yields no questions.
    """
    items = {item.id: item for item in study.items}
    for answer in (one for one in listed if one.facts):
        item = items[answer.item]
        for repeat in range(repeats):
            if answer.runs[0]:
                whose = tuple(zip(answer.runs, answer.places, answer.captions))
                yield _check("precision", answer, whose, item.references, repeat)
                continue
            for run in study.runs:
                for place, text in enumerate(run.candidates[item.id]):
                    yield _check("coverage", answer, ((run.name, place, text),), (text,), repeat)


def _check(prompt: Prompt, listed: Answer, whose: tuple[Who, ...], captions: Captions, repeat: int) -> Question:
    text = wording(prompt).filled(captions=captions, facts=listed.facts, count=len(listed.facts))
    return Question(prompt, listed.item, whose, text, repeat=repeat, facts=listed.facts)
