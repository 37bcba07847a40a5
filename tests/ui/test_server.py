"""Test that the server answers only this machine, looks up no public address, and advertises nothing."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Any look-up of a name or connection elsewhere is written to stderr.
WATCH = """
import socket, sys
real = socket.getaddrinfo
def told(host, *a, **k):
    if host not in (None, "", "localhost", "127.0.0.1", "::1", "0.0.0.0", "::"):
        print("LOOKED UP", host, file=sys.stderr, flush=True)
    return real(host, *a, **k)
socket.getaddrinfo = told
from streamlit.web.cli import main
main()
"""


def test_what_starts_the_app_says_where_it_answers() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["server"]["address"] == "localhost"
    assert config["browser"]["serverAddress"] == "localhost"
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "HOST ?= localhost" in makefile
    assert "--server.address=$(HOST)" in makefile
    assert "--server.address=0.0.0.0" in (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_the_user_of_the_container_owns_the_cache_and_not_the_code() -> None:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    assert not [line for line in lines if "chown" in line]
    assert lines.index("USER trilens") > lines.index("COPY . .")
    assert "VOLUME /cache" in lines
    assert any("TRILENS_CACHE=/cache" in line for line in lines)
    assert "docker run --init" in lines[0]


@pytest.mark.slow
@pytest.mark.parametrize(("address", "shared"), [(None, False), ("0.0.0.0", True)])
def test_it_answers_this_machine_alone_unless_told_otherwise(address: str | None, shared: bool, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = [f"--server.port={port}", "--server.headless=true", *([f"--server.address={address}"] if address else [])]
    env = {**os.environ, "TRILENS_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", WATCH, "run", "app.py", *options]
    server = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        wait_for(f"http://localhost:{port}/_stcore/health")
        listening = {address for address, at in listeners() if at == port}
        assert bool(listening & {"00000000", "0" * 32}) == shared, listening
        if not shared:
            assert opened(port, f"http://localhost:{port}")
            assert opened(port, "http://localhost:1"), "docs/deploy.md says that any port of this machine may"
    finally:
        server.terminate()
        said = server.communicate(timeout=30)[0]
    assert "External URL" not in said
    assert not re.findall("LOOKED UP .*", said)


def opened(port: int, origin: str) -> bool:
    head = {
        "Host": f"localhost:{port}",
        "Origin": origin,
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
    }
    with socket.create_connection(("localhost", port), timeout=20) as line:
        lines = ["GET /_stcore/stream HTTP/1.1", *(f"{name}: {value}" for name, value in head.items()), "", ""]
        line.sendall("\r\n".join(lines).encode())
        return line.recv(100).startswith(b"HTTP/1.1 101")


def wait_for(address: str) -> None:
    end = time.monotonic() + 90
    while True:
        try:
            with urllib.request.urlopen(address, timeout=2) as answer:
                assert answer.read() == b"ok"
                return
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.3)


def listeners() -> set[tuple[str, int]]:
    tables = [path for path in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")) if path.exists()]
    if not tables:
        pytest.skip("needs /proc")
    rows = [line.split() for path in tables for line in path.read_text().splitlines()[1:]]
    places = [row[1].split(":") for row in rows if row[3] == "0A"]
    return {(address, int(port, 16)) for address, port in places}


def test_streamlit_advertises_nothing_over_the_pages() -> None:
    """Outside headless mode, Streamlit offers to install files for coding agents unless its welcome message is off."""
    assert tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["logger"]["hideWelcomeMessage"] is True


def test_a_new_server_shows_the_menu_before_it_imports_the_rest() -> None:
    """The script ends where app.py would import `ui.shell`; until then, Streamlit must not list the files in pages/."""
    code = "import sys; from streamlit import get_option; from streamlit.testing.v1 import AppTest"
    code += "\nprint(get_option('client.showSidebarNavigation'))"
    code += "\nshown = AppTest.from_string('from ui.frame import early; early.show()').run()"
    code += "\nprint(get_option('client.showSidebarNavigation'), [part.value for part in shown.caption])"
    code += "\nprint({'figures', 'metrics', 'pandas'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("False\nTrue ['Starting: ")
    assert done.stdout.endswith("]\nset()\n")
