"""Recipes: tables from papers, each as a TOML file in `recipes/` with the printed numbers and the commands for them."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data.matching.near_names import nearest
from data.study import DataError

FOLDER = Path(__file__).parent / "recipes"


@dataclass(frozen=True)
class Needed:
    """A file that a recipe reads: its name in the folder, its contents, and its place of publication."""

    name: str
    holds: str
    published: str


@dataclass(frozen=True)
class Row:
    """The printed numbers of one row, and the cells that identify this row in a command's table."""

    cells: tuple[str, ...]
    printed: tuple[str, ...]


@dataclass(frozen=True)
class Step:
    """One command, and the numbers that a paper printed for the table that `--out` writes.

    `by` names the columns whose cells identify a row, `where` gives additional cells that are the same in all rows, and
    `columns` names the columns with the numbers, in the order of `Row.printed`. A number is multiplied by `scale`
    before it is compared: by 100 if percentages are printed.
    """

    command: str
    by: tuple[str, ...]
    columns: tuple[str, ...]
    where: Mapping[str, str]
    scale: float
    rows: tuple[Row, ...]

    @property
    def words(self) -> list[str]:
        """The command split into shell words, without the name of the program."""
        return shlex.split(self.command)


@dataclass(frozen=True)
class Recipe:
    """A table of a paper; `source` states where its numbers were read, and `differs` how the recipe departs from it."""

    name: str
    paper: str
    table: str
    source: str
    differs: str
    files: tuple[Needed, ...]
    steps: tuple[Step, ...]

    @property
    def numbers(self) -> int:
        """The number of printed values in the recipe."""
        return sum(bool(text) for step in self.steps for row in step.rows for text in row.printed)

    def missing(self, folder: Path) -> list[Needed]:
        """Return the files that the folder lacks."""
        return [file for file in self.files if not (folder / file.name).is_file()]


def names() -> list[str]:
    """Return the names of all recipes."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def recipe(name: str) -> Recipe:
    """Return a recipe by name. Raises DataError for an unknown name or a file that is not a recipe."""
    known = names()
    if name not in known:
        near = nearest(name, known)
        hint = f"did you mean {near}?" if near else "`trilens reproduce --list` shows all"
        raise DataError(f"there is no recipe {name!r}; {hint}")
    path = FOLDER / f"{name}.toml"
    try:
        return _recipe(name, tomllib.loads(path.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, DataError) as error:
        raise DataError(f"{path.name}: {error}") from error


def _recipe(name: str, given: Mapping[str, Any]) -> Recipe:
    _only(given, ("paper", "table", "source", "files", "steps"), ("differs",), "the recipe")
    files = tuple(_needed(file, f"file {k}") for k, file in enumerate(_tables(given, "files"), 1))
    steps = tuple(_step(step, f"step {k}") for k, step in enumerate(_tables(given, "steps"), 1))
    paper, table, source = (_text(given, key, "the recipe") for key in ("paper", "table", "source"))
    differs = _text(given, "differs", "the recipe") if "differs" in given else ""
    words = {word for step in steps for word in step.words}
    if unread := [file.name for file in files if file.name not in words]:
        raise DataError(f"no command reads {', '.join(unread)}")
    return Recipe(name, paper, table, source, differs, files, steps)


def _needed(given: Mapping[str, Any], place: str) -> Needed:
    keys = ("name", "holds", "published")
    _only(given, keys, (), place)
    return Needed(*(_text(given, key, place) for key in keys))


def _step(given: Mapping[str, Any], place: str) -> Step:
    _only(given, ("command", "by", "printed"), ("columns", "where", "scale"), place)
    command, by = _text(given, "command", place), _texts(given["by"], f"`by` of {place}")
    columns = _texts(given.get("columns", ["value"]), f"`columns` of {place}")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise DataError(f"`command` of {place} cannot be split into words: {error}") from error
    if not words or "--out" in words:
        raise DataError(f"`command` of {place} takes the name of a command, and no --out")
    where, scale = given.get("where", {}), given.get("scale", 1)
    if not isinstance(where, dict) or not isinstance(scale, int | float) or isinstance(scale, bool):
        raise DataError(f"{place}: `where` takes cells by column, `scale` a number")
    rows = []
    for k, row in enumerate(given["printed"], 1):
        cells = _texts(row, f"row {k} of `printed` in {place}")
        if len(cells) != len(by) + len(columns):
            raise DataError(f"row {k} of `printed` in {place} has {len(cells)} cells, not {len(by) + len(columns)}")
        numbers = cells[len(by) :]
        for text in filter(None, numbers):
            decimals(text)
        rows.append(Row(cells[: len(by)], numbers))
    return Step(command, by, columns, {key: str(value) for key, value in where.items()}, float(scale), tuple(rows))


def decimals(printed: str) -> int:
    """Return the number of decimals in a printed number. Raises DataError if it is not a number."""
    whole, _, behind = printed.removeprefix("-").partition(".")
    if not (whole + behind).isdecimal() or not (whole + behind).isascii():
        raise DataError(f"{printed!r} is not a number as printed, such as 0.579, .57 or 1922")
    return len(behind)


def _only(given: Mapping[str, Any], needed: Sequence[str], further: Sequence[str], place: str) -> None:
    if unknown := [key for key in given if key not in (*needed, *further)]:
        raise DataError(f"{place} has {', '.join(unknown)}; it takes {', '.join((*needed, *further))}")
    if lacking := [key for key in needed if key not in given]:
        raise DataError(f"{place} lacks {', '.join(lacking)}")


def _text(given: Mapping[str, Any], key: str, place: str) -> str:
    value = given[key]
    if not isinstance(value, str) or not value.strip():
        raise DataError(f"`{key}` of {place} is not text")
    return value


def _texts(value: Any, place: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(one, str) for one in value):
        raise DataError(f"{place} takes a list of texts")
    return tuple(value)


def _tables(given: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    value = given[key]
    if not isinstance(value, list) or not value or not all(isinstance(one, dict) for one in value):
        raise DataError(f"the recipe has no [[{key}]]")
    return value
