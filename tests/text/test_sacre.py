"""Test that BLEU, chrF and chrF++ of captions and of runs equal sacreBLEU's public functions to the last digit."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import sacrebleu
from sacrebleu.metrics import BLEU, CHRF

from data.study import Item, Run, Settings, Study
from metrics.distances.chrf import ChrfDistance
from metrics.engine import scoring
from metrics.engine.result import Result
from metrics.engine.tasks import Options
from metrics.registry import LEARNED, SETS, resolve
from metrics.suite.sacre import Chrf, Sacre, SacreBleu
from tests.studies import study as random_study
from tests.text.helpers import WITH_CANDIDATES, realdata, sides

METRICS: list[tuple[Sacre, BLEU | CHRF, BLEU | CHRF]] = [
    (SacreBleu(), BLEU(), BLEU(effective_order=True)),
    (
        SacreBleu(tok="intl", lowercase=True),
        BLEU(tokenize="intl", lowercase=True),
        BLEU(tokenize="intl", lowercase=True, effective_order=True),
    ),
    (SacreBleu(tok="zh"), BLEU(tokenize="zh"), BLEU(tokenize="zh", effective_order=True)),
    (Chrf(), CHRF(), CHRF()),
    (Chrf(ChrfDistance(words=2)), CHRF(word_order=2), CHRF(word_order=2)),
    (
        Chrf(ChrfDistance(words=1, lowercase=True)),
        CHRF(word_order=1, lowercase=True),
        CHRF(word_order=1, lowercase=True),
    ),
]
PIECES = ["a dog", "A", "dogs!", "(so", "it's", "3.5", "狗在跑", "é", "", "  ", "x" * 9, "...", "\u2028", "&amp;", "-"]


def scored(items: list[tuple[list[str], list[str]]], metric: Sacre) -> Result:
    of = tuple(Item(str(k), tuple(people)) for k, (_, people) in enumerate(items))
    said = {str(k): tuple(own) for k, (own, _) in enumerate(items)}
    study = Study("texts", of, (Run("run", "run", Settings(), said),))
    ((_, found),) = scoring.score(study, [metric], Options(resamples=10)).items()
    return found


def check(items: list[tuple[list[str], list[str]]]) -> None:
    flat = [(text, people) for own, people in items for text in own]
    most = max(len(people) for _, people in flat)
    streams = [[people[k] if k < len(people) else None for _, people in flat] for k in range(most)]
    for metric, of_runs, of_captions in METRICS:
        found = scored(items, metric)
        assert found.corpus == of_runs.corpus_score([text for text, _ in flat], streams).score, metric.signature
        for (own, people), value in zip(items, found.items, strict=True):
            each = [of_captions.sentence_score(text, people).score for text in own]
            assert value == pytest.approx(sum(each) / len(each), abs=1e-12), metric.signature


@pytest.mark.parametrize("name", WITH_CANDIDATES[:6])
def test_real_captions_have_the_values_of_sacrebleu(name: str) -> None:
    check([(own[:3], people[:10]) for own, people in islice(sides(realdata(name)), 60)])


def test_odd_texts_have_the_values_of_sacrebleu() -> None:
    source = random.Random(0)

    def text() -> str:
        return " ".join(source.choices(PIECES, k=source.randrange(9)))

    check([([text(), text()], [text() for _ in range(1 + k % 3)]) for k in range(150)])


def test_a_caption_without_a_letter_is_counted_with_the_first_reference_of_the_file() -> None:
    for people in (["a dog", "the cat sits"], ["the cat sits", "a dog"]):
        check([(["..."], people), (["a dog sits"], people)])


def test_the_signature_is_that_of_sacrebleu() -> None:
    bleu, chrf = BLEU(), CHRF(word_order=2)
    for theirs in (bleu, chrf):
        theirs.corpus_score(["a dog"], [["a cat"]])
    assert SacreBleu().signature == (
        "sacrebleu|v1|" + str(bleu.get_signature()).removeprefix("nrefs:1|") + "|captions:eff:yes"
    )
    assert "tok:13a|smooth:exp" in SacreBleu().signature
    assert LEARNED["chrf_plus_plus"].signature == (
        "chrf_plus_plus|v1|" + str(chrf.get_signature()).removeprefix("nrefs:1|")
    )
    assert f"version:{sacrebleu.__version__}" in Chrf().signature


def test_the_studys_tokenizer_is_not_theirs() -> None:
    (bleu,) = resolve(["sacrebleu(tok=intl)"], tokenizer="char")
    assert "tok:intl" in bleu.signature
    assert not {"sacrebleu", "chrf", "chrf_plus_plus"} & {name for members in SETS.values() for name in members}


def test_chrf_has_the_exact_test_of_its_captions_scores() -> None:
    study = random_study(4, references=4, candidates=4, runs=1)
    salad = Run("salad", "salad", Settings(), {item.id: ("zzz xx",) * 4 for item in study.items})
    found = scoring.score(replace(study, runs=(*study.runs, salad)), [Chrf()], Options(p_values=True, resamples=10))
    assert found["salad", "chrf"].item_p.max() < 0.05
    assert found["run 0", "chrf"].item_p.min() > 0.05


def test_a_run_has_an_interval_around_its_value() -> None:
    study = random_study(12, runs=1)
    for metric in (SacreBleu(), Chrf()):
        ((_, found),) = scoring.score(study, [metric], Options(resamples=100)).items()
        assert 0 < found.low < found.corpus < found.high < 100
        assert np.isfinite(found.items).all()
