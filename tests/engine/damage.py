"""Damage files at random, as faulty disks, interrupted transfers and people do."""

from __future__ import annotations

from random import Random


def damaged(raw: bytes, source: Random, other: bytes = b"") -> bytes:
    """Return the bytes with one random fault: bits flipped, cut off, a part zeroed, bytes added or removed, or all
    replaced.

    In the last case, `other` is returned or, if it is empty, the bytes with their two ends exchanged.
    """
    place, length = source.randrange(len(raw)), source.randint(1, 64)
    choice = source.randrange(8)
    if choice <= 2:
        found = bytearray(raw)
        for _ in range(1 if choice else length):
            found[source.randrange(len(raw))] ^= 1 << source.randrange(8)
        return bytes(found)
    if choice == 3:
        return raw[:place]
    if choice == 4:
        return raw[:place] + bytes(min(length, len(raw) - place)) + raw[place + length :]
    if choice == 5:
        return raw + source.randbytes(length)
    if choice == 6:
        return raw[:place] + raw[place + length :]
    return other or raw[place:] + raw[:place]
