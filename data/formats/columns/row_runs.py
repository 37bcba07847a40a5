"""The run of each row of a table: its name, settings and model."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from data.fields.names import NAMES_OF_MODELS, NAMES_OF_RUNS, STATE_PEOPLE, known_run, norm
from data.files.printed_lists import is_true
from data.findings import clip
from data.formats.columns.assigned_roles import ColumnRoles
from data.formats.columns.contents import cell_of, repeats, tells_apart, values
from data.records import Source, as_id
from data.run_settings import SETTING_NAMES, given, names_settings, stated

_DECIMAL_COMMA = re.compile(r"\s*\d+,\d+\s*")


_SAMPLED = {"seed", "random_seed"}
"""Settings that may differ between the captions of one run."""


def with_settings(
    rows: Iterator[tuple[str, Sequence[Any]]], header: Sequence[str], roles: ColumnRoles
) -> Iterator[tuple[str, Sequence[Any]]]:
    """Return the rows; add to `roles` the settings that never change, the settings that distinguish runs of one name,
    and the column that states whether people wrote the captions, unless it states a fact about each item.

    Nested settings that never change are not part of the names of runs. Seeds of single requests, or of single captions
    of one run, are removed.
    """
    free = {*range(len(header))} - roles.used() - roles.set_aside
    if (people := next((k for k in sorted(free) if norm(header[k]) in STATE_PEOPLE), -1)) >= 0:
        rows = iter(kept := list(rows))
        below = [row for _, row in kept]
        of_items = roles.id >= 0 and repeats(below, roles.id) and not tells_apart(below, [roles.id], [people])
        roles.people = -1 if of_items else people
    nested = {key: k for key, k in roles.settings.items() if "." in header[k] or key not in SETTING_NAMES}
    named = any(known_run(header[k]) in NAMES_OF_RUNS for k in roles.runs)
    seeds = _SAMPLED & roles.settings.keys()
    if not nested and not seeds and not (named and roles.settings and roles.id >= 0):
        return rows
    found = list(rows)
    below = [row for _, row in found]
    roles.constant = {key for key, k in nested.items() if len({str(cell_of(row, k)) for row in below}) == 1}
    roles.varied = varied(below, header, roles, roles.id) if roles.id >= 0 else set()
    for seed, place in [(key, roles.settings[key]) for key in seeds]:
        several = named and roles.id >= 0 and tells_apart(below, [roles.id, *roles.runs], [place])
        if several or _of_requests(below, roles.id, place):
            del roles.settings[seed]  # the run has no seed of its own
    return iter(found)


def varied(rows: Sequence[Sequence[Any]], header: Sequence[str], roles: ColumnRoles, id: int) -> set[str]:
    """Return the settings, other than seeds, with several values for one item under the same run name.

    If `id` is -1, all rows count as one item. The result is empty unless a column names the run.
    """
    if not any(known_run(header[k]) in NAMES_OF_RUNS for k in roles.runs):
        return set()
    same = [k for k in (id, *roles.runs) if k >= 0]
    return {key for key, k in roles.settings.items() if key not in _SAMPLED and tells_apart(rows, same, [k])}


def _of_requests(rows: Sequence[Sequence[Any]], id: int, place: int) -> bool:
    """Return whether each seed occurs with only one of several items, so that each request had a seed of its own.

    If `id` is -1, each row is an item.
    """
    pairs = {(str(cell_of(row, place)), str(cell_of(row, id)) if id >= 0 else str(k)) for k, row in enumerate(rows)}
    return len({seed for seed, _ in pairs}) == len(pairs) and len({item for _, item in pairs}) > 1


def named_by_cells(
    header: Sequence[str], rows: Sequence[Sequence[Any]], used: Collection[int], runs: frozenset[str]
) -> tuple[list[str], list[int]]:
    """Return the header, with the column that names the other files' `runs` renamed `run`, and that column; [] if none.

    It is the only column without a role whose cells are all among these names.
    """
    told = {k: {as_id(cell) for cell in values(rows, k)} for k in range(len(header)) if runs and k not in used}
    named = [k for k, cells in told.items() if cells and cells <= runs]
    if len(named) != 1:
        return list(header), []
    return [NAMES_OF_RUNS[0] if k == named[0] else name for k, name in enumerate(header)], named


def item_of(row: Sequence[Any], count: int, roles: ColumnRoles) -> str | None:
    """Return the id of the item in row `count`; None for an invalid id.

    Without a column of items, it is the number of the row's text in `roles.told`, the only item's id, or `count`.
    """
    if roles.told_by >= 0:  # rows with the same text in that column are one item
        return str(roles.told.get(str(cell_of(row, roles.told_by)), as_id(cell_of(row, roles.id)) or count))
    return as_id(cell_of(row, roles.id)) if roles.id >= 0 else roles.id_of_row(count)


def run_of(
    source: Source,
    cell: Any,
    roles: ColumnRoles,
    header: Sequence[str],
    stated: dict[str, dict[str, Any]],
    name: str = "",
) -> str:
    """Return the name of a row's run, or of the file's if the row names none, and add the row's facts about it to
    `stated`.

    `name` is the name of the run if a column contains only one run.
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
    """Return the name of the run of a row; None if the cells that name it are empty."""
    if all(cell(i) in (None, "") for i in roles.runs):
        return None
    return _parts_of_run(source, cell, roles, header)[0]


