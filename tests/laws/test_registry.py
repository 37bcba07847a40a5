"""Test that every registered metric obeys every law; `-k trm_bert` selects one metric, `-k order` one law."""

from __future__ import annotations

import pytest

from metrics import laws
from tests.second_route.registry import EVERY


@pytest.mark.parametrize("law", laws.LAWS)
@pytest.mark.parametrize("name", EVERY)
def test_registered_metrics_keep_the_laws(name: str, law: str) -> None:
    broken = laws.broken(laws.LAWS[law], EVERY[name])
    assert not broken, "\n".join(broken)
