"""Lines that each state whether they are the reference or the hypothesis of an utterance, as speech tools print them.

Kaldi writes `utt1 ref a b` and `utt1 hyp a c`, icefall `utt1:<tab>ref=a b`, sclite `id: (utt1)` and jiwer `sentence 1`
above `REF: a b`. SpeechBrain writes `utt1, %WER ..` above three lines: the reference, the edits and the hypothesis.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from data.files.printed_lists import listed

_PEOPLE, _MODEL = "ref|reference|gt|ground[ _]truth|target", "hyp|hypothesis|pred|predicted|prediction|output"
_LINE = re.compile(
    rf"(?P<id>\S+?):?\s+(?:(?P<kind>ref|hyp)\s+|(?P<said>{_PEOPLE}|{_MODEL})\s*[=:]\s*)(?P<text>.*)", re.IGNORECASE
)
_ID = re.compile(r"(?:id:\s*\(?|sentence\s+)(?P<id>[^\s()]+)\)?\s*", re.IGNORECASE)
_RATE = re.compile(r"(?P<id>\S+), %WER .*")
_BELOW = re.compile(rf"(?P<kind>{_PEOPLE}|{_MODEL}):\s*(?P<text>.*)", re.IGNORECASE)
_GAP = re.compile(r"\*+|<eps>")
"""A word that is missing on one side of an alignment."""
REFERENCE, HYPOTHESIS = "ref", "hyp"
Said = tuple[str, str, int, str]
"""The id, the kind (`ref` or `hyp`), the line number and the text of a line."""


def lines(rows: Sequence[str]) -> list[Said]:
    """Return the references and hypotheses in labelled lines; [] unless every id has one of each, and at least a
    quarter of all filled lines are labelled.
    """
    found = list(_said(rows))
    kinds = [{id for id, kind, _, _ in found if kind == one} for one in (REFERENCE, HYPOTHESIS)]
    if not found or kinds[0] != kinds[1] or len(found) != 2 * len(kinds[0]) or 4 * len(found) < _filled(rows):
        return []
    return found


def _filled(rows: Sequence[str]) -> int:
    return sum(bool(row.strip()) for row in rows)


def _said(rows: Sequence[str]) -> Iterator[Said]:
    above = ""
    for k in (k for k, row in enumerate(rows) if _RATE.fullmatch(row) and k + 3 < len(rows)):
        id = rows[k].partition(", %WER ")[0]
        for kind, place in ((REFERENCE, k + 1), (HYPOTHESIS, k + 3)):
            yield id, kind, place + 1, _text(" ".join(rows[place].split(" ; ")))
    for number, row in enumerate(rows, 1):
        if match := _ID.fullmatch(row.strip()):
            above = match["id"]
        elif above and (match := _BELOW.fullmatch(row.strip())):
            yield above, _kind(match["kind"]), number, _text(match["text"])
        elif not above and (match := _LINE.fullmatch(row.strip())):
            yield match["id"].strip("[]()#"), _kind(match["kind"] or match["said"]), number, _text(match["text"])


def _kind(said: str) -> str:
    return REFERENCE if re.fullmatch(_PEOPLE, said, re.IGNORECASE) else HYPOTHESIS


def _text(said: str) -> str:
    words = (listed(said) if said.startswith("[") else None) or said.split()
    return " ".join(str(word) for word in words if not _GAP.fullmatch(str(word)))
