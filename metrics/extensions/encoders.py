"""Encoders defined in users' plug-in files, and the metrics of their embeddings."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from metrics.base import Work, signed
from metrics.distances.embeddings import FileDistance
from metrics.text import encoder
from metrics.text.encoder import PLUGIN_PREFIX, EncoderFaulty, Vectors

PLUGIN = "|plugin:"


@dataclass(frozen=True)
class TextEncoder(ABC):
    """A way to embed texts: the base class of encoders in plug-in files. Its fields are its parameters."""

    version: ClassVar[int] = 1
    name: ClassVar[str]
    label: ClassVar[str]
    plugin: ClassVar[str] = ""  # as in `Metric`

    @abstractmethod
    def encode(self, texts: list[str]) -> Any:
        """Return (n, d) float32 embeddings of n distinct texts; each may depend only on its own text."""

    @property
    def parameters(self) -> str:
        """Everything that determines the embeddings besides the name, the version and the file."""
        return "|".join(f"{part.name}:{getattr(self, part.name)}" for part in fields(self))

    @property
    def signature(self) -> str:
        """The signature, which identifies the embeddings."""
        return signed(self.name, self, self.parameters)


@dataclass(frozen=True, eq=False)
class CheckedEncoder:
    """A plug-in's encoder whose embeddings are checked; only one call runs at a time."""

    encoder: TextEncoder
    file: str
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def name(self) -> str:
        """The name used in signatures; it identifies the embeddings."""
        return f"{PLUGIN_PREFIX}{self.encoder.signature}"

    @property
    def label(self) -> str:
        """The name in headings."""
        return self.encoder.label

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return (n, d) float32 embeddings in the order of the texts.

        Raises EncoderFaulty if the encoder raises an error or returns anything else.
        """
        try:
            with self._lock:
                found = self.encoder.encode(list(texts))
        except Exception as error:  # noqa: BLE001 - whatever an encoder that we did not write raises
            raise self.faulty(f"raises {type(error).__name__}: {error}") from None
        if (why := fault(found, len(texts))) is not None:
            raise self.faulty(why)
        return np.asarray(found, dtype=np.float32)

    def faulty(self, why: str) -> EncoderFaulty:
        """Return the error, which names the file and the encoder."""
        return EncoderFaulty(" ".join(why.split()), f"{self.file}: the encoder {self.encoder.name}")


def fault(found: Any, n: int) -> str | None:
    """Return what is wrong with the embeddings of n texts, to complete a sentence; None if they are valid."""
    if not isinstance(found, np.ndarray):
        return f"gives a {type(found).__name__}, not a numpy array"
    if found.ndim != 2 or len(found) != n or not found.shape[1]:
        return f"gives an array of shape {found.shape} for {n:,} texts, not a row of numbers for each"
    if found.dtype.kind != "f":
        return f"gives numbers of the kind {found.dtype}, not float32"
    with np.errstate(over="ignore"):
        bad = int((~np.isfinite(found.astype(np.float32)).all(axis=1)).sum())
    return f"gives a vector with NaN or infinite numbers for {bad:,} of {n:,} texts" if bad else None


@dataclass(frozen=True)
class PluginDistance(FileDistance):
    """Cosine distance of the embeddings of a plug-in's encoder."""

    work: ClassVar[Work] = "encoder"

    @property
    def name(self) -> str:  # type: ignore[override]
        return self._signature.partition("|")[0]

    @property
    def parameters(self) -> str:
        return f"enc:{self._signature.rpartition(PLUGIN)[0]}"

    @property
    def plugin(self) -> str:  # type: ignore[override]
        return self._signature.rpartition(PLUGIN)[2]

    @property
    def _signature(self) -> str:
        return self.encoder.removeprefix(PLUGIN_PREFIX)


def distance_of(one: CheckedEncoder) -> PluginDistance:
    """Return the distance for an encoder, which can be computed as long as the encoder is referenced."""
    encoder.register(one)
    return PluginDistance(one.name)
