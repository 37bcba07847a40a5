"""Laws of encoders in plug-in files: the embedding of a text depends only on that text."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from metrics import installation
from metrics.child_processes import end_with_parent
from metrics.extensions.encoders import CheckedEncoder
from metrics.laws import studies
from metrics.text.encoder import EncoderFaulty, Vectors

TEXTS = (
    "",
    "Dog",
    "a dog runs",
    "Two dogs run.",
    "A café, 狗 🐕!",
    *studies.SALAD,
    *studies.SCENES,
    "word " * 400,
)
ROUNDED = 1e-4
"""Tolerance for two vectors of one text, relative to the largest component: batches round differently."""
COMMAND = f"import sys; from {__name__} import print_vectors; print_vectors(*sys.argv[1:])"


def encoder_violations(encoder: CheckedEncoder, file: Path) -> list[str]:
    """Return the laws that an encoder breaks, as sentences. `file` is its plug-in."""
    try:
        first = encoder.encode(TEXTS)
        return [why for why in (*_of_vectors(encoder, first), _elsewhere(encoder, file, first)) if why]
    except EncoderFaulty as why:
        return [why.said]


def _of_vectors(encoder: CheckedEncoder, first: Vectors) -> list[str]:
    found = []
    if not _alike(first, encoder.encode(TEXTS)):
        found.append("the same texts get different vectors the second time: give random numbers a fixed seed")
    elif not _alike(first, encoder.encode(TEXTS[::-1])[::-1]):
        found.append("the vector of a text depends on its place among the other texts")
    elif not _alike(first, np.concatenate([encoder.encode([text]) for text in TEXTS])):
        found.append("the vector of a text depends on the texts that are encoded with it")
    if np.allclose(first, first[:1]):
        found.append("all texts have the same vector")
    return found


def _alike(one: Vectors, other: Vectors) -> bool:
    return one.shape == other.shape and bool(np.abs(one - other).max() <= ROUNDED * np.abs(one).max())


def _elsewhere(encoder: CheckedEncoder, file: Path, first: Vectors) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": "4711", "PYTHONPATH": str(installation.HOME)}
    command = [sys.executable, "-c", COMMAND, str(file), encoder.name]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as child:
        assert child.stdout is not None
        raw = child.stdout.read()[-first.nbytes :]
        raw = raw if child.wait() == 0 else b""
    if len(raw) == first.nbytes and _alike(first, np.frombuffer(raw, dtype=np.float32).reshape(first.shape)):
        return ""
    return "the same texts get different vectors in another process, as `hash` of a text would"


def print_vectors(file: str, name: str) -> None:
    """Write the bytes of the vectors of TEXTS to stdout: `encoder_violations` runs this in another process."""
    from metrics.extensions import plugins

    end_with_parent()
    encoder = next(one for one in plugins.load(Path(file)).encoders if one.name == name)
    sys.stdout.buffer.write(encoder.encode(TEXTS).tobytes())
