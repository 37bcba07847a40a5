"""Test ids of two files that differ by case, a letter before YouTube ids, or padding; each difference has a repair."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from data.check import Loaded, repair
from data.load import load_study

CASE, YOUTUBE = "upper and lower case", "a Y before the ids of YouTube, as AudioSet has it"
FOLDERS, PADDING = "folders, file names or endings", "zero padding"
SOUNDS = ("-4w_uPCjDBc", "abcdefghijk", "ABCDEFGHIJK")


def people(ids: tuple[str, ...]) -> tuple[str, bytes]:
    return "references.json", json.dumps({id: [f"a thing {k}", f"one {k}"] for k, id in enumerate(ids)}).encode()


def model(ids: tuple[str, ...]) -> tuple[str, bytes]:
    return "m.json", json.dumps({id: f"the thing {k}" for k, id in enumerate(ids)}).encode()


def said(loaded: Loaded) -> Mapping[str, tuple[str, ...]]:
    assert loaded.study is not None
    (run,) = loaded.study.runs
    return dict(run.candidates)


@pytest.mark.parametrize(
    ("own", "other", "how"),
    [
        (("Img_a", "Img_b"), ("IMG_A.jpg", "img_B.png"), CASE),
        (("bild/ÄHRE.JPG", "ö"), ("ähre", "Ö"), CASE),
        (SOUNDS, tuple(f"Y{id}.wav" for id in SOUNDS), YOUTUBE),
        (tuple(f"audio/Y{id}" for id in SOUNDS), SOUNDS, YOUTUBE),
        (("0042", "7"), ("42", "7"), PADDING),
        (("img/42.jpg", "img/7.jpg"), ("42", "7"), FOLDERS),
    ],
)
def test_each_difference_is_named_and_its_repair_can_be_taken_back(
    own: tuple[str, ...], other: tuple[str, ...], how: str
) -> None:
    loaded = load_study([people(own), model(other)])
    assert said(loaded) == {id: (f"the thing {k}",) for k, id in enumerate(own)}
    (told,) = [one for one in loaded.findings if one.code == "ids_matched"]
    assert (told.problem, told.fix) == (f"Ids differ from those of the references in {how}.", "match_ids")
    plain = repair(loaded, [], without=["match_ids"])
    kept = [] if plain.study is None else [id for run in plain.study.runs for id in run.candidates]
    assert kept == [id for id in own if id in other]


def test_the_exact_id_wins_and_ids_that_differ_by_case_alone_stay_apart() -> None:
    both = load_study([people(("Abc", "abc", "x")), model(("abc", "Abc", "X"))])
    assert said(both) == {"Abc": ("the thing 1",), "abc": ("the thing 0",), "x": ("the thing 2",)}
    unclear = load_study([people(("Abc", "abc", "x")), model(("ABC", "x"))])
    assert said(unclear) == {"x": ("the thing 1",)}
    twice = load_study([people(("abc", "x")), model(("ABC", "Abc", "x"))])
    assert said(twice) == {"x": ("the thing 2",)}
    (told,) = [one for one in twice.findings if one.code == "ids_unclear"]
    assert told.id == "ABC; Abc"


def test_a_y_before_fewer_letters_than_youtube_has_is_a_part_of_the_id() -> None:
    loaded = load_study([people(("ellowstone", "x")), model(("Yellowstone", "x"))])
    assert said(loaded) == {"x": ("the thing 1",)}
