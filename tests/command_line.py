"""The command `trilens`, run in this process."""

from __future__ import annotations

from typer.testing import CliRunner, Result

from cli.app import app


def trilens(*arguments: object, expect: int = 0) -> Result:
    """Return what the command prints with these arguments. Fails unless it ends with the status `expect`."""
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exit_code == expect, f"{done.output}\n{done.exception!r}"
    return done
