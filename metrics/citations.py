"""The papers behind the numbers, as BibTeX, by the keys in the metrics' `cites`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

from metrics.base import Metric

_FILE = Path(__file__).with_name("citations.bib")


@cache
def entries() -> dict[str, str]:
    """Return every BibTeX entry by its key."""
    found = re.findall(r"^(@\w+\{([^,]+),.*?^\})$", _FILE.read_text(encoding="utf-8"), re.M | re.S)
    return {key: whole for whole, key in found}


def cited(metrics: Iterable[Metric]) -> str:
    """Return the BibTeX entries of all papers behind these metrics and their distances, without duplicates."""
    keys = dict.fromkeys(key for metric in metrics for key in _keys(metric))
    return "\n\n".join(entries()[key] for key in keys)


def _keys(value: Any) -> tuple[str, ...]:
    inner = (getattr(value, field.name) for field in fields(value))
    return (
        *value.cites,
        *(key for part in inner if is_dataclass(part) and hasattr(part, "cites") for key in _keys(part)),
    )
