"""End an interrupted command: at once if possible, and soon if it waits for a thread."""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType

INTERRUPTED = 130
"""Exit status of an interrupted program, by shell convention."""
PATIENCE = 3.0
"""Seconds within which an interrupted command must end; a compilation or thread for which it waits could take a
minute.
"""
STOPPED = "Stopped. Unless --no-cache was given, what was finished is kept: the same command resumes from there."
_said = threading.Event()


def end_on_signals() -> None:
    """Make Ctrl-C, SIGTERM and SIGHUP interrupt this program, unless it was started to ignore them (nohup)."""
    defaults = {"SIGINT": signal.default_int_handler, "SIGTERM": signal.SIG_DFL, "SIGHUP": signal.SIG_DFL}
    for kind, default in defaults.items():
        if (number := getattr(signal, kind, None)) and signal.getsignal(number) == default:
            signal.signal(number, _interrupt)


def say_stopped() -> None:
    """Report, once, that the command was stopped and how to resume it."""
    if not _said.is_set():
        _said.set()
        print(f"\n{STOPPED}", file=sys.stderr, flush=True)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Interrupt the command; end it after PATIENCE seconds if it waits for a thread, which signals cannot interrupt.

    Files are written completely or not at all, and child processes end with their parent, so no work is left half done.
    """
    end = threading.Timer(PATIENCE, _end)
    end.daemon = True
    end.start()
    raise KeyboardInterrupt


def _end() -> None:
    say_stopped()
    os._exit(INTERRUPTED)
