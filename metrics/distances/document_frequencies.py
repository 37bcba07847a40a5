"""Files of document frequencies for CIDEr-D, counted in one study and used in another; they are never pickles."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from data.check import GivenFile
from data.files.limits import Budget
from data.study import DataError, Study
from metrics.cache.entry import Arrays, unsealed
from metrics.distances.words import CiderDDistance
from metrics.text.cider import DocumentFrequencies
from metrics.text.tokens import TOKENIZERS

if TYPE_CHECKING:
    from metrics.text.tokens import Tokenizer

VERSION = 1
MAKE = "trilens idf REFERENCES --out idf.npz"
PICKLES = (".p", ".pkl", ".pickle")
ARRAYS = ("tokenizer", "documents", "letters", "ends", "starts", "prefix", "last", "frequency")


def count_frequencies(study: Study, tokenizer: Tokenizer | None = None) -> DocumentFrequencies:
    """Return, for each n-gram, the number of items with a reference that contains it, as CIDEr-D counts them.

    The default tokenizer is the study's.
    """
    found: DocumentFrequencies = CiderDDistance(tokenizer or study.tokenizer).fit(study)
    return found


def describe_frequencies(frequencies: DocumentFrequencies) -> str:
    """Return a description of the frequencies that contains no file name."""
    return f"given, of {frequencies.documents:,} items (idf:{frequencies.digest[:12]})"


def to_npz(frequencies: DocumentFrequencies, tokenizer: Tokenizer) -> bytes:
    """Return the bytes of a file that `read` accepts; equal frequencies give equal bytes."""
    buffer = io.BytesIO()
    head = {"version": np.array(VERSION), "tokenizer": np.array(tokenizer)}
    np.savez_compressed(buffer, **head, **frequencies.to_arrays())  # type: ignore[arg-type]
    return buffer.getvalue()


def read(path: Path, tokenizer: Tokenizer = "ptb") -> DocumentFrequencies:
    """Return the frequencies in a file. Raises DataError as `parse` does, and OSError if the file cannot be read."""
    return parse(path.read_bytes(), path.name, tokenizer)


def of_file(given: GivenFile | None, tokenizer: Tokenizer = "ptb") -> DocumentFrequencies | None:
    """Return the frequencies supplied with a study; None without a file. Raises DataError if they cannot be used."""
    return None if given is None else checked(parse(given.content, given.name, tokenizer), given.name)


def parse(raw: bytes, name: str, tokenizer: Tokenizer = "ptb") -> DocumentFrequencies:
    """Return the frequencies in the bytes of a file: an .npz of `to_npz`, or JSON.

    The JSON is {"documents": 40504, "tokenizer": "ptb", "frequencies": {"a": 40012, "a man": 9120, ..}}, with n-grams
    of up to four tokens, separated by spaces. Raises DataError if they are damaged, pickled, or based on another
    tokenizer.
    """
    if raw[:1] == b"\x80" or name.lower().endswith(PICKLES):
        raise DataError(
            f"{name}: a pickle can run any program when it is opened, so it is not read. Make the frequencies from the "
            f"references themselves, such as the annotations of COCO val: `{MAKE}`."
        )
    try:
        made_by, found = _of_arrays(raw) if raw[:2] == b"PK" else _of_json(raw)
    except (ValueError, KeyError, TypeError, IndexError, OverflowError, RecursionError) as why:
        raise DataError(f"{name}: these are not document frequencies ({why}). `{MAKE}` makes them.") from None
    if made_by != tokenizer:
        raise DataError(
            f"{name}: counted with the tokenizer {made_by}, but captions are split by {tokenizer}. "
            f"`{MAKE} --tokenizer {tokenizer}` counts again."
        )
    return found


def checked(found: DocumentFrequencies, name: str) -> DocumentFrequencies:
    """Return these frequencies. Raises DataError if all weights are zero or equal, which must be a mistake."""
    if (why := found.undefined or ("" if found.frequency.any() else "not one n-gram was counted")) != "":
        raise DataError(f"{name}: {why}. Count the references of more items: `{MAKE}`.")
    return found


def looks_like_frequencies(raw: bytes, name: str) -> bool:
    """Return whether these bytes are meant as document frequencies, not as captions; `parse` then explains errors.

    Other programs store frequencies as pickles, and captions are never pickled.
    """
    if raw[:1] == b"\x80" or name.lower().endswith((".npz", *PICKLES)):
        return True
    if raw[:2] == b"PK":
        return (unsealed(raw, Budget(len(raw))) or {}).keys() >= {"documents", "frequency"}
    if raw.lstrip()[:1] != b"{" or b'"frequencies"' not in raw or b'"documents"' not in raw:
        return False
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and isinstance(found.get("frequencies"), dict)


def _of_arrays(raw: bytes) -> tuple[str, DocumentFrequencies]:
    arrays = unsealed(raw, Budget(len(raw)))
    if arrays is None:
        raise ValueError("a damaged .npz file")
    if missing := [name for name in ARRAYS if name not in arrays]:
        raise ValueError(f"an .npz file without {missing[0]}")
    if (version := int(arrays.get("version", np.array(VERSION)))) != VERSION:
        raise ValueError(f"made for version {version}, and this one reads version {VERSION}")
    _check(arrays)
    return str(arrays["tokenizer"]), DocumentFrequencies.from_arrays(arrays)


def _check(arrays: Arrays) -> None:
    """Raise ValueError unless the arrays are a valid table of n-grams.

    N-grams have one to four words, are sorted, and occur in 0 to `documents` documents.
    """
    ends, starts, prefix, last, frequency = (arrays[k] for k in ("ends", "starts", "prefix", "last", "frequency"))
    whole = (arrays["documents"], ends, starts, prefix, last, frequency)
    if any(array.dtype.kind not in "iu" for array in whole) or arrays["letters"].dtype != np.uint8:
        raise ValueError("numbers that are not whole")
    size, words = len(last), len(ends)
    edges = np.concatenate([[0], ends, [len(arrays["letters"])]])
    if (np.diff(edges) < 0).any() or (words and edges[-1] != ends[-1]) or len(prefix) != size or len(frequency) != size:
        raise ValueError("arrays that do not fit together")
    if len(starts) != 5 or starts[0] != 0 or starts[-1] != size or (np.diff(starts) < 0).any():
        raise ValueError("n-grams of lengths other than one to four")
    documents = int(arrays["documents"])
    if documents < 1 or (frequency < 0).any() or (frequency > documents).any():
        raise ValueError("an n-gram in more documents than there are")
    if size and (last.min() < 0 or last.max() >= words):
        raise ValueError("words that do not exist")
    for order in range(4):
        here = slice(int(starts[order]), int(starts[order + 1]))
        low, high = (-1, 0) if order == 0 else (int(starts[order - 1]), int(starts[order]))
        before = prefix[here].astype(np.int64)
        if len(before) and (before.min() < low or before.max() >= high):
            raise ValueError("n-grams whose first words are missing")
        if (np.diff(before * words + last[here]) <= 0).any():
            raise ValueError("n-grams out of order")


def _of_json(raw: bytes) -> tuple[str, DocumentFrequencies]:
    found: Any = json.loads(raw)
    if not isinstance(found, dict) or not isinstance(found.get("frequencies"), dict):
        raise ValueError("neither an .npz file nor a JSON object with `documents` and `frequencies`")
    documents, given = found["documents"], found["frequencies"]
    if type(documents) is not int or documents < 1:
        raise ValueError("`documents` is not a number of items")
    tokenizer = found.get("tokenizer", "ptb")
    if tokenizer not in TOKENIZERS:
        raise ValueError(f"`tokenizer` is not one of {', '.join(TOKENIZERS)}")
    counts = {}
    for text, count in given.items():
        words = tuple(text.split(" "))
        if not all(words) or len(words) > 4 or type(count) is not int or not 0 <= count <= documents:
            raise ValueError(f"no n-gram of one to four tokens with a number of items: {text[:60]!r}")
        counts[words] = count
    return tokenizer, of_counts(documents, counts)


def of_counts(documents: int, counts: Mapping[tuple[str, ...], int]) -> DocumentFrequencies:
    """Return frequencies from the number of items that contain each n-gram; missing prefixes count as 0."""
    every = {words[:n] for words in counts for n in range(1, len(words) + 1)}
    vocabulary = tuple(sorted({word for words in every for word in words}))
    number = {word: place for place, word in enumerate(vocabulary)}
    place: dict[tuple[str, ...], int] = {(): -1}
    starts = [0]
    rows: list[tuple[int, int, int]] = []
    for order in range(1, 5):
        here = sorted((w for w in every if len(w) == order), key=lambda w: (place[w[:-1]], number[w[-1]]))
        place |= {words: len(rows) + k for k, words in enumerate(here)}
        rows += [(place[words[:-1]], number[words[-1]], counts.get(words, 0)) for words in here]
        starts.append(len(rows))
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return DocumentFrequencies(documents, vocabulary, np.array(starts, dtype=np.int64), *columns)
