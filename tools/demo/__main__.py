"""`python -m tools.demo FOLDER [SEED]`: make the demo study anew; by default the shipped one, byte for byte."""

from __future__ import annotations

import argparse
from pathlib import Path

from tools.demo import making


def main() -> None:
    """Write demo.jsonl.gz and pictures/ to a folder."""
    parser = argparse.ArgumentParser(prog="python -m tools.demo", description=__doc__)
    parser.add_argument("folder", type=Path, help="where to write demo.jsonl.gz and pictures/")
    parser.add_argument("seed", type=int, nargs="?", default=making.SEED, help="another one gives another study")
    asked = parser.parse_args()
    making.make(asked.folder, asked.seed)


main()
