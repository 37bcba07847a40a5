"""BERT sentence encoders without padding: texts of equal length pass through the model's own weights together."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

TOKENS = {"cpu": 2_048, "cuda": 65_536}
FEWEST = 320

Weights = Mapping[str, Tensor]
"""The weights of a BertModel by their names in that class."""


class Tokenizer(NamedTuple):
    """The tokenizer of a model; `room` is the number of tokens that the model reads, without special tokens.

    `ids` returns token ids, truncated to what the model reads, with special tokens; `lengths` returns the numbers of
    tokens of whole texts, without special tokens.
    """

    ids: Callable[[list[str]], list[list[int]]]
    lengths: Callable[[list[str]], list[int]]
    room: int


@dataclass(frozen=True)
class Batch:
    """Texts of equal length: their n rows, and token ids of shape (at least n, length)."""

    rows: NDArray[np.int64]
    ids: Tensor


def equal_lengths(lengths: NDArray[np.int64], most: int) -> Iterator[tuple[NDArray[np.int64], int]]:
    """Yield the rows of texts of equal length and their number, with at most about `most` tokens.

    The first row is repeated after them until there are `FEWEST` tokens.
    """
    for length in np.unique(lengths):
        rows = np.flatnonzero(lengths == length)
        fewest = -(-FEWEST // int(length))
        size = max(most // int(length), fewest)
        for start in range(0, len(rows), size):
            part = rows[start : start + size]
            yield np.concatenate([part, np.repeat(part[:1], max(fewest - len(part), 0))]), len(part)


@dataclass(frozen=True)
class _Norm:
    weight: Tensor
    bias: Tensor
    epsilon: float

    def __call__(self, x: Tensor) -> Tensor:
        return F.layer_norm(x, self.weight.shape, self.weight, self.bias, self.epsilon)


@dataclass(frozen=True)
class _Layer:
    """One transformer block; `qkv` contains the stacked query, key and value projections."""

    qkv: tuple[Tensor, Tensor]
    out: tuple[Tensor, Tensor]
    attention_norm: _Norm
    up: tuple[Tensor, Tensor]
    down: tuple[Tensor, Tensor]
    norm: _Norm
    heads: int

    def __call__(self, x: Tensor) -> Tensor:
        texts, length, width = x.shape
        split = F.linear(x, *self.qkv).view(texts, length, 3, self.heads, width // self.heads)
        query, key, value = split.permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(query, key, value).transpose(1, 2).reshape(texts, length, width)
        x = self.attention_norm(F.linear(mixed, *self.out).add_(x))
        return self.norm(F.linear(F.gelu(F.linear(x, *self.up)), *self.down).add_(x))


class PackedBert:
    """Mean-pooled BERT: the same arithmetic as in the original model, without padding and masks."""

    def __init__(
        self, weights: Weights, layers: int, heads: int, epsilon: float, tokenizer: Tokenizer, normalize: bool
    ) -> None:
        self.tokenizer = tokenizer
        self._normalize = normalize
        self._words = weights["embeddings.word_embeddings.weight"]
        self._device = self._words.device
        places, kinds = (weights[f"embeddings.{name}_embeddings.weight"] for name in ("position", "token_type"))
        self._places = places + kinds[0]
        self._norm = _norm(weights, "embeddings.LayerNorm", epsilon)
        self._layers = [_layer(weights, f"encoder.layer.{k}", heads, epsilon) for k in range(layers)]

    def plan(self, texts: Sequence[str]) -> list[Batch]:
        """Return batches, each of texts with the same number of tokens and with at most about `TOKENS` tokens in all.

        A batch is filled up to `FEWEST` tokens, because matrix products of fewer rows (measured: below 208) are rounded
        differently: thus, on a CPU, the embedding of a text is the same, bit for bit, whatever it is encoded with. On
        CUDA it may differ by 2e-7.
        """
        ids = self.tokenizer.ids(list(texts))
        lengths = np.array([len(one) for one in ids], dtype=np.int64)
        return [
            Batch(filled[:count], torch.tensor([ids[row] for row in filled]))
            for filled, count in equal_lengths(lengths, TOKENS[self._device.type])
        ]

    @property
    def width(self) -> int:
        """The length of an embedding."""
        return int(self._words.shape[1])

    @property
    def layers(self) -> int:
        """The number of layers, not counting the word embeddings."""
        return len(self._layers)

    def encode(self, batch: Batch, layer: int | None = None) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
        """Return the (texts, width) embeddings of a batch, and its states after a layer if one is given.

        States are (texts, length, width), each of length 1.
        """
        count, depth = len(batch.rows), self.layers if layer is None else layer
        with torch.inference_mode():
            x = _through(self._layers[:depth], self._first(batch.ids))
            states = None if layer is None else _unit(x[:count])
            pooled = _through(self._layers[depth:], x).mean(dim=1)
            if self._normalize:
                pooled = F.normalize(pooled, dim=1)
            return pooled[:count].cpu().numpy(), states

    def states(self, ids: Tensor, layer: int) -> NDArray[np.float32]:
        """Return the (texts, length, width) states, of length 1, after a layer, for texts of equal length."""
        with torch.inference_mode():
            return _unit(_through(self._layers[:layer], self._first(ids)))

    def _first(self, ids: Tensor) -> Tensor:
        ids = ids.to(self._device)
        x: Tensor = self._norm(self._words[ids] + self._places[: ids.shape[1]])
        return x


def _through(layers: Sequence[_Layer], x: Tensor) -> Tensor:
    for layer in layers:
        x = layer(x)
    return x


def _unit(states: Tensor) -> NDArray[np.float32]:
    found: NDArray[np.float32] = F.normalize(states, dim=-1).cpu().numpy()
    return found


def packed(model: Any) -> PackedBert | None:
    """Return a model that runs a SentenceTransformer without padding; None if that is not possible.

    It is possible for mean-pooled float32 BERT with GELU, absolute positions and right padding, without a default
    prompt or a truncated dimension, on the kinds of device in TOKENS.
    """
    kinds = [type(module).__name__ for module in model]
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]) or model.default_prompt_name:
        return None
    bert: Any = model[0].auto_model
    pooling = model[1]
    if type(bert).__name__ != "BertModel" or getattr(pooling, "pooling_mode", None) not in ("mean", ["mean"]):
        return None
    plain = bert.config.hidden_act == "gelu" and not bert.config.is_decoder and bert.dtype == torch.float32
    absolute = getattr(bert.config, "position_embedding_type", "absolute") in ("absolute", None)
    truncated = model.truncate_dim is not None
    known = next(bert.parameters()).device.type in TOKENS and getattr(model.tokenizer, "padding_side", "") == "right"
    if not (plain and absolute and known) or truncated:
        return None
    config = bert.config
    sizes = config.num_hidden_layers, config.num_attention_heads, config.layer_norm_eps
    return PackedBert(bert.state_dict(), *sizes, tokenizer_of(model), len(kinds) == 3)


def tokenizer_of(model: Any) -> Tokenizer:
    """Return the tokenizer of a SentenceTransformer."""
    own = model.tokenizer
    room = min(one for one in (model.max_seq_length, own.model_max_length) if one) - own.num_special_tokens_to_add()

    def ids(texts: list[str]) -> list[list[int]]:
        # SentenceTransformer.preprocess pads, which takes three times as long, and longer than a GPU takes to encode.
        coded = own(texts, truncation=True, return_attention_mask=False, return_token_type_ids=False)
        return list(coded["input_ids"])

    def lengths(texts: list[str]) -> list[int]:
        coded = own(texts, add_special_tokens=False, truncation=False, verbose=False)
        return [len(one) for one in coded["input_ids"]]

    return Tokenizer(ids, lengths, int(room))


def packaged(folder: Path, device: str) -> PackedBert:
    """Return the packaged model, read from its files as SentenceTransformer reads them.

    A process that embeds need not import sentence-transformers and transformers, which takes longer than everything
    else: docs/decisions/005-encoder.md has the figures.
    """
    import tokenizers
    from safetensors.torch import load_file

    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    longest = json.loads((folder / "sentence_bert_config.json").read_text(encoding="utf-8"))["max_seq_length"]
    cut, whole = (tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json")) for _ in range(2))
    for one in (cut, whole):
        one.no_padding()
        one.no_truncation()
    cut.enable_truncation(longest)
    tokenizer = Tokenizer(
        lambda texts: [one.ids for one in cut.encode_batch(texts)],
        lambda texts: [len(one.ids) for one in whole.encode_batch(texts, add_special_tokens=False)],
        longest - cut.num_special_tokens_to_add(False),
    )
    sizes = config["num_hidden_layers"], config["num_attention_heads"], config["layer_norm_eps"]
    return PackedBert(load_file(folder / "model.safetensors", device), *sizes, tokenizer, normalize=True)


def _layer(weights: Weights, name: str, heads: int, epsilon: float) -> _Layer:
    parts = [_linear(weights, f"{name}.attention.self.{part}") for part in ("query", "key", "value")]
    return _Layer(
        (torch.cat([weight for weight, _ in parts]), torch.cat([bias for _, bias in parts])),
        _linear(weights, f"{name}.attention.output.dense"),
        _norm(weights, f"{name}.attention.output.LayerNorm", epsilon),
        _linear(weights, f"{name}.intermediate.dense"),
        _linear(weights, f"{name}.output.dense"),
        _norm(weights, f"{name}.output.LayerNorm", epsilon),
        heads,
    )


def _linear(weights: Weights, name: str) -> tuple[Tensor, Tensor]:
    return weights[f"{name}.weight"], weights[f"{name}.bias"]


def _norm(weights: Weights, name: str, epsilon: float) -> _Norm:
    return _Norm(*_linear(weights, name), epsilon)
