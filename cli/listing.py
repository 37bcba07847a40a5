"""`trilens list`: print all metrics, or those for a task; or print their parameters, or the transformations."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from textwrap import fill

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from metrics.base import Metric

WIDE, NARROW = 200, 80


def show(signatures: bool) -> None:
    """Print the metrics by family, with their `signatures` if set, and then the named sets, aliases and tasks."""
    from metrics.aliases import ALIASES
    from metrics.guide.documentation import FAMILIES
    from metrics.guide.tasks import TASKS
    from metrics.registry import LEARNED, METRICS, SETS

    every = METRICS | LEARNED
    for family, title in FAMILIES.items():
        print(title)
        _table([metric for metric in every.values() if metric.family == family], signatures)
        print()
    for name, members in SETS.items():
        print(f"set {name}: {len(members)} metrics")
    print(fill("other names: " + ", ".join(f"{name} is {one.metric}" for name, one in ALIASES.items()), NARROW))
    print(f"--for {'|'.join(TASKS)}: what is usual for such texts")
    print("--signatures: what determines each number; --parameters: what can be set")


def show_task(name: str, signatures: bool) -> None:
    """Print the metrics that are usual for a kind of text, with `signatures` if set, and the command for them."""
    from metrics.guide.tasks import TASKS
    from metrics.registry import LEARNED, METRICS

    task, every = TASKS[name], METRICS | LEARNED
    print(fill(f"{name}: {task.says}", NARROW) + "\n")
    _table([every[one] for one in task.metrics], signatures)
    print(f"\ntrilens score FILES --metrics {','.join(task.metrics)}")


def show_transformations() -> None:
    """Print the transformations of captions with their signatures."""
    from metrics.transformations import TRANSFORMATIONS

    table = Table("name", "label", "what it does", "source", "signature", box=None, pad_edge=False)
    for one in TRANSFORMATIONS.values():
        does = f"{(type(one).__doc__ or '').strip().splitlines()[0]} {one.summary}"
        table.add_row(*(escape(cell) for cell in (one.name, one.label, does, one.source, one.signature)))
    _print(table, WIDE)


def show_parameters(metrics: Iterable[Metric]) -> None:
    """Print the parameters that each metric takes in brackets after its name, with their defaults."""
    from metrics.parameters import format_value, parameters

    table = Table("name", "parameter", "takes", "by default", box=None, pad_edge=False)
    for metric in metrics:
        for one in parameters(metric).values():
            table.add_row(metric.name, one.name, one.takes, escape(format_value(one.default)))
    _print(table, WIDE)
    print("Set them after a name: --metrics 'mmd_bert(bandwidth=1,biased=true),trm_bleu_4(n=2)'")


def _table(metrics: Sequence[Metric], signatures: bool) -> None:
    from metrics.guide.documentation import bounds, direction

    table = Table("name", "direction", "range", "value per", "p", box=None, pad_edge=False)
    if signatures:
        table.add_column("signature")
    for metric in metrics:
        cells = (metric.name, direction(metric), bounds(metric), metric.grain, "exact" if metric.tested else "")
        table.add_row(*cells, *([escape(metric.signature)] if signatures else []))
    _print(table, WIDE if signatures else NARROW)


def _print(table: Table, width: int) -> None:
    Console(width=None if sys.stdout.isatty() else width).print(table)
