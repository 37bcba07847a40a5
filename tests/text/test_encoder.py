"""Test that embeddings in any batch equal those of SentenceTransformer, and test laws of bags of words."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metrics.progress import Cancelled
from metrics.registry import METRICS, resolve
from metrics.text import sentence_model
from metrics.text.bag_of_words import BagOfWords, bow_distances
from metrics.text.encoder import Encoder, EncoderMissing, encoder_signature, missing, model_folder
from tests.text.helpers import captions, realdata

needs_model = pytest.mark.skipif(bool(missing()), reason=missing() or "")
TEXTS = [
    "a man riding a horse",
    "",
    "A man riding a horse",
    "word " * 600,
    "\u4e2d\u6587 \U0001f600 caf\u00e9",
    "line\nbreak\u2028here",
    "a",
    "two dogs play in a field of green grass near a brown fence",
    "a man riding a horse",
]


@pytest.fixture(scope="module")
def reference() -> Any:
    Encoder().encode(["load"])
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(model_folder()), device="cpu")


@needs_model
def test_equals_sentence_transformers(reference: Any) -> None:
    found = Encoder().encode(TEXTS)
    assert found.shape == (len(TEXTS), 384)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, reference.encode(TEXTS, show_progress_bar=False), rtol=0, atol=1e-6)
    np.testing.assert_array_equal(found[0], found[-1])


@needs_model
def test_texts_are_tokenized_as_by_sentence_transformers(reference: Any) -> None:
    model, texts = (
        sentence_model.loaded(str(model_folder()), encoder_signature()),
        [*TEXTS, "[CLS] x[MASK]", "\x00 \u0130"],
    )
    assert model.packed is not None
    assert model.packed.tokenizer.ids(texts) == reference.tokenizer(texts, truncation=True)["input_ids"]
    whole = reference.tokenizer(texts, add_special_tokens=False, truncation=False)["input_ids"]
    assert model.tokens(texts) == [len(one) for one in whole]
    assert model.room == reference.max_seq_length - 2


@needs_model
def test_equals_sentence_transformers_on_real_captions(reference: Any) -> None:
    texts = captions(realdata("coco_fakecap_1000.jsonl"))[:200]
    np.testing.assert_allclose(
        Encoder().encode(texts), reference.encode(texts, show_progress_bar=False), rtol=0, atol=1e-6
    )


@needs_model
def test_the_packed_route_is_the_one_in_use() -> None:
    assert sentence_model.loaded(str(model_folder()), encoder_signature()).packed is not None


@needs_model
def test_a_text_has_the_same_embedding_in_any_company() -> None:
    texts = [f"{word} in a field {k}" for k in range(30) for word in ("dogs", "a cat and a horse", "people")]
    together = Encoder().encode(texts)
    np.testing.assert_allclose(Encoder().encode(texts[40:43]), together[40:43], rtol=0, atol=3e-7)
    np.testing.assert_allclose(Encoder().encode(texts[::-1]), together[::-1], rtol=0, atol=3e-7)


@needs_model
def test_lone_surrogates_are_replaced() -> None:
    found = Encoder().encode(["a \ud800 cat", "a \ufffd cat"])
    np.testing.assert_array_equal(found[0], found[1])


@needs_model
def test_progress_counts_distinct_texts_and_work_can_stop() -> None:
    seen: list[tuple[int, int]] = []
    Encoder().encode(["a", "b", "a c d"] * 3, progress=lambda done, of: seen.append((done, of)))
    assert seen[-1] == (3, 3)
    with pytest.raises(Cancelled):
        Encoder().encode(["a"], should_stop=lambda: True)


@needs_model
def test_the_vectors_of_finished_batches_are_handed_out() -> None:
    """Each text is given once, with the vector that is returned at the end, even if the rest is cancelled."""
    given: dict[str, Any] = {}

    def take(texts: Any, rows: Any) -> None:
        assert not given.keys() & set(texts)
        given.update(zip(texts, rows, strict=True))

    texts = [f"a dog runs {'far ' * (k % 40)}{k}" for k in range(400)]
    found = Encoder().encode(texts, take=take)
    for text, row in zip(texts, found, strict=True):
        np.testing.assert_array_equal(given[text], row)
    given.clear()
    with pytest.raises(Cancelled):
        Encoder().encode(texts[::-1], should_stop=lambda: len(given) > 0, take=take)
    assert 0 < len(given) < len(texts)


@needs_model
def test_no_texts() -> None:
    assert Encoder().encode([]).shape == (0, 384)


def test_labels_name_the_encoder_that_made_the_embeddings() -> None:
    of_sentences = [name for name, metric in METRICS.items() if metric.work == "encoder"]
    assert len(of_sentences) == 11
    for name in ("sentence-transformers/all-mpnet-base-v2", "models/all-mpnet-base-v2/", "all-mpnet-base-v2"):
        for own, other in zip(resolve(of_sentences), resolve(of_sentences, encoder=name)):
            assert "MiniLM" in own.label
            assert other.label == own.label.replace("MiniLM", "all-mpnet-base-v2")
    assert [metric.name for metric in resolve(of_sentences, encoder="x")] == of_sentences


@needs_model
def test_signatures_name_the_content(tmp_path: Path) -> None:
    assert encoder_signature() == "all-MiniLM-L6-v2@53aa5117"
    (tmp_path / "own-model").mkdir()
    (tmp_path / "own-model" / "model.safetensors").write_bytes(b"weights")
    (tmp_path / "own-model" / "config.json").write_text("{}")
    name = str(tmp_path / "own-model")
    first = encoder_signature(name)
    assert first.startswith("own-model@")
    (tmp_path / "own-model" / "config.json").write_text('{"max_seq_length": 5}')
    encoder_signature.cache_clear()
    assert encoder_signature(name) != first


@needs_model
def test_other_code_makes_other_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    before = Encoder().key(["a", "b"])
    assert before not in (Encoder().key(["b", "a"]), Encoder().key(["a"]))
    monkeypatch.setattr("metrics.text.encoder.VERSION", 2)
    encoder_signature.cache_clear()
    assert encoder_signature() == "all-MiniLM-L6-v2@53aa5117.2"
    assert Encoder().key(["a", "b"]) != before
    monkeypatch.undo()
    encoder_signature.cache_clear()
    assert Encoder().key(["a", "b"]) == before


def test_a_model_that_is_not_there_says_what_to_do() -> None:
    with pytest.raises(EncoderMissing, match=r"'no-such/model': neither a folder nor .* HF_HUB_OFFLINE=0"):
        encoder_signature("no-such/model")


@needs_model
@pytest.mark.slow
@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_other_models_encode_as_sentence_transformers_does(tmp_path: Path, reference: Any, pooling: str) -> None:
    """Only models that average their tokens are run without padding."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling

    other = SentenceTransformer(modules=[reference[0], Pooling(384, pooling)], device="cpu")
    folder = str(tmp_path / "other")
    other.save(folder)
    np.testing.assert_allclose(
        Encoder(folder).encode(TEXTS), other.encode(TEXTS, show_progress_bar=False), rtol=0, atol=1e-5
    )
    model = sentence_model.loaded(folder, encoder_signature(folder))
    assert (model.packed is not None) == (pooling == "mean")
    assert model.tokens(["a dog", "word " * 600]) == [2, 600]


