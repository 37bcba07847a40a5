"""A Dask cluster as a backend: chunks are sent as bytes, numbers come back, and workers may join and leave."""

from __future__ import annotations

import logging
import os
import queue
import re
import threading
import time
import uuid
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from metrics import installation
from metrics.cache.disk import Cache
from metrics.engine import source_code
from metrics.engine.remote import RemoteTask
from metrics.engine.tasks import Facts, Task, is_stored, score_chunk
from metrics.engine.workers import Backend, Scored, Workers
from metrics.progress import Hooks, Unable

ADDRESS = re.compile(r"\w+://\S+:\d+")
CONNECT_SECONDS = 10.0
"""Time in seconds within which a scheduler must answer."""
MAX_WAIT = 60.0
"""Time in seconds that work waits for a usable worker."""
TICK = 0.5
TASKS_AHEAD = 2
"""Number of tasks sent ahead per thread, so that no thread has to wait for its next one."""
MAX_INLINE_BYTES = 1 << 16
"""Maximum number of bytes of facts sent with each task; larger facts are sent once for all tasks of a run."""
PROTOCOL = ("python", "dask", "distributed")
NUMERIC = ("numpy", "scipy", "numba", "llvmlite", "scikit-learn", "torch", "transformers", "sentence-transformers")
REMEDY = installation.install("cluster")
Report = Callable[[str], None]


@contextmanager
def connected(address: str, report: Report = lambda text: None, patience: float = MAX_WAIT) -> Iterator[Cluster]:
    """Yield the cluster at a scheduler's address (tcp://host:8786), with the source on its workers.

    Raises Unable if it cannot be reached or used.
    """
    client = _client(address)
    cluster = Cluster(client, address, report, patience)
    try:
        cluster.install_source()
        yield cluster
    finally:
        cluster.disconnect()


@contextmanager
def backend_from_settings(report: Report) -> Iterator[Backend]:
    """Yield the cluster named by `TRILENS_SCHEDULER`, or local threads if it is unset.

    Raises Unable if that cluster cannot be reached or used.
    """
    if not (address := os.environ.get("TRILENS_SCHEDULER")):
        yield Workers()
        return
    report(f"Asking the cluster at {address}")
    with connected(address, report) as cluster:
        yield cluster


