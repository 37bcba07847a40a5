"""Test which picture belongs to which item: by its image, its id, a pattern, or a number at the end of both names."""

from __future__ import annotations

import time

import pytest

from data.pictures.picture_names import Match, match, named, valid_pattern
from data.study import DataError, Item


def matched(items: list[tuple[str, str | None]], names: list[str], pattern: str = "") -> Match:
    return match([Item(id, ("A dog.",), image) for id, image in items], names, names, pattern)


@pytest.mark.parametrize(
    ("item", "name", "rule"),
    [
        (("1", "images/cat.png"), "images/cat.png", "image"),
        (("1", "images\\cat.png"), "drop.zip/pics/cat.png", "image"),
        (("1", "http://host.example/val/cat.jpg?size=3"), "val/cat.jpg", "image"),
        (("1", "cat.png"), "cat.webp", "image"),
        (("1", "CAT.JPG"), "cat.jpg", "image"),
        (("1", "cat"), "deep/er/cat.jpeg", "image"),
        (("cat.png", None), "cat.png", "id"),
        (("video12.mp4", None), "video12.jpg", "id"),
        (("v1.5", None), "v1.5.png", "id"),
        (("7", "elsewhere.png"), "7.png", "id"),
        (("رجل 🙂", None), "رجل 🙂.png", "id"),
    ],
)
def test_a_name_finds_its_picture(item: tuple[str, str | None], name: str, rule: str) -> None:
    found = matched([item, ("other", None)], ["zzz.png", name])
    assert found.of == {item[0]: 1}
    assert found.by == {rule: 1}
    assert found.without == ("other",)
    assert found.unused == ("zzz.png",)


def test_the_longest_common_end_of_two_paths_decides() -> None:
    found = matched([("1", "val/1.jpg"), ("2", "train/1.jpg")], ["x/train/1.jpg", "x/val/1.jpg"])
    assert found.of == {"1": 1, "2": 0}


def test_a_name_of_several_pictures_is_ambiguous_and_shows_none() -> None:
    found = matched([("1", "1.jpg"), ("2", "2.jpg")], ["a/1.jpg", "b/1.jpg", "2.jpg"])
    assert found.of == {"2": 2}
    assert found.ambiguous == ("1.jpg",)
    assert found.without == ()
    same = match([Item("1", ("a",), "1.jpg")], ["a/1.jpg", "b/1.jpg"], ["one", "one"])
    assert same.of == {"1": 0}  # the same picture twice


def test_several_items_of_one_image_share_its_picture() -> None:
    assert matched([("q1", "1.jpg"), ("q2", "1.jpg")], ["1.jpg"]).of == {"q1": 0, "q2": 0}


def test_numbers_with_zeros_and_a_prefix_are_found() -> None:
    names = [f"val2014/COCO_val2014_{n:012d}.jpg" for n in (139, 285, 632)]
    found = matched([("139", None), ("632", None), ("285", None)], names)
    assert found.of == {"139": 0, "632": 2, "285": 1}
    assert found.by == {"number": 3}


def test_numbers_that_count_something_else_are_not_taken() -> None:
    """If ids are line numbers, a few of them match numbers of pictures by chance."""
    names = [f"COCO_{n:012d}.jpg" for n in (3, 139, 285, 632)]
    found = matched([(str(k), None) for k in range(20)], names)
    assert found.of == {}
    assert len(found.without) == 20


def test_a_number_of_two_pictures_or_two_items_is_not_taken() -> None:
    found = matched([("1", None), ("2", None), ("3", None)], ["a_01.jpg", "b_1.jpg", "a_02.jpg", "a_03.jpg"])
    assert found.of == {"2": 2, "3": 3}
    found = matched([("cat_1", None), ("dog_1", None), ("cat_2", None)], ["001.jpg", "002.jpg"])
    assert found.of == {} or found.of == {"cat_2": 1}


def test_a_pattern_says_the_name() -> None:
    names = ["COCO_val2014_000000000139.jpg", "other_139.png"]
    found = matched([("139", None), ("285", None)], names, "COCO_val2014_{id:012d}.jpg")
    assert found.of == {"139": 0}
    assert found.by == {"pattern": 1}
    assert found.without == ("COCO_val2014_000000000285.jpg",)
    assert found.unused == ("other_139.png",)


@pytest.mark.parametrize(
    ("pattern", "id", "name"),
    [
        ("{id}.jpg", "a b", "a b.jpg"),
        ("x_{id:03d}.jpg", "7", "x_007.jpg"),
        ("x_{id:03}.jpg", "0007", "x_007.jpg"),
        ("x_{id:03d}.jpg", "7a", None),
        ("{id}", "../../etc/passwd", "../../etc/passwd"),
    ],
)
def test_patterns(pattern: str, id: str, name: str | None) -> None:
    assert named(valid_pattern(pattern), id) == name


@pytest.mark.parametrize(
    "pattern", ["", "x.jpg", "{id}{id}", "{0}", "{id.__class__}", "{id!r}", "{id:99999}", "{{id}}", "{id}" + "x" * 200]
)
def test_what_is_no_pattern_is_refused_with_the_remedy(pattern: str) -> None:
    with pytest.raises(DataError, match=r"A pattern has \{id\} once.*\{id:012d\}"):
        valid_pattern(pattern)


def test_five_thousand_items_are_matched_at_once() -> None:
    names = [f"a/b/c/d/val2014/COCO_val2014_{n:012d}.jpg" for n in range(5_000)]
    start = time.process_time()
    assert len(matched([(str(n), None) for n in range(5_000)], names).of) == 5_000
    assert time.process_time() - start < 3
