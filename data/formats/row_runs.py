"""The run of each row of a table: its name, settings and model."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from data.findings import clip
from data.formats.names import NAMES_OF_MODELS, NAMES_OF_RUNS, known_run
from data.formats.stated import ColumnRoles
from data.records import Source
from data.settings import SETTING_NAMES, stated

_DECIMAL_COMMA = re.compile(r"\s*\d+,\d+\s*")


def run_of(
    source: Source,
    cell: Any,
    roles: ColumnRoles,
    header: list[str],
    stated: dict[str, dict[str, Any]],
    name: str = "",
) -> str:
    """Return the name of the run of a row, or of the file, and add the facts about it in the row to `stated`.

    A column that is a run of its own passes its `name`.
    """
    run, settings, model = _parts_of_run(source, cell, roles, header, name)
    if run not in stated:
        known = {key: value for key, value in settings.items() if key in SETTING_NAMES}
        stated[run] = {**known, **({"model": model} if model else {})}
    return run


def place_of_run(where: str, cell: Callable[[int], Any], roles: ColumnRoles, header: list[str]) -> str:
    """Return the place of a row, with the column that names its run, if any."""
    column = next((header[i] for i in roles.runs if cell(i) not in (None, "")), None)
    return where if column is None else f"{where}, column {clip(column)}"


def run_name(source: Source, cell: Callable[[int], Any], roles: ColumnRoles, header: list[str]) -> str | None:
    """Return the name of the run of a row; None if its cells are empty."""
    if all(cell(i) in (None, "") for i in roles.runs):
        return None
    return _parts_of_run(source, cell, roles, header)[0]


def _parts_of_run(
    source: Source, cell: Callable[[int], Any], roles: ColumnRoles, header: list[str], name: str = ""
) -> tuple[str, dict[str, Any], str | None]:
    """The name, settings and model of the run of a row."""
    names = {known_run(header[i]): str(cell(i)) for i in roles.runs if cell(i) not in (None, "")}
    settings = {key: _number(cell(i)) for key, i in roles.settings.items() if cell(i) not in (None, "")}
    model = next((names[key] for key in NAMES_OF_MODELS if key in names), None)
    run = next((names[key] for key in NAMES_OF_RUNS if key in names), None)
    model = model or next((value for key, value in names.items() if key not in NAMES_OF_RUNS), None)
    if run is None:
        start = model or name or source.run
        told = {key: value for key, value in settings.items() if model or key not in roles.constant}
        told = told and {key: value for key, value in told.items() if getattr(stated(start), key, None) != value}
        run = "@".join([start, *(f"{key}={value}" for key, value in told.items())])
    return source.run_name(run) or source.run, settings, model


def _number(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return float(value.replace(",", ".") if _DECIMAL_COMMA.fullmatch(value) else value)
    except ValueError:
        return value
