"""Test FBD against transformers and scipy, with a small random model that the test makes."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import linalg

from data.study import Item, Run, Settings, Study
from metrics import laws
from metrics.analysis.feasibility import why_impossible
from metrics.engine import scoring
from metrics.registry import LEARNED, METRICS, SETS, resolve
from metrics.text.encoder import Encoder, encoder_signature
from tests.command_line import trilens

WORDS = ["a", "man", "riding", "wave", "on", "surfboard", "the", "dog", "sleeps", "in", "red", "hat", "of", "big"]
WIDTH, LONGEST = 8, 16


def made(folder: Path, kind: str = "Bert", **more: Any) -> str:
    import torch
    import transformers

    (folder / "words").mkdir(parents=True)
    (folder / "words" / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]))
    tokenizer = transformers.BertTokenizerFast(str(folder / "words" / "vocab.txt"))
    tokenizer.save_pretrained(folder / "tiny-bert")
    torch.manual_seed(1)
    sizes = {"vocab_size": len(tokenizer), "max_position_embeddings": LONGEST, "initializer_range": 0.7}
    sizes |= {"hidden_size": WIDTH, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}
    config = getattr(transformers, f"{kind}Config")(**sizes)
    getattr(transformers, f"{kind}Model")(config, **more).save_pretrained(folder / "tiny-bert")
    return str(folder / "tiny-bert")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return made(tmp_path_factory.mktemp("models"))


@cache
def transformers_of(folder: str) -> tuple[Any, Any]:
    from transformers import BertModel, BertTokenizer

    return BertTokenizer.from_pretrained(folder), BertModel.from_pretrained(folder).eval()


@cache
def pooler_output(folder: str, text: str) -> np.ndarray:
    import torch

    tokenizer, bert = transformers_of(folder)
    with torch.no_grad():
        found = bert(**tokenizer(text, truncation=True, max_length=LONGEST, return_tensors="pt"))[1]
    return found[0].double().numpy()


def texts(count: int, words: list[str], seed: int) -> tuple[str, ...]:
    random = np.random.default_rng(seed)
    return tuple(" ".join(random.choice(words, random.integers(2, 9))) for _ in range(count))


PEOPLE, OWN = texts(60, WORDS, 1), texts(55, WORDS[:9], 2)
STUDY = Study("all", (Item("1", PEOPLE),), (Run("own", "own", Settings(), {"1": OWN}),))


def test_embeddings_are_the_pooled_layer_of_each_text_alone(folder: str) -> None:
    some = [*OWN[:6], "", "zebra \ud800 dog", "dog " * 40, OWN[0]]
    found = Encoder(f"pooled:{folder}").encode(some)
    assert (found.shape, found.dtype) == ((len(some), WIDTH), np.float32)
    expected = [pooler_output(folder, text.replace("\ud800", "\ufffd")) for text in some]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(found[0], found[-1])
    means = Encoder(folder).encode(some)
    assert np.abs(means - found).max() > 0.1, "the mean over tokens is another embedding, of another signature"
    assert encoder_signature(f"pooled:{folder}") == f"pooled:{encoder_signature(folder)}"


def squared_distance(sides: list[np.ndarray]) -> float:
    (left, one), (right, other) = ((side.mean(axis=0), np.cov(side, rowvar=False)) for side in sides)
    return float((left - right) @ (left - right) + np.trace(one + other - 2 * linalg.sqrtm(one @ other).real))


def test_an_encoder_that_pools_its_first_token_is_compared_by_that(folder: str, tmp_path: Path) -> None:
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    first = str(tmp_path / "first-token")
    SentenceTransformer(modules=[Transformer(folder), Pooling(WIDTH, "cls")], device="cpu").save(first)
    tokenizer, bert = transformers_of(folder)

    def state(text: str) -> np.ndarray:
        with torch.no_grad():
            found = bert(**tokenizer(text, truncation=True, max_length=LONGEST, return_tensors="pt"))[0]
        return found[0, 0].double().numpy()

    expected = squared_distance([np.array([state(text) for text in side]) for side in (OWN, PEOPLE)])
    own, mean = resolve([f"frechet_bert(encoder={first})"])[0], resolve([f"frechet_bert(encoder={folder})"])[0]
    assert scoring.score(STUDY, [own])["own", own.name].corpus == pytest.approx(expected, rel=1e-4)
    assert abs(scoring.score(STUDY, [mean])["own", mean.name].corpus / expected - 1) > 0.1


@pytest.mark.parametrize("squared", [False, True])
def test_fbd_is_the_distance_of_two_normals_of_pooled_layers(folder: str, squared: bool) -> None:
    (metric,) = resolve([f"fbd(squared={str(squared).lower()})" if squared else "fbd"], encoder=folder)
    (result,) = scoring.score(STUDY, [metric]).values()
    sides = [np.array([pooler_output(folder, text) for text in side]) for side in (OWN, PEOPLE)]
    square = squared_distance(sides)
    assert square > 0.01
    assert result.corpus == pytest.approx(square if squared else square**0.5, rel=1e-4)
    assert metric.label == ("FBD tiny-bert (squared)" if squared else "FBD tiny-bert")
    assert re.fullmatch(rf"fbd\|v1\|{'squared' if squared else 'root'}\|enc:pooled:tiny-bert@\w{{8}}", metric.signature)


@pytest.mark.parametrize("law", laws.LAWS)
def test_it_keeps_the_laws(folder: str, law: str) -> None:
    assert laws.broken(laws.LAWS[law], *resolve(["fbd"], encoder=folder)) == []


def test_the_command_takes_a_folder_by_its_option_and_by_the_parameter(folder: str, tmp_path: Path) -> None:
    for name, side in (("test", PEOPLE), ("own", OWN)):
        (tmp_path / f"{name}.txt").write_text("\n".join(side))
    (metric,) = resolve(["fbd"], encoder=folder)
    expected = scoring.score(STUDY, [metric])["own", "fbd"].corpus
    for k, asked in enumerate((["fbd", "--encoder", folder], [f"fbd(encoder={folder})"])):
        out = tmp_path / f"{k}.csv"
        files = ["--test", str(tmp_path / "test.txt"), str(tmp_path / "own.txt"), "--out", str(out), "--no-cache"]
        trilens("unconditional", *files, "--metrics", *asked)
        assert pd.read_csv(out).iloc[0, -1] == pytest.approx(expected, rel=1e-9)


def test_without_a_bert_it_says_what_to_name() -> None:
    assert "fbd" in LEARNED
    assert all("fbd" not in members for members in SETS.values())
    assert "such as bert-base-uncased: name it or its folder" in (why_impossible(STUDY, *resolve(["fbd"])) or "")
    with pytest.raises(ValueError, match=r"fbd: There is no encoder 'no/such': neither a folder nor"):
        resolve(["fbd(encoder=no/such)"])
    assert METRICS["corpus_frechet_bert"].signature.startswith("corpus_frechet_bert|v1|root|enc:all-MiniLM")


@pytest.mark.parametrize(
    ("kind", "more", "why"),
    [
        ("Bert", {"add_pooling_layer": False}, "no pooled layer, or no weights of it"),
        ("DistilBert", {}, "no pooled layer, or no weights of it"),
    ],
)
def test_a_model_without_a_pooled_layer_is_refused(tmp_path: Path, kind: str, more: dict[str, bool], why: str) -> None:
    (metric,) = resolve(["fbd"], encoder=made(tmp_path, kind, **more))
    (result,) = scoring.score(STUDY, [metric]).values()
    assert why in result.error
    assert np.isnan(result.corpus)


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (metric,) = resolve(["fbd"], encoder=str(tmp_path / "empty"))
    (result,) = scoring.score(STUDY, [metric]).values()
    assert "transformers cannot load a model from it" in result.error
