"""Test that long texts are read in windows that end with sentences, and that no text is lost."""

from __future__ import annotations

import random

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.partly_read import note
from metrics.registry import resolve
from metrics.text.encoder import DEFAULT, Encoder, EncoderMissing, encoder_label, encoder_signature, missing
from metrics.text.token_states import token_states
from metrics.text.windows import joined, windows

NAME = f"windows:{DEFAULT}"
WORDS = ("dog", "street", "runs", "grey", "wet", "umbrella", "children", "window")


def words(texts: list[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def letters(texts: list[str]) -> list[int]:
    return [len(text) for text in texts]


def paragraph(count: int, seed: int = 0) -> str:
    source = random.Random(seed)
    return " ".join(" ".join(source.choices(WORDS, k=9)) + "." for _ in range(count))


def test_windows_hold_as_many_sentences_as_fit() -> None:
    assert windows("a b. c d. e f. g.", 4, words) == ["a b. c d.", "e f. g."]
    assert windows("a b. c d.", 4, words) == ["a b. c d."]
    assert windows("", 4, words) == [""]
    assert windows("a b\n c.", 9, words) == ["a b\n c."]


def test_a_long_sentence_is_cut_between_words_and_a_long_word_between_letters() -> None:
    assert windows("a. b c d e f. g.", 3, words) == ["a. b c", "d e f.", "g."]
    assert windows("狗" * 7, 3, letters) == ["狗狗狗", "狗狗", "狗狗"]
    assert windows("a", 0, letters) == ["a"]


@pytest.mark.parametrize("seed", range(3))
def test_no_window_is_too_long_and_no_word_is_lost(seed: int) -> None:
    source = random.Random(seed)
    text = " ".join(f"{word}{source.choice(['', '', '.', '!'])}" for word in source.choices(WORDS, k=200))
    found = windows(text, 7, words)
    assert max(words(found)) <= 7
    assert " ".join(found) == text


def test_the_embedding_is_the_mean_by_tokens_of_windows_that_the_encoder_reads_whole() -> None:
    text = paragraph(60)
    sentences = [f"{one}." for one in text.split(".") if one]
    ids = [len(encoded) for encoded in _ids(sentences)]
    groups: list[list[int]] = [[]]
    for k, tokens in enumerate(ids):  # 254 tokens and the two special ones
        if sum(ids[j] for j in groups[-1]) + tokens > 254:
            groups.append([])
        groups[-1].append(k)
    parts = [" ".join(sentences[k].strip() for k in group) for group in groups]
    assert len(parts) > 2
    weights = [sum(ids[k] for k in group) for group in groups]
    mean = np.average(Encoder().encode(parts), axis=0, weights=weights)
    found = Encoder(NAME).encode([text, "a dog"])
    np.testing.assert_allclose(found[0], mean / np.linalg.norm(mean), atol=1e-6)
    np.testing.assert_array_equal(found[1], Encoder().encode(["a dog"])[0])


def _ids(texts: list[str]) -> list[list[int]]:
    from transformers import AutoTokenizer

    from metrics.text.encoder import model_folder

    ids: list[list[int]] = AutoTokenizer.from_pretrained(str(model_folder()))(texts, add_special_tokens=False)[
        "input_ids"
    ]
    return ids


def test_what_stands_at_the_end_of_a_long_text_counts() -> None:
    start = paragraph(60)
    texts = [f"{start} {end}" for end in ("Zinc prices fell sharply.", "A singer tunes her guitar.")]
    cut, read = Encoder().encode(texts), Encoder(NAME).encode(texts)
    np.testing.assert_array_equal(cut[0], cut[1])
    assert np.abs(read[0] - read[1]).max() > 1e-3
    np.testing.assert_allclose(np.linalg.norm(read, axis=1), 1, atol=1e-6)


def test_the_mean_is_as_long_as_the_windows_are() -> None:
    vectors = np.array([[2.0, 0.0], [0.0, 4.0]], dtype=np.float32)
    found = joined(vectors, [3, 1])
    assert np.linalg.norm(found) == pytest.approx((3 * 2 + 4) / 4)
    assert found[0] / found[1] == pytest.approx(6 / 4)


def test_it_is_another_encoder_by_name_and_the_plain_one_stays() -> None:
    assert encoder_signature(NAME) == f"windows:{encoder_signature()}"
    assert encoder_label(NAME) == "MiniLM in windows"
    plain, read = resolve(["bert", f"bert(encoder={NAME})"])
    assert "windows" not in plain.signature
    assert f"enc:windows:{DEFAULT}@" in read.signature
    said = Run("run", "run", Settings(), {"1": (paragraph(60), "a dog")})
    study = Study("long", (Item("1", ("a dog",)),), (said,))
    cut, whole = (found.values for found in scoring.score(study, [plain, read], Options(resamples=10)).values())
    assert (cut == whole).sum() == 1  # that of the short caption
    assert note(study, said, plain) == "longer than the 256 tokens that MiniLM reads: 1 caption"
    assert note(study, said, read) == "longer than the 256 tokens that MiniLM reads at once: 1 caption"


def test_only_models_that_embed_sentences_have_windows() -> None:
    assert "not for 'pooled:x'" in (missing("windows:pooled:x") or "")
    with pytest.raises(EncoderMissing, match="MiniLM in windows gives vectors of texts, not of their words"):
        token_states(NAME, 5, ["a dog"])
