"""Networks of the critique: compact bilinear pooling, and a two-way classifier of a caption in its context."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn

Combination = Literal["bilinear", "mlp", "linear"]
Precision = Literal["float32", "bfloat16"]
HIDDEN = 512
WORD = 300
SKETCH = 8_192


class CompactBilinear(nn.Module):
    """The count sketch of the outer product of two vectors, computed by FFT (Gao et al. 2016, algorithm 2).

    The sketch of x adds s_k x_k to position h_k, with random positions and signs; the sketch of an outer product is the
    circular convolution of the sketches of its factors. Inner products of outputs estimate <x, x'> <y, y'> without
    bias.
    """

    places: Tensor
    signs: Tensor

    def __init__(self, inputs: tuple[int, int], size: int = SKETCH, seed: int = 0) -> None:
        super().__init__()
        rng = np.random.default_rng(seed)
        self.inputs, self.size = inputs, size
        self.register_buffer("places", torch.as_tensor(rng.integers(size, size=sum(inputs))))
        self.register_buffer("signs", torch.as_tensor(rng.choice([-1.0, 1.0], sum(inputs)), dtype=torch.float32))

    def sketches(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Return the (n, size) count sketches of both factors, (n, inputs[0]) and (n, inputs[1])."""
        places, signs = self.places.split(self.inputs), self.signs.split(self.inputs)
        return tuple(  # type: ignore[return-value]
            torch.zeros(len(one), self.size, device=one.device).index_add(1, place, one * sign)
            for one, place, sign in zip((x, y), places, signs)
        )

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the (n, size) sketch of the outer products of rows."""
        one, other = (torch.fft.rfft(sketch) for sketch in self.sketches(x, y))
        return torch.fft.irfft(one * other, n=self.size)


class Classifier(nn.Module):
    """A network that scores *machine* and *person* for caption vectors, with context vectors if there are any.

    `linear` and `mlp` (one hidden layer of 512) read both concatenated; `bilinear` reads their compact bilinear
    product. A component of 1 is appended to each vector before the product, so that the product also contains the
    vectors themselves. Without a context, `bilinear` is `linear`.
    """

    def __init__(self, width: int, context: int, combination: Combination, seed: int = 0, sketch: int = SKETCH) -> None:
        super().__init__()
        pooled = combination == "bilinear" and context > 0
        self.pooling = CompactBilinear((width + 1, context + 1), sketch, seed) if pooled else None
        inputs = sketch if pooled else width + context
        self.layers: nn.Module = nn.Linear(inputs, 2)
        if combination == "mlp":
            self.layers = nn.Sequential(nn.Linear(inputs, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 2))

    def forward(self, caption: Tensor, context: Tensor | None = None) -> Tensor:
        """Return (n, 2) scores of captions (n, width) in contexts (n, context)."""
        if context is None or self.pooling is None:
            parts = [_scaled(caption), *([] if context is None else [_scaled(context)])]
            return _result(self.layers, torch.cat(parts, dim=1))
        x, y = (_with_one(nn.functional.normalize(one, dim=1)) for one in (caption, context))
        return _result(self.layers, self.pooling(x, y) * math.sqrt(self.pooling.size))


class WordReader(nn.Module):
    """A reader of captions as word numbers: a caption's vector is the last LSTM layer's state after its last word.

    Word vectors are initialised randomly, except those in `given`, which are word numbers (k,) and vectors (k, d). They
    have d dimensions, or 300 without `given`. In training, products are computed in `precision`; afterwards everything
    is in float32.
    """

    def __init__(
        self,
        words: int,
        given: tuple[Tensor, Tensor] | None = None,
        precision: Precision = "float32",
        layers: int = 1,
        size: int = HIDDEN,
    ) -> None:
        super().__init__()
        self.given = given
        self.precision = precision
        width = WORD if given is None else given[1].shape[1]
        self.embedding = nn.Embedding(words, width)
        self.lstm = nn.LSTM(width, size, layers, batch_first=True)

    def begin(self) -> None:
        """Copy the supplied vectors into the initial weights."""
        if self.given is not None:
            numbers, vectors = (part.to(self.embedding.weight.device) for part in self.given)
            self.embedding.weight[numbers] = vectors

    def forward(self, numbers: Tensor) -> Tensor:
        """Return (n, size) vectors of (n, steps) word numbers, where 0 follows the last word.

        Equal captions are read once, computation stops at a caption's last word, and the gates' input from each
        distinct word is computed once.
        """
        if not len(numbers):
            return torch.zeros((0, self.lstm.hidden_size), device=numbers.device)
        texts, place = torch.unique(numbers, dim=0, return_inverse=True)
        lengths, order = (texts > 0).sum(dim=1).clamp(min=1).sort(descending=True, stable=True)
        states = self._last_states(texts[order], lengths)
        return states[order.argsort()[place]]

    def _last_states(self, numbers: Tensor, lengths: Tensor) -> Tensor:
        """Return the states after the last words of captions, which are sorted from longest to shortest."""
        longest = int(lengths[0])
        words, word = torch.unique(numbers[:, :longest], return_inverse=True)
        kind = torch.bfloat16 if self.training and self.precision == "bfloat16" else torch.float32
        # Transposed once instead of in every step.
        layers = [(a.t().to(kind), b.t().to(kind), c + d) for a, b, c, d in self.lstm.all_weights]
        of_words = _affine(layers[0][2], self.embedding(words), layers[0][0])
        states = [of_words.new_zeros(len(numbers), self.lstm.hidden_size)] * len(layers)
        cells = list(states)
        going = (lengths > torch.arange(longest, device=lengths.device)[:, None]).sum(dim=1).tolist()
        ended: list[Tensor] = []
        for step, left in enumerate(going):
            ended.append(states[-1][left:])
            for k, (by_input, by_state, bias) in enumerate(layers):
                below = _affine(bias, states[k - 1], by_input) if k else of_words[word[:left, step]]
                gates = _affine(below, states[k][:left], by_state)
                into, forget, new, out = gates.chunk(4, dim=1)
                cells[k] = forget.sigmoid() * cells[k][:left] + into.sigmoid() * new.tanh()
                states[k] = out.sigmoid() * cells[k].tanh()
        return torch.cat([states[-1], *reversed(ended)])


class Critic(nn.Module):
    """A classifier of captions in a context, with a reader of both unless they are vectors already."""

    def __init__(self, classifier: Classifier, reader: WordReader | None = None) -> None:
        super().__init__()
        self.classifier, self.reader = classifier, reader

    def forward(self, caption: Tensor, reference: Tensor | None = None, image: Tensor | None = None) -> Tensor:
        """Return (n, 2) scores of captions with references, images, both or neither, as in `Classifier`."""
        if reference is None or self.reader is None:
            return _result(self.classifier, self._read(caption), joint_context(reference, image))
        both = self._read(torch.cat([caption, reference]))  # one pass for both sides
        return _result(self.classifier, both[: len(caption)], joint_context(both[len(caption) :], image))

    def vectors(self, inputs: Tensor, most: int = 4_096) -> Tensor:
        """Return the (n, width) vectors of captions for a classifier whose training is complete."""
        if self.reader is None or not len(inputs):
            return inputs
        with torch.no_grad():
            return torch.cat([self._read(part) for part in inputs.split(most)])

    def _read(self, inputs: Tensor) -> Tensor:
        return inputs if self.reader is None else _result(self.reader, inputs)


def joint_context(reference: Tensor | None, image: Tensor | None) -> Tensor | None:
    """Return the (n, context) references or image features, or both, normalised and side by side; None for neither."""
    if reference is None or image is None:
        return image if reference is None else reference
    return torch.cat([nn.functional.normalize(one, dim=1) for one in (reference, image)], dim=1)


def _result(layers: nn.Module, *inputs: Tensor | None) -> Tensor:
    found: Tensor = layers(*inputs)
    return found


def _affine(base: Tensor, inputs: Tensor, weights: Tensor) -> Tensor:
    """Return `base` + `inputs` @ `weights`, with products in the precision of the weights."""
    if weights.dtype == torch.float32:
        return torch.addmm(base, inputs, weights)
    return base + inputs.to(weights.dtype) @ weights


def _scaled(vectors: Tensor) -> Tensor:
    """Return vectors scaled to a root mean square of 1 per component, as a layer's initial weights expect."""
    return nn.functional.normalize(vectors, dim=1) * math.sqrt(vectors.shape[1])


def _with_one(vectors: Tensor) -> Tensor:
    return torch.cat([vectors, torch.ones(len(vectors), 1, device=vectors.device)], dim=1)
