"""Probabilities that texts have a fluency error, from a classifier in a folder or from a file."""

from __future__ import annotations

import csv
import io
import json
import math
import threading
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from data.fields.names import norm
from data.files.file_cache import read_once, why_unreadable
from data.formats.numbers.scores import CAPTION
from data.study import DataError
from metrics.mathematics.arrays import Floats
from metrics.progress import check_stop
from metrics.text.encoder import SURROGATES, folder_digest
from metrics.text.folder_model import FolderModelMissing, load
from metrics.text.folder_model import missing as missing_model

COLUMNS = ("error_probability", "error_prob", "fer.error_prob", "probability", "prob", "error")
"""Normalised names of the column of probabilities, most specific first."""
ERROR = "error"
"""A classifier's label for a text with an error; without it, the last label is used."""
TOKENS = {"cpu": 2_048, "cuda": 65_536}
REMEDY = (
    "name the folder of a sequence classifier that `save_pretrained` of transformers wrote, or a .csv, .tsv or .jsonl "
    "file with the columns `caption` and `error_probability`"
)


class _Stated(NamedTuple):
    """The probabilities in a file by text, and a digest that does not depend on the order of rows."""

    of: dict[str, float]
    digest: str


def missing(path: str) -> str | None:
    """Return why a classifier or file of probabilities cannot be used, with the remedy; None if it seems usable."""
    if Path(path).expanduser().is_dir():
        return missing_model(path)
    return why_unreadable(_stated, path)


def signature(path: str) -> str:
    """Return a classifier's name and content digest, `echecker@1f2e3d4c`, or `file@` and the digest of a file.

    Raises FolderModelMissing for a folder, and DataError for a file, that cannot be used.
    """
    if Path(path).expanduser().is_dir():
        return _folder_signature(path)
    return f"file@{_stated(path).digest[:12]}"


def probabilities(path: str, texts: Sequence[str], should_stop: Callable[[], bool] | None = None) -> Floats:
    """(n,) probability that each text has an error; NaN for a text that is missing from a file.

    Texts beyond a classifier's maximum length are truncated; lone surrogates become U+FFFD. Raises the same errors as
    `signature`, and Cancelled when `should_stop()`.
    """
    if not Path(path).expanduser().is_dir():
        of = _stated(path).of
        return np.array([of.get(_key(text), math.nan) for text in texts])
    cleaned = [SURROGATES.sub("\ufffd", text) for text in texts]
    distinct = {text: row for row, text in enumerate(sorted(set(cleaned)))}
    found = _loaded(path, _folder_signature(path)).probabilities(list(distinct), should_stop)
    return found[[distinct[text] for text in cleaned]]


def _key(text: str) -> str:
    """Return the text with single spaces between words and none around it, since files often change white space."""
    return " ".join(text.split())


@read_once(4, f"; {REMEDY}")
def _stated(path: Path) -> _Stated:
    found: dict[str, float] = {}
    for where, text, value in _rows(path):
        try:
            p = float(value)
        except (TypeError, ValueError):
            p = math.nan
        if not 0 <= p <= 1:
            raise DataError(f"{path.name}, {where}: {str(value)[:40]!r} is not a probability from 0 to 1")
        if found.setdefault(_key(text), p) != p:
            raise DataError(f"{path.name}, {where}: a caption has two probabilities, {found[_key(text)]:g} and {p:g}")
    if not found:
        raise DataError(f"{path.name} has no rows; {REMEDY}")
    total = sha256()
    for text in sorted(found):
        total.update(text.encode("utf-8", errors="surrogatepass") + f"\n{found[text]!r}\n".encode())
    return _Stated(found, total.hexdigest())


def _rows(path: Path) -> list[tuple[str, str, Any]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix in (".jsonl", ".json"):
            rows = (
                json.loads(text) if path.suffix == ".json" else [json.loads(s) for s in text.split("\n") if s.strip()]
            )
            table = [dict(row) for row in rows]
        else:
            table = list(
                csv.DictReader(io.StringIO(text, newline=""), delimiter="\t" if path.suffix == ".tsv" else ",")
            )
    except (ValueError, TypeError, csv.Error) as why:
        raise DataError(f"{path.name} cannot be read ({str(why)[:100]}); {REMEDY}") from None
    head = {norm(str(name)): name for row in table[:1] for name in row}
    caption = next((head[name] for name in CAPTION if name in head), None)
    value = next((head[name] for name in COLUMNS if name in head), None)
    if table and (caption is None or value is None):
        raise DataError(f"{path.name} has the columns {', '.join(map(str, table[0]))}; {REMEDY}")
    return [(f"row {k}", str(row.get(caption) or ""), row.get(value)) for k, row in enumerate(table, 1)]


@cache
def _folder_signature(path: str) -> str:
    if (why := missing_model(path)) is not None:
        raise FolderModelMissing(why)
    folder = Path(path).expanduser().resolve()
    return f"{folder.name}@{folder_digest(folder)}"


class _Classifier:
    def __init__(self, folder: str) -> None:
        self._tokenizer, self._model, self._device = load(folder, "AutoModelForSequenceClassification", "classifier")
        config = self._model.config
        names = {str(name).lower(): int(k) for k, name in config.id2label.items()}
        self._label = names.get(ERROR, config.num_labels - 1)
        self._each = config.num_labels == 1 or config.problem_type == "multi_label_classification"
        # The positions of some models, such as RoBERTa's, include two that no token can take: the tokenizer states the
        # limit.
        self._longest = min(int(getattr(config, "max_position_embeddings", 512)), self._tokenizer.model_max_length)
        self._lock = threading.Lock()

    def probabilities(self, texts: list[str], should_stop: Callable[[], bool] | None) -> Floats:
        """(n,) probabilities; texts of equal length are read together, so that no padding is needed."""
        import torch

        from metrics.text.packed_bert import equal_lengths

        with self._lock:
            ids = [self._tokenizer(text, truncation=True, max_length=self._longest)["input_ids"] for text in texts]
        out = np.zeros(len(texts))
        for rows, count in equal_lengths(np.array([len(one) for one in ids], dtype=np.int64), TOKENS[self._device]):
            check_stop(should_stop)
            with torch.inference_mode():
                batch = torch.tensor([ids[row] for row in rows[:count]]).to(self._device)
                logits = self._model(batch).logits.double()
                found = logits.sigmoid() if self._each else logits.softmax(dim=1)
                out[rows[:count]] = found[:, self._label].cpu().numpy()
        return out


_classifiers: dict[tuple[str, str], _Classifier] = {}
_classifiers_lock = threading.Lock()


def _loaded(folder: str, signed: str) -> _Classifier:
    with _classifiers_lock:
        if (folder, signed) not in _classifiers:
            _classifiers[folder, signed] = _Classifier(folder)
        return _classifiers[folder, signed]
