"""Log-probabilities of the candidates and references of a merged study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from data.findings import Log, TrustedText
from data.matching.merge import Pool, PoolItem
from data.study import Item, Run, Study

Values = tuple[float, ...]


def attach(study: Study, pool: Pool, log: Log) -> Study:
    """Return the study with the log-probabilities in its files; report gaps among them as findings."""
    stated = {
        name: run.oracle_logprobs.keys() | {id for id, values in run.reference_logprobs.items() if values}
        for name, run in pool.runs.items()
    }
    items = tuple(_item(item, pool.items[item.id]) for item in study.items)
    if not any(stated.values()) and not any(item.oracle_logprobs for item in items):
        return study
    runs = tuple(_run(run, items, pool) for run in study.runs)
    for run in runs:
        _report(run, items, pool, log)
    return replace(study, items=items, runs=runs)


def _item(item: Item, known: PoolItem) -> Item:
    return replace(item, oracle_logprobs=_of_references(known, known.oracle_logprobs))


def _of_references(item: PoolItem, values: Mapping[str, float]) -> Values | None:
    if not values or not all(text in values for text in item.written):
        return None
    return tuple(values[text] for text in item.written)


def _run(run: Run, items: Sequence[Item], pool: Pool) -> Run:
    found = pool.runs[run.name]
    oracle = {i.id: tuple(found.oracle_logprobs[i.id]) for i in items if i.id in found.oracle_logprobs}
    references = {
        item.id: values
        for item in items
        if (values := _of_references(pool.items[item.id], found.reference_logprobs.get(item.id, {}))) is not None
    }
    return replace(run, oracle_logprobs=oracle or None, reference_logprobs=references or None)


def _report(run: Run, items: Sequence[Item], pool: Pool, log: Log) -> None:
    counts = {
        "`logprobs`": len(run.logprobs or ()),
        "`reference_logprobs`": len(run.reference_logprobs or ()),
        "`oracle_logprobs` of its candidates": len(run.oracle_logprobs or ()),
        "`oracle_logprobs` of the references": sum(item.oracle_logprobs is not None for item in items),
    }
    lacking = {name: len(items) - count for name, count in counts.items() if count < len(items)}
    if lacking:
        said = TrustedText(", ".join(lacking))
        n, total = max(lacking.values()), len(items)
        log.add(
            "logprobs_incomplete", pool.runs[run.name].file, id=run.name, run=run.name, fields=said, n=n, total=total
        )
