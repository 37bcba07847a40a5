"""The options of all commands that read files: `--cluster FIELD`, `--map ROLE=FIELD` and `--repair NAME`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar
from typing import Annotated, Any

import typer

from cli.output import fail
from data import mapped
from data.check import clustered, repair_files
from data.load import Loaded
from data.records import Columns
from data.study import DataError

FIELD: ContextVar[str | None] = ContextVar("FIELD", default=None)
"""The field named in `--cluster`; None for the clusters that the files state."""
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="FIELD",
        help="Field of the items, such as video, whose equal values make them one cluster in intervals and tests; "
        "none: every item stands alone.",
    ),
]

MAPPED: ContextVar[Columns | None] = ContextVar("MAPPED", default=None)
"""The fields to which `--map` assigned roles."""
Map = Annotated[
    str | None,
    typer.Option(
        "--map",
        metavar="ROLE=FIELD,..",
        help="Which fields of the records are what: id=doc_id,candidates=filtered_resps,references=target,run=model; "
        "nested ones by path, columns without a name by number, several joined by +, names with a comma or a plus in "
        "quotation marks; setting=FIELD distinguishes runs, metadata=FIELD describes items, score=FIELD has the scores "
        "of a metric, rating=FIELD ratings by people, rater=FIELD names who gave them, ignore=FIELD is not read; "
        "several fields of id are its parts. It applies to every file that has all of them.",
    ),
]

REPAIRED: ContextVar[tuple[str, ...]] = ContextVar("REPAIRED", default=())
"""The repairs named in `--repair`; a minus before a name takes the repair back."""
Repairs = Annotated[
    str | None,
    typer.Option(
        "--repair",
        metavar="NAME,..",
        help="Repairs to make, as `check` names them, such as drop_thoughts,drop_tokens; -NAME takes back one that is "
        "made by default, such as -match_ids.",
    ),
]


def with_cluster(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return the command with the options `--cluster`, `--map` and `--repair`, applied to every study that it reads."""

    @functools.wraps(command)
    def run(
        *args: Any, cluster: str | None = None, mapped: str | None = None, repair: str | None = None, **kwargs: Any
    ) -> Any:
        FIELD.set(cluster)
        MAPPED.set(columns_of(mapped or ""))
        REPAIRED.set(tuple(name.strip() for name in (repair or "").split(",") if name.strip()))
        return command(*args, **kwargs)

    known = inspect.signature(command, eval_str=True)
    added = {"cluster": Cluster, "mapped": Map, "repair": Repairs}
    options = [
        inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=a) for n, a in added.items()
    ]
    run.__signature__ = known.replace(parameters=[*known.parameters.values(), *options])  # type: ignore[attr-defined]
    run.__annotations__ = {**inspect.get_annotations(command, eval_str=True), **added}
    return run


def columns_of(given: str) -> Columns:
    """Parse the fields of each role, as in "id=doc_id,candidates=a+b".

    Exit with status 2 for text that is not valid.
    """
    try:
        return mapped.columns_of(given)
    except DataError as error:
        return fail(f"--map {error}")


def in_clusters(loaded: Loaded) -> Loaded:
    """Return the loaded study with the clusters and repairs that the options name; `-NAME` takes a repair back.

    Exit with status 2 for an unknown repair, or a field whose values no two items share.
    """
    field, named = FIELD.get(), REPAIRED.get()
    if named and loaded.draft is not None:
        try:
            without = [name[1:] for name in named if name.startswith("-")]
            loaded = repair_files(loaded, [name for name in named if not name.startswith("-")], without)
        except DataError as error:
            return fail(f"--repair: {error}")
    if field is None or loaded.study is None:
        return loaded
    try:
        return clustered(loaded, field)
    except DataError as error:
        return fail(f"--cluster: {error}")
