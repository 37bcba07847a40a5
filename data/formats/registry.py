"""The formats: `JSON_FORMATS` has the loaders in the order in which they are tried, `FORMATS` the titles of all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from data.formats.known import coco, idmap, karpathy, msrvtt, trilens, vatex, vdtk
from data.formats.numbers import judge_answers, preferences, ratings, scores
from data.formats.tables.table import Table, of_records
from data.records import Part, Source


@dataclass(frozen=True)
class Format:
    """A format: its description, a test of whether a parsed value has its shape, and its loader."""

    title: str
    matches: Callable[[Any], bool]
    load: Callable[[Source], Part]


def _by_rows(load: Callable[[Source, Table], Part]) -> Callable[[Source], Part]:
    """Return a loader of records that uses a loader of tables."""
    return lambda source: load(source, of_records(source, source.value))


JSON_FORMATS: dict[str, Format] = {
    "answers": Format("answers of a judge", judge_answers.matches, judge_answers.load),
    "preferences": Format("pairs judged by people", preferences.matches, _by_rows(preferences.load)),
    "vatex": Format("VATEX JSON", vatex.matches, vatex.load),
    "vdtk": Format("vdtk list", vdtk.matches, vdtk.load),
    "trilens": Format("Trilens JSON", trilens.matches, trilens.load),
    "ratings": Format("ratings by people", ratings.matches, _by_rows(ratings.load)),
    "karpathy": Format("Karpathy split", karpathy.matches, karpathy.load),
    "msrvtt": Format("MSR-VTT JSON", msrvtt.matches, msrvtt.load),
    "coco_annotations": Format("COCO annotations", coco.is_annotations, coco.load_annotations),
    "coco_results": Format("COCO results", coco.is_results, coco.load_results),
    "scores": Format("scores", scores.matches, scores.load_json),
    "id_captions": Format("captions by id", idmap.matches, idmap.load),
}
FORMATS: dict[str, str] = {
    **{key: known.title for key, known in JSON_FORMATS.items()},
    "table": "table",
    "lines": "line-aligned text",
    "keyed_lines": "lines of id and text",
    "embeddings": "embeddings",
    "distances": "distances",
}
