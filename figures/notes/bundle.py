"""Notes about numbers that came from a study bundle, for pages and for every exported file."""

from __future__ import annotations

from collections.abc import Sequence

from data.bundle.writing import NUMBERS
from figures.style.numbers import count


def came_along(keys: Sequence[str]) -> str:
    """Return a clause that counts these cache entries.

    For example, "12 numbers and the data of 2 figures came with the study bundle".
    """
    numbers = sum(key.startswith(NUMBERS) for key in keys)
    figures = len(keys) - numbers
    parts = [count(numbers, "number")] if numbers else []
    parts += [f"the data of {count(figures, 'figure')}"] if figures else []
    return f"{' and '.join(parts)} came with the study bundle"


def not_computed(keys: Sequence[str]) -> str:
    """Return a sentence that counts the numbers in a file that come from a bundle; "" without `keys`."""
    return f"Not computed for this file: {came_along(keys)}." if keys else ""
