"""Check that the shipped demo equals, byte for byte, what is built from its scenes, grammar and pictures."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.demo import FOLDER
from tools.demo import making


@pytest.mark.prove
def test_the_whole_build_gives_the_shipped_bytes(tmp_path: Path) -> None:
    making.make(tmp_path)
    made = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(made) == 49
    for path in made:
        assert path.read_bytes() == (FOLDER / path.relative_to(tmp_path)).read_bytes(), path.name
