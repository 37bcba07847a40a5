"""What is kept in memory: a bounded number of values, those used last."""

from __future__ import annotations

from metrics.cache.memory import Kept


def test_the_least_recently_used_is_given_up() -> None:
    kept: Kept[str, int] = Kept(2)
    kept.put("a", 1)
    kept.put("b", 2)
    assert kept.get("a") == 1
    kept.put("c", 3)
    assert [kept.get(key) for key in "abc"] == [1, None, 3]
    kept.put("a", 4)
    kept.put("d", 5)
    assert [kept.get(key) for key in "acd"] == [4, None, 5], "what is put again counts as used"
