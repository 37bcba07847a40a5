"""Test how numbers are formatted and texts are cut."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from figures.style.escaping import capital, short
from figures.style.numbers import (
    at_floor,
    count,
    decimals,
    interval,
    num,
    ordinal,
    p_phrase,
    p_text,
    percent,
    percent_ticks,
    rank_text,
    signed,
    temperature,
    temperature_format,
)


@pytest.mark.parametrize(
    ("value", "text"), [(1, "1.0"), (1.0, "1.0"), (0.3, "0.3"), (0.25, "0.25"), (0.0, "0.0"), (10, "10.0"), (None, "–")]
)
def test_a_temperature_has_one_decimal_or_as_many_as_it_takes(value: float | None, text: str) -> None:
    assert temperature(value) == text


@given(st.lists(st.integers(0, 3000).map(lambda n: n / 1000), min_size=1))
def test_a_column_of_temperatures_has_the_decimals_of_the_longest(values: list[float]) -> None:
    printed = [temperature_format([*values, None]) % value for value in values]
    assert [float(text) for text in printed] == values
    assert len({len(text.partition(".")[2]) for text in printed}) == 1
    assert any(text == temperature(value) for text, value in zip(printed, values))


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (1.0, "1.00"),
        (0.1, "0.10"),
        (0.0998, "0.10"),
        (0.05, "0.050"),
        (0.0061, "0.006"),
        (0.001, "0.001"),
        (0.00096, "0.001"),
        (0.0004, "0.0004"),
        (0.0001, "0.0001"),
        (0.00003, "3×10⁻⁵"),
        (2e-12, "2×10⁻¹²"),
    ],
)
def test_p_has_the_decimals_of_its_size(p: float, text: str) -> None:
    assert p_text(p) == text


def test_p_at_its_floor_is_a_bound() -> None:
    assert p_text(1 / 1001, 1 / 1001) == "≤ 0.001"
    assert p_text(2 / 1001, 1 / 1001) == "0.002"
    assert p_phrase(1e-4, 1e-4) == "p ≤ 0.0001"
    bounds = {2 / 184_756: "1.1×10⁻⁵", 1 / 462: "0.0022", 2 / 252: "0.008", 9.99e-5: "0.0001", 1e-5: "1×10⁻⁵"}
    assert {floor: p_text(floor, floor) for floor in bounds} == {p: f"≤ {text}" for p, text in bounds.items()}
    assert p_phrase(0.03, 1e-4) == "p = 0.030"


@given(st.floats(1e-12, 1))
def test_p_text_is_near_p(p: float) -> None:
    """The text is the value rounded to at least one significant digit."""
    text = p_text(p)
    if "×" in text:
        mantissa, power = text.split("×10")
        text = f"{mantissa}e{power.translate(str.maketrans('⁻⁰¹²³⁴⁵⁶⁷⁸⁹', '-0123456789'))}"
    assert math.isclose(float(text), p, rel_tol=0.5)


def test_undefined_is_a_dash() -> None:
    for text in (num(math.nan), num(None), signed(math.nan), interval(0.1, math.nan), percent(None), p_text(math.nan)):
        assert text == "–"


def test_signs_are_true_minus_signs() -> None:
    assert num(-0.1234) == "−0.123"
    assert num(-0.0001) == "0.000"
    assert signed(0.25, 2) == "+0.25"
    assert signed(-0.25, 2) == "−0.25"
    assert signed(-0.0001) == "0"


def test_words() -> None:
    assert interval(0.949, 1.061) == "0.949 to 1.061"
    assert percent(0.8) == "80 %"
    assert (rank_text(1, 5), rank_text(3, 3), rank_text(None, None)) == ("1–5", "3", "")
    assert (count(1, "image"), count(1200, "image"), count(2, "entry", "entries")) == (
        "1 image",
        "1,200 images",
        "2 entries",
    )


@pytest.mark.parametrize(
    ("values", "digits"),
    [
        ([], 3),
        ([9.99, -3], 3),
        ([-10.0, 0.1], 2),
        ([100.5, math.nan], 1),
        ([100.0, 7.0, math.nan], 0),
        ([1000.5], 0),
        ([math.nan, math.inf], 3),
    ],
)
def test_decimals_suit_the_largest_value(values: list[float], digits: int) -> None:
    assert decimals(values) == digits


def test_texts_are_cut_and_begin_with_a_capital() -> None:
    assert [short(text, 5) for text in ("", "abcde", "abcdef", "abc def")] == ["", "abcde", "abcd…", "abc…"]
    assert [capital(text) for text in ("", "uMAP of METEOR", "é")] == ["", "UMAP of METEOR", "É"]


def test_long_texts_are_cut_at_the_end_of_a_word_where_one_is_near():
    assert short("A man riding a wave on top of a surfboard", 20) == "A man riding a wave…"
    assert short("A man riding, a wave on a surfboard", 15) == "A man riding…"
    assert short("Donaudampfschifffahrt am Abend", 12) == "Donaudampfs…", "no word ends near"
    assert short("nucleus_sampling_of_a_model", 20) == "nucleus_sampling_of…"
    assert short("model_one-captions", 15) == "model_one-capt…", "alone, it may be any text"
    assert short("model_one-captions", 15, ["model_one-captions", "other"]) == "model_one…"


@given(st.lists(st.text(alphabet="ab _-·", min_size=1, max_size=30), max_size=4), st.integers(2, 20))
def test_cut_names_are_no_longer_and_no_less_distinct_than_cut_anywhere(names: list[str], most: int):
    names = list(dict.fromkeys(names))
    cut = [short(name, most, names) for name in names]
    anywhere = [name if len(name) <= most else f"{name[: most - 1].rstrip()}…" for name in names]
    assert all(len(one) <= most for one in cut)
    assert all(one == name for one, name in zip(cut, names) if len(name) <= most)
    assert len(set(cut)) >= len(set(anywhere))


def test_names_that_differ_at_their_ends_stay_apart():
    names = ["a_very_long_model_name-seed1", "a_very_long_model_name-seed2", "another"]
    cut = [short(name, 16, names) for name in names]
    assert len(set(cut)) == 3
    assert cut[0].startswith("a_very")
    assert cut[0].endswith("seed1")


@pytest.mark.parametrize(
    ("p", "floor", "lowest"),
    [
        (0.1, 0.1, True),
        (0.1 * (1 + 1e-12), 0.1, True),
        (0.1001, 0.1, False),
        (math.nan, 0.1, False),
        (0.1, math.nan, False),
    ],
)
def test_a_p_is_at_its_floor_up_to_rounding(p: float, floor: float, lowest: bool) -> None:
    assert at_floor(p, floor) == lowest
    assert p_text(p, floor).startswith("≤") == lowest


def test_ordinals() -> None:
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 111)] == [
        "1st",
        "2nd",
        "3rd",
        "4th",
        "11th",
        "12th",
        "13th",
        "21st",
        "111th",
    ]


def test_ticks_of_shares_are_round_and_zero_has_no_decimals() -> None:
    assert percent_ticks(0, 1)["ticktext"] == ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"]
    assert percent_ticks(0, 0.021)["ticktext"] == ["0 %", "0.5 %", "1.0 %", "1.5 %", "2.0 %"]
    assert percent_ticks(0.37, 0.63)["ticktext"] == ["40 %", "50 %", "60 %"]
    assert percent_ticks(-0.004, 0.011)["tickvals"] == pytest.approx([0, 0.005, 0.01])
