"""Test that every formula of the registry becomes MathML that a browser can draw with any font."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from figures.export.mathml import mathml
from metrics.registry import METRICS

FORMULAS = sorted({metric.formula for metric in METRICS.values()})


@pytest.mark.parametrize("formula", FORMULAS)
def test_every_formula_is_sound_mathml_and_keeps_its_source(formula):
    drawn = ElementTree.fromstring(mathml(formula))
    assert drawn.tag == "math"
    assert drawn.get("display") == "block"
    assert drawn.get("alttext") == formula
    said = "".join(drawn.itertext())
    # A backslash alone is the difference of two sets; with more behind it, a command that was not understood.
    assert all("\\" not in text or text == "\\" for text in drawn.itertext())
    # A sign that few fonts have would be an empty box.
    assert not {"⧵", "∖", "―"} & set(said)


def test_a_bar_stands_over_all_it_covers():
    (bar,) = [e for e in ElementTree.fromstring(mathml(r"2\,\overline{k(c,r)} + 1")).iter() if e.get("class")]
    assert bar.get("class") == "tl-bar"
    assert "".join(bar.itertext()) == "k(c,r)"


def test_braces_and_differences_of_sets_are_signs():
    assert "".join(ElementTree.fromstring(mathml(r"\big\{a\big\} C\setminus\{c\}")).itertext()) == "{a}C\\{c}"
