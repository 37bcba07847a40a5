"""The English data files of METEOR 1.5, as the pycocoevalcap wheel carries them."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal

from metrics.text.java import JARS_NEEDED, JavaMissing, jar_path

METEOR_JAR = ("meteor", "meteor-1.5.jar")
PARAPHRASES = ("meteor", "data", "paraphrase-en.gz")
Prefix = Literal["any", "before a number"]

# What a word may end in, and what its base ends in instead, in the order in which they are tried.
SUFFIXES = (
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"),
    ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""), ("er", ""), ("est", ""), ("er", "e"),
    ("est", "e"),
)  # fmt: skip


def missing() -> str | None:
    """What has to be installed for METEOR, or None."""
    return None if jar_path(*METEOR_JAR) and jar_path(*PARAPHRASES) else JARS_NEEDED


def paths() -> tuple[Path, Path]:
    """The jar and the table of paraphrases. Raises JavaMissing, saying what to install."""
    jar, paraphrases = jar_path(*METEOR_JAR), jar_path(*PARAPHRASES)
    if jar is None or paraphrases is None:
        raise JavaMissing(JARS_NEEDED)
    return jar, paraphrases


@cache
def function_words() -> frozenset[str]:
    """Words that count as function words."""
    return frozenset(_lines("function/english.words"))


@cache
def prefixes() -> dict[str, Prefix]:
    """What may stand before a dot that ends no sentence: always, or only before a number."""
    found: dict[str, Prefix] = {}
    for line in _lines("nonbreaking/english.prefixes"):
        match line.split():
            case [prefix, *rest] if not prefix.startswith("#"):
                found[prefix] = "before a number" if rest[:1] == ["#NUMERIC_ONLY#"] else "any"
    return found


def synsets() -> dict[str, frozenset[int]]:
    """The sets of synonyms that each word belongs to."""
    return {word: frozenset(map(int, line.split())) for word, line in _entries("synonym/english.synsets")}


def bases() -> dict[str, list[str]]:
    """The base forms of irregular words."""
    found: dict[str, list[str]] = {}
    for base, line in _entries("synonym/english.exceptions"):
        for word in line.split():
            found.setdefault(word, []).append(base)
    return found


def _entries(name: str) -> Iterator[tuple[str, str]]:
    lines = _lines(name)
    return zip(lines[::2], lines[1::2])


def _lines(name: str) -> list[str]:
    with zipfile.ZipFile(paths()[0]) as jar:
        return jar.read(name).decode("utf-8").split("\n")[:-1]
