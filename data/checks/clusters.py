"""Clusters of items that are not independent, such as frames of one video, given by a field that groups them.

The field is one of the items' metadata fields, `image`, or the `cluster` that a file states for each item.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from data.checks.duplicates import equal
from data.findings import Log
from data.study import DataError, Item, Study

NONE, STATED, IMAGE = "none", "cluster", "image"
"""Choices other than metadata: no field, the cluster that a file states for each item, and the name of the item's
picture.
"""
KNOWN = (
    STATED,
    *(
        f"{name}{end}"
        for name in ("video", "clip", "scene", "story", "album", "document", "annotator")
        for end in ("", "_id")
    ),
    IMAGE,
)
"""Fields to cluster by unless a person chooses one; the first with a value shared by several items is used."""
FEWEST = 20
"""Minimum number of clusters for a field to be used by default; with fewer, intervals and tests are hardly possible."""
LONGEST = 200


def fields(study: Study) -> dict[str, int]:
    """Return the fields that can group items, with the number of independent units that each yields."""
    names = dict.fromkeys([IMAGE, *(key for item in study.items for key in item.metadata)])
    found = {name: _labels(study, name) for name in names}
    return {name: count(of) for name, of in found.items() if any(of)}


def by_itself(study: Study) -> bool:
    """Return whether a study has no clusters, but reading it from a file would infer some unless the file states that
    there are none.
    """
    return not study.clustering and bool(chosen(study, None, Log()).clustering or equal(study))


def count(labels: tuple[str, ...]) -> int:
    """Return the number of independent units: the clusters plus the items without one."""
    return len({label for label in labels if label}) + labels.count("")


def chosen(study: Study, field: str | None, log: Log) -> Study:
    """Return the study clustered by a field of `fields`, by no field (`NONE`), or by default (None).

    The default is the clusters that a file states, else the first usable field of `KNOWN`. A finding states the field.
    Raises DataError for a field, other than `cluster`, of which no two items share a value.
    """
    if field == NONE:
        return _with(study, ("",) * len(study.items))
    if field is None and any(item.cluster for item in study.items):
        field = STATED
    if field is not None:
        labels = _labels(study, field)
        if field == STATED and not any(labels):
            return _with(study, labels)
        if not any(labels):
            usable = ", ".join(fields(study)) or "none"
            raise DataError(f"no two items share a value of {field!r}; fields by which some belong together: {usable}")
        return _said(study, field, labels, log)
    for name in KNOWN:
        if any(labels := _labels(study, name)):
            if name != STATED and count(labels) < FEWEST:
                log.add("clusters_few", study.name, field=name, n=len(study.items), k=count(labels))
                continue
            return _said(study, name, labels, log)
    return study


def _said(study: Study, field: str, labels: tuple[str, ...], log: Log) -> Study:
    log.add("clusters", study.name, field=field, n=len(study.items), k=count(labels))
    return _with(study, labels)


def _with(study: Study, labels: tuple[str, ...]) -> Study:
    if labels == tuple(item.cluster for item in study.items):
        return study
    return replace(study, items=tuple(replace(item, cluster=of) for item, of in zip(study.items, labels)))


def _labels(study: Study, field: str) -> tuple[str, ...]:
    """Return the cluster of each item by a field; "" for an item whose value no other item shares."""
    values = [_value(item, field) for item in study.items]
    times = Counter(values)
    return tuple(value if value and times[value] > 1 else "" for value in values)


def _value(item: Item, field: str) -> str:
    if field == IMAGE and item.image:
        return item.image
    value = item.cluster if field == STATED and item.cluster else item.metadata.get(field)
    if isinstance(value, Mapping | list | tuple | set) or value is None:
        return ""
    text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    return text.strip()[:LONGEST]
