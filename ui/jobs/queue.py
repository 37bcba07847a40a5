"""The job queue: one job for all sessions that request the same work, fair turns, cancellation from pages."""

from __future__ import annotations

import itertools
import math
import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from metrics.progress import Cancelled, Unable, is_undivided

State = Literal["waiting", "running", "done", "cancelled", "failed", "refused"]
Turn = Literal["whole", "parts", "last"]
ENDED: tuple[State, ...] = ("done", "cancelled", "failed", "refused")
Alive = Callable[[str], bool]
MAX_ENDED = 32
GRACE_SECONDS = 120.0
"""Seconds after which a disconnected session counts as gone, longer than a reload or a lost connection takes."""
VIEW_TIMEOUT = 10.0
"""Seconds without a request after which a job counts as not viewed: a page that shows it asks about every second."""
MUCH_SMALLER = 10
SLICE = 15.0
"""Seconds after which a job that runs in parts yields to a waiting one."""
REST = 10.0
"""Seconds for which a held job waits between two steps: it goes on slowly, because it may lock what others need."""
HELD = 2
"""Maximum number of held jobs, because their data stay in memory."""


@dataclass(frozen=True)
class Limits:
    """Limits on jobs: how many run at once, and how many wait, per session and in total."""

    slots: int = 1
    of_session: int = 20
    of_all: int = 100


LIMITS = Limits()


@dataclass(frozen=True)
class Step:
    """Progress of a job: its current step, the share done, details, and the time left."""

    doing: str
    share: float = 0.0
    detail: str = ""
    seconds_left: float | None = None


class Work(Protocol):
    """The work of a job, in phases that can be interrupted, and then resume from the results in the cache.

    `outputs` names all of its results: no two jobs compute the same result at the same time. `title` is its name on
    pages.
    """

    @property
    def key(self) -> str: ...

    @property
    def outputs(self) -> frozenset[str]: ...

    @property
    def title(self) -> str: ...

    @property
    def phases(self) -> int: ...

    @property
    def size(self) -> int:
        """The amount of work, comparable with other work; 0 if it is unknown."""
        ...

    def turn(self, phase: int) -> Turn:
        """Return how this phase shares the machine: as a whole; in parts, between which other jobs run; or last.

        "parts" and "last" are interrupted and resumed: the former after SLICE seconds, the latter immediately. "whole"
        would lose its work: it yields only when nobody views it, and keeps its data while it waits.
        """
        ...

    def waiting_text(self, phase: int) -> str:
        """Return the text before "for 2 other jobs" in the message of a waiting job."""
        ...

    def run_phase(self, phase: int, job: Job) -> None:
        """Run one phase: call `job.report`, count `job.finished`; raise Cancelled if `job.should_stop()`."""
        ...


@dataclass(eq=False)
class Job:
    """A piece of work in progress. `owners` are the sessions that want it; it stops when the last one leaves.

    `cancelled_by` are the sessions that cancelled it. `resumed_at` is the time when it was last resumed (monotonic
    seconds), `share_before` is the share of its phase that was done by then, and `turn_number` is the number of that
    turn (-1 before the first). `last_viewed` is the time when a page last showed it. `finished` counts results that
    pages can already show. While `free` is not set, the job is held: its thread waits in `should_stop`.
    """

    work: Work
    owners: list[str]
    state: State = "waiting"
    phase: int = 0
    step: Step | None = None
    finished: int = 0
    error: str = ""
    pause: bool = False
    resumed_at: float | None = None
    share_before: float = 0.0
    turn_number: int = -1
    last_viewed: float = field(default_factory=time.monotonic)
    cancelled_by: set[str] = field(default_factory=set)
    stop: threading.Event = field(default_factory=threading.Event)
    free: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.free.set()

    @property
    def key(self) -> str:
        """The key of the job's work."""
        return self.work.key

    @property
    def ended(self) -> bool:
        """Whether the job will produce no further results."""
        return self.state in ENDED

    @property
    def turn(self) -> Turn:
        """How the current phase of the job shares the machine."""
        return self.work.turn(self.phase)

    def report(self, step: Step) -> None:
        """Report progress; a resumed job reports what remains, but never a smaller share than before."""
        self.step = replace(step, share=max(self.share_before, step.share))

    def should_stop(self) -> bool:
        """Return whether the job must stop, permanently or for a while; a held job waits here first."""
        if not self.free.is_set() and not is_undivided():
            self.free.wait(REST)
        return self.stop.is_set() or self.pause

    def state_for(self, owner: str) -> State:
        """Return the job's state for a session: cancelled if that session cancelled it, even if it runs for others."""
        return "cancelled" if not self.ended and (owner in self.cancelled_by or self.stop.is_set()) else self.state

    def stopped_for(self, owner: str) -> bool:
        """Return whether a session gets no result from this job unless it is started again."""
        return self.state_for(owner) in ("cancelled", "failed", "refused")