def _parts_of_run(
    source: Source, cell: Callable[[int], Any], roles: ColumnRoles, header: Sequence[str], name: str = ""
) -> tuple[str, dict[str, Any], str | None]:
    names = tuple((known_run(header[i]), str(cell(i))) for i in roles.runs if cell(i) not in (None, ""))
    if roles.people >= 0 and is_true(cell(roles.people)):
        names = ((NAMES_OF_RUNS[0], "human"),)
    told = tuple((key, type(cell(i)), cell(i)) for key, i in roles.settings.items() if cell(i) not in (None, ""))
    of_roles = frozenset(roles.varied), frozenset(roles.constant), tuple(roles.named.values())
    made = _made if all(isinstance(of[2], Hashable) for of in told) else _made.__wrapped__
    run, settings, model = made(names, told, name, source.run, *of_roles)
    return source.run_name(run) or source.run, settings, model


@lru_cache(maxsize=2_000)
def _made(
    cells: tuple[tuple[str, str], ...],
    settings_told: tuple[tuple[str, type, Any], ...],
    name: str,
    of_file: str,
    varied: frozenset[str],
    constant: frozenset[str],
    named: tuple[str, ...],
) -> tuple[str, dict[str, Any], str | None]:
    """Return a row's run, its settings and its model (or None), from the row's cells and facts about all rows."""
    names = dict(cells)
    told = {key: _values(key, cell) for key, _, cell in settings_told}
    settings = {of: one for values in told.values() for of, one in values.items()}
    tells = {of for key, values in told.items() if key in varied for of in values}
    model = next((names[key] for key in NAMES_OF_MODELS if key in names), None)
    run = next((names[key] for key in NAMES_OF_RUNS if key in names), None)
    model = model or next((value for key, value in names.items() if key not in NAMES_OF_RUNS), None)
    unknown = model if model not in map(names.get, NAMES_OF_MODELS) else None
    only = given(stated(name or unknown or ""))
    if names_settings(name or unknown or "") and (unknown or only.keys() != {"decoder"} or _are_settings(named)):
        # In a file of one model, `T=0.7` is not the name of another model.
        model, name, settings = None if unknown else model, "", {**only, **settings}
    if run is not None:
        run = "@".join([run, *_named({key: value for key, value in settings.items() if key in tells})])
    else:
        start = model or name or of_file
        said = {key: value for key, value in settings.items() if model or key not in constant}
        said = said and {key: value for key, value in said.items() if getattr(stated(start), key, None) != value}
        run = "@".join([start, *_named(said)])
    return run, settings, model


def _are_settings(named: Sequence[str]) -> bool:
    """Return whether all column names state settings, and some state more than a decoder (its name may be a
    model's).
    """
    return all(map(names_settings, named)) and any(given(stated(one)).keys() != {"decoder"} for one in named)


def _named(settings: Mapping[str, Any]) -> list[str]:
    """Return settings as parts of a run's name, without a decoder that other settings imply.

    For example, top_p and a nucleus decoder give `nucleus=0.9`.
    """
    decoder = str(settings.get("decoder", ""))
    parts = {key: f"{key}={value}" for key, value in settings.items() if key != "decoder"}
    implied = stated("@".join(["", *parts.values()])).decoder
    if implied is None or implied != stated(f"decoder={decoder}").decoder:
        return [f"{key}={value}" for key, value in settings.items()]
    if decoder.casefold().startswith("nucleus") and "top_p" in parts:
        parts["top_p"] = f"nucleus={settings['top_p']}"
    return list(parts.values())


def _values(key: str, cell: Any) -> dict[str, Any]:
    """Return the settings in a cell; a decoder or unknown setting may be written as in names: `greedy`, `T=0.7`."""
    if (key == "decoder" or key not in SETTING_NAMES) and isinstance(cell, str) and names_settings(cell):
        return given(stated(cell))
    return {key: _value(key, cell) if key in SETTING_NAMES else cell}


def _value(key: str, cell: Any) -> Any:
    """Return the value of a setting in a cell such as 0.7, `0,7` or `T=0.7`, or the cell if it has none."""
    if not isinstance(cell, str):
        return cell
    try:
        number = float(cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell) else cell)
        return int(number) if key in ("top_k", "seed") and number.is_integer() else number
    except ValueError:
        return getattr(stated(cell), key) if names_settings(cell) and getattr(stated(cell), key) is not None else cell
