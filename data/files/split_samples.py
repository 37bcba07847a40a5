"""Samples split into files of the same name, such as `00012.json` and `00012.txt`, as in WebDataset."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

import orjson

_TEXTS = ("txt", "text", "caption")
"""Extensions of files that contain the caption of a sample."""
_ROLE = re.compile(r"(?<=\d)[_-](?:decoded|generated|pred|prediction|hyp|hypothesis|ref|reference|gt|target)$")
"""A word after the number of a sample that shows what its text is, as in `000001_decoded.txt`."""
_FEWEST = 2
"""Minimum number of samples; files that share one name need not belong together."""


def named(names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return file names by sample and extension, for samples that have a caption and a digit in their name.

    The result is empty unless there are at least `_FEWEST` samples, and all of them or none have a JSON file.
    """
    found: dict[str, dict[str, str]] = {}
    for name in names:
        key, _, ending = PurePosixPath(name.replace("\\", "/")).name.partition(".")
        if ending in (*_TEXTS, "json") and any(character.isdigit() for character in key):
            found.setdefault(f"{PurePosixPath(name).parent}/{key}", {})[ending] = name
    whole = {key: of for key, of in found.items() if any(ending in of for ending in _TEXTS)}
    beside = [key for key, of in whole.items() if "json" in of]
    return whole if len(whole) >= _FEWEST and len(beside) in (0, len(found)) else {}


def joined(files: Mapping[str, bytes], samples: Mapping[str, Mapping[str, str]]) -> bytes:
    """Return the samples as a JSON list with one record each; `files` contains their contents by file name.

    The result is b"" if the files are not samples, for example because a caption has several lines or the fields of the
    records differ.
    """
    rows = [_record(key, {ending: files[name] for ending, name in of.items()}) for key, of in samples.items()]
    made = [row for row in rows if row]
    alike = len({frozenset(row) for row in made}) == 1
    return orjson.dumps(made) if len(made) == len(rows) and alike else b""


def _record(key: str, parts: Mapping[str, bytes]) -> dict[str, Any] | None:
    """Return the facts and the caption of a sample; None if its files do not form a sample."""
    try:
        facts = orjson.loads(parts.get("json", b"{}"))
        (text,) = (parts[ending].decode("utf-8-sig").strip() for ending in _TEXTS if ending in parts)
    except ValueError:
        return None
    if not isinstance(facts, dict) or "\n" in text:
        return None
    return {"id": _ROLE.sub("", PurePosixPath(key).name), **facts, "caption": text}
