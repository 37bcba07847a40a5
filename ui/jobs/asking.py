"""Asking the judge that the server's environment names, as a job: nothing is sent before somebody starts one.

The only module above the commands that knows the client of a judge.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from data.answers import Answer
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
    """Return the judge of this server, or None without one.

    Raises Unable for an address that visitors may not see, with a password or a query, since pages show it.
    """
    url, model = (os.environ.get(name, "").strip() for name in (ADDRESS, MODEL))
    if not configured():
        return None
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc or "@" in url or "?" in url:
        raise Unable(f"{ADDRESS} is no address of a server alone, such as http://localhost:8080")
    return Endpoint(url, model)


def limit() -> int:
    """Return the most calls that one press of the button may take. Raises Unable for one that is no number."""
    given = os.environ.get(LIMIT, "").strip()
    if not given:
        return USUAL_LIMIT
    if not given.isdecimal():
        raise Unable(f"{LIMIT} is no number of calls, such as {USUAL_LIMIT}")
    return int(given)


@dataclass(eq=False)
class Asking:
    """The work of asking a judge about a study. `answers` are there once it is done.

    Each press of the button is a work of its own: answers that are kept in the cache are not asked for again.
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
        """Its own key: the answers are kept one by one in the cache."""
        return frozenset({self.key})

    @property
    def title(self) -> str:
        """The model that is asked."""
        return f"Asking {self.endpoint.model}"

    def turn(self, phase: int) -> Turn:
        """In parts: other jobs run between, and the asking goes on from the cache."""
        return "parts"

    def waiting_text(self, phase: int) -> str:
        """The beginning of its message while it waits."""
        return f"{self.title}: waiting"

    def run_phase(self, phase: int, job: Job) -> None:
        """Ask, unless it takes more calls than the server allows. Raises Unable where the server cannot answer."""
        most, made = limit(), plan(self.study, self.asks, self.endpoint, self.cache, self.repeats)
        if made.calls > most:
            raise Unable(f"this takes {made.calls:,} calls, more than the {most:,} of {LIMIT}: nothing was sent")
        text = ProgressText(self.title, job)
        hooks = Hooks(text.detail, job.should_stop, text.share, text.finished)
        with Client(self.endpoint) as client:
            self.answers = ask.ask(self.study, self.asks, client, self.cache, self.repeats, hooks=hooks)
