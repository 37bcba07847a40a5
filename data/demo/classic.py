"""The classic study: files like those of a lab, with deliberate faults, which are read like any uploaded files."""

from __future__ import annotations

import shutil
from pathlib import Path

from data.check import Loaded
from data.demo import FOLDER, PICTURES
from data.load import load_study

CLASSIC = FOLDER / "classic"


def files() -> list[Path]:
    """Return the paths of the captions, references and ratings, and of the pictures, which the demo also uses."""
    return [*sorted(CLASSIC.iterdir()), *sorted(PICTURES.iterdir())]


def load() -> Loaded:
    """Return the study in `files()`, with the findings of the checks."""
    return load_study(files())


def write(out: Path) -> None:
    """Copy `files()` to the folder `out`; `tools/demo` generates them anew."""
    (out / PICTURES.name).mkdir(parents=True, exist_ok=True)
    for path in files():
        shutil.copyfile(path, out / path.relative_to(path.parent if path.parent == CLASSIC else FOLDER))
