"""A session without a browser: Streamlit's messages over a WebSocket, and uploads over HTTP."""

from __future__ import annotations

import time
import urllib.request
import uuid
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urljoin

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileUploaderState, FileURLsRequest, UploadedFileInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect

_DONE = {ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_WITH_COMPILE_ERROR}
_XSRF = "_streamlit_xsrf"


@dataclass
class Visit:
    """One run of a page: seconds until its script was done, bytes received, whether its job runs, and any problems."""

    seconds: float
    size: int = 0
    busy: bool = False
    problems: list[str] = field(default_factory=list)
    messages: list[bytes] = field(default_factory=list, repr=False)

    def says(self, text: str) -> bool:
        """Return whether a text occurs anywhere in what the server sent."""
        return any(text.encode() in message for message in self.messages)


class Session:
    """One visitor of a server, as far as the server can tell."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.query = ""
        self.page = ""
        self._name = ""
        self._uploader = ""
        self._xsrf = _cookie(url)
        address = f"{url.replace('http', 'ws', 1)}/_stcore/stream"
        headers = {"Cookie": f"{_XSRF}={self._xsrf}", "User-Agent": "load"}
        self._socket = connect(
            address,
            subprotocols=["streamlit", self._xsrf],  # type: ignore[list-item]
            max_size=None,
            additional_headers=headers,
            open_timeout=60,
            ping_interval=None,
        )

    def open(self, page: str, query: str | None = None, seconds: float = 120) -> Visit:
        """Go to a page by its address and wait until its script is done."""
        self.page, self.query = page, self.query if query is None else query
        return self._run([], seconds)

    def open_idle(self, page: str, query: str | None = None, seconds: float = 900) -> Visit:
        """Open a page again and again until none of its jobs is running; the visit's seconds cover all of that.

        Raises TimeoutError if a job still runs after `seconds`.
        """
        start = time.perf_counter()
        visit = self.open(page, query)
        while visit.busy:
            if time.perf_counter() - start > seconds:
                raise TimeoutError(f"{page} still waits for a job after {seconds:.0f} s")
            time.sleep(2)
            visit = self.open(page)
        visit.seconds = time.perf_counter() - start
        return visit

    def upload(self, name: str, content: bytes) -> Visit:
        """Drop one file on the Data page and wait until its study is open.

        Raises RuntimeError if the open study is still the previous one.
        """
        self.open("dataset", "")
        before = self.query
        ask = FileURLsRequest(request_id=str(uuid.uuid4()), file_names=[name], session_id=self._name)
        self._socket.send(BackMsg(file_urls_request=ask).SerializeToString())
        while (message := self._next(60)).WhichOneof("type") != "file_urls_response":
            pass
        place = message.file_urls_response.file_urls[0]
        self._put(place.upload_url, name, content)
        info = UploadedFileInfo(name=name, size=len(content), file_id=place.file_id, file_urls=place)
        state = FileUploaderState(uploaded_file_info=[info])
        visit = self._run([WidgetState(id=self._uploader, file_uploader_state_value=state)], 300)
        if self.query == before:
            raise RuntimeError(f"{name} was not opened as a study")
        return visit

    def close(self) -> None:
        """Close the tab."""
        self._socket.close()

    def _put(self, path: str, name: str, content: bytes) -> None:
        mark = uuid.uuid4().hex
        head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
        request = urllib.request.Request(
            urljoin(f"{self.url}/", path.lstrip("/")),
            head + content + f"\r\n--{mark}--\r\n".encode(),
            method="PUT",
            headers={
                "Content-Type": f"multipart/form-data; boundary={mark}",
                "X-Xsrftoken": self._xsrf,
                "Cookie": f"{_XSRF}={self._xsrf}",
            },
        )
        with urllib.request.urlopen(request, timeout=120) as answer:
            assert answer.status == 204

    def _run(self, widgets: list[WidgetState], seconds: float) -> Visit:
        ask = BackMsg()
        ask.rerun_script.query_string = self.query
        ask.rerun_script.page_name = self.page
        ask.rerun_script.widget_states.widgets.extend(widgets)
        start = time.perf_counter()
        self._socket.send(ask.SerializeToString())
        visit = Visit(0.0)
        while True:
            message = self._next(seconds, visit)
            kind = message.WhichOneof("type")
            if kind == "script_finished" and message.script_finished in _DONE:
                visit.seconds = time.perf_counter() - start
                return visit
            self._heed(message, visit)

    def _heed(self, message: ForwardMsg, visit: Visit) -> None:
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._name = message.new_session.initialize.session_id
            visit.busy, self._uploader = False, ""
        elif kind == "auto_rerun":
            visit.busy = True
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "page_not_found":
            visit.problems.append(f"no page {self.page}")
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            element: Any = message.delta.new_element
            if element.WhichOneof("type") == "exception":
                visit.problems.append(f"{element.exception.type}: {element.exception.message}")
            elif element.WhichOneof("type") == "file_uploader" and not self._uploader:
                # The first on the Data page is for captions; those for pictures and frequencies are further down.
                self._uploader = element.file_uploader.id

    def _next(self, seconds: float, visit: Visit | None = None) -> ForwardMsg:
        raw = self._socket.recv(timeout=seconds)
        assert isinstance(raw, bytes)
        if visit is not None:
            visit.size += len(raw)
            visit.messages.append(raw)
        return ForwardMsg.FromString(raw)


def _cookie(url: str) -> str:
    for path in ("/_stcore/health", "/_stcore/host-config", "/"):
        with urllib.request.urlopen(url + path, timeout=60) as answer:
            for line in answer.headers.get_all("Set-Cookie") or ():
                if _XSRF in (cookie := SimpleCookie(line)):
                    return cookie[_XSRF].value
    raise RuntimeError("the server gives no XSRF token")
