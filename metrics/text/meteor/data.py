"""The English data files of METEOR 1.5 in the pycocoevalcap wheel."""

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

# Endings of words and the endings of their base forms, in the order in which they are tried.
SUFFIXES = (
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"),
    ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""), ("er", ""), ("est", ""), ("er", "e"),
    ("est", "e"),
)  # fmt: skip


def missing() -> str | None:
    """Return what must be installed for METEOR; None if nothing is missing."""
    return None if jar_path(*METEOR_JAR) and jar_path(*PARAPHRASES) else JARS_NEEDED


def paths() -> tuple[Path, Path]:
    """Return the jar and the table of paraphrases. Raises JavaMissing, with what to install."""
    jar, paraphrases = jar_path(*METEOR_JAR), jar_path(*PARAPHRASES)
    if jar is None or paraphrases is None:
        raise JavaMissing(JARS_NEEDED)
    return jar, paraphrases


@cache
def function_words() -> frozenset[str]:
    """Return the English function words of METEOR."""
    return frozenset(_lines("function/english.words"))


@cache
def prefixes() -> dict[str, Prefix]:
    """Return the words after which a dot ends no sentence, and whether this holds always or only before a number."""
    found: dict[str, Prefix] = {}
    for line in _lines("nonbreaking/english.prefixes"):
        match line.split():
            case [prefix, *rest] if not prefix.startswith("#"):
                found[prefix] = "before a number" if rest[:1] == ["#NUMERIC_ONLY#"] else "any"
    return found


def synsets() -> dict[str, frozenset[int]]:
    """Return the sets of synonyms that contain each word."""
    return {word: frozenset(map(int, line.split())) for word, line in _entries("synonym/english.synsets")}


def bases() -> dict[str, list[str]]:
    """Return the base forms of each irregular word."""
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
