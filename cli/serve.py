"""`trilens serve`: open the app in the browser, with files loaded."""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from cli import findings, output, reading
from metrics import installation

FIRST_PORT, PORTS = 8501, 100
Host = Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 shares the app with the network.")]
Port = Annotated[int | None, typer.Option(help="By default the first free one from 8501.", min=1, max=65535)]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Open no browser.")]


def serve(
    files: Annotated[list[Path] | None, typer.Argument(help="Files to open; without any, the demo study.")] = None,
    references: Annotated[Path | None, typer.Option(help="File of references.")] = None,
    host: Host = "localhost",
    port: Port = None,
    no_browser: NoBrowser = False,
    classic: Annotated[
        bool, typer.Option("--classic", help="Open the classic study: made-up data with faults to find.")
    ] = False,
) -> None:
    """Serve the app with FILES loaded, and open it in the browser; Ctrl-C ends it.

    If no study can be read but a file has fields, the app asks for the role of each field.

    Exit status: 2 for files that cannot be used, or a port that is taken.
    """
    if classic:
        from data.demo.classic import files as shipped

        files = [*(files or []), *shipped()]
    given = [*(files or []), *([references] if references else [])]
    if given:
        loaded = reading.load(files or [], references)
        findings.show(loaded, Console(stderr=True))
        if loaded.study is None and not loaded.asked_for:
            output.fail("nothing to show: see the findings above")
        if loaded.study is None:
            output.warn("open the Data page: it asks which field is what")
    chosen = free_port(host, port)
    os.environ |= environment(files or [], [references] if references else []) if given else {}
    print(f"Trilens: http://{_here(host)}:{chosen} (Ctrl-C ends it)", flush=True)
    # The server replaces this process, so that ending either ends both.
    os.execv(sys.executable, command(host, chosen, no_browser))


def environment(files: list[Path], references: list[Path]) -> dict[str, str]:
    """Return the environment variables that tell the server which files to open."""
    return {"TRILENS_FILES": json.dumps([[str(path.absolute()) for path in part] for part in (files, references)])}


def command(host: str, port: int, no_browser: bool) -> list[str]:
    """Return the command line that serves the app."""
    options = {
        "server.address": host,
        "server.port": port,
        "server.headless": str(no_browser).lower(),
        "server.fileWatcherType": "none",
        "server.showEmailPrompt": "false",
        "browser.serverAddress": _here(host),
        "browser.gatherUsageStats": "false",
        "client.showErrorDetails": "none",
    }
    said = [f"--{name}={value}" for name, value in options.items()]
    return [sys.executable, "-m", "streamlit", "run", str(installation.APP), *said]


def _here(host: str) -> str:
    """Return the name by which this machine's browser reaches a server that listens on `host`."""
    return "localhost" if host in ("0.0.0.0", "::") else host


def free_port(host: str, port: int | None) -> int:
    """Return the requested port or, if it is None, the first free one of PORTS from FIRST_PORT.

    Exit with status 2 if there is none.
    """
    tried = range(FIRST_PORT, FIRST_PORT + PORTS) if port is None else [port]
    for one in tried:
        if _is_free(host, one):
            return one
    taken = f"the port {port} is" if port else f"the ports {FIRST_PORT} to {FIRST_PORT + PORTS - 1} are"
    output.fail(f"{taken} taken at {host}: --port names another")
    raise typer.Exit(2)


def _is_free(host: str, port: int) -> bool:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except socket.gaierror as error:
        output.fail(f"{host}: there is no such address ({error.strerror})")
    except OSError:
        return False
    return True
