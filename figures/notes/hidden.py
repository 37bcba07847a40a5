"""How many runs somebody has hidden, in words."""

from __future__ import annotations


def hidden_runs(hidden: int, runs: int) -> str:
    """Return how many of all runs are hidden, without a full stop."""
    return f"{hidden:,} of {runs:,} runs {'is' if hidden == 1 else 'are'} hidden"
