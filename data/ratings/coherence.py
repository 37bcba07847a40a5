"""Coherence labels of captions: how a caption relates to its image (Alikhani et al. 2020)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from data.findings import Log
from data.matching.merge import Pool, PoolItem, PoolRun
from data.records import as_id
from data.study import Captions, Item, Run, Study, of_study

LABELS = ("Meta", "Visible", "Subjective", "Story")
"""The labels rated in RaCCoon; a study may have further labels."""
MOST = 16
"""Maximum number of labels in a study."""
LONGEST = 40
"""Maximum number of characters in a label."""
_WRITTEN_FOR = {"Meta": "Meta", "True": "Visible", "Subjective": "Subjective", "Story": "Story"}
_KNOWN = {label.casefold(): label for label in LABELS}


def as_label(value: Any) -> str | None:
    """Return a label as one line of text, with the known labels in their usual spelling; None for an invalid label."""
    label = as_id(value) if isinstance(value, str) else None
    return None if label is None or len(label) > LONGEST else _KNOWN.get(label.casefold(), label)


def label_written_for(source: str) -> str | None:
    """Return the label for which a RaCCoon caption was written, from its source, such as `True12`; None if unknown."""
    kind = re.match(r"[A-Za-z]*", source)
    return _WRITTEN_FOR.get(kind[0] if kind else "")


def attach(study: Study, pool: Pool, log: Log) -> Study:
    """Return the study with the labels in its files; with more than MOST labels, add a finding instead."""
    items = tuple(_item(item, pool.items[item.id]) for item in study.items)
    runs = tuple(_run(run, pool.runs[run.name]) for run in study.runs)
    found = replace(study, items=items, runs=runs)
    if len(known := labels_of(found)) <= MOST:
        return found
    log.add("labels_too_many", study.name, n=len(known), most=MOST)
    return study


def _item(item: Item, known: PoolItem) -> Item:
    labels = tuple(known.coherence.get(text, "") for text in known.written)
    return replace(item, coherence=labels) if any(labels) else item


def _run(run: Run, known: PoolRun) -> Run:
    labels = {id: tuple(known.coherence[id]) for id in run.candidates if any(known.coherence.get(id, ()))}
    return replace(run, coherence=labels) if labels else run


@of_study
def labels_of(study: Study) -> tuple[str, ...]:
    """Return the labels of a study's captions: the four known labels first, then all others by name."""
    said = Counter(label for label in _every(study) if label)
    return tuple(sorted(said, key=lambda label: (LABELS.index(label) if label in LABELS else len(LABELS), label)))


def _every(study: Study) -> Iterable[str]:
    for item in study.items:
        yield from item.coherence or ()
    for run in study.runs:
        for labels in (run.coherence or {}).values():
            yield from labels


def of_candidates(run: Run, id: str) -> Captions:
    """Return the label of each candidate of an item, "" for a candidate without one."""
    return (run.coherence or {}).get(id) or ("",) * len(run.candidates.get(id, ()))


def of_references(item: Item) -> Captions:
    """Return the label of each reference, "" for a reference without one."""
    return item.coherence or ("",) * len(item.references)
