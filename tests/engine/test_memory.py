"""Test that the cache in memory keeps to its size by evicting the least recently used entries."""

from __future__ import annotations

from metrics.cache.memory import LruCache


def test_the_least_recently_used_is_dropped() -> None:
    cache: LruCache[str, int] = LruCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]
    cache.put("a", 4)
    cache.put("d", 5)
    assert [cache.get(key) for key in "acd"] == [4, None, 5], "a value that is stored again counts as used"


def test_the_size_is_that_of_the_entries_and_bounded() -> None:
    cache: LruCache[str, str] = LruCache(100, lambda key, value: len(value))
    for k in range(50):
        cache.put(f"{k}", "x" * 10)
        assert cache.size == min(10 * (k + 1), 100)
    assert cache.get_many([f"{k}" for k in range(50)]).keys() == {f"{k}" for k in range(40, 50)}
    cache.put("49", "y")
    assert cache.size == 91, "what is replaced counts no more"
    cache.drop("49")
    assert (cache.get("49"), cache.size, len(cache)) == (None, 90, 9)


def test_one_entry_larger_than_everything_stays_until_the_next() -> None:
    cache: LruCache[str, str] = LruCache(10, lambda key, value: len(value))
    cache.put("small", "x")
    cache.put("large", "x" * 50)
    assert (cache.get("small"), cache.size) == (None, 50)
    cache.put("next", "x")
    assert (cache.get("large"), cache.size) == (None, 1)
