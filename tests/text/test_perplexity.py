"""Test that perplexity under a small model, which the test makes, equals the loss by transformers; also edge cases."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from metrics.analysis.feasibility import why_impossible
from metrics.analysis.human_line import HUMAN
from metrics.analysis.numbers import score_with_people
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.progress import Cancelled
from metrics.registry import METRICS, SETS, resolve
from metrics.text import causal_model
from metrics.text.folder_model import FolderModelMissing

WORDS = ["a", "man", "riding", "wave", "on", "surfboard", "the", "dog", "sleeps", "in", "red", "hat", "of", "big"]
LONGEST = 12


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    path = tmp_path_factory.mktemp("models") / "tiny-gpt"
    vocabulary = {word: k for k, word in enumerate(["<end>", "<unknown>", *WORDS])}
    words = {"type": "WordLevel", "vocab": vocabulary, "unk_token": "<unknown>"}
    file = path.with_suffix(".json")
    file.write_text(json.dumps({"version": "1.0", "pre_tokenizer": {"type": "Whitespace"}, "model": words}))
    PreTrainedTokenizerFast(tokenizer_file=str(file), eos_token="<end>", unk_token="<unknown>").save_pretrained(path)
    torch.manual_seed(0)
    config = GPT2Config(vocab_size=len(vocabulary), n_positions=LONGEST, n_embd=16, n_layer=2, n_head=2)
    GPT2LMHeadModel(config).save_pretrained(path)
    return str(path)


def losses(folder: str, text: str) -> list[float]:
    """Return -ln p of each token of a text, computed with transformers one token at a time."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    model: Any = AutoModelForCausalLM.from_pretrained(folder).eval()
    ids = [tokenizer.eos_token_id, *tokenizer(text)["input_ids"]][:LONGEST]
    out = []
    for k in range(1, len(ids)):
        with torch.inference_mode():
            logits = model(torch.tensor([ids[:k]])).logits[0, -1].double()
        out.append(float(torch.logsumexp(logits, 0) - logits[ids[k]]))
    return out


TEXTS = ("a man riding a wave", "a dog sleeps", "the red hat of the big dog", "a man riding a wave", "zebra \ud800 a")


def test_surprisals_are_those_of_transformers_token_by_token(folder: str) -> None:
    found = causal_model.surprisals(folder, TEXTS)
    for text, (total, tokens) in zip(TEXTS, found, strict=True):
        expected = losses(folder, text.replace("\ud800", "\ufffd"))
        assert tokens == len(expected)
        assert total == pytest.approx(sum(expected), abs=1e-5)


def test_a_text_has_the_same_value_whatever_is_read_with_it(folder: str) -> None:
    alone = causal_model.surprisals(folder, TEXTS[:1])[0]
    np.testing.assert_allclose(causal_model.surprisals(folder, TEXTS)[3], alone, atol=1e-5)


def test_long_texts_are_cut_and_empty_ones_have_no_token(folder: str) -> None:
    (long, empty) = causal_model.surprisals(folder, [" ".join(["dog"] * 40), " "])
    assert long[1] == LONGEST - 1
    assert long[0] == pytest.approx(sum(losses(folder, " ".join(["dog"] * 40))), abs=1e-5)
    assert empty.tolist() == [0, 0]
    assert causal_model.surprisals(folder, []).shape == (0, 2)


def test_progress_counts_distinct_texts_and_work_can_stop(folder: str) -> None:
    seen: list[tuple[int, int]] = []
    causal_model.surprisals(folder, TEXTS, progress=lambda done, of: seen.append((done, of)))
    assert seen[-1] == (4, 4)
    with pytest.raises(Cancelled):
        causal_model.surprisals(folder, TEXTS, should_stop=lambda: True)


@pytest.fixture(scope="module")
def study() -> Study:
    items = (
        Item("one", ("a man riding a wave", "the man on a surfboard")),
        Item("two", ("a dog sleeps in a hat", "the dog sleeps")),
    )
    said = {"one": ("a man on a wave", "a man"), "two": ("the dog in the hat", "  ")}
    return Study(name="waves", items=items, runs=(Run("m", "m", Settings(), said),))


def test_the_value_of_a_run_weighs_tokens_and_that_of_a_caption_is_its_own(folder: str, study: Study) -> None:
    (metric,) = resolve([f"perplexity(model={folder})"])
    assert metric.label == "Perplexity tiny-gpt"
    result = scoring.score(study, [metric], Options(), Cache(None))["m", metric.name]
    first, second = losses(folder, "a man on a wave"), losses(folder, "a man")
    third = losses(folder, "the dog in the hat")
    every = [*first, *second, *third]
    assert result.corpus == pytest.approx(math.exp(sum(every) / len(every)), rel=1e-6)
    each = [math.exp(sum(some) / len(some)) for some in (first, second)]
    assert result.items[0] == pytest.approx(sum(each) / 2, rel=1e-6)
    assert math.isnan(result.items[1])
    assert result.reasons[1] == "a caption without a word"


def test_people_have_a_value_by_the_same_model(folder: str, study: Study) -> None:
    (metric,) = resolve([f"perplexity(model={folder})"])
    found = score_with_people(study, (metric,), lambda of, some: scoring.score(of, some, Options(), Cache(None)))
    said = [text for item in study.items for text in item.references]
    every = [loss for text in said for loss in losses(folder, text)]
    assert found.people[HUMAN, metric.name].corpus == pytest.approx(math.exp(sum(every) / len(every)), rel=1e-6)


def test_it_is_asked_for_by_name_and_says_what_it_needs(study: Study) -> None:
    assert "perplexity" not in METRICS
    assert all("perplexity" not in members for members in SETS.values())
    (metric,) = resolve(["perplexity"])
    assert "perplexity(model=FOLDER)" in (why_impossible(study, metric) or "")


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (None, "is not a folder"),
        ({}, "has no config.json and no tokenizer.json"),
        ({"config.json": "{}", "tokenizer.json": "{}"}, "no weights as .safetensors"),
        ({"config.json": "{}", "tokenizer.json": "{}", "pytorch_model.bin": "x"}, "no weights as .safetensors"),
    ],
)
def test_a_folder_without_a_model_is_refused_at_once(tmp_path: Path, files: dict[str, str] | None, said: str) -> None:
    path = tmp_path / "model"
    if files is not None:
        path.mkdir()
        for name, text in files.items():
            (path / name).write_text(text)
    with pytest.raises(ValueError, match=said):
        resolve([f"perplexity(model={path})"])


def test_a_damaged_model_is_a_sentence(folder: str, tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.mkdir()
    for file in Path(folder).iterdir():
        (path / file.name).write_bytes(file.read_bytes())
    (path / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(FolderModelMissing, match="cannot load a causal model"):
        causal_model.surprisals(str(path), ["a dog"])


def test_other_weights_are_another_signature(folder: str, tmp_path: Path) -> None:
    path = tmp_path / "tiny-gpt"
    path.mkdir()
    for file in Path(folder).iterdir():
        (path / file.name).write_bytes(file.read_bytes())
    assert causal_model.signature(str(path)) == causal_model.signature(folder)
    (path / "extra.json").write_text("{}")
    causal_model.signature.cache_clear()
    assert causal_model.signature(str(path)) != causal_model.signature(folder)
