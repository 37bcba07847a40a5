"""The tables behind one TRM: its rank shares, its captions, and their distances."""

from __future__ import annotations

import pandas as pd

from figures.triangles.chart import RANKS, SIDES, text_names
from metrics.analysis.central.medoid import centrality
from metrics.analysis.triangles import TriangleView


def shares(view: TriangleView) -> pd.DataFrame:
    """Return one row for each side of the pair and each rank, with the share and its range by chance."""
    rows = [
        {
            "Pairs of": SIDES[d],
            "Rank": RANKS[k],
            "Share": view.shares[d, k],
            "Low": view.low[d, k],
            "High": view.high[d, k],
        }
        for d in (0, 1)
        for k in (0, 1, 2)
    ]
    return pd.DataFrame(rows)


def captions(view: TriangleView) -> pd.DataFrame:
    """Return the captions with their mean distance to the others on their side, and whether they are central."""
    d = view.distances
    of = centrality(d.matrix, d.is_candidate)
    names = text_names(d.is_candidate)
    return pd.DataFrame({"Name": names, "Caption": d.texts, "Expected": of.expected, "Central": of.central})


def distances(view: TriangleView) -> pd.DataFrame:
    """Return a row for each caption that is scored and a column for each caption against which it is scored."""
    names = text_names(view.distances.is_candidate)
    matrix = pd.DataFrame(view.distances.matrix, columns=names)
    matrix.insert(0, "Caption", names)
    return matrix
