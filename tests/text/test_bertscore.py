"""Test that BERTScore equals bert-score 0.3.13 on the packaged model, its edge cases, and that texts are encoded
once.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from metrics.cache.memory import LruCache
from metrics.distances.bertscore import BertScoreDistance, Part, Weight
from metrics.engine import scoring
from metrics.engine.result import Result
from metrics.engine.tasks import Options
from metrics.registry import METRICS, resolve
from metrics.suite.quality import BertScore
from metrics.text import token_states
from metrics.text.encoder import DEFAULT, Encoder, missing

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "")

CAPTIONS = ("a man rides a horse", "two dogs run", "a cat sleeps on a red sofa")
PEOPLE = (
    ("a person on a horse", "a man is riding his brown horse ."),
    ("the dogs are running", "a horse"),
    ("a kitten naps on the couch", "nobody"),
)
# bert_score.score(CAPTIONS, PEOPLE, num_layers=5) of version 0.3.13: precision, recall and F1 with the best reference
PACKAGE = {
    "precision": (0.9504893, 0.8232972, 0.7530481),
    "recall": (0.7877777, 0.9240373, 0.8333195),
    "f1": (0.8566468, 0.8707632, 0.7911529),
}
# The same with idf=True and the first reference of each alone.
WITH_IDF = {
    "precision": (0.6645845, 0.7930017, 0.6715983),
    "recall": (0.7921219, 0.9289199, 0.8099024),
    "f1": (0.7227701, 0.8555965, 0.7342947),
}


def study(references: tuple[tuple[str, ...], ...], captions: tuple[str, ...] = CAPTIONS) -> Study:
    items = tuple(Item(str(k), texts) for k, texts in enumerate(references))
    said = {item.id: (text,) for item, text in zip(items, captions, strict=True)}
    return Study("captions", items, (Run("run", "model", Settings(), said),))


def scored(of: Study, space: BertScoreDistance) -> Result:
    ((_, found),) = scoring.score(of, [BertScore(space)], Options(resamples=10)).items()
    return found


@pytest.mark.parametrize("part", PACKAGE)
def test_equals_bert_score_with_the_best_of_references(part: Part) -> None:
    np.testing.assert_allclose(scored(study(PEOPLE), BertScoreDistance(part=part)).items, PACKAGE[part], atol=1e-5)


@pytest.mark.parametrize("part", WITH_IDF)
def test_equals_bert_score_with_document_frequencies(part: Part) -> None:
    first = tuple(texts[:1] for texts in PEOPLE)
    weight: Weight = "idf"
    found = scored(study(first), BertScoreDistance(part=part, weight=weight))
    np.testing.assert_allclose(found.items, WITH_IDF[part], atol=1e-5)


def test_a_caption_without_a_word_scores_nothing() -> None:
    assert scored(study(PEOPLE, ("", *CAPTIONS[1:])), BertScoreDistance()).items[0] == 0.0


def test_rescaling_makes_random_pairs_zero_and_keeps_one() -> None:
    people = tuple((text, text) for text in CAPTIONS)
    found = scored(study(people), BertScoreDistance(rescaled=True))
    np.testing.assert_allclose(found.items, 1.0, atol=1e-6)
    pairs = [(a, b) for a in CAPTIONS for b in CAPTIONS if a != b]
    plain = scored(study(tuple((b,) for _, b in pairs), tuple(a for a, _ in pairs)), BertScoreDistance())
    baseline = BertScoreDistance(rescaled=True).fit(study(people)).baseline
    assert baseline == pytest.approx(plain.items.mean(), abs=0.01)


def test_one_item_has_no_baseline() -> None:
    found = scored(study(PEOPLE[:1], CAPTIONS[:1]), BertScoreDistance(rescaled=True))
    assert np.isnan(found.corpus)
    assert "references of two items" in found.why()


def test_a_layer_that_the_encoder_lacks_is_said() -> None:
    found = scored(study(PEOPLE), BertScoreDistance(layer=9))
    assert np.isnan(found.corpus)
    assert "the encoder has 6 layers, not 9" in found.why()


def test_every_parameter_is_in_the_signature() -> None:
    plain = METRICS["bertscore"]
    (other,) = resolve(["bertscore(layer=3,part=recall,rescaled=true,weight=idf)"])
    assert "f1|enc:all-MiniLM-L6-v2@53aa5117|layer:5|weight:equal|baseline:none" in plain.signature
    assert "recall|enc:all-MiniLM-L6-v2@53aa5117|layer:3|weight:idf|baseline:study-1000" in other.signature


def test_a_text_is_encoded_once() -> None:
    texts = ["a heron stands in a pond", "a heron stands in a pond ", "two herons"]
    first = token_states.token_states("all-MiniLM-L6-v2", 5, texts)
    asked: list[int] = []
    again = token_states.token_states("all-MiniLM-L6-v2", 5, texts, lambda done, of: asked.append(of))
    assert first[0] is first[1] is again[0]
    assert asked == []


def test_an_encoder_from_a_folder_of_another_architecture(tmp_path: Path) -> None:
    """A tiny random DistilBERT cannot skip its last layers; its states are those of each text encoded alone."""
    import torch
    from transformers import BertTokenizerFast, DistilBertConfig, DistilBertModel

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "man", "rides", "horse", "dog"]
    (tmp_path / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    tokenizer = BertTokenizerFast(str(tmp_path / "vocab.txt"), model_max_length=16)
    torch.manual_seed(0)
    config = DistilBertConfig(vocab_size=len(words), dim=16, hidden_dim=32, n_layers=3, n_heads=2)
    model = DistilBertModel(config).eval()
    tokenizer.save_pretrained(tmp_path)
    model.save_pretrained(tmp_path)
    (found,) = token_states.token_states(str(tmp_path), 2, ["a man rides a horse"])
    with torch.no_grad():
        coded = tokenizer(["a man rides a horse"], return_tensors="pt")
        states = model(
            input_ids=coded["input_ids"], attention_mask=coded["attention_mask"], output_hidden_states=True
        ).hidden_states[2][0]
    wanted = torch.nn.functional.normalize(states, dim=-1).numpy()
    np.testing.assert_allclose(found.states, wanted, atol=1e-5)
    assert found.ids.tolist() == coded["input_ids"][0].tolist()
    assert found.special.tolist() == [True, *[False] * (len(found.ids) - 2), True]


@pytest.fixture
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    size = token_states._kept.max_size
    monkeypatch.setattr(token_states, "_kept", LruCache(size, lambda key, value: value.states.nbytes))


TOGETHER = ["a heron stands in a pond", " two herons", "", "two", "word " * 600, "a red boat \ud800", "a caf\u00e9"]


@pytest.mark.usefixtures("nothing_kept")
def test_the_encoder_of_sentences_leaves_the_states_that_its_layers_give_alone() -> None:
    alone = token_states.token_states(DEFAULT, 5, TOGETHER)
    token_states._kept.clear()
    vectors = Encoder().encode(TOGETHER, keeper=token_states.Keeper(DEFAULT, 5))
    np.testing.assert_array_equal(vectors, Encoder().encode(TOGETHER))
    kept = len(token_states._kept)
    assert kept == len(TOGETHER) - 1  # the embedding of the long text ends after 256 tokens, its states after 512
    asked: list[int] = []
    found = token_states.token_states(DEFAULT, 5, TOGETHER, lambda done, of: asked.append(of))
    assert asked == [1]
    for one, other in zip(found, alone, strict=True):
        np.testing.assert_array_equal(one.states, other.states)
        np.testing.assert_array_equal(one.ids, other.ids)
        np.testing.assert_array_equal(one.special, other.special)


@pytest.mark.usefixtures("nothing_kept")
@pytest.mark.parametrize("ahead", [True, False])
def test_bertscore_beside_sentence_embeddings_has_no_pass_of_its_own(
    monkeypatch: pytest.MonkeyPatch, ahead: bool
) -> None:
    """The captions of many chunks are embedded ahead, on threads, or else each chunk embeds its own."""
    of = study(PEOPLE)
    apart = scored(of, BertScoreDistance())
    token_states._kept.clear()
    passes: list[int] = []
    monkeypatch.setattr(token_states._Model, "encode", lambda self, texts, stop: passes.append(len(texts)) or iter(()))
    if not ahead:
        monkeypatch.setattr("metrics.engine.embed_ahead._embed", lambda tasks, hooks: None)
    found = scoring.score(of, resolve(["bertscore", "bert"]), Options(resamples=10))
    assert passes == []
    np.testing.assert_array_equal(found["run", "bertscore"].items, apart.items)


@pytest.mark.usefixtures("nothing_kept")
def test_states_for_later_take_no_more_than_their_share_of_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_states, "BYTES", 2_000_000)
    texts = [" ".join(["heron"] * k) for k in range(1, 60)]
    Encoder().encode(texts, keeper=token_states.Keeper(DEFAULT, 5))
    assert 1_000_000 < token_states._kept.size <= 1_500_000