class Queue:
    """Runs a few jobs at once; the others wait, and the session that was served longest ago goes first.

    Jobs that no page shows come after those that somebody is viewing; within a session, smaller jobs come first. A
    session is present while `alive` is True for its name, and for `grace` seconds after it was last seen; then it has
    left, and work that nobody else wants is stopped.
    """

    slice = SLICE
    view_timeout = VIEW_TIMEOUT

    def __init__(
        self, limits: Limits = LIMITS, alive: Alive = lambda owner: False, grace: float = GRACE_SECONDS
    ) -> None:
        self.limits = limits
        self.alive = alive
        self.grace = grace
        self._jobs: dict[str, Job] = {}
        self._running: set[Job] = set()
        self._served: dict[str, int] = {}
        self._last_seen: dict[str, float] = {}
        self._turn = itertools.count()
        self._lock = threading.RLock()
        self._sweeper: threading.Thread | None = None

    def watch(self, outputs: frozenset[str], owner: str, work: Callable[[frozenset[str]], Work] | None) -> Job | None:
        """Return a job for these results: one that computes some of them, or a new one if `work` is given, else None.

        The new job computes only results that no other job computes. Work that this session cancelled, or that failed,
        is not started again until `restart`: the earlier job is returned.
        """
        with self._lock:
            self.mark_present(owner)
            known = [job for job in self._jobs.values() if outputs & job.work.outputs]
            stopped = [job for job in known if job.state == "failed" or owner in job.cancelled_by]
            active = [job for job in known if not job.ended and not job.stop.is_set() and owner not in job.cancelled_by]
            left = outputs.difference(*(job.work.outputs for job in (*stopped, *active)))
            if left and work is not None:
                new = self._admitted(work(left), owner)
                (stopped if new.ended else active).append(new)
            for job in active:
                job.last_viewed = time.monotonic()
                if owner not in job.owners:
                    job.owners.append(owner)
            self._next()
            return next(iter(sorted(active, key=lambda job: job.state != "running")), stopped[-1] if stopped else None)

    def mark_present(self, owner: str) -> None:
        """Record that a session is present now."""
        self._last_seen[owner] = time.monotonic()

    def mark_viewed(self, job: Job, owner: str) -> None:
        """Record that a session is viewing a page that shows this job."""
        self.mark_present(owner)
        job.last_viewed = time.monotonic()

    def leave_page(self, owner: str) -> None:
        """Record that a session has left a page: jobs that only it wants come last until a page shows them again."""
        with self._lock:
            for job in self._jobs.values():
                if job.owners == [owner]:
                    job.last_viewed = -math.inf
            self._next()

    def restart(self, job: Job, owner: str) -> None:
        """Request a cancelled or failed job again."""
        with self._lock:
            self.mark_present(owner)
            job.cancelled_by.discard(owner)
            if job.ended or job.stop.is_set():
                self._admitted(job.work, owner)
            elif owner not in job.owners:
                job.owners.append(owner)

    def cancel(self, job: Job, owner: str) -> None:
        """Withdraw one session's request; the other owners keep the job."""
        with self._lock:
            job.cancelled_by.add(owner)
            self._leave(job, {owner})

    def waiting_before(self, job: Job) -> int:
        """Return the number of jobs that are running or will run before a waiting job; 0 for a job in another state."""
        with self._lock:
            waiting = sorted((other for other in self._jobs.values() if other.state == "waiting"), key=self._place)
            return len(self._running) + waiting.index(job) if job in waiting else 0

    def sweep(self) -> None:
        """Withdraw the requests of sessions that have left."""
        with self._lock:
            gone = self.gone()
            for job in list(self._jobs.values()):
                if not job.ended and gone.intersection(job.owners):
                    self._leave(job, gone)
            for owner in gone:
                del self._last_seen[owner]
                self._served.pop(owner, None)

    def gone(self) -> set[str]:
        """Return the sessions that have left."""
        with self._lock:
            now = time.monotonic()
            self._last_seen |= dict.fromkeys(filter(self.alive, self._last_seen), now)
            return {owner for owner, last in self._last_seen.items() if now - last > self.grace}

    def _leave(self, job: Job, leaving: set[str]) -> None:
        job.owners = [owner for owner in job.owners if owner not in leaving]
        if not job.owners:
            job.stop.set()
            job.free.set()
            if job.state == "waiting":
                job.state = "cancelled"

    def _admitted(self, work: Work, owner: str) -> Job:
        """Return a new job. It is refused if too many jobs of this session wait, or if too many wait in all and this
        session already has its share.
        """
        waiting = [job for job in self._jobs.values() if job.state == "waiting"]
        own = sum(owner in job.owners for job in waiting)
        share = self.limits.of_all // len({owner, *(name for job in waiting for name in job.owners)})
        full = len(waiting) >= self.limits.of_all and own >= max(1, share)
        if own < self.limits.of_session and not full:
            return self._start(work, owner)
        whose = f"{own} jobs of this session" if own >= self.limits.of_session else f"{len(waiting)} jobs"
        return Job(work, [], "refused", error=f"{whose} are waiting already: try again when some are done")

    def _start(self, work: Work, owner: str) -> Job:
        before = self._jobs.pop(work.key, None)
        ended = [key for key, job in self._jobs.items() if job.ended]
        # A cancelled or failed job is remembered for its message, but not for ever, because it keeps its data.
        for key in ended[: max(0, len(ended) - MAX_ENDED)]:
            del self._jobs[key]
        job = self._jobs[work.key] = Job(work, [owner])
        # Other sessions that cancelled it before have not requested it again.
        job.cancelled_by = before.cancelled_by - {owner} if before is not None else set()
        self._next()
        if self._sweeper is None:
            self._sweeper = threading.Thread(target=self._sweep_regularly, name="trilens-guard", daemon=True)
            self._sweeper.start()
        return job

    def _sweep_regularly(self) -> None:
        while True:
            time.sleep(min(self.grace, self.slice, 5.0) / 4)
            self.sweep()
            with self._lock:
                self._next()
                if not self._running and all(job.ended for job in self._jobs.values()):
                    self._sweeper = None
                    return

    def _next(self) -> None:
        waiting = [job for job in self._jobs.values() if job.state == "waiting" and not job.pause]
        if not waiting:
            return
        job = min(waiting, key=self._place)
        for other in tuple(self._running) if len(self._running) >= self.limits.slots else ():
            if other.turn != "whole":
                other.pause = self._yields(other, waiting, job)
            elif len(self._running) >= self.limits.slots and self._yields(other, waiting, job):
                self._hold(other)
        if len(self._running) >= self.limits.slots:
            return
        job.state, job.resumed_at, job.turn_number = "running", time.monotonic(), next(self._turn)
        self._running.add(job)
        for owner in job.owners:
            self._served[owner] = job.turn_number
        if job.free.is_set():
            threading.Thread(target=self._work, args=(job,), name="trilens-job", daemon=True).start()
        job.free.set()

    def _hold(self, job: Job) -> None:
        """Let a running job wait with its data. If more than HELD jobs do, the one held longest stops and resumes
        later.
        """
        job.state = "waiting"
        job.free.clear()
        self._running.discard(job)
        held = [one for one in self._jobs.values() if not one.free.is_set()]
        if len(held) > HELD:
            first = min(held, key=lambda one: one.turn_number)
            first.pause = True
            first.free.set()

    def _place(self, job: Job) -> tuple[bool, int, bool, int, int]:
        """Sort key of waiting jobs: in view first, then by the session served longest ago, then values before tests.

        Then the job whose last turn was longest ago comes first, then the smaller one.
        """
        served = min((self._served.get(owner, -1) for owner in job.owners), default=-1)
        return self._unviewed(job), served, job.turn == "last", job.turn_number, job.work.size

    def _unviewed(self, job: Job) -> bool:
        return time.monotonic() - job.last_viewed > self.view_timeout

    def _yields(self, job: Job, waiting: Sequence[Job], first: Job) -> bool:
        """Whether a running job yields to `first`, the next of those waiting.

        It yields at once if only `first` is in view, never if only the job itself is, and otherwise not if it runs as a
        whole. Others yield if only they have the turn "last", or if `first` is new, far smaller and of the same turn.
        They also yield when their slice is over, unless only jobs with the turn "last" wait and theirs is another.
        """
        if self._unviewed(job) != self._unviewed(first):
            return self._unviewed(job)
        if job.turn == "whole":
            return False
        if job.turn == "last" != first.turn:
            # Permutation tests take far longer than values: no session's first numbers wait for another's tests.
            return True
        if first.turn_number < 0 and first.turn == job.turn and first.work.size * MUCH_SMALLER < job.work.size:
            return True
        due = job.resumed_at is not None and time.monotonic() - job.resumed_at > self.slice
        return due and (job.turn == "last" or any(other.turn != "last" for other in waiting))

    def _work(self, job: Job) -> None:
        _lower_priority()
        try:
            job.work.run_phase(job.phase, job)
            job.phase, job.share_before, job.step = job.phase + 1, 0.0, None
            state: State = "done" if job.phase == job.work.phases else "waiting"
        except Cancelled:
            state = "waiting" if job.pause and not job.stop.is_set() else "cancelled"
            job.share_before = job.step.share if job.step is not None else job.share_before
        except Unable as why:
            state, job.error = "failed", str(why)
        except Exception as error:  # noqa: BLE001 - the page shows what went wrong; other jobs go on
            state, job.error = "failed", f"{type(error).__name__}: {error}"
        with self._lock:
            self._running.discard(job)
            job.pause = False
            job.free.set()
            job.state = "cancelled" if state == "waiting" and job.stop.is_set() else state
            if job.state == "done" and self._jobs.get(job.key) is job:
                del self._jobs[job.key]
            self._next()


def _lower_priority() -> None:
    """Lower the priority of this thread and of all that it starts, on systems that schedule threads separately."""
    with suppress(AttributeError, OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)
