"""The build backend of the wheel (PEP 517): the top-level folders of a checkout become one package, `trilens`.

setuptools builds the wheel from a copy in which every absolute import of such a folder, say `data`, is one of
`trilens.data`, so that none of these names reaches site-packages. Only import statements are renamed: no code mentions
its own modules in strings, which a test checks. The requirements are those of `requirements*.txt`.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from setuptools import build_meta

ROOT = Path(__file__).resolve().parent
PACKAGES = ("data", "metrics", "figures", "cli", "ui", "pages")
FOLDERS = (*PACKAGES, "static", ".streamlit")
FILES = ("README.md", "LICENSE", "NOTICE", "pyproject.toml")
Config = Mapping[str, Any] | None


def build_wheel(wheel_directory: str, config_settings: Config = None, metadata_directory: str | None = None) -> str:
    """Write the wheel into a folder and return its name."""
    folder = os.path.abspath(wheel_directory)
    with _copied():
        return build_meta.build_wheel(folder, dict(config_settings or {}))


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Config = None) -> str:
    """Write the wheel's metadata into a folder and return the name of its folder."""
    folder = os.path.abspath(metadata_directory)
    with _copied():
        return build_meta.prepare_metadata_for_build_wheel(folder, dict(config_settings or {}))


def build_sdist(sdist_directory: str, config_settings: Config = None) -> str:
    """Refuse to build a source distribution, since the checkout is the source."""
    raise NotImplementedError("Trilens is built from a checkout: `pip install .`, or `make wheel`")


@contextmanager
def _copied() -> Iterator[None]:
    """Work in a temporary folder that holds the renamed source."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="trilens-wheel-") as name:
        stage(ROOT, Path(name))
        os.chdir(name)
        try:
            yield
        finally:
            os.chdir(before)


def stage(root: Path, to: Path) -> None:
    """Write what setuptools needs from the checkout `root` into the empty folder `to`."""
    package = to / "trilens"
    for folder in FOLDERS:
        ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
        shutil.copytree(root / folder, package / folder, ignore=ignored)
    shutil.copy(root / "app.py", package / "app.py")
    shutil.copy(root / "trilens.py", package / "__init__.py")
    for path in package.rglob("*.py"):
        path.write_bytes(renamed(path.read_text(encoding="utf-8"), path.name).encode())
    (package / "__main__.py").write_text("from trilens.metrics.__main__ import main\n\nmain()\n", encoding="utf-8")
    for file in FILES:
        shutil.copy(root / file, to / file)
    for name, lines in requirements(root).items():
        (to / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def renamed(source: str, name: str) -> str:
    """Return Python source with the absolute imports of PACKAGES moved below `trilens`, line by line.

    Raises ValueError for `import data.load`, which binds the name `data` and so cannot be renamed by itself.
    """
    lines = source.splitlines(keepends=True)
    for node in _statements(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and not node.level and _ours(node.module or ""):
            old, new = f"from {node.module} ", f"from trilens.{node.module} "
        elif isinstance(node, ast.Import) and any(_ours(alias.name) for alias in node.names):
            old, new = ast.unparse(node), _import_renamed(node, name)
        else:
            continue
        line, at = lines[node.lineno - 1], node.col_offset
        if line[at : at + len(old)] != old:
            raise ValueError(f"{name}, line {node.lineno}: write this import as `{old}..`, on one line")
        lines[node.lineno - 1] = f"{line[:at]}{new}{line[at + len(old) :]}"
    return "".join(lines)


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements, which alone can import, without the expressions in them."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for inner in getattr(node, part, ()):
            yield inner
            yield from _statements(inner)


def _import_renamed(node: ast.Import, name: str) -> str:
    alias = node.names[0]
    if len(node.names) == 1 and alias.asname:
        return f"import trilens.{alias.name} as {alias.asname}"
    if len(node.names) == 1 and "." not in alias.name:
        return f"from trilens import {alias.name}"
    raise ValueError(f"{name}, line {node.lineno}: `{ast.unparse(node)}` cannot be renamed: write `from .. import ..`")


def _ours(module: str) -> bool:
    return module.split(".")[0] in PACKAGES


def requirements(root: Path) -> dict[str, list[str]]:
    """Return the pinned requirements of the program and of each extra, by the extra's name.

    `[tool.trilens.extras]` in pyproject.toml names, for each extra, requirements in requirements.txt or other files of
    requirements.
    """
    told = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["trilens"]["extras"]
    pins = {re.split(r"[=\[]", line)[0]: line for line in _pins(root / "requirements.txt")}
    optional = {name for names in told.values() for name in names if name in pins}
    found = {"requirements": [line for name, line in pins.items() if name not in optional]}
    for extra, names in told.items():
        parts = ([pins[name]] if name in pins else _pins(root / name) for name in names)
        found[f"requirements-{extra}"] = [line for part in parts for line in part]
    return found


def _pins(file: Path) -> list[str]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith(("#", "-r "))]
