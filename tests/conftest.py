"""Fixtures for all tests: the real data next to the checkout."""

from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
REALDATA = ROOT.parent / "shared" / "realdata"

# A busy machine is no fault of what is tested.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(scope="session")
def realdata() -> Path:
    """Folder of real caption sets, which is never part of the project; skips where it is absent."""
    if not REALDATA.is_dir():
        pytest.skip("no real data beside the checkout (../shared/realdata)")
    return REALDATA
