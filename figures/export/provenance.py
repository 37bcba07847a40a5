"""Provenance of a saved figure: a short line in the picture, optional notes, and everything in its metadata."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from data.version import VERSION
from metrics.registry import METRICS

MOST = 2
"""Maximum number of metrics that the short line names; if there are more, they are counted."""
_START = re.compile(r"(?<!\S)(?=[\w().=*^-]+\|v\d+(?:\||\s|,|$))")
_N = re.compile(r"\bn = .+?(?=[,;.](?:\s|$)|$)")


@dataclass(frozen=True)
class Signing:
    """The parts of a footer: `line` and `notices` are always printed, `notes` (what marks mean) only on request."""

    line: str
    notes: str
    notices: tuple[str, ...]
    signatures: tuple[str, ...]

    @property
    def software(self) -> str:
        """The program that produced the file."""
        return f"Trilens {VERSION}"


def signing(footer: str) -> Signing:
    """Return the parts of a footer, which has facts, then signatures; later lines without a signature are notices."""
    facts: list[str] = []
    notices: list[str] = []
    signatures: list[str] = []
    for k, row in enumerate(footer.split("\n")):
        said, *signed = _START.split(row)
        signatures += [text.strip().rstrip(",") for text in signed]
        if said.strip():
            (notices if k and not signed else facts).append(said.strip())
    notes = " ".join(facts)
    return Signing(_line(notes, signatures), notes, tuple(notices), tuple(dict.fromkeys(signatures)))


def _line(facts: str, signatures: Sequence[str]) -> str:
    """The sample size, the metrics and the program: "n = 48 images; CIDEr-D v1; Trilens".

    "" if there is neither a sample size nor a metric.
    """
    n = _N.search(facts)
    names = list(dict.fromkeys(map(_name, signatures)))
    told = names if len(names) <= MOST else [f"{len(names)} metrics"]
    return "; ".join([*([n[0]] if n else []), *told, "Trilens"]) if n or told else ""


def _name(signature: str) -> str:
    name, version = signature.split("|")[:2]
    metric = METRICS.get(name)
    return f"{metric.label if metric else name.replace('_', ' ')} {version}"
