"""Tokenisation of captions: as in the COCO evaluation, at white space, or into characters."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import get_args

from data.study import Tokenizer as Tokenizer
from metrics.cache.memory import LruCache
from metrics.text import characters
from metrics.text.java import JavaDied, JavaProgram
from metrics.text.java import missing as java_missing

Tokens = tuple[str, ...]
TOKENIZERS: tuple[Tokenizer, ...] = get_args(Tokenizer)

PTB_JAR = ("tokenizer", "stanford-corenlp-3.4.1.jar")
PUNCTUATION = frozenset(
    ["''", "'", "``", "`", "-LRB-", "-RRB-", "-LCB-", "-RCB-", ".", "?", "!", ",", ":", "-", "--", "...", ";"]
)
BATCH = 512
SECONDS_PER_BATCH = 30.0
REMEMBERED_CHARACTERS = 20_000_000

_BREAKS = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_PARTED: dict[str, Callable[[str], list[str]]] = {
    "whitespace": str.split,
    "zh": characters.zh,
    "char": characters.char,
}
# After each caption: an empty line, which the tokenizer treats as the end of a text, and a line that closes what a
# caption may leave open (a quoted attribute of a markup tag spans lines). So tokens depend only on their caption.
_FENCE = "\n\n\"'<\n"
_FENCE_LINES = ["", "'' ' <"]
# The tokenizer never flushes; three buffers of 8,192 bytes lie between it and this process, and long words flush them.
_PUSH = ("x" * 1023 + "\n") * 26


def clean(text: str) -> str:
    """Return the caption on one line: Unicode line breaks become spaces, and lone surrogates become U+FFFD."""
    return _SURROGATES.sub("\ufffd", _BREAKS.sub(" ", text))


def tokenize(texts: Sequence[str], tokenizer: Tokenizer = "ptb") -> list[Tokens]:
    """Return a tuple of tokens for each text, in order.

    "ptb" is the tokenisation of the COCO evaluation: Stanford's PTBTokenizer 3.4.1, lower case, with punctuation
    removed (Chen et al. 2015, Microsoft COCO Captions, section 3.1); each caption is tokenised independently.
    "whitespace" splits at white space and changes nothing else, for texts that are tokenised already. "zh" and "char"
    are sacreBLEU's, for languages without spaces: Chinese characters and Western words, or every character. Raises
    ValueError for another tokenizer, JavaMissing with the remedy, and JavaDied when the tokenizer fails twice on the
    same text. Safe to call from several threads.
    """
    if tokenizer in _PARTED:
        return [tuple(map(sys.intern, _PARTED[tokenizer](clean(text)))) for text in texts]
    if tokenizer != "ptb":
        raise ValueError(f"tokenizer must be one of {', '.join(TOKENIZERS)}, not {tokenizer!r}")
    cleaned = [clean(text) for text in texts]
    known = _memory.get_many(cleaned)
    unknown = [text for text in dict.fromkeys(cleaned) if text not in known]
    for start in range(0, len(unknown), BATCH):
        batch = unknown[start : start + BATCH]
        made = dict(zip(batch, _ptb(batch), strict=True))
        _memory.put_many(made)
        known |= made
    return [known[text] for text in cleaned]


def missing(tokenizer: Tokenizer) -> str | None:
    """Return what must be installed for this tokenizer; None if nothing is missing."""
    return java_missing(*PTB_JAR) if tokenizer == "ptb" else None


def _ptb(texts: Sequence[str]) -> list[Tokens]:
    """Return tokens of cleaned texts; if the lines do not match up, each text is sent separately."""
    lines = _ask(texts)
    width = 1 + len(_FENCE_LINES)
    fences = [lines[at + 1 : at + width] for at in range(0, len(lines), width)]
    if len(lines) == width * len(texts) and all(fence == _FENCE_LINES for fence in fences):
        return [_words(line) for line in lines[::width]]
    if len(texts) == 1:
        return [_words(" ".join(lines).removesuffix(_FENCE_LINES[-1]))]
    return [_ptb([text])[0] for text in texts]


def _words(line: str) -> Tokens:
    return tuple(sys.intern(word) for word in line.rstrip().split(" ") if word and word not in PUNCTUATION)


def _ask(texts: Sequence[str]) -> list[str]:
    """Return the tokenizer's lines for these texts and the separators after them, with one more try after a crash.

    Raises JavaDied after a second crash.
    """
    with _program.lock:
        try:
            return _exchange(texts)
        except JavaDied:
            try:
                return _exchange(texts)
            except JavaDied as error:
                raise JavaDied(f"the PTB tokenizer failed twice on {len(texts)} texts: {error}") from error


def _exchange(texts: Sequence[str]) -> list[str]:
    number = next(_numbers)
    first, last = f"zqfirst{number}zq", f"zqlast{number}zq"
    body = "".join(text + _FENCE for text in texts)
    lines: list[str] = []

    def read(next_line: Callable[[], bytes]) -> None:
        while next_line() != first.encode():
            pass
        while (line := next_line()) != last.encode():
            lines.append(line.decode("utf-8", "replace"))

    _program.ask(f"{first}\n{body}{last}\n{_PUSH}".encode(), read, SECONDS_PER_BATCH)
    return lines


def _command(jar: Path) -> list[str]:
    return ["-cp", str(jar), "edu.stanford.nlp.process.PTBTokenizer", "-preserveLines", "-lowerCase"]


_program = JavaProgram(PTB_JAR, ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"], _command)
_numbers = itertools.count()
_memory: LruCache[str, Tokens] = LruCache(REMEMBERED_CHARACTERS, lambda text, tokens: len(text) + 1)
