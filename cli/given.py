"""The files and options that commands share, and the study in these files."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import score as cli_score
from cli.options import Idf, KeepGoing, Recompute, Seed
from cli.plugins import Plugin
from cli.score_directions import Direction
from cli.word_vectors import Vectors

if TYPE_CHECKING:
    from data.load import Loaded
    from data.study import Study, Tokenizer
    from metrics.cache.disk import Cache
    from metrics.text.cider import DocumentFrequencies

Metrics = Annotated[str, typer.Option(help="fast, full, paper, or names separated by commas.")]
REFERENCES = Annotated[Path | None, typer.Option(help="File of references.")]
OPTIONS: dict[str, tuple[Any, Any]] = {
    "out": (Annotated[Path | None, typer.Option(help="Write the table: .csv, .parquet or .json.")], None),
    "idf": (Idf, None),
    "cache_dir": (Annotated[Path | None, typer.Option(help="Where results are kept.")], None),
    "no_cache": (Annotated[bool, typer.Option("--no-cache", help="Keep nothing.")], False),
    "seed": (Seed, 0),
    "keep_going": (KeepGoing, False),
    "recompute": (Recompute, False),
    "plugin": (Plugin, None),
    "scores_direction": (Direction, None),
    "vectors": (Vectors, None),
}
"""The type and the default of each option."""


@dataclass(frozen=True)
class Given:
    """The values of the argument FILES, of `--references` and of OPTIONS."""

    files: list[Path]
    references: Path | None
    out: Path | None = None
    idf: Path | None = None
    cache_dir: Path | None = None
    no_cache: bool = False
    seed: int = 0
    keep_going: bool = False
    recompute: bool = False
    plugin: list[Path] | None = None
    scores_direction: list[str] | None = None
    vectors: Path | None = None

    @property
    def paths(self) -> list[Path | None]:
        """All files that are read."""
        return [*self.files, self.references, self.idf]

    def study(self, run: str | None = None) -> tuple[Study, Loaded, Cache]:
        """Return the study, everything else that was read, and the cache; exit 2 for bad input, or without `run`."""
        study, loaded = cli_score.load_study_or_exit(
            self.files, self.references, self.keep_going, self.recompute, run, self.scores_direction
        )
        return study, loaded, self.cache(loaded)

    def cache(self, loaded: Loaded) -> Cache:
        """Return the cache, with the numbers of the bundle that was read."""
        return cli_score.open_cache(self.cache_dir, self.no_cache, loaded.numbers)

    def study_and_frequencies(
        self, run: str | None = None, tokenizer: Tokenizer | None = None
    ) -> tuple[Study, Loaded, Cache, DocumentFrequencies | None]:
        """Return what `study` returns, and the document frequencies of `--idf` or of a bundle."""
        given = cli_score.given_idf(self.idf, tokenizer)
        study, loaded, cache = self.study(run)
        return study, loaded, cache, cli_score.frequencies_in_force(given, loaded, tokenizer)


def with_given(files: str, *without: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the argument FILES with this help, `--references`, and OPTIONS except those `without`.

    The command takes their values as one `Given`, before its own options. `--out` is checked before the command runs.
    """

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        shared = {name: option for name, option in OPTIONS.items() if name not in without}

        @functools.wraps(command)
        def run(**values: Any) -> None:
            given = Given(**{name: values.pop(name) for name in ("files", "references", *shared)})
            cli_score.check_out(given.out, given.paths)
            command(given, **values)

        parameter = functools.partial(inspect.Parameter, kind=inspect.Parameter.KEYWORD_ONLY)
        own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
        parameters = [
            parameter("files", annotation=Annotated[list[Path], typer.Argument(help=files)]),
            parameter("references", annotation=REFERENCES, default=None),
            *(one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own),
            *(parameter(name, annotation=kind, default=default) for name, (kind, default) in shared.items()),
        ]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return decorated
