"""Text in which each item is a block of lines that begin with labels, such as `Image:` and `Caption:`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from data.fields.names import is_known, whose
from data.findings import Log, TrustedText, clip
from data.formats.nesting.nested_records import PICTURE

_LINE = re.compile(r"\s*(?:[-*>]\s+)?\*{0,2}(?P<label>[A-Za-z][\w /()#.-]{0,40}?)\s?:\*{0,2}(?:\s+(?P<text>\S.*))?")
_APART = re.compile(r"\W{3,}|[\W_]*(?:(?P<what>[A-Za-z]\w{0,20})\W*)?(?P<id>\d{1,9})[\W_]*")
"""A line that separates blocks: signs, or a block's number, as in `=== Sample 3 ===` and `[3]`."""
_OTHER = 5
"""Number of lines among which at most one may lack a label; such a line continues the text above it."""
_MOST_LABELS = 20
_IN_CHATS = frozenset(["assistant", "ai", "bot", "chatbot"])
"""Labels beside which `Human:` precedes a request to a model rather than a caption by people."""
_PEEK = 2_000
Block = dict[str, Any]


def records(text: str, name: str, log: Log) -> list[tuple[str, Block]] | None:
    """Return the blocks of a text as records by label, with their places; None if there are no such blocks.

    Blocks are separated by empty lines, signs or numbers, or else begin with the label of the first line. A label that
    occurs several times in a block gets a list of texts. A finding names the labels.
    """
    lines = [(number, line.rstrip()) for number, line in enumerate(text.splitlines(), 1)]
    if not _are_labelled([line for _, line in lines[:_PEEK] if line]):
        return None
    parted = any(not line or (_separator(line) is not None) for _, line in lines[1:-1])
    found: list[tuple[str, Block]] = []
    first, last, begins = "", "", True
    for number, line in lines:
        apart = _separator(line) if line else {}
        match = None if apart is not None else _LINE.fullmatch(line)
        label = match["label"].strip() if match else ""
        if apart is not None:
            begins, last = True, ""
            if apart:
                found.append((f"line {number}", dict(apart)))
                begins = False
            continue
        first = first or label
        if begins or (not parted and label and label == first):
            found.append((f"line {number}", {}))
            begins = False
        last = _add(found[-1][1], label, match["text"] or "" if match else line.strip(), last)
    kept = [(where, block) for where, block in found if any(map(_is_of_captions, block))]
    if len(kept) < 2:
        return None
    fields = ", ".join(f"`{clip(label)}`" for label in dict.fromkeys(key for _, block in kept[:20] for key in block))
    log.add("label_blocks", name, n=len(kept), fields=TrustedText(fields))
    return kept


def _are_labelled(lines: Sequence[str]) -> bool:
    """Return whether nearly all lines begin with a few labels, at least one of which is a name for captions."""
    found = [_LINE.fullmatch(line) for line in lines if _separator(line) is None]
    told = [match["label"].strip() for match in found if match]
    # A text may be on the line below its label.
    others = sum(not match and not (above and not above["text"]) for above, match in pairwise([None, *found]))
    labels = dict.fromkeys(told)
    several = 1 < len(labels) <= _MOST_LABELS and 2 * len(labels) <= len(told)
    return (
        several
        and _OTHER * others <= len(lines)
        and any(map(_is_of_captions, labels))
        and not _IN_CHATS & {*map(str.lower, labels)}
    )


def _is_of_captions(label: str) -> bool:
    return is_known(label) or whose(label) == "people"


def _separator(line: str) -> dict[str, str] | None:
    """Return the id in a line that separates blocks, {} if it has none, and None for any other line.

    The name of a picture is such an id, even between signs, as in `== kite.jpg ==`.
    """
    bare = line.strip().rstrip(":")
    if PICTURE.fullmatch(framed := bare.strip("=#*-_[]<>: ")):
        return {"id": framed}
    match = _APART.fullmatch(bare)
    return None if match is None else {"id": match["id"]} if match["id"] else {}


def _add(block: Block, label: str, text: str, last: str) -> str:
    """Add a text under its label, or to the last text if it has no label; return the label of the last text."""
    if not label:
        if last:
            known = block[last]
            block[last] = [*known[:-1], f"{known[-1]} {text}"] if isinstance(known, list) else f"{known} {text}".strip()
        return last
    if label in block:
        block[label] = [*(block[label] if isinstance(block[label], list) else [block[label]]), text]
    else:
        block[label] = text
    return label
