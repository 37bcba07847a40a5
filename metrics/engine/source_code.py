"""The source code for cluster workers: what is sent to machines without it, and how they load it.

Nested functions here are sent by value, since scheduler and workers may not have Trilens installed: they may use
nothing from this module or the source tree until the source is in place.
"""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from data.study import digest
from metrics import installation
from metrics.extensions import plugins

STARTED = time.time()
Reply = tuple[str, str, str, bytes]
"""Address of the worker, outcome of the task ("done", "unfit" or "stopped"), reason and output."""


class SourceChanged(RuntimeError):
    """Raised if the source files have changed since this process started."""


def packed() -> tuple[str, bytes]:
    """Return the digest and a zip archive of the source that tasks need, plug-ins included. Raises SourceChanged."""
    return _packed(tuple(plugins.shipped()))


@cache
def _packed(shipped: tuple[tuple[str, bytes], ...]) -> tuple[str, bytes]:
    found = (path for name in installation.PACKAGES for path in installation.HOME.glob(f"{name}.py"))
    within = (path for name in installation.PACKAGES for path in (installation.HOME / name).rglob("*"))
    files = sorted(path for path in (*found, *within) if _is_source(path))
    if any(path.stat().st_mtime > STARTED for path in files):
        raise SourceChanged("Trilens has been changed on disk since this program started: start it again")
    texts = [(path.relative_to(installation.HOME).as_posix(), path.read_bytes()) for path in files] + list(shipped)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in texts:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return digest([[name, content.hex()] for name, content in texts])[:16], buffer.getvalue()


def _is_source(path: Path) -> bool:
    return path.suffix in (".py", ".bib") and "__pycache__" not in path.parts


def plugin(version: str, archive: bytes) -> Any:
    """Return a Dask plugin that puts this version of the source first on a worker's path and unloads other versions."""
    from dask.distributed import WorkerPlugin

    packages, known = installation.PACKAGES, ("data/study.py", "metrics/registry.py")

    class Source(WorkerPlugin):
        """The worker's plug-in; `problem` states why a worker cannot use the source."""

        def __init__(self, version: str, archive: bytes, unpack: Callable[[bytes, Path], None]) -> None:
            self.version, self.archive, self.unpack, self.problem = version, archive, unpack, ""
            self.packages, self.known = packages, known

        def setup(self, worker: Any) -> None:
            import sys
            from pathlib import Path

            # Beside the worker's own folder, so that compiled code outlives the worker.
            folder = Path(worker.local_directory).resolve().parent / f"trilens-{self.version}"
            self.unpack(self.archive, folder)
            # Both a checkout and the installed package may have been here; neither knows the other's plug-ins.
            for name in ("data", "metrics", "trilens"):
                if (loaded := sys.modules.get(name)) is None:
                    continue
                home = Path(next(iter(getattr(loaded, "__path__", None) or [loaded.__file__]))).resolve().parent
                if home == folder:
                    continue
                # A checkout or an installation.
                tops = (home, home / "trilens")
                if not any(all((top / file).is_file() for file in self.known) for top in tops):
                    if name not in self.packages:
                        continue
                    self.problem = f"its process has loaded another package named {name}, {home}"
                    return
                # Plug-ins subclass classes of the source that is removed.
                gone = (name, "trilens_plugin_")
                for module in [o for o in sys.modules if o.split(".")[0] == gone[0] or o.startswith(gone[1])]:
                    del sys.modules[module]
            sys.path[:] = [str(folder), *(path for path in sys.path if "trilens-" not in Path(path).name)]

    return Source(version, archive, _unpacker())


def _unpacker() -> Callable[[bytes, Path], None]:
    def unpack(packed: bytes, folder: Path) -> None:
        import io
        import os
        import tempfile
        import zipfile

        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            for name in archive.namelist():
                path, content = folder / name, archive.read(name)
                if path.is_file() and path.read_bytes() == content:
                    continue
                path.parent.mkdir(parents=True, exist_ok=True)
                with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
                    file.write(content)
                os.replace(file.name, path)

    return unpack


def runner() -> Callable[[str, bytes, bytes], Reply]:
    """Return the function that workers run: it takes the plug-in's name, a task and its facts, and returns a Reply."""

    def run(plugin: str, task: bytes, facts: bytes) -> Reply:
        from dask.distributed import get_worker

        here: str = get_worker().address
        source: Any = get_worker().plugins.get(plugin)
        if source is None or source.problem:
            return here, "unfit", source.problem if source else "the source of Trilens has not arrived", b""
        try:
            import metrics
            from metrics.engine.remote import answer
        except ImportError as error:
            return here, "unfit", str(error), b""
        if f"trilens-{source.version}" not in (metrics.__file__ or ""):
            return here, "unfit", f"its process runs another version of Trilens, {metrics.__file__}", b""
        return here, *answer(task, facts)

    return run


def connected_clients() -> Callable[[Any], tuple[list[str], list[str]]]:
    """Return a function that, on the scheduler, returns the names of all worker plug-ins and of connected clients."""

    def names(dask_scheduler: Any) -> tuple[list[str], list[str]]:
        return list(dask_scheduler.worker_plugins), list(dask_scheduler.clients)

    return names
