"""Test how shares of variance are written."""

from __future__ import annotations

import numpy as np
import pytest

from figures.unique_correct.heatmaps import share_text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0004, "< 0.1 %"),
        (0.012, "1.2 %"),
        (0.47, "47 %"),
        (0.956, "95.6 %"),
        (0.9996, "> 99.9 %"),
        (np.nan, "–"),
        (1.03, "103.0 %"),
        (-0.03, "−3.0 %"),
    ],
)
def test_a_share_never_rounds_to_nothing_or_to_all(share: float, text: str) -> None:
    assert share_text(share) == text
