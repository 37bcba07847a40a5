"""Short names of runs: the model and what differs, as "Oracle · 1.0" for a run named "Oracle T=1.0"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from data.study import Run

_SETTING = re.compile(r"[ _-]+(?:T=(?P<t>[\d.]+)|top_(?P<kind>[pk])=(?P<top>[\d.]+)|(?P<decoder>greedy|beam|sample))")
_SPACE = "\u00a0"


def short_names(runs: Sequence[Run]) -> dict[str, str]:
    """The short name of each run by its name; one that is no model with a setting, or not the only one, stays."""
    found = {run.name: _short(run) for run in runs}
    said = [name.casefold() for name in found.values()]
    return {name: short if said.count(short.casefold()) == 1 else name for name, short in found.items()}


def _short(run: Run) -> str:
    match = _SETTING.fullmatch(run.name.removeprefix(run.model)) if run.name.startswith(run.model) else None
    if match is None:
        return run.name
    kind = f"top-{match['kind']}{_SPACE}{match['top']}" if match["kind"] else match["t"] or match["decoder"]
    return f"{run.model}{_SPACE}·{_SPACE}{kind}"
