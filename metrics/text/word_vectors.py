"""Word vectors, and their means over captions, from a text file of GloVe, word2vec or fastText that a user names."""

from __future__ import annotations

import gzip
import hashlib
import threading
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.files.file_cache import read_once, why_unreadable
from data.study import DataError
from metrics.text.encoder import FILE_PREFIX, Vectors
from metrics.text.tokens import Tokenizer, tokenize

LONGEST_LINE = 1 << 20
WORD = "not a word followed by numbers, as lines of GloVe and fastText are"
TAKES = "a text file, .txt or .gz, one word and its numbers per line; gensim converts a binary one, `binary=False`"
DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile)
"""Exceptions from reading a compressed file that is truncated or not compressed."""


@dataclass(frozen=True, eq=False)
class WordVectors:
    """The position in a file of each word's vector; a vector is read when a caption first has the word.

    The vector of a caption is the mean over its tokens of the vectors of the words that the file has, each as often as
    it occurs; a caption without any such word has no vector.
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
        """The name used in signatures; it identifies the vectors of captions."""
        return f"{FILE_PREFIX}vectors@{self.sha256[:12]}-mean-tok:{self.tokenizer}"

    @property
    def label(self) -> str:
        """The name in headings."""
        return "word vectors"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """(n, d) mean vectors of the texts; NaN for a text with no word in the file.

        Raises DataError as `of_words` does.
        """
        tokens = tokenize(list(texts), self.tokenizer)
        with self._lock:
            self._read({word for words in tokens for word in words} - self._known.keys())
            found = np.full((len(texts), self.dimension), np.nan, dtype=np.float32)
            for row, words in enumerate(tokens):
                if rows := [self._known[word] for word in words if word in self._known]:
                    found[row] = np.mean(rows, axis=0, dtype=float)
        return found

    def of_words(self, words: Iterable[str]) -> dict[str, NDArray[np.float32]]:
        """Return the vectors of those words that the file has. Raises DataError for numbers that are not finite."""
        asked = list(words)
        with self._lock:
            self._read(set(asked) - self._known.keys())
            return {word: self._known[word] for word in asked if word in self._known}

    def _read(self, words: set[str]) -> None:
        wanted = sorted((self.starts[word], word) for word in words if word in self.starts)
        if not wanted:
            return
        with _opened(self.path) as file:
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
    """Return the vectors in a text file with one word and its numbers per line.

    The first line may state the numbers of words and of dimensions instead. If a word occurs twice, its first line
    counts. Raises DataError for a damaged file or one in another format, and OSError if it cannot be read.
    """
    try:
        return _read(path, tokenizer)
    except DAMAGED:
        raise DataError(f"{path.name}: cut off, or not a gzip file. Fetch it again.") from None


def _opened(path: Path) -> gzip.GzipFile | BufferedReader:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def _read(path: Path, tokenizer: Tokenizer) -> WordVectors:
    found: dict[str, tuple[int, int]] = {}
    sha256, dimension, start, promised, words = hashlib.sha256(), 0, 0, 0, 0
    with _opened(path) as file:
        number = 0
        while line := file.readline(LONGEST_LINE):
            number += 1
            sha256.update(line)
            parts = line.split()
            header = number == 1 and len(parts) == 2 and all(part.isdigit() for part in parts)
            if header:
                promised, dimension = int(parts[0]), int(parts[1])
            elif parts:
                dimension = dimension or len(parts) - 1
                word, place = _place(line, dimension, f"{path.name}, line {number}")
                found.setdefault(word, (start + place, len(line) - place))
                words += 1
            start += len(line)
    if not found:
        raise DataError(f"{path.name}: there is no word in this file. Name {TAKES}.")
    if promised not in (0, words):
        said = f"{promised:,} words are promised and {words:,} follow: the file is cut off. Fetch it again"
        raise DataError(f"{path.name}, line 1: {said}.")
    return WordVectors(path, sha256.hexdigest(), dimension, found, tokenizer)


def _place(line: bytes, dimension: int, where: str) -> tuple[str, int]:
    """Return the word of a line, and the position where its numbers begin; some words of GloVe contain spaces.

    Raises DataError for a line in another form.
    """
    head, *numbers = line.rstrip().rsplit(None, dimension)
    try:
        first = float(numbers[0])
    except (ValueError, IndexError):
        first = np.nan
    if dimension < 2 or len(numbers) != dimension or not np.isfinite(first) or _ends_in_number(head):
        raise DataError(f"{where}: {WORD}. Name {TAKES}.")
    return head.decode("utf-8", "replace"), len(head)


def _ends_in_number(head: bytes) -> bool:
    """Return whether the word ends in a number, in which case the line has one more number than other lines."""
    _, blank, last = head.rpartition(b" ")
    try:
        return bool(blank) and np.isfinite(float(last)).item()
    except ValueError:
        return False


@read_once(2, f". Name {TAKES}.")
def named(path: Path) -> WordVectors:
    """Return the vectors in a file, which is read again only after it changes. Raises DataError if it has none."""
    return read(path)


def missing(path: str) -> str | None:
    """Return why no vectors can be read from a file, and the remedy; None if they can be read."""
    return why_unreadable(named, path)
