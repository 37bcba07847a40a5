"""Test that BERTScore with models in folders equals bert-score 0.3.13, for all layers and with a file of baselines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from metrics.distances.base import Distance
from metrics.distances.bertscore import BertScoreDistance, Part
from metrics.engine import scoring
from metrics.engine.result import Result
from metrics.engine.tasks import Options
from metrics.registry import resolve
from metrics.suite.quality import BertScore
from metrics.text import bertscore_baselines
from metrics.text.encoder import missing

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "")

WORDS = ("a", "man", "rides", "horse", "two", "dogs", "run", "cat", "sleeps", "on", "red", "sofa", "person")
CAPTIONS = ("a man rides a horse", "two dogs run", "a cat sleeps on a red sofa")
PEOPLE = ("a person on a horse", "a red horse", "dogs run")
BASELINES = "LAYER,P,R,F\n0,0.1,0.2,0.15\n1,0.3,0.35,0.325\n2,0.5,0.25,0.4\n"
# bert_score.score(CAPTIONS, PEOPLE, model_type=FOLDER, num_layers=2) of version 0.3.13, for the folders made below:
# F1, precision and recall, then the same with rescale_with_baseline=True, baseline_path=.. and lang="en".
PACKAGE = {
    "bert": (
        ((0.9883252, 0.9395773, 0.9525985), (0.9883252, 0.9406423, 0.9196817), (0.9883252, 0.9385149, 0.987959)),
        ((0.9805421, 0.8992956, 0.9209974), (0.9766505, 0.8812846, 0.8393635), (0.9844337, 0.91802, 0.9839453)),
    ),
    "roberta": (
        ((0.9670241, 0.9295196, 0.9428801), (0.9654744, 0.93697, 0.9083647), (0.9685788, 0.9221867, 0.9801221)),
        ((0.9450402, 0.8825325, 0.9048001), (0.9309487, 0.87394, 0.8167293), (0.9581051, 0.896249, 0.9734962)),
    ),
}
PARTS: tuple[Part, ...] = ("f1", "precision", "recall")


def folder(kind: str, path: Path) -> Path:
    """Make a tiny model of this kind, with three layers and weights by numpy, which are always the same."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer, RobertaConfig, RobertaModel, RobertaTokenizer

    path.mkdir()
    model: Any
    rng = np.random.default_rng(1)
    sizes: Any = {"hidden_size": 16, "intermediate_size": 32, "num_attention_heads": 2}
    if kind == "bert":
        words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS]
        (path / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
        BertTokenizer(str(path / "vocab.txt"), model_max_length=16).save_pretrained(path)
        model = BertModel(BertConfig(vocab_size=len(words), num_hidden_layers=3, **sizes))
    else:
        words = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *"abcdefghijklmnopqrstuvwxyz", "Ġ"]
        (path / "vocab.json").write_text(json.dumps({word: k for k, word in enumerate(words)}), encoding="utf-8")
        (path / "merges.txt").write_text("#version: 0.2\n", encoding="utf-8")
        tokenizer = RobertaTokenizer(str(path / "vocab.json"), str(path / "merges.txt"), model_max_length=60)
        tokenizer.save_pretrained(path)
        model = RobertaModel(RobertaConfig(vocab_size=len(words), num_hidden_layers=3, pad_token_id=1, **sizes))
    with torch.no_grad():
        for name, weight in sorted(model.named_parameters()):
            drawn = rng.normal(size=tuple(weight.shape)) * 0.3 + name.endswith("LayerNorm.weight")
            weight.copy_(torch.from_numpy(drawn))
    model.save_pretrained(path)
    return path


def scored(space: Distance) -> Result:
    items = tuple(Item(str(k), (text,)) for k, text in enumerate(PEOPLE))
    run = Run("run", "model", Settings(), {item.id: (text,) for item, text in zip(items, CAPTIONS)})
    ((_, found),) = scoring.score(Study("s", items, (run,)), [BertScore(space)], Options(resamples=10)).items()
    return found


@pytest.mark.parametrize("kind", PACKAGE)
def test_a_folder_has_the_scores_of_the_package_with_and_without_baselines(kind: str, tmp_path: Path) -> None:
    made = str(folder(kind, tmp_path / kind))
    file = tmp_path / "baselines.tsv"
    file.write_text(BASELINES, encoding="utf-8")
    for baseline, expected in zip(("", str(file)), PACKAGE[kind]):
        for part, values in zip(PARTS, expected):
            space = BertScoreDistance(made, layer=2, part=part, baseline=baseline)
            np.testing.assert_allclose(scored(space).items, values, atol=2e-6)
    assert space.parameters.endswith("|baseline:file-0.25")
    assert space.learns == "nothing"


def test_layers_are_those_that_the_package_publishes() -> None:
    known = {
        "bert-base-uncased": 9,
        "roberta-large": 17,
        "/models/roberta-large": 17,
        "microsoft/deberta-xlarge-mnli": 40,
    }
    assert {name: bertscore_baselines.published_layer(name) for name in known} == known
    assert len(bertscore_baselines.LAYERS) == 103
    for name in ("all-MiniLM-L6-v2", "facebook/bart-large", ""):
        with pytest.raises(ValueError, match="publishes no layer"):
            bertscore_baselines.published_layer(name)


def test_a_published_layer_is_that_layer_by_name(tmp_path: Path) -> None:
    made = folder("bert", tmp_path / "bert-base-uncased")
    (named,) = resolve([f"bertscore(encoder={made},layer=published)"])
    assert isinstance(named, BertScore)
    assert named.space == BertScoreDistance(str(made), layer=9)
    assert "the encoder has 3 layers, not 9" in str(scored(named.space).why())
    with pytest.raises(ValueError, match="bert-score publishes no layer for all-MiniLM-L6-v2: name one, as in layer=5"):
        resolve(["bertscore(layer=published)"])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "No such file or directory. Name a file of baselines"),
        ("", "no baseline"),
        ("LAYER,P,R\n0,0.1,0.2\n", "line 2: expected numbers under LAYER, P, R and F"),
        ("LAYER,P,R,F\n0,0.1,x,0.2\n", "line 2: expected numbers"),
        ("LAYER,P,R,F\n0,0.1,0.1,1\n", "line 2: a baseline lies from -1 to below 1"),
        ("LAYER,P,R,F\n0,0.1,0.1,nan\n", "line 2: a baseline lies"),
    ],
)
def test_a_file_without_baselines_is_refused(tmp_path: Path, text: str | None, why: str) -> None:
    file = tmp_path / "b.tsv"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=why):
        resolve([f"bertscore(baseline={file})"])


def test_a_layer_that_the_file_lacks_has_no_value(tmp_path: Path) -> None:
    file = tmp_path / "b.tsv"
    file.write_text(BASELINES, encoding="utf-8")
    assert "b.tsv has no baseline of layer 5" in str(scored(BertScoreDistance(baseline=str(file))).why())
    lowest = resolve([f"bertscore(baseline={file},layer=2)"])[0].bounds[0]
    assert lowest == -float("inf")
