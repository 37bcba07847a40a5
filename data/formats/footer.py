"""What the footer of a Parquet file says of its column chunks, read without pyarrow.

pyarrow ends the process where it makes a column chunk of forged facts: the exception of its C++ passes a function that
lets none pass. Thrift's compact protocol and the fields' numbers are those of the format's specification.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY = 6, 7
TEXTS = (BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY)
"""Physical types of texts."""
DELTA_BYTE_ARRAY = 7
"""The encoding in which each text may repeat the whole of the one before without a word."""
_DEEPEST = 32
_LIST, _SET, _MAP, _STRUCT = 9, 10, 11, 12


class Chunk(NamedTuple):
    """A column of a row group: the place of the column, its name, and what the file says of its size."""

    column: int
    path: str
    type: int
    encodings: tuple[int, ...]
    values: int
    bytes: int


def chunks(content: bytes) -> list[Chunk]:
    """Return the column chunks of all row groups. ValueError for a footer that says no such thing."""
    size = struct.unpack("<I", content[-8:-4])[0]
    if content[-4:] != b"PAR1" or not 0 < size <= len(content) - 8:
        raise ValueError("its end is no footer of Parquet")
    facts = _Reader(content[-8 - size : -8]).struct()
    try:
        return [_chunk(k, column[3], group[3]) for group in facts.get(4, []) for k, column in enumerate(group[1])]
    except (KeyError, TypeError, AttributeError):
        raise ValueError("its footer lacks what it has to say of a column") from None


def _chunk(column: int, facts: dict[int, Any], rows: int) -> Chunk:
    path = ".".join(name.decode() for name in facts[3])
    found = Chunk(column, path, int(facts[1]), tuple(facts[2]), int(facts[5]), int(facts[6]))
    # Every row has a value, be it null or an empty list.
    if not 0 <= rows <= found.values or found.bytes < 0:
        raise ValueError("its footer says fewer values than rows")
    return found


class _Reader:
    """Reads values of Thrift's compact protocol: structs as dicts by the number of the field."""

    def __init__(self, content: bytes) -> None:
        self.content, self.at = content, 0

    def struct(self, depth: int = 0) -> dict[int, Any]:
        if depth > _DEEPEST:
            raise ValueError("its footer nests too deep")
        found: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) & 15:
            number = number + (head >> 4) if head >> 4 else self._integer()
            kind = head & 15
            found[number] = kind == 1 if kind < 3 else self._value(kind, depth + 1)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (1, 2, 3):
            return self._byte()
        if 4 <= kind <= 6:
            return self._integer()
        if kind == 7:
            return self._bytes(8)
        if kind == 8:
            return self._bytes(self._varint())
        if kind in (_LIST, _SET):
            return list(self._list(depth))
        if kind == _MAP:
            return self._map(depth)
        if kind == _STRUCT:
            return self.struct(depth)
        raise ValueError(f"its footer has a value of the unknown kind {kind}")

    def _list(self, depth: int) -> Iterator[Any]:
        head = self._byte()
        size = head >> 4 if head >> 4 < 15 else self._varint()
        if depth > _DEEPEST:
            raise ValueError("its footer nests too deep")
        for _ in range(size):
            yield self._value(head & 15, depth + 1)

    def _map(self, depth: int) -> dict[int, Any]:
        size = self._varint()
        kinds = self._byte() if size else 0
        for _ in range(size):
            self._value(kinds >> 4, depth + 1)
            self._value(kinds & 15, depth + 1)
        return {}

    def _byte(self) -> int:
        if self.at >= len(self.content):
            raise ValueError("its footer ends early")
        self.at += 1
        return self.content[self.at - 1]

    def _bytes(self, size: int) -> bytes:
        if size > len(self.content) - self.at:
            raise ValueError("its footer ends early")
        self.at += size
        return self.content[self.at - size : self.at]

    def _integer(self) -> int:
        found = self._varint()
        return (found >> 1) ^ -(found & 1)

    def _varint(self) -> int:
        found, shift = 0, 0
        while (byte := self._byte()) & 128:
            found |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise ValueError("its footer has a number of more than 64 bits")
        return found | byte << shift
