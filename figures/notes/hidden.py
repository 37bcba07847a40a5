"""Notices about runs that somebody has hidden."""

from __future__ import annotations

from collections.abc import Sequence

from figures.style.wording import names_in_a_row


def hidden_runs(hidden: int, runs: int) -> str:
    """Return how many of all runs are hidden, as an unpunctuated notice."""
    return f"{hidden:,} of {runs:,} runs {'is' if hidden == 1 else 'are'} hidden"


def linked(names: Sequence[str]) -> str:
    """Return an unpunctuated notice that a link names these hidden runs."""
    return f"This link names {names_in_a_row(names, 4)}, which {'is' if len(names) == 1 else 'are'} not shown"
