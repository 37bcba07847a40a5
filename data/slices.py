"""Slices: named subsets of a study's items, and their encoding as text for URLs."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from data.study import Study, digest

LONGEST_NAME, MOST_SLICES, LONGEST_TEXT = 60, 50, 1 << 16
_CHECK = 8


def only_slice(study: Study, name: str, items: Collection[str]) -> Study:
    """Return the study restricted to these items, with its own name and digest.

    Data about all items together is dropped: imported scores of whole runs, and ratings of systems. Metrics based on
    document frequencies in the references count them in these items only.
    """
    keep = set(items)
    part = study.only(items=keep)
    return replace(
        part,
        name=f"{study.name}: {name}",
        scores=tuple(one for one in study.scores if one.grain != "run"),
        preferences=tuple(one for one in study.preferences if one.item in keep),
        systems=(),
        answers=tuple(one for one in study.answers if one.item in keep),
    )


def encode(study: Study, items: Collection[str]) -> str:
    """Encode items of the study as a text of letters, digits, "-" and "_"."""
    keep = set(items)
    bits = np.packbits([item.id in keep for item in study.items])
    return _check(study) + base64.urlsafe_b64encode(zlib.compress(bits.tobytes(), 9)).decode().rstrip("=")


def decode(study: Study, text: str) -> tuple[str, ...] | None:
    """Return the ids of the encoded items; None if there are none or if the text is damaged or of another study."""
    check, packed = text[:_CHECK], text[_CHECK:]
    size = -(-len(study.items) // 8)
    if check != _check(study):
        return None
    try:
        raw = base64.b64decode(packed + "=" * (-len(packed) % 4), altchars=b"-_", validate=True)
        bits = zlib.decompressobj().decompress(raw, size + 1)
    except (binascii.Error, ValueError, zlib.error):
        return None
    if len(bits) != size:
        return None
    inside = np.unpackbits(np.frombuffer(bits, dtype=np.uint8))[: len(study.items)]
    found = tuple(item.id for item, one in zip(study.items, inside.tolist()) if one)
    return found or None


def of_bundle(said: object) -> dict[str, str]:
    """Return the slices that a bundle lists, as encoded items by name; invalid slices are dropped."""
    known = list(said.items())[:MOST_SLICES] if isinstance(said, dict) else []
    return {
        name: text
        for name, text in known
        if isinstance(text, str) and len(text) <= LONGEST_TEXT and 0 < len(name) <= LONGEST_NAME
    }


def of_study(study: Study, some: Mapping[str, str]) -> dict[str, str]:
    """Return those of some slices, by name, that have items of this study."""
    return {name: text for name, text in some.items() if decode(study, text) is not None}


def _check(study: Study) -> str:
    return digest([item.id for item in study.items])[:_CHECK]
