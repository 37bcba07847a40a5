"""Collect the measurements of the experiments, and write them as tables at the end of `make prove`."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.prove.tables import markdown

ROWS = pytest.StashKey[Path]()


@dataclass(frozen=True)
class Proof:
    path: Path

    def row(self, table: str, **cells: object) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"table": table, **cells}, default=float) + "\n")


def pytest_configure(config: pytest.Config) -> None:
    if rows := getattr(config, "workerinput", {}).get("proof_rows"):
        config.stash[ROWS] = Path(rows)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    node.workerinput["proof_rows"] = str(_folder(node.config))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the tables to the file that `TRILENS_PROOF` names, if it is set."""
    config = session.config
    out = os.environ.get("TRILENS_PROOF")
    if out and not hasattr(config, "workerinput") and ROWS in config.stash:
        Path(out).write_text(markdown(_rows(config.stash[ROWS])), encoding="utf-8")


@pytest.fixture(scope="session")
def proof(request: pytest.FixtureRequest) -> Proof:
    return Proof(_folder(request.config) / f"rows-{os.getpid()}.jsonl")


def _folder(config: pytest.Config) -> Path:
    if ROWS not in config.stash:
        import tempfile

        config.stash[ROWS] = Path(tempfile.mkdtemp(prefix="trilens-proof-"))
    return config.stash[ROWS]


def _rows(folder: Path) -> list[dict[str, Any]]:
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    return [json.loads(line) for line in lines]
