"""A client of any OpenAI-compatible server: the only part of Trilens that sends captions over a network.

Nothing is sent unless the user names the server. The key comes only from the environment and stays in this module: it
is not part of any value, message, file or log.
"""

from __future__ import annotations

import json
import os
import random
import re
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from types import TracebackType

from data.findings import clip
from metrics.progress import Unable

KEY = "TRILENS_JUDGE_KEY"
TRIES = 5
LONGEST_WAIT = 120.0
"""Maximum wait in seconds before a question is sent again, even if the server asks for more."""
LARGEST_REPLY = 1 << 20
"""Maximum number of bytes of a reply: a typical explanation has a few hundred."""
SHORTEST_SECRET = 8
"""Minimum length of a key that is removed from replies: a shorter one is a placeholder that may occur in them."""
_RESERVED = re.compile(r"[|,;()=\s]+")
_PRIVATE = re.compile(r"(?:^|(?<=//))[^/?#]*@|[?#].*", re.DOTALL)
"""The parts of an address that may contain secrets: a user name with a password, and a query."""
_PASSING = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 529))
"""HTTP statuses after which the same question may succeed."""
_FINAL = {
    401: f"refuses the key: set {KEY} to a valid one",
    402: "asks for payment",
    403: f"refuses the key: set {KEY} to one that may use this model",
    404: "has no such model or address",
}


class Unanswered(Exception):
    """Raised for a question without an answer; the message is the reason, without a full stop."""


class Stopped(Exception):
    """Raised by a client that has been told to stop."""


@dataclass(frozen=True)
class Endpoint:
    """A server and a model on it. `temperature` and `seed` are sent with every question; `timeout` is in seconds."""

    url: str
    model: str
    temperature: float = 0.0
    seed: int = 0
    timeout: float = 60.0
    longest: int = 400
    """Maximum number of tokens per answer."""
    json: bool = True
    """Whether to request JSON (`response_format`), which not all servers support."""

    @property
    def address(self) -> str:
        """The URL for questions: a server named without a path gets the usual /v1."""
        base = self.url.rstrip("/")
        return f"{base if '/' in base.partition('://')[2] else f'{base}/v1'}/chat/completions"

    @property
    def shown(self) -> str:
        """The address in a form fit for display: without a user name, a password, a query or the key."""
        return _without(_given_key(), clip(_PRIVATE.sub("", self.url)))

    @property
    def parameters(self) -> str:
        """The model and the settings sent with a question, as part of signatures; the address is not included."""
        model, free = _RESERVED.sub("_", self.model), "" if self.json else "|free text"
        return f"model:{model}|temp:{self.temperature:g}|seed:{self.seed}|tokens:{self.longest}{free}"


@dataclass(frozen=True)
class Reply:
    """A server's reply: the text, why it ended, any refusal, the server's own identifier, and its token counts."""

    text: str
    finish: str
    refusal: str
    fingerprint: str
    tokens_in: int = 0
    tokens_out: int = 0


