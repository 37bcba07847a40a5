"""A real server whose memory, and every address to which its processes connect, are recorded."""

from __future__ import annotations

import ipaddress
import os
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.browser.conftest import Server, start_server, stop_server

# Python reports what it connects to or looks up, in the server and in every Python process that it starts.
_HOOK = textwrap.dedent(
    """
    import os, sys

    def _tell(event, args):
        if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
            place = args[0] if event in ("socket.getaddrinfo", "socket.gethostbyname") else args[1]
            line = f"{place[0] if isinstance(place, tuple) else place}\\n".encode("utf-8", "replace")
            file = os.open(os.environ["LOAD_PEERS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            os.write(file, line)
            os.close(file)

    sys.addaudithook(_tell)
    """
)


class Watched:
    """A running server, with its memory, its use of the processor and the addresses to which it connected."""

    def __init__(self, server: Server, peers: Path) -> None:
        self.server = server
        self.url = server.url
        self._peers = peers
        self._seen: set[str] = set()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def memory(self) -> float:
        """Return the resident memory of the server process in MB."""
        return _status(self.server.process.pid, "VmRSS") / 1024

    def share_of_a_core(self, seconds: float) -> float:
        """Return the number of cores that the server and its child processes use on average over these seconds."""
        before = self._processor()
        time.sleep(seconds)
        return (self._processor() - before) / seconds

    def _processor(self) -> float:
        ticks = 0
        for process in _tree(self.server.process.pid):
            with suppress(OSError):
                fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def outside(self) -> set[str]:
        """Return names and addresses beyond this machine to which the server or a child process has connected."""
        told = self._peers.read_text(encoding="utf-8").split("\n") if self._peers.exists() else []
        return {place for place in (*told, *self._seen) if not _is_here(place)}

    def end(self) -> None:
        """Stop watching, and stop the server."""
        self._over.set()
        self._thread.join()
        stop_server(self.server)

    def _look(self) -> None:
        """Watch /proc for sockets, the only trace of connections by programs other than Python, such as Java."""
        while not self._over.wait(0.2):
            for process in _tree(self.server.process.pid):
                self._seen |= set(_remotes(process))


@contextmanager
def watched(folder: Path) -> Iterator[Watched]:
    """Run a server in `folder`, which may contain its cache, and watch it until the block ends."""
    hooks = folder / "hooks"
    hooks.mkdir()
    (hooks / "sitecustomize.py").write_text(_HOOK, encoding="utf-8")
    peers = folder / "peers.txt"
    path = os.pathsep.join(filter(None, [str(hooks), os.environ.get("PYTHONPATH")]))
    server = Watched(start_server(folder, PYTHONPATH=path, LOAD_PEERS=str(peers)), peers)
    try:
        yield server
    finally:
        server.end()


def _is_here(place: str) -> bool:
    if place in ("", "None", "localhost", "0.0.0.0", "::") or place.startswith("/"):
        return True
    with suppress(ValueError):
        address = ipaddress.ip_address(place.partition("%")[0])
        mapped = getattr(address, "ipv4_mapped", None)
        return (mapped or address).is_loopback or address.is_unspecified
    return False


def _status(process: int, field: str) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1])
    return 0


def _tree(root: int) -> list[int]:
    parents = {
        int(path.name): _status(int(path.name), "PPid") for path in Path("/proc").iterdir() if path.name.isdigit()
    }
    found = [root]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found


def _remotes(process: int) -> Iterator[str]:
    own = set()
    with suppress(OSError):
        for link in Path(f"/proc/{process}/fd").iterdir():
            with suppress(OSError):
                own.add(os.readlink(link))
    for table in ("tcp", "tcp6", "udp", "udp6"):
        with suppress(OSError):
            for line in Path(f"/proc/{process}/net/{table}").read_text(encoding="utf-8").splitlines()[1:]:
                parts = line.split()
                if f"socket:[{parts[9]}]" in own:
                    yield str(_address(parts[2].partition(":")[0]))


def _address(hexadecimal: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Parse an address in the notation of /proc: words of four bytes, last byte first."""
    raw = bytes.fromhex(hexadecimal)
    return ipaddress.ip_address(b"".join(raw[k : k + 4][::-1] for k in range(0, len(raw), 4)))
