"""The long table SCORES, which the command line, the pages, the exports and the report all use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from data.study import Run, Study
from metrics.chunk import caption_order
from metrics.engine.missing_captions import missing_note
from metrics.engine.result import Result
from metrics.engine.scoring import REFERENCES, Results
from metrics.partly_read import note
from metrics.permutation.joint_test import PARTS
from metrics.permutation.pvalues import average_columns
from metrics.registry import in_order

if TYPE_CHECKING:
    import pandas as pd

Level = Literal["corpus", "item", "candidate"]
COLUMNS = (
    "dataset",
    "run",
    "model",
    "temperature",
    "top_p",
    "top_k",
    "decoder",
    "metric",
    "signature",
    "level",
    "item",
    "candidate",
    "value",
    "ci_low",
    "ci_high",
    "sd",
    "p_value",
    "p_two_sided",
    "p_mean",
    "p_mean_uniform",
    "ln_p_mean",
    "ln_p_mean_uniform",
    "p_hmp_raw",
    "p_hmp_raw_uniform",
    "p_hmp",
    "p_hmp_uniform",
    "p_floor",
    "p_joint",
    "joint_parts",
    "p_n",
    "p_error",
    "ci_error",
    "n",
    "clusters",
    "error",
    "note",
)
_TEXT = (
    *("dataset", "run", "model", "decoder", "metric", "signature", "level", "item"),
    *("joint_parts", "p_error", "ci_error", "error", "note"),
)
_WHOLE = ("top_k", "candidate", "p_n", "n", "clusters")


def scores(study: Study, results: Results, levels: Iterable[Level] = ("corpus",)) -> pd.DataFrame:
    """Return the table SCORES: one row per number, with runs in study order and metrics in registry order."""
    wanted = set(levels)
    rows: list[dict[str, Any]] = []
    metrics = in_order({result.metric.name: result.metric for result in results.values()}.values())
    for run in (*study.runs, REFERENCES):
        for metric in metrics:
            # A run may have the same name as REFERENCES: only the metrics' family distinguishes the two.
            if (run.name, metric.name) in results and (metric.family == "references") == (run is REFERENCES):
                made = _rows(study, run, results[run.name, metric.name], wanted)
                of_metric = [one for (_, name), one in results.items() if name == metric.name]
                rows += _with_missing(made, missing_note(study, run, results[run.name, metric.name], of_metric))
    return as_table(rows)


def _with_missing(rows: list[dict[str, Any]], missing: str) -> list[dict[str, Any]]:
    if not missing:
        return rows
    return [
        row | {"note": "; ".join(filter(None, [row.get("note"), missing]))} if row["level"] == "corpus" else row
        for row in rows
    ]


def as_table(rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Return rows as a table with the columns and types of SCORES."""
    import pandas as pd

    table = pd.DataFrame(list(rows), columns=list(COLUMNS))
    kinds = {c: "string" if c in _TEXT else "Int64" if c in _WHOLE else "float64" for c in COLUMNS}
    return table.astype(kinds)


def _rows(study: Study, run: Run, result: Result, levels: set[Level]) -> list[dict[str, Any]]:
    settings = run.settings
    base = {
        "dataset": study.name,
        "run": run.name,
        "model": run.model,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "top_k": settings.top_k,
        "decoder": settings.decoder,
        "metric": result.metric.name,
        "signature": result.metric.signature,
    }
    of_all = note(study, run, result.metric)
    rows = [base | _corpus(result) | {"note": of_all}] if "corpus" in levels else []
    parts = _items(study, result) if "item" in levels else []
    if "candidate" in levels and result.metric.grain == "candidate":
        parts += _candidates(study, run, result)
    if of_all is not None:
        notes = {item.id: note(study, run, result.metric, [item]) for item in study.items}
        parts = [row | {"note": notes[row["item"]]} for row in parts]
    return [*rows, *(base | row for row in parts)]


def _corpus(result: Result) -> dict[str, Any]:
    return {
        "level": "corpus",
        "value": result.corpus,
        "ci_low": result.low,
        "ci_high": result.high,
        "sd": result.sd,
        "p_value": result.p_value,
        "p_two_sided": result.p_two_sided,
        "p_hmp_raw": result.p_hmp_raw,
        "p_hmp": result.p_hmp,
        **average_columns(result.item_p, result.item_floor),
        "p_floor": result.p_floor,
        "p_joint": result.joint.p if result.joint else np.nan,
        "joint_parts": _parts(result),
        "p_n": result.p_n if result.tested else None,
        "p_error": result.why_no_p() if result.tested else result.metric.no_test or None,
        "ci_error": result.why_no_interval(),
        "n": result.n,
        "clusters": None if result.unit is None else result.n_units,
        "error": result.why(),
    }


def _parts(result: Result) -> str | None:
    """Return each statistic of the joint test with its z and p, "spread +3.1 p 0.0012; ..."; None if not tested."""
    if result.joint is None:
        return None
    return "; ".join(f"{part} {z:+.3g} p {p:.4g}" for part, z, p in zip(PARTS, result.joint.z, result.joint.p_single))


def _items(study: Study, result: Result) -> list[dict[str, Any]]:
    both = result.item_p if result.item_two_sided is None else result.item_two_sided

    def one(index: int, value: float) -> dict[str, Any]:
        undefined = np.isnan(value)
        return {
            "level": "item",
            "item": study.items[index].id,
            "value": value,
            "p_value": np.nan if result.item_p is None else result.item_p[index],
            "p_two_sided": np.nan if both is None else both[index],
            "p_floor": np.nan if result.item_floor is None else result.item_floor[index],
            "p_error": None if undefined else result.untested.get(index),
            "n": 0 if undefined else 1,
            "error": (result.error or result.reasons.get(index)) if undefined else None,
        }

    return [one(index, value) for index, value in enumerate(result.items)]


def _candidates(study: Study, run: Run, result: Result) -> list[dict[str, Any]]:
    rows = []
    # Units are ordered by item: find all their positions at once instead of scanning them for each item.
    order = np.argsort(result.unit_item, kind="stable")
    ends = np.cumsum(np.bincount(result.unit_item, minlength=len(study.items)))[:-1]
    for index, (item, own) in enumerate(zip(study.items, np.split(order, ends))):
        values = result.values[own]
        rank_of = {place: rank for rank, place in enumerate(caption_order(run.candidates.get(item.id, ())))}
        for place in range(len(values)):
            value = values[rank_of[place]]
            why = (result.error or result.reasons.get(index)) if np.isnan(value) else None
            rows.append(
                {"level": "candidate", "item": item.id, "candidate": place, "value": value, "n": 1, "error": why}
            )
    return rows