class Client:
    """A client of one endpoint that threads can share. `stop` ends its waits."""

    def __init__(self, endpoint: Endpoint, stop: threading.Event | None = None, pause: float = 1.0) -> None:
        """Store the settings; `pause` is the wait in seconds before the first retry, and doubles with each retry.

        Raises Unable for a key or an address that cannot be used.
        """
        import httpx2

        self.endpoint, self.stop, self.pause = endpoint, stop or threading.Event(), pause
        self._key = _given_key()
        self._limit, self._reached = "max_tokens", False
        if not re.fullmatch(r"[\x21-\x7e]*", self._key):
            raise Unable(f"{KEY} contains characters that no key can have: set it again")
        try:
            known = httpx2.URL(endpoint.address)
        except httpx2.InvalidURL:
            known = httpx2.URL("")
        if known.userinfo or known.query:
            raise Unable(f"{endpoint.shown}: name it without a user name, a password or a query; {KEY} takes a key")
        if known.scheme not in ("http", "https") or not known.host:
            where = "--judge takes one such as http://localhost:8080"
            raise Unable(f"{endpoint.shown} is not the address of a server: {where}")
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        # No redirects: the key must reach only the server that was named.
        self._http = httpx2.Client(timeout=endpoint.timeout, headers=headers, follow_redirects=False)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._http.close()

    def ask(self, prompt: str, repeat: int = 0) -> Reply:
        """Return the reply to a prompt, which is sent again if that may help.

        Raises Unanswered if this question fails, Unable if every question would fail, and Stopped once `stop` is set.
        """
        import httpx2

        why = ""
        for attempt in range(TRIES):
            if self.stop.is_set():
                raise Stopped
            wait, limit = 0.0, self._limit
            try:
                status, headers, body = self._post(prompt, repeat, limit)
            except httpx2.HTTPError as error:
                why = self._fault(error)
            else:
                self._reached = True
                if status == 200:
                    return self._said(body)
                if status == 400 and limit == "max_tokens" and b"max_completion_tokens" in body:
                    self._limit = "max_completion_tokens"
                    continue
                why, wait = self._refused(status, body), _wait_asked(headers.get("retry-after", ""))
            if wait > LONGEST_WAIT:
                raise Unanswered(f"{why}, and to wait {wait:,.0f} seconds")
            backoff = min(self.pause * 2**attempt, LONGEST_WAIT) * random.uniform(0.5, 1.0)
            if attempt + 1 < TRIES and self.stop.wait(max(wait, backoff)):
                raise Stopped
        raise Unanswered(why)

    def _post(self, prompt: str, repeat: int, limit: str) -> tuple[int, Mapping[str, str], bytes]:
        import httpx2

        of = self.endpoint
        question = {
            "model": of.model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": of.temperature,
            "seed": of.seed + repeat,
            limit: of.longest,
            **({"response_format": {"type": "json_object"}} if of.json else {}),
        }
        until, body = time.monotonic() + of.timeout, b""
        with self._http.stream("POST", of.address, json=question) as response:
            for part in response.iter_bytes():
                body += part
                if len(body) > LARGEST_REPLY:
                    raise Unanswered("the reply is longer than 1 MB")
                if time.monotonic() > until:
                    raise httpx2.ReadTimeout("the reply does not end")
            return response.status_code, response.headers, body

    def _refused(self, status: int, body: bytes) -> str:
        """Return why a status is not an answer. Raises Unable or Unanswered if asking again cannot help."""
        said = f"{status}{self._words(body)}"
        if status in _FINAL:
            raise Unable(f"{self.endpoint.shown} {_FINAL[status]} ({said})")
        if 300 <= status < 400:
            raise Unable(f"{self.endpoint.shown} redirects elsewhere ({status}): name that address with --judge")
        if status not in _PASSING:
            hint = "; --no-json leaves it out" if b"response_format" in body else ""
            raise Unanswered(f"the server refuses the question: {said}{hint}")
        return f"the server says {said}"

    def _said(self, body: bytes) -> Reply:
        """Return the reply in a body, with the key removed: replies are stored, and a server may echo what it was
        sent.
        """
        reply = _reply(body)
        if len(self._key) < SHORTEST_SECRET:
            return reply
        text, finish = self._without_key(reply.text), self._without_key(reply.finish)
        refusal, fingerprint = self._without_key(reply.refusal), self._without_key(reply.fingerprint)
        return Reply(text, finish, refusal, fingerprint, reply.tokens_in, reply.tokens_out)

    def _words(self, body: bytes) -> str:
        """Return ": " and the server's error message, or else the start of the body, on one line; "" if it is empty."""
        try:
            said = json.loads(body)["error"]
            text = said["message"] if isinstance(said, dict) else said
        except (ValueError, KeyError, TypeError, RecursionError):
            text = body[:200].decode("utf-8", "replace")
        return f": {clip(self._without_key(' '.join(str(text).split())))}" if text else ""

    def _fault(self, error: Exception) -> str:
        """Return a description of a network failure. Raises Unable if no connection to the server was ever made."""
        import httpx2

        if isinstance(error, httpx2.TimeoutException):
            return f"no answer within {self.endpoint.timeout:g} seconds"
        if isinstance(error, httpx2.ConnectError) and not self._reached:
            raise Unable(
                f"no server answers at {self.endpoint.shown}: start it, or name another with --judge"
            ) from None
        return f"the connection failed ({type(error).__name__})"

    def _without_key(self, text: str) -> str:
        return _without(self._key, text)


def _given_key() -> str:
    return os.environ.get(KEY, "").strip()


def _without(key: str, text: str) -> str:
    return text.replace(key, "(the key)") if key else text


def _reply(body: bytes) -> Reply:
    try:
        said = json.loads(body)
        choice = said["choices"][0]
        message = choice["message"]
        text = message.get("content") or ""
        if isinstance(text, list):
            text = "".join(part["text"] for part in text if part.get("type") == "text")
        used = said.get("usage") or {}
        tokens = used.get("prompt_tokens") or 0, used.get("completion_tokens") or 0
        named = [str(said[key]) for key in ("model", "system_fingerprint") if said.get(key)]
        facts = str(choice.get("finish_reason") or ""), str(message.get("refusal") or ""), "@".join(named)
        return Reply(str(text), *facts, *map(int, tokens))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise Unanswered("the reply is not what a server of this kind sends") from None


def _wait_asked(header: str) -> float:
    """Return the seconds to wait according to a Retry-After header, which is a number or a date; 0 if it is neither."""
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, TypeError):
        return 0.0
