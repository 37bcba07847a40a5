"""Test that no spreadsheet executes our CSV files, and that they read back unchanged."""

from __future__ import annotations

import io
import math
import re
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.files.safe_csv import guarded, to_csv

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
STARTS = "=+-@\t\r\n＝＋－＠"
NUMBERS = ("-0.5", "+1", "-1e-05", "-.5", "3")


def plain(text: str) -> str:
    """Return the text without the leading apostrophe that docs/formats.md says how to remove."""
    (pattern,) = re.findall(r'`r"(\^\'.*?)"`', PAGE)
    return re.sub(pattern, "", text)


@pytest.mark.parametrize("start", STARTS)
def test_texts_that_could_run_are_texts(start: str) -> None:
    for text in (start, f"{start}1+1", f'{start}HYPERLINK("x")', f"{start} a caption"):
        assert guarded(text) == f"'{text}"


@pytest.mark.parametrize("value", [*NUMBERS, "a dog", "'a dog'", "", " =1", -0.5, -3, None, math.nan, True])
def test_everything_else_stays(value: object) -> None:
    assert guarded(value) is value


@given(st.text(st.sampled_from("'=+-@\t\r\na1.e "), max_size=6))
def test_it_reads_back(text: str) -> None:
    made = guarded(text)
    assert plain(made) == text
    assert made[:1] not in STARTS or made == "" or made in (text,)
    if made[:1] and made[0] in STARTS:
        float(made)


def test_a_table_keeps_its_numbers_and_guards_names_of_columns() -> None:
    frame = pd.DataFrame({"run": ["=cmd", "b"], "value": [-0.1, 1 / 3], "n": [-1, 2], "=a1": ["-0.5", "@x"]})
    for separator in ",\t":
        found = pd.read_csv(io.BytesIO(to_csv(frame, separator)), sep=separator)
        assert list(found.columns) == ["run", "value", "n", "'=a1"]
        assert found.value.tolist() == frame.value.tolist()
        assert found.n.tolist() == frame.n.tolist()
        assert found.run.tolist() == ["'=cmd", "b"]
        assert found["'=a1"].tolist() == ["-0.5", "'@x"]


def test_every_csv_of_the_product_comes_from_here() -> None:
    """No part of the app calls pandas' own `to_csv`; `show.to_csv` is the safe function.

    The folder `cli/` is not searched.
    """
    folders = ("data", "metrics", "figures", "ui", "pages")
    sources = [path for folder in folders for path in (ROOT / folder).rglob("*.py") if path.name != "safe_csv.py"]
    callers = {name for path in sources for name in re.findall(r"(\w+|\))\.to_csv\(", path.read_text(encoding="utf-8"))}
    assert callers == {"safe_csv", "show"}


def test_streamlit_offers_no_csv_of_its_own() -> None:
    import tomllib

    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["client"]["disableDataExport"] is True
