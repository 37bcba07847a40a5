"""Test that sentence matching equals a computation one by one, ignores order, and uses the best reference."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from data.study import Captions, Item, Run, Settings, Study
from metrics import laws
from metrics.base import Metric
from metrics.distances.rouge_score import RougeLsumDistance, RougeNDistance
from metrics.distances.sentences import Part, SentenceDistance, covered
from metrics.engine import scoring
from metrics.engine.result import Result
from metrics.engine.tasks import Options
from metrics.guide.cards import card
from metrics.guide.tasks import TASKS
from metrics.permutation.item_test import permutation_test
from metrics.registry import DISTANCES, LEARNED, SETS, resolve
from metrics.suite.sentence_match import SentenceMatch
from tests.second_route.registry import SLOW
from tests.second_route.texts import similarity

WORDS = SentenceMatch(SentenceDistance(RougeNDistance()))
SENTENCES = ("A dog runs.", "It is wet!", "Does it rain?", "A dog runs.", "The street is grey.", "A man waits.")


def scored(own: Captions, people: Captions, metric: Metric = WORDS, p_values: bool = False) -> Result:
    said = Run("run", "run", Settings(), {"1": own})
    study = Study("paragraphs", (Item("1", people),), (said,), tokenizer="whitespace")
    ((_, found),) = scoring.score(study, [metric], Options(resamples=10, p_values=p_values)).items()
    return found


def of_part(part: Part, own: Captions, people: Captions) -> float:
    return float(scored(own, people, SentenceMatch(SentenceDistance(RougeNDistance(), part=part))).corpus)


def paragraphs(seed: int) -> Study:
    source = random.Random(seed)

    def text() -> str:
        return " ".join(source.choices(SENTENCES, k=source.randrange(4)))

    items = tuple(Item(str(k), tuple(text() for _ in range(3 + k % 2))) for k in range(3))
    said = {item.id: (text(), text(), item.references[0], "") for item in items}
    return Study("paragraphs", items, (Run("run", "run", Settings(), said),), tokenizer="whitespace")


@pytest.mark.parametrize("part", ["f1", "precision", "recall"])
@pytest.mark.parametrize("name", ["rouge_1", "rouge_l", "bert", "cider_d", "bow"])
def test_the_engine_says_what_matching_one_by_one_says(name: str, part: Part) -> None:
    spaces = {"rouge_1": RougeNDistance()} | {space.name_with_order: space for space in DISTANCES.values()}
    metric = SentenceMatch(SentenceDistance(spaces[name], part=part))
    study = paragraphs(seed=len(name))
    ((_, found),) = scoring.score(study, [metric], Options(resamples=10)).items()
    items, corpus = SLOW[SentenceMatch](metric, study, study.runs[0])
    np.testing.assert_allclose(found.items, items, atol=1e-6)
    assert found.corpus == pytest.approx(corpus, abs=1e-6)


@pytest.mark.parametrize("part", ["f1", "precision", "recall"])
def test_the_test_relabels_whole_texts(part: Part) -> None:
    space = SentenceDistance(RougeNDistance(), part=part)
    own, people = ("A dog runs. It is wet!", "It is wet!"), ("A dog runs. A man waits.", "A man waits. It is.")
    alike = similarity(space, None, None)
    texts = [*sorted(own), *sorted(people)]
    matrix = np.array([[alike(h, r) for r in texts] for h in texts])
    wanted = permutation_test("mean_max", matrix, np.arange(4) < 2, 1_000, 0, "less").p_value
    found = scored(own, people, SentenceMatch(space), p_values=True)
    assert found.item_p is not None
    assert found.item_p.tolist() == [wanted]


def test_by_hand() -> None:
    own, people = ("A dog. Rain. Rain.",), ("A dog. A cat.",)
    assert of_part("precision", own, people) == pytest.approx(1 / 3)  # 1, 0, 0: a repetition counts again
    assert of_part("recall", own, people) == pytest.approx((1 + 1 / 2) / 2)  # "A cat." shares a word with "A dog."
    assert of_part("f1", own, people) == pytest.approx(2 * (1 / 3) * (3 / 4) / (1 / 3 + 3 / 4))


def test_order_does_not_count_and_what_is_added_or_left_out_does() -> None:
    whole = "A dog runs. It is wet! Does rain fall?"
    assert scored((whole,), ("Does rain fall? It is wet! A dog runs.",)).corpus == 1
    less, more = "A dog runs. It is wet!", f"{whole} Volcanic minerals glow."
    assert of_part("precision", (less,), (whole,)) == 1 > of_part("recall", (less,), (whole,))
    assert of_part("recall", (more,), (whole,)) == 1 > of_part("precision", (more,), (whole,))


def test_the_best_reference_counts_and_not_one_after_the_other() -> None:
    parts = ("A dog runs.", "Rain falls outside.")
    assert scored((" ".join(parts),), parts).corpus == scored((" ".join(parts),), parts[:1]).corpus < 1
    assert scored((" ".join(parts),), (*parts, " ".join(parts))).corpus == 1


def test_of_one_sentence_it_is_the_distance_itself() -> None:
    own, people = ("a dog runs home", "a cat"), ("the dog runs", "a cat sleeps")
    assert scored(own, people).corpus == pytest.approx(scored(own, people, LEARNED["rouge_1"]).corpus, abs=1e-12)


def test_a_text_without_a_sentence_shares_nothing() -> None:
    assert scored(("", " "), ("A dog.",)).corpus == 0
    none, one = np.array([], dtype=np.int64), np.array([0])
    assert covered(np.ones((1, 1)), [none, one], [one, none]).tolist() == [[0, 0], [1, 0]]
    assert covered(np.ones((0, 0)), [none], [none]).tolist() == [[0]]


def test_negative_similarities_count_as_0() -> None:
    opposite = covered(np.maximum([[-0.5]], 0.0), [np.array([0])], [np.array([0])])
    assert opposite.tolist() == [[0]]
    metric = SentenceMatch()
    assert metric.bounds == (0, 1)
    assert scored(("Zinc prices fell.",), ("!?",), metric).corpus >= 0


def test_a_sentence_that_the_distance_cannot_read_gives_the_reason() -> None:
    metric = SentenceMatch(SentenceDistance(RougeLsumDistance()))
    found = scored(("word " * 5_001,), ("A dog.",), metric)
    assert np.isnan(found.corpus)
    assert "a sentence has more than 5,000 words" in found.reasons[0]


@pytest.mark.parametrize("part", ["f1", "precision", "recall"])
def test_the_laws_hold(part: Part) -> None:
    metric = SentenceMatch(SentenceDistance(RougeNDistance(), part=part))
    assert [broken for law in laws.LAWS.values() for broken in laws.broken(law, metric)] == []


def test_every_distance_has_one_by_name_and_no_set_has_any() -> None:
    names = {f"sentence_match_{space.name_with_order}" for space in DISTANCES.values()}
    assert names <= set(LEARNED)
    assert not names & {name for members in SETS.values() for name in members}
    assert "sentence_match_bert" in TASKS["long"].metrics
    (recall,) = resolve(["sentence_match_rouge_l(part=recall)"], tokenizer="whitespace")
    assert isinstance(recall, SentenceMatch)
    assert recall.label == "Sentences by ROUGE-L recall"
    assert recall.signature == (
        "sentence_match_rouge_l|v1|refs:max|recall|sentences:stops|of:rouge_l|v1|beta:1.2|tok:whitespace"
    )
    assert SentenceMatch(replace(recall.space, part="f1")) in resolve(["sentence_match_rouge_l"], "whitespace")
    assert "by MiniLM" in card(LEARNED["sentence_match_bert"])
