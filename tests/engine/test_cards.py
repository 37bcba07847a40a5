"""Test that the card of every metric is one plain sentence for readers who know no metrics."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import ClassVar

import pytest

from metrics.base import Metric
from metrics.guide.cards import CARDS, as_distance, card
from metrics.guide.documentation import summary
from metrics.registry import DISTANCES, LEARNED, METRICS
from metrics.suite.quality import RougeL

EVERY = METRICS | LEARNED
JARGON = (
    r"\b(candidates?|items?|references?|relabel\w*|n-grams?|embeddings?|corpus|tokens?|idf|cosine|kernel|resampl\w*)\b"
)


@pytest.mark.parametrize("metric", EVERY.values(), ids=lambda metric: metric.name)
def test_a_card_is_one_plain_sentence(metric: Metric) -> None:
    said = card(metric)
    assert said[0].isupper()
    assert re.findall(r"[.!?](?:\s|$)", said) == ["."], "one sentence"
    assert len(said.split()) <= 27, said
    assert not re.search(JARGON, said, re.IGNORECASE), said
    assert "{" not in said


def test_every_class_has_a_card_and_no_card_is_left_over() -> None:
    assert set(CARDS) == {type(metric) for metric in EVERY.values()}


def test_a_card_names_what_the_metric_is_made_of() -> None:
    assert "by METEOR distances" in card(METRICS["trm_meteor"])
    assert "phrases of up to 4 words" in card(METRICS["bleu_4"])
    assert "phrases" not in card(METRICS["bleu_1"])
    both = card(METRICS["trm_meteor"], METRICS["trm_cider_d"], METRICS["trm_bow"])
    assert "by METEOR, CIDEr-D or bag of words distances" in both
    assert "words or phrases of 2 words" in card(METRICS["distinct_1"], METRICS["distinct_2"])
    assert "phrases of 3 words" in card(replace(METRICS["ngram_entropy"], n=3))  # type: ignore[type-var]


def test_a_metric_of_ones_own_says_what_it_says_of_itself() -> None:
    @dataclass(frozen=True)
    class Own(RougeL):
        """My own metric."""

        name: ClassVar[str] = "own"

    assert card(Own()) == summary(Own())
    assert card(Own()).startswith("My own metric.")


def test_a_similarity_is_taken_from_its_maximum() -> None:
    assert as_distance(DISTANCES["METEOR"]) == "1 − METEOR"
    assert as_distance(DISTANCES["CIDEr-D"]) == "10 − CIDEr-D"
    assert as_distance(DISTANCES["bag of words"]) == "1 − bag of words similarity"
