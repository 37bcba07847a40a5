"""The field that says which items belong together: `--cluster FIELD` of every command that reads a study."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar
from typing import Annotated, Any

import typer

from data.check import clustered
from data.load import Loaded
from data.study import DataError
from metrics.cli.output import fail

FIELD: ContextVar[str | None] = ContextVar("FIELD", default=None)
"""The field that was named; None for what the files say themselves."""
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="FIELD",
        help="Field of the items, such as video, whose equal values make them one cluster in intervals and tests; "
        "none: every item is by itself.",
    ),
]


def with_cluster(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return the command with the option `--cluster`, which every study that it reads takes."""

    @functools.wraps(command)
    def run(*args: Any, cluster: str | None = None, **kwargs: Any) -> Any:
        FIELD.set(cluster)
        return command(*args, **kwargs)

    known = inspect.signature(command, eval_str=True)
    option = inspect.Parameter("cluster", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Cluster)
    run.__signature__ = known.replace(parameters=[*known.parameters.values(), option])  # type: ignore[attr-defined]
    run.__annotations__ = {**inspect.get_annotations(command, eval_str=True), "cluster": Cluster}
    return run


def in_clusters(loaded: Loaded) -> Loaded:
    """Return what was read with the clusters of the field that was named; exit 2 where no items share its values."""
    field = FIELD.get()
    if field is None or loaded.study is None:
        return loaded
    try:
        return clustered(loaded, field)
    except DataError as error:
        return fail(f"--cluster: {error}")
