"""Results of lm-eval, lmms-eval and lighteval, which state totals per task and run, and capevalkit's numbers by
item.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from data.formats.numbers.scores import number

_ERROR = "_stderr"
"""The ending that marks the standard error of a metric."""
_SIDES = "higher_is_better"
_PER_ITEM = "per_item"
_LIGHTEVAL = "config_general"
"""The field in which lighteval names the model; its metrics have no filters, and `all` is the mean over its tasks."""


def as_scores(value: Any) -> Any:
    """Return the results of tasks, `{"results": {"coco": {"bleu,none": 0.3}}}`, as one row with the model's scores.

    Other values are returned unchanged, and standard errors are dropped. The name of a metric begins with its task if
    there are several tasks, and ends with its filter if the task has results from several filters.

    A metric's numbers by item, `{"Polos": 0.5, "per_item": {"0001": 0.4}}`, become one row per item; the numbers may be
    in an object that is named after the metric.
    """
    if rows := _by_item(value):
        return {"scores": rows}
    if not isinstance(value, dict) or not isinstance(value.get("results"), dict):
        return value
    tasks = value["results"]
    if not tasks or not all(isinstance(of, dict) for of in tasks.values()):
        return value
    told = value.get(_LIGHTEVAL)
    if isinstance(told, dict):
        tasks = {task: {f"{name},": cell for name, cell in of.items()} for task, of in tasks.items() if task != "all"}
    elif not all(any("," in name for name in of) for of in tasks.values()):
        return value
    sides, model = value.get(_SIDES), (told if isinstance(told, dict) else value).get("model_name")
    row: dict[str, Any] = {"run": model} if isinstance(model, str) else {}
    stated: dict[str, Any] = {}
    for task, of in tasks.items():
        known = sides.get(task) if isinstance(sides, dict) else None
        for metric, name, cell in _metrics(of):
            name = f"{task}.{name}" if len(tasks) > 1 else name
            row[name] = cell
            if isinstance(known, dict) and isinstance(known.get(metric), bool):
                stated[name] = {_SIDES: known[metric]}
    return {"metrics": stated, "scores": [row]} if len(row) > 1 else value


def _by_item(value: Any) -> list[dict[str, Any]]:
    """Return a row per item with its numbers, from objects of numbers by item; [] if a value is anything else."""
    if not isinstance(value, dict):
        return []
    totals = [name for name, one in value.items() if number(one) is not None]
    named = {totals[0] if len(totals) == 1 else "score": value}
    if _PER_ITEM not in value:
        named = {name: one for name, one in value.items() if isinstance(one, dict)}
    rows: dict[str, dict[str, Any]] = {}
    for name, of in named.items():
        numbers = of.get(_PER_ITEM)
        if not isinstance(numbers, dict) or not all(number(one) is not None for one in numbers.values()):
            return []
        for item, one in numbers.items():
            rows.setdefault(item, {"item": item})[name] = one
    return list(rows.values())


def _metrics(of: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Yield, for each numeric result of a task, the metric, its name in the table, and the value."""
    told = [(*name.partition(",")[::2], cell) for name, cell in of.items() if "," in name and number(cell) is not None]
    told = [(metric, by, cell) for metric, by, cell in told if not metric.endswith(_ERROR)]
    times = Counter(metric for metric, _, _ in told)
    yield from ((metric, metric if times[metric] == 1 else f"{metric}_{by}", cell) for metric, by, cell in told)
