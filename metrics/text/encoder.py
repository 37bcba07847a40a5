"""Sentence embeddings: the packaged all-MiniLM-L6-v2, any SentenceTransformer, or the pooled layer of a model."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Protocol
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from data.study import digest
from metrics import installation
from metrics.cache.disk import entry_key
from metrics.progress import check_stop
from metrics.text.pooled_model import pooled
from metrics.text.sentence_model import loaded, packaged_folder
from metrics.text.torch_setup import prepare_environment
from metrics.text.windows import joined, windows

Vectors = NDArray[np.float32]
DEFAULT = "all-MiniLM-L6-v2"
FILE_PREFIX = "file:"
"""Prefix of encoders whose embeddings are in a file."""
PLUGIN_PREFIX = "plugin:"
"""Prefix of encoders defined in a plug-in file."""
DEFAULT_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
LIBRARIES = ("torch", "sentence_transformers", "huggingface_hub")
DEFAULT_NEEDED = f"Embeddings by all-MiniLM-L6-v2 need its weights: `{installation.install('embeddings')}`."
POOLED_PREFIX = "pooled:"
"""Prefix of encoders that use a model's pooled layer; the model's name or folder follows."""
WINDOWS_PREFIX = "windows:"
"""Prefix of encoders that read long texts in windows; the name or folder of a SentenceTransformer follows."""
VERSION = 1
"""Version of the computation of embeddings with a given model: part of every signature if it is 2 or more."""
CHUNK, PLUGIN_TEXTS = 2_048, 256
SURROGATES = re.compile("[\ud800-\udfff]")


class RegisteredEncoder(Protocol):
    """Embeddings from a file or a plug-in; the name contains a digest, so it identifies the embeddings."""

    @property
    def name(self) -> str:
        """The name used in signatures; it identifies the embeddings."""

    @property
    def label(self) -> str:
        """The name in headings."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return (n, d) float32 embeddings in the order of the texts; a text without an embedding has a row of NaN."""


class StatesKeeper(Protocol):
    """A receiver of the token states of one layer from a model that embeds texts."""

    @property
    def layer(self) -> int:
        """The layer whose token states are kept."""

    def keep(self, texts: Sequence[str], ids: NDArray[np.int64], states: NDArray[np.float32]) -> None:
        """Receive the (n, tokens) ids and (n, tokens, d) states, of length 1, of n texts with equally many tokens."""


_registered: WeakValueDictionary[str, RegisteredEncoder] = WeakValueDictionary()


def register(encoder: RegisteredEncoder) -> None:
    """Make an encoder from a file or a plug-in available by name, as long as the encoder is referenced."""
    _registered[encoder.name] = encoder


class EncoderMissing(RuntimeError):
    """Raised if the model is not on this machine; the message states the remedy."""


class EncoderFaulty(RuntimeError):
    """Raised if a plug-in's encoder fails or returns no embeddings; `said` is the message without its subject."""

    def __init__(self, said: str, whose: str = "") -> None:
        super().__init__(f"{whose} {said}".strip())
        self.said = said


def missing(name: str = DEFAULT) -> str | None:
    """Return what must be installed or downloaded for this encoder; None if nothing is missing."""
    if name in _registered:
        return None
    try:
        if not name.startswith((FILE_PREFIX, PLUGIN_PREFIX)):
            _require_libraries()
        model_folder(name)
    except EncoderMissing as error:
        return str(error)
    return None


def _require_libraries() -> None:
    if lacking := [name for name in LIBRARIES if importlib.util.find_spec(name) is None]:
        last = f" and {lacking[-1]}" if lacking[1:] else lacking[0]
        raise EncoderMissing(
            f"Embeddings need {', '.join(lacking[:-1])}{last}: `{installation.install('embeddings')}`."
        )


def encoder_label(name: str = DEFAULT) -> str:
    """Return the name of an encoder for headings, such as "MiniLM" for the packaged model, without a folder."""
    if (own := _registered.get(name)) is not None:
        return own.label
    if name.startswith(PLUGIN_PREFIX):
        return name.removeprefix(PLUGIN_PREFIX).partition("|")[0]
    if name.startswith(FILE_PREFIX):
        return f"{name.removeprefix(FILE_PREFIX).rpartition('@')[0].removeprefix('imported_')} (imported)"
    if name.startswith(POOLED_PREFIX):
        return Path(name.removeprefix(POOLED_PREFIX)).name
    if name.startswith(WINDOWS_PREFIX):
        return f"{encoder_label(name.removeprefix(WINDOWS_PREFIX))} in windows"
    return "MiniLM" if name == DEFAULT else Path(name).name or name


