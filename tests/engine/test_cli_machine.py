"""Test the command line in real processes on faulty machines: no home, user name, memory, reader or writable disk."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.errors import report_errors
from tests.command_line import trilens

ROOT = Path(__file__).resolve().parents[2]
SCORE = ("--metrics", "bleu_4", "--tokenizer", "whitespace")
NOBODY = 54321


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.jsonl"
    row = {"id": "é", "references": ["Un café.", "A café."], "candidates": {"=m": ["A café!"], "k": ["x"]}}
    path.write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
    return path


def run(
    *arguments: object, before: list[str] | None = None, limit: Callable[[], None] | None = None, **env: str
) -> subprocess.CompletedProcess[str]:
    command = [*(before or []), sys.executable, "-m", "metrics", *map(str, arguments)]
    known = {"PATH": os.environ["PATH"], "NUMBA_CACHE_DIR": "", **env}
    return subprocess.run(
        command,
        cwd=ROOT,
        env={key: value for key, value in known.items() if value},
        capture_output=True,
        encoding="utf-8",
        preexec_fn=limit,
        timeout=120,
        check=False,
    )


def test_ascii_output(study: Path) -> None:
    asked = ("score", study, *SCORE, "--level", "item", "--no-cache")
    done = run(*asked, HOME=str(study.parent), LC_ALL="C", PYTHONIOENCODING="ascii:strict")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "\\xe9" in done.stdout


@pytest.mark.skipif(
    os.name != "posix" or os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root, setpriv"
)
def test_a_user_without_name_and_home(study: Path) -> None:
    """The user may read all files, as the current user may, but is unknown to the system and has no home.

    The metric is TRM because compiled code cannot be cached here, and BLEU would take seven seconds to compile.
    """
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        seen_by_a_nameless_user(Path(shutil.copy(study, folder)), Path(folder))


def seen_by_a_nameless_user(study: Path, folder: Path) -> None:
    can = "-all,+dac_read_search"
    nobody = ["setpriv", "--reuid", str(NOBODY), "--clear-groups", f"--inh-caps={can}", f"--ambient-caps={can}"]
    done = run("score", study, "--metrics", "trm_bow", "--p-values", before=nobody)
    assert done.returncode in (0, 1), done.stderr
    assert "there is no home folder to keep results in: name one with --cache-dir or TRILENS_CACHE" in done.stderr
    assert "Traceback" not in done.stderr
    done = run("cache", "info", before=nobody)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    done = run("score", study, *SCORE, "--out", folder / "scores.csv", before=nobody)
    assert done.returncode == 2
    assert "nothing can be written there (Permission denied)" in done.stderr
    assert not done.stdout


def test_too_little_memory(study: Path) -> None:
    sentences = 0
    for megabytes in (60, 150, 250, 300):

        def limit(n: int = megabytes << 20) -> None:
            resource.setrlimit(resource.RLIMIT_AS, (n, n))

        done = run("score", study, *SCORE, "--no-cache", limit=limit, HOME=str(study.parent))
        if done.returncode == 0:
            continue
        assert done.returncode == 1
        assert "Traceback" not in done.stderr or "OpenBLAS" in done.stderr
        sentences += "there is not enough memory; give fewer or smaller files, or --jobs 1." in done.stderr
    assert sentences >= 2


@pytest.mark.parametrize(
    "said", ["error return without exception set", "<method> returned NULL without setting an exception"]
)
def test_an_allocation_that_fails_within_python_is_one(said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended, report_errors():
        raise SystemError(said)
    assert ended.value.code == 1
    assert "there is not enough memory" in capsys.readouterr().err


def test_a_score_loads_no_tables() -> None:
    """pandas loads Arrow, which fails at its start or later if its allocator cannot reserve memory."""
    code = "import sys, cli.score, metrics.analysis.bundle; print({'pandas', 'pyarrow'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == "set()\n"


def test_a_metric_that_runs_out_of_memory(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def out_of_memory(*arguments: object, **named: object) -> None:
        raise MemoryError

    monkeypatch.setattr("cli.reading.load_study", out_of_memory)
    result = trilens("check", study, expect=1)
    assert "there is not enough memory" in result.stderr


@pytest.mark.parametrize("command", [("list",), ("score", *SCORE, "--no-cache")])
def test_a_reader_that_leaves(command: tuple[str, ...], study: Path) -> None:
    files = [] if command == ("list",) else [str(study)]
    line = [sys.executable, "-m", "metrics", command[0], *files, *command[1:]]
    process = subprocess.Popen(line, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stderr is not None  # noqa: PT018
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert process.wait(60) == 141
    assert "Error" not in said
    assert "Traceback" not in said


OUT = {
    "score": (*SCORE,),
    "unique-correct": ("--distance", "bow"),
    "convert": (),
    "bundle": (),
    "report": (),
}
ENDINGS = {"score": "csv", "unique-correct": "csv", "convert": "jsonl", "bundle": "zip", "report": "html"}


@pytest.mark.parametrize("command", OUT)
def test_out_is_tried_before_anything_is_read(command: str, tmp_path: Path) -> None:
    """The input file does not exist, so a command that reads it first would report that instead."""

    def said(out: Path) -> str:
        result = trilens(command, tmp_path / "absent.json", "--out", out, *OUT[command], expect=2)
        return " ".join(result.output.split())

    ending = ENDINGS[command]
    folder = tmp_path / f"folder.{ending}"
    folder.mkdir()
    assert "this is a folder; name a file" in said(folder)
    assert "there is no folder" in said(tmp_path / "no" / f"x.{ending}")
    assert "write to a" in said(tmp_path / "x.exe")
    assert "nothing can be written there (File name too long)" in said(tmp_path / f"{'x' * 300}.{ending}")
    if Path("/proc/self").is_dir():
        assert "nothing can be written there" in said(Path(f"/proc/self/x.{ending}"))
    assert "there is no such file" in said(tmp_path / f"fine.{ending}")
    assert sorted(path.name for path in tmp_path.iterdir()) == [folder.name]


def test_out_appears_whole_or_not_at_all(study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    out = tmp_path / "scores.csv"
    out.write_text("before")

    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr("cli.output.os.replace", full)
        result = trilens("score", study, *SCORE, "--out", out, expect=2)
    assert "it could not be written (No space left on device)" in " ".join(result.output.split())
    assert out.read_text() == "before"
    trilens("score", study, *SCORE, "--out", out)
    assert "'=m" in out.read_text()
    mask = os.umask(0)
    os.umask(mask)
    assert out.stat().st_mode & 0o777 == 0o666 & ~mask
    assert not list(tmp_path.glob(".*"))


READING = ("score", "compare", "unique-correct", "convert", "bundle", "report", "idf")
GIVEN = [(command, how) for command in READING for how in ("file", "link", "references")]


@pytest.mark.parametrize(("command", "given"), [pair for pair in GIVEN if pair != ("idf", "references")])
def test_out_never_replaces_a_file_that_is_read(command: str, given: str, study: Path, tmp_path: Path) -> None:
    ending = {**ENDINGS, "compare": "csv", "idf": "npz"}[command]
    out = source = study.rename(tmp_path / f"study.{ending}")
    before = source.read_bytes()
    if given == "link":
        out = tmp_path / f"link.{ending}"
        out.symlink_to(source)
    files = [tmp_path / "absent.json", "--references", source] if given == "references" else [source]
    result = trilens(command, *files, "--out", out, expect=2)
    assert f"{out.name}: --out would replace a file that is read: name another" in result.stderr
    assert source.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1 + (given == "link")


def test_out_never_replaces_the_document_frequencies(study: Path, tmp_path: Path) -> None:
    idf = tmp_path / "idf.csv"
    idf.write_text("kept")
    result = trilens("score", study, "--idf", idf, "--out", idf, expect=2)
    assert idf.read_text() == "kept"
    assert "no such" not in result.stderr
