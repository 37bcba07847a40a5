"""Run a short form of `tests/prove/test_levels.py` on few items, for which learning only from references is most
biased.
"""

from __future__ import annotations

from tests.levels import by_grammar, most, rejected


def test_halves_of_one_source_are_not_told_apart_by_what_was_learned() -> None:
    """With a vocabulary from references only, 13 and 12 % of these runs were rejected at the 5 % level."""
    repeats = 200
    found = rejected(by_grammar(), ["trm_bow", "mmd_bow", "trm_cider_d", "cider_d"], (2, 6, 6), repeats)
    assert {name: runs for name, (runs, _) in found.items() if runs > most(repeats)} == {}