@cache
def encoder_signature(name: str = DEFAULT) -> str:
    """Return a model's name and content digest, such as `all-MiniLM-L6-v2@53aa5117`, without loading it.

    The digits are the start of the sha256 of the packaged weights or, for any other model, of all its weights and
    settings; the version follows if VERSION is 2 or more. Names of encoders from a file or a plug-in contain a digest
    and are returned as they are. The packaged weights need not be installed: stored results are found by this name.
    Raises EncoderMissing.
    """
    if name.startswith((FILE_PREFIX, PLUGIN_PREFIX)):
        return name
    if name.startswith(WINDOWS_PREFIX):
        model_folder(name)
        return f"{WINDOWS_PREFIX}{encoder_signature(name.removeprefix(WINDOWS_PREFIX))}"
    made = f".{VERSION}" if VERSION > 1 else ""
    if name == DEFAULT and packaged_folder() is None:
        return f"{name}@{DEFAULT_SHA256[:8]}{made}"
    folder = model_folder(name)
    if name == DEFAULT:
        found = _sha256([folder / "model.safetensors"])
        if found != DEFAULT_SHA256:
            raise EncoderMissing(f"The packaged weights of {DEFAULT} are damaged (sha256 {found}). {DEFAULT_NEEDED}")
        return f"{name}@{found[:8]}{made}"
    kind = POOLED_PREFIX if name.startswith(POOLED_PREFIX) else ""
    return f"{kind}{Path(name.removeprefix(kind)).name}@{folder_digest(folder)}{made}"


def folder_digest(folder: Path) -> str:
    """Return the first eight digits of the sha256 of all weights and settings in a model's folder."""
    files = [path for path in sorted(folder.rglob("*")) if path.suffix in {".safetensors", ".bin", ".json", ".txt"}]
    return _sha256(files)[:8]


def model_folder(name: str = DEFAULT) -> Path:
    """Return the folder of a model's files: the package, the folder that `name` gives, or the Hugging Face cache.

    Nothing is downloaded unless HF_HUB_OFFLINE=0 is set in the environment. Raises EncoderMissing.
    """
    if name.startswith(WINDOWS_PREFIX):
        name = name.removeprefix(WINDOWS_PREFIX)
        if name.startswith((FILE_PREFIX, PLUGIN_PREFIX, POOLED_PREFIX, WINDOWS_PREFIX)):
            raise EncoderMissing(f"Windows are for the name or folder of a SentenceTransformer, not for {name!r}.")
    name = name.removeprefix(POOLED_PREFIX)
    if name == DEFAULT:
        if (folder := packaged_folder()) is None:
            raise EncoderMissing(DEFAULT_NEEDED)
        return folder
    if Path(name).expanduser().is_dir():
        return Path(name).expanduser().resolve()
    return _from_hub(name)


