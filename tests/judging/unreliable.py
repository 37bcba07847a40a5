"""Run a real HTTP server that answers as instructed: correctly, wrongly, slowly, or with an error."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answered:
    body: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0


def said(text: Any, finish: str = "stop", **more: Any) -> Answered:
    message = {"role": "assistant", "content": text, **more}
    choice = {"index": 0, "finish_reason": finish, "message": message}
    used = {"prompt_tokens": 12, "completion_tokens": 3}
    return Answered(json.dumps({"model": "tiny", "system_fingerprint": "f1", "choices": [choice], "usage": used}))


Tells = Callable[[int, dict[str, Any]], Answered]
"""A function from the number of a request, counted from 0, and its body to the reply."""


@dataclass
class Server:
    url: str
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@contextmanager
def serving(tells: Tells) -> Iterator[Server]:
    lock, known = threading.Lock(), Server("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                number = len(known.bodies)
                known.bodies.append(body)
                known.headers.append(dict(self.headers.items()))
                known.paths.append(self.path)
            reply = tells(number, body)
            time.sleep(reply.seconds)
            content = reply.body.encode()
            self.send_response(reply.status)
            for name, value in {"Content-Length": str(len(content)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            """Ignore that clients leave before the reply, since some tests do so on purpose."""

    server = Quiet(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    known.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield known
    finally:
        server.shutdown()
        server.server_close()
