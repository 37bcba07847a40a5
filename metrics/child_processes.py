"""Child processes that end with their parent, however the parent ends.

A child reads a pipe whose other end only its parent has open: once the parent is gone, the read returns, and the child
ends. Linux's PR_SET_PDEATHSIG would not do: it waits for the thread that started the child, not for its process.
`python -I child_processes.py COMMAND ..` does the same for a program that cannot watch its parent.
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
"""Waits until the parent closes its end. Reading `sys.stdin` instead would keep it locked while Python shuts down."""


@cache
def lifeline() -> tuple[Connection, Connection]:
    """Return the end of a pipe that worker processes read, and the end that this process keeps."""
    return Pipe(duplex=False)


def end_with_parent(read: Callable[[], object] = read_stdin) -> None:
    """End this process once `read` returns or fails, which happens when the parent's end of the pipe is closed."""
    _when_closed(read, lambda: os._exit(1))


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Defer the signals that end this process until the block is done; processes started in it ignore Ctrl-C.

    A process that is still being started is not yet tracked, so an interruption would leave it behind, unfinished. A
    terminal sends Ctrl-C to all processes at once.
    """
    came: list[int] = []
    kept = {number: signal.getsignal(number) for number in _ending()}
    posix = os.name == "posix"
    if posix:
        resource_tracker.ensure_running()  # unblocks signals if it has to start
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
    """Return the signals that end this process and can be deferred; only the main thread can defer signals."""
    if threading.current_thread() is not threading.main_thread():
        return []
    known = (getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP"))
    return [number for number in known if number and signal.getsignal(number) not in (signal.SIG_IGN, None)]


def wrapped(command: list[str]) -> list[str]:
    """Return a command that runs `command` until it ends or standard input is closed."""
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
