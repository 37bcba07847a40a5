"""A least-recently-used cache in memory, shared by all threads."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """Values by key, up to a total size; above it the least recently used values are dropped, but never the newest.

    `size_of(key, value)` is the size of an entry in the unit of `max_size`; by default each entry counts 1.
    """

    def __init__(self, max_size: int, size_of: Callable[[K, V], int] = lambda key, value: 1) -> None:
        self.max_size = max_size
        self.size = 0
        self._size_of = size_of
        self._entries: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: K) -> V | None:
        """Return the value under a key; None if there is none."""
        return self.get_many((key,)).get(key)

    def get_many(self, keys: Iterable[K]) -> dict[K, V]:
        """Return the values of those keys that have a value."""
        with self._lock:
            found = {key: self._entries[key] for key in keys if key in self._entries}
            for key in found:
                self._entries.move_to_end(key)
        return found

    def put(self, key: K, value: V) -> None:
        """Store a value, replacing any earlier value of the key."""
        self.put_many({key: value})

    def put_many(self, entries: Mapping[K, V]) -> None:
        """Store several values, then drop the least recently used until `max_size` is kept or one value is left."""
        with self._lock:
            for key, value in entries.items():
                self._drop(key)
                self._entries[key] = value
                self.size += self._size_of(key, value)
            while self.size > self.max_size and len(self._entries) > 1:
                self._drop(next(iter(self._entries)))

    def drop(self, key: K) -> None:
        """Remove a key, if present."""
        with self._lock:
            self._drop(key)

    def clear(self) -> None:
        """Remove every entry."""
        with self._lock:
            self._entries.clear()
            self.size = 0

    def _drop(self, key: K) -> None:
        if key in self._entries:
            self.size -= self._size_of(key, self._entries.pop(key))
