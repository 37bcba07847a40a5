"""`python -m tools.demo FOLDER [SEED]`: regenerate both demo studies; with the default seed, they equal the shipped
studies byte for byte.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tools.demo import classic, making


def main() -> None:
    """Write demo.jsonl.gz, pictures/ and classic/ to a folder."""
    parser = argparse.ArgumentParser(prog="python -m tools.demo", description=__doc__)
    parser.add_argument("folder", type=Path, help="where to write demo.jsonl.gz, pictures/ and classic/")
    parser.add_argument("seed", type=int, nargs="?", default=making.SEED, help="another one gives other studies")
    asked = parser.parse_args()
    making.make(asked.folder, asked.seed)
    classic.make(asked.folder / "classic", asked.seed)


main()
