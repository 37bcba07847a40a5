"""Processes that end with the one that started them, however that one ends.

A child reads a pipe whose other end its parent alone holds: once the parent is gone, the read returns, and the child
ends. Linux's PR_SET_PDEATHSIG would not do: it waits for the thread that started the child, not for its process.
`python -I children.py COMMAND ..` gives this to a program that cannot watch for itself.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import cache, partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection

read_stdin = partial(os.read, 0, 1)
"""Waits until the parent closes its end. The file object `sys.stdin` would be locked by this while Python ends."""


@cache
def lifeline() -> tuple[Connection, Connection]:
    """Return the end of a pipe that worker processes read, and the end that stays in this process."""
    return Pipe(duplex=False)


def end_with_parent(read: Callable[[], object] = read_stdin) -> None:
    """End this process once `read` returns or fails, as it does when the parent's end of the pipe is closed."""
    _when_closed(read, lambda: os._exit(1))


def wrapped(command: list[str]) -> list[str]:
    """Return a command that runs another one until that ends or the standard input of both is closed."""
    return [sys.executable, "-I", __file__, *command]


def _when_closed(read: Callable[[], object], act: Callable[[], object]) -> None:
    def watch() -> None:
        with contextlib.suppress(EOFError, OSError):
            read()
        act()

    threading.Thread(target=watch, name="watches the parent", daemon=True).start()


if __name__ == "__main__":
    with subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL) as child:
        _when_closed(read_stdin, child.kill)
        sys.exit(child.wait())