class Encoder:
    """A sentence encoder by name; the model is loaded on first use and shared by all encoders of that name."""

    def __init__(self, name: str = DEFAULT) -> None:
        self.name = name

    @cached_property
    def signature(self) -> str:
        """The identity of the embeddings: `encoder_signature` of the name. Raises EncoderMissing."""
        return encoder_signature(self.name)

    def key(self, texts: Sequence[str]) -> str:
        """Return the cache key of the embeddings of these texts, in this order."""
        return entry_key("embeddings", self.signature, digest(list(texts)))

    def encode(
        self,
        texts: Sequence[str],
        progress: Callable[[int, int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
        keeper: StatesKeeper | None = None,
        take: Callable[[Sequence[str], Vectors], None] | None = None,
    ) -> Vectors:
        """(n, d) float32 embeddings in the order of the texts, equal to `SentenceTransformer.encode` within 1e-6.

        Equal texts are encoded once. Texts beyond the model's maximum length are truncated, as in SentenceTransformer,
        unless the name begins with `WINDOWS_PREFIX`; lone surrogates become U+FFFD. `progress(done, of)` counts
        distinct texts. Runs on CUDA if available. Raises Cancelled when `should_stop()`, and EncoderMissing. Safe to
        call from several threads. `keeper` receives the token states that a model without padding computes along the
        way; other models do not expose them. `take` receives the texts of each batch with their vectors, so that those
        of finished batches can be kept when the rest is cancelled.
        """
        if self.name.startswith(FILE_PREFIX):
            return _own_encoder(self.name).encode(texts)
        cleaned = [SURROGATES.sub("\ufffd", text) for text in texts]
        if self.name.startswith(PLUGIN_PREFIX):
            return _by_plugin(_own_encoder(self.name), cleaned, progress, should_stop)
        if self.name.startswith(WINDOWS_PREFIX):
            return _in_windows(self.name.removeprefix(WINDOWS_PREFIX), cleaned, progress, should_stop)
        distinct = {text: row for row, text in enumerate(sorted(set(cleaned), key=lambda text: (len(text), text)))}
        of = pooled if self.name.startswith(POOLED_PREFIX) else loaded
        model = of(str(model_folder(self.name)), self.signature)
        vectors = np.zeros((len(distinct), model.dimension), dtype=np.float32)
        todo, done = list(distinct), 0
        for start in range(0, len(todo), CHUNK):
            for found in model.batches(todo[start : start + CHUNK], should_stop, keeper.layer if keeper else None):
                vectors[start + found.rows] = found.vectors
                if take:
                    take([todo[start + row] for row in found.rows], found.vectors)
                if keeper and found.ids is not None and found.states is not None:
                    keeper.keep([todo[start + row] for row in found.rows], found.ids, found.states)
                done += len(found.rows)
                if progress:
                    progress(done, len(todo))
        return vectors[[distinct[text] for text in cleaned]]


def _in_windows(
    name: str,
    texts: Sequence[str],
    progress: Callable[[int, int], None] | None,
    should_stop: Callable[[], bool] | None,
) -> Vectors:
    inner = Encoder(name)
    model = loaded(str(model_folder(name)), inner.signature)
    parts = {text: windows(text, model.room, model.tokens) for text in dict.fromkeys(texts)}
    flat = [part for cut in parts.values() for part in cut]
    place = {part: row for row, part in enumerate(flat)}
    vectors = inner.encode(flat, progress, should_stop)
    of = {
        text: joined(vectors[[place[part] for part in cut]], model.tokens(cut)) if cut[1:] else vectors[place[cut[0]]]
        for text, cut in parts.items()
    }
    return np.stack([of[text] for text in texts]) if texts else vectors


def _own_encoder(name: str) -> RegisteredEncoder:
    own = _registered.get(name)
    if own is None and name.startswith(PLUGIN_PREFIX):
        raise EncoderMissing(f"The encoder {encoder_label(name)} comes from a plug-in file that is not loaded here.")
    if own is None:
        raise EncoderMissing(
            f"The embeddings {name.removeprefix(FILE_PREFIX)} come from a file that is not at hand here: give it with "
            "the captions, and compute on the machine that has it."
        )
    return own


def _by_plugin(
    own: RegisteredEncoder,
    texts: Sequence[str],
    progress: Callable[[int, int], None] | None,
    should_stop: Callable[[], bool] | None,
) -> Vectors:
    distinct = sorted(set(texts)) or [""]  # encode a dummy text to learn the width
    parts: list[Vectors] = []
    for start in range(0, len(distinct), PLUGIN_TEXTS):
        check_stop(should_stop)
        parts.append(own.encode(distinct[start : start + PLUGIN_TEXTS]))
        if progress:
            progress(min(start + PLUGIN_TEXTS, len(distinct)), len(distinct))
    if len({part.shape[1] for part in parts}) > 1:
        raise EncoderFaulty(f"The encoder {own.label} gives some texts longer vectors than others.")
    place = {text: row for row, text in enumerate(distinct)}
    return np.concatenate(parts)[[place[text] for text in texts]]


def _from_hub(name: str) -> Path:
    _require_libraries()
    prepare_environment()
    from huggingface_hub import snapshot_download

    offline = os.environ["HF_HUB_OFFLINE"].lower() in {"1", "true", "yes", "on"}
    for repository in [name] if "/" in name else [f"sentence-transformers/{name}", name]:
        try:
            return Path(snapshot_download(repository, local_files_only=offline))
        except (OSError, ValueError):
            continue
    raise EncoderMissing(
        f"There is no encoder {name!r}: neither a folder nor in the Hugging Face cache. Name a folder with a "
        "SentenceTransformer, or set HF_HUB_OFFLINE=0 once so that it is downloaded."
    )


def _sha256(files: Sequence[Path]) -> str:
    total = hashlib.sha256()
    for path in files:
        if len(files) > 1:
            total.update(path.name.encode())
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                total.update(block)
    return total.hexdigest()
