"""Models of the transformers package that embed a text by their pooled layer, as in Montahaei et al. 2019 for FBD."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from metrics.progress import check_stop
from metrics.text.sentence_model import Encoded
from metrics.text.torch_setup import load_transformers


class PooledLayerMissing(ValueError):
    """Raised if no model with a pooled layer can be loaded from the folder; the message states the remedy."""


class PooledModel:
    """A model with a pooled layer: the tanh of a dense layer on the first token's state. Raises PooledLayerMissing."""

    def __init__(self, folder: str) -> None:
        load_transformers()
        import torch
        from safetensors import SafetensorError
        from transformers import AutoModel, AutoTokenizer
        from transformers.utils import logging

        logging.disable_progress_bar()
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True)
            model, notes = AutoModel.from_pretrained(
                folder, dtype=torch.float32, local_files_only=True, use_safetensors=True, output_loading_info=True
            )
        except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as why:
            said = str(why).strip().partition("\n")[0]
            raise PooledLayerMissing(f"{folder}: transformers cannot load a model from it: {said}") from None
        if getattr(model, "pooler", None) is None or any("pooler" in name for name in notes["missing_keys"]):
            raise PooledLayerMissing(
                f"{folder}: the model has no pooled layer, or no weights of it; bert-base-uncased has both."
            )
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._model: Any = model.eval().to(self._device)
        self._longest = min(self._tokenizer.model_max_length, int(model.config.max_position_embeddings))
        self._lock = threading.Lock()
        self.dimension = int(model.config.hidden_size)

    def batches(
        self, texts: list[str], should_stop: Callable[[], bool] | None, layer: int | None = None
    ) -> Iterator[Encoded]:
        """Yield embeddings in batches of texts with equally many tokens; `layer` is ignored. Raises Cancelled."""
        import torch

        from metrics.text.packed_bert import TOKENS, equal_lengths

        with self._lock:
            coded = self._tokenizer(texts, truncation=True, max_length=self._longest)["input_ids"]
        lengths = np.array([len(one) for one in coded], dtype=np.int64)
        for rows, count in equal_lengths(lengths, TOKENS[self._device]):
            check_stop(should_stop)
            with self._lock, torch.inference_mode():
                found = self._model(torch.tensor([coded[row] for row in rows], device=self._device)).pooler_output
            yield Encoded(rows[:count], found[:count].cpu().numpy())


_lock = threading.Lock()


def pooled(folder: str, signature: str) -> PooledModel:
    """Return the model in a folder, loaded once; the signature identifies the folder's content."""
    with _lock:
        return _loaded(folder, signature)


@cache
def _loaded(folder: str, signature: str) -> PooledModel:
    return PooledModel(folder)
