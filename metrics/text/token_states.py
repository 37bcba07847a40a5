"""Hidden states of tokens under a transformer, which BERTScore matches with one another."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.cache.memory import LruCache
from metrics.progress import check_stop
from metrics.text.encoder import (
    FILE_PREFIX,
    PLUGIN_PREFIX,
    SURROGATES,
    WINDOWS_PREFIX,
    EncoderMissing,
    encoder_label,
    encoder_signature,
    model_folder,
)
from metrics.text.sentence_model import loaded
from metrics.text.torch_setup import batch_workers, load_transformers

AHEAD = 2_048
"""Number of texts to tokenize and encode together."""
BYTES = 256 << 20
"""Maximum number of bytes for states that may be requested again, such as states of references for another run."""


class TokenStates(NamedTuple):
    """The tokens of a text: (tokens, d) states of length 1, (tokens,) their ids, and which of them are special."""

    states: NDArray[np.float32]
    ids: NDArray[np.int64]
    special: NDArray[np.bool_]


class LayerMissing(ValueError):
    """Raised if the encoder lacks the layer; the message states how many layers it has."""


Key = tuple[str, int, str]
_kept: LruCache[Key, TokenStates] = LruCache(BYTES, lambda key, value: sum(part.nbytes for part in value))
_models: dict[tuple[str, int], _Model] = {}
_lock = threading.Lock()


def token_states(
    encoder: str,
    layer: int,
    texts: Sequence[str],
    progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> list[TokenStates]:
    """Return the states of each text after `layer` layers of an encoder; equal texts share one object.

    Layer 0 is the word embeddings. Texts beyond the model's maximum length are truncated, and lone surrogates become
    U+FFFD. Raises EncoderMissing, LayerMissing, and Cancelled when `should_stop()`.
    """
    signature = encoder_signature(encoder)
    cleaned = [SURROGATES.sub("\ufffd", text).strip() for text in texts]
    known = {key[2]: found for key, found in _kept.get_many((signature, layer, t) for t in cleaned).items()}
    todo = sorted(set(cleaned) - known.keys(), key=lambda text: (len(text), text))
    model = _model(encoder, layer) if todo else None
    for start in range(0, len(todo), AHEAD):
        assert model is not None
        new = dict(model.encode(todo[start : start + AHEAD], should_stop))
        _kept.put_many({(signature, layer, text): found for text, found in new.items()})
        known |= new
        if progress:
            progress(min(start + AHEAD, len(todo)), len(todo))
    return [known[text] for text in cleaned]


def token_ids(encoder: str, layer: int, texts: Sequence[str]) -> list[list[int]]:
    """Return the token ids of each text, including special tokens."""
    return _model(encoder, layer).tokenized([SURROGATES.sub("\ufffd", text).strip() for text in texts])[0]


def layer_count(encoder: str) -> int:
    """Return the number of layers of an encoder, not counting the word embeddings. Raises EncoderMissing."""
    if encoder.startswith((FILE_PREFIX, PLUGIN_PREFIX, WINDOWS_PREFIX)):
        raise EncoderMissing(f"{encoder_label(encoder)} gives vectors of texts, not of their words.")
    load_transformers()
    from transformers import AutoConfig

    return int(AutoConfig.from_pretrained(str(model_folder(encoder))).num_hidden_layers)


def _model(encoder: str, layer: int) -> _Model:
    if encoder.startswith((FILE_PREFIX, PLUGIN_PREFIX, WINDOWS_PREFIX)):
        raise EncoderMissing(f"{encoder_label(encoder)} gives vectors of texts, not of their words.")
    with _lock:
        key = encoder_signature(encoder), layer
        if key not in _models:
            _models[key] = _Model(str(model_folder(encoder)), key[0], layer)
        return _models[key]


class Keeper:
    """Stores states that a sentence encoder computes along the way, so that `token_states` finds them.

    It takes at most three quarters of the memory for states, so that the states taken first remain in memory.
    """

    def __init__(self, encoder: str, layer: int) -> None:
        self.layer = layer
        self._signature, self._room = encoder_signature(encoder), BYTES * 3 // 4
        self._model = _model(encoder, layer)

    def keep(self, texts: Sequence[str], ids: NDArray[np.int64], states: NDArray[np.float32]) -> None:
        """Store the states of texts, while there is room, if `token_states` would read the same tokens of them.

        The tokens of long texts differ, since `token_states` truncates them later.
        """
        self._room -= states.nbytes
        if self._room < 0:
            return
        stripped = [text.strip() for text in texts]
        own, special = self._model.tokenized(stripped)
        _kept.put_many(
            {
                (self._signature, self.layer, text): TokenStates(
                    states[k].copy(), ids[k], np.array(special[k], dtype=bool)
                )
                for k, text in enumerate(stripped)
                if own[k] == ids[k].tolist()
            }
        )


class _Model:
    """The first layers of a transformer, without padding if its architecture allows it, and its tokenizer."""

    def __init__(self, folder: str, signature: str, layer: int) -> None:
        load_transformers()
        import torch
        from transformers import AutoTokenizer

        self._tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._layer = layer
        self._lock = threading.Lock()
        self._packed = loaded(folder, signature).packed
        layers = self._packed.layers if self._packed else self._load(folder)
        if not 0 <= layer <= layers:
            raise LayerMissing(f"the encoder has {layers} layers, not {layer}")

    def _load(self, folder: str) -> int:
        """Load the transformer, truncated after the layer if possible; return its number of layers."""
        import torch
        from transformers import AutoModel
        from transformers.utils import logging

        logging.disable_progress_bar()
        self._model: Any = AutoModel.from_pretrained(folder, dtype=torch.float32).eval().to(self._device)
        layers = int(self._model.config.num_hidden_layers)
        blocks: Any = getattr(getattr(self._model, "encoder", None), "layer", None)
        self._cut = blocks is not None
        if self._cut:
            self._model.encoder.layer = blocks[: self._layer]
        return layers

    def tokenized(self, texts: Sequence[str]) -> tuple[list[list[int]], list[list[int]]]:
        """Return the token ids of each text, and for each token 1 if it is special, else 0."""
        with self._lock:
            found = self._tokenizer(list(texts), truncation=True, return_special_tokens_mask=True)
        return found["input_ids"], found["special_tokens_mask"]

    def encode(self, texts: Sequence[str], should_stop: Callable[[], bool] | None) -> Iterator[tuple[str, TokenStates]]:
        """Yield texts with their states, in batches of equally long texts; a CPU runs one batch per core at a time."""
        from metrics.text.packed_bert import TOKENS, equal_lengths

        ids, special = self.tokenized(texts)
        lengths = np.array([len(one) for one in ids])
        plan = list(equal_lengths(lengths, TOKENS[self._device]))
        batches = [np.array([ids[row] for row in rows]) for rows, _ in plan]
        run = batch_workers().map if self._device == "cpu" else map
        for (rows, count), batch, states in zip(plan, batches, run(self._states, batches)):
            check_stop(should_stop)
            for k in range(count):
                row = int(rows[k])
                yield texts[row], TokenStates(states[k].copy(), batch[k], np.array(special[row], dtype=bool))

    def _states(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """(texts, tokens, d) states of length 1, for texts of equal length."""
        import torch
        import torch.nn.functional as F

        batch = torch.from_numpy(ids).to(self._device)
        if self._packed:
            return self._packed.states(batch, self._layer)
        with torch.inference_mode():
            made = self._model(batch, attention_mask=torch.ones_like(batch), output_hidden_states=not self._cut)
            states = made.last_hidden_state if self._cut else made.hidden_states[self._layer]
            found: NDArray[np.float32] = F.normalize(states, dim=-1).cpu().numpy()
            return found