def _client(address: str) -> Any:
    try:
        import dask
        from dask.distributed import Client
    except ImportError:
        raise Unable(f"A cluster needs Dask on this machine: {REMEDY}") from None
    for name in ("distributed", "distributed.client", "distributed.core", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters is reported in a sentence
    dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"})
    if not ADDRESS.fullmatch(address):
        raise Unable(f"{address} is not the address of a Dask scheduler, such as tcp://host:8786")
    found: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def connect() -> None:
        with suppress(OSError, ValueError, RuntimeError), warnings.catch_warnings(action="ignore"):
            found.put(Client(address, timeout=CONNECT_SECONDS, set_as_default=False))

    # Dask itself would wait forever for a first reply if another program listens there.
    threading.Thread(target=connect, daemon=True).start()
    try:
        return found.get(timeout=CONNECT_SECONDS)
    except queue.Empty:
        raise Unable(
            f"No Dask scheduler answers at {address} within {CONNECT_SECONDS:g} s. Start one with `dask scheduler` and "
            "workers with `dask worker`, or leave the cluster out"
        ) from None


@dataclass
class Cluster:
    """The workers of a scheduler, as a backend.

    `fit` maps addresses of usable workers to their threads, and `unfit` the other workers to the reasons why they are
    excluded; `session` names this connection, which is `lost` once the scheduler no longer answers.
    """

    client: Any
    address: str
    report: Report
    patience: float
    plugin: str = ""
    session: str = field(default_factory=lambda: uuid.uuid4().hex)
    lost: bool = False
    fit: dict[str, int] = field(default_factory=dict)
    unfit: dict[str, str] = field(default_factory=dict)

    def scored(self, tasks: Sequence[Task], hooks: Hooks) -> Scored:
        """Yield scores as `workers.Backend.scored` does; tasks that the local cache already contains are not sent."""
        waiting: deque[Task] = deque()
        for task in tasks:
            if is_stored(task):
                yield task, score_chunk(task, hooks)
            else:
                waiting.append(task)
        if waiting:
            with closing(_Batch(self, hooks, waiting).scored()) as finished:
                yield from finished

    def install_source(self) -> None:
        """Send the source to all workers, current and future. Raises Unable if they cannot use it."""
        import distributed.versions

        self.here: Mapping[str, str | None] = distributed.versions.get_versions(NUMERIC)["packages"]
        self._check_versions("The scheduler", self.ask("versions", packages=[])["packages"])
        for worker, found in self._packages().items():
            self._check_versions(f"The worker {worker}", found)
        try:
            version, archive = source_code.packed()
        except source_code.SourceChanged as why:
            raise Unable(str(why)) from None
        self._check_alone(version)
        name = f"trilens-{version}-{self.client.id}"
        try:
            self.client.register_plugin(source_code.plugin(version, archive), name=name)
        except Exception as error:  # noqa: BLE001 - whatever a remote machine raises
            raise Unable(f"A worker of the cluster at {self.address} could not take the source: {error}") from None
        self.plugin = name

    def disconnect(self) -> None:
        """Cancel running tasks, remove the source from the workers, and close the connection."""
        with suppress(OSError, ValueError, Unable):
            if self.plugin and not self.lost:
                self.ask("unregister_worker_plugin", name=self.plugin)
        self.client.close(timeout=2)

    def look(self) -> dict[str, int]:
        """Return the number of threads of each usable worker, by address. Raises Unable as `ask` does."""
        there: dict[str, int] = self.ask("ncores", workers=None)
        new = [worker for worker in there if worker not in self.fit and worker not in self.unfit]
        for worker, found in (self._packages(new) if new else {}).items():
            other = next((name for name in (*PROTOCOL, *NUMERIC) if not self._same_package(name, found)), None)
            if other is None:
                self.fit[worker] = there[worker]
            else:
                self.exclude(worker, f"it has {other} {found.get(other)}, this machine {self.here[other]}: {REMEDY}")
        self.fit = {worker: there[worker] for worker in self.fit if worker in there}
        return self.fit

    def exclude(self, worker: str, why: str) -> None:
        """Send no more tasks to a worker, and report why."""
        self.fit.pop(worker, None)
        if worker not in self.unfit:
            self.unfit[worker] = why
            self.report(f"The worker {worker} is left out: {why}")

    def ask(self, question: str, **about: Any) -> Any:
        """Return the scheduler's answer to a question. Raises Unable if there is none within CONNECT_SECONDS."""
        try:
            if self.client.status != "running":
                raise OSError
            return self.client.sync(getattr(self.client.scheduler, question), callback_timeout=CONNECT_SECONDS, **about)
        except OSError:
            self.lost = True
            raise Unable(f"The scheduler at {self.address} no longer answers") from None

    def _packages(self, workers: Iterable[str] | None = None) -> dict[str, dict[str, str]]:
        message = {"op": "versions", "packages": list(NUMERIC)}
        which = None if workers is None else list(workers)
        found = self.ask("broadcast", msg=message, workers=which, on_error="ignore")
        return {worker: answer["packages"] for worker, answer in found.items() if answer}

    def _check_versions(self, who: str, found: Mapping[str, str]) -> None:
        for name in PROTOCOL:
            if not self._same_package(name, found):
                raise Unable(f"{who} has {name} {found.get(name)}, this machine {self.here[name]}. There: {REMEDY}")

    def _same_package(self, name: str, found: Mapping[str, str]) -> bool:
        here, there = self.here[name], found.get(name)
        if here is None:  # metrics that need it are not available here
            return True
        # A micro version of Python changes neither pickles nor numbers.
        parts = 2 if name == "python" else None
        return str(here).split(".")[:parts] == str(there).split(".")[:parts]

    def _check_alone(self, version: str) -> None:
        """Raise Unable if somebody uses another version of Trilens on the workers; remove versions that nobody uses."""
        plugins, clients = self.client.run_on_scheduler(source_code.connected_clients())
        for name in [name for name in plugins if name.startswith("trilens-")]:
            _, other, client = name.split("-", 2)
            if client not in clients:
                self.ask("unregister_worker_plugin", name=name)
            elif other != version:
                raise Unable(
                    f"Somebody is using another version of Trilens on the cluster at {self.address}. "
                    "Wait until that is done, or start workers of your own"
                )


class _Batch:
    def __init__(self, cluster: Cluster, hooks: Hooks, waiting: deque[Task]) -> None:
        self.cluster, self.hooks, self.waiting = cluster, hooks, waiting
        self.sent: dict[Any, tuple[Task, frozenset[str]]] = {}
        self.ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.facts: dict[int, tuple[Facts, Any]] = {}
        self.run = source_code.runner()
        self.looked = -TICK
        self.without: float | None = None
        self.worked = False

    def scored(self) -> Scored:
        try:
            while self.waiting or self.sent:
                self._look()
                self._send()
                with suppress(queue.Empty):
                    yield from self._collect(self.ended.get(timeout=TICK))
        finally:
            with suppress(OSError, ValueError):
                self.cluster.client.cancel(list(self.sent))

    def _look(self) -> None:
        """Update the list of workers at most once per TICK, and resubmit the tasks of lost workers.

        Raises Unable if there has been no usable worker for too long, or only unfit ones from the start.
        """
        self.hooks.check()
        now = time.monotonic()
        if now - self.looked < TICK:
            return
        self.looked = now
        fit = self.cluster.look()
        for future in [future for future, (_, chosen) in self.sent.items() if chosen.isdisjoint(fit)]:
            self._resubmit(future)
        if fit:
            if self.without is not None:
                self.hooks.progress("")
            self.without, self.worked = None, True
            return
        self.without = now if self.without is None else self.without
        left = self.cluster.patience - (now - self.without)
        if left <= 0 or (self.cluster.unfit and not self.worked):
            raise Unable(self._no_workers())
        if left > self.cluster.patience - TICK:
            self.cluster.report(f"The cluster has no worker: waiting {self.cluster.patience:g} s for one")
        self.hooks.progress(f"no worker: waiting {left:.0f} s for one")

    def _no_workers(self) -> str:
        if self.cluster.unfit:
            worker, why = next(iter(self.cluster.unfit.items()))
            return f"No worker of the cluster at {self.cluster.address} can do this. {worker}: {why}"
        return (
            f"The cluster at {self.cluster.address} has had no worker for {self.cluster.patience:g} s. Start one with "
            f"`dask worker {self.cluster.address}`"
        )

    def _send(self) -> None:
        while self.waiting and len(self.sent) < TASKS_AHEAD * sum(self.cluster.fit.values()):
            task, fit = self.waiting.popleft(), frozenset(self.cluster.fit)
            future = self._submitted(
                self.run, self.cluster.plugin, self._remote_task(task), self._packed(task.facts), workers=list(fit)
            )
            self.sent[future] = task, fit
            future.add_done_callback(self.ended.put)

    def _submitted(self, function: Any, *arguments: Any, **how: Any) -> Any:
        key = f"trilens-{uuid.uuid4().hex}"
        return self.cluster.client.submit(function, *arguments, key=key, pure=False, **how)

    def _remote_task(self, task: Task) -> bytes:
        from distributed.protocol.serialize import serialize_bytes

        session = self.cluster.session if task.cache.directory is None else None
        signatures = tuple(metric.signature for metric in task.metrics)
        return serialize_bytes(RemoteTask(replace(task, facts=Facts(), cache=Cache(None)), signatures, session))

    def _packed(self, facts: Facts) -> Any:
        """Return facts as bytes, or as a future for bytes that the cluster distributes to its workers."""
        from distributed.protocol.serialize import serialize_bytes

        if id(facts) not in self.facts:
            raw = serialize_bytes(facts.packed())
            self.facts[id(facts)] = facts, raw if len(raw) <= MAX_INLINE_BYTES else self._submitted(bytes, raw)
        return self.facts[id(facts)][1]

    def _collect(self, future: Any) -> Scored:
        from distributed.protocol.serialize import deserialize_bytes

        if future not in self.sent:
            return
        if (reply := self._reply(future)) is None:
            self._resubmit(future)
            return
        task, _ = self.sent.pop(future)
        worker, outcome, why, found = reply
        if outcome == "done":
            scores, entries = deserialize_bytes(found)
            for key, arrays in entries.items():
                task.cache.put(key, arrays)
            yield task, scores
            return
        if outcome == "unfit":
            self.cluster.exclude(worker, why)
        self.waiting.appendleft(task)

    def _reply(self, future: Any) -> source_code.Reply | None:
        """Return a worker's answer, or None if it was lost with the worker. Raises Unable if the task failed there."""
        if future.status == "error":
            task, error = self.sent[future][0], future.exception()
            raise Unable(
                f"A part of the run {task.run.name} failed on the cluster at {self.cluster.address}: {_message(error)}"
            )
        try:
            return future.result(timeout=CONNECT_SECONDS) if future.status == "finished" else None
        except (OSError, RuntimeError):
            return None

    def _resubmit(self, future: Any) -> None:
        task, _ = self.sent.pop(future)
        self.waiting.appendleft(task)
        future.cancel()


def _message(error: BaseException) -> str:
    if type(error).__name__ == "KilledWorker":
        return "the workers that tried it died, perhaps for want of memory"
    return f"{type(error).__name__}: {error}"
