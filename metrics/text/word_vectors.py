"""Mean word vectors of captions, from a text file of GloVe or fastText that a person names."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.study import DataError
from metrics.text.encoder import FILE_PREFIX, Vectors
from metrics.text.tokens import Tokenizer, tokenize

LONGEST_LINE = 1 << 20
WORD = "not a word followed by numbers, as lines of GloVe and fastText are"


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Where in a file the vector of each word stands; vectors are read when a caption first has the word.

    The vector of a caption is the mean over its tokens of the vectors of the words that the file has, each as often as
    it occurs; a caption without any has none.
    """

    path: Path
    sha256: str
    dimension: int
    starts: dict[str, tuple[int, int]] = field(repr=False)
    tokenizer: Tokenizer = "ptb"
    _known: dict[str, NDArray[np.float32]] = field(default_factory=dict, repr=False)
    _lock: Any = field(default_factory=threading.Lock, repr=False)

    @property
    def name(self) -> str:
        """Determines the vectors of captions."""
        return f"{FILE_PREFIX}vectors@{self.sha256[:12]}-mean-tok:{self.tokenizer}"

    @property
    def label(self) -> str:
        """What headings call them."""
        return "word vectors"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """(n, d) mean vectors of the texts; NaN where the file has no word of a text. Raises DataError."""
        tokens = tokenize(list(texts), self.tokenizer)
        with self._lock:
            self._read({word for words in tokens for word in words} - self._known.keys())
            found = np.full((len(texts), self.dimension), np.nan, dtype=np.float32)
            for row, words in enumerate(tokens):
                if rows := [self._known[word] for word in words if word in self._known]:
                    found[row] = np.mean(rows, axis=0, dtype=float)
        return found

    def _read(self, words: set[str]) -> None:
        wanted = sorted((self.starts[word], word) for word in words if word in self.starts)
        if not wanted:
            return
        with self.path.open("rb") as file:
            for (start, size), word in wanted:
                file.seek(start)
                self._known[word] = _vector(file.read(size), self.path.name, word)


def _vector(raw: bytes, name: str, word: str) -> NDArray[np.float32]:
    try:
        found = np.array(raw.split(), dtype=np.float32)
    except ValueError:
        found = np.array([np.nan])
    if not np.isfinite(found).all():
        raise DataError(f"{name}: the vector of {word!r} holds something that is not a finite number.")
    return found


def read(path: Path, tokenizer: Tokenizer = "ptb") -> WordVectors:
    """The vectors in a text file, a word and its numbers a line, after a line with their number and length or without.

    Of a word that stands there twice the first line counts. Raises DataError with the line; OSError if the file
    cannot be read.
    """
    found: dict[str, tuple[int, int]] = {}
    sha256, dimension, start = hashlib.sha256(), 0, 0
    with path.open("rb") as file:
        number = 0
        while line := file.readline(LONGEST_LINE):
            number += 1
            sha256.update(line)
            parts = line.split()
            header = number == 1 and len(parts) == 2 and all(part.isdigit() for part in parts)
            if header:
                dimension = int(parts[1])
            elif parts:
                dimension = dimension or len(parts) - 1
                word, place = _place(line, dimension, f"{path.name}, line {number}")
                found.setdefault(word, (start + place, len(line) - place))
            start += len(line)
    if not found:
        raise DataError(f"{path.name}: there is no word in this file.")
    return WordVectors(path, sha256.hexdigest(), dimension, found, tokenizer)


def _place(line: bytes, dimension: int, where: str) -> tuple[str, int]:
    """The word of a line, and where in it its numbers begin; some words of GloVe hold blanks."""
    head, *numbers = line.rstrip().rsplit(None, dimension)
    try:
        first = float(numbers[0])
    except (ValueError, IndexError):
        first = np.nan
    if dimension < 2 or len(numbers) != dimension or not np.isfinite(first):
        raise DataError(f"{where}: {WORD}.")
    return head.decode("utf-8", "replace"), len(head)
