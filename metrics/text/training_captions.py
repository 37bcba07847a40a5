"""Training captions of a model, read from a file, to find out which generated captions are new."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from data.files.file_cache import read_once
from data.findings import unmarked
from data.study import DataError
from metrics.text.tokens import Tokenizer, tokenize


@dataclass(frozen=True)
class TrainingCaptions:
    """The distinct captions of a file, as tokens joined by spaces, and a digest that does not depend on their order."""

    known: frozenset[str]
    digest: str


def missing(path: str) -> str | None:
    """Return a sentence that states that there is no such file, with the remedy; None if it exists."""
    return None if Path(path).expanduser().is_file() else f"{path} is not a file: name one with the training captions"


@read_once(4, ". Name a file with the training captions.")
def read(path: Path, tokenizer: Tokenizer = "ptb") -> TrainingCaptions:
    """Return all captions of a file, which is a .txt with one per line or has any format of captions.

    The file is read again only after it changes. Raises DataError if it has no captions or cannot be read.
    """
    texts = _lines(path) if path.suffix == ".txt" else _captions(path)
    known = frozenset(joined(tokens) for tokens in tokenize(sorted(texts), tokenizer))
    if not known - {""}:
        raise DataError(f"{path.name}: no caption with a word. Name a file with the training captions.")
    total = sha256()
    for text in sorted(known):
        total.update(text.encode("utf-8", errors="surrogatepass") + b"\n")
    return TrainingCaptions(known, total.hexdigest())


def joined(tokens: tuple[str, ...] | list[str]) -> str:
    """Return tokens joined by spaces: two captions count as the same if these texts are equal."""
    return " ".join(tokens)


def _lines(path: Path) -> set[str]:
    return set(path.read_text(encoding="utf-8-sig", errors="replace").splitlines())


def _captions(path: Path) -> set[str]:
    from data.load import load_study

    loaded = load_study([path])
    if loaded.study is None:
        said = next((unmarked(f"{one.problem} {one.repair}") for one in loaded.findings if one.severity == "error"), "")
        raise DataError(f"{path.name}: no captions to compare with. {said}".strip())
    people = {text for item in loaded.study.items for text in item.references}
    return people | {text for run in loaded.study.runs for texts in run.candidates.values() for text in texts}
