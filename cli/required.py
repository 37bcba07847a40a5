"""Check for missing parts of a study, and for names in a command that no file has."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from cli.output import fail, warn
from data.files.blobs import Blob
from data.load import Loaded
from data.run_settings import parse_stem
from data.study import Study

SHOWN, MOST = 20, 20_000
"""Maximum number of names that a message lists, and maximum number of names searched for a similar one."""


def require_run(run: str, study: Study) -> None:
    """Exit with status 2 if no run of the study has that name."""
    require_known("run", run, [known.name for known in study.runs])


def only_runs(study: Study, runs: Sequence[str]) -> Study:
    """Return the study with only these runs, or with all if none is named.

    Exit with status 2 for a run that the study does not have.
    """
    for name in runs:
        require_run(name, study)
    return study.only(runs=runs or None)


def require_known(what: str, name: str, known: Sequence[str]) -> None:
    """Exit with status 2 for a name that is not `known`; the message suggests the most similar name or else lists the
    first ones.
    """
    if name in known:
        return
    if near := get_close_matches(name[:100], known[:MOST], 1):
        fail(f"there is no {what} {name!r}; did you mean {near[0]!r}?")
    more = f" and {len(known) - SHOWN:,} more" if len(known) > SHOWN else ""
    fail(f"there is no {what} {name!r}; there are {', '.join(known[:SHOWN]) or 'none'}{more}")


def require_complete(loaded: Loaded, keep_going: bool) -> None:
    """Report the files, runs, ratings and scores that the study lacks.

    If there are any, exit with status 2 unless `keep_going`. Also exit with status 2 if `--map` names a field that no
    file has.
    """
    lacking = [*map(_contents_of, loaded.unread), *(finding.problem for finding in loaded.lacking)]
    for sentence in lacking:
        warn(sentence)
    if any(finding.code == "unknown_override" for finding in loaded.findings):
        fail("--map names fields that no file has: see the findings above.")
    if lacking and not keep_going:
        fail("Fix this or leave it out; --keep-going compares what is left.")


def _contents_of(name: str) -> str:
    held = run_of_file(name)
    return f"{name} could not be read: {held[0].lower()}{held[1:]} is missing from the comparison."


def run_of_file(name: str) -> str:
    """Return a phrase for the run that the name of an unread file suggests."""
    return f"What it holds (run {parse_stem(Blob(name, b'').stem)}, unless it names others)"
