"""Number formatting for screen and exports: true minus signs, powers of ten, a dash for an undefined value."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import ROUND_CEILING, Context, Decimal
from typing import TypeGuard

DASH = "–"
COMPUTING = "computing"
"""The text for a number that is being computed; a missing number is shown as DASH."""
MINUS = "\u2212"
P_VALUE = "%p"
"""The format of a column of p-values, which `formed` writes like `p_text`; other formats are printf formats."""
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def defined(value: float | None) -> TypeGuard[float]:
    """Return whether there is a finite number to show."""
    return value is not None and math.isfinite(value)


def num(value: float | None, digits: int = 3) -> str:
    """Return a number with fixed decimals; an undefined one is a dash, and "-0" is never shown."""
    if not defined(value):
        return DASH
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def temperature(value: float | None) -> str:
    """Return a sampling temperature with one decimal or as many as needed: "1.0", "0.25"; a dash if undefined."""
    if not defined(value):
        return DASH
    text = f"{value:g}"
    return f"{text}.0" if text.isdigit() else text


def temperature_format(values: Iterable[float | None]) -> str:
    """Return the printf format for a column of temperatures, with as many decimals as the longest one needs."""
    return f"%.{max((len(temperature(value).partition('.')[2]) for value in values if defined(value)), default=1)}f"


def decimals(values: Iterable[float]) -> int:
    """Return the number of decimals for values of this size: 3 below 10, 2 below 100, 1 below 1000, else 0.

    The largest value decides for all; counts in the hundreds have none.
    """
    known = [value for value in values if defined(value)]
    largest = max(map(abs, known), default=0.0)
    if largest >= 1000 or (largest >= 100 and all(value == round(value) for value in known)):
        return 0
    return 1 if largest >= 100 else 2 if largest >= 10 else 3


def signed(value: float | None, digits: int = 3) -> str:
    """Return a difference with its sign; one that rounds to zero is a plain 0, an undefined one a dash."""
    if not defined(value):
        return DASH
    if round(value, digits) == 0:
        return "0"
    return ("+" if value > 0 else MINUS) + f"{abs(value):.{digits}f}"


def interval(low: float | None, high: float | None, digits: int = 3) -> str:
    """Return text such as "0.949 to 1.061"; a dash if an end is undefined."""
    if not (defined(low) and defined(high)):
        return DASH
    return f"{num(low, digits)} to {num(high, digits)}"


def percent(share: float | None, digits: int = 0) -> str:
    """Return a share in 0..1 as "80 %", and an undefined one as a dash."""
    return f"{100 * share:.{digits}f} %" if defined(share) else DASH


def percent_ticks(low: float, high: float, most: int = 5) -> dict[str, list[float] | list[str]]:
    """Return the ticks of an axis of shares from `low` to `high`, about `most` in round steps: "0 %", "0.5 %"."""
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * by for by in (1, 2, 5, 10) if power * by >= rough * (1 - 1e-9))
    at = [k * step for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]
    digits = max(0, -math.floor(math.log10(step) + 1e-9) - 2)
    return {"tickvals": at, "ticktext": [percent(value, digits if value else 0) for value in at]}


def rank_text(low: int | None, high: int | None) -> str:
    """Return a range of ranks such as "1–5", a single number if both ends are equal, or "" without ranks."""
    if low is None or high is None:
        return ""
    return f"{low}" if low == high else f"{low}–{high}"


def ordinal(n: int) -> str:
    """Return a number as an ordinal: "1st", "22nd", "13th"."""
    ending = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def p_text(p: float | None, floor: float | None = None) -> str:
    """Return a p-value with about 2 decimals from 0.1 up, 3 down to 0.001, 4 down to 0.0001, and as "3×10⁻⁵" below.

    At its `floor` it is "≤ 0.0001", for example; an undefined p is a dash.
    """
    if not defined(p):
        return DASH
    if defined(floor) and at_floor(p, floor):
        return f"≤ {p_bound(floor)}"
    return _p(p)


def formed(value: float, form: str) -> str:
    """Return a number of a table in the format of its column, with a true minus sign."""
    return p_text(value) if form == P_VALUE else (form % value).replace("-", MINUS)


def at_floor(p: float, floor: float) -> bool:
    """Return whether a p is as small as its test allows; False if either is undefined."""
    return p <= floor * (1 + 1e-9)


def p_phrase(p: float | None, floor: float | None = None) -> str:
    """Return a p-value for use in a sentence: "p = 0.006" or "p ≤ 0.0001"."""
    text = p_text(p, floor)
    return f"p {text}" if text.startswith("≤") else f"p = {text}"


def p_bound(floor: float) -> str:
    """Return an upper bound, rounded up to two digits so that it never claims too much: "0.0001", "1.1×10⁻⁵"."""
    up = Context(prec=2, rounding=ROUND_CEILING).create_decimal(f"{floor:.9g}").normalize()
    if up >= Decimal("0.0001"):
        return f"{up:f}"
    mantissa, exponent = f"{up:e}".split("e")
    return f"{mantissa}×10{str(int(exponent)).translate(_SUPERSCRIPT)}"


def _p(p: float) -> str:
    for least, digits in ((0.1, 2), (0.001, 3), (0.0001, 4)):
        # Choose the decimals by the printed value: 0.0998 to three decimals is 0.100, and is shown as "0.10".
        if round(p, digits + 1) >= least:
            return f"{p:.{digits}f}"
    if p <= 0:
        return "0"
    mantissa, exponent = f"{p:.0e}".split("e")
    return f"{mantissa}×10{str(int(exponent)).translate(_SUPERSCRIPT)}"


def count(n: int, one: str, many: str | None = None) -> str:
    """Return text such as "1 image", "1,200 images"."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"
