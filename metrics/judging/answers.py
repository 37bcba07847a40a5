"""A judge's replies in the cache, keyed by everything that determines them, so that no question is sent twice."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.cache.disk import Cache, array_texts, entry_key, text_array
from metrics.judging.endpoint import Endpoint, Reply

KIND = "answers"


def key(endpoint: Endpoint, prompt: str, repeat: int) -> str:
    """Return the cache key of the reply to a full prompt; the server's address is not part of it."""
    return entry_key(KIND, prompt, endpoint.model, endpoint.parameters, repeat)


def kept(cache: Cache, key: str) -> Reply | None:
    """Return the reply under a key; None if there is none."""
    return cache.read(key, _reply)


def keep(cache: Cache, key: str, reply: Reply) -> None:
    """Store a reply."""
    *texts, tokens_in, tokens_out = astuple(reply)
    cache.put(
        key,
        {"texts": text_array([one.replace("\0", "") for one in texts]), "tokens": np.array([tokens_in, tokens_out])},
    )


def _reply(arrays: dict[str, NDArray[Any]]) -> Reply:
    """Return the reply in an entry. Raises ValueError, KeyError or TypeError for other arrays."""
    text, finish, refusal, fingerprint = array_texts(arrays["texts"], 4)
    tokens_in, tokens_out = map(int, arrays["tokens"])
    return Reply(text, finish, refusal, fingerprint, tokens_in, tokens_out)