@needs_model
def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    code = "import sys; from metrics.text.encoder import Encoder, encoder_signature; Encoder(); encoder_signature(); "
    code += "print([n for n in ('torch', 'transformers', 'numba') if n in sys.modules]); Encoder().encode(['a dog']); "
    code += "print([n for n in ('transformers', 'sentence_transformers', 'sklearn', 'scipy') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["[]", "[]"]


def test_bags_hold_the_most_frequent_words_ties_by_word() -> None:
    bags = BagOfWords.fit([[("b", "a"), ("b", "c")], [("b", "d", "a")]], size=3)
    assert bags.vocabulary == ("b", "a", "c")
    np.testing.assert_array_equal(bags.vectors([("b", "b", "d"), ("c",), ("d",), ()]), [[2, 0], [0, 1], [0, 0], [0, 0]])


def test_distances_of_bags() -> None:
    bags = BagOfWords.fit([[("a", "b", "c")]])
    distance = bow_distances(bags.vectors([("a",), ("a", "b"), ("b",), ("x",), ()]))
    half = 1 - 1 / np.sqrt(2)
    expected = [[0, half, 1, 1, 1], [half, 0, half, 1, 1], [1, half, 0, 1, 1], [1, 1, 1, 0, 0], [1, 1, 1, 0, 0]]
    np.testing.assert_allclose(distance, expected, atol=1e-12)
