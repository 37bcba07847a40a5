"""The small world of the demo: scenes, each a set of facts about who does what, where, and beside what.

Scenes are TOML tables. Every field is a list of options in the notation of `tools.demo.notation`, ordered by salience;
"!" marks a wrong one. `noun` is singular, "~" marks verbs to be inflected, and {its} and {it} are pronouns that agree
with the subject.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "scenes"


@dataclass(frozen=True)
class Scene:
    """The facts visible in one picture, and the words that people may use about it.

    `count` is "one", "two" or "many", and `counts` are special words for that number, if any; `whole` is a group that
    takes a singular verb ("a couple"), and `pair` names its members ("a man and a woman"). For a `still` subject, the
    caption always states where it sits or stands. `thing` is the object of `act`. `back` describes other things in the
    picture, and `also` other events. The other fields are for captions that go beyond what is visible: `mood`, `enjoy`,
    `remark` (subjective), `next`, `prior`, `when`, `story` (story), `shot` (meta).
    """

    id: str
    title: str
    noun: str
    act: str
    place: str
    setting: str
    back: str
    also: str
    mood: str
    remark: str
    next: str
    prior: str
    when: str
    story: str
    shot: str
    count: str = "one"
    counts: str = ""
    whole: str = ""
    pair: str = ""
    pronoun: str = "it"
    size: str = ""
    adj: str = ""
    post: str = ""
    thing: str = ""
    enjoy: str = ""
    still: bool = False


NOT_SLOTS = {"id", "title", "count", "counts", "pronoun", "still"}
SLOTS = tuple(field.name for field in fields(Scene) if field.name not in NOT_SLOTS)


@cache
def places() -> dict[str, str]:
    """Return the name of each scene's file, which states the kind of place, by the scene's id."""
    return {id: path.stem for path, id, _ in _tables()}


@cache
def scenes() -> tuple[Scene, ...]:
    """Return all scenes, in the order of their files and of the tables in each."""
    return tuple(Scene(id=id, **table) for _, id, table in _tables())


def _tables() -> Iterator[tuple[Path, str, dict[str, Any]]]:
    for path in sorted(FOLDER.glob("*.toml")):
        for id, table in tomllib.loads(path.read_text(encoding="utf-8")).items():
            yield path, id, table
