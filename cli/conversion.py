"""`convert`: write a study as Trilens JSON Lines, or as the files that another program reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cli import output
from cli.output import fail
from data.convert import left_out, to_capevalkit, to_coco, to_jsonl_bytes
from data.study import Study

FORMATS: dict[str, Callable[[Study], dict[str, bytes]]] = {"capevalkit": to_capevalkit, "coco": to_coco}
HELP = (
    "capevalkit: references.jsonl and predictions_RUN.jsonl; coco: annotations.json and RUN_results.json, as "
    "pycocoevalcap reads them, in the folder --out. For sets, each position has its own file."
)


def check(out: Path, to: str) -> None:
    """Exit with status 2 if the format `to` does not exist, or if `out` is a file or a non-empty folder."""
    if to not in FORMATS:
        fail(f"--to {to}: choose one of {', '.join(FORMATS)}")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        fail(f"--out {out}: name a folder that does not exist, or is empty")


def write(out: Path, study: Study, to: str | None) -> str:
    """Write the study, and return a message with the path; list on stderr the data that the files cannot contain.

    Exit with status 2 if the folder or a file cannot be written.
    """
    if lacking := left_out(study, captions_only=to is not None):
        output.warn(f"Left out, as there is no place for them: {', '.join(lacking)}. `trilens bundle` keeps them.")
    if to is None:
        output.write(out, to_jsonl_bytes(study))
        return str(out)
    files = FORMATS[to](study)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"{out}: no folder can be made there ({error.strerror})")
    for name, content in files.items():
        output.write(out / name, content)
    return f"{out}: {', '.join(files)}"
