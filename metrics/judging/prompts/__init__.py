"""The prompts for a judge: one text file each, with its version in the first line."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from json.encoder import encode_basestring
from pathlib import Path
from string import Template

from data.judge_answers import Prompt

FILES: dict[Prompt, str] = {
    "clair": "clair",
    "rating": "rating",
    "pairwise": "pairwise",
    "facts": "facts",
    "coverage": "covered",
    "precision": "covered",
    "alike": "alike",
}
"""The file of each prompt, without its extension."""


@dataclass(frozen=True)
class Wording:
    """The text of a prompt with placeholders such as `$captions`, and its version."""

    prompt: Prompt
    version: int
    text: str

    @property
    def digest(self) -> str:
        """The first eight digits of the sha256 of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:8]

    @property
    def signature(self) -> str:
        """Name, version and digest."""
        return f"{self.prompt}|v{self.version}|prompt:{self.digest}"

    def filled(self, **gaps: Sequence[str] | int) -> str:
        """Return the prompt with its placeholders filled in as JSON, so that no caption can close its list."""
        return Template(self.text).substitute({name: _as_json(of) for name, of in gaps.items()})


def _as_json(value: Sequence[str] | int) -> str:
    """Return `json.dumps(value, ensure_ascii=False)` in a tenth of the time, for plans of many prompts."""
    return str(value) if isinstance(value, int) else f"[{', '.join(map(encode_basestring, value))}]"


@cache
def wording(prompt: Prompt) -> Wording:
    """Return the wording of a prompt. Raises ValueError if its file does not state a version."""
    first, _, text = Path(__file__).with_name(f"{FILES[prompt]}.txt").read_text(encoding="utf-8").partition("\n")
    name, _, version = first.partition(": ")
    if name != "version" or not version.isdecimal():
        raise ValueError(f"{FILES[prompt]}.txt does not begin with its version")
    return Wording(prompt, int(version), text.strip() + "\n")
