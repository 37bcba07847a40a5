"""A job that asks the judge named in the server's environment; nothing is sent until a user starts it.

Apart from the commands, only this module uses the client for a judge.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from data.judge_answers import Answer
from data.study import Study
from metrics.cache.disk import Cache
from metrics.judging import ask
from metrics.judging.endpoint import Client, Endpoint
from metrics.judging.plan import Plan, in_words, plan
from metrics.judging.questions import ASKS, Ask
from metrics.progress import Hooks, Unable
from ui.jobs.jobs import ProgressText
from ui.jobs.queue import Job, Turn

__all__ = ["ASKS", "Ask", "Asking", "Endpoint", "Plan", "configured", "in_words", "judge", "limit", "plan", "summary"]

ADDRESS, MODEL, LIMIT = "TRILENS_JUDGE", "TRILENS_JUDGE_MODEL", "TRILENS_JUDGE_LIMIT"
USUAL_LIMIT = 2_000
summary = ask.summary


def configured() -> bool:
    """Return whether this server names a judge."""
    return all(os.environ.get(name, "").strip() for name in (ADDRESS, MODEL))


def judge() -> Endpoint | None:
    """Return the judge of this server, or None if there is none.

    Raises Unable unless the address is plain: pages show it, and visitors must see no password or query.
    """
    url, model = (os.environ.get(name, "").strip() for name in (ADDRESS, MODEL))
    if not configured():
        return None
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc or "@" in url or "?" in url:
        raise Unable(f"{ADDRESS} is not the plain address of a server, such as http://localhost:8080")
    return Endpoint(url, model)


def limit() -> int:
    """Return the maximum number of calls per press of the button, by default USUAL_LIMIT.

    Raises Unable if the value in the environment is not a number.
    """
    given = os.environ.get(LIMIT, "").strip()
    if not given:
        return USUAL_LIMIT
    if not given.isdecimal():
        raise Unable(f"{LIMIT} is not a number of calls, such as {USUAL_LIMIT}")
    return int(given)


@dataclass(eq=False)
class Asking:
    """The task of asking a judge about a study. `answers` is set once it is done.

    Each press of the button makes a new task, which does not ask for cached answers again.
    """

    study: Study
    asks: Sequence[Ask]
    endpoint: Endpoint
    cache: Cache
    repeats: int = 1
    answers: tuple[Answer, ...] | None = None
    key: str = field(default_factory=lambda: f"asking/{secrets.token_hex(8)}")
    phases = 1
    size = 0

    @property
    def outputs(self) -> frozenset[str]:
        """Only the key of the task, because answers are cached one by one."""
        return frozenset({self.key})

    @property
    def title(self) -> str:
        """The word "Asking" and the name of the judge's model."""
        return f"Asking {self.endpoint.model}"

    def turn(self, phase: int) -> Turn:
        """Always "parts": other jobs run in between, and the task resumes from the cache."""
        return "parts"

    def waiting_text(self, phase: int) -> str:
        """The beginning of the message shown while the task waits."""
        return f"{self.title}: waiting"

    def run_phase(self, phase: int, job: Job) -> None:
        """Ask the judge. Raises Unable if this takes more calls than allowed, or if the server cannot answer."""
        most, made = limit(), plan(self.study, self.asks, self.endpoint, self.cache, self.repeats)
        if made.calls > most:
            raise Unable(
                f"this takes {made.calls:,} calls, more than the {most:,} that {LIMIT} allows: nothing was sent"
            )
        text = ProgressText(self.title, job)
        hooks = Hooks(text.detail, job.should_stop, text.share, text.finished)
        with Client(self.endpoint) as client:
            self.answers = ask.ask(self.study, self.asks, client, self.cache, self.repeats, hooks=hooks)
