"""Answers of a judge: a model that was asked about the captions of a study."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Literal

import orjson

JUDGE = "judge:"
"""The beginning of the criterion of preferences that a judge stated, here or in a file; the judge's name follows."""
Prompt = Literal["clair", "rating", "pairwise", "facts", "coverage", "precision", "alike"]
"""The prompts for judges, described in docs/judges.md."""
RANGES: dict[str, tuple[float, float]] = {
    "clair": (0.0, 1.0),
    "rating": (0.0, 5.0),
    "pairwise": (0.0, 1.0),
    "coverage": (0.0, 1.0),
    "precision": (0.0, 1.0),
    "alike": (0.0, 1.0),
}
"""The lowest and highest score for each prompt; `facts` lists facts and has no score."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a judge about one or more captions of an item.

    `captions` are in the order in which the judge saw them. `runs` and `places` identify them: the run and the position
    among the run's candidates, or "" and the position among the references. `order` is 1 if the judge saw a pair in
    reverse order, else 0, and `repeat` counts how often the same prompt was asked before.

    `score` is within `RANGES`: the quality of the caption (`clair` 0 to 1, `rating` 0 to 5), the share of facts that
    are supported (`coverage`, `precision`), the similarity of two captions (`alike`), or the vote for the caption seen
    first (`pairwise`: 1, 0, or 0.5 for neither). It is NaN if the answer was refused or cannot be read; `fault` then
    says why, and is "" otherwise. `reason` is the explanation that the judge gave or, if the reply cannot be read, the
    beginning of the reply. `facts` are the facts listed or checked, and `held` records whether each one is supported.

    `signature` contains the prompt with its version and digest, the model and the settings; `fingerprint` identifies
    the version of the model on the server.
    """

    judge: str
    prompt: Prompt
    signature: str
    item: str
    runs: tuple[str, ...]
    places: tuple[int, ...]
    captions: tuple[str, ...]
    order: int = 0
    repeat: int = 0
    score: float = math.nan
    reason: str = ""
    fault: str = ""
    facts: tuple[str, ...] = ()
    held: tuple[bool, ...] = ()
    fingerprint: str = ""

    @property
    def question(self) -> tuple[object, ...]:
        """The question and the judge to whom it was put; unique among the answers of a study."""
        return self.signature, self.prompt, self.item, self.runs, self.places, self.order, self.repeat


def to_jsonl_bytes(answers: Iterable[Answer]) -> bytes:
    """Return the answers as JSON Lines, one per line; NaN becomes null."""
    return b"".join(orjson.dumps(asdict(one)) + b"\n" for one in answers)
