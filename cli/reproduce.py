"""`trilens reproduce`: printed tables of papers beside the numbers that other commands give for the same files."""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import output
from cli.table_output import check_out, give_table, print_table
from data import paper_recipe as recipes
from data.paper_recipe import Recipe, Step
from data.study import DataError

if TYPE_CHECKING:
    import pandas as pd

SHOWN = ("recipe", "row", "column", "printed", "recomputed", "difference", "mark")


def reproduce(
    context: typer.Context,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Recipes; by default those whose files are there.")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="Folder with the published files.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the table: .csv, .parquet or .json.")] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="List all recipes with their tables, files and sources.")
    ] = False,
) -> None:
    """Recompute the numbers that papers printed, from their published files; mark those that would be printed
    differently.

    Each recipe states which command gives its numbers. Exit status: 0 if all numbers were computed, whether they agree
    or not; 1 if some were not; 2 for an unknown recipe or a missing file.
    """
    if listed:
        _list()
        return
    check_out(out, [])
    asked = [_recipe(name) for name in dict.fromkeys(names or [])]
    if data is None or not data.is_dir():
        output.fail(f"{data}: there is no such folder" if data else "name the folder with the files: --data FOLDER")
    assert data is not None
    import pandas as pd

    from metrics.analysis import reproduced

    chosen = _with_files(asked, data) if asked else _possible(data)
    table = pd.concat([_compared(context, one, step, data) for one in chosen for step in one.steps], ignore_index=True)
    give_table(table, SHOWN, out, "recomputed")
    for one in chosen:
        own = table[table.recipe == one.name]
        print(f"{one.name}: {reproduced.summary(own)} {one.differs}".rstrip(), file=sys.stderr)
    if (table.mark == reproduced.ABSENT).any():
        raise typer.Exit(1)


def _list() -> None:
    import pandas as pd

    rows = [
        (one.name, one.paper, one.table, one.numbers, file.name, file.holds, file.published, one.source, one.differs)
        for one in map(_recipe, recipes.names())
        for file in one.files
    ]
    columns = ["recipe", "paper", "table", "numbers", "file", "holds", "published", "source", "differs"]
    print_table(pd.DataFrame(rows, columns=columns), columns[:5])


def _recipe(name: str) -> Recipe:
    try:
        return recipes.recipe(name)
    except DataError as error:
        return output.fail(str(error))


def _with_files(chosen: list[Recipe], folder: Path) -> list[Recipe]:
    lacking = [text for one in chosen for text in _lacking(one, folder)]
    if lacking:
        output.fail("\n".join(lacking))
    return chosen


def _possible(folder: Path) -> list[Recipe]:
    """Return the recipes whose files all exist, after a message about the others' missing files.

    Exit with status 2 if there are none.
    """
    every = [_recipe(name) for name in recipes.names()]
    for one in every:
        if lacking := one.missing(folder):
            more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
            lost = f"{lacking[0].name}{more} {'are' if more else 'is'} missing"
            output.warn(f"left out: {one.name}: {lost}; `reproduce {one.name}` says where to get what it reads")
    return [one for one in every if not one.missing(folder)] or output.fail(f"{folder}: no recipe has its files there")


def _lacking(one: Recipe, folder: Path) -> list[str]:
    return [
        f"{one.name}: {folder / file.name} is missing ({file.holds}). It is published at {file.published}"
        for file in one.missing(folder)
    ]


def _compared(context: typer.Context, one: Recipe, step: Step, folder: Path) -> pd.DataFrame:
    """Return the numbers of a step beside the printed ones; exit if its command gives no table that can be compared."""
    import pandas as pd

    from metrics.analysis.reproduced import compare

    paths = {file.name: str(folder / file.name) for file in one.files}
    with tempfile.TemporaryDirectory(prefix="trilens-") as made:
        written = Path(made) / "table.csv"
        words = [paths.get(word, word) for word in step.words]
        print(f"{one.name}: trilens {step.command}", file=sys.stderr)
        status = _run(context.find_root().command, [*words, "--out", str(written)])
        if not written.is_file():
            output.warn(f"{one.name}: `trilens {step.command}` gave no table")
            raise typer.Exit(status or 1)
        try:
            return compare(one, step, pd.read_csv(written, dtype=str, keep_default_na=False))
        except DataError as error:
            return output.fail(str(error))


def _run(program: Any, words: list[str]) -> int:
    with contextlib.redirect_stdout(io.StringIO()):
        return int(program.main(args=words, prog_name="trilens", standalone_mode=False) or 0)
