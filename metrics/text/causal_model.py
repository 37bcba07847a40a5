"""Log-likelihoods of texts under a causal language model that transformers loads from a folder."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from metrics.mathematics.arrays import Floats, Integers
from metrics.progress import check_stop
from metrics.text.encoder import SURROGATES, folder_digest
from metrics.text.folder_model import FolderModelMissing, load, missing

TOKENS = {"cpu": 1_024, "cuda": 16_384}
"""Approximate number of tokens in one pass; for each, the model returns one number per token of the vocabulary."""


@cache
def signature(folder: str) -> str:
    """Return a model's name and content digest, such as `distilgpt2@1f2e3d4c`. Raises FolderModelMissing."""
    if (why := missing(folder)) is not None:
        raise FolderModelMissing(why)
    path = Path(folder).expanduser().resolve()
    return f"{path.name}@{folder_digest(path)}"


def surprisals(
    folder: str,
    texts: Sequence[str],
    progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Floats:
    """(n, 2) -ln p of each text in nats, and its number of tokens.

    The model reads its beginning-of-text token, or its end-of-text token if it has no such token, followed by the text,
    whose end is not scored. Texts beyond the model's maximum length are truncated; lone surrogates become U+FFFD. Equal
    texts are read once. `progress(done, of)` counts distinct texts. Raises FolderModelMissing, and Cancelled when
    `should_stop()`.
    """
    cleaned = [SURROGATES.sub("\ufffd", text) for text in texts]
    distinct = {text: row for row, text in enumerate(sorted(set(cleaned), key=lambda text: (len(text), text)))}
    found = _loaded(folder, signature(folder)).score(list(distinct), progress, should_stop)
    return found[[distinct[text] for text in cleaned]].reshape(-1, 2)


class _Model:
    def __init__(self, folder: str) -> None:
        self._tokenizer, self._model, self._device = load(folder, "AutoModelForCausalLM", "causal model")
        start = self._tokenizer.bos_token_id
        self._start = self._tokenizer.eos_token_id if start is None else start
        if self._start is None:
            raise FolderModelMissing(f"{folder}: its tokenizer names no token for the beginning or the end of a text")
        limit = getattr(self._model.config, "max_position_embeddings", None)
        self._longest = int(limit) - 1 if limit else 1_023
        self._lock = threading.Lock()

    def score(
        self,
        texts: list[str],
        progress: Callable[[int, int], None] | None,
        should_stop: Callable[[], bool] | None,
    ) -> Floats:
        """(n, 2) surprisals and numbers of tokens; texts of equal length are read together."""
        from metrics.text.packed_bert import equal_lengths

        ids = [self._coded(text) for text in texts]
        lengths = np.array([len(one) for one in ids], dtype=np.int64)
        out, done = np.zeros((len(texts), 2)), 0
        out[:, 1] = lengths - 1
        for rows, count in equal_lengths(lengths, TOKENS[self._device]):
            check_stop(should_stop)
            batch = np.array([ids[row] for row in rows[:count]], dtype=np.int64)
            if batch.shape[1] > 1:
                out[rows[:count], 0] = self._surprisal(batch)
            done += count
            if progress:
                progress(done, len(texts))
        return out

    def _coded(self, text: str) -> list[int]:
        with self._lock:
            ids = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return [self._start, *ids[: self._longest]]

    def _surprisal(self, ids: Integers) -> Floats:
        """(texts,) -ln p of all tokens but the first."""
        import torch
        import torch.nn.functional as F

        with torch.inference_mode():
            batch = torch.from_numpy(ids).to(self._device)
            logits = self._model(batch, use_cache=False).logits[:, :-1].float()
            losses = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten(), reduction="none")
            found: Floats = losses.view(len(batch), -1).double().sum(dim=1).cpu().numpy()
            return found


_models: dict[tuple[str, str], _Model] = {}
_models_lock = threading.Lock()


def _loaded(folder: str, signed: str) -> _Model:
    with _models_lock:
        if (folder, signed) not in _models:
            _models[folder, signed] = _Model(folder)
        return _models[folder, signed]
