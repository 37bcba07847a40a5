"""Test that ROUGE-1, -2 and -Lsum equal those of Google's rouge-score, and have other names than COCO's ROUGE-L."""

from __future__ import annotations

import os
import random
from itertools import islice
from typing import Any

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from metrics import laws
from metrics.distances.rouge_score import LONGEST, RougeLsumDistance, RougeNDistance
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.guide.cards import card
from metrics.registry import LEARNED, METRICS, SETS, resolve
from metrics.suite.rouge import RougeLsum, RougeN
from metrics.text.rouge_score import rouge_tokens
from metrics.text.sentences import sentences
from tests.second_route.texts import parted, similarity
from tests.text.helpers import WITH_CANDIDATES, realdata, sides

THEIRS = {"rouge1": RougeN(), "rouge2": RougeN(RougeNDistance(n=2)), "rougeLsum": RougeLsum()}
PIECES = [
    "a",
    "b",
    "dog.",
    "dogs",
    "running!",
    "é",
    "dying",
    "skies",
    "İ",
    "",
    "d-e's",
    '"so?"',
    "x.\n",
    "狗",
    "(end.)",
]


def scorer(stemmer: bool) -> Any:
    if not os.environ.get("CI"):
        pytest.importorskip("rouge_score", reason="needs requirements-source.txt")
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(list(THEIRS), use_stemmer=stemmer)


def differences(items: list[tuple[list[str], list[str]]], stemmer: bool) -> list[str]:
    """Return the differences from rouge-score, which is given one sentence per line, with the best reference."""
    wanted, found, theirs = [], [], scorer(stemmer)
    said = {str(k): tuple(own) for k, (own, _) in enumerate(items)}
    of = tuple(Item(str(k), tuple(people)) for k, (_, people) in enumerate(items))
    study = Study("texts", of, (Run("run", "run", Settings(), said),))
    for kind, metric in THEIRS.items():
        made = type(metric)(type(metric.space)(**{**vars(metric.space), "stemmer": stemmer}))
        ((_, result),) = scoring.score(study, [made], Options(resamples=10)).items()
        found += [(kind, value) for value in result.items]
        for own, people in items:
            lines = ["\n".join(sentences(text)) for text in people]
            each = [theirs.score_multi(lines, "\n".join(sentences(text)))[kind].fmeasure for text in own]
            wanted.append(np.mean(each))
    return [f"{kind}: {ours}, not {want}" for (kind, ours), want in zip(found, wanted) if not abs(ours - want) < 1e-12]


@pytest.mark.parametrize("stemmer", [False, True])
@pytest.mark.parametrize("name", WITH_CANDIDATES[:5])
def test_real_captions_have_the_values_of_rouge_score(name: str, stemmer: bool) -> None:
    assert differences([(own[:3], people) for own, people in islice(sides(realdata(name)), 12)], stemmer) == []


@pytest.mark.parametrize("stemmer", [False, True])
def test_odd_texts_of_several_sentences_have_the_values_of_rouge_score(stemmer: bool) -> None:
    source = random.Random(0)

    def text() -> str:
        return " ".join(source.choices(PIECES, k=source.randrange(25)))

    assert differences([([text(), text()], [text() for _ in range(3)]) for _ in range(200)], stemmer) == []


def test_the_slow_route_has_several_sentences_too() -> None:
    source = random.Random(1)
    for space in (RougeNDistance(n=2), RougeLsumDistance(), RougeLsumDistance(stemmer=True)):
        slow = similarity(space, None, None)
        for _ in range(60):
            one, other = (" ".join(source.choices(PIECES, k=source.randrange(12))) for _ in range(2))
            assert space.compared([one], [other])[0, 0] == pytest.approx(slow(one, other), abs=1e-12)


def test_sentences_end_at_stops_and_at_line_breaks() -> None:
    said = 'A dog. "It runs!" (Far.) Then\nno stop\r\n\n  3.5 m? Yes'
    assert sentences(said) == ["A dog.", '"It runs!"', "(Far.)", "Then", "no stop", "  3.5 m?", "Yes"]
    assert [" ".join(one.split()) for one in sentences(said)] == parted(said)


def test_tokens_are_those_of_rouge_score() -> None:
    assert rouge_tokens("The Dogs' café, 2x", stemmer=False) == ("the", "dogs", "caf", "2x")
    assert rouge_tokens("the running dogs", stemmer=True) == ("the", "run", "dog")


def test_a_sentence_too_long_has_no_value_and_a_reason() -> None:
    item = Item("long", ("a dog",))
    run = Run("run", "run", Settings(), {"long": ("word " * (LONGEST + 1),)})
    ((_, found),) = scoring.score(Study("long", (item,), (run,)), [RougeLsum()], Options(resamples=10)).items()
    assert np.isnan(found.corpus)
    assert f"more than {LONGEST:,} words" in found.reasons[0]


def test_they_are_named_apart_from_rouge_l_and_in_no_set() -> None:
    lsum, coco = LEARNED["rouge_lsum"], METRICS["rouge_l"]
    assert (lsum.label, coco.label) == ("ROUGE-Lsum", "ROUGE-L")
    assert card(lsum) != card(coco)
    assert "differs from `rouge_l`, which is that of the COCO evaluation" in lsum.summary
    assert not {"rouge_1", "rouge_2", "rouge_lsum"} & {name for members in SETS.values() for name in members}


def test_signatures_say_tokens_and_stems() -> None:
    (plain, stems) = resolve(["rouge_1", "rouge_1(stemmer=true)"], tokenizer="zh")
    assert plain.signature == "rouge_1|v1|beta:1|stem:no|tok:rouge"
    assert stems.signature == "rouge_1|v1|beta:1|stem:porter-nltk|tok:rouge"
    assert LEARNED["rouge_lsum"].signature == "rouge_lsum|v1|beta:1|stem:no|tok:rouge|sentences:stops"


def test_the_laws_hold_with_stems_too() -> None:
    metric = RougeLsum(RougeLsumDistance(stemmer=True))
    assert [broken for law in laws.LAWS.values() for broken in laws.broken(law, metric)] == []
