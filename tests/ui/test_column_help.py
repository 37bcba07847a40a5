"""Test that the heads of table columns describe their metrics and give the full names of runs."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from metrics.guide.cards import card
from metrics.registry import METRICS


def helped(frame: pd.DataFrame, names: dict[str, str], columns: dict[str, dict[str, str]]) -> dict[str, str]:
    """Return the help of each column of a table, in a study whose runs have these short names."""

    def app(frame, names, columns):  # type: ignore[no-untyped-def]
        import json

        import streamlit as st

        from ui.frame import look
        from ui.widgets.column_help import with_help

        look.name_runs(names)
        found = with_help(frame, columns)
        st.text(json.dumps({name: config["help"] for name, config in found.items() if config.get("help")}))

    at = AppTest.from_function(app, kwargs={"frame": frame, "names": names, "columns": columns}).run()
    assert not at.exception
    return json.loads(at.text[0].value)  # type: ignore[no-any-return]


@pytest.mark.parametrize("head", ["ROUGE-L", "ROUGE-L 95 % from", "Rank, ROUGE-L"])
def test_a_head_that_names_a_metric_says_what_it_is(head: str) -> None:
    said = helped(pd.DataFrame({head: [0.1], "n": [1]}), {}, {})
    assert set(said) == {head}
    assert card(METRICS["rouge_l"]).replace(".", "\\.") in said[head]


def test_a_column_of_metrics_says_what_each_is_and_one_of_runs_where_full_names_are() -> None:
    frame = pd.DataFrame({"Metric": ["ROUGE-L", "CIDEr-D"], "Run": ["A\u00a0·\u00a01", "B"], "Slice": ["ROUGE-L", "x"]})
    said = helped(frame, {"A T=1": "A\u00a0·\u00a01", "B": "B"}, {})
    assert set(said) == {"Metric", "Run"}, "the last column is not of metrics alone"
    assert said["Metric"].index("ROUGE") < said["Metric"].index("CIDEr")
    assert "full ones" in said["Run"]


def test_a_head_that_has_a_short_name_says_the_full_one_and_help_that_is_given_stays() -> None:
    frame = pd.DataFrame({"A\u00a0·\u00a01 less B": [0.1], "Corrected p": [0.1], "METEOR": [0.2]})
    said = helped(frame, {"A T=1": "A\u00a0·\u00a01"}, {"METEOR": {"help": "mine"}})
    assert said["A\u00a0·\u00a01 less B"] == "A T=1"
    assert "Holm" in said["Corrected p"]
    assert said["METEOR"] == "mine"
