"""Processes that end with the one that started them, however that one ends.

A child reads a pipe whose other end its parent alone holds: once the parent is gone, the read returns, and the child
ends. Linux's PR_SET_PDEATHSIG would not do: it waits for the thread that started the child, not for its process.
`python -I children.py COMMAND ..` gives this to a program that cannot watch for itself.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import cache, partial
from multiprocessing import Pipe, resource_tracker
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


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold back the signals that end this process until the block is done; processes started in it ignore Ctrl-C.

    A process that is being started is known to nobody yet: an interruption would leave it behind without what it needs,
    and a terminal sends Ctrl-C to all processes at once.
    """
    came: list[int] = []
    kept = {number: signal.getsignal(number) for number in _ending()}
    posix = os.name == "posix"
    if posix:
        resource_tracker.ensure_running()  # which lets signals through again where it has to start
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        for number in kept:
            signal.signal(number, lambda number, frame: came.append(number))
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
        if posix:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        for number in came[:1]:
            signal.raise_signal(number)


def _ending() -> list[int]:
    """The signals that end this process and can be held back: only the main thread can do so."""
    if threading.current_thread() is not threading.main_thread():
        return []
    known = (getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP"))
    return [number for number in known if number and signal.getsignal(number) not in (signal.SIG_IGN, None)]


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
