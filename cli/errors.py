"""Report the errors of any command as a message with an exit status instead of a traceback."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from cli.command_groups import GROUPS
from cli.interrupt import say_stopped
from figures.views.registry import COMMANDS
from metrics import installation

PIPE_CLOSED = 128 + 13
"""Exit status of a program whose reader has left (`| head`), by shell convention."""
_NO_MEMORY = (
    "failed to map segment",
    "can't start new thread",
    "Cannot allocate memory",
    # Python's own message if an allocation failed during an import.
    "error return without exception set",
    "returned NULL without setting an exception",
)


class Program(TyperGroup):
    """A group of commands that report errors of the system by an exit status instead of a traceback.

    The status is 1 if memory or something that must be installed is lacking, 2 if a file or folder cannot be read or
    written, and PIPE_CLOSED if the reader of the output has left.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands, grouped by purpose."""
        return [name for group in GROUPS.values() for name in group]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands under headings."""
        for heading, group in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([*group.items()], col_max=20)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; commands of views are created on demand."""
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        from cli import views  # here, where errors are reported: an import may run out of memory

        return views.command(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command and its arguments.

        The command is `serve` if a path, or a name with an extension, is given in place of a command's name.
        """
        given = args[0] if args else ""
        named = os.path.exists(given) or os.path.splitext(given)[1]  # `serve` reports a missing file
        if named and given not in {*self.commands, *COMMANDS}:
            args = ["serve", *args]
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run the requested command."""
        _escape_unprintable()
        with report_errors():
            try:
                done = super().invoke(ctx)
            except KeyboardInterrupt:
                say_stopped()
                raise
            sys.stdout.flush()
            return done


@contextmanager
def report_errors() -> Iterator[None]:
    """Report errors of the system as one line on stderr, with exit status 2; bugs still give a traceback.

    If memory or a package is lacking, the status is 1. A closed pipe ends the command without a message.
    """
    try:
        yield
    except BrokenPipeError:
        _discard_output()
    except SystemExit as error:
        if isinstance(error.__context__, BrokenPipeError):  # Rich exits on its own
            _discard_output()
        raise
    except Exception as error:
        if any(map(_is_memory_error, _chain(error))):
            _exit("there is not enough memory; give fewer or smaller files, or --jobs 1", 1)
        if why := installation.lacks(error):
            _exit(f"{why[0].lower()}{why[1:]}", 1)
        if isinstance(error, OSError):
            _exit(": ".join(filter(None, [str(error.filename or ""), error.strerror or str(error)])), 2)
        raise


def _escape_unprintable() -> None:
    r"""Print escapes, such as `\xe9` for an accented e, for characters that the terminal cannot show."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _is_memory_error(error: BaseException) -> bool:
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    return any(sign in str(error) for sign in _NO_MEMORY)


def _exit(sentence: str, status: int) -> None:
    print(f"Stopped: {sentence}.", file=sys.stderr)
    raise SystemExit(status) from None


def _discard_output() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    raise SystemExit(PIPE_CLOSED) from None
